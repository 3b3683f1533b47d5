"""Films whose frames carry their number as black and white blocks, also after coding, so that each frame says which one it is."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

BITS, BLOCK_PX = 12, 16
WIDTH, HEIGHT = BITS * BLOCK_PX, 64
FPS = 25


def picture(number: int) -> np.ndarray:
    """A frame as 4:2:0 planes: its number on top, below a pattern that moves."""
    planes = np.full((HEIGHT * 3 // 2, WIDTH), 128, np.uint8)
    for bit in range(BITS):
        planes[:BLOCK_PX, bit * BLOCK_PX : (bit + 1) * BLOCK_PX] = 220 if number >> bit & 1 else 30
    across = np.arange(WIDTH) + 5 * number
    planes[BLOCK_PX:HEIGHT] = (60 + 40 * np.sin(across / 9) + 30 * np.sin(number / 7)).astype(np.uint8)
    return planes


def film(path: Path, numbers: Iterable[int], *, codec: str = "libx264", start: int = 0, **options: str) -> Path:
    """Write the frames of these numbers as a file; its clock begins at frame ``start``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen = {"preset": "ultrafast", "crf": "18", "g": "20", "bf": "2"} if codec == "libx264" else {"b": "4000000"}
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=FPS, options=chosen | options)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, FPS)
        for place, number in enumerate(numbers):
            frame = av.VideoFrame.from_ndarray(picture(number), format="yuv420p")
            frame.pts = start + place
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path


def number_of(frame: av.VideoFrame) -> int | None:
    """The number of a frame; None for a black one."""
    luma = frame.to_ndarray(format="yuv420p")[:HEIGHT].astype(float)
    if luma.max() < 40:
        return None
    top = luma[4 : BLOCK_PX - 4].reshape(BLOCK_PX - 8, BITS, BLOCK_PX)[:, :, 4:-4].mean(axis=(0, 2))
    return sum(1 << bit for bit in range(BITS) if top[bit] > 125)


def numbers_of(path: Path) -> list[int | None]:
    """The numbers of all frames of a file."""
    with av.open(str(path), options={"ignore_editlist": "1"}) as container:
        return [number_of(frame) for frame in container.decode(video=0)]
