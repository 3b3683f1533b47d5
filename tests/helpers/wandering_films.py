"""Films of a camera that wanders over a picture with two instruments, so that every moment looks another way, as in an operation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import av
import cv2
import numpy as np

FPS, SIDE_PX = 25, 1200


@dataclass
class Scene:
    """Something to film.

    Parameters
    ----------
    speed
        How fast camera and instruments move.
    stands
        Whether the camera stands still.
    """

    seed: int
    speed: float = 1.0
    stands: bool = False
    size_px: tuple[int, int] = (160, 120)

    @cached_property
    def _drawn(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What is filmed, drawn when it is: the ground, and how fast and from where everything moves."""
        rng = np.random.default_rng(self.seed)
        ground = np.zeros((SIDE_PX, SIDE_PX, 3), np.float32)
        for cells, level in ((6, 80), (20, 40), (70, 25), (250, 12)):
            coarse = rng.uniform(-level, level, (cells, cells, 3)).astype(np.float32)
            ground += cv2.resize(coarse, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_CUBIC)
        ground = np.clip(ground + rng.uniform(60, 170, 3), 0, 255).astype(np.float32)
        return ground, rng.uniform(0.05, 0.4, (6, 2)), rng.uniform(0, 6.28, (6, 2))

    def frame(self, number: int) -> np.ndarray:
        """The frame of a number: blue, green and red."""
        (width, height), time_s = self.size_px, number / FPS * self.speed
        ground, hertz, phase = self._drawn
        waves = np.sin(2 * np.pi * hertz * time_s + phase)
        moves = 0 if self.stands else 1
        at = SIDE_PX / 2 + moves * 60 * waves[:4].sum(axis=0)
        matrix = cv2.getRotationMatrix2D((float(at[0]), float(at[1])), moves * 6 * float(waves[4, 0]), 1.0)
        matrix[:, 2] -= at - np.array([width / 2, height / 2])
        picture = cv2.warpAffine(ground, matrix, (width, height))
        for one, (x, y) in enumerate(np.sin(2 * np.pi * hertz[4:] * 2 * time_s + phase[4:])):
            tip = int(width * (0.5 + x / 3)), int(height * (0.5 + y / 3))
            cv2.line(picture, (width * one, height), tip, (200, 200, 205), 6)
            cv2.circle(picture, tip, 5, (90, 90, 95), -1)
        noise = np.random.default_rng(number * 7919 + self.seed).normal(0, 2, picture.shape)
        return np.clip(picture + noise, 0, 255).astype(np.uint8)

    def frames(self, first: int, end: int) -> Iterable[np.ndarray]:
        """Frames in a row."""
        return map(self.frame, range(first, end))


def film(path: Path, pictures: Iterable[np.ndarray], *, codec: str = "libx264", **options: str) -> Path:
    """Write pictures as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen = {"preset": "ultrafast", "crf": "20", "g": "50"} if codec == "libx264" else {"b": "3000000"}
    with av.open(str(path), "w") as out:
        stream = None
        for number, picture in enumerate(pictures):
            if stream is None:
                stream = out.add_stream(codec, rate=FPS, options=chosen | options)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.time_base = stream.codec_context.time_base = Fraction(1, FPS)
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24").reformat(format="yuv420p")
            frame.pts = number
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path
