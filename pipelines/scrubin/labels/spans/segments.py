"""Spans of time with a label, to one label per frame and back."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

import numpy as np
import pandas as pd

from scrubin.labels.model import Instant, IntArray, phase_rows, segment_rows


def to_phases(
    segments: pd.DataFrame, period_s: Fraction, fps: Fraction, *, over: Collection[int] = (), instant: Instant = "start"
) -> tuple[pd.DataFrame, int]:
    """Return one phase per frame, and the number of frames in which two phases compete.

    Frame k has the phase of the segment that holds its instant: ``start <= t < end``. Where several do, the later
    segment of the list counts.

    Parameters
    ----------
    segments
        Rows ``start``, ``end`` in units of ``period_s``, ``label_id``; other kinds than phases are ignored.
    over
        Ids laid over the others: they count where they overlap, and do not compete.
    instant
        ``start``: t is k / fps. ``end``: t is one unit before (k + 1) / fps.
    """
    phases = segments[segments["kind"] == "phase"]
    laid_over = phases["label_id"].isin(list(over))
    labels: dict[int, int] = {}
    contested: set[int] = set()
    for group, competes in ((phases[~laid_over], True), (phases[laid_over], False)):
        for start, end, label in zip(group["start"].tolist(), group["end"].tolist(), group["label_id"].tolist(), strict=True):
            for frame in range(_first_frame(start, period_s * fps, instant), _first_frame(end, period_s * fps, instant)):
                if competes and labels.get(frame, label) != label:
                    contested.add(frame)
                labels[frame] = label
    frames = sorted(labels)
    return phase_rows(frames, [labels[frame] for frame in frames]), len(contested)


def of_phases(positions: IntArray, phase_ids: IntArray) -> pd.DataFrame:
    """Return runs of consecutive positions with the same phase as segments, half open.

    >>> of_phases(np.array([0, 1, 2, 5]), np.array([3, 3, 4, 4]))[["start", "end", "label_id"]].to_numpy().tolist()
    [[0, 2, 3], [2, 3, 4], [5, 6, 4]]
    """
    if len(positions) == 0:
        return segment_rows([])
    changes = np.flatnonzero((np.diff(positions) != 1) | (np.diff(phase_ids) != 0)) + 1
    starts = np.concatenate([[0], changes])
    ends = np.concatenate([changes, [len(positions)]]) - 1
    rows = [("phase", int(positions[a]), int(positions[b]) + 1, int(phase_ids[a])) for a, b in zip(starts, ends, strict=True)]
    return segment_rows(rows)


def _first_frame(position: int, frames_per_unit: Fraction, instant: Instant) -> int:
    """Return the first frame whose instant is not before a position."""
    if instant == "end":
        return max(-(-(position + 1) * frames_per_unit.numerator // frames_per_unit.denominator) - 1, 0)
    return -(-position * frames_per_unit.numerator // frames_per_unit.denominator)
