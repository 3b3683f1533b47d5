"""Skill scores of recordings: concordance, rank correlation, absolute error, per task and score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd

from scrubin.evaluation import sheets
from scrubin.evaluation.compared import ComparedSheets
from scrubin.evaluation.computation import Choice, Computed, Scoring
from scrubin.evaluation.sheets import TaskSheet
from scrubin.evaluation.side import Source
from scrubin.labels.formats.ground_truth import sheets_in
from scrubin.labels.model import Scores
from scrubin.metrics import skill
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.result import Result
from scrubin.statistics.association import FORMS, PRIMARY, Form

CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {"form": Choice(FORMS, PRIMARY, "of Lin's concordance: which divisors")},
    "compat": {},
}


def sheets_of(source: Source) -> list[TaskSheet]:
    """Return skill scores per task.

    Raises
    ------
    ScrubinError
        For files that cannot be used.
    """
    return sheets.read(sheets_in(source.path, "skill"), _number, _skill, source.format)


def computed(truth: Sequence[TaskSheet], predictions: Sequence[TaskSheet], choice: Mapping[str, str]) -> Scoring:
    """Return what is to be computed, per task; raises `MetricsError` when truth and predictions do not fit."""
    pairs, notes = sheets.matched(truth, predictions)
    return Scoring([_of_task(one, other, cast("Form", choice["form"])) for one, other in pairs], notes=notes)


def _of_task(truth: TaskSheet, predicted: TaskSheet, form: Form) -> Computed:
    def results(draw: IntArray | None) -> list[Result]:
        every = []
        for column in truth.rows.columns:
            ratings, predictions = truth.rows[column].to_numpy(), predicted.rows[column].to_numpy()
            if draw is not None:
                ratings, predictions = ratings[draw], predictions[draw]
            # Where nothing is known nothing need be predicted.
            predictions = np.where(np.isnan(ratings), 0.0, predictions)
            for metric in skill.METRICS:
                one = skill.score(metric, ratings, predictions, form=form)
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
