"""Errors of recordings: accuracy, balanced accuracy, sensitivity, specificity, per task and error."""

from __future__ import annotations

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
from scrubin.metrics import error_recognition
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.result import Result, Semantics

CHOICES: Mapping[str, Mapping[str, Choice]] = {"paper": {}, "compat": {}}
TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


def sheets_of(source: Source) -> list[TaskSheet]:
    """Return errors per task as 0 and 1.

    Raises
    ------
    ScrubinError
        For files that cannot be used.
    """
    return sheets.read(sheets_in(source.path, "errors"), _truth, _errors, source.format)


def computed(truth: Sequence[TaskSheet], predictions: Sequence[TaskSheet], semantics: str) -> Scoring:
    """Return what is to be computed, per task; raises `MetricsError` when truth and predictions do not fit."""
    pairs, notes = sheets.matched(truth, predictions)
    return Scoring([_of_task(one, other, cast("Semantics", semantics)) for one, other in pairs], notes=notes)


def _of_task(truth: TaskSheet, predicted: TaskSheet, semantics: Semantics) -> Computed:
    def results(draw: IntArray | None) -> list[Result]:
        at = slice(None) if draw is None else draw
        labels = {str(name): truth.rows[name].to_numpy()[at] for name in truth.rows.columns}
        # Where nothing is known nothing need be predicted.
        predictions = {name: np.where(np.isnan(known), 0.0, predicted.rows[name].to_numpy()[at]) for name, known in labels.items()}
        every = [error_recognition.score(metric, labels, predictions, semantics=semantics) for metric in error_recognition.METRICS]
        return [replace(one, variant=replace(one.variant, options={"task": truth.task, **one.variant.options})) for one in every]

    return Computed(tuple(map(str, truth.rows.index)), results, compared=ComparedSheets(truth.task, truth.rows, predicted.rows))


def _errors(scores: Scores) -> pd.DataFrame:
    if not len(scores.errors):
        return pd.DataFrame()
    wide = scores.errors.set_index(["id", "task", "error"])["occurred"].astype("float64").unstack()  # noqa: PD010
    return wide.reset_index()


def _truth(text: str) -> float:
    if text.casefold() not in TRUTHS:
        msg = "give True or False (1 or 0); apply a threshold to probabilities first"
        raise ValueError(msg)
    return TRUTHS[text.casefold()]
