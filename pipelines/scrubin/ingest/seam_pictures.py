"""Small grey pictures of the frames on both sides of a seam between two files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.video.decode import decoded
from scrubin.video.frame_reader import FrameReader
from scrubin.video.probe import Probe
from scrubin.video.source import FilePart

LONGEST_S = 10
MOST_FRAMES = 600
SIDE_PX = 32
Thumbnails = npt.NDArray[np.float32]
"""(n, h, w), brightness 0 to 255."""


def ending(raw: Path, part: FilePart, probe: Probe) -> Thumbnails:
    """Return the last frames of a file, in order."""
    reader = FrameReader(raw / part.path, part.path, probe)
    try:
        numbers = range(max(0, probe.frame_count - _count(probe)), probe.frame_count)
        return np.stack([_thumbnail(cv2.cvtColor(reader.picture(number), cv2.COLOR_BGR2GRAY)) for number in numbers])
    finally:
        reader.close()


def beginning(raw: Path, part: FilePart, probe: Probe) -> Thumbnails:
    """Return the first frames of a file."""
    return np.stack(list(_first_pictures(raw, part, _count(probe))))


def _first_pictures(raw: Path, part: FilePart, count: int) -> Iterator[npt.NDArray[np.float32]]:
    for frame in islice(decoded(raw / part.path, part.path), count):
        upright = np.rot90(frame.to_ndarray(format="bgr24"), round(frame.rotation / 90))
        yield _thumbnail(cv2.cvtColor(np.ascontiguousarray(upright), cv2.COLOR_BGR2GRAY))


def _count(probe: Probe) -> int:
    return min(probe.frame_count, MOST_FRAMES, max(2, round(LONGEST_S * probe.fps)))


def _thumbnail(grey: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    return cv2.resize(grey, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
