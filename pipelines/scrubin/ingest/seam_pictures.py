"""Small pictures of the frames on both sides of a seam between two files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import Interpolation, VideoReformatter

from scrubin.video.decode import decoded
from scrubin.video.frame_reader import FrameReader
from scrubin.video.probe import Probe
from scrubin.video.source import FilePart

LONGEST_S = 10
MOST_FRAMES = 600
SIDE_PX = 32
Thumbnails = npt.NDArray[np.float32]
"""(n, h, w, 3), blue, green and red from 0 to 255: two scenes may differ in colour alone."""
Thumbnail = npt.NDArray[np.float32]
"""(h, w, 3), as above."""


def ending(raw: Path, part: FilePart, probe: Probe) -> Thumbnails:
    """Return the last frames of a file, in order."""
    reader = FrameReader(raw / part.path, part.path, probe)
    try:
        numbers = range(probe.frame_count - frames_of_interest(probe), probe.frame_count)
        return np.stack(list(_thumbnails(map(reader.frame, numbers))))
    finally:
        reader.close()


def beginning(raw: Path, part: FilePart, probe: Probe) -> Iterator[Thumbnail]:
    """Yield the first frames of a file; what is not asked for is not decoded."""
    yield from _thumbnails(islice(decoded(raw / part.path, part.path), frames_of_interest(probe)))


def frames_of_interest(probe: Probe) -> int:
    """Return how many frames on one side of a seam may stand on the other side as well."""
    return min(probe.frame_count, MOST_FRAMES, max(2, round(LONGEST_S * probe.fps)))


def _thumbnails(frames: Iterable[av.VideoFrame]) -> Iterator[Thumbnail]:
    # Two codecs may keep brightness in two ranges, BGR has one. What shrinks is kept: to set it up costs more than a frame.
    shrink = VideoReformatter()
    for frame in frames:
        small = shrink.reformat(frame, SIDE_PX, SIDE_PX, "bgr24", interpolation=Interpolation.AREA)
        yield np.rot90(small.to_ndarray(), round(frame.rotation / 90)).astype(np.float32)
