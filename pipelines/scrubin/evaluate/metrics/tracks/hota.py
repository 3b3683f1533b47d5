"""Higher order tracking accuracy: how well boxes are found, localised and kept in one track, over thresholds of the overlap.

Luiten et al., "HOTA: a higher order metric for evaluating multi-object tracking", IJCV 129, 2021. At each threshold alpha of 0.05 to
0.95, HOTA is the geometric mean of DetA, the Jaccard index of boxes, and AssA, the mean over true boxes of the Jaccard index of their two
tracks; the numbers are means over alpha. Boxes are matched once per frame, by overlap and by how well their tracks agree in the video.
Everything is made of sums, so that videos and classes are put together by adding: AssA is thereby weighted by true boxes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.tracks import FloatArray, IntArray
from scrubin.evaluate.metrics.tracks.overlaps import Overlaps, alone, crowds
from scrubin.evaluate.metrics.variants import TRACK_KINDS

ALPHAS: FloatArray = np.arange(0.05, 0.99, 0.05)
"""The thresholds, with the rounding that TrackEval's have."""
EPSILON = float(np.finfo(np.float64).eps)
SUMS = ("true", "missed", "false", "overlap", "association", "recall", "precision")
"""What is counted at each threshold: boxes, then sums over true boxes of the overlap and of what their tracks share."""
SOURCE = "Luiten et al. 2021"
SAYS: Mapping[str, str] = {
    "HOTA": "geometric mean of DetA and AssA at each threshold, mean over 19 thresholds",
    "HOTA(0)": "HOTA at the lowest threshold, 0.05: how well is tracked wherever boxes lie",
    "DetA": "true boxes among true, missed and false ones",
    "AssA": "mean over true boxes: what their two tracks share, among what either has",
    "LocA": "mean overlap of true boxes",
    "DetRe": "share of annotated boxes that are found",
    "DetPr": "share of predicted boxes that are true",
    "AssRe": "mean over true boxes: share of the annotated track that is in the predicted one",
    "AssPr": "mean over true boxes: share of the predicted track that is in the annotated one",
}
for _name, _says in SAYS.items():
    declare(f"tracks {_name}", task="tracks", kinds=TRACK_KINDS, says=_says, source=SOURCE, ranks=_name == "HOTA")


def counts(pairs: Overlaps) -> FloatArray:
    """Return the sums of one video (7, thresholds), in the order of `SUMS`."""
    sums = np.zeros((len(SUMS), len(ALPHAS)))
    sums[1], sums[2] = len(pairs.truth_ids), len(pairs.predicted_ids)
    if not len(pairs.shares):
        return sums
    tracks, of_pair = np.unique(_keys(pairs), return_inverse=True)
    truth_ids, predicted_ids = np.divmod(tracks, len(pairs.predicted_lengths))
    either = pairs.truth_lengths[truth_ids] + pairs.predicted_lengths[predicted_ids]
    matched = _matched(pairs, (_agreement(pairs, of_pair, either))[of_pair] * pairs.shares)
    # Each matched pair is true at the first so many thresholds.
    reached = np.searchsorted(ALPHAS - EPSILON, pairs.shares[matched], side="right")
    steps = len(ALPHAS) + 1
    sums[0] = _at_least(np.bincount(reached, minlength=steps))
    sums[1] -= sums[0]
    sums[2] -= sums[0]
    # By size: the order of rows in a file changes no bit.
    by_size = np.argsort(pairs.shares[matched])
    sums[3] = _at_least(np.bincount(reached[by_size], pairs.shares[matched][by_size], minlength=steps))
    together = _at_least(np.bincount(of_pair[matched] * steps + reached, minlength=len(tracks) * steps).reshape(-1, steps))
    parts = (either[:, None] - together, pairs.truth_lengths[truth_ids][:, None], pairs.predicted_lengths[predicted_ids][:, None])
    for place, whole in enumerate(parts, start=4):
        sums[place] = (together * (together / np.maximum(1, whole))).sum(axis=0)
    return sums


def measures(sums: FloatArray) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return each metric of any sums, and the count behind it.

    Parameters
    ----------
    sums
        (..., 7, thresholds), of one video or added.

    Returns
    -------
    dict
        By name as in `SAYS`: (...) each, as TrackEval has it where there is nothing to divide; the count is 0 there.
    """
    by_threshold = at_thresholds(sums)
    true, missed, false = (sums[..., place, :] for place in range(3))
    annotated, predicted, found = (true + missed)[..., 0], (true + false)[..., 0], true[..., 0]
    either = annotated + predicted
    of = {"HOTA": either, "DetA": either, "AssA": found, "LocA": found, "DetRe": annotated, "DetPr": predicted, "AssRe": found}
    means = {name: (values.mean(axis=-1), {**of, "AssPr": found}[name]) for name, values in by_threshold.items()}
    return {**means, "HOTA(0)": (by_threshold["HOTA"][..., 0], either)}


def at_thresholds(sums: FloatArray) -> dict[str, FloatArray]:
    """Return each metric but HOTA(0) at each threshold, (..., thresholds); parameters as of `measures`."""
    true, missed, false, overlap, association, recall, precision = (sums[..., place, :] for place in range(len(SUMS)))
    found = np.maximum(1, true)
    detection = true / np.maximum(1, true + missed + false)
    return {
        "HOTA": np.sqrt(detection * (association / found)),
        "DetA": detection,
        "AssA": association / found,
        "LocA": np.maximum(1e-10, overlap) / np.maximum(1e-10, true),
        "DetRe": true / np.maximum(1, true + missed),
        "DetPr": true / np.maximum(1, true + false),
        "AssRe": recall / found,
        "AssPr": precision / found,
    }


def _keys(pairs: Overlaps) -> IntArray:
    """Return one number for the two tracks of each pair (pairs,)."""
    keys: IntArray = pairs.truth_ids[pairs.truths] * len(pairs.predicted_lengths) + pairs.predicted_ids[pairs.predictions]
    return keys


def _agreement(pairs: Overlaps, of_pair: IntArray, either: IntArray) -> FloatArray:
    """Return how well two tracks agree in the whole video before anything is matched: a soft Jaccard index (pairs of tracks,).

    Parameters
    ----------
    of_pair
        (pairs,), which two tracks.
    either
        (pairs of tracks,), boxes of the two tracks.
    """
    of_truths = np.bincount(pairs.truths, pairs.shares, minlength=len(pairs.truth_ids))
    of_predictions = np.bincount(pairs.predictions, pairs.shares, minlength=len(pairs.predicted_ids))
    either_box = of_predictions[pairs.predictions] + of_truths[pairs.truths] - pairs.shares
    # Boxes that only touch may overlap by a rounding error, which is no agreement.
    soft = np.where(either_box > EPSILON, pairs.shares / either_box, 0.0)
    shared = np.bincount(of_pair, soft, minlength=len(either))
    agreement: FloatArray = shared / (either - shared)
    return agreement


def _matched(pairs: Overlaps, scores: FloatArray) -> IntArray:
    """Return the positions of matched pairs."""
    eligible = np.ones(len(scores), np.bool_)
    is_alone = alone(pairs, eligible)
    chosen, decided = is_alone.copy(), is_alone
    for crowd in crowds(pairs, eligible, decided):
        chosen[crowd.pairs] = False
        chosen[crowd.matched(pairs, scores[crowd.pairs])] = True
    return np.flatnonzero(chosen)


def _at_least(counted: FloatArray | IntArray) -> FloatArray:
    """Return what is reached at each threshold, of what is reached at exactly so many (..., thresholds + 1)."""
    above: FloatArray = np.cumsum(counted[..., ::-1], axis=-1)[..., ::-1][..., 1:].astype(np.float64)
    return above
