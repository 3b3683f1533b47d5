"""Small pictures of one file of a recording: every frame near its two ends, now or then one between them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError
from av.video.reformatter import Interpolation, VideoReformatter

from scrubin.base.store import store
from scrubin.base.store.code_of import code_of
from scrubin.media.decode import decoded
from scrubin.media.frame_reader import FrameReader
from scrubin.media.opening import open_video, packets
from scrubin.media.probe import Probe, picture_stream
from scrubin.media.raw_file import proven, stored_probe
from scrubin.media.source import FilePart
from scrubin.media.upright import turned

LONGEST_S = 10
MOST_FRAMES = 600
STEP_S = 2.5
"""Between the ends one frame is kept in so long a time, where a key frame makes it cheap; never fewer than one in ``LONGEST_S``."""
SIDE_PX = 32
Thumbnails = npt.NDArray[np.float32]
"""(n, h, w, 3), blue, green and red from 0 to 255: two scenes may differ in colour alone."""


@dataclass(frozen=True)
class PartPictures:
    """What is known of the pictures of a file.

    Parameters
    ----------
    numbers
        Of the frames, increasing, shape (n,).
    pictures
        (n, h, w, 3), uint8: thumbnails of them.
    side
        So many frames at each end are all there.
    frame_count
        Of the whole file.
    """

    numbers: npt.NDArray[np.int64]
    pictures: npt.NDArray[np.uint8]
    side: int
    frame_count: int

    @property
    def beginning(self) -> Thumbnails:
        """The first frames, in order."""
        return self.pictures[: self.side].astype(np.float32)

    @property
    def ending(self) -> Thumbnails:
        """The last frames, in order."""
        return self.pictures[len(self.pictures) - self.side :].astype(np.float32)


def stored_pictures(raw: Path, part: FilePart) -> PartPictures:
    """Return small pictures of a file; they are kept, so that an unchanged file is looked at once.

    Raises
    ------
    VideoError
        When it cannot be decoded.
    """
    probe = stored_probe(raw / part.path, part.path, part.sha256)
    key = store.key_of("part_pictures", code_of(__name__), {"sha256": part.sha256})

    def work(folder: Path) -> dict[str, Any]:
        with proven(raw / part.path, part.path, part.sha256):
            numbers, pictures = _looked_at(raw / part.path, part.path, probe)
        for name, array in (("numbers", numbers), ("pictures", pictures)):
            with (folder / f"{name}.npy").open("wb") as file:
                # Through Python, which says when a disk is full; numpy would not.
                np.save(SimpleNamespace(write=file.write), array)
        return {}

    entry, _ = store.make(key, work)
    numbers, pictures = (np.load(entry.path(f"{name}.npy")) for name in ("numbers", "pictures"))
    return PartPictures(numbers, pictures, _side(probe), probe.frame_count)


def pictures_from(raw: Path, part: FilePart, first: int, count: int) -> Thumbnails:
    """Return small pictures of so many frames in a row, from one on."""
    probe = stored_probe(raw / part.path, part.path, part.sha256)
    reader = FrameReader(raw / part.path, part.path, probe)
    try:
        return np.stack(list(_thumbnails(map(reader.frame, range(first, first + count))))).astype(np.float32)
    finally:
        reader.close()


def _looked_at(path: Path, name: str, probe: Probe) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    side, count = _side(probe), probe.frame_count
    if count <= 2 * side:
        return np.arange(count), np.stack(list(islice(_thumbnails(decoded(path, name)), count)))
    numbers = [*_between(path, name, probe), *range(count - side, count)]
    reader = FrameReader(path, name, probe)
    try:
        beginning = islice(_thumbnails(decoded(path, name)), side)
        pictures = [*beginning, *_thumbnails(map(reader.frame, numbers))]
    finally:
        reader.close()
    return np.array([*range(side), *numbers]), np.stack(pictures)


def _side(probe: Probe) -> int:
    """Return of how many frames at one end every one is looked at."""
    return min(probe.frame_count, MOST_FRAMES, max(2, round(LONGEST_S * probe.fps)))


def _between(path: Path, name: str, probe: Probe) -> list[int]:
    """Return the frames between the ends that are looked at: key frames, and others where these are too rare."""
    side, times_s = _side(probe), probe.times_s
    chosen = [side - 1]
    for number in _key_frames(path, name, probe):
        if chosen[-1] < number < probe.frame_count - side and times_s[number] - times_s[chosen[-1]] >= STEP_S:
            chosen.append(number)
    chosen.append(probe.frame_count - side)
    # A stretch as long as an end must not lie between two of them.
    most = max(1, side - 1)
    filled = {number for before, after in pairwise(chosen) for number in range(before, after, most)}
    return sorted((filled | set(chosen)) - {chosen[0], chosen[-1]})


def _key_frames(path: Path, name: str, probe: Probe) -> list[int]:
    """Return the numbers of the frames that are decoded without others; none where packets do not say when they are shown."""
    try:
        with open_video(path) as container:
            keys = [packet.pts for packet in packets(container, picture_stream(container, name), name) if packet.is_keyframe]
    except FFmpegError:
        return []
    places = [(bisect_left(probe.pts, pts), pts) for pts in keys if pts is not None]
    return sorted(place for place, pts in places if place < probe.frame_count and probe.pts[place] == pts)


def _thumbnails(frames: Iterable[av.VideoFrame]) -> Iterator[npt.NDArray[np.uint8]]:
    # Two codecs may keep brightness in two ranges, BGR has one. What shrinks is kept: to set it up costs more than a frame.
    shrink = VideoReformatter()
    for frame in frames:
        small = shrink.reformat(frame, SIDE_PX, SIDE_PX, "bgr24", interpolation=Interpolation.AREA)
        yield turned(small.to_ndarray(), frame)
