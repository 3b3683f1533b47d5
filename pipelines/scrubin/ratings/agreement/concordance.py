"""How far raters agree: Lin's concordance correlation coefficient of every pair.

Source: LASANA, section Statistical analysis, equation 4, Figure 10 and Table 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from scrubin.statistics import moments
from scrubin.statistics.association import FORMS, concordance, correlation

POOL = "|"


def pool(scores: pd.DataFrame, groups: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return scores with the raters of each group joined to one, named like ``0|2``.

    Raters who share the recordings of a task have none in common; joined they are as
    one rater of all recordings (Figure 10). A recording that several of the group rated is
    left out of the joined rater.

    Parameters
    ----------
    scores
        One row per rater and recording: rater, id, score.
    groups
        Raters to be joined; those that did not rate are ignored.
    """
    pooled = scores
    for group in groups:
        present = sorted(set(group) & set(scores.rater))
        if len(present) < 2:
            continue
        theirs = pooled[pooled.rater.isin(present)]
        alone = theirs[~theirs.id.duplicated(keep=False)].assign(rater=POOL.join(present))
        pooled = pd.concat([pooled[~pooled.rater.isin(present)], alone], ignore_index=True)
    return pooled


def pairwise(scores: pd.DataFrame) -> dict[str, Any]:
    """Return the agreement of every pair of raters on their common recordings, and its mean.

    Parameters
    ----------
    scores
        One row per rater and recording: rater, id, score (defined).

    Returns
    -------
    dict
        ``pairs``: per pair ``a-b`` its n, the forms of rho_c and Pearson's r; NaN where undefined.
        ``mean``: per form the mean over the pairs where it is defined, and their number ``n_pairs``.
    """
    wide: Mapping[str, dict[str, float]] = {
        str(rater): dict(zip(group.id, group.score, strict=True)) for rater, group in scores.groupby("rater")
    }
    pairs: dict[str, dict[str, float]] = {}
    for a, b in combinations(sorted(wide), 2):
        common = sorted(set(wide[a]) & set(wide[b]))
        x, y = [wide[a][id_] for id_ in common], [wide[b][id_] for id_ in common]
        pairs[f"{a}-{b}"] = {"n": len(common), **{form: concordance(x, y, form) for form in FORMS}, "pearson": correlation(x, y)}
    mean: dict[str, float] = {}
    for form in FORMS:
        defined = [pair[form] for pair in pairs.values() if not math.isnan(pair[form])]
        mean |= {form: moments.mean(defined), f"n_pairs_{form}": len(defined)}
    return {"pairs": pairs, "mean": mean}
