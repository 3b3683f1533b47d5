"""Cohen's kappa of every pair of raters: agreement on categories beyond chance.

Cohen (1960) plain, Cohen (1968) with linear and quadratic weights of the distance between
ordered categories.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import pandas as pd
from sklearn.metrics import cohen_kappa_score

from scrubin.statistics import moments
from scrubin.statistics.undefined import settled

Weights = Literal["plain", "linear", "quadratic"]
ORDINAL: tuple[Weights, ...] = ("plain", "linear", "quadratic")
NOMINAL: tuple[Weights, ...] = ("plain",)


def kappa(x: Sequence[int], y: Sequence[int], categories: int, weights: Weights = "plain") -> float:
    """Return kappa of paired categories, each a number from 0 to ``categories`` - 1.

    All categories count for the weights, also those that nobody used: without them the used
    ones would close up. Undefined (NaN) without pairs, and when both raters used only one
    and the same category.

    >>> kappa([0, 0, 1, 1], [0, 1, 1, 1], 2)
    0.5
    """
    if len({*x, *y}) < 2:
        return math.nan
    chosen = None if weights == "plain" else weights
    return settled(cohen_kappa_score(list(x), list(y), labels=list(range(categories)), weights=chosen))


def pairwise(ranks: pd.DataFrame, categories: int, weightings: Sequence[Weights]) -> dict[str, Any]:
    """Return kappa of every pair of raters on their common recordings, and its mean.

    Parameters
    ----------
    ranks
        One row per rater and recording: rater, id, rank (number of the category, from 0).
    categories
        Number of categories.
    weightings
        The weights to be used.

    Returns
    -------
    dict
        ``pairs``: per pair ``a-b`` its n and kappa per weighting, NaN where undefined. ``mean``:
        per weighting the mean over the pairs where it is defined, and ``n_pairs``, their number.
    """
    wide = {str(rater): dict(zip(group.id, group["rank"], strict=True)) for rater, group in ranks.groupby("rater")}
    pairs: dict[str, dict[str, float]] = {}
    for a, b in combinations(sorted(wide), 2):
        common = sorted(set(wide[a]) & set(wide[b]))
        x, y = [wide[a][id_] for id_ in common], [wide[b][id_] for id_ in common]
        pairs[f"{a}-{b}"] = {"n": len(common), **{weights: kappa(x, y, categories, weights) for weights in weightings}}
    # Where kappa is undefined does not depend on the weights.
    defined = [pair for pair in pairs.values() if not math.isnan(pair[weightings[0]])]
    mean = {weights: settled(moments.mean([pair[weights] for pair in defined])) for weights in weightings}
    return {"pairs": pairs, "mean": {**mean, "n_pairs": len(defined)}}
