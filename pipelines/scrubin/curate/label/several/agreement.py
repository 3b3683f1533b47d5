"""How far people agree, while it grows: per layer and pair of annotators, and per class, with intervals over recordings.

Intervals are percentiles of 500 draws of recordings; with fewer than two recordings there is none.

Spans: all released frames count; one without a label is of a class of its own. Kappa is Cohen's, of all common recordings together; where
labels may meet, what is compared is the set of labels of a frame, and of a single label whether it is there. Segments are matched as in the
metrics of phases, at an IoU of 10, 25 and 50 %, with the first annotator as the truth: F1 does not depend on who that is but for ties.
Edge errors are those of segments of one label that overlap, in seconds.

Triplets of sampled frames, of frames that both labelled: ``f1`` is twice the triplets that both say by the sum of all of one and all of the
other. ``jaccard`` is the mean over frames of those that both say by those that either says; 1 where both say that nothing is in view.
``both`` is the share of the frames that one of them labelled which both labelled.

Boxes or points: in each frame as many pairs of one label that fit as can be are matched (`matching`). F1 is twice the matched ones by the
sum of all of one and all of the other, whoever is the truth. ``iou`` is the mean IoU of the matched boxes, ``apart`` the mean distance of
the matched points, as a share of the picture, in the direction in which they are further apart. Frames between key frames count as
interpolated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.curate.label.events import Instant, Sheet, Span, Triplet
from scrubin.curate.label.several import matching
from scrubin.curate.label.several.disputes import runs
from scrubin.evaluate.metrics import bootstrap
from scrubin.evaluate.metrics.phases.segments import Segments, at_overlap, f1
from scrubin.labels.keyframes import Track
from scrubin.ratings import agreement as of_ratings

OVERLAPS = (10, 25, 50)
RESAMPLES = 500
LEVEL = 0.95
LEAST_RECORDINGS = 2
T = TypeVar("T")
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TwiceSpanned:
    """A recording that two people labelled: what each says, and the time of every source frame with the end of the last, (n + 1,)."""

    recording: str
    one: Sequence[Span]
    other: Sequence[Span]
    boundaries_s: npt.NDArray[np.float64]


@dataclass(frozen=True)
class TwiceSampled:
    """A recording of which two people labelled frames: what each says."""

    recording: str
    one: Sequence[Instant]
    other: Sequence[Instant]


@dataclass(frozen=True)
class TwiceTracked:
    """A recording in which two people labelled tracks: what each says."""

    recording: str
    one: Sequence[Track]
    other: Sequence[Track]


def of_spans(pairs: Mapping[tuple[int, int], Sequence[TwiceSpanned]]) -> dict[str, Any]:
    """Return the agreement on a layer of spans, as a JSON value.

    Parameters
    ----------
    pairs
        By two annotators, the recordings that both have finished.

    Returns
    -------
    dict
        ``recordings``; per pair ``a-b`` and of ``all`` together: kappa, F1 by overlap, median edge error; ``classes``: per label the
        same of all pairs together. Each value has ``value``, ``low`` and ``high``; null where undefined.
    """
    every = [one for of_pair in pairs.values() for one in of_pair]
    names = sorted({span.names for one in every for span in (*one.one, *one.other)})
    sets = sorted({one for twice in every for spans in (twice.one, twice.other) for one in _sets(spans, names, _frames(twice)).tolist()})
    by_pair = {pair: [(one.recording, _span_counts(one, names, sets)) for one in of_pair] for pair, of_pair in pairs.items()}
    counts = [one for of_pair in by_pair.values() for one in of_pair]
    classes = {", ".join(filter(None, name)): [(of, _spans_of_class(one, at)) for of, one in counts] for at, name in enumerate(names)}
    return {"recordings": len({one.recording for one in every}), **_by_pair_and_class(by_pair, classes, _span_values)}


def of_instants(pairs: Mapping[tuple[int, int], Sequence[TwiceSampled]]) -> dict[str, Any]:
    """Return the agreement on a layer of sampled frames, as a JSON value.

    Parameters
    ----------
    pairs
        By two annotators, the recordings that both have finished.

    Returns
    -------
    dict
        ``recordings``; per pair ``a-b`` and of ``all`` together ``f1``, ``jaccard`` and ``both``; ``classes``: ``f1`` per triplet of all
        pairs together. Each value has ``value``, ``low`` and ``high``; null where undefined.
    """
    counted = {pair: [(one.recording, _instant_counts(one)) for one in of_pair] for pair, of_pair in pairs.items()}
    every = [twice for of_pair in pairs.values() for twice in of_pair]
    names = sorted({triplet for twice in every for instant in (*twice.one, *twice.other) for triplet in instant.triplets})
    classes = {", ".join(filter(None, name)): [(one.recording, _instants_of_class(one, name)) for one in every] for name in names}
    return {"recordings": len({one.recording for one in every}), **_by_pair_and_class(counted, classes, _instant_values, _f1_of_instants)}


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
    counted = {pair: [(one.recording, _track_counts(layer, one)) for one in of_pair] for pair, of_pair in sorted(pairs.items())}
    every = [one for of_pair in counted.values() for one in of_pair]
    labels = sorted({label for _, of_label in every for label in of_label})

    def together(of: Sequence[tuple[str, dict[str, _TrackCounts]]]) -> list[tuple[str, _TrackCounts]]:
        return [(recording, one) for recording, by_label in of for one in (*by_label.values(), _TrackCounts())]

    classes = {label: [(recording, of[label]) for recording, of in every if label in of] for label in labels}
    by_pair = {pair: together(of) for pair, of in counted.items()}
    recordings = len({one.recording for of_pair in pairs.values() for one in of_pair})
    return {"recordings": recordings, **_by_pair_and_class(by_pair, classes, _box_values if layer == "boxes" else _point_values)}


def of_sheets(sheets: Mapping[tuple[str, int], Sheet]) -> dict[str, Any]:
    """Return the agreement on ratings, as a JSON value: ICC and alpha per aspect, alpha and kappa per error and of ``failed``.

    Parameters
    ----------
    sheets
        By recording and annotator.
    """
    rows = [
        {"rater": str(person), "id": recording, "aspect": aspect, "score": score}
        for (recording, person), sheet in sorted(sheets.items())
        for aspect, score in sheet.scores.items()
    ]
    scores = pd.DataFrame(rows, columns=["rater", "id", "aspect", "score"])
    marks = [
        {"rater": str(person), "id": recording, "mark": mark, "value": float(value)}
        for (recording, person), sheet in sorted(sheets.items())
        for mark, value in {"failed": sheet.failed, **sheet.errors}.items()
    ]
    said = pd.DataFrame(marks, columns=["rater", "id", "mark", "value"])
    aspects = {}
    for aspect in sorted(set(scores["aspect"])):
        of_aspect = scores[scores["aspect"] == aspect]
        alpha = of_ratings.krippendorffs_alpha(of_aspect.rename(columns={"score": "value"}), "ordinal")
        aspects[aspect] = {"icc": of_ratings.intraclass(of_aspect), "alpha": alpha}
    errors = {}
    for mark in sorted(set(said["mark"])):
        of_mark = said[said["mark"] == mark]
        ranks = of_mark.assign(rank=of_mark["value"].astype(int))
        kappa = of_ratings.pairwise_kappa(ranks, 2, of_ratings.NOMINAL) if len(set(ranks["rater"])) > 1 else None
        errors[mark] = {"alpha": of_ratings.krippendorffs_alpha(of_mark, "nominal"), "kappa": kappa}
    document: dict[str, Any] = {"recordings": len({recording for recording, _ in sheets}), "aspects": aspects, "errors": errors}
    plain: dict[str, Any] = _without_nan(document)
    return plain


@dataclass(frozen=True)
class _SpanCounts:
    """Of one recording.

    Parameters
    ----------
    frames
        By the set of labels of both, (sets, sets).
    by_label
        Frames by whether each label is there, (labels, 2, 2).
    segments
        (overlaps, labels, 3).
    edges_s
        Errors of edges in seconds.
    """

    frames: IntArray
    by_label: IntArray
    segments: IntArray
    edges_s: tuple[float, ...]


def _span_counts(twice: TwiceSpanned, names: Sequence[tuple[str, ...]], sets: Sequence[bytes]) -> _SpanCounts:
    frames = _frames(twice)
    flags = [_flags(spans, names, frames) for spans in (twice.one, twice.other)]
    one, other = (np.searchsorted(np.array(sets), _packed(of)) for of in flags)
    table = np.zeros((len(sets), len(sets)), np.int64)
    np.add.at(table, (one, other), 1)
    both, first, second = (flags[0] & flags[1]).sum(axis=1), flags[0].sum(axis=1), flags[1].sum(axis=1)
    cells = [both, first - both, second - both, frames - first - second + both]
    by_label = np.stack(cells, axis=-1).astype(np.int64).reshape(len(names), 2, 2)
    of_one, of_other = (_segments(spans, names, frames) for spans in (twice.one, twice.other))
    segments = np.stack([at_overlap(of_one, of_other, percent, len(names)) for percent in OVERLAPS])
    return _SpanCounts(table, by_label, segments, tuple(_edges_s(of_one, of_other, twice.boundaries_s)))


def _frames(twice: TwiceSpanned) -> int:
    return len(twice.boundaries_s) - 1


def _flags(spans: Sequence[Span], names: Sequence[tuple[str, ...]], frames: int) -> npt.NDArray[np.bool_]:
    """Return whether each label is there in each frame, (labels, frames)."""
    flags = np.zeros((len(names), frames), np.bool_)
    at = {name: place for place, name in enumerate(names)}
    for span in spans:
        flags[at[span.names], span.first : span.end] = True
    return flags


def _sets(spans: Sequence[Span], names: Sequence[tuple[str, ...]], frames: int) -> npt.NDArray[np.bytes_]:
    """Return the sets of labels that frames have, each once."""
    return np.unique(_packed(_flags(spans, names, frames)))


def _packed(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.bytes_]:
    """Return the set of labels of each frame as text, of which equal ones are equal, (frames,)."""
    packed = np.packbits(flags, axis=0).T
    if not packed.shape[1]:
        return np.zeros(flags.shape[1], "S1")
    # A text must not end in a zero, which would be lost.
    marked = np.ascontiguousarray(np.concatenate([packed, np.ones((len(packed), 1), np.uint8)], axis=1))
    return marked.view(f"S{marked.shape[1]}")[:, 0]


def _segments(spans: Sequence[Span], names: Sequence[tuple[str, ...]], frames: int) -> Segments:
    found = []
    for at, name in enumerate(names):
        flags = np.zeros(frames, np.bool_)
        for span in spans:
            if span.names == name:
                flags[span.first : span.end] = True
        found += [(first, end, at) for first, end in runs(flags)]
    starts, ends, classes = (np.array([one[place] for one in sorted(found)], np.int64) for place in range(3))
    return Segments(classes, starts, ends)


def _edges_s(one: Segments, other: Segments, boundaries_s: npt.NDArray[np.float64]) -> list[float]:
    errors = []
    for phase, start, end in zip(other.phases.tolist(), other.starts.tolist(), other.ends.tolist(), strict=True):
        near = np.flatnonzero((one.phases == phase) & (one.starts < end) & (one.ends > start)).tolist()
        if near:
            at = max(near, key=lambda at: _iou(one, at, start, end))
            errors += [
                abs(float(boundaries_s[one.starts[at]] - boundaries_s[start])),
                abs(float(boundaries_s[one.ends[at]] - boundaries_s[end])),
            ]
    return errors


def _iou(one: Segments, at: int, start: int, end: int) -> float:
    shared = min(one.ends[at], end) - max(one.starts[at], start)
    return float(shared / (max(one.ends[at], end) - min(one.starts[at], start)))


def _spans_of_class(counts: _SpanCounts, at: int) -> _SpanCounts:
    """Return what two say of one class against all others; edges are not told by class."""
    return _SpanCounts(counts.by_label[at], counts.by_label[at : at + 1], counts.segments[:, at : at + 1], ())


def _by_pair_and_class(
    pairs: Mapping[tuple[int, int], Sequence[tuple[str, T]]],
    classes: Mapping[str, Sequence[tuple[str, T]]],
    values: Callable[[Sequence[T]], dict[str, float]],
    of_class: Callable[[Sequence[T]], dict[str, float]] | None = None,
) -> dict[str, Any]:
    """Return ``pairs``, ``all`` of them together, and ``classes``, each as `summary` does.

    Parameters
    ----------
    pairs, classes
        What is counted, by two annotators and by label.
    of_class
        Makes values of a class, where they are other ones.
    """
    return {
        "pairs": {f"{a}-{b}": summary(of_pair, values) for (a, b), of_pair in sorted(pairs.items())},
        "all": summary([one for _, of_pair in sorted(pairs.items()) for one in of_pair], values),
        "classes": {name: summary(counts, of_class or values) for name, counts in classes.items()},
    }


def summary(counts: Sequence[tuple[str, T]], values: Callable[[Sequence[T]], dict[str, float]]) -> dict[str, Any]:
    """Return values with their intervals, as JSON values.

    Parameters
    ----------
    counts
        By recording, what is counted in it; a recording may stand several times.
    values
        Makes values of counts; NaN where one is undefined.
    """
    recordings = sorted({recording for recording, _ in counts})
    by_recording = {name: [one for of, one in counts if of == name] for name in recordings}
    whole = values([one for _, one in counts])
    drawn: list[dict[str, float]] = []
    if len(recordings) >= LEAST_RECORDINGS:
        for draw in bootstrap.draws(len(recordings), RESAMPLES).tolist():
            drawn.append(values([one for at in draw for one in by_recording[recordings[at]]]))
    tail = (1 - LEVEL) / 2
    told: dict[str, Any] = {"recordings": len(recordings)}
    for name, value in whole.items():
        defined = [one[name] for one in drawn if not math.isnan(one[name])]
        low, high = (float(np.percentile(defined, 100 * share)) for share in (tail, 1 - tail)) if defined else (math.nan, math.nan)
        told[name] = {"value": value, "low": low, "high": high}
    plain: dict[str, Any] = _without_nan(told)
    return plain


def _span_values(counts: Sequence[_SpanCounts]) -> dict[str, float]:
    if not counts:
        return {"kappa": math.nan, **{f"f1_at_{percent}": math.nan for percent in OVERLAPS}, "edge_s": math.nan}
    frames = sum((one.frames for one in counts), np.zeros_like(counts[0].frames))
    segments = sum((one.segments for one in counts), np.zeros_like(counts[0].segments))
    edges_s = list(itertools.chain.from_iterable(one.edges_s for one in counts))
    of_overlap = {f"f1_at_{percent}": float(f1(segments[at].sum(axis=0))) for at, percent in enumerate(OVERLAPS)}
    return {"kappa": kappa(frames), **of_overlap, "edge_s": median(edges_s) if edges_s else math.nan}


def kappa(frames: IntArray) -> float:
    """Return Cohen's kappa of a table of frames by the classes of two people; NaN where both used one and the same class only.

    >>> kappa(np.array([[1, 1], [0, 2]]))
    0.5
    """
    whole = int(frames.sum())
    # Whole numbers until the end, so that equal tables give equal digits.
    by_chance = int((frames.sum(axis=0) * frames.sum(axis=1)).sum())
    if not whole or whole * whole == by_chance:
        return math.nan
    return (int(np.trace(frames)) * whole - by_chance) / (whole * whole - by_chance)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(one) for key, one in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value


@dataclass(frozen=True)
class _InstantCounts:
    """Of frames that both labelled: triplets of one, of the other and of both, the Jaccard indices; frames that either labelled."""

    one: int
    other: int
    shared: int
    jaccards: tuple[float, ...] = ()
    either: int = 0


def _frames_of_both(twice: TwiceSampled) -> list[tuple[set[Triplet], set[Triplet]]]:
    other = {instant.frame: set(instant.triplets) for instant in twice.other}
    return [(set(instant.triplets), other[instant.frame]) for instant in twice.one if instant.frame in other]


def _instant_counts(twice: TwiceSampled) -> _InstantCounts:
    both = _frames_of_both(twice)
    sums = (sum(len(one) for one, _ in both), sum(len(other) for _, other in both), sum(len(one & other) for one, other in both))
    jaccards = tuple(len(one & other) / len(one | other) if one | other else 1.0 for one, other in both)
    return _InstantCounts(*sums, jaccards, len({instant.frame for instant in (*twice.one, *twice.other)}))


def _instants_of_class(twice: TwiceSampled, name: Triplet) -> _InstantCounts:
    both = [(name in one, name in other) for one, other in _frames_of_both(twice)]
    return _InstantCounts(sum(one for one, _ in both), sum(other for _, other in both), sum(one and other for one, other in both))


def _f1_of_instants(counts: Sequence[_InstantCounts]) -> dict[str, float]:
    labelled = sum(one.one + one.other for one in counts)
    return {"f1": 2 * sum(one.shared for one in counts) / labelled if labelled else math.nan}


def _instant_values(counts: Sequence[_InstantCounts]) -> dict[str, float]:
    jaccards = [value for one in counts for value in one.jaccards]
    either = sum(one.either for one in counts)
    mean = math.fsum(jaccards) / len(jaccards) if jaccards else math.nan
    return {**_f1_of_instants(counts), "jaccard": mean, "both": len(jaccards) / either if either else math.nan}


@dataclass(frozen=True)
class _TrackCounts:
    """Places of one and of the other, those that are matched, and the sum of their closeness."""

    one: int = 0
    other: int = 0
    matched: int = 0
    closeness: float = 0.0


def _track_counts(layer: str, twice: TwiceTracked) -> dict[str, _TrackCounts]:
    """Return what is counted in a recording, by label."""
    said = matching.said_by({0: twice.one, 1: twice.other})
    pairs = matching.pairs_of(layer, said, first=0)
    sums = {id(pair): np.concatenate([[0.0], np.cumsum(pair.closeness)]) for pair in pairs}
    found: dict[str, list[_TrackCounts]] = {}
    for stretch in matching.stretches(said, pairs):
        frames = stretch.end - stretch.first
        for one in stretch.present:
            found.setdefault(one.track.label, []).append(_TrackCounts(frames, 0) if one.person == 0 else _TrackCounts(0, frames))
        for pair in matching.matched(stretch):
            low, high = np.searchsorted(pair.frames, (stretch.first, stretch.end))
            found[pair.one.track.label].append(_TrackCounts(0, 0, frames, float(sums[id(pair)][high] - sums[id(pair)][low])))
    return {label: _total_of_tracks(of) for label, of in found.items()}


def _total_of_tracks(counts: Sequence[_TrackCounts]) -> _TrackCounts:
    one, other, matched = (sum(getattr(of, name) for of in counts) for name in ("one", "other", "matched"))
    return _TrackCounts(one, other, matched, math.fsum(of.closeness for of in counts))


def _box_values(counts: Sequence[_TrackCounts]) -> dict[str, float]:
    f1, closeness = _track_values(counts)
    return {"f1": f1, "iou": closeness}


def _point_values(counts: Sequence[_TrackCounts]) -> dict[str, float]:
    f1, closeness = _track_values(counts)
    return {"f1": f1, "apart": 1 - closeness}


def _track_values(counts: Sequence[_TrackCounts]) -> tuple[float, float]:
    total = _total_of_tracks(counts)
    labelled = total.one + total.other
    return 2 * total.matched / labelled if labelled else math.nan, total.closeness / total.matched if total.matched else math.nan
