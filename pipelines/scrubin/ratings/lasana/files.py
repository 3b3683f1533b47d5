"""Which files of a folder of annotations belong to which task, by their names.

Source: LASANA, section Data Records: ``<Task>.csv``, ``<Task>_rater<k>.csv`` and
``<Task>_split.csv``. Ours beside them: ``<Task>_rater<k>_errors.csv``, that rater's error marks,
``<Task>_errors.csv``, the labels after harmonising, and the long tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scrubin.base import faults
from scrubin.base.errors import RatingsError
from scrubin.base.faults import Fault, meant
from scrubin.base.file_lists import is_of_system
from scrubin.base.text.csv_text import shown
from scrubin.ratings import TOTAL, rater_files
from scrubin.ratings.lasana import annotation_text
from scrubin.ratings.lasana.annotation_text import Document
from scrubin.ratings.rater_files import LIKE_RATER, misnamed
from scrubin.ratings.rater_sheet import RaterSheet, canonical, refuse_task

NAME = re.compile(r"(?P<task>.+?)(?:_rater(?P<rater>[0-9]+)(?P<marks>_errors)?|(?P<labels>_errors)|(?P<split>_split))?\.csv")
REPORTS = re.compile(r"contradictions\.csv|differences\.csv|harmonised\.csv|.+_agreement\.csv")
"""What ``scrubin scores`` writes beside the annotations; it is not read."""
_NO_CSV = re.compile(r"(.+_rater[0-9]+.*|ratings|errors)\.(?!csv$)[^.]+|.+\.(xlsx?|ods|tsv)", re.IGNORECASE)
"""Sheets that somebody forgot to save as CSV."""


@dataclass(frozen=True)
class TaskFiles:
    """The files of one task.

    Parameters
    ----------
    task
        Its name.
    main, labels, split
        ``<Task>.csv``, ``<Task>_errors.csv``, ``<Task>_split.csv``.
    sheets, marks
        Score sheets and error marks by rater, as numbered in the file name.
    long
        What long tables say about the task.
    """

    task: str
    main: Document | None = None
    sheets: Mapping[str, Document] = field(default_factory=dict)
    marks: Mapping[str, Document] = field(default_factory=dict)
    labels: Document | None = None
    split: Document | None = None
    long: tuple[RaterSheet, ...] = ()

    @property
    def documents(self) -> list[Document]:
        """All files that are the task's own, sorted by name."""
        single = [document for document in (self.main, self.labels, self.split) if document is not None]
        return sorted([*single, *self.sheets.values(), *self.marks.values()], key=lambda document: document.file)


@dataclass(frozen=True)
class Folder:
    """All tasks of a folder that can be read, sorted.

    Parameters
    ----------
    tasks
        The tasks.
    faults
        Those of the others, by task; of a long table as a whole by the name of its file.
    ignored
        Files that look like rater's sheets but are no CSV.
    """

    tasks: tuple[TaskFiles, ...]
    faults: Mapping[str, tuple[Fault, ...]]
    ignored: tuple[str, ...] = ()


def read_folder(folder: Path) -> Folder:
    """Read every CSV of a folder; a file, or a row of a long table, that cannot be used spoils its own task only.

    Raises
    ------
    RatingsError
        When there is no such folder, no CSV in it, or nothing but names of columns.
    """
    paths, ignored = _csvs(folder)
    wrong: dict[str, list[Fault]] = {}
    long: dict[str, list[RaterSheet]] = {}
    for path in paths:
        if path.name in rater_files.NAMES:
            _read_long(path, long, wrong)
    own = {match["task"] for path in paths for match in [NAME.fullmatch(path.name)] if match and match["rater"]} | set(long)
    by_task: dict[str, list[tuple[re.Match[str], Document]]] = {task: [] for task in long}
    for path in paths:
        if path.name in rater_files.NAMES:
            continue
        task = _task_of(path.name, own)
        by_task.setdefault(task, [])
        try:
            match = _match(path.name, own)
            refuse_task(path.name, task)
            by_task[task].append((match, annotation_text.read(path)))
        except RatingsError as error:
            wrong.setdefault(task, []).extend(error.faults)
    if not by_task and not wrong:
        fault = faults.error(paths[0].name, "no-rows", "it has names of columns, but no row", "add rows or remove the file")
        raise RatingsError([fault])
    rated = {task for task, files in by_task.items() if files or not all(sheet.marks_errors for sheet in long.get(task, ()))} | set(wrong)
    # What is in ratings that cannot be read, nobody knows.
    rated = set() if "ratings.csv" in wrong else rated - set(rater_files.NAMES)
    for task, files in by_task.items():
        wrong.setdefault(task, []).extend([*_foreign(task, files), *_of_one_rater(files), *_only_marks(task, rated, long)])
    tasks = [_task_files(task, files, long.get(task, ())) for task, files in sorted(by_task.items()) if not wrong[task]]
    return Folder(tuple(tasks), {task: tuple(of_task) for task, of_task in sorted(wrong.items()) if of_task}, ignored)


def _read_long(path: Path, long: dict[str, list[RaterSheet]], wrong: dict[str, list[Fault]]) -> None:
    """Add what a long table says to the sheets and the faults of its tasks."""
    try:
        table = rater_files.read_by_task(path)
    except RatingsError as error:
        wrong.setdefault(path.name, []).extend(error.faults)
        return
    for task, sheets in table.sheets.items():
        long.setdefault(task, []).extend(sheets)
    for task, of_task in table.faults.items():
        wrong.setdefault(task, []).extend(of_task)


def _csvs(folder: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Return the CSVs to be read, and the names of files that should be CSVs."""
    if not folder.is_dir():
        fault = faults.error(str(folder), "folder-missing", "there is no such folder", "name the folder of the rater files")
        raise RatingsError([fault])
    # A hidden file belongs to an editor or a file manager, not to the study.
    csvs = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv" and not path.name.startswith("."))
    ignored = tuple(sorted(path.name for path in folder.iterdir() if _NO_CSV.fullmatch(path.name) and not is_of_system(path.name)))
    paths = [path for path in csvs if not REPORTS.fullmatch(path.name)]
    if not paths:
        inside = folder / "Annotation"
        sheets = f"save {ignored[0]} as CSV" if ignored else "it should hold files such as PegTransfer_rater1.csv"
        fix = f"did you mean {inside}?" if inside.is_dir() else sheets
        raise RatingsError([faults.error(str(folder), "no-sheets", "there is no CSV of scores in it", fix)])
    return paths, ignored


def _match(name: str, own: Collection[str]) -> re.Match[str]:
    match = NAME.fullmatch(name)
    if _meant(name, own):
        raise RatingsError([misnamed(name, name)])
    if match is None:
        what = "expected a name such as PegTransfer.csv or PegTransfer_rater1.csv"
        raise RatingsError([faults.error(name, "file-name", what, "rename or remove the file")])
    return match


def _task_of(name: str, own: Collection[str]) -> str:
    """Return the task whose file this is, or is meant to be."""
    match, meant = NAME.fullmatch(name), _meant(name, own)
    if meant or match is None:
        return (meant["task"] if meant else "") or name
    return match["task"]


def _meant(name: str, own: Collection[str]) -> re.Match[str] | None:
    """Return the parts of a name that is meant to be a rater's; ``own`` are tasks whose names may look like it."""
    match = NAME.fullmatch(name)
    return None if match and (match["rater"] or match["task"] in own) else LIKE_RATER.fullmatch(name)


def _of_one_rater(files: Iterable[tuple[re.Match[str], Document]]) -> list[Fault]:
    """Return which files are of one and the same rater, such as rater1 and rater01."""
    first: dict[tuple[str, bool], str] = {}
    wrong = []
    for match, document in files:
        if match["rater"]:
            other = first.setdefault((canonical(match["rater"]), match["marks"] is not None), document.file)
            if other != document.file:
                fix = "join the two, or number the raters differently"
                wrong.append(faults.error(document.file, "rater-repeated", f"it is of the same rater as {other}", fix))
    return wrong


def _foreign(task: str, files: Iterable[tuple[re.Match[str], Document]]) -> list[Fault]:
    """Return what is wrong with a file that is named like the main file of a task, but has nothing of it."""
    documents = [document for _, document in files]
    if [document.file for document in documents] == [f"{task}.csv"] and TOTAL not in documents[0].columns:
        what = f"it is none of the files of annotations, as it has no column {TOTAL} and no rater's sheet"
        return [faults.error(f"{task}.csv", "file-foreign", what, "rename or remove it")]
    return []


def _only_marks(task: str, rated: set[str], long: Mapping[str, Iterable[RaterSheet]]) -> list[Fault]:
    """Return what is wrong with a task of a long table of error marks that no other file knows, while they know others."""
    if task in rated or not rated:
        return []
    row = next(row for sheet in long[task] for row in sheet.rows)
    fix = meant(task, rated, f"rated are {', '.join(map(shown, sorted(rated)))}")
    return [row.fault("task-unrated", f"there are marks of task '{shown(task)}', but no ratings", fix)]


def _task_files(task: str, files: Iterable[tuple[re.Match[str], Document]], long: Iterable[RaterSheet]) -> TaskFiles:
    main = labels = split = None
    sheets: dict[str, Document] = {}
    marks: dict[str, Document] = {}
    for match, document in files:
        if match["rater"]:
            (marks if match["marks"] else sheets)[match["rater"]] = document
        elif match["labels"]:
            labels = document
        elif match["split"]:
            split = document
        else:
            main = document
    return TaskFiles(task, main, sheets, marks, labels, split, tuple(long))
