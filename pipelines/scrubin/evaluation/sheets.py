"""Sheets with a row per recording: skill scores, or errors that occurred."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from scrubin.errors import AnnotationError, MetricsError
from scrubin.labels import detect, documents, label_folder, policy, reader
from scrubin.labels.model import Scores

MISSING = ("", "nan", "na", "null", "none")
OTHER_COLUMNS = ("id", "task", "rater", "duration", "frame_count", "n_ratings", "disagreement", "strong_disagreement", "split", "fold")
LASANA, GRS = "lasana", "GRS"
FORMATS = (LASANA, "tables", "aixsuture", "jigsaws")
Cell = Callable[[str], float]


@dataclass(frozen=True, eq=False)
class Sheet:
    """Values of one task.

    Parameters
    ----------
    file
        For messages.
    task
        Its name; of a prediction the name of the file.
    rows
        Index ``id``, a column of floats per score or error; NaN is undefined.
    """

    file: str
    task: str
    rows: pd.DataFrame


def read(path: Path, cell: Cell, of: Callable[[Scores], pd.DataFrame], name: str | None) -> list[Sheet]:
    """Return the sheets of a file, or of all files directly in a folder.

    Parameters
    ----------
    path
        Where.
    cell
        A cell to a number; raises ``ValueError`` with what it must be.
    of
        What of a format's scores is meant: columns id, task and values.
    name
        The format; None: LASANA's by its signs, else plain tables.

    Raises
    ------
    ScrubinError
        Names file, row and column of what cannot be used.
    """
    if not path.exists():
        msg = f"{path}: there is no such file or folder"
        raise MetricsError(msg)
    form = _format(path, name)
    if form is not None:
        reading = reader.read_path(path, form, reader.Options())
        policy.enforce("score", reading.faults)
        collection = reading.collection
        frame = of(collection.scores) if collection.scores is not None else pd.DataFrame()
        if len(frame):
            return [_of_task(path, str(task), rows) for task, rows in frame.groupby("task", sort=True)]
        if name is not None:
            msg = f"{path}: these {form} files hold no such scores"
            raise MetricsError(msg)
    files = [path] if path.is_file() else [file for file in sorted(path.iterdir()) if file.suffix.lower() in (".csv", ".tsv")]
    found = [sheet for file in files for sheet in _sheets(file, cell)]
    if not found:
        msg = f"{path}: there is no sheet in it; give CSV files with the column id and a column per score"
        raise MetricsError(msg)
    return found


def _of_task(path: Path, task: str, rows: pd.DataFrame) -> Sheet:
    # What only other tasks have is no column of this one.
    return Sheet(path.name, task, rows.drop(columns="task").set_index("id").dropna(axis="columns", how="all"))


def _format(path: Path, name: str | None) -> str | None:
    if name is not None:
        return label_folder.format_of(name).name
    try:
        found = detect.format_of_path(path, None)
    except AnnotationError:
        return None
    if found.name == LASANA and not any(GRS in _cells(file)[0] for file in label_folder.files_of_format(path, found)):
        # A sheet of errors or of other scores, which only happens to be written with semicolons.
        return None
    return found.name if found.name in FORMATS else None


def _sheets(file: Path, cell: Cell) -> list[Sheet]:
    rows = _cells(file)
    header = rows[0]
    if "id" not in header or len(set(header)) != len(header):
        msg = f"{file.name}: the header is {', '.join(header)}; it needs the column id, and no column twice"
        raise MetricsError(msg)
    columns = [name for name in header if name not in OTHER_COLUMNS and not name.startswith("split_")]
    tasks: dict[str, dict[str, dict[str, float]]] = {}
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            msg = f"{file.name}, line {number}: {len(row)} cells for {len(header)} columns; give one per column"
            raise MetricsError(msg)
        given = dict(zip(header, row, strict=True))
        of_task = tasks.setdefault(given.get("task", file.stem), {})
        if not given["id"] or given["id"] in of_task:
            msg = (
                f"{file.name}, line {number}: the id '{given['id']}' {'stands twice' if given['id'] else 'is empty'}; one row per recording"
            )
            raise MetricsError(msg)
        of_task[given["id"]] = {name: _value(file, number, name, given[name], cell) for name in columns}
    return [Sheet(file.name, task, pd.DataFrame.from_dict(of, orient="index", columns=columns)) for task, of in sorted(tasks.items())]


def _value(file: Path, number: int, name: str, text: str, cell: Cell) -> float:
    if text.casefold() in MISSING:
        return float("nan")
    try:
        return cell(text)
    except ValueError as error:
        msg = f"{file.name}, line {number}: {name} is '{text}'; {error}"
        raise MetricsError(msg) from error


def _cells(file: Path) -> list[list[str]]:
    lines = documents.text(file.name, file.read_bytes()).splitlines()
    first = next((line for line in lines if line.strip()), "")
    sign = next((sign for sign in ("\t", ";", ",") if sign in first), ",")
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sign) if any(cell.strip() for cell in row)]
    if not rows:
        msg = f"{file.name}: the file is empty; give a header and a row per recording"
        raise MetricsError(msg)
    return rows


def matched(truth: Sequence[Sheet], predictions: Sequence[Sheet]) -> tuple[list[tuple[Sheet, Sheet]], list[str]]:
    """Return per task truth and prediction with the same rows and columns, and what the user should know.

    A sheet of predictions belongs to the task that it is named after, or to the only one that has all its ids.

    Raises
    ------
    MetricsError
        For recordings that are not predicted, or a sheet that belongs to no task.
    """
    notes: list[str] = []
    of_task: dict[str, list[Sheet]] = {sheet.task: [] for sheet in truth}
    for sheet in predictions:
        task = _task(sheet, truth)
        if task is None:
            notes.append(f"{sheet.file}: predictions of {sheet.task} have no ground truth and do not count")
        else:
            of_task[task].append(sheet)
    without = [task for task, found in of_task.items() if not found]
    if len(without) == len(of_task):
        why = f" ({notes[0]})" if notes else ""
        msg = f"nothing is predicted{why}; give a sheet with the ids of the ground truth and a column per score"
        raise MetricsError(msg)
    if without:
        notes.append(f"not predicted: {', '.join(without)}")
    pairs = [_pair(sheet, of_task[sheet.task], notes) for sheet in truth if of_task[sheet.task]]
    return pairs, notes


def _task(sheet: Sheet, truth: Sequence[Sheet]) -> str | None:
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
        tasks = ", ".join(of.task for of in truth)
        msg = f"{sheet.file}: it is not clear of which task its predictions are; name the file after one of {tasks}, or add a column task"
        raise MetricsError(msg)
    return fits[0]


def _pair(truth: Sheet, sheets: Sequence[Sheet], notes: list[str]) -> tuple[Sheet, Sheet]:
    if len(sheets) > 1:
        msg = f"the task {truth.task} is predicted in {', '.join(sheet.file for sheet in sheets)}; give one sheet per task"
        raise MetricsError(msg)
    (found,) = sheets
    columns = [name for name in truth.rows.columns if name in found.rows.columns]
    if not columns:
        known = ", ".join(map(str, truth.rows.columns))
        msg = f"{found.file}: none of its columns is in the ground truth of {truth.task}; name them as there: {known}"
        raise MetricsError(msg)
    others = sorted(set(map(str, found.rows.columns)) - set(map(str, columns)))
    unpredicted = [str(name) for name in truth.rows.columns if name not in columns]
    notes += [f"{found.file}: not predicted of {truth.task}, and not scored: {', '.join(unpredicted)}"] * bool(unpredicted)
    notes += [f"{found.file}: columns that the ground truth does not have: {', '.join(others)}"] * bool(others)
    missing = sorted(set(truth.rows.index) - set(found.rows.index))
    if missing:
        msg = (
            f"{found.file}: {len(missing)} of {len(truth.rows)} recordings of {truth.task} are not predicted ({', '.join(missing[:5])}"
            f"{' ...' if len(missing) > 5 else ''}); predict all, or name those that count by --videos"
        )
        raise MetricsError(msg)
    extra = len(set(found.rows.index) - set(truth.rows.index))
    notes += [f"{found.file}: {extra} recordings have no ground truth and do not count"] * bool(extra)
    ids = sorted(truth.rows.index)
    labelled: pd.DataFrame = truth.rows.loc[ids][columns]
    predicted: pd.DataFrame = found.rows.loc[ids][columns]
    lacking = predicted.isna() & labelled.notna()
    if lacking.any(axis=None):
        row, at = (int(places[0]) for places in np.nonzero(lacking.to_numpy()))
        id_, column = ids[row], columns[at]
        msg = f"{found.file}: the prediction of {column} of {id_} is missing, but it has ground truth; predict every recording"
        raise MetricsError(msg)
    return Sheet(truth.file, truth.task, labelled), Sheet(found.file, truth.task, predicted)


def only(sheets: Sequence[Sheet], wanted: Mapping[str, int] | None) -> list[Sheet]:
    """Return the sheets with some recordings only; None keeps all."""
    if wanted is None:
        return list(sheets)
    kept = [Sheet(sheet.file, sheet.task, sheet.rows[sheet.rows.index.isin(list(wanted))]) for sheet in sheets]
    return [sheet for sheet in kept if len(sheet.rows)]
