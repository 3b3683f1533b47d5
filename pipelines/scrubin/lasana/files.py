"""Which files of a folder of annotations belong to which task, by their names.

Source: LASANA, section Data Records: ``<Task>.csv``, ``<Task>_rater<k>.csv`` and
``<Task>_split.csv``. Ours beside them: ``<Task>_rater<k>_errors.csv``, that rater's error marks,
``<Task>_errors.csv``, the labels after harmonising, and the long tables.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scrubin.errors import RatingsError
from scrubin.lasana import csv_document
from scrubin.lasana.csv_document import Document
from scrubin.ratings import long_tables
from scrubin.ratings.cells import cut
from scrubin.ratings.params import TOTAL
from scrubin.ratings.rater_sheet import Sheet, canonical, refuse_task
from scrubin.ratings.sheets import LIKE_RATER, misnamed

NAME = re.compile(r"(?P<task>.+?)(?:_rater(?P<rater>[0-9]+)(?P<marks>_errors)?|(?P<labels>_errors)|(?P<split>_split))?\.csv")
REPORTS = re.compile(r"contradictions\.csv|differences\.csv|harmonised\.csv|.+_agreement\.csv")
"""What ``scrubin scores`` writes beside the annotations; it is not read."""
NO_CSV = re.compile(r"(.+_rater[0-9]+.*|ratings|errors)\.(?!csv$)[^.]+|.+\.(xlsx?|ods|tsv)", re.IGNORECASE)
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
    long: tuple[Sheet, ...] = ()

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
        One sentence for each fault of the others, by task; of a long table as a whole by the name of its file.
    ignored
        Files that look like rater's sheets but are no CSV.
    """

    tasks: tuple[TaskFiles, ...]
    faults: Mapping[str, tuple[str, ...]]
    ignored: tuple[str, ...] = ()


def read_folder(folder: Path) -> Folder:
    """Read every CSV of a folder; a file, or a row of a long table, that cannot be used spoils its own task only.

    Raises
    ------
    RatingsError
        When there is no such folder, no CSV in it, or nothing but names of columns.
    """
    paths, ignored = _csvs(folder)
    faults: dict[str, list[str]] = {}
    long: dict[str, list[Sheet]] = {}
    for path in paths:
        if path.name in long_tables.NAMES:
            _read_long(path, long, faults)
    own = {match["task"] for path in paths for match in [NAME.fullmatch(path.name)] if match and match["rater"]} | set(long)
    read: dict[str, list[tuple[re.Match[str], Document]]] = {task: [] for task in long}
    for path in paths:
        if path.name in long_tables.NAMES:
            continue
        task = _task_of(path.name, own)
        read.setdefault(task, [])
        try:
            match = _match(path.name, own)
            refuse_task(path.name, task)
            read[task].append((match, csv_document.read(path)))
        except RatingsError as error:
            faults.setdefault(task, []).append(str(error))
    if not read and not faults:
        msg = f"{paths[0].name}: it has names of columns, but no row; add rows or remove the file"
        raise RatingsError(msg)
    rated = {task for task, found in read.items() if found or _has_scores(long.get(task, ()))} | set(faults)
    # What is in ratings that cannot be read, nobody knows.
    rated = set() if "ratings.csv" in faults else rated - set(long_tables.NAMES)
    for task, found in read.items():
        faults.setdefault(task, []).extend([*_strange(task, found), *_twice(found), *_only_marks(task, rated, long)])
    tasks = [_gathered(task, found, long.get(task, ())) for task, found in sorted(read.items()) if not faults[task]]
    return Folder(tuple(tasks), {task: tuple(sentences) for task, sentences in sorted(faults.items()) if sentences}, ignored)


def _read_long(path: Path, long: dict[str, list[Sheet]], faults: dict[str, list[str]]) -> None:
    """Add what a long table says to the sheets and the faults of its tasks."""
    try:
        table = long_tables.read_apart(path)
    except RatingsError as error:
        faults.setdefault(path.name, []).append(str(error))
        return
    for task, sheets in table.sheets.items():
        long.setdefault(task, []).extend(sheets)
    for task, sentence in table.faults.items():
        faults.setdefault(task, []).append(sentence)


def _csvs(folder: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Return the CSVs to be read, and the names of files that should be CSVs."""
    if not folder.is_dir():
        msg = f"{folder}: there is no such folder; name the folder of the rater files"
        raise RatingsError(msg)
    # A hidden file belongs to an editor or a file manager, not to the study.
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv" and not path.name.startswith("."))
    ignored = tuple(sorted(path.name for path in folder.iterdir() if NO_CSV.fullmatch(path.name) and not path.name.startswith((".", "~"))))
    paths = [path for path in found if not REPORTS.fullmatch(path.name)]
    if not paths:
        inside = folder / "Annotation"
        sheets = f"save {ignored[0]} as CSV with semicolons" if ignored else "it should hold files such as PegTransfer_rater1.csv"
        hint = f"did you mean {inside}?" if inside.is_dir() else sheets
        msg = f"{folder}: there is no CSV of scores in it; {hint}"
        raise RatingsError(msg)
    return paths, ignored


def _match(name: str, own: Collection[str]) -> re.Match[str]:
    match = NAME.fullmatch(name)
    if _meant(name, own):
        msg = f"{name}: {misnamed(name)}"
        raise RatingsError(msg)
    if match is None:
        msg = f"{name}: expected a name such as PegTransfer.csv or PegTransfer_rater1.csv; rename or remove the file"
        raise RatingsError(msg)
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


def _twice(found: Iterable[tuple[re.Match[str], Document]]) -> list[str]:
    """Return which files are of one and the same rater, such as rater1 and rater01."""
    first: dict[tuple[str, bool], str] = {}
    sentences = []
    for match, document in found:
        if match["rater"]:
            other = first.setdefault((canonical(match["rater"]), match["marks"] is not None), document.file)
            if other != document.file:
                sentences.append(f"{document.file}: it is of the same rater as {other}; join the two, or number the raters differently")
    return sentences


def _strange(task: str, found: Iterable[tuple[re.Match[str], Document]]) -> list[str]:
    """Return what is wrong with a file that is named like the main file of a task, but has nothing of it."""
    documents = [document for _, document in found]
    if [document.file for document in documents] == [f"{task}.csv"] and TOTAL not in documents[0].columns:
        return [
            f"{task}.csv: it is none of the files of annotations, as it has no column {TOTAL} and no rater's sheet; rename or remove it"
        ]
    return []


def _has_scores(sheets: Iterable[Sheet]) -> bool:
    return not all(sheet.marks_errors for sheet in sheets)


def _only_marks(task: str, rated: set[str], long: Mapping[str, Iterable[Sheet]]) -> list[str]:
    """Return what is wrong with a task of a long table of error marks that no other file knows, while they know others."""
    if task in rated or not rated:
        return []
    place = next(row.place for sheet in long[task] for row in sheet.rows)
    near = difflib.get_close_matches(task, rated, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"rated are {', '.join(map(cut, sorted(rated)))}"
    return [f"{place}: there are marks of task '{cut(task)}', but no ratings; {hint}"]


def _gathered(task: str, found: Iterable[tuple[re.Match[str], Document]], long: Iterable[Sheet]) -> TaskFiles:
    main = labels = split = None
    sheets: dict[str, Document] = {}
    marks: dict[str, Document] = {}
    for match, document in found:
        if match["rater"]:
            (marks if match["marks"] else sheets)[match["rater"]] = document
        elif match["labels"]:
            labels = document
        elif match["split"]:
            split = document
        else:
            main = document
    return TaskFiles(task, main, sheets, marks, labels, split, tuple(long))
