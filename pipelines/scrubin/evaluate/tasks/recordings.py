"""Sheets with a row per recording, scored: skill by its scores, errors by their occurrence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError, MetricsError
from scrubin.base.faults import Fault, Faults, count_text, error
from scrubin.base.statistics import Form
from scrubin.base.text import csv_text
from scrubin.evaluate import released_truth
from scrubin.evaluate.computation import ComparedSheets, Computed, Scoring, refuse_foreign
from scrubin.evaluate.metrics import registry, skill
from scrubin.evaluate.metrics.bootstrap import Draw
from scrubin.evaluate.metrics.inputs import FloatArray
from scrubin.evaluate.metrics.result import Result, Semantics
from scrubin.evaluate.metrics.variants import SKILL_CHOICES
from scrubin.evaluate.side import Source
from scrubin.labels import policy
from scrubin.labels.files import detect, reader
from scrubin.labels.formats.ground_truth import sheets_in
from scrubin.labels.model import Scores
from scrubin.labels.registry import AnyFormat, format_of
from scrubin.ratings import LASANA, scoring

ID, TASK = "id", "task"
NO_SCORES = ("rater", "duration", "frame_count", "n_ratings", "disagreement", "strong_disagreement", "split", "fold")
"""What sheets say of recordings beside their scores, and ``split_...``."""
LASANA_FORMAT, GRS = "lasana", "GRS"
FORMATS = (LASANA_FORMAT, "tables", "aixsuture", "heichole-skill", "jigsaws")
OF_FRAMES = ("rate-unstated", "labelled-unstated")
"""Warnings of tables that are of their frames."""
SHOWN = 5
"""So many recordings are named in a message."""
Cell = Callable[[str], float]


@dataclass(frozen=True, eq=False)
class TaskSheet:
    """Values of one task.

    Parameters
    ----------
    file
        For messages.
    task
        Its name; of a prediction the name of the file.
    rows
        Index ``id``, a column of floats per score or error; NaN is undefined.
    lines
        Line in the file by id, where the file has lines.
    faults
        What is wrong with the files and stops nothing.
    others
        Columns that are read as no scores, by their names.
    """

    file: str
    task: str
    rows: pd.DataFrame
    lines: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    others: tuple[str, ...] = ()

    def fault(self, rule: str, what: str, fix: str, id_: str = "") -> Fault:
        """Return a fault of the file, or of the row of a recording."""
        return error(self.file, rule, what, fix, place=f"line {self.lines[id_]}" if id_ in self.lines else "")


def read(path: Path, cell: Cell, of: Callable[[Scores], pd.DataFrame], named: AnyFormat | None) -> list[TaskSheet]:
    """Return the sheets of a file, or of all files directly in a folder.

    Parameters
    ----------
    path
        Where.
    cell
        A cell to a number. Raises ``ValueError`` with what it must be. Missing cells (`scrubin.base.text.csv_text.MISSING`) are not its.
    of
        What of a format's scores is meant: columns id, task and values.
    named
        The format; None: LASANA's where it looks like that, else plain tables.

    Raises
    ------
    ScrubinError
        With every fault of every file: file, line, what is wrong, the fix.
    """
    if not path.exists():
        raise MetricsError([error(str(path), "file-missing", "there is no such file or folder", "name the file or folder of the sheets")])
    form = named or _detected(path)
    if form is not None:
        reading = reader.read_path(path, form, reader.Options())
        policy.enforce("score", reading.faults)
        collection = reading.collection
        frame = of(collection.scores) if collection.scores is not None else pd.DataFrame()
        if len(frame):
            # Sheets have no frames: that nothing states their rate is none of theirs.
            of_sheets = (fault for fault in reading.faults if fault.rule not in OF_FRAMES)
            found = (*of_sheets, *detect.unread_faults(form.name, reading.unread))
            return [_of_task(path, str(task), rows, found) for task, rows in frame.groupby(TASK, sort=True)]
        if named is not None:
            raise MetricsError([error(str(path), "no-scores", f"these {form.name} files hold no such scores", "name files that do")])
    every = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())
    files = [file for file in every if file == path or file.suffix.lower() in (".csv", ".tsv")]
    may_be = {file: True for file in every if file not in files and detect.may_be_labels(file)}
    unread = detect.unread_faults("CSV or TSV", may_be)
    faults = Faults()
    sheets = [sheet for file in files for sheet in _sheets(file, cell, faults)]
    MetricsError.raise_any(_in(path, faults.all()))
    if not sheets:
        fix = "give CSV files with the column id and a column per score"
        raise MetricsError([error(str(path), "no-sheets", "there is no sheet in it", fix), *unread])
    return [replace(sheets[0], faults=(*sheets[0].faults, *unread)), *sheets[1:]]


def _in(path: Path, faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return faults whose files are named with their folder: every run has files of the same names."""
    return tuple(replace(one, file=str(path / one.file if path.is_dir() and one.file else path)) for one in faults)


def _of_task(path: Path, task: str, rows: pd.DataFrame, faults: tuple[Fault, ...]) -> TaskSheet:
    # What only other tasks have is no column of this one.
    return TaskSheet(path.name, task, rows.drop(columns=TASK).set_index(ID).dropna(axis="columns", how="all"), faults=faults)


def _detected(path: Path) -> AnyFormat | None:
    try:
        form = detect.detected(path)
    except AnnotationError:
        return None
    if form.name == LASANA_FORMAT and not any(
        GRS in csv_text.read_path(file, file.name).columns for file in detect.files_of_format(path, form)
    ):
        # A sheet of errors or of other scores, which only happens to be written with semicolons.
        return None
    return form if form.name in FORMATS else None


def _sheets(file: Path, cell: Cell, faults: Faults) -> list[TaskSheet]:
    """Return the sheet of each task in a file; what is wrong with it is noted."""
    sheet = csv_text.read_path(file, file.name, (ID,))
    faults.extend(sheet.faults)
    others = tuple(name for name in sheet.columns if name in NO_SCORES or name.startswith("split_"))
    columns = [name for name in sheet.columns if name not in (ID, TASK, *others)]
    values: dict[str, dict[str, list[float]]] = {}
    lines: dict[str, dict[str, int]] = {}
    for row in sheet.rows:
        id_, task = row.cells[ID], row.cells.get(TASK, file.stem)
        before = lines.setdefault(task, {})
        if not id_ or id_ in before:
            what = f"the id '{csv_text.shown(id_)}' stands twice, first in line {before[id_]}" if id_ else "the id is empty"
            faults.error(file.name, "id-repeated" if id_ else "cell-empty", what, "one row per recording", place=row.place)
            continue
        before[id_] = row.line
        values.setdefault(task, {})[id_] = [_value(sheet.file, row, name, cell, faults) for name in columns]
    return [
        TaskSheet(file.name, task, pd.DataFrame.from_dict(of_task, orient="index", columns=columns), lines[task], others=others)
        for task, of_task in sorted(values.items())
    ]


def _value(file: str, row: csv_text.CsvRow, name: str, cell: Cell, faults: Faults) -> float:
    text = row.cells[name]
    if csv_text.is_missing(text):
        return float("nan")
    try:
        return cell(text)
    except ValueError as wrong:
        faults.error(file, "cell-value", f"{name} is '{csv_text.shown(text)}'", str(wrong), place=row.place)
        return float("nan")


def matched(truth: Sequence[TaskSheet], predictions: Sequence[TaskSheet]) -> tuple[list[tuple[TaskSheet, TaskSheet]], list[str]]:
    """Return per task truth and prediction with the same rows and columns, and what the user should know.

    A sheet of predictions belongs to the task that it is named after, or to the only one that has all its ids.

    Raises
    ------
    MetricsError
        For recordings that are not predicted, or a sheet that belongs to no task.
    """
    notes: list[str] = []
    by_task: dict[str, list[TaskSheet]] = {sheet.task: [] for sheet in truth}
    for sheet in predictions:
        task = _task(sheet, truth)
        if task is None:
            notes.append(f"{sheet.file}: predictions of {sheet.task} have no ground truth and do not count")
        else:
            by_task[task].append(sheet)
    without = [task for task, sheets in by_task.items() if not sheets]
    if len(without) == len(by_task):
        what = f"nothing is predicted{f' ({notes[0]})' if notes else ''}"
        raise MetricsError([error("", "not-predicted", what, "give a sheet with the ids of the ground truth and a column per score")])
    if without:
        notes.append(f"not predicted: {', '.join(without)}")
    pairs = [_pair(sheet, by_task[sheet.task], notes) for sheet in truth if by_task[sheet.task]]
    return pairs, notes


def _task(sheet: TaskSheet, truth: Sequence[TaskSheet]) -> str | None:
    """Return the task whose predictions these are; None when they have nothing to do with any."""
    if sheet.task in {of.task for of in truth}:
        return sheet.task
    near = [of.task for of in truth if not set(sheet.rows.index).isdisjoint(of.rows.index)]
    if not near and len(truth) > 1:
        return None
    if len(truth) == 1:
        return truth[0].task if near or not len(sheet.rows) else None
    fits = [of.task for of in truth if set(sheet.rows.index) <= set(of.rows.index)]
    if len(fits) != 1:
        fix = f"name the file after one of {', '.join(of.task for of in truth)}, or add a column task"
        raise MetricsError([sheet.fault("task-unclear", "it is not clear of which task its predictions are", fix)])
    return fits[0]


def _pair(truth: TaskSheet, sheets: Sequence[TaskSheet], notes: list[str]) -> tuple[TaskSheet, TaskSheet]:
    if len(sheets) > 1:
        what = f"the task {truth.task} is predicted in {', '.join(sheet.file for sheet in sheets)}"
        raise MetricsError([error("", "task-repeated", what, "give one sheet per task")])
    (prediction,) = sheets
    columns = [name for name in truth.rows.columns if name in prediction.rows.columns]
    if not len(truth.rows.columns):
        what = f"it has no values of {truth.task}, only {', '.join((ID, *truth.others))}"
        raise MetricsError([truth.fault("column-missing", what, "give a column per score, on both sides by a name that is none of these")])
    if not columns:
        known = ", ".join(map(str, truth.rows.columns))
        what = f"none of its columns is in the ground truth of {truth.task}"
        raise MetricsError([prediction.fault("column-missing", what, f"name them as there: {known}")])
    both = [name for name in truth.others if name in prediction.others]
    notes += [f"{prediction.file}: not read as values, by their names, on both sides: {', '.join(both)}"] * bool(both)
    others = sorted(set(map(str, prediction.rows.columns)) - set(map(str, columns)))
    unpredicted = [str(name) for name in truth.rows.columns if name not in columns]
    notes += [f"{prediction.file}: not predicted of {truth.task}, and not scored: {', '.join(unpredicted)}"] * bool(unpredicted)
    notes += [f"{prediction.file}: columns that the ground truth does not have: {', '.join(others)}"] * bool(others)
    missing = sorted(set(truth.rows.index) - set(prediction.rows.index))
    if missing:
        names = f"{', '.join(missing[:SHOWN])}{' ...' if len(missing) > SHOWN else ''}"
        what = f"{len(missing)} of {len(truth.rows)} recordings of {truth.task} are not predicted ({names})"
        raise MetricsError([prediction.fault("not-predicted", what, "predict all, or name those that count by --videos")])
    extra = len(set(prediction.rows.index) - set(truth.rows.index))
    notes += [f"{prediction.file}: {count_text(extra, 'recording')} without ground truth left out"] * bool(extra)
    ids = sorted(truth.rows.index)
    labelled: pd.DataFrame = truth.rows.loc[ids][columns]
    predicted: pd.DataFrame = prediction.rows.loc[ids][columns]
    missing_cells = np.argwhere((predicted.isna() & labelled.notna()).to_numpy()).tolist()
    MetricsError.raise_any(_without_value(prediction, ids[row], str(columns[at])) for row, at in missing_cells)
    return TaskSheet(truth.file, truth.task, labelled), TaskSheet(prediction.file, truth.task, predicted)


def _without_value(prediction: TaskSheet, id_: str, column: str) -> Fault:
    what = f"the prediction of '{column}' of '{id_}' is missing, but it has ground truth"
    return prediction.fault("not-predicted", what, "predict every recording", id_)


def only(sheets: Sequence[TaskSheet], wanted: Mapping[str, int] | None) -> list[TaskSheet]:
    """Return the sheets with some recordings only; None keeps all."""
    if wanted is None:
        return list(sheets)
    kept = [replace(sheet, rows=sheet.rows[sheet.rows.index.isin(list(wanted))]) for sheet in sheets]
    return [sheet for sheet in kept if len(sheet.rows)]


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
        For files that cannot be used, and for a release that has ratings and no skill: the mean of its points is another score.
    """

    def of(scores: Scores) -> pd.DataFrame:
        if len(scores.ratings) and not len(scores.skill) and released_truth.look(source.path) is not None:
            what = f"the skill of {', '.join(sorted(set(scores.ratings['task'])))} is not in this release"
            fix = "its README.md says why; its ratings are points, which are no such scores"
            raise MetricsError([error(str(source.path), "skill-missing", what, fix)])
        return _skill(scores)

    return read(sheets_in(source.path, "skill"), _number, of, source.form)


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
    pairs, notes = matched(truth, predictions)
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
        raise MetricsError(f"no score of the ground truth has levels ({columns}): {needs}")
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
        value = csv_text.number(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("give a number; only in the ground truth may a cell be empty")
    return value


ERROR_TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


def error_sheets(source: Source) -> list[TaskSheet]:
    """Return errors per task as 0 and 1.

    Raises
    ------
    ScrubinError
        For files that cannot be used.
    """
    return read(sheets_in(source.path, "errors"), _truth, _errors, source.form)


def errors_computed(truth: Sequence[TaskSheet], predictions: Sequence[TaskSheet], semantics: str) -> Scoring:
    """Return what is to be computed, per task; raises `MetricsError` when truth and predictions do not fit."""
    pairs, notes = matched(truth, predictions)
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


def refuse_other_runs(paths: Sequence[Path], runs: Sequence[Scoring]) -> None:
    """Refuse repeated runs that do not predict the same tasks and columns; raises `MetricsError` with what each of them lacks.

    Parameters
    ----------
    paths, runs
        What was named of each run, and what is to be computed of it.
    """
    sheets = [[one.compared for one in run.parts if isinstance(one.compared, ComparedSheets)] for run in runs]
    # A task, "", and each of its columns.
    predicted = [{(sheet.task, name): None for sheet in of_run for name in ("", *map(str, sheet.truth.columns))} for of_run in sheets]
    faults = []
    for number, own in enumerate(predicted):
        tasks = {task for task, _ in own}
        for task, column in dict.fromkeys(key for of_run in predicted for key in of_run if key not in own):
            if column and task not in tasks:
                continue
            other = next(at for at, of_run in enumerate(predicted) if (task, column) in of_run)
            lacked = f"the column {column} of the task {task}" if column else f"the task {task}"
            what = f"run {number} does not predict {lacked}, as run {other} ({paths[other]}) does"
            faults.append(error(str(paths[number]), "runs-differ", what, "predict the same in every run, or score the runs one by one"))
    MetricsError.raise_any(faults)


def _errors(scores: Scores) -> pd.DataFrame:
    if not len(scores.errors):
        return pd.DataFrame()
    wide = scores.errors.set_index(["id", "task", "error"])["occurred"].astype("float64").unstack()  # noqa: PD010
    return wide.reset_index()


def _truth(text: str) -> float:
    if text.casefold() not in ERROR_TRUTHS:
        raise ValueError("give True or False (1 or 0); apply a threshold to probabilities first")
    return ERROR_TRUTHS[text.casefold()]
