"""What somebody must have seen before a recording leaves, and what of it is still unseen.

Every second of the kept interval needs a still, every *stop* its own look at full size, and every
proposal its *lens*: both of its ends frame by frame, five frames to either side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scrubin.review.standing import Flags, SeenBy

AROUND_FRAMES = 5
Run = tuple[int, int]


def seconds_of(frames: Sequence[int], boundaries_s: npt.NDArray[np.float64]) -> list[Run]:
    """Return the whole seconds during which one of the frames is on screen, as runs ``(first, last)``.

    Parameters
    ----------
    frames
        Frame numbers, increasing.
    boundaries_s
        Presentation time of every frame, then the end of the last; shape (n + 1,).

    >>> seconds_of([0, 2], np.array([0, 0.5, 1.5, 3.0]))
    [(0, 2)]
    """
    seconds = np.zeros(math.ceil(boundaries_s[-1]) + 1, dtype=np.bool_)
    for frame in frames:
        seconds[int(boundaries_s[frame]) : max(math.ceil(boundaries_s[frame + 1]), int(boundaries_s[frame]) + 1)] = True
    return true_runs(seconds[: math.ceil(boundaries_s[-1])])


def true_runs(flags: Flags) -> list[Run]:
    """Return the runs of true flags as ``(first, last)``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]


def unseen_seconds(interval_s: tuple[float, float], seen: SeenBy | None, duration_s: float) -> list[Run]:
    """Return the seconds of the kept interval of which no still was seen, as runs."""
    required = np.zeros(int(np.ceil(duration_s)), dtype=np.bool_)
    required[int(interval_s[0]) : math.ceil(interval_s[1])] = True
    return true_runs(required & ~seen.seconds) if seen is not None else true_runs(required)


def lens_frames(first: int, last: int, frame_count: int) -> list[Run]:
    """Return the frames that the lens of a span ``[first, last]`` must show: around its beginning, and around its end.

    >>> lens_frames(3, 100, 104)
    [(0, 8), (95, 103)]
    """
    ends = [(max(edge - AROUND_FRAMES, 0), min(edge + AROUND_FRAMES, frame_count - 1)) for edge in (first, last)]
    return [(ends[0][0], ends[1][1])] if ends[1][0] <= ends[0][1] + 1 else ends


def lens_seen(first: int, last: int, seen: SeenBy | None) -> bool:
    """Whether somebody saw the lens of a span."""
    if seen is None:
        return False
    return all(bool(seen.frames[a : b + 1].all()) for a, b in lens_frames(first, last, len(seen.frames)))


def stop_seen(frame: int, kind: str, seen: SeenBy | None) -> bool:
    """Whether somebody looked at a stop: for a scene at full size, where small names can be read, for a jump in the lens at least."""
    return seen is not None and bool((seen.full if kind == "scene" else seen.frames)[frame])
