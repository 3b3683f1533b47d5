"""A whole submission: every fault of every file at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.core.faults import Fault, Faults, printable
from scrubin.evaluation.series import IntArray, Series, faults_of, note_missing_video
from scrubin.evaluation.submission import folders
from scrubin.evaluation.submission.folders import Found, Kind
from scrubin.evaluation.submission.truth import GroundTruth, TrueVideo
from scrubin.labels.formats.submission import documents, video_files
from scrubin.labels.formats.submission.content import TASKS, Content, Task
from scrubin.labels.formats.submission.video_files import Read
from scrubin.labels.policy import stopping

Taker = Callable[[TrueVideo, Content], None]
GIVE: Mapping[Task, str] = {"recognition": "give the probabilities in every frame", "detection": "write [] where nothing is detected"}


@dataclass(frozen=True)
class Outcome:
    """What a check found.

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
    found = folders.sort_files(folders.folder_of(path), truth.videos, faults)
    looked: dict[str, Read] = {}
    predicted: dict[Kind, dict[str, Series]] = {"json": {}, "csv": {}}
    for (kind, video), file in sorted(found.files.items()):
        one = _read(kind, file, truth.videos[video], truth, faults)
        if one.content is not None and take is not None:
            take(truth.videos[video], one.content)
        if len(one.frames):
            predicted[kind][video] = Series(one.frames, one.frames, file=file.name)
        if kind == "json":
            # What was read is given on; kept is only which frames lack what.
            looked[file.name] = Read(None, one.frames, one.given, one.lacking)
    given: set[Task] = {*tasks, *(task for one in looked.values() for task in one.given)}
    if any(kind == "csv" for kind, _ in found.files):
        given.add("phases")
    for kind, of in predicted.items():
        labelled = {video: _wanted(truth.videos[video], kind) for video in of}
        faults.extend(faults_of({video: Series(frames, frames) for video, frames in labelled.items() if frames is not None}, of))
    _note_lacking(looked, given, faults)
    _note_missing(found, truth, given, faults)
    seen = {video for _, video in found.files}
    notes = [f"{printable(name)} was not looked at: no part of a submission" for name in found.others]
    frames = sum(len(_frames(truth.videos[video])) for video in seen)
    return Outcome(faults.all(), tuple(task for task in TASKS if task in given), len(seen), frames, tuple(notes))


def _wanted(video: TrueVideo, kind: Kind) -> IntArray | None:
    """Return the frames that a file must have; None when the video is not labelled so."""
    return video.frames if kind == "json" else video.phase_frames


def _frames(video: TrueVideo) -> set[int]:
    return {frame for frames in (video.frames, video.phase_frames) if frames is not None for frame in frames.tolist()}


def _read(kind: Kind, file: Path, video: TrueVideo, truth: GroundTruth, faults: Faults) -> Read:
    wanted = _wanted(video, kind)
    if wanted is None:
        what = "triplet" if kind == "json" else "phase"
        faults.error(file.name, "name-video", f"the ground truth has no {what} labels of this video", "remove the file")
        return Read()
    limit = documents.most_bytes(len(wanted) * len(truth.vocabulary.triplets))
    try:
        size = file.stat().st_size
        # One byte more than is allowed tells as much as all of a file that is far too large.
        with file.open("rb") as opened:
            data = opened.read(limit + 1)
    except OSError as error:
        faults.error(file.name, "file-unreadable", f"cannot be read: {error.strerror}", "make it readable")
        return Read()
    if len(data) > limit:
        fault = f"is {max(size, len(data)) >> 20} MiB, more than {len(wanted)} frames can need ({limit >> 20} MiB), and was not read"
        faults.error(file.name, "file-size", fault, "write only the frames of the ground truth, without indentation")
        return Read()
    reader = video_files.read_json if kind == "json" else video_files.read_phases
    return reader(file.name, data, video, truth.vocabulary, faults)


def _note_lacking(looked: Mapping[str, Read], given: Collection[Task], faults: Faults) -> None:
    for file, one in looked.items():
        for task, frames in one.lacking.items():
            if frames and task in given:
                faults.error(file, f"{task}-missing", f"no '{task}'", GIVE[task], frames=frames, count=len(frames))


def _note_missing(found: Found, truth: GroundTruth, given: Collection[Task], faults: Faults) -> None:
    """Note the videos without a file, of the kinds that the submission consists of."""
    kinds: list[Kind] = []
    if not found.files:
        return  # said once, not once per video
    if {"recognition", "detection"} & set(given) or any(kind == "json" for kind, _ in found.files):
        kinds.append("json")
    if "phases" in given:
        kinds.append("csv")
    for kind in kinds:
        for name, video in truth.videos.items():
            if _wanted(video, kind) is not None and (kind, name) not in found.files:
                note_missing_video(f"{name}.{kind}", name, [video for of, video in found.files if of == kind], faults)
