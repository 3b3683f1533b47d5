"""Identity: precision, recall and F1 of boxes where every annotated track has one predicted track at most, the best for the whole video.

Ristani et al., "Performance measures and a data set for multi-target, multi-camera tracking", ECCV workshops, 2016.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.tracks import FloatArray, IntArray
from scrubin.evaluate.metrics.tracks.assignment import assigned
from scrubin.evaluate.metrics.tracks.overlaps import Overlaps
from scrubin.evaluate.metrics.variants import TRACK_KINDS

SUMS = ("true", "missed", "false")
SAYS: Mapping[str, str] = {
    "IDF1": "boxes of paired tracks that overlap enough, among the mean of annotated and predicted ones",
    "IDP": "share of predicted boxes that are in the track paired with theirs",
    "IDR": "share of annotated boxes that are in the track paired with theirs",
}
for _name, _says in SAYS.items():
    declare(f"tracks {_name}", task="tracks", kinds=TRACK_KINDS, says=_says, source="Ristani et al. 2016")


def counts(pairs: Overlaps, threshold: float) -> FloatArray:
    """Return the sums of one video (3,), in the order of `SUMS`.

    Parameters
    ----------
    threshold
        Least IoU of boxes that are the same.
    """
    same = np.flatnonzero(pairs.shares >= threshold)
    ids = np.stack([pairs.truth_ids[pairs.truths[same]], pairs.predicted_ids[pairs.predictions[same]]], axis=1)
    tracks, shared = np.unique(ids, axis=0, return_counts=True)
    # Of tracks that share no box with others' no pairing depends on the others.
    true = sum(_most(tracks[of], shared[of]) for of in _apart(tracks))
    return np.array([true, len(pairs.truth_ids) - true, len(pairs.predicted_ids) - true], np.float64)


def measures(sums: FloatArray) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return each metric of any sums (..., 3), and the count behind it; by name, as `hota.measures`."""
    true, missed, false = (sums[..., place] for place in range(len(SUMS)))
    return {
        "IDF1": (true / np.maximum(1, true + 0.5 * missed + 0.5 * false), 2 * true + missed + false),
        "IDP": (true / np.maximum(1, true + false), true + false),
        "IDR": (true / np.maximum(1, true + missed), true + missed),
    }


def _apart(tracks: IntArray) -> Iterator[IntArray]:
    """Yield the positions of pairs of tracks that hang together, of pairs (n, 2) of a truth and a prediction."""
    sides = [np.unique(tracks[:, side], return_inverse=True)[1].reshape(-1) for side in (0, 1)]
    group, before = np.arange(len(tracks)), np.full(len(tracks), -1)
    # The least number goes from pair to pair that share a track, until nothing changes.
    while (group != before).any():
        before = group
        for of_pair in sides:
            least = np.full(len(tracks), len(tracks))
            np.minimum.at(least, of_pair, group)
            group = least[of_pair]
    for number in np.unique(group).tolist():
        yield np.flatnonzero(group == number)


def _most(tracks: IntArray, shared: IntArray) -> int:
    """Return how many boxes the best pairing of tracks shares.

    Parameters
    ----------
    tracks
        (n, 2), an annotated and a predicted track.
    shared
        (n,), how many boxes of the two are the same.
    """
    if len(tracks) == 1:
        return int(shared[0])
    (truths, rows), (predictions, columns) = (np.unique(tracks[:, side], return_inverse=True) for side in (0, 1))
    matrix = np.zeros((len(truths), len(predictions)))
    matrix[rows.reshape(-1), columns.reshape(-1)] = shared
    return int(sum(matrix[pair] for pair in assigned(matrix.tolist())))
