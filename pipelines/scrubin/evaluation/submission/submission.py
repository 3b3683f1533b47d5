"""A whole submission: every fault of every file at once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.core import strangers
from scrubin.core.faults import Fault, Faults, printable
from scrubin.evaluation.series import IntArray, Series, faults_of, note_extra_video, note_missing_video
from scrubin.evaluation.submission import folders
from scrubin.evaluation.submission.folders import KINDS, Kind, SubmittedFiles
from scrubin.evaluation.submission.truth import GroundTruth, TrueVideo
from scrubin.labels import suspicions
from scrubin.labels.formats.cholectriplet2022 import labels_of
from scrubin.labels.formats.plain import phase_cells, phase_tables
from scrubin.labels.formats.submission import documents
from scrubin.labels.formats.submission.content import KEYS, Content, note_missing_task, parse
from scrubin.labels.model import Labels
from scrubin.labels.parse.where import Where
from scrubin.labels.policy import stopping
from scrubin.labels.tasks import TASKS, Task

Taker = Callable[[TrueVideo, Content], None]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check.

    Parameters
    ----------
    faults
        All of them, by file.
    tasks
        Which tasks the submission takes part in.
    videos
        How many videos were looked at.
    frames
        How many frames these have.
    notes
        What is no fault but should be known.
    """

    faults: tuple[Fault, ...]
    tasks: tuple[Task, ...]
    videos: int
    frames: int
    notes: tuple[str, ...]

    @property
    def errors(self) -> tuple[Fault, ...]:
        """What keeps the submission from being scored."""
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def by_file(self) -> dict[str, int]:
        """How many faults each file has."""
        return dict(Counter(fault.file for fault in self.faults))

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON values."""
        return {
            "valid": not stopping("submission check", self.faults),
            "scorable": not self.errors,
            "tasks": list(self.tasks),
            "videos": self.videos,
            "frames": self.frames,
            "problems": [fault.as_json() for fault in self.faults],
            "problems_by_file": self.by_file,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False)
class _File:
    """What is kept of a file when the next one is read: not its scores, which are large."""

    kind: Kind
    video: str
    file: str
    frames: IntArray
    tasks: tuple[Task, ...]
    usable: tuple[int, ...]
    boxes: Labels | None


def check(path: Path, truth: GroundTruth, *, tasks: Collection[Task] = (), take: Taker | None = None) -> Outcome:
    """Check a submission, file by file: only one is in memory.

    Parameters
    ----------
    path
        Folder with ``<video>.json`` (recognition, detection) or ``<video>.csv`` (phases).
    truth
        What is expected.
    tasks
        Tasks that must be there; those that any frame has must be complete in any case.
    take
        Called with what was read of each video, faults included; use it only when there are no errors in the end.

    Raises
    ------
    AnnotationError
        When there is no such folder, or it cannot be read.
    """
    faults = Faults()
    submitted = folders.sort_files(folders.folder_of(path), truth.videos, faults)
    files: list[_File] = []
    for (kind, video), file in sorted(submitted.files.items()):
        content = _read(kind, file, truth.videos[video], truth, faults)
        if content is None:
            continue
        if take is not None:
            take(truth.videos[video], content)
        files.append(_kept(kind, video, file.name, content, truth))
    if not faults.errors():
        recordings = [one.boxes for one in files if one.boxes is not None]
        # That frames run from 1 is said where they are compared with the labels.
        faults.extend(fault for fault in suspicions.of(recordings, 0) if fault.rule != suspicions.FROM_ONE)
    part_of: set[Task] = {*tasks, *(task for one in files for task in one.tasks)}
    part_of |= {"phases"} if any(kind == "csv" for kind, _ in submitted.files) else set()
    _note_against_truth(files, submitted, truth, part_of, faults)
    seen = {video for _, video in submitted.files}
    notes = [f"{printable(name)} was not looked at: no part of a submission" for name in submitted.others]
    frames = sum(len(_frames(truth.videos[video])) for video in seen)
    return Outcome(faults.all(), tuple(task for task in TASKS if task in part_of), len(seen), frames, tuple(notes))


def _kept(kind: Kind, video: str, file: str, content: Content, truth: GroundTruth) -> _File:
    boxes = None
    if content.boxes is not None:
        boxes = labels_of(file, Content(content.frames, boxes=content.boxes), truth.vocabulary)
    return _File(kind, video, file, content.frames, content.tasks, content.usable, boxes)


def _note_against_truth(
    files: Sequence[_File], submitted: SubmittedFiles, truth: GroundTruth, part_of: Collection[Task], faults: Faults
) -> None:
    """Note what only the ground truth and the whole submission can tell."""
    for kind in KINDS.values():
        of = {one.video: Series(one.frames, one.frames, file=one.file) for one in files if one.kind == kind and len(one.frames)}
        labelled = {video: _wanted(truth.videos[video], kind) for video in of}
        faults.extend(faults_of({video: Series(frames, frames) for video, frames in labelled.items() if frames is not None}, of))
    for one in files:
        for task in KEYS if one.kind == "json" else ():
            if task in part_of and task not in one.tasks:
                note_missing_task(one.file, task, list(one.usable), faults)
    _note_missing(submitted, truth, part_of, faults)


def _wanted(video: TrueVideo, kind: Kind) -> IntArray | None:
    """Return the frames that a file must have; None when the video is not labelled so."""
    return video.frames if kind == "json" else video.phase_frames


def _frames(video: TrueVideo) -> set[int]:
    return {frame for frames in (video.frames, video.phase_frames) if frames is not None for frame in frames.tolist()}


def _read(kind: Kind, file: Path, video: TrueVideo, truth: GroundTruth, faults: Faults) -> Content | None:
    wanted = _wanted(video, kind)
    if wanted is None:
        what = "triplets" if kind == "json" else "phases"
        note_extra_video(file.name, faults, f"leave it out: the video has no labels of {what}")
        return None
    limit = documents.most_bytes(len(wanted) * len(truth.vocabulary.triplets))
    try:
        # One byte more than is allowed tells as much as all of a file that is far too large.
        with strangers.opened(file, inside=file.parent) as opened:
            size = os.fstat(opened.fileno()).st_size
            data = opened.read(limit + 1)
    except OSError as error:
        faults.error(file.name, "file-unreadable", f"cannot be read: {error.strerror}", "make it readable")
        return None
    if len(data) > limit:
        what = f"is {max(size, len(data)) >> 20} MiB, more than {len(wanted)} frames can need ({limit >> 20} MiB), and was not read"
        faults.error(file.name, "file-size", what, "write only the frames of the ground truth, without indentation")
        return None
    if kind == "json":
        return parse(file.name, data, truth.vocabulary, faults)
    where = Where(faults, file.name)
    cells = phase_cells.cells_of(where, data, video.per_second)
    if cells is None:
        return None
    if cells.video != video.name and cells.video in truth.videos:
        where.error("video-name", f"its rows are of the video '{cells.video}'", "name the file after its video")
    return Content(cells.frames, phases=np.array(phase_tables.ids_of(where, cells, truth.vocabulary), np.int64))


def _note_missing(submitted: SubmittedFiles, truth: GroundTruth, part_of: Collection[Task], faults: Faults) -> None:
    """Note the videos without a file, of the kinds that the submission consists of."""
    kinds: list[Kind] = []
    if not submitted.files:
        return  # said once, not once per video
    if {"recognition", "detection"} & set(part_of) or any(kind == "json" for kind, _ in submitted.files):
        kinds.append("json")
    if "phases" in part_of:
        kinds.append("csv")
    for kind in kinds:
        for name, video in truth.videos.items():
            if _wanted(video, kind) is not None and (kind, name) not in submitted.files:
                note_missing_video(f"{name}.{kind}", name, [video for of, video in submitted.files if of == kind], faults)
