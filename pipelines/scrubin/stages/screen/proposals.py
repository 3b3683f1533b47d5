"""What a detector proposes to hide: intervals from runs of frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scrubin.base.pixels import Box

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


WITNESSES = ("scene", "appearance", "onnx", "face")
"""Detectors whose out-of-body spans are one event where they overlap. Who proposes a whole recording is asked apart."""


def merged(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals with the out-of-body spans that overlap as one, so that people decide once about each event.

    It hides what they hid together. Its source is the first one of ``WITNESSES``; its score is that of the surest.
    """
    spans = sorted((one for one in proposals if _is_span(one)), key=lambda one: (one.interval_s, one.source))
    events: list[list[Proposal]] = []
    for one in spans:
        if events and one.interval_s[0] < max(other.interval_s[1] for other in events[-1]):
            events[-1].append(one)
        else:
            events.append([one])
    return [*(one for one in proposals if not _is_span(one)), *(_event(event) for event in events)]


def _is_span(one: Proposal) -> bool:
    return one.kind == "out_of_body" and one.source in WITNESSES and one.box_xywh is None


def _event(spans: Sequence[Proposal]) -> Proposal:
    """Return one proposal for spans that overlap."""
    ends = [one.interval_s for one in spans]
    cores = [one.core for one in spans if one.core is not None]
    faces = [one.faces for one in spans if one.faces is not None]
    return replace(
        min(spans, key=lambda one: WITNESSES.index(one.source)),
        interval_s=(min(start for start, _ in ends), max(end for _, end in ends)),
        score=max(one.score for one in spans),
        faces=max(faces, default=None),
        core=(min(first for first, _ in cores), max(last for _, last in cores)) if cores else None,
    )


def runs(flags: Flags) -> list[tuple[int, int]]:
    """Return the first and last position of every run of true flags, in order.

    >>> runs(np.array([True, False, True, True]))
    [(0, 0), (2, 3)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]


def joined(frame_runs: list[tuple[int, int]], times_s: Numbers, gap_s: float) -> list[tuple[int, int]]:
    """Return runs of frames, in order of their first ones, with the gaps below ``gap_s`` filled; they may overlap.

    >>> joined([(0, 9), (2, 5), (12, 14)], np.arange(20.0), gap_s=2)
    [(0, 9), (12, 14)]
    """
    merged: list[tuple[int, int]] = []
    for first, last in frame_runs:
        if merged and times_s[first] - times_s[merged[-1][1]] < gap_s:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
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
