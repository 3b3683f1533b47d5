"""How far raters agree: Lin's concordance correlation coefficient.

Source: LASANA, section Statistical analysis, equation 4, footnote 5, Figure 10 and Table 5.

The paper's chain of equalities holds only with 1/n throughout, and its two forms differ:
``bessel`` is its second form, n - 1 throughout (primary); ``lin1989`` is 1/n throughout, as
Lin defined it; ``paper_first_form`` takes 1/n for the squared difference and n - 1 for the
variances.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import pandas as pd

from scrubin.scores import moments

Form = Literal["bessel", "lin1989", "paper_first_form"]
FORMS: tuple[Form, ...] = ("bessel", "lin1989", "paper_first_form")
POOL = "|"


def concordance(x: Sequence[float], y: Sequence[float], form: Form = "bessel") -> float:
    """Return Lin's rho_c of paired scores, in [-1, 1].

    Undefined (NaN) without values, for a form with n - 1 with fewer than two, and for 0/0,
    that is for two constant vectors with the same mean.

    >>> concordance([1, 2, 3, 4], [3, 4, 5, 6])
    0.45454545454545453
    """
    n = len(x)
    degrees = n if form == "lin1989" else n - 1
    if degrees < 1:
        return math.nan
    spread = (moments.squares(x) + moments.squares(y)) / degrees
    expected = spread + (moments.mean(x) - moments.mean(y)) ** 2
    if expected == 0:
        return math.nan
    if form == "paper_first_form":
        return 1 - math.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / n / expected
    return 2 * moments.products(x, y) / degrees / expected


def correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Pearson's r of paired values; NaN with fewer than two or constant ones."""
    if len(x) < 2 or min(x) == max(x) or min(y) == max(y):
        return math.nan
    return moments.products(x, y) / math.sqrt(moments.squares(x) * moments.squares(y))


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
