"""Which files of a folder of annotations belong to which task, by their names.

Source: LASANA, section Data Records: ``<Task>.csv``, ``<Task>_rater<k>.csv`` and
``<Task>_split.csv``. Ours beside them: ``<Task>_rater<k>_errors.csv``, that rater's error marks,
``<Task>_errors.csv``, the labels after harmonising, and the long tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from scrubin.errors import RatingsError
from scrubin.scores import cells, lasana_document, long_tables
from scrubin.scores.cells import Row
from scrubin.scores.lasana_document import Document
from scrubin.scores.params import TOTAL
from scrubin.scores.sheet import Sheet, canonical, refuse_task
from scrubin.scores.sheets import NAMED_RATER

NAME = re.compile(r"(?P<task>.+?)(?:_rater(?P<rater>[0-9]+)(?P<marks>_errors)?|(?P<labels>_errors)|(?P<split>_split))?\.csv")
REPORTS = re.compile(r"contradictions\.csv|differences\.csv|harmonised\.csv|.+_agreement\.csv")
"""What ``scrubin scores`` writes beside the annotations; it is not read."""


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
    """All tasks of a folder that can be read, sorted, and one sentence for each fault of the others."""

    tasks: tuple[TaskFiles, ...]
    faults: Mapping[str, tuple[str, ...]]


def read_folder(folder: Path) -> Folder:
    """Read every CSV of a folder; a file that cannot be used spoils its own task only.

    Raises
    ------
    RatingsError
        When there is no such folder or no CSV in it, or for a long table, which spoils all tasks.
    """
    paths = _csvs(folder)
    long = [sheet for path in paths if path.name in long_tables.NAMES for sheet in _long(path)]
    read: dict[str, list[tuple[re.Match[str], Document]]] = {sheet.task: [] for sheet in long}
    faults: dict[str, list[str]] = {}
    for path in paths:
        if path.name in long_tables.NAMES:
            continue
        task = _task_of(path.name)
        read.setdefault(task, [])
        try:
            read[task].append((_match(path.name), lasana_document.read(path)))
        except RatingsError as error:
            faults.setdefault(task, []).append(str(error))
    for task, found in read.items():
        faults.setdefault(task, []).extend([*_strange(task, found), *_twice(found)])
    tasks = [
        _gathered(task, found, [sheet for sheet in long if sheet.task == task]) for task, found in sorted(read.items()) if not faults[task]
    ]
    return Folder(tuple(tasks), {task: tuple(sentences) for task, sentences in sorted(faults.items()) if sentences})


def _csvs(folder: Path) -> list[Path]:
    if not folder.is_dir():
        msg = f"{folder}: there is no such folder; name the folder of the rater files"
        raise RatingsError(msg)
    # A hidden file belongs to an editor or a file manager, not to the study.
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv" and not path.name.startswith("."))
    paths = [path for path in found if not REPORTS.fullmatch(path.name)]
    if not paths:
        inside = folder / "Annotation"
        hint = f"did you mean {inside}?" if inside.is_dir() else "it should hold files such as PegTransfer_rater1.csv"
        msg = f"{folder}: there is no CSV of scores in it; {hint}"
        raise RatingsError(msg)
    return paths


def _match(name: str) -> re.Match[str]:
    match = NAME.fullmatch(name)
    if match is None:
        msg = f"{name}: expected a name such as PegTransfer.csv or PegTransfer_rater1.csv; rename or remove the file"
        raise RatingsError(msg)
    if NAMED_RATER.fullmatch(name) and not match["rater"]:
        msg = f"{name}: the name of a rater would be published; number the raters, as in PegTransfer_rater1.csv, and rename the file"
        raise RatingsError(msg)
    return match


def _task_of(name: str) -> str:
    """Return the task whose file this is, or is meant to be."""
    match = NAME.fullmatch(name)
    if match is None or (NAMED_RATER.fullmatch(name) and not match["rater"]):
        return name.rpartition("_rater")[0] or name
    return match["task"]


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


def _long(path: Path) -> list[Sheet]:
    """Return a long table's sheets, which name the file without its folder."""
    text = cells.read_text(path)
    header = next((line for line in text.splitlines() if line.strip()), "")
    _, rows = cells.parse(path.name, text, ";" if ";" in header else ",")
    tasks = sorted({row.cells.get("task", "") for row in rows} - {""})
    nameless = [row.place for row in rows if not row.cells.get("id", "nobody")]
    if nameless:
        msg = f"{nameless[0]}: id is empty; name the recording, or remove the row"
        raise RatingsError(msg)
    for row in rows:
        refuse_task(row.place, row.cells.get("task", ""))
    folder = f"{path.parent}/"

    def bare(place: str) -> str:
        return place.removeprefix(folder)

    return [
        replace(
            sheet,
            file=bare(sheet.file),
            rows=tuple(Row(bare(row.place), row.cells, {name: bare(place) for name, place in row.places.items()}) for row in sheet.rows),
        )
        for sheet in long_tables.read(path, tasks)
    ]
