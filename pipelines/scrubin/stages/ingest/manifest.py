"""The manifest ``recordings.csv``: one row per video file, or per camera of a recording, as the curator wrote it."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base import faults
from scrubin.base.errors import ManifestError, ParamsError, RecordingError
from scrubin.base.faults import Fault, ranges_text
from scrubin.base.params import ranged
from scrubin.base.text import csv_text, naming
from scrubin.base.text.csv_text import seconds
from scrubin.media.source import View
from scrubin.stages import recordings_list
from scrubin.stages.recordings_list import COLUMNS, DRAFT, NAME, NEEDED, OPTIONAL, TIMES, every_row, files_below, files_named, several

NO_CLOCK, CREATION_TIME, FILE_NAME = "none", "creation_time", "file_name"
TIMECODE, DICOM_TIME = "timecode", "dicom_time"
TIME_CODES = {"%Y": r"\d{4}", "%m": r"\d{2}", "%d": r"\d{2}", "%H": r"\d{2}", "%M": r"\d{2}", "%S": r"\d{2}", "%f": r"\d{1,6}"}
"""What the form of a time in a name may have, as in `datetime.strptime`, each with the digits that it stands for."""
CLOCKS = (NO_CLOCK, CREATION_TIME, TIMECODE, DICOM_TIME, FILE_NAME)


@dataclass(frozen=True)
class TaskParams:
    """What holds for all recordings of one task.

    Parameters
    ----------
    cameras
        The cameras that each recording must have: left and right, or mono.
    time_limit_s
        Longest kept interval; None for no limit.
    over_limit
        What happens to a longer one: ``exclude`` it, or ``truncate`` it at the limit.
    """

    cameras: tuple[str, ...] = ranged(choices=("left", "right", "mono"))
    time_limit_s: float | None = ranged(low=0.001)
    over_limit: str = ranged(choices=("exclude", "truncate"))

    def __post_init__(self) -> None:
        if sorted(self.cameras) not in (["left", "right"], ["mono"]):
            said = ", ".join(self.cameras)
            msg = f"params.yaml: 'ingest.tasks': the cameras of a task must be [left, right] or [mono], but are [{said}]"
            raise ParamsError(msg)


@dataclass(frozen=True)
class ClockParams:
    """What says when each file of a recording of several files began; the column ``clock`` of the list says otherwise for one recording.

    Parameters
    ----------
    format
        Of a time in a name, as `datetime.strptime` takes it.
    source
        ``none``: files follow each other without a gap. ``creation_time``: the tag of the container. ``timecode``: of its timecode
        track. ``dicom_time``: of the DICOM header. ``file_name``: a time in its name.
    """

    format: str
    source: str = ranged(choices=CLOCKS)

    def __post_init__(self) -> None:
        if (self.format or self.source == FILE_NAME) and not _tells_time(self.format):
            codes = f"{', '.join(TIME_CODES)}, each once"
            msg = f"params.yaml: 'ingest.clock.format' must be a time of {codes}, such as %Y%m%d_%H%M%S, but is {self.format!r}"
            raise ParamsError(msg)


def _tells_time(form: str) -> bool:
    """Return whether a form of names says when, and has nothing that nobody reads."""
    codes = re.findall(r"%.?", form)
    return bool(codes) and set(codes) <= set(TIME_CODES) and len(set(codes)) == len(codes)


@dataclass(frozen=True)
class IngestParams:
    """Tasks by name, the clock of files that are joined, and how much the cameras of a pair may differ in length."""

    tasks: dict[str, TaskParams]
    clock: ClockParams
    stereo_tolerance_s: float = ranged(low=0, high=10)

    def __post_init__(self) -> None:
        if not self.tasks:
            raise ParamsError("params.yaml: 'ingest.tasks' is empty; name at least one task with its cameras")


NOBODY = Memory()
PICTURES = (".bmp", ".jfif", ".jpeg", ".jpg", ".png", ".tif", ".tiff")
COPIED = (".jpeg", ".jpg", ".png")
"""The pictures that ffmpeg copies into a video which is then read as they are; it knows them by these endings."""
NO_REASON = frozenset({"", "?", "0", "f", "falsch", "false", "falso", "faux", "keep", "n", "nein", "no", "non"})
"""What is no reason in the column ``exclude``, in small letters: most of it says that the recording stays."""
_NOT_PLAIN = re.compile(r"""[*?\[\]{}\\'"`$%!\x00-\x1f]""")
"""What a shell or ffmpeg takes for something else in a name."""
_CROP = re.compile(r"crop\(\s*(\d+)[\s,;]+(\d+)[\s,;]+(\d+)[\s,;]+(\d+)\s*\)")
# What the rows of a recording, its cameras and parts, must have in common.
SHARED = ("participant", "trial", "site", "task", "rig", "clock", "start_s", "end_s", "exclude")


@dataclass(frozen=True)
class ManifestRow:
    """One row of the manifest.

    Parameters
    ----------
    line
        Its line in the file.
    start_s, end_s
        In seconds of the whole recording, from its first frame; None where nothing is cut.
    path
        The file. Several files that the curator names as a folder or pattern are a row each.
    part
        Which of the files of this camera it is, from 1, in their order.
    rig
        Of which stereo rig the cameras are; "" where nobody says it.
    view
        The part of the picture that is this camera's; None: all of it.
    clock
        What says when each of its files began, one of `scrubin.stages.ingest.manifest.CLOCKS`; "": what ``ingest.clock`` says.
    """

    line: int
    recording: str
    participant: str
    trial: str
    site: str
    task: str
    camera: str
    path: str
    start_s: float | None
    end_s: float | None
    exclude: str
    part: int = 1
    rig: str = ""
    view: View | None = None
    clock: str = ""

    @property
    def pictures(self) -> str:
        """What stands for the pictures of this row: its file, and the part of it that is this camera's."""
        return self.path if self.view is None else f"{self.path}: {self.view}"


@dataclass(frozen=True)
class ManifestProblem:
    """Why a row, or a recording, cannot be used."""

    recording: str
    camera: str
    error: RecordingError


@dataclass(frozen=True)
class Manifest:
    """The usable recordings, each with its rows by camera, and what is wrong with the others."""

    recordings: dict[str, list[ManifestRow]]
    problems: list[ManifestProblem]


def parse(data: bytes, tasks: Mapping[str, TaskParams], withdrawn: Memory = NOBODY, files: Sequence[str] | None = None) -> Manifest:
    """Return the recordings of a manifest and every problem in it.

    A problem takes its whole recording out, because half a stereo pair, or one of two
    contradicting rows, is no recording.

    Parameters
    ----------
    data
        The file's bytes.
    tasks
        By name.
    withdrawn
        Whose rows are passed over, whatever is wrong with them.
    files
        Those below ``videos/``: what folders and patterns name; None: every path is that of a file.

    Raises
    ------
    ManifestError
        When the file as a whole is not a manifest.
    """
    manifest, wrong = look(data, tasks, withdrawn, files)
    ManifestError.raise_any(wrong)
    return manifest


def look(
    data: bytes, tasks: Mapping[str, TaskParams], withdrawn: Memory = NOBODY, files: Sequence[str] | None = None
) -> tuple[Manifest, tuple[Fault, ...]]:
    """Return as much of a manifest as can be read, and what is wrong with the file as a whole; parameters as of `parse`.

    Where columns are unknown or missing, what can be known of the rows is looked at all the same.
    """
    rows: list[ManifestRow] = []
    problems: list[ManifestProblem] = []
    sheet = csv_text.read(NAME, data, COLUMNS, (*OPTIONAL, DRAFT), keep_rows=True)
    wrong = sheet.file_faults
    if any(fault.rule == csv_text.UNREAD_REST for fault in wrong):
        return Manifest({}, []), wrong  # what the rest would say is said by nobody, so that it would be missed everywhere
    if DRAFT in sheet.columns:
        fix = f"check what each row guesses, fill in the participants, then remove the column '{DRAFT}'"
        what = f"it is a draft that nobody has confirmed: it has a column '{DRAFT}'"
        return Manifest({}, []), (*wrong, faults.error(NAME, "draft", what, fix, place=f"line {sheet.header_line}"))
    if set(NEEDED) - set(sheet.columns):
        return Manifest({}, []), wrong  # without these nobody knows what a row is about
    sheet, unclear = csv_text.with_points(sheet, TIMES)
    unclear_lines = {fault.place: fault for fault in unclear}
    for misfit in sheet.misfits:
        if _is_withdrawn(misfit.row, withdrawn):
            continue
        fix = "put cells that hold commas or line breaks in double quotes"
        problems.append(_problem(misfit.row, RecordingError(NAME, misfit.fault.what, fix, misfit.row.place)))
    for cells in sheet.rows:
        if _is_withdrawn(cells, withdrawn):
            continue
        try:
            if cells.place in unclear_lines:
                fault = unclear_lines[cells.place]
                raise RecordingError(NAME, fault.what, fault.fix, fault.place)
            rows += _files_of(_row(cells, tasks), "part" in cells.cells and bool(cells.cells["part"]), files)
        except RecordingError as error:
            problems.append(_problem(cells, error))
    problems += _contradictions(rows, tasks, {problem.recording for problem in problems})
    problems += [*_look_alike(rows, "recording"), *_look_alike(rows, "participant"), *_of_several_people(rows, withdrawn)]
    bad = {problem.recording for problem in problems}
    recordings: dict[str, list[ManifestRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.recording, row.camera, row.part)):
        if row.recording not in bad:
            recordings[row.recording].append(row)
    return Manifest(dict(recordings), problems), wrong


def files_without_row(folder: Path, data: bytes, withdrawn: Memory = NOBODY) -> list[ManifestProblem]:
    """Return a problem for every file below ``videos/`` that no row names: nothing is lost in silence, but for what was withdrawn."""
    sheet = csv_text.read(NAME, data, COLUMNS, (*OPTIONAL, DRAFT), keep_rows=True)
    below = files_below(folder)
    written = {row.as_written("path") for row in every_row(sheet) if "path" in row.cells}
    named = {path for one in written for path in files_named(one, below)}
    paths = sorted(path.relative_to(folder).as_posix() for path in (folder / "videos").rglob("*") if path.is_file())
    return [
        ManifestProblem(name, "", RecordingError(name, f"no row of {NAME} names this file", "add a row for it, or move it out of videos/"))
        for path, name in zip(paths, map(recordings_list.shown, paths), strict=True)
        if path not in named and not PurePosixPath(path).name.startswith(".") and not withdrawn.has("path", name)
    ]


def _is_withdrawn(row: csv_text.CsvRow, withdrawn: Memory) -> bool:
    return row.cells.get("recording", "") in withdrawn or withdrawn.has_participant(row.cells.get("participant", ""))


def _problem(row: csv_text.CsvRow, error: RecordingError) -> ManifestProblem:
    return ManifestProblem(row.cells.get("recording") or row.place, row.cells.get("camera", ""), error)


def _row(row: csv_text.CsvRow, tasks: Mapping[str, TaskParams]) -> ManifestRow:
    # A blank behind a name is a slip of the hand; a file may really be called so.
    path = row.as_written("path")
    for column in ("recording", "task", "camera", "path"):
        if row.cells.get(column) == "":
            raise RecordingError(NAME, f"'{column}' is empty", "fill it in", row.place)
    for column in ("recording", "trial", "site", "exclude"):
        if naming.is_of_spreadsheet(cell := row.cells.get(column, "")):
            what = f"'{column}' is '{csv_text.shown(cell)}', an error or a formula of a spreadsheet"
            raise RecordingError(NAME, what, "write the value itself", row.place)
    for column in ("recording", "participant", "site"):
        if held := naming.control(cell := row.cells.get(column, "")):
            what = f"'{column}' is {csv_text.shown(cell)!r}, which holds {held}"
            raise RecordingError(NAME, what, 'write the name on one line; one that a cell begins with " goes on to the next "', row.place)
    if _is_no_reason(written := row.cells.get("exclude", "")):
        fix = "leave it empty to keep the recording, or write why it is left out"
        raise RecordingError(NAME, f"'exclude' is '{written}', which is no reason", fix, row.place)
    if "participant" in row.cells and (nobody := naming.nobody(row.cells["participant"])):
        raise RecordingError(NAME, f"'participant' {nobody}", "fill it in", row.place)
    # Whoever says everything at once reads rows of which a column is missing, and has said so.
    cells = dict.fromkeys(COLUMNS, "") | dict(row.cells)
    row = replace(row, cells=cells)
    task, (camera, view) = cells["task"], _camera(row)
    if task not in tasks:
        raise RecordingError(NAME, f"'{task}' is no task", f"use one of {', '.join(sorted(tasks))}, or add it to ingest.tasks", row.place)
    if camera not in tasks[task].cameras:
        cameras = " and ".join(tasks[task].cameras)
        raise RecordingError(NAME, f"'{camera}' is no camera of {task}", f"its cameras are {cameras}", row.place)
    _refuse_outside(row.place, path)
    start_s, end_s = seconds(NAME, row, "start_s"), seconds(NAME, row, "end_s")
    if end_s is not None and (start_s or 0.0) >= end_s:
        raise RecordingError(NAME, f"start_s {start_s or 0.0:g} is not before end_s {end_s:g}", "correct the interval", row.place)
    text = {column: cells[column] for column in ("recording", "participant", "trial", "site", "exclude")}
    part, text["rig"], text["clock"] = _part(row), cells.get("rig", ""), _clock(row)
    return ManifestRow(line=row.line, task=task, camera=camera, path=path, start_s=start_s, end_s=end_s, part=part, view=view, **text)


def _is_no_reason(cell: str) -> bool:
    """Return whether a cell that is not empty says no, or nothing: it would leave out a recording of which somebody says that it stays."""
    return bool(cell.strip()) and (csv_text.is_missing(naming.seen(cell)) or naming.spelling(cell).strip("-") in NO_REASON)


def _files_of(row: ManifestRow, has_part: bool, files: Sequence[str] | None) -> list[ManifestRow]:
    """Return a row per file; one that names a single file stays as it is."""
    paths = None if files is None else several(row.path, files)
    place = f"line {row.line}"
    if not row.exclude.strip():
        _refuse_pictures(place, row.path, [row.path] if paths is None else paths)
    if paths is None:
        _refuse_other_code_points(place, row, files or ())
        return [row]
    if not paths:
        raise RecordingError(NAME, f"no file is named by '{row.path}'", "correct the folder or pattern", place)
    if has_part:
        raise RecordingError(NAME, f"'{row.path}' names {len(paths)} files, but has one part", "leave 'part' empty", place)
    if unreadable := [name for path in paths if (name := recordings_list.shown(path)) != path]:
        raise RecordingError(NAME, f"'{row.path}' names '{unreadable[0]}', whose name is no UTF-8", "rename the file", place)
    return [replace(row, path=path, part=part) for part, path in enumerate(paths, start=1)]


def _refuse_other_code_points(place: str, row: ManifestRow, files: Sequence[str]) -> None:
    """Refuse a path that no file has, when one has it in other code points: a Mac writes an accent apart from its letter."""
    if row.exclude.strip() or row.path in files:
        return
    composed = unicodedata.normalize("NFC", row.path)
    if any(unicodedata.normalize("NFC", file) == composed for file in files):
        reason = f"'{row.path}' and the name of the file look the same and are not: one of them writes letters and their marks apart"
        fix = "rename the file by the name that the list has, or copy the name of the file from its folder into the list"
        raise RecordingError(NAME, reason, fix, place)


def _refuse_pictures(place: str, written: str, paths: Sequence[str]) -> None:
    """Refuse what a row names when pictures are among it: nobody says at which rate they were taken."""
    pictures = [path for path in paths if PurePosixPath(path).suffix.lower() in PICTURES]
    if not pictures:
        return
    if len(pictures) < len(paths):
        other = next(path for path in paths if PurePosixPath(path).suffix.lower() not in PICTURES)
        reason = f"'{written}' names {len(paths)} files, and pictures are among them, such as '{pictures[0]}'"
        fix = f"move them out of videos/, or, where they are the recording, whatever is no picture, such as '{other}'"
        raise RecordingError(NAME, reason, fix, place)
    what = "is a picture and no video" if len(paths) == 1 else f"names {len(paths)} pictures and no video"
    found = _as_ffmpeg_finds(written, pictures)
    if first := _before_a_video(found, pictures):
        fix = f"make a video of them, but first {', and '.join(first)}; then this line says how"
    else:
        made = f"ffmpeg -framerate RATE -pattern_type glob -i '{found}' -c copy videos/NAME.mkv"
        then = "then name that file, and move the pictures out of videos/"
        fix = f"make a video of them, with the rate at which they were taken as RATE, in data/raw: {made}; {then}"
    raise RecordingError(NAME, f"'{written}' {what}", fix, place)


def _as_ffmpeg_finds(written: str, pictures: Sequence[str]) -> str:
    """Return the pattern by which ffmpeg finds these pictures and no other file; "" where none is sure to."""
    plain, suffix = PurePosixPath(written), PurePosixPath(pictures[0]).suffix
    folder, names = PurePosixPath(pictures[0]).parent, [PurePosixPath(path).name for path in pictures]
    last = "*" if plain == folder else plain.name
    last += suffix if last.endswith("*") else ""
    fixed = last if names == [last] else last.replace("*", "")
    alone = all(PurePosixPath(path).parent == folder for path in pictures) and all(fnmatchcase(name, last) for name in names)
    return f"{folder}/{last}" if alone and last.endswith(suffix) and not _NOT_PLAIN.search(f"{folder}/{fixed}") else ""


def _before_a_video(found: str, pictures: Sequence[str]) -> list[str]:
    """Return what is to be done to pictures before ffmpeg makes a video of them: it copies few kinds, and sorts names by their letters."""
    steps, ends = [], sorted({PurePosixPath(path).suffix for path in pictures})
    if unlike := [end for end in ends if end.lower() not in COPIED]:
        steps.append(f"turn them into .png, because no {' or '.join(unlike)} can be copied into a video")
    elif len(ends) > 1:
        steps.append(f"let all be of one kind and end alike: they end in {', '.join(ends)}")
    if wrong := [pair for pair in zip(sorted(pictures), pictures, strict=True) if pair[0] != pair[1]]:
        early, late = wrong[0]
        number = f"000001{'.png' if unlike else ends[0]}"
        steps.append(f"number them with leading zeros, such as {number}, because ffmpeg takes '{early}' before '{late}'")
    if not found and len(ends) == 1:
        steps.append("put them alone into one folder whose name has letters, digits, blanks, - and _ only, and name that folder")
    return steps


def _camera(row: csv_text.CsvRow) -> tuple[str, View | None]:
    """Return a camera and the part of the picture that is its own, as ``left`` or ``left=crop(0 0 960 1080)``."""
    written = row.cells["camera"]
    name, equals, rectangle = (text.strip() for text in written.partition("="))
    if not equals:
        return written, None
    match = _CROP.fullmatch(rectangle)
    if match is None:
        fix = "write the rectangle as left=crop(0 0 960 1080): x, y, width and height in pixels"
        raise RecordingError(NAME, f"camera '{written}' is not understood", fix, row.place)
    return name, View(*map(int, match.groups()))


def _clock(row: csv_text.CsvRow) -> str:
    written = row.cells.get("clock", "")
    if written and written not in CLOCKS:
        fix = f"use one of {', '.join(CLOCKS)}, or leave it empty: ingest.clock in params.yaml holds then"
        raise RecordingError(NAME, f"clock '{written}' is none", fix, row.place)
    return written


def _part(row: csv_text.CsvRow) -> int:
    written = row.cells.get("part", "")
    if not written:
        return 1
    if not (written.isascii() and written.isdecimal()) or int(written) < 1:
        raise RecordingError(NAME, f"part '{written}' is no number", "number the files of a camera 1, 2, 3 in their order", row.place)
    return int(written)


def _refuse_outside(place: str, path: str) -> None:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\0" in path or parts[:1] != ("videos",) or len(parts) < 2:
        fix = "give it relative to the raw folder, such as videos/a.mkv"
        raise RecordingError(NAME, f"path '{path}' does not lie in videos/", fix, place)


def _contradictions(rows: list[ManifestRow], tasks: Mapping[str, TaskParams], incomplete: Container[str]) -> list[ManifestProblem]:
    """Return what rows say against each other; ``incomplete`` are recordings of which rows cannot be read: what lacks there is known."""
    by_recording: dict[str, list[ManifestRow]] = defaultdict(list)
    for row in rows:
        by_recording[row.recording].append(row)
    faulty = [
        ManifestProblem(recording, camera, RecordingError(NAME, reason, fix, place))
        for recording, members in by_recording.items()
        for camera, reason, fix, place in _contradicting(recording, members, tasks, is_whole=recording not in incomplete)
    ]
    return [*_named_twice(rows), *faulty]


def _contradicting(
    recording: str, rows: list[ManifestRow], tasks: Mapping[str, TaskParams], *, is_whole: bool
) -> Iterator[tuple[str, str, str, str]]:
    """Yield what the rows of one recording say against each other: camera, reason, mend and place; of whole ones also what lacks."""
    cameras, parts_of = Counter((row.camera, row.part) for row in rows), _parts_of(rows)
    for row in rows:
        if (count := cameras[row.camera, row.part]) > 1:
            fix = "keep one, or number the files of one recording 1, 2, 3 in a column 'part'"
            part = f", part {row.part}" if len(parts_of[row.camera]) > 1 else ""
            yield row.camera, f"'{recording}' has {count} rows for camera {row.camera}{part}", fix, f"line {row.line}"
    for column in SHARED:
        if len({getattr(row, column) for row in rows}) > 1:
            yield rows[0].camera, f"'{recording}' has different '{column}'", "make them equal", _lines(rows)
    for camera, parts in sorted(parts_of.items()):
        of_camera = [row for row in rows if row.camera == camera]
        if len({row.view for row in of_camera}) > 1:
            yield camera, f"the parts of camera {camera} of '{recording}' have different views", "make them equal", _lines(of_camera)
        missing = next(part for part in itertools.count(1) if part not in parts)
        if missing < max(parts) and is_whole:
            reason = f"'{recording}' has no part {missing} of camera {camera}, but part {max(parts)}"
            yield camera, reason, "add the row of the missing file, or number the parts anew", f"line {rows[0].line}"
    for camera in sorted({*tasks[rows[0].task].cameras} - {*parts_of}) if is_whole else ():
        yield camera, f"'{recording}' has no row for camera {camera}", "add it, or exclude the recording", ""


def _lines(rows: list[ManifestRow]) -> str:
    return f"lines {', '.join(str(row.line) for row in rows)}"


def _of_several_people(rows: list[ManifestRow], withdrawn: Memory) -> list[ManifestProblem]:
    """Return a problem for every recording whose participant is several people, of whom one stands elsewhere, too, or withdrew."""
    first: dict[str, ManifestRow] = {}
    for row in rows:
        first.setdefault(row.participant, row)
    said = {name: f"'{part}' stands in line {first[other].line}, too" for name, (part, other) in naming.of_several(list(first)).items()}
    said |= {name: "one of them withdrew" for name in first if any(map(withdrawn.has_participant, naming.parts_of(name)))}
    problems = []
    for row in {(row.recording, row.line): row for row in rows if not row.exclude.strip()}.values():
        if row.participant in said:
            reason = f"participant '{csv_text.shown(row.participant)}' names several people: {said[row.participant]}"
            error = RecordingError(NAME, reason, naming.ONE_PERSON, f"line {row.line}")
            problems.append(ManifestProblem(row.recording, row.camera, error))
    return problems


def _look_alike(rows: list[ManifestRow], column: str) -> Iterator[ManifestProblem]:
    """Yield a problem for every line whose name looks like that of an earlier line and is another: nobody would write two people so."""
    first: dict[str, tuple[str, int]] = {}
    for line, row in sorted({row.line: row for row in rows}.items()):
        name = getattr(row, column)
        before, where = first.setdefault(naming.seen(name), (name, line))
        if before != name:
            # As ASCII, because they look the same.
            reason = f"{column} {name!a} looks like {before!a} in line {where}, and is another"
            error = RecordingError(NAME, reason, "write the name anew, alike in both, without what does not show", f"line {line}")
            yield ManifestProblem(row.recording, row.camera, error)


def _named_twice(rows: list[ManifestRow]) -> list[ManifestProblem]:
    """Return a problem for every line that names files of other lines, unless they are two views of one picture."""
    by_path: dict[str, list[ManifestRow]] = defaultdict(list)
    for row in rows:
        by_path[str(PurePosixPath(row.path))].append(row)
    shared: dict[int, list[ManifestRow]] = defaultdict(list)
    for path, uses in by_path.items():
        for row in uses:
            if len(uses) > len({one.view for one in uses if one.recording == row.recording}):
                shared[row.line].append(replace(row, path=path))
    problems = []
    for line, members in sorted(shared.items()):
        others = sorted({row.line for one in members for row in by_path[one.path]} - {line})
        first = f"'{members[0].path}'"
        what = f"{first} stands" if len(members) == 1 else f"{len(members)} of its files, such as {first}, stand"
        reason = f"{what} in several rows, also in {'line' if len(others) == 1 else 'lines'} {ranges_text(others)}"
        problems.append(
            ManifestProblem(members[0].recording, members[0].camera, RecordingError(NAME, reason, "name each file once", f"line {line}"))
        )
    return problems


def _parts_of(rows: list[ManifestRow]) -> dict[str, set[int]]:
    parts: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        parts[row.camera].add(row.part)
    return parts
