"""How far people agree on boxes or points: F1 of what fits, and how close it is, frame by frame.

In each frame as many pairs of one label that fit as can be are matched (`matching`). F1 is twice the matched ones by the sum of all of one
and all of the other, whoever is the truth. ``iou`` is the mean IoU of the matched boxes, ``apart`` the mean distance of the matched points,
as a share of the picture, in the direction in which they are further apart. Frames between key frames count as interpolated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrubin.curate.label.several import matching
from scrubin.curate.label.several.agreement import by_pair_and_class
from scrubin.labels.keyframes import Track


@dataclass(frozen=True)
class TwiceTracked:
    """A recording in which two people labelled tracks: what each says."""

    recording: str
    one: Sequence[Track]
    other: Sequence[Track]


@dataclass(frozen=True)
class _Counts:
    """Places of one and of the other, those that are matched, and the sum of their closeness."""

    one: int = 0
    other: int = 0
    matched: int = 0
    closeness: float = 0.0


def of_tracks(layer: str, pairs: Mapping[tuple[int, int], Sequence[TwiceTracked]]) -> dict[str, Any]:
    """Return the agreement on a layer of tracks, as a JSON value.

    Parameters
    ----------
    pairs
        By two annotators, the recordings that both have finished.

    Returns
    -------
    dict
        ``recordings``; per pair ``a-b`` and of ``all`` together ``f1`` and ``iou`` or ``apart``; ``classes``: per label the same of all
        pairs together. Each value has ``value``, ``low`` and ``high``; null where undefined.
    """
    counted = {pair: [(one.recording, _counts(layer, one)) for one in of_pair] for pair, of_pair in sorted(pairs.items())}
    every = [one for of_pair in counted.values() for one in of_pair]
    labels = sorted({label for _, of_label in every for label in of_label})

    def together(of: Sequence[tuple[str, dict[str, _Counts]]]) -> list[tuple[str, _Counts]]:
        return [(recording, one) for recording, by_label in of for one in (*by_label.values(), _Counts())]

    classes = {label: [(recording, of[label]) for recording, of in every if label in of] for label in labels}
    by_pair = {pair: together(of) for pair, of in counted.items()}
    recordings = len({one.recording for of_pair in pairs.values() for one in of_pair})
    return {"recordings": recordings, **by_pair_and_class(by_pair, classes, _boxes if layer == "boxes" else _points)}


def _counts(layer: str, twice: TwiceTracked) -> dict[str, _Counts]:
    """Return what is counted in a recording, by label."""
    said = matching.said_by({0: twice.one, 1: twice.other})
    pairs = matching.pairs_of(layer, said, first=0)
    sums = {id(pair): np.concatenate([[0.0], np.cumsum(pair.closeness)]) for pair in pairs}
    found: dict[str, list[_Counts]] = {}
    for stretch in matching.stretches(said, pairs):
        frames = stretch.end - stretch.first
        for one in stretch.present:
            found.setdefault(one.track.label, []).append(_Counts(frames, 0) if one.person == 0 else _Counts(0, frames))
        for pair in matching.matched(stretch):
            low, high = np.searchsorted(pair.frames, (stretch.first, stretch.end))
            found[pair.one.track.label].append(_Counts(0, 0, frames, float(sums[id(pair)][high] - sums[id(pair)][low])))
    return {label: _total(of) for label, of in found.items()}


def _total(counts: Sequence[_Counts]) -> _Counts:
    one, other, matched = (sum(getattr(of, name) for of in counts) for name in ("one", "other", "matched"))
    return _Counts(one, other, matched, math.fsum(of.closeness for of in counts))


def _boxes(counts: Sequence[_Counts]) -> dict[str, float]:
    f1, closeness = _values(counts)
    return {"f1": f1, "iou": closeness}


def _points(counts: Sequence[_Counts]) -> dict[str, float]:
    f1, closeness = _values(counts)
    return {"f1": f1, "apart": 1 - closeness}


def _values(counts: Sequence[_Counts]) -> tuple[float, float]:
    total = _total(counts)
    labelled = total.one + total.other
    return 2 * total.matched / labelled if labelled else math.nan, total.closeness / total.matched if total.matched else math.nan
