"""Segments: stretches of frames annotated as one phase."""

from __future__ import annotations

import numpy as np

from scrubin.metrics.phases.videos import IntArray


def segments(annotation: IntArray) -> list[tuple[int, int, int]]:
    """Return (phase, start, end) of every segment in order, half open: frames start to end - 1.

    >>> segments(np.array([3, 3, 4]))
    [(3, 0, 2), (4, 2, 3)]
    """
    starts = np.concatenate(([0], np.flatnonzero(np.diff(annotation)) + 1))
    ends = np.append(starts[1:], len(annotation))
    return [(int(annotation[start]), int(start), int(end)) for start, end in zip(starts, ends, strict=True)]
