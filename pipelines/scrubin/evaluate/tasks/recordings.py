"""Sheets of recordings scored: skill by its scores, errors by their occurrence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError, MetricsError
from scrubin.base.faults import error
from scrubin.base.statistics import Form
from scrubin.evaluate import sheets
from scrubin.evaluate.computation import ComparedSheets, Computed, Scoring, refuse_foreign
from scrubin.evaluate.metric_choices import SKILL_CHOICES
from scrubin.evaluate.metrics import registry, skill
from scrubin.evaluate.metrics.bootstrap import Draw
from scrubin.evaluate.metrics.inputs import FloatArray
from scrubin.evaluate.metrics.result import Result, Semantics
from scrubin.evaluate.sheets import TaskSheet
from scrubin.evaluate.side import Source
from scrubin.labels.files import reader
from scrubin.labels.formats.ground_truth import sheets_in
from scrubin.labels.model import Scores
from scrubin.labels.registry import format_of
from scrubin.ratings import scoring
from scrubin.ratings.params import LASANA

TABLES, RATINGS = "tables", "ratings.parquet"


@dataclass(frozen=True, eq=False)
class RaterScores:
    """Scores of one aspect: (recordings, raters), NaN where undefined, and the names of the raters."""

    scores: FloatArray
    raters: Sequence[str]


def ratings_beside(source: Source) -> pd.DataFrame:
    """Return the ratings as given, the columns of the table ``ratings``.

    Raises
    ------
    MetricsError
        Where there are none.
    """
    folder = next((one for one in (source.path / TABLES, source.path.parent.parent / TABLES) if (one / RATINGS).is_file()), source.path)
    what = "what raters reach needs their ratings, and there are none"
    fix = "name a release that has tables/ratings.parquet, or annotation files with the sheets of raters"
    missing = error(str(source.path), "no-ratings", what, fix)
    try:
        scores = reader.read_path(folder, format_of(TABLES) if folder != source.path else source.form, reader.Options()).collection.scores
    except AnnotationError as refused:
        raise MetricsError([missing]) from refused
    if scores is None or not len(scores.ratings):
        raise MetricsError([missing])
    return scores.ratings


def rater_matrix(ratings: pd.DataFrame, truth: TaskSheet, aspect: str) -> RaterScores:
    """Return the normalised scores of all raters of one aspect of a task, a row per recording of the truth."""
    of_task = scoring.normalise(ratings[ratings["task"] == truth.task], LASANA.failed_grs)
    own = of_task[of_task["aspect"] == aspect]
    wide = own.pivot_table(index="id", columns="rater", values="score", aggfunc="first").reindex(truth.rows.index)
    return RaterScores(wide.to_numpy(np.float64), tuple(map(str, wide.columns)))


def rater_notes(ratings: pd.DataFrame) -> list[str]:
    """Return how the scores of raters were made comparable, and whose were not."""
    how = f"scores of raters are z-scores per rater, failed recordings {LASANA.failed_grs:g}, as the aggregated scores of a release are"
    return [how, *(fault.line() for fault in scoring.without_scale(ratings))]


def skill_sheets(source: Source) -> list[TaskSheet]:
    """Return skill scores per task.

    Raises
    ------
    ScrubinError
        For files that cannot be used.
    """
    return sheets.read(sheets_in(source.path, "skill"), _number, _skill, source.form)


def skill_computed(truth: Sequence[TaskSheet], predictions: Sequence[TaskSheet], choice: Mapping[str, str], source: Source) -> Scoring:
    """Return what is to be computed, per task; raises `MetricsError` when truth and predictions do not fit.

    Parameters
    ----------
    source
        Of the truth: what raters reach needs their ratings.
    """
    of_kind = {
        kind: [name for one in registry.alone("skill", kind) for name in one.takes] for kind in SKILL_CHOICES["paper"]["kind"].values
    }
    refuse_foreign(choice, SKILL_CHOICES["paper"], of_kind)
    pairs, notes = sheets.matched(truth, predictions)
    if choice["kind"] == "levels":
        pairs, more = _with_levels(pairs)
        notes += more
    ratings = ratings_beside(source) if choice["kind"] == "raters" else None
    parts = [_skill_of_task(one, other, choice, ratings) for one, other in pairs]
    return Scoring(parts, notes=[*notes, *(() if ratings is None else rater_notes(ratings))])


def _with_levels(pairs: Sequence[tuple[TaskSheet, TaskSheet]]) -> tuple[list[tuple[TaskSheet, TaskSheet]], list[str]]:
    """Return the columns whose truth is whole numbers, and a note of the others; raises `MetricsError` where there is none."""
    kept, notes = [], []
    for truth, predicted in pairs:
        levels = [name for name in truth.rows.columns if skill.is_level(truth.rows[name].to_numpy(np.float64))]
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


def _skill_of_task(truth: TaskSheet, predicted: TaskSheet, choice: Mapping[str, str], ratings: pd.DataFrame | None) -> Computed:
    form = cast("Form", choice["form"])
    of_raters = {} if ratings is None else {str(name): rater_matrix(ratings, truth, str(name)) for name in truth.rows.columns}

    def results(draw: Draw | None) -> list[Result]:
        every = []
        for column in truth.rows.columns:
            scores, predictions = truth.rows[column].to_numpy(), predicted.rows[column].to_numpy()
            if draw is not None:
                scores, predictions = scores[draw], predictions[draw]
            # Where nothing is known nothing need be predicted.
            predictions = np.where(np.isnan(scores), 0.0, predictions)
            of_column = [one.of(scores, predictions, choice=choice) for one in registry.alone("skill", choice["kind"])]
            if str(column) in of_raters:
                own = of_raters[str(column)]
                of_column += skill.ceiling(own.scores if draw is None else own.scores[draw], own.raters, form)
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


ERROR_TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


def error_sheets(source: Source) -> list[TaskSheet]:
    """Return errors per task as 0 and 1.

    Raises
    ------
    ScrubinError
        For files that cannot be used.
    """
    return sheets.read(sheets_in(source.path, "errors"), _truth, _errors, source.form)


def errors_computed(truth: Sequence[TaskSheet], predictions: Sequence[TaskSheet], semantics: str) -> Scoring:
    """Return what is to be computed, per task; raises `MetricsError` when truth and predictions do not fit."""
    pairs, notes = sheets.matched(truth, predictions)
    return Scoring([_errors_of_task(one, other, cast("Semantics", semantics)) for one, other in pairs], notes=notes)


def _errors_of_task(truth: TaskSheet, predicted: TaskSheet, semantics: Semantics) -> Computed:
    def results(draw: Draw | None) -> list[Result]:
        at = slice(None) if draw is None else draw
        labels = {str(name): truth.rows[name].to_numpy()[at] for name in truth.rows.columns}
        # Where nothing is known nothing need be predicted.
        predictions = {name: np.where(np.isnan(known), 0.0, predicted.rows[name].to_numpy()[at]) for name, known in labels.items()}
        every = [one.of(labels, predictions, choice={"semantics": semantics}) for one in registry.alone("errors")]
        return [replace(one, variant=replace(one.variant, options={"task": truth.task, **one.variant.options})) for one in every]

    return Computed(tuple(map(str, truth.rows.index)), results, compared=ComparedSheets(truth.task, truth.rows, predicted.rows))


def _errors(scores: Scores) -> pd.DataFrame:
    if not len(scores.errors):
        return pd.DataFrame()
    wide = scores.errors.set_index(["id", "task", "error"])["occurred"].astype("float64").unstack()  # noqa: PD010
    return wide.reset_index()


def _truth(text: str) -> float:
    if text.casefold() not in ERROR_TRUTHS:
        msg = "give True or False (1 or 0); apply a threshold to probabilities first"
        raise ValueError(msg)
    return ERROR_TRUTHS[text.casefold()]
