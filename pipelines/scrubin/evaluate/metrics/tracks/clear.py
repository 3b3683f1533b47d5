"""CLEAR MOT: true, missed and false boxes, switches of ids, fragments, and tracks that are mostly tracked or lost.

Bernardin and Stiefelhagen, "Evaluating multiple object tracking performance: the CLEAR MOT metrics", EURASIP Journal on Image and Video
Processing, 2008; mostly tracked and lost as Wu and Nevatia 2006 have them, fragments as Li, Huang and Nevatia 2009. A pair that was matched
in the frame before stays matched as long as it overlaps enough; the others are matched by the greatest overlap. The frame before is the
last in which both sides have a box, as in TrackEval. A switch is counted when a track is found again under another id, however long that
took. A track that leaves the view and is found when it comes back was not interrupted; TrackEval calls that a fragment, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Semantics
from scrubin.evaluate.metrics.tracks import BoolArray, FloatArray, IntArray
from scrubin.evaluate.metrics.tracks.overlaps import Overlaps, alone, crowds
from scrubin.evaluate.metrics.variants import TRACK_KINDS

EPSILON = float(np.finfo(np.float64).eps)
KEPT = 1000
"""So much more than any overlap weighs a pair that was matched in the frame before."""
MOSTLY, HARDLY = Fraction(4, 5), Fraction(1, 5)
"""Found in more than the first share of its frames a track is mostly tracked, in less than the second mostly lost."""
SUMS = ("true", "missed", "false", "switches", "fragments", "published fragments", "mostly", "partly", "lost", "overlap")
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
OWN_SOURCE: Mapping[str, str] = {"Frag": "Li, Huang and Nevatia 2009", **dict.fromkeys(("MT", "PT", "ML"), "Wu and Nevatia 2006")}
SAYS: Mapping[str, str] = {
    "MOTA": "1 minus missed boxes, false boxes and switches per annotated box; below 0 where there are more",
    "MOTP": "mean overlap of true boxes, at one threshold",
    "IDSW": "switches: a track is found under another id than the last time",
    "Frag": "fragments: how often a track is found again after it was missed in frames in which it is annotated",
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
        source=OWN_SOURCE.get(_name, SOURCE),
        less_is_better=_name not in BETTER,
        column=_name in BETTER,
    )


def counts(pairs: Overlaps, threshold: float) -> FloatArray:
    """Return the sums of one video (10,), in the order of `SUMS`.

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
    # Exactly rounded: the order of rows in a file changes no bit.
    overlap = math.fsum(pairs.shares[matched].tolist())
    numbers = (true, annotated - true, predicted - true, *_breaks(pairs, matched), mostly, tracks - mostly - lost, lost, overlap)
    return np.array(numbers, np.float64)


def measures(sums: FloatArray, semantics: Semantics) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return each metric of any sums (..., 10), and the count behind it; by name, as `hota.measures`."""
    of = {name: sums[..., place] for place, name in enumerate(SUMS)}
    if semantics == "compat":
        of["fragments"] = of["published fragments"]
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


def _breaks(pairs: Overlaps, matched: IntArray) -> tuple[int, int, int]:
    """Return how often a track is found under another id, how often again after it was missed, and the latter as TrackEval counts it."""
    partners = np.full(len(pairs.truth_ids), -1, np.int64)
    partners[pairs.truths[matched]] = pairs.predicted_ids[pairs.predictions[matched]]
    of_tracks = np.lexsort((pairs.truth_frames, pairs.truth_ids))
    found = np.flatnonzero(partners[of_tracks] >= 0)
    rows = of_tracks[found]
    tracks, ids = pairs.truth_ids[rows], partners[rows]
    both = np.intersect1d(pairs.truth_frames, pairs.predicted_frames)
    goes_on = tracks[1:] == tracks[:-1]
    switches = int((goes_on & (ids[1:] != ids[:-1])).sum())
    missed = int((goes_on & (np.diff(found) > 1)).sum())
    # Of the frames in which both sides have a box, whether the track is in view or not.
    published = int((goes_on & (np.diff(np.searchsorted(both, pairs.truth_frames[rows])) > 1)).sum())
    return switches, missed, published
