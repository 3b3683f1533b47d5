"""Frames that end one file and begin the next: recorders that cut a recording sometimes write both sides of the seam."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.core import store
from scrubin.video.decode import decoded
from scrubin.video.frame_reader import FrameReader
from scrubin.video.probe import Probe
from scrubin.video.probe_cache import stored_probe
from scrubin.video.raw_file import proven
from scrubin.video.source import FilePart

CODE = ("ingest/overlap.py", "video")
PACKAGES = ("av", "numpy", "opencv-python-headless")
LONGEST_S = 10
MOST_FRAMES = 600
SIDE_PX = 32
SAME_LEVEL = 3.0
"""Mean difference, of 255, of two thumbnails of one picture that was encoded twice; other pictures differ by more."""
MOVING = 4.0
"""By so many times more than copies differ must pictures that follow each other differ, so that a place can be told from its neighbours."""
LEAST_NOISE = 0.05
Thumbnails = npt.NDArray[np.float32]


def stored_overlap(raw: Path, before: FilePart, part: FilePart) -> int:
    """Return how many frames at the start of a file are those that end the file before, see `overlap`.

    Raises
    ------
    VideoError
        When one of them cannot be decoded.
    """
    key = store.key_of("overlap", store.code_version(CODE, PACKAGES), {"before": before.sha256, "after": part.sha256})

    def work(_: Path) -> int:
        with proven(raw / before.path, before.path, before.sha256), proven(raw / part.path, part.path, part.sha256):
            first, second = (stored_probe(raw / one.path, one.path, one.sha256) for one in (before, part))
            return overlap(_ending(raw, before, first), _beginning(raw, part, second))

    entry, _ = store.make(key, work)
    return int(entry.value)


def overlap(ending: Thumbnails, beginning: Thumbnails) -> int:
    """Return the n for which the last n pictures of one file are best the first n of the next; 0 when there is none.

    Pictures that do not move fit at any place. There nothing is dropped: a doubled still picture harms nobody, a lost one does.

    Parameters
    ----------
    ending, beginning
        (n, h, w), brightness of the last and of the first frames.
    """
    apart = [_apart(ending, beginning, n) for n in range(1, min(len(ending), len(beginning)) + 1)]
    best = min(range(len(apart)), key=lambda place: (apart[place], -place), default=0)
    if not apart or apart[best] > SAME_LEVEL:
        return 0
    n = best + 1
    # Where pictures hardly move, other places fit as well.
    return n if _motion(beginning[: n + 1]) >= MOVING * max(apart[best], LEAST_NOISE) else 0


def _apart(ending: Thumbnails, beginning: Thumbnails, n: int) -> float:
    return float(np.abs(ending[-n:] - beginning[:n]).mean(axis=(1, 2)).max())


def _motion(pictures: Thumbnails) -> float:
    if len(pictures) < 2:
        return 0.0
    return float(np.abs(np.diff(pictures, axis=0)).mean(axis=(1, 2)).max())


def _ending(raw: Path, part: FilePart, probe: Probe) -> Thumbnails:
    reader = FrameReader(raw / part.path, part.path, probe)
    try:
        numbers = range(max(0, probe.frame_count - _count(probe)), probe.frame_count)
        return np.stack([_thumbnail(cv2.cvtColor(reader.picture(number), cv2.COLOR_BGR2GRAY)) for number in numbers])
    finally:
        reader.close()


def _beginning(raw: Path, part: FilePart, probe: Probe) -> Thumbnails:
    return np.stack(list(_first_pictures(raw, part, _count(probe))))


def _first_pictures(raw: Path, part: FilePart, count: int) -> Iterator[npt.NDArray[np.float32]]:
    for frame in islice(decoded(raw / part.path, part.path), count):
        upright = np.rot90(frame.to_ndarray(format="bgr24"), round(frame.rotation / 90))
        yield _thumbnail(cv2.cvtColor(np.ascontiguousarray(upright), cv2.COLOR_BGR2GRAY))


def _count(probe: Probe) -> int:
    return min(probe.frame_count, MOST_FRAMES, max(2, round(LONGEST_S * probe.fps)))


def _thumbnail(grey: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    return cv2.resize(grey, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
