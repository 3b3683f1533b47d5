"""Small grey pictures of the frames on both sides of a seam between two files."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import av
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
Thumbnail = npt.NDArray[np.float32]
"""(h, w), as above."""


def ending(raw: Path, part: FilePart, probe: Probe) -> Thumbnails:
    """Return the last frames of a file, in order."""
    reader = FrameReader(raw / part.path, part.path, probe)
    try:
        numbers = range(probe.frame_count - frames_of_interest(probe), probe.frame_count)
        return np.stack([_thumbnail(reader.frame(number)) for number in numbers])
    finally:
        reader.close()


def beginning(raw: Path, part: FilePart, count: int) -> Thumbnails:
    """Return the first frames of a file, so many or all that it has."""
    return np.stack([_thumbnail(frame) for frame in islice(decoded(raw / part.path, part.path), count)])


def frames_of_interest(probe: Probe) -> int:
    """Return how many frames on one side of a seam may stand on the other side as well."""
    return min(probe.frame_count, MOST_FRAMES, max(2, round(LONGEST_S * probe.fps)))


def _thumbnail(frame: av.VideoFrame) -> Thumbnail:
    # Shrunk before colours are converted, which is most of the work; two codecs may keep brightness in two ranges, BGR has one.
    bgr = frame.to_ndarray(format="bgr24", width=SIDE_PX, height=SIDE_PX, interpolation="AREA")
    upright = np.rot90(bgr, round(frame.rotation / 90))
    return cv2.cvtColor(np.ascontiguousarray(upright), cv2.COLOR_BGR2GRAY).astype(np.float32)
