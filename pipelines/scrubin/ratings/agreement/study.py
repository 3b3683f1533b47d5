"""All measures of a task's agreement between raters, on scores and on error marks, as a JSON value."""

from __future__ import annotations

from typing import Any

import pandas as pd

from scrubin.ratings.agreement import concordance, kappa
from scrubin.ratings.agreement.alpha import alpha
from scrubin.ratings.agreement.icc import intraclass
from scrubin.ratings.params import TOTAL, ScoresParams

MOST_POINTS = 1001
"""A finer scale has no categories: kappa would hold a matrix of its points in memory."""


def of_scores(normalised: pd.DataFrame, p: ScoresParams) -> dict[str, Any]:
    """Return the agreement on normalised scores per aspect, with and without failed recordings.

    Parameters
    ----------
    normalised
        Normalised scores of one task: id, rater, aspect, score, failed.

    Returns
    -------
    dict
        Per aspect and variant (``failed_excluded``; for the total also ``failed_included``): Lin's
        rho_c of ``raters`` and with complementary raters joined (``pooled``), ``icc`` of the joined
        raters; for the total also Krippendorff's ``alpha``.
    """
    agreement: dict[str, Any] = {}
    for aspect in (TOTAL, *p.aspects):
        scores = normalised[(normalised.aspect == aspect) & normalised.score.notna()]
        variants = {"failed_excluded": scores[~scores.failed]}
        if aspect == TOTAL:
            variants["failed_included"] = scores
        agreement[aspect] = {name: _of_variant(some, p, total=aspect == TOTAL) for name, some in variants.items()}
    return agreement


def of_points(ratings: pd.DataFrame, p: ScoresParams) -> dict[str, Any]:
    """Return per aspect Cohen's kappa and Krippendorff's ordinal alpha of the raw points of one task.

    Recordings that a rater marked as failed have no points of that rater. On a scale of more
    than ``MOST_POINTS`` points kappa is undefined: its pairs are empty.
    """
    agreement: dict[str, Any] = {}
    for aspect in p.aspects:
        rated = ratings[(ratings.aspect == aspect) & ratings.score.notna()]
        ranks = rated.assign(rank=[round((score - p.lowest) / p.step) for score in rated.score])
        categorical = ranks if p.points <= MOST_POINTS else ranks.iloc[:0]
        agreement[aspect] = {
            "kappa": kappa.pairwise(categorical, p.points, kappa.ORDINAL),
            "alpha": alpha(ranks.rename(columns={"rank": "value"}), "ordinal"),
        }
    return agreement


def of_marks(marks: pd.DataFrame) -> dict[str, Any]:
    """Return per error Cohen's kappa and Krippendorff's nominal alpha of the raters' marks in one task."""
    agreement: dict[str, Any] = {}
    for error, group in marks.groupby("error"):
        ranks = group.assign(rank=group.marked.astype(int))
        agreement[str(error)] = {
            "kappa": kappa.pairwise(ranks, 2, kappa.NOMINAL),
            "alpha": alpha(ranks.rename(columns={"rank": "value"}), "nominal"),
        }
    return agreement


def _of_variant(scores: pd.DataFrame, p: ScoresParams, *, total: bool) -> dict[str, Any]:
    pooled = concordance.pool(scores, p.complementary_raters)
    agreement = {"raters": concordance.pairwise(scores), "pooled": concordance.pairwise(pooled), "icc": intraclass(pooled)}
    if total:
        agreement["alpha"] = alpha(scores.rename(columns={"score": "value"}), "interval")
    return agreement
