"""Labels that contradict each other: what no other recording and no picture is needed for.

The scores say how often such a label is wrong, by a guess: they put rules among the other evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.vocabulary import vocabulary
from scrubin.labels.model import BOX, Labels, Layer
from scrubin.labels.rows import ID_OF, detected_classes, phase_vector, triplet_names
from scrubin.labels.suspects.sequence import runs
from scrubin.labels.suspects.suspect import NOTHING, OfLayer, Suspect

SCORES: Mapping[str, float] = {
    "incompatible": 0.95,
    "no-phase": 0.9,
    "flip": 0.9,
    "short": 0.6,
    "jump": 0.6,
    "gone": 0.5,
    "transition": 0.4,
    "raters": 0.5,
}
FLIP_POSITIONS = 3
"""A phase between two runs of one other phase, of so many labelled positions at most, is a flip."""
SHORTEST_S = 1.0
"""A phase that is shorter is too short, where the labels are dense enough to tell."""
AROUND = 3
"""An instrument that is gone for one position is there in so many positions before and after."""
STAYED_IOU = 0.5
"""A box jumps where it leaves its place and comes back to it: the boxes before and after overlap so far, and it overlaps neither."""
Box = npt.NDArray[np.float64]


def suspects(labels: Labels, source_fps: Fraction | None) -> list[Suspect]:
    """Return what contradicts itself in the labels of a recording, in order of time.

    Parameters
    ----------
    source_fps
        Frames per second of the source, where labels are numbered by its frames; None where nobody says it.
    """
    period_s = labels.clock.period_s or (None if source_fps is None else 1 / source_fps)

    def suspect(
        layer: OfLayer, places: tuple[int, int], label: str, probable: str, rule: str, says: str, score: float | None = None
    ) -> Suspect:
        return Suspect(labels.recording, layer, *places, label, probable, score or SCORES[rule], (rule,), says)

    found = [suspect("phases", *one) for one in _of_phases(labels, period_s)]
    if labels.instances is not None:
        found += [suspect("phases", *one) for one in _without_phase(labels, labels.instances)]
        of_classes: OfLayer = "triplets" if detected_classes(labels) == "ivt" else "instruments"
        found += [suspect("triplets", *one) for one in _incompatible(labels, labels.instances)]
        found += [suspect(of_classes, *one) for one in _gone(labels, labels.instances)]
        found += [suspect("boxes", *one) for one in _jumps(labels, labels.instances)]
    if labels.marks is not None:
        found += [suspect("marks", *one) for one in _of_raters(labels.marks)]
    return sorted(found, key=lambda one: (one.first, one.end, one.layer, one.label, one.evidence))


Found = tuple[tuple[int, int], str, str, str, str]


def _of_phases(labels: Labels, period_s: Fraction | None) -> Iterator[Found]:
    if labels.phases is None or not len(labels.phases.rows):
        return
    positions, ids = phase_vector(labels.phases)
    names, allowed = labels.vocabulary.phases, vocabulary.transitions(labels.vocabulary)
    step = int(np.diff(positions).min()) if len(positions) > 1 else 1
    every = list(runs(ids.tolist()))
    for rank, (first, end) in enumerate(every):
        places, name = (int(positions[first]), int(positions[end - 1]) + 1), names[ids[first]]
        before, after = (int(ids[every[at][0]]) if 0 <= at < len(every) else None for at in (rank - 1, rank + 1))
        if before is None:
            continue
        if before == after and end - first <= FLIP_POSITIONS:
            yield places, name, names[before], "flip", f"{end - first} labelled between two runs of {names[before]}"
        elif after is not None and period_s is not None and (places[1] - places[0] - 1 + step) * period_s < SHORTEST_S:
            yield places, name, NOTHING, "short", f"it lasts less than {SHORTEST_S:g} s"
        follows = positions[first] - positions[first - 1] == step
        if allowed is not None and follows and (names[before], name) not in allowed:
            yield (places[0], places[0] + 1), name, NOTHING, "transition", f"the workflow does not let it follow {names[before]}"


def _without_phase(labels: Labels, instances: Layer) -> Iterator[Found]:
    """Yield positions with looked-for instances that have no phase between two that have the same."""
    if labels.phases is None or not len(labels.phases.rows):
        return
    positions, ids = phase_vector(labels.phases)
    without = np.setdiff1d(instances.positions, positions)
    before = np.searchsorted(positions, without) - 1
    for position, at in zip(without.tolist(), before.tolist(), strict=True):
        if 0 <= at < len(positions) - 1 and ids[at] == ids[at + 1]:
            name = labels.vocabulary.phases[ids[at]]
            yield (position, position + 1), NOTHING, name, "no-phase", "the labels before and after have one"


def _incompatible(labels: Labels, instances: Layer) -> Iterator[Found]:
    """Yield instances whose instrument, verb and target make no triplet, or another one than is named."""
    if not labels.vocabulary.triplets:
        return
    columns = ["position", "instrument_id", "verb_id", "target_id"]
    whole = instances.rows[instances.rows[columns].notna().all(axis=1)]
    triplet_of = {parts: id_ for id_, parts in enumerate(labels.vocabulary.triplets)}
    of = labels.vocabulary
    for position, i, v, t, stated in whole[[*columns, "triplet_id"]].itertuples(index=False):
        made = triplet_of.get((int(i), int(v), int(t)))
        named = None if pd.isna(stated) else int(stated)
        if made is None or (named is not None and named != made):
            label = f"{of.instruments[i]},{of.verbs[v]},{of.targets[t]}" if named is None else of.triplet_name(named)
            probable = NOTHING if made is None else of.triplet_name(made)
            yield (position, position + 1), label, probable, "incompatible", "instrument, verb and target do not go together"


def _gone(labels: Labels, instances: Layer) -> Iterator[Found]:
    """Yield single positions without a class that is there in each of the positions around."""
    classes = detected_classes(labels)
    names = triplet_names(labels.vocabulary) if classes == "ivt" else labels.vocabulary.instruments
    positions = instances.positions
    if len(positions) <= 2 * AROUND:
        return
    step = int(np.diff(positions).min())
    known = instances.rows[["position", ID_OF[classes]]].dropna().to_numpy(np.int64)
    for id_ in np.unique(known[:, 1]).tolist():
        there = np.isin(positions, known[known[:, 1] == id_, 0])
        around = np.lib.stride_tricks.sliding_window_view(there, 2 * AROUND + 1)
        is_gone = ~around[:, AROUND] & (around.sum(axis=1) == 2 * AROUND)
        is_dense = positions[2 * AROUND :] - positions[: -2 * AROUND] == 2 * AROUND * step
        for at in np.flatnonzero(is_gone & is_dense):
            position = int(positions[at + AROUND])
            yield (position, position + 1), NOTHING, names[id_], "gone", "it is there just before and just after"


def _jumps(labels: Labels, instances: Layer) -> Iterator[Found]:
    """Yield boxes of an instrument, alone of its kind in three positions, that are elsewhere in the middle one."""
    rows = instances.rows
    rows = rows[rows["instrument_id"].notna() & rows[list(BOX)].notna().all(axis=1)]
    if len(instances.positions) < 3 or not len(rows):
        return
    step = int(np.diff(instances.positions).min())
    alone = rows[~rows.duplicated(["position", "instrument_id"], keep=False)]
    for id_ in sorted(set(alone["instrument_id"].astype("int64").tolist())):
        of_one = alone[alone["instrument_id"] == id_].sort_values("position")
        positions, boxes = of_one["position"].to_numpy(np.int64), of_one[list(BOX)].to_numpy(np.float64)
        name = labels.vocabulary.instruments[id_]
        for at in np.flatnonzero((np.diff(positions[1:]) == step) & (np.diff(positions[:-1]) == step)):
            before, here, after = boxes[at : at + 3]
            if _iou(before, after) >= STAYED_IOU and not _iou(before, here) and not _iou(here, after):
                position = int(positions[at + 1])
                yield (position, position + 1), name, name, "jump", "the box is elsewhere just before and just after"


def _iou(one: Box, other: Box) -> float:
    first, end = np.maximum(one[:2], other[:2]), np.minimum(one[:2] + one[2:], other[:2] + other[2:])
    shared = float(np.prod(np.maximum(end - first, 0.0)))
    return shared / max(float(one[2] * one[3] + other[2] * other[3]) - shared, 1e-12)


def _of_raters(marks: Layer) -> Iterator[tuple[tuple[int, int], str, str, str, str, float]]:
    """Yield frames that annotators judge differently: an even split most, one against many least."""
    named = marks.rows[marks.rows["rater"] != ""]
    for mark, rows in named.groupby("mark", sort=True):
        judged = rows.groupby("position", sort=True)["value"].agg(["mean", "count"])
        judged = judged[judged["count"] > 1]
        positions, votes = judged.index.to_numpy(np.int64), list(map(tuple, judged.to_numpy(np.float64).tolist()))
        for first, end in runs(votes):
            share, count = votes[first]
            minority = min(share, 1 - share)
            if minority > 0:
                label, probable = (f"{'' if is_so else 'no '}{mark}" for is_so in (share <= 0.5, share > 0.5))
                says = f"{round(share * count)} of {int(count)} annotators say that it is so"
                places = int(positions[first]), int(positions[end - 1]) + 1
                yield places, label, probable, "raters", says, 2 * minority * SCORES["raters"]
