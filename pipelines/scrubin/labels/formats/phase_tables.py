"""Phases of one video from plain tables: a row per frame with the name or the id of its phase."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scrubin.errors import AnnotationError, MetricsError
from scrubin.evaluation.series import IntArray
from scrubin.labels import documents
from scrubin.vocabulary.vocabulary import Vocabulary, fold

SUFFIXES = (".csv", ".tsv", ".txt", ".npy", ".npz")
FRAME_COLUMNS = ("frame", "frame_index", "index", "image")
ID_COLUMNS = ("phase_id",)
AMBIGUOUS = "id"
"""An id of the phase, where no other column says it; else of the video."""
NAME_COLUMNS = ("phase", "phase_name", "prediction", "predicted", "label")
CHOLEC80 = re.compile(r"(?P<recording>.+)-phase")
NO_TABLES = ("readme", "license", "licence")
WHOLE_AS_FLOAT = re.compile(r"(?P<whole>-?\d+)\.0*")


@dataclass(frozen=True, eq=False)
class Cells:
    """One video before its phases are looked up.

    Parameters
    ----------
    file
        For messages.
    frames
        (n,), increasing.
    phases
        (n,), as written: an id, or a name.
    """

    file: str
    frames: IntArray
    phases: Sequence[str]


def files_in(path: Path) -> list[Path]:
    """Return the table files of a path, itself or directly in a folder; empty when there are none.

    Cholec80 keeps its tables of tools beside those of phases; they are none, nor are readmes and licences.
    """
    files = [path] if path.is_file() else sorted(path.iterdir()) if path.is_dir() else []
    tables = [file for file in files if file.is_file() and file.suffix.lower() in SUFFIXES and not file.name.startswith(".")]
    return [file for file in tables if not file.stem.endswith("-tool") and file.stem.casefold() not in NO_TABLES]


def recording_of(file: Path) -> str:
    """Return the name of the video: that of the file, without what Cholec80 adds to it.

    >>> recording_of(Path("video41-phase.txt"))
    'video41'
    """
    match = CHOLEC80.fullmatch(file.stem)
    return match["recording"] if match else file.stem


def read(file: Path) -> Cells:
    """Return frames and phases as written.

    Raises
    ------
    MetricsError
        Names file and line of what cannot be used.
    """
    rows = _array(file) if file.suffix.lower() in (".npy", ".npz") else _rows(file)
    if not rows:
        msg = f"{file.name}: has no frames; give a row per frame"
        raise MetricsError(msg)
    seen: dict[int, int] = {}
    for line, frame, _ in rows:
        if frame in seen:
            msg = f"{file.name}, line {line}: frame {frame} is also in line {seen[frame]}; give every frame once"
            raise MetricsError(msg)
        seen[frame] = line
    ordered = sorted(rows, key=lambda row: row[1])
    return Cells(file.name, np.array([frame for _, frame, _ in ordered], np.int64), [phase for _, _, phase in ordered])


def read_all(path: Path) -> dict[str, Cells]:
    """Return the tables of a path by video.

    Raises
    ------
    MetricsError
        As `read`; also when a video has two tables.
    """
    found: dict[str, Cells] = {}
    for file in files_in(path):
        name = recording_of(file)
        if name in found:
            msg = f"{path}: the video {name} has two tables, {found[name].file} and {file.name}; keep one of them"
            raise MetricsError(msg)
        found[name] = read(file)
    return found


def ids_of(cells: Cells, names: Sequence[str], words: Vocabulary | None) -> IntArray:
    """Return phase ids (n,).

    Parameters
    ----------
    names
        Names of the phases; the position is the id.
    words
        The vocabulary with other spellings, where there is one.

    Raises
    ------
    MetricsError
        For a name that is not known, or an id out of range; names file and frame.
    """
    known: dict[str, int] = {fold(name): id_ for id_, name in enumerate(names)}
    found = np.empty(len(cells.frames), np.int64)
    looked_up: dict[str, int] = {}
    for at, (frame, cell) in enumerate(zip(cells.frames.tolist(), cells.phases, strict=True)):
        if cell not in looked_up:
            looked_up[cell] = _id(f"{cells.file}, frame {frame}", cell, known, names, words)
        found[at] = looked_up[cell]
    return found


def is_id(cell: str) -> bool:
    """Return whether a cell is an id rather than a name."""
    return cell.isascii() and cell.isdigit()


def _id(where: str, cell: str, known: dict[str, int], names: Sequence[str], words: Vocabulary | None) -> int:
    if is_id(cell):
        if words is None and not all(map(is_id, names)):
            msg = f"{where}: phase {cell} is an id, but the ground truth has names of no known order; write names, or name the vocabulary"
            raise MetricsError(msg)
        if int(cell) >= len(names):
            hint = "; are they numbered from 1?" if int(cell) == len(names) else ""
            msg = f"{where}: phase {cell} is not in 0..{len(names) - 1}{hint}"
            raise MetricsError(msg)
        return int(cell)
    if (id_ := known.get(fold(cell))) is not None:
        return id_
    if words is None:
        msg = f"{where}: '{cell}' is no phase of the ground truth; there are {', '.join(names)}"
        raise MetricsError(msg)
    try:
        return words.id_of("phase", cell)
    except AnnotationError as error:
        msg = f"{where}: {error}"
        raise MetricsError(msg) from error


def _array(file: Path) -> list[tuple[int, int, str]]:
    try:
        loaded = np.load(file, allow_pickle=False)
        arrays = {name: loaded[name] for name in loaded.files} if file.suffix.lower() == ".npz" else {"phases": loaded}
    except (OSError, ValueError) as error:
        msg = f"{file.name}: cannot be read: {str(error).splitlines()[0]}; write it again by numpy"
        raise MetricsError(msg) from error
    frames = next((arrays.pop(key) for key in ("frame", "frames") if key in arrays), None)
    if len(arrays) != 1:
        msg = f"{file.name}: holds {', '.join(sorted(arrays)) or 'nothing'}; give one array of phase ids, and 'frame' if there are gaps"
        raise MetricsError(msg)
    (ids,) = arrays.values()
    if ids.dtype.kind == "f" and np.isfinite(ids).all() and np.array_equal(ids, np.floor(ids)):
        ids = ids.astype(np.int64)
    numbers = np.arange(len(ids)) if frames is None and ids.ndim == 1 else frames
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or numbers is None or numbers.shape != ids.shape or numbers.dtype.kind not in "iu":
        msg = f"{file.name}: the array has the shape {ids.shape} and type {ids.dtype}; give one whole phase id per frame"
        raise MetricsError(msg)
    if len(ids) and ids.min() < 0:
        msg = f"{file.name}: phase {ids.min()} is below 0; leave frames without a phase out, and number the others by 'frame'"
        raise MetricsError(msg)
    return [(number, int(frame), str(int(id_))) for number, (frame, id_) in enumerate(zip(numbers, ids, strict=True))]


def _rows(file: Path) -> list[tuple[int, int, str]]:
    lines = documents.text(file.name, file.read_bytes()).splitlines()
    numbered = [(number, cells) for number, cells in enumerate(_split(lines), start=1) if any(cells)]
    if not numbered:
        return []
    header = [cell.casefold() for cell in numbered[0][1]]
    has_header = bool(set(header) & {*FRAME_COLUMNS, *ID_COLUMNS, *NAME_COLUMNS, AMBIGUOUS})
    width = len(header)
    frame_at, phase_at = _columns(file, header) if has_header else (0 if width > 1 else None, width - 1)
    if width > 2 and not has_header:
        msg = f"{file.name}, line {numbered[0][0]}: {width} columns without a header; name them frame and phase"
        raise MetricsError(msg)
    found = []
    for place, (number, cells) in enumerate(numbered[has_header:]):
        if len(cells) != width or not cells[phase_at]:
            msg = f"{file.name}, line {number}: expected {width} cells with a phase, but got {' '.join(cells)}; give one row per frame"
            raise MetricsError(msg)
        frame = place if frame_at is None else documents.frame_number(_whole(cells[frame_at]))
        if frame is None:
            msg = f"{file.name}, line {number}: '{cells[frame_at or 0]}' is no frame number; number frames from 0"
            raise MetricsError(msg)
        phase = _whole(cells[phase_at])
        if phase.startswith("-") and is_id(phase[1:]):
            msg = (
                f"{file.name}, line {number}: phase {phase} is below 0; leave frames without a phase out, and number the others by 'frame'"
            )
            raise MetricsError(msg)
        found.append((number, frame, phase))
    return found


def _whole(cell: str) -> str:
    """Return a whole number that was written as a float without its point; anything else as it is."""
    match = WHOLE_AS_FLOAT.fullmatch(cell)
    return match["whole"] if match else cell


def _split(lines: list[str]) -> list[list[str]]:
    first = next((line for line in lines if line.strip()), "")
    sign = next((sign for sign in ("\t", ";", ",") if sign in first), None)
    if sign is None:
        return [line.split() for line in lines]
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sign)]


def _columns(file: Path, header: Sequence[str]) -> tuple[int | None, int]:
    frames = [name for name in FRAME_COLUMNS if name in header]
    ids = [name for name in ID_COLUMNS if name in header]
    names = [name for name in NAME_COLUMNS if name in header]
    if not ids and not names and AMBIGUOUS in header:
        ids = [AMBIGUOUS]
    if not ids and not names:
        msg = f"{file.name}: the header is {', '.join(header)}; name the columns frame and phase_id, or frame and phase"
        raise MetricsError(msg)
    if len(frames) > 1 or len(names) > 1 or len(set(header)) != len(header):
        several = frames if len(frames) > 1 else names if len(names) > 1 else header
        msg = f"{file.name}: the columns {', '.join(several)} could all be meant; keep one column of frames and one of phases"
        raise MetricsError(msg)
    return header.index(frames[0]) if frames else None, header.index((ids or names)[0])
