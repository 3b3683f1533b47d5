"""Phases in plain tables or arrays, as people write predictions: a row per frame with the name or the id of its phase; read only.

CSV, TSV or text with the columns ``frame`` and ``phase`` (a name or an id) or ``phase_id``; without a header two columns are
frame and phase, one is the phase of frames 0, 1, 2 ... npy and npz have one whole id per frame, and ``frame`` where there are
gaps. The vocabulary is the one that is named, else the one that has all names, else what the files say.

``<video>.csv`` with ``frame`` and ``phase_id``, ``phase`` or both, separated by commas, is also how phases are submitted to a
challenge: what is otherwise there in a CSV is a deviation, and `scrubin submission check` and `rank` read it here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scrubin.core import csvtext, strangers, unpacking
from scrubin.core.errors import AnnotationError, FileError
from scrubin.core.faults import Faults
from scrubin.labels.model import Clock, Collection, IntArray, LabelFiles, Labels, Layer, phase_rows
from scrubin.labels.parse import documents
from scrubin.labels.parse.where import Where
from scrubin.labels.registry import ByHand, dataset_format
from scrubin.vocabulary import own_categories, vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary, fold

NAME = "phase-tables"
WITHOUT_PHASE = "leave frames without a phase out of labels, and number the others by 'frame'; predict a phase in every labelled frame"
FRAME_COLUMNS = ("frame", "frame_index", "index", "image")
ID_COLUMNS = ("phase_id",)
NAME_COLUMNS = ("phase", "phase_name", "prediction", "predicted", "label")
AMBIGUOUS = "id"
"""An id of the phase, where no other column says it; else of the video."""
ARRAYS = (".npy", ".npz")
FRAME_KEYS = ("frame", "frames")
CHOLEC80 = re.compile(r"(?P<recording>.+)-phase")
PREFERRED = "cholec80"
"""The vocabulary of names that several number differently."""
WHOLE_AS_FLOAT = re.compile(r"(?P<whole>-?\d+)\.0*")
HEAD_BYTES = 4096
DELIMITER_NAMES = {"\t": "tabs", ";": "semicolons", csvtext.WHITESPACE: "blanks"}


class Row(NamedTuple):
    """Line, frame, and phase as written; also its name, where the id has a column of its own."""

    line: int
    frame: int
    phase: str
    name: str | None = None


Columns = tuple[int | None, int, int | None]
"""The places of the frame, of the phase, and of the name beside an id."""


@dataclass(frozen=True, eq=False)
class Cells:
    """One video before its phases are looked up.

    Parameters
    ----------
    file
        Where they stand.
    frames
        (n,), increasing.
    phases
        (n,), as written: an id, or a name.
    names
        (n,), the names beside ids; None where there are none.
    """

    file: str
    frames: IntArray
    phases: Sequence[str]
    names: Sequence[str | None]


def _has_phases(path: Path) -> bool:
    if path.suffix.lower() in ARRAYS:
        try:
            arrays = _arrays_of(strangers.read_bytes(path), path.suffix.lower())
        except OSError:
            return True
        return all(array.ndim == 1 for array in arrays.values())
    with strangers.opened(path) as opened:
        lines = csvtext.grid(path.name, opened.read(HEAD_BYTES), whitespace=True).lines
    if not lines:
        return False
    header = [cell.strip().casefold() for cell in lines[0].cells]
    if _is_header(header):
        return bool(set(header) & {*ID_COLUMNS, *NAME_COLUMNS}) or (AMBIGUOUS in header and bool(set(header) & {*FRAME_COLUMNS}))
    first = [_whole(line.cells[0].strip()) for line in lines]
    if len(header) == 1:
        # Phases last: other texts of one word per line do not repeat.
        return all(map(is_id, first)) or len(set(first)) < len(first)
    return len(header) == 2 and any(map(is_id, first))


@dataset_format(
    NAME,
    # Cholec80 keeps its tables of tools beside those of phases.
    pattern=r"(?!(?i:readme|licen[cs]e)\.)(?!.*-tool\.)[^/]+\.(?i:csv|tsv|txt|npy|npz)",
    expected="<video>.csv, .tsv or .txt with the columns frame and phase, or .npy or .npz with a phase id per frame",
    title="phases as plain tables or arrays, a row per frame; read only",
    by_hand=ByHand(named_by_folder=True, fps=Fraction(1), fps_unstated=True, evidence=_has_phases, holds=("phases",), precedence=2),
)
def read(source: LabelFiles) -> Collection:
    """Return the phases of the videos without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    cells: dict[str, Cells] = {}
    for file, data in sorted(source.files.items()):
        name, of_file = recording_of(file), Faults()
        of_video = cells_of(Where(of_file, file), data)
        faults.extend(of_file.all())
        if name in cells:
            faults.error(file, "file-repeated", f"the video {name} is also in {cells[name].file}", "keep one of them")
        elif of_video is not None and not of_file.errors():
            cells[name] = of_video
    phases = source.vocabulary if source.vocabulary.name else _vocabulary_of(cells, faults)
    if phases is None:
        return Collection(faults=faults.all())
    recordings = []
    for name, of_video in sorted(cells.items()):
        of_file = Faults()
        ids = ids_of(Where(of_file, of_video.file), of_video, phases)
        faults.extend(of_file.all())
        if not of_file.errors():
            layer = Layer(of_video.file, of_video.frames, phase_rows(of_video.frames.tolist(), ids))
            recordings.append(Labels(name, NAME, phases, Clock(Fraction(1)), phases=layer))
    return Collection(tuple(recordings), faults=faults.all())


def recording_of(file: str) -> str:
    """Return the name of the video: that of the file, without what Cholec80 adds to it.

    >>> recording_of("folder/video41-phase.txt")
    'video41'
    """
    stem = PurePosixPath(file).stem
    match = CHOLEC80.fullmatch(stem)
    return match["recording"] if match else stem


def cells_of(where: Where, data: bytes) -> Cells | None:
    """Return frames and phases as written, without the rows that are noted as wrong; None when there are none."""
    before = len(where.faults)
    suffix = PurePosixPath(where.file).suffix.lower()
    rows = _rows_of_array(where, data, suffix) if suffix in ARRAYS else _rows_of_table(where, data)
    if not rows and len(where.faults) == before:
        where.error("no-labels", "has no frames", "give a row per frame")
    by_frame: dict[int, Row] = {}
    for row in rows:
        if (first := by_frame.setdefault(row.frame, row)) is not row:
            what = f"frame {row.frame} is also in line {first.line}"
            where.at(f"line {row.line}").error("frame-repeated", what, "give every frame once")
    ordered = [by_frame[frame] for frame in sorted(by_frame)]
    frames = np.array([row.frame for row in ordered], np.int64)
    return Cells(where.file, frames, [row.phase for row in ordered], [row.name for row in ordered]) if ordered else None


def ids_of(where: Where, cells: Cells, phases: Vocabulary) -> list[int]:
    """Return the id of each phase, 0 after noting one that is not known."""
    looked_up: dict[str, int | None] = {}
    ids = []
    for frame, cell, name in zip(cells.frames.tolist(), cells.phases, cells.names, strict=True):
        if looked_up.get(cell, -1) in (-1, None):
            looked_up[cell] = _id_of(where.at_frame(frame), cell, phases)
        if name is not None and looked_up[cell] is not None and not is_of_files(phases):
            _check_name(where.at_frame(frame), looked_up[cell] or 0, name, phases)
        ids.append(looked_up[cell] or 0)
    return ids


def _check_name(where: Where, id_: int, name: str, phases: Vocabulary) -> None:
    """Note a name that is not that of the id beside it."""
    known = phases.spellings["phase"].get(fold(name))
    if known is None:
        _id_of(where, name, phases)
    elif known != id_:
        where.error("phase-name", f"the phase {id_} is not '{name}'", f"'{name}' is {known}; correct one of them")


def is_of_files(phases: Vocabulary) -> bool:
    """Return whether a vocabulary is just what the files say: names in no known order, or ids without names."""
    return phases.name.startswith(own_categories.PREFIX)


def is_id(cell: str) -> bool:
    """Return whether a cell is an id rather than a name."""
    return cell.isascii() and cell.isdigit()


def _id_of(where: Where, cell: str, phases: Vocabulary) -> int | None:
    if not is_id(cell):
        try:
            return phases.id_of("phase", cell)
        except AnnotationError as error:
            for fault in error.faults:
                where.error(fault.rule or "name-unknown", fault.what, fault.fix)
            return None
    if is_of_files(phases) and not all(map(is_id, phases.phases)):
        what = f"phase {cell} is an id, but the phases {', '.join(phases.phases)} have no known order"
        where.error("id-without-order", what, "write names, or name the vocabulary")
        return None
    if int(cell) >= len(phases.phases):
        fix = "are they numbered from 1?" if int(cell) == len(phases.phases) else "correct it"
        where.error("id-range", f"phase {cell} is not in 0..{len(phases.phases) - 1}", fix)
        return None
    return int(cell)


def _vocabulary_of(cells: Mapping[str, Cells], faults: Faults) -> Vocabulary | None:
    """Return the vocabulary that the phases are written in: a known one that has all names, else the phases as they are."""
    written = {cell for one in cells.values() for cell in one.phases}
    names = {cell for cell in written if not is_id(cell)}
    if names and all(CHOLEC80.fullmatch(PurePosixPath(one.file).stem) for one in cells.values()):
        return vocabulary.load("cholec80")
    known = map(vocabulary.load, vocabulary.known())
    fits = [phases for phases in known if names and all(_has(phases, name) for name in names)]
    # Vocabularies of the same operations number phases alike; the one that spells them so comes first.
    fits.sort(key=lambda phases: (-len(names & set(phases.phases)), phases.name))
    meant = {tuple(phases.id_of("phase", name) for name in sorted(names)) for phases in fits}
    preferred = [phases for phases in fits if phases.name == PREFERRED]
    if len(meant) == 1 or preferred:
        return (preferred or fits)[0]
    if names and names != written:
        file = min(one.file for one in cells.values())
        faults.error(file, "phase-form", "some phases are names, others ids", "write all in one way")
        return None
    if not names:
        return own_categories.vocabulary_of({"phase": [str(number) for number in range(max(map(int, written), default=-1) + 1)]})
    spellings = {fold(name): name for name in sorted(names, reverse=True)}
    return own_categories.vocabulary_of({"phase": [name for _, name in sorted(spellings.items())]})


def _has(phases: Vocabulary, name: str) -> bool:
    try:
        phases.id_of("phase", name)
    except AnnotationError:
        return False
    return True


def _arrays_of(data: bytes, suffix: str) -> dict[str, npt.NDArray[Any]]:
    arrays = unpacking.arrays(data, "", packed=suffix == ".npz")
    return arrays if suffix == ".npz" else {"phases": arrays[""]}


def _rows_of_array(where: Where, data: bytes, suffix: str) -> list[Row]:
    try:
        arrays = _arrays_of(data, suffix)
    except FileError as error:
        where.error("array-syntax", f"cannot be read: {error}", "write it again by numpy")
        return []
    frames = next((arrays.pop(key) for key in FRAME_KEYS if key in arrays), None)
    if len(arrays) != 1:
        fix = "give one array of phase ids, and 'frame' if there are gaps"
        where.error("archive-keys", f"holds {', '.join(sorted(arrays)) or 'nothing'}", fix)
        return []
    (ids,) = arrays.values()
    if ids.dtype.kind == "f" and np.isfinite(ids).all() and np.array_equal(ids, np.floor(ids)):
        ids = ids.astype(np.int64)
    numbers = np.arange(len(ids)) if frames is None and ids.ndim == 1 else frames
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or numbers is None or numbers.shape != ids.shape or numbers.dtype.kind not in "iu":
        what = f"the array has the shape {ids.shape} and type {ids.dtype}"
        where.error("array-shape", what, "give one whole phase id per frame")
        return []
    if len(ids) and ids.min() < 0:
        what = f"phase {ids.min()} is below 0"
        where.error("id-range", what, WITHOUT_PHASE)
        return []
    return [Row(number, int(frame), str(int(id_))) for number, (frame, id_) in enumerate(zip(numbers, ids, strict=True))]


def _rows_of_table(where: Where, data: bytes) -> list[Row]:
    grid = csvtext.grid(where.file, data, whitespace=True)
    if not grid.lines:
        where.faults.extend(fault for fault in grid.faults if fault.rule != "file-empty")
        return []
    where.faults.extend(grid.faults)
    header = [cell.strip().casefold() for cell in grid.lines[0].cells]
    columns = _columns(where.at(f"line {grid.lines[0].number}"), header)
    if columns is None:
        return []
    if where.file.lower().endswith(".csv"):
        _note_deviations(where, grid.delimiter, header)
    rows = []
    for place, line in enumerate(grid.lines[_is_header(header) :]):
        row = _row(where, line, len(header), columns, place)
        rows += [] if row is None else [row]
    return rows


def _note_deviations(where: Where, delimiter: str, header: Sequence[str]) -> None:
    """Note what is not as in a CSV of phases, but clear."""
    fix = "begin with a line frame,phase_id and give one line per frame, separated by commas"
    if delimiter != ",":
        where.deviation("delimiter", f"the cells are separated by {DELIMITER_NAMES[delimiter]}", fix)
    if not _is_header(header):
        where.deviation("header", "there is no header", fix)
    elif FRAME_COLUMNS[0] not in header or not {*ID_COLUMNS, NAME_COLUMNS[0]} & set(header):
        where.deviation("header", f"the columns are called {', '.join(header)}", fix)


def _is_header(cells: Sequence[str]) -> bool:
    return bool(set(cells) & {*FRAME_COLUMNS, *ID_COLUMNS, *NAME_COLUMNS, AMBIGUOUS})


def _columns(where: Where, header: Sequence[str]) -> Columns | None:
    """Return the places of frame, of the phase, and of its name beside an id; None after noting that they are not clear."""
    if not _is_header(header):
        if len(header) > 2:
            where.error("header", f"{len(header)} columns without a header", "name them frame and phase")
            return None
        return (0, 1, None) if len(header) == 2 else (None, 0, None)
    frames, ids, names = ([name for name in columns if name in header] for columns in (FRAME_COLUMNS, ID_COLUMNS, NAME_COLUMNS))
    if not ids and not names and AMBIGUOUS in header:
        ids = [AMBIGUOUS]
    if not ids and not names:
        where.error("header", f"the header is {', '.join(header)}", "name the columns frame and phase_id, or frame and phase")
        return None
    if len(frames) > 1 or len(names) > 1 or len(set(header)) != len(header):
        several = frames if len(frames) > 1 else names if len(names) > 1 else header
        what = f"the columns {', '.join(several)} could all be meant"
        where.error("header", what, "keep one column of frames and one of phases")
        return None
    name_at = header.index(names[0]) if ids and names else None
    return header.index(frames[0]) if frames else None, header.index((ids or names)[0]), name_at


def _row(of_file: Where, line: csvtext.Line, width: int, columns: Columns, place: int) -> Row | None:
    where, cells = of_file.at(f"line {line.number}"), [cell.strip() for cell in line.cells]
    frame_at, phase_at, name_at = columns
    if len(cells) != width or not cells[phase_at]:
        where.error("row-length", f"expected {width} cells with a phase, but got '{' '.join(cells)}'", "give one row per frame")
        return None
    frame = place if frame_at is None else documents.frame_number(_whole(cells[frame_at]))
    if frame is None:
        where.error("frame-key", f"'{cells[frame_at or 0]}' is no frame number", "number frames from 0")
        return None
    phase = _whole(cells[phase_at])
    if phase.startswith("-") and is_id(phase[1:]):
        where.error("id-range", f"phase {phase} is below 0", WITHOUT_PHASE)
        return None
    if frame_at is not None and str(frame) != cells[frame_at]:
        what, fix = "the frame number is padded with zeros, or a decimal", "write 12, not 00012 or 12.0"
        of_file.at_frame(frame).deviation("frame-form", what, fix)
    return Row(line.number, frame, phase, None if name_at is None else cells[name_at])


def _whole(cell: str) -> str:
    """Return a whole number that was written as a float without its point; anything else as it is."""
    match = WHOLE_AS_FLOAT.fullmatch(cell)
    return match["whole"] if match else cell
