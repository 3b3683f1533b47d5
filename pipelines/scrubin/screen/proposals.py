"""What a detector proposes to hide, and runs of frames as intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.core.pixels import Box

Interval = tuple[float, float]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
# Times this close are the same: 1.6 - 0.2 means the frame at 1.4 s.
SAME_S = 1e-6


@dataclass(frozen=True)
class Proposal:
    """Something that could identify a person, or is worth a look.

    Parameters
    ----------
    kind
        One of the kinds of the table `proposals`.
    interval_s
        Half open, in source seconds from the first frame.
    score
        How sure the detector is, 0 to 1.
    source
        The detector's name.
    box_xywh
        In pixels of the picture as displayed; None: the whole frame.
    faces
        Most faces seen in one of its frames; None: not looked for.
    text
        What was read. Private.
    core
        Frames ``[first, last]`` without the margin, of an out-of-body span; None for others.
    """

    kind: str
    interval_s: Interval
    score: float
    source: str
    box_xywh: Box | None = None
    faces: int | None = None
    text: str | None = None
    core: tuple[int, int] | None = None


def runs(flags: Flags) -> list[tuple[int, int]]:
    """Return the first and last position of every run of true flags, in order.

    >>> runs(np.array([True, False, True, True]))
    [(0, 0), (2, 3)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]


def joined(frame_runs: list[tuple[int, int]], times_s: Numbers, gap_s: float) -> list[tuple[int, int]]:
    """Return runs of frames with the gaps below ``gap_s`` filled."""
    merged: list[tuple[int, int]] = []
    for first, last in frame_runs:
        if merged and times_s[first] - times_s[merged[-1][1]] < gap_s:
            merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return merged


def widened(first: int, last: int, times_s: Numbers, margin_s: float) -> tuple[int, int]:
    """Return the frames within a margin of a run, the run included."""
    return (
        int(np.searchsorted(times_s, times_s[first] - margin_s - SAME_S, side="left")),
        int(np.searchsorted(times_s, times_s[last] + margin_s + SAME_S, side="right")) - 1,
    )


def frames_s(first: int, last: int, boundaries_s: Numbers) -> Interval:
    """Return the time for which frames ``[first, last]`` are on screen."""
    return float(boundaries_s[first]), float(boundaries_s[last + 1])
