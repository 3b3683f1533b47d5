"""CLEAR MOT: true, missed and false boxes, switches of ids, fragments, and tracks that are mostly tracked or lost.

Bernardin and Stiefelhagen, "Evaluating multiple object tracking performance: the CLEAR MOT metrics", EURASIP Journal on Image and Video
Processing, 2008; mostly tracked and lost as Wu and Nevatia 2006 have them. A pair that was matched in the frame before stays matched as
long as it overlaps enough; the others are matched by the greatest overlap. The frame before is the last in which both sides have a box, as
in TrackEval. A switch is counted when a track is found again under another id, however long that took.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.tracks import BoolArray, FloatArray, IntArray
from scrubin.evaluate.metrics.tracks.overlaps import Overlaps, alone, crowds
from scrubin.evaluate.metrics.variants import TRACK_KINDS

EPSILON = float(np.finfo(np.float64).eps)
KEPT = 1000
"""So much more than any overlap weighs a pair that was matched in the frame before."""
MOSTLY, HARDLY = Fraction(4, 5), Fraction(1, 5)
"""Found in more than the first share of its frames a track is mostly tracked, in less than the second mostly lost."""
SUMS = ("true", "missed", "false", "switches", "fragments", "mostly", "partly", "lost", "overlap")
COUNTS: Mapping[str, str] = {
    "FN": "missed",
    "FP": "false",
    "IDSW": "switches",
    "Frag": "fragments",
    "MT": "mostly",
    "PT": "partly",
    "ML": "lost",
}
SOURCE = "Bernardin and Stiefelhagen 2008"
SAYS: Mapping[str, str] = {
    "MOTA": "1 minus missed boxes, false boxes and switches per annotated box; below 0 where there are more",
    "MOTP": "mean overlap of true boxes, at one threshold",
    "IDSW": "switches: a track is found under another id than the last time",
    "Frag": "fragments: how often a track is found again after it was missed",
    "MT": "mostly tracked: tracks found in more than 80 % of their frames",
    "PT": "partly tracked: tracks found in 20 % to 80 % of their frames",
    "ML": "mostly lost: tracks found in less than 20 % of their frames",
    "FP": "false boxes, at one threshold",
    "FN": "missed boxes, at one threshold",
}
BETTER = ("MOTA", "MOTP", "MT")
for _name, _says in SAYS.items():
    declare(
        f"tracks {_name}",
        task="tracks",
        kinds=TRACK_KINDS,
        says=_says,
        source=SOURCE,
        less_is_better=_name not in BETTER,
        column=_name in BETTER,
    )


def counts(pairs: Overlaps, threshold: float) -> FloatArray:
    """Return the sums of one video (9,), in the order of `SUMS`.

    Parameters
    ----------
    threshold
        Least IoU of a true box.
    """
    annotated, predicted = len(pairs.truth_ids), len(pairs.predicted_ids)
    matched = _matched(pairs, pairs.shares >= threshold - EPSILON)
    found = np.bincount(pairs.truth_ids[pairs.truths[matched]], minlength=len(pairs.truth_lengths))
    # Whole numbers: no share is rounded before it is compared.
    mostly = int((found * MOSTLY.denominator > pairs.truth_lengths * MOSTLY.numerator).sum())
    lost = int((found * HARDLY.denominator < pairs.truth_lengths * HARDLY.numerator).sum())
    true, tracks = len(matched), len(pairs.truth_lengths)
    switches, fragments = _breaks(pairs, matched)
    # Exactly rounded: the order of rows in a file changes no bit.
    overlap = math.fsum(pairs.shares[matched].tolist())
    numbers = (true, annotated - true, predicted - true, switches, fragments, mostly, tracks - mostly - lost, lost, overlap)
    return np.array(numbers, np.float64)


def measures(sums: FloatArray) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return each metric of any sums (..., 9), and the count behind it; by name, as `hota.measures`."""
    of = {name: sums[..., place] for place, name in enumerate(SUMS)}
    annotated, true = of["true"] + of["missed"], of["true"]
    either, tracks = annotated + true + of["false"], of["mostly"] + of["partly"] + of["lost"]
    behind = dict.fromkeys(COUNTS, either) | dict.fromkeys(("MT", "PT", "ML"), tracks)
    return {
        "MOTA": ((true - of["false"] - of["switches"]) / np.maximum(1, annotated), annotated),
        "MOTP": (of["overlap"] / np.maximum(1, true), true),
        **{name: (of[counted], behind[name]) for name, counted in COUNTS.items()},
    }


def _matched(pairs: Overlaps, eligible: BoolArray) -> IntArray:
    """Return the positions of matched pairs, in order of frames."""
    is_alone = alone(pairs, eligible)
    chosen = is_alone.copy()
    partners = np.full(len(pairs.truth_ids), -1, np.int64)
    partners[pairs.truths[is_alone]] = pairs.predicted_ids[pairs.predictions[is_alone]]
    both = np.intersect1d(pairs.truth_frames, pairs.predicted_frames)
    for crowd in crowds(pairs, eligible, is_alone):
        of_frame = crowd.pairs
        last = _last(pairs, partners, both, crowd.frame)
        rows, ids = pairs.truths[of_frame], pairs.predicted_ids[pairs.predictions[of_frame]]
        stays = np.array([last.get(track) == id_ for track, id_ in zip(pairs.truth_ids[rows].tolist(), ids.tolist(), strict=True)])
        scores = np.where(eligible[of_frame], KEPT * stays + pairs.shares[of_frame], 0.0)
        chosen[of_frame] = False
        partners[crowd.truths[0] : crowd.truths[1]] = -1
        matched = crowd.matched(pairs, scores)
        chosen[matched] = True
        partners[pairs.truths[matched]] = pairs.predicted_ids[pairs.predictions[matched]]
    return np.flatnonzero(chosen)


def _last(pairs: Overlaps, partners: IntArray, both: IntArray, frame: int) -> dict[int, int]:
    """Return which id each annotated track had in the last frame before, of those in which both sides have a box."""
    place = int(np.searchsorted(both, frame))
    if not place:
        return {}
    first, last = np.searchsorted(pairs.truth_frames, (both[place - 1], both[place - 1] + 1)).tolist()
    held = zip(pairs.truth_ids[first:last].tolist(), partners[first:last].tolist(), strict=True)
    return {track: id_ for track, id_ in held if id_ >= 0}


def _breaks(pairs: Overlaps, matched: IntArray) -> tuple[int, int]:
    """Return how often a track is found under another id, and how often again after it was missed."""
    rows = pairs.truths[matched]
    both = np.intersect1d(pairs.truth_frames, pairs.predicted_frames)
    order = np.lexsort((pairs.truth_frames[rows], pairs.truth_ids[rows]))
    tracks, ids = pairs.truth_ids[rows][order], pairs.predicted_ids[pairs.predictions[matched]][order]
    places = np.searchsorted(both, pairs.truth_frames[rows][order])
    goes_on = tracks[1:] == tracks[:-1]
    switches = int((goes_on & (ids[1:] != ids[:-1])).sum())
    return switches, int((goes_on & (np.diff(places) > 1)).sum())
