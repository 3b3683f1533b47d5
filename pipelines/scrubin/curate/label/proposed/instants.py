"""Triplets that a program predicts, as sets of the frames that are labelled one by one.

A sampled frame has the set of the nearest predicted one, at most half a step of the predictions away; of spans, what is there in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scrubin.base.vocabulary.vocabulary import PARTS, Naming
from scrubin.curate.label.events import Instant, Triplet
from scrubin.curate.label.params import LabelParams
from scrubin.curate.label.proposed import spans
from scrubin.curate.label.proposed.clock import LEAST_SCORE, Times, frame_of, frames_of, named, step_of
from scrubin.labels.model import Clock, IntArray, Labels, by_position


def of_labels(labels: Labels, p: LabelParams, times_s: Times, sampled: Sequence[int]) -> Iterator[Instant]:
    """Yield what is proposed of sampled frames; an empty set where nothing is predicted to be in view.

    Parameters
    ----------
    sampled
        The frames that are labelled, as released frames, increasing.
    """
    by_frame = _of_spans(labels, p, times_s, sampled) if labels.spans is not None else _nearest(labels, p, times_s, sampled)
    for frame, triplets in sorted(by_frame.items()):
        yield Instant(frame, tuple(sorted(triplets)))


def _of_spans(labels: Labels, p: LabelParams, times_s: Times, sampled: Sequence[int]) -> dict[int, set[Triplet]]:
    found: dict[int, set[Triplet]] = {}
    for start, end, ids in spans.of_instances(labels):
        first, last = (frame_of(edge, labels.clock, times_s) for edge in (start, end))
        said = {_triplet(labels, p, ids)} if ids else set()
        for frame in sampled:
            if first <= frame < last:
                found.setdefault(frame, set()).update(said)
    return found


def _nearest(labels: Labels, p: LabelParams, times_s: Times, sampled: Sequence[int]) -> dict[int, set[Triplet]]:
    predicted, step = _by_position(labels, p)
    frames = frames_of(np.array(sorted(predicted), np.int64), labels.clock, times_s)
    if not frames:
        return {}
    ordered = sorted((frame, position) for position, frame in frames.items())
    at = np.array([frame for frame, _ in ordered], np.int64)
    reach = max(_apart(at, step, labels.clock, times_s), 1) / 2
    found: dict[int, set[Triplet]] = {}
    for frame in sampled:
        nearest = int(np.abs(at - frame).argmin())
        if abs(int(at[nearest]) - frame) <= reach:
            found[frame] = predicted[ordered[nearest][1]]
    return found


def _apart(at: IntArray, step: int, clock: Clock, times_s: Times) -> float:
    """Return how many released frames predictions are apart that follow each other: of a single one as its clock counts."""
    if clock.period_s is None:
        return step
    return int(np.diff(at).min()) if len(at) > 1 else float(clock.period_s) / float(np.median(np.diff(times_s)))


def _by_position(labels: Labels, p: LabelParams) -> tuple[dict[int, set[Triplet]], int]:
    """Return what is in view at each predicted position, and how far these are apart."""
    found: dict[int, set[Triplet]] = {}
    if labels.instances is not None:
        found = {
            position: {
                _triplet(labels, p, {part: row[f"{part}_id"] for part in PARTS if row[f"{part}_id"] is not None})
                for row in rows
                if row["instrument_id"] is not None and (row["score"] is None or row["score"] >= LEAST_SCORE)
            }
            for position, rows in by_position(labels.instances).items()
        }
    # Where a frame has scores of triplets, too, they say what is in view: a list of boxes may be empty because nobody asked for any.
    is_whole = labels.recognition is not None and labels.recognition.classes == "ivt"
    found |= {position: said for position, said in _of_scores(labels, p).items() if is_whole or not found.get(position)}
    return found, step_of(np.array(sorted(found), np.int64)) if found else 1


def _of_scores(labels: Labels, p: LabelParams) -> dict[int, set[Triplet]]:
    if labels.recognition is None:
        return {}
    predicted, names = labels.recognition, labels.vocabulary
    found = {}
    for position, scores in zip(predicted.positions.tolist(), predicted.scores, strict=True):
        if np.isnan(scores).all():
            continue
        likely = np.flatnonzero(scores >= LEAST_SCORE).tolist()
        ids = (dict(zip(PARTS, names.triplets[one], strict=True)) if predicted.classes == "ivt" else {"instrument": one} for one in likely)
        found[position] = {_triplet(labels, p, {part: of[part] for part in PARTS if part in of}) for of in ids}
    return found


def _triplet(labels: Labels, p: LabelParams, ids: dict[Naming, int]) -> Triplet:
    """Return a triplet with the names of the page; the instrument alone where verb and target are not both said."""
    whole = len(ids) == len(PARTS)
    names = named(labels, p, ids if whole else {"instrument": ids["instrument"]})
    return (names[0], names[1], names[2]) if whole else (names[0], "", "")
