"""The draft of `recordings.csv`: a row for every usable file, with what of each row is a guess."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from scrubin.base.text.csv_rows import csv_of
from scrubin.curate.draft import Header, RecordedFile, Unusable
from scrubin.curate.draft.folder import COPY, without_doubles
from scrubin.curate.draft.grouping import EQUAL_LENGTH_S, Placed, Recording, recordings
from scrubin.stages.ingest.decide import are_one_rate
from scrubin.stages.ingest.manifest import TaskParams
from scrubin.stages.recordings_list import COLUMNS, DRAFT

CONFIRM = DRAFT
"""The column that says what of a row is a guess. The pipeline refuses the list as long as it is there."""
DOUBT = "DOUBT: "
DRAFTED = (*COLUMNS[: COLUMNS.index("path")], "part", *COLUMNS[COLUMNS.index("path") :], CONFIRM)
_JOINT = " | "


@dataclass(frozen=True)
class DraftRow:
    """One drafted row.

    Parameters
    ----------
    path
        From the folder that was looked through.
    header
        What its head says.
    guesses, doubts
        To be confirmed; doubts first.
    """

    recording: str
    task: str
    camera: str
    part: int | None
    path: PurePosixPath
    header: Header
    size_bytes: int
    guesses: tuple[str, ...]
    doubts: tuple[str, ...]

    @property
    def confirm(self) -> str:
        """What a person has to look at, in one cell."""
        return _JOINT.join([*(f"{DOUBT}{doubt}" for doubt in self.doubts), *self.guesses])


@dataclass(frozen=True)
class LeftOut:
    """A file that stands in no row, and why."""

    path: str
    size_bytes: int
    reason: str
    fix: str

    @property
    def is_copy(self) -> bool:
        """Whether another file with the same content stands in a row."""
        return self.reason.startswith(COPY)


@dataclass(frozen=True)
class Draft:
    """Every file of a folder in exactly one place: a row, or the list of what is left out."""

    rows: tuple[DraftRow, ...]
    left_out: tuple[LeftOut, ...]


def draft(files: Iterable[RecordedFile], tasks: Mapping[str, TaskParams], stereo_tolerance_s: float = math.inf) -> Draft:
    """Return the draft for the files of a folder; their order does not matter.

    Parameters
    ----------
    files
        All files that may be recordings.
    tasks
        Of the study by name: a task is guessed where its name stands in a path.
    stereo_tolerance_s
        Parameter ``ingest.stereo_tolerance_s``: cameras whose lengths differ by more are in doubt.
    """
    known = list(without_doubles(files))
    left_out = [
        LeftOut(file.shown, file.size_bytes, file.content.reason, file.content.fix) for file in known if isinstance(file.content, Unusable)
    ]
    rows = [row for recording in recordings(known) for row in _rows(recording, tasks, stereo_tolerance_s)]
    return Draft(tuple(rows), tuple(sorted(left_out, key=lambda left: left.path)))


def text(rows: Sequence[DraftRow], below: str) -> str:
    """Return the rows as CSV; participants are empty, because no file says who they are.

    Parameters
    ----------
    below
        Where the files are to be found from the raw folder, such as ``videos``.
    """
    cells = [
        {
            "recording": row.recording,
            "task": row.task,
            "camera": row.camera,
            "part": row.part,
            CONFIRM: row.confirm,
            "path": f"{below}/{row.path}",
        }
        for row in rows
    ]
    return csv_of([DRAFTED, *([of_row.get(name, "") for name in DRAFTED] for of_row in cells)])


def _rows(recording: Recording, tasks: Mapping[str, TaskParams], stereo_tolerance_s: float) -> Iterable[DraftRow]:
    task, guess, doubt = _task(recording, tasks)
    of_pair = tuple(_of_pair(recording, stereo_tolerance_s))
    for placed in recording.files:
        yield DraftRow(
            recording=recording.name,
            task=task,
            camera=placed.camera,
            part=placed.part,
            path=placed.file.path,
            header=placed.file.header,
            size_bytes=placed.file.size_bytes,
            guesses=(*placed.guesses, guess),
            doubts=(*placed.doubts, *of_pair, *([doubt] if doubt else [])),
        )


def _of_pair(recording: Recording, stereo_tolerance_s: float) -> Iterable[str]:
    """Yield why the stage ingest would set a stereo recording aside, as far as heads of files tell."""
    headers = {side: [placed.file.header for placed in recording.files if placed.camera == side] for side in ("left", "right")}
    if not all(headers.values()):
        return
    lengths = [math.fsum(header.duration_s or math.nan for header in headers[side]) for side in headers]
    apart_s = abs(lengths[0] - lengths[1])
    # Further apart is in doubt already.
    if stereo_tolerance_s < apart_s <= EQUAL_LENGTH_S:
        how = f"more than ingest.stereo_tolerance_s ({stereo_tolerance_s:g} s)"
        yield f"left and right differ in length by {apart_s:.2f} s, {how}: they would be set aside"
    rates = [headers[side][0].fps for side in headers]
    if all(rates) and not are_one_rate(rates[0], rates[1], max(max(lengths) * float(max(rates)), 1)):
        shown = [f"{float(rate):.2f}".removesuffix(".00") for rate in rates]
        yield f"left has {shown[0]} frames per second, right {shown[1]}: unless they vary, they would be set aside"


def _task(recording: Recording, tasks: Mapping[str, TaskParams]) -> tuple[str, str, str]:
    """Return the task that all paths of a recording name, what to confirm, and what speaks against it."""
    named = set.intersection(*(_named_tasks(placed, tasks) for placed in recording.files))
    if len(named) != 1:
        return "", f"task: {'several stand in its path' if named else 'none stands in its path'}, write it", ""
    (task,) = named
    cameras = {placed.camera for placed in recording.files}
    wanted = set(tasks[task].cameras)
    wanted_text, here = " and ".join(tasks[task].cameras), " and ".join(sorted(cameras))
    doubt = "" if cameras == wanted else f"{task} has the cameras {wanted_text}, here is {here}"
    return task, f"task: {task}, by its path", doubt


def _named_tasks(placed: Placed, tasks: Mapping[str, TaskParams]) -> set[str]:
    path = _letters(placed.file.path.as_posix())
    named = {task for task in tasks if _letters(task) in path}
    return {task for task in named if not any(_letters(task) in _letters(other) for other in named - {task})}


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text).casefold())
