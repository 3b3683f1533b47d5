"""Skill scores of recordings: concordance, rank correlation, absolute error, per task and score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.core.errors import MetricsError
from scrubin.evaluation import sheets
from scrubin.evaluation.compared import ComparedSheets
from scrubin.evaluation.computation import Choice, Computed, Scoring, refuse_foreign
from scrubin.evaluation.sheets import TaskSheet
from scrubin.evaluation.side import Source
from scrubin.evaluation.tasks import skill_raters
from scrubin.labels.formats.ground_truth import sheets_in
from scrubin.labels.model import Scores
from scrubin.metrics import raters, skill, skill_levels
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.result import Result
from scrubin.statistics.association import FORMS, PRIMARY, Form

AGREEMENT = "agreement"
Pair = Callable[[npt.ArrayLike, npt.ArrayLike], Result]
CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "kind": Choice(
            (AGREEMENT, "ranks", "levels", "raters"),
            AGREEMENT,
            "concordance, Spearman, MAE; Spearman, Kendall's tau-b; quadratic kappa of whole numbers; what raters reach themselves",
        ),
        "form": Choice(FORMS, PRIMARY, "of Lin's concordance: which divisors"),
    },
    "compat": {},
}
OF_KIND: Mapping[str, Sequence[str]] = {AGREEMENT: ("form",), "ranks": (), "levels": (), "raters": ("form",)}


def sheets_of(source: Source) -> list[TaskSheet]:
    """Return skill scores per task.

    Raises
    ------
    ScrubinError
        For files that cannot be used.
    """
    return sheets.read(sheets_in(source.path, "skill"), _number, _skill, source.format)


def computed(truth: Sequence[TaskSheet], predictions: Sequence[TaskSheet], choice: Mapping[str, str], source: Source) -> Scoring:
    """Return what is to be computed, per task; raises `MetricsError` when truth and predictions do not fit.

    Parameters
    ----------
    source
        Of the truth: what raters reach needs their ratings.
    """
    refuse_foreign(choice, CHOICES["paper"], OF_KIND)
    pairs, notes = sheets.matched(truth, predictions)
    if choice["kind"] == "levels":
        pairs, more = _with_levels(pairs)
        notes += more
    ratings = skill_raters.ratings_of(source) if choice["kind"] == "raters" else None
    parts = [_of_task(one, other, choice, ratings) for one, other in pairs]
    return Scoring(parts, notes=[*notes, *(() if ratings is None else skill_raters.notes(ratings))])


def _with_levels(pairs: Sequence[tuple[TaskSheet, TaskSheet]]) -> tuple[list[tuple[TaskSheet, TaskSheet]], list[str]]:
    """Return the columns whose truth is whole numbers, and a note of the others; raises `MetricsError` where there is none."""
    kept, notes = [], []
    for truth, predicted in pairs:
        levels = [name for name in truth.rows.columns if skill_levels.is_level(truth.rows[name].to_numpy(np.float64))]
        others = [str(name) for name in truth.rows.columns if name not in levels]
        notes += [f"{truth.task}: no whole numbers, so without levels and not scored: {', '.join(others)}"] * bool(others)
        if levels:
            kept.append((replace(truth, rows=truth.rows[levels]), replace(predicted, rows=predicted.rows[levels])))
    if not kept:
        columns = ", ".join(dict.fromkeys(str(name) for truth, _ in pairs for name in truth.rows.columns))
        needs = "quadratic kappa needs whole numbers, such as points of OSATS; use kind=ranks"
        msg = f"no score of the ground truth has levels ({columns}): {needs}"
        raise MetricsError(msg)
    return kept, notes


def _metrics(choice: Mapping[str, str]) -> list[Pair]:
    form, kind = cast("Form", choice["form"]), choice["kind"]
    if kind == "levels":
        return [skill_levels.kappa]
    names: tuple[skill.Metric, ...] = ("spearman",) if kind == "ranks" else ("ccc", "spearman") if kind == "raters" else skill.METRICS
    of_names: list[Pair] = [partial(skill.score, name, form=form) for name in names]
    return of_names if kind == AGREEMENT else [*of_names, skill_levels.tau]


def _of_task(truth: TaskSheet, predicted: TaskSheet, choice: Mapping[str, str], ratings: pd.DataFrame | None) -> Computed:
    metrics, form = _metrics(choice), cast("Form", choice["form"])
    of_raters = {} if ratings is None else {str(name): skill_raters.matrix(ratings, truth, str(name)) for name in truth.rows.columns}

    def results(draw: IntArray | None) -> list[Result]:
        every = []
        for column in truth.rows.columns:
            scores, predictions = truth.rows[column].to_numpy(), predicted.rows[column].to_numpy()
            if draw is not None:
                scores, predictions = scores[draw], predictions[draw]
            # Where nothing is known nothing need be predicted.
            predictions = np.where(np.isnan(scores), 0.0, predictions)
            of_column = [metric(scores, predictions) for metric in metrics]
            if str(column) in of_raters:
                own = of_raters[str(column)]
                of_column += raters.ceiling(own.scores if draw is None else own.scores[draw], own.raters, form)
            for one in of_column:
                options = {"task": truth.task, "score": str(column), **one.variant.options}
                every.append(replace(one, variant=replace(one.variant, options=options)))
        return every

    return Computed(tuple(map(str, truth.rows.index)), results, compared=ComparedSheets(truth.task, truth.rows, predicted.rows))


def _skill(scores: Scores) -> pd.DataFrame:
    """Return aggregated scores; where a format has none, the mean over raters of each aspect."""
    dropped = ("n_ratings", "disagreement", "strong_disagreement")
    if len(scores.skill):
        return scores.skill.drop(columns=[name for name in dropped if name in scores.skill])
    if not len(scores.ratings):
        return pd.DataFrame()
    return scores.ratings.pivot_table(index=["id", "task"], columns="aspect", values="score", aggfunc="mean").reset_index()


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        msg = "give a number, or leave it empty"
        raise ValueError(msg)
    return value
