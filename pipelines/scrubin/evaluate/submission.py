"""A whole submission against a ground truth: every fault of every file at once."""

from __future__ import annotations

import os
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults, printable
from scrubin.base.file_lists import is_of_system
from scrubin.evaluate import released_truth
from scrubin.evaluate.series import IntArray, Series, faults_of, not_whole, note_extra_video, note_missing_video, unread_of
from scrubin.evaluate.submission_truth import GroundTruth, TrueVideo
from scrubin.labels.choices import TASKS, Task
from scrubin.labels.files import detect, suspicions
from scrubin.labels.formats.plain import phase_cells, phase_tables
from scrubin.labels.formats.submission import documents
from scrubin.labels.formats.submission.content import KEYS, Content, as_warnings, note_missing_task, parse
from scrubin.labels.formats.triplets.cholectriplet2022 import labels_of
from scrubin.labels.model import Labels
from scrubin.labels.parse.fields import Where
from scrubin.labels.policy import stopping

SubmittedKind = Literal["json", "csv"]
KINDS: dict[str, SubmittedKind] = {".json": "json", ".csv": "csv"}
EMPTY = "folder-empty"


def kind_of(task: str) -> SubmittedKind:
    """Return in which files a task is handed in."""
    return "csv" if task == "phases" else "json"


@dataclass(frozen=True)
class SubmittedFiles:
    """The files of a submission.

    Parameters
    ----------
    files
        By kind and video, the file to be read for it.
    others
        Names of files that are no part of a submission, such as a description.
    """

    files: dict[tuple[SubmittedKind, str], Path]
    others: tuple[str, ...]


def folder_of(path: Path) -> Path:
    """Return a submission's folder.

    Raises
    ------
    AnnotationError
        When it is none: missing, an archive, a file.
    """
    if path.is_dir():
        return path
    what, fix = "is a file", "name the folder that holds one <video>.json per video, or <video>.csv for phases"
    if not path.exists():
        what, fix = "there is no such folder", ""
    elif path.is_file() and zipfile.is_zipfile(path):
        what, fix = "is a zip archive", "unpack it and name the folder"
    raise AnnotationError([Fault(str(path), "folder", what, fix)])


def sort_files(folder: Path, videos: Iterable[str], faults: Faults, hidden: Collection[str] = ()) -> SubmittedFiles:
    """Return which file is for which video.

    Parameters
    ----------
    folder
        The submission.
    videos
        Names of the videos.
    faults
        Takes names that fit no video, folders within the folder, and a submission without files.
    hidden
        Names of further videos: those whose labels are left out.

    Raises
    ------
    AnnotationError
        When the folder cannot be read.
    """
    names = sorted(videos)
    known = frozenset(names)
    files: dict[tuple[SubmittedKind, str], Path] = {}
    odd: list[Path] = []
    below: list[Path] = []
    of_hidden = False
    try:
        for path in sorted(folder.iterdir()):
            if is_of_system(path.name):
                continue
            if path.is_dir():
                below += [path] if any(one.suffix.lower() in KINDS for one in path.rglob("*")) else []
            elif path.suffix.lower() in KINDS and path.stem in known and path.is_file():
                first = files.setdefault((KINDS[path.suffix.lower()], path.stem), path)
                if first != path:
                    detect.note_same_name(path.name, first.name, faults)
            elif path.suffix.lower() in KINDS and path.stem in hidden:
                note_extra_video(path.name, faults)
                of_hidden = True
            else:
                odd.append(path)
    except OSError as error:
        raise AnnotationError([Fault(str(folder), "file-unreadable", f"cannot be read: {error.strerror}", "make it readable")]) from error
    others = tuple(path.name for path in odd if not _place(path, names, files, faults))
    _note_nested_folders(below, bool(files), faults)
    if not files and not below:
        example = names[0] if names else "<video>"
        fix = f"name one per video, such as {example}.json, or {example}.csv for phases; archives within it are not unpacked"
        what = "the submission has no files that fit a video"
        faults.error("", EMPTY, *((f"{what} whose labels are here", "") if of_hidden else (what, fix)))
    return SubmittedFiles(files, others)


def _note_nested_folders(below: list[Path], has_files: bool, faults: Faults) -> None:
    for path in below:
        fix = "move its files up" if has_files or len(below) > 1 else f"move its files up, or name this folder: .../{path.name}"
        faults.error(f"{path.name}/", "folder-nested", "there are files in a folder within the submission, which are not read", fix)


def _place(path: Path, names: list[str], files: dict[tuple[SubmittedKind, str], Path], faults: Faults) -> bool:
    """Tell what is wrong with an odd name; return False for a file that is no part of a submission."""
    kind = KINDS.get(path.suffix.lower())
    meant = _meant(path, names)
    if kind is None:
        if meant is not None and path.stem.split(".")[0].casefold() == meant.casefold():
            fault = f"its name is that of a video, but '{path.suffix}' is no suffix of a submitted file"
            faults.error(path.name, "name-suffix", fault, f"write it as {meant}.json, or phases as {meant}.csv")
            return True
        return False
    if not path.is_file():
        faults.error(path.name, "name-video", "is no regular file", "copy the file itself into the folder")
        return True
    if meant is None:
        if kind == "csv":
            return False
        example = f"; the videos are {', '.join(names[:3])}" + (" ..." if len(names) > 3 else "") if names else ""
        note_extra_video(path.name, faults, f"leave it out, or correct its name{example}")
        return True
    wanted = f"{meant}{path.suffix.lower()}"
    if (kind, meant) in files:
        note_extra_video(path.name, faults, f"leave it out, as there is {wanted} too")
        return True
    faults.error(path.name, "name-video", "fits no video of the ground truth", f"did you mean {wanted}?")
    files[kind, meant] = path
    return True


def _meant(path: Path, names: list[str]) -> str | None:
    """Return the only video that a name can mean: same but for case, or with the same number."""
    stem = path.stem.casefold().strip()
    spelt = stem, path.name.casefold(), path.stem.split(".")[0].casefold()
    same = [name for name in names if name.casefold() in spelt]
    within = [name for name in names if name.casefold() in stem and _is_word(name.casefold(), stem)]
    number = _number(stem)
    numbered = [name for name in names if number is not None and _number(name) == number]
    for candidates in (same, within, numbered):
        if len(candidates) == 1:
            return candidates[0]
    return None


def _is_word(name: str, stem: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", stem) is not None


def _number(name: str) -> int | None:
    digits = re.findall(r"[0-9]{1,15}", name)
    return int(digits[0]) if len(digits) == 1 else None


Taker = Callable[[TrueVideo, Content, str], None]


@dataclass(frozen=True)
class CheckedSubmission:
    """The outcome of a check.

    Parameters
    ----------
    faults
        All of them, by file.
    tasks
        Which tasks the submission takes part in.
    videos
        How many videos have a file of their name that was looked at.
    frames
        How many frames these have.
    notes
        What is no fault but should be known.
    """

    faults: tuple[Fault, ...]
    tasks: tuple[str, ...]
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

    kind: SubmittedKind
    video: str
    file: str
    frames: IntArray
    tasks: tuple[Task, ...]
    usable: tuple[int, ...]
    boxes: Labels | None


def check(path: Path, truth: GroundTruth, *, tasks: Collection[Task] = (), take: Taker | None = None) -> CheckedSubmission:
    """Check a submission, file by file: only one is in memory.

    Parameters
    ----------
    path
        Folder with ``<video>.json`` (recognition, detection) or ``<video>.csv`` (phases).
    truth
        What is expected.
    tasks
        Tasks that must be there: what is wrong with others is a warning. None: those that any frame has must be complete.
    take
        Called with what was read of each video, faults included, and the name of its file; use it only when there are no errors in the end.

    Raises
    ------
    AnnotationError
        When there is no such folder, or it cannot be read.
    """
    faults = Faults()
    kinds = {kind_of(task) for task in tasks} or {*KINDS.values()}
    truth = truth.asked(tasks)
    submitted = _of_kinds(kinds, path, truth, faults)
    _note_unread_truth(path, kinds, truth, faults)
    files: list[_File] = []
    notes: list[str] = []
    no_triplets = _without_whole_triplets(truth)
    for (kind, video), file in sorted(submitted.files.items()):
        if video in no_triplets and kind == "json":
            notes.append(f"{printable(file.name)} was not looked at: its video has no whole triplets, so it does not count")
            continue
        content = _read(kind, file, truth.videos[video], truth, faults, tasks)
        if content is None:
            continue
        if take is not None:
            take(truth.videos[video], content, file.name)
        files.append(_kept(kind, video, file.name, content, truth))
    if not faults.errors():
        recordings = [one.boxes for one in files if one.boxes is not None]
        # That frames run from 1 is said where they are compared with the labels.
        faults.extend(fault for fault in suspicions.of(recordings, 0) if fault.rule != suspicions.FROM_ONE)
    part_of: set[Task] = {*tasks, *(task for one in files for task in one.tasks)}
    part_of |= {"phases"} if any(kind == "csv" for kind, _ in submitted.files) else set()
    _note_against_truth(files, truth, part_of, tasks, faults)
    if not any(fault.rule == EMPTY for fault in faults.all()):  # said once, not once per video
        _note_missing(submitted.files, truth, tasks or part_of, faults)
    # What a file of another name holds is looked at, but it is not yet there for its video.
    seen = {video for (_, video), file in submitted.files.items() if file.stem == video}.intersection(truth.names)
    notes += [f"{printable(name)} was not looked at: no part of a submission" for name in submitted.others]
    if no_triplets and part_of.intersection(KEYS):
        notes.append(not_whole(sorted(no_triplets), sum(video.frames is not None for video in truth.videos.values())).sentence)
    by_task = [truth.frames_of(task) for task in TASKS]
    frames = sum(len({frame for of in by_task for frame in of.get(video, ())}) for video in seen)
    found = released_truth.rightly_blamed(faults.all(), truth.release)
    return CheckedSubmission(found, tuple(task for task in TASKS if task in part_of), len(seen), frames, tuple(notes))


def _of_kinds(kinds: Collection[SubmittedKind], path: Path, truth: GroundTruth, faults: Faults) -> SubmittedFiles:
    """Return the files of some kinds; what is wrong with the names of others is a warning, as it is that they are there."""
    names = Faults()
    hidden = frozenset() if truth.release is None else truth.release.hidden
    submitted = sort_files(folder_of(path), truth.videos, names, hidden)
    others = [fault for fault in names.all() if KINDS.get(PurePosixPath(fault.file).suffix.lower()) not in (None, *kinds)]
    faults.extend(fault for fault in names.all() if fault not in others)
    faults.extend(as_warnings(others))
    for (kind, _), file in submitted.files.items():
        if kind not in kinds:
            faults.warning(file.name, "task-other", "is of another task, and was not looked at", "leave it out, or check it for that task")
    return replace(submitted, files={one: file for one, file in submitted.files.items() if one[0] in kinds})


def _note_unread_truth(path: Path, kinds: Collection[SubmittedKind], truth: GroundTruth, faults: Faults) -> None:
    """Note each submitted video whose labels lie in a file that was not read: it would not count, and nobody would know."""
    if truth.verdict is not None:
        handed_in = {one.stem for one in folder_of(path).iterdir() if KINDS.get(one.suffix.lower()) in kinds}
        names = sorted(name for name in handed_in - truth.videos.keys() if truth.only is None or name in truth.only)
        faults.extend(unread_of(names, truth.verdict.faults))


def _kept(kind: SubmittedKind, video: str, file: str, content: Content, truth: GroundTruth) -> _File:
    boxes = None
    if content.boxes is not None:
        boxes = labels_of(file, Content(content.frames, boxes=content.boxes), truth.vocabulary)
    return _File(kind, video, file, content.frames, content.tasks, content.usable, boxes)


def _note_against_truth(
    files: Sequence[_File], truth: GroundTruth, part_of: Collection[Task], asked: Collection[Task], faults: Faults
) -> None:
    """Note what only the ground truth and the whole submission can tell."""
    for kind in KINDS.values():
        there = [one for one in files if one.kind == kind and len(one.frames)]
        of = {one.video: Series(one.frames, one.frames, file=one.file, by_contract=True) for one in there}
        required = _required(kind, truth, asked or part_of)
        labelled = {video: _labelled(truth.videos[video], kind, required.get(video, set()), series.frames) for video, series in of.items()}
        against = {video: Series(frames, frames, film=truth.films.get(video)) for video, frames in labelled.items()}
        for one in there if "detection" in (asked or part_of) else ():
            if one.boxes is not None and one.boxes.instances is not None and (boxes := truth.videos[one.video].boxes) is not None:
                found = one.boxes.instances.rows["position"].to_numpy(np.int64)
                of[one.video], against[one.video] = replace(of[one.video], found=found), replace(against[one.video], found=boxes.frames)
        faults.extend(faults_of(against, of))
    for task in [task for task in KEYS if task in part_of]:
        counted = truth.frames_of(task)
        for one in files:
            if one.kind == "json" and task not in one.tasks and one.video in counted:
                of_task = Faults()
                note_missing_task(one.file, task, list(one.usable), of_task)
                faults.extend(of_task.all() if not asked or task in asked else as_warnings(of_task.all()))


def _without_whole_triplets(truth: GroundTruth) -> set[str]:
    """Return the videos whose instances are labelled, and count for no task."""
    counted = {name for task in KEYS for name in truth.frames_of(task)}
    return {name for name, video in truth.videos.items() if video.frames is not None and name not in counted}


def _wanted(video: TrueVideo, kind: SubmittedKind) -> IntArray | None:
    """Return the frames that a file can have; None when the video is not labelled so."""
    return video.frames if kind == "json" else video.phase_frames


def _required(kind: SubmittedKind, truth: GroundTruth, part_of: Collection[Task]) -> dict[str, set[int]]:
    """Return the frames that files must have, by video: those of the tasks that a submission takes part in."""
    of_kind: tuple[Task, ...] = KEYS if kind == "json" else ("phases",)
    required: dict[str, set[int]] = {}
    for task in [task for task in of_kind if task in part_of] or of_kind:
        for name, frames in truth.frames_of(task).items():
            required.setdefault(name, set()).update(frames.tolist())
    return required


def _labelled(video: TrueVideo, kind: SubmittedKind, required: set[int], predicted: IntArray) -> IntArray:
    """Return the frames that a file must have, and of those that it has the ones that are labelled."""
    wanted = _wanted(video, kind)
    there = set() if wanted is None else set(np.intersect1d(wanted, predicted).tolist())
    return np.array(sorted(there | required), np.int64)


def _read(kind: SubmittedKind, file: Path, video: TrueVideo, truth: GroundTruth, faults: Faults, asked: Collection[Task]) -> Content | None:
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
        return parse(file.name, data, truth.vocabulary, faults, asked=asked)
    where = Where(faults, file.name)
    cells = phase_cells.cells_of(where, data, video.per_second)
    if cells is None:
        return None
    if cells.video != video.name and cells.video in truth.videos:
        where.error("video-name", f"its rows are of the video '{cells.video}'", "name the file after its video")
    return Content(cells.frames, phases=np.array(phase_tables.ids_of(where, cells, truth.vocabulary), np.int64))


def _note_missing(submitted: Collection[tuple[SubmittedKind, str]], truth: GroundTruth, part_of: Collection[Task], faults: Faults) -> None:
    """Note the videos without a file, of the kinds that the submission consists of."""
    kinds: list[SubmittedKind] = []
    if {"recognition", "detection"} & set(part_of) or any(kind == "json" for kind, _ in submitted):
        kinds.append("json")
    if "phases" in part_of:
        kinds.append("csv")
    for kind in kinds:
        for name in _required(kind, truth, part_of):
            if (kind, name) not in submitted:
                note_missing_video(f"{name}.{kind}", name, [video for of, video in submitted if of == kind], faults)
