"""Small pictures of one decode, kept until it is known which of them look unlike the recording.

Faces are looked for in out-of-body spans, and these are known only at the end. Decoding a few
frames of each again would cost a group of pictures per span; keeping a picture every two seconds
and at every cut costs a hundredth of decoding. The pictures end with the decode.
"""

from __future__ import annotations

from dataclasses import dataclass

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from scrubin.networks.faces import SIDE_PX, faces
from scrubin.screen.proposals import SAME_S, Flags, Numbers, runs
from scrubin.screen.typical_picture import distance

EVERY_S = 2.0
# A cut: this share of a histogram's counts moved to other cells. An instrument that enters moves a tenth of them.
CUT_SHARE = 0.15
# Cuts are paid from a purse that gains a coin every so many frames, so that flicker does not cost a picture per frame.
FRAMES_PER_COIN = 12
PURSE = 24
FAR = 0.25
PER_RUN = 3
# A look takes about ten times as long as decoding a frame.
FRAMES_PER_LOOK = 360
FEWEST_LOOKS = 12
MOST_BYTES = 32 << 20


@dataclass(frozen=True)
class Look:
    """Faces in frame ``number``: how many, and how sure the surest is."""

    number: int
    faces: int
    sure: float


@dataclass(frozen=True)
class _Kept:
    number: int
    histogram: npt.NDArray[np.int64]
    jpeg: bytes


class ThumbnailStore:
    """Keeps pictures while a file is decoded.

    Parameters
    ----------
    times_s
        Presentation time of every frame, shape (n,).
    most_bytes
        Of all pictures. When it is reached, the half that is nearest to the typical one is given up.
    """

    def __init__(self, times_s: Numbers, most_bytes: int = MOST_BYTES) -> None:
        self._times_s = times_s
        self._most_bytes = most_bytes
        self._kept: list[_Kept] = []
        self._bytes = 0
        self._last: tuple[float, npt.NDArray[np.int64]] | None = None
        self._coins = float(PURSE)
        self._reformatter = VideoReformatter()

    def consider(self, number: int, frame: av.VideoFrame, histogram: npt.NDArray[np.int64]) -> None:
        """Keep a picture of the frame if two seconds have gone by, or if it looks unlike the one kept before.

        Parameters
        ----------
        number, frame
            The frame and its number; numbers increase.
        histogram
            Of the frame, shape (88,).
        """
        self._coins = min(self._coins + 1 / FRAMES_PER_COIN, PURSE)
        if self._last is not None and self._times_s[number] - self._last[0] < EVERY_S - SAME_S:
            moved = np.abs(histogram - self._last[1]).sum() / (2 * histogram.sum())
            if moved < CUT_SHARE or self._coins < 1:
                return
            self._coins -= 1
        self._last = float(self._times_s[number]), histogram
        jpeg = cv2.imencode(".jpg", self._small(frame), [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()
        self._kept.append(_Kept(number, histogram, jpeg))
        self._bytes += len(jpeg)
        if self._bytes > self._most_bytes:
            self._thin()

    def looks(self, far: Numbers) -> list[Look]:
        """Look for faces in the pictures that are far from the typical picture, and forget all pictures.

        Parameters
        ----------
        far
            Distance of every frame from the typical picture, 0 to 1, shape (n,).
        """
        chosen = set(_chosen([one.number for one in self._kept], far))
        pictures = [(one.number, one.jpeg) for one in self._kept if one.number in chosen]
        self._kept = []
        return [_look(number, _opened(jpeg)) for number, jpeg in pictures]

    def _thin(self) -> None:
        histograms = np.array([one.histogram for one in self._kept], dtype=np.uint32)
        far = np.round(distance(histograms, np.zeros(len(histograms), dtype=np.bool_)), 2)
        nearest = set(np.argsort(far, kind="stable")[: (len(far) + 1) // 2].tolist())
        self._kept = [one for place, one in enumerate(self._kept) if place not in nearest]
        self._bytes = sum(len(one.jpeg) for one in self._kept)

    def _small(self, frame: av.VideoFrame) -> npt.NDArray[np.uint8]:
        scale = min(1.0, SIDE_PX / max(frame.width, frame.height))
        width, height = (max(2, round(side * scale)) for side in (frame.width, frame.height))
        small = self._reformatter.reformat(frame, width, height, "bgr24", interpolation="AREA").to_ndarray()
        return np.ascontiguousarray(np.rot90(small, round(frame.rotation / 90)), dtype=np.uint8)


def _look(number: int, picture: npt.NDArray[np.uint8]) -> Look:
    seen = faces(picture)
    return Look(number, len(seen), seen[0].confidence if seen else 0.0)


def _opened(jpeg: bytes) -> npt.NDArray[np.uint8]:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), dtype=np.uint8)


def _chosen(kept: list[int], far_from_typical: Numbers) -> list[int]:
    """Return the kept frames to look at: some of every run of far ones, as many as the length of the recording pays for."""
    outside: Flags = np.round(far_from_typical[kept], 2) >= FAR
    ranked: list[tuple[int, float, int]] = []
    for first, last in runs(outside):
        middles = dict.fromkeys(first + (2 * i + 1) * (last - first + 1) // (2 * PER_RUN) for i in (1, 0, 2))
        ranked += [(rank, -round(float(far_from_typical[kept[place]]), 2), kept[place]) for rank, place in enumerate(middles)]
    budget = max(FEWEST_LOOKS, len(far_from_typical) // FRAMES_PER_LOOK)
    return [number for _, _, number in sorted(ranked)[:budget]]
