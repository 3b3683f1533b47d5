"""The cells of tables of phases: which column is what, what each row says, before any phase is looked up.

A column numbers the rows, by frames or by time, or they are numbered by their place. By place only where no column is left that
nobody understands: it may say that the order is another one, and every label would be shifted without a word.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from scrubin.base import unpacking
from scrubin.base.errors import FileError
from scrubin.base.text import csv_text
from scrubin.base.vocabulary.vocabulary import fold
from scrubin.labels.model import IntArray
from scrubin.labels.parse import columns, documents, row_spans, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import Numbering, frames_at

WITHOUT_PHASE = "leave frames without a phase out of labels, and number the others by 'frame'; predict a phase in every labelled frame"
ARRAYS = (".npy", ".npz")
_DELIMITER_NAMES = {"\t": "tabs", ";": "semicolons", csv_text.WHITESPACE: "blanks"}
_KNOWN = "'frame', 'seconds' or 'video'"
_THOUSAND_S = 1000 * columns.NS
_TIMES: tuple[columns.Meaning, ...] = ("seconds", "milliseconds")
_NUMBERS: tuple[columns.Meaning, ...] = ("frame", "row", *_TIMES)


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
    video
        Which one it is, where the file says it.
    per_second
        How many frames a second has, where the rows are numbered by time; None where nothing says it.
    rounded_s
        The unit of the last decimal of these times.
    fitting_fps
        From which to which rate the seconds beside frames fit: they number nothing, but a rate that somebody says must be one of these.
    first_line
        The phase of the first row, where the file has one column without a name: it may be a name after all.
    """

    file: str
    frames: IntArray
    phases: Sequence[str]
    names: Sequence[str | None]
    video: str = ""
    per_second: Fraction | None = None
    rounded_s: Fraction | None = None
    fitting_fps: tuple[tuple[float, float], ...] = ()
    first_line: str = ""


@dataclass(frozen=True)
class _Table:
    """Names of columns, () without a header, the lines that have a cell for each, where the header stands, and blank lines between."""

    header: tuple[str, ...]
    lines: Sequence[csv_text.Line]
    place: str = ""
    delimiter: str = ","
    blanks: Sequence[int] = ()

    @cached_property
    def has_commas(self) -> bool:
        """Whether a cell shows that commas are those of decimals: then 1,000 is no thousand."""
        return self.delimiter != "," and csv_text.shows_commas(cell for line in self.lines for cell in line.cells)

    def column(self, at: int) -> list[str]:
        return [line.cells[at] for line in self.lines]


@dataclass(frozen=True)
class _Columns:
    """The places of the phase, of what numbers the rows, of the name beside an id and of the video, and of times beside them."""

    phase: int
    number: int | None = None
    unit: Literal["frame", "seconds", "milliseconds"] = "frame"
    name: int | None = None
    video: int | None = None
    times: tuple[int, ...] = ()


_Time = tuple[str, int, int | None, int]
"""Video, number of the row, another time of it, and line."""


class _Row(NamedTuple):
    """Line, frame or nanosecond, phase as written, its name where the id has a column of its own, the video, decimals of its second."""

    line: int
    at: int
    phase: str
    name: str | None
    video: str
    decimals: int = 0


def cells_of(where: Where, data: bytes, per_second: Fraction | None) -> Cells | None:
    """Return frames and phases of a file of one video, by the frames of a rate; None when there are none.

    Parameters
    ----------
    per_second
        How many frames a second has that are asked for; None: nobody knows, so that times cannot be frames.
    """
    videos = videos_of(where, data)
    if len(videos) > 1:
        what = f"has rows of {len(videos)} videos: {', '.join(sorted(one.video for one in videos)[:3])} ..."
        where.error("video-several", what, "write one file per video")
    if len(videos) != 1 or videos[0].per_second is None:
        return videos[0] if len(videos) == 1 else None
    of = Numbering(videos[0].per_second, rounded_s=videos[0].rounded_s)
    frames = None if per_second is None else frames_at(videos[0].frames, of, Numbering(per_second))
    if frames is None:
        known = "frames of a rate that nobody knows" if per_second is None else f"frames at {per_second} per second"
        where.error("rate-unknown", f"its rows are numbered by time, which cannot be {known}", "number them by a column 'frame'")
        return None
    return replace(videos[0], frames=frames, per_second=None, rounded_s=None)


def videos_of(where: Where, data: bytes) -> list[Cells]:
    """Return frames and phases as written, video by video, without the rows that are noted as wrong; none when there are none."""
    before = len(where.faults.errors())
    suffix = PurePosixPath(where.file).suffix.lower()
    table = _of_arrays(where, data, suffix) if suffix in ARRAYS else _of_text(where, data)
    which = None if table is None or not table.lines else _columns(where, table)
    by_video: dict[str, list[_Row]] = {}
    for row in [] if table is None or which is None else _rows(where, table, which):
        by_video.setdefault(row.video, []).append(row)
    for video, of_video in by_video.items() if len(by_video) > 1 else ():
        video_files.is_name(where.at(f"line {of_video[0].line}"), video)
    if not by_video and len(where.faults.errors()) == before:
        where.error("no-labels", "has no frames", "give a row per frame")
    if table is None or which is None:
        return []
    if which.number is None and not any(_counts_rows(name, table.column(at)) for at, name in enumerate(table.header)):
        columns.note_blank(where, table.blanks)
    if which.number is not None:
        least = 1 if which.unit == "frame" else columns.NS
        ends = {name: cells for at, name in enumerate(table.header) if columns.says_end(name, cells := table.column(at))}
        placed = [sorted((row.at, row.phase) for row in of_video) for of_video in by_video.values()]
        others = set(range(len(table.header))) - {which.phase, which.number, which.name, which.video, *which.times}
        tiling = [table.header[at] for at in sorted(others) if _ends_rows(table, at, by_video, placed, least)]
        if not row_spans.are_frames(where.at(table.place), ends, placed, least, tiling):
            return []
        row_spans.note_starts(where, placed, least)
    first = "" if table.header or len(table.lines[0].cells) > 1 else table.lines[0].cells[0]
    every = {video: (_cells(where, of_video, which), _fitting_fps(table, which, of_video)) for video, of_video in by_video.items()}
    return [replace(cells, video=video, first_line=first, fitting_fps=fitting) for video, (cells, fitting) in every.items()]


def _ends_rows(table: _Table, at: int, by_video: Mapping[str, Sequence[_Row]], placed: Sequence[row_spans.Placed], least: int) -> bool:
    """Return whether the cells of a column end rows: those of one that is called so, or of any other one, in whatever language."""
    cell_of = {line.number: line.cells[at].replace(",", "." if table.delimiter != "," else ",") for line in table.lines}
    cells = [sorted((row.at, cell_of[row.line]) for row in of_video) for of_video in by_video.values()]
    return (columns.is_called_end(table.header[at]) and row_spans.tile(cells, least)) or row_spans.end_rows(cells, placed, least)


def _cells(where: Where, rows: Sequence[_Row], which: _Columns) -> Cells:
    by_number: dict[int, _Row] = {}
    for row in rows:
        if (first := by_number.setdefault(row.at, row)) is not row:
            number = f"frame {row.at}" if which.unit == "frame" else f"second {row.at / columns.NS:g}"
            where.at(f"line {row.line}").error("frame-repeated", f"{number} is also in line {first.line}", "give every frame once")
    ordered = [by_number[at] for at in sorted(by_number)]
    per_second = None if which.unit == "frame" else columns.per_second(by_number)
    step = columns.NS // per_second if per_second else 1
    frames = np.array([row.at // step for row in ordered], np.int64)
    phases, names = [row.phase for row in ordered], [row.name for row in ordered]
    if per_second is None:
        return Cells(where.file, frames, phases, names)
    # Programs leave zeros at the end out, so the row with most decimals says how times are rounded.
    rounded_s = Fraction(1, 10 ** max(row.decimals for row in ordered))
    return Cells(where.file, frames, phases, names, per_second=Fraction(per_second), rounded_s=rounded_s)


def _fitting_fps(table: _Table, which: _Columns, rows: Sequence[_Row]) -> tuple[tuple[float, float], ...]:
    """Return from which to which rate times beside frames fit, but for a frame and their last decimal; none of what may be no seconds."""
    ordered, texts = sorted(rows, key=lambda row: row.at), {line.number: line.cells for line in table.lines}
    for at in which.times if which.unit == "frame" else ():
        unit: Any = "milliseconds" if columns.OF_NAME[fold(table.header[at])] == "milliseconds" else "seconds"
        cells = [texts[row.line][at] for row in ordered]
        times = [time for cell in cells if (time := _nanoseconds(table, cell, unit)) is not None]
        is_told = columns.says_unit(table.header[at]) or all(":" in cell for cell in cells)
        if not is_told or len(times) < len(cells) or len(set(times)) < 2:
            continue
        # A film or a clock may begin anywhere, so only what passes from the first row on says anything.
        frames = np.array([row.at - ordered[0].at for row in ordered])
        passed_s, unit_s = (np.array(times) - times[0]) / columns.NS, 0.1 ** max(columns.decimals(cell, unit) for cell in cells)
        later = passed_s > unit_s
        most = float(np.min((frames[later] + 1) / (passed_s[later] - unit_s), initial=np.inf))
        # Seconds that go back to before the first one fit no rate.
        return ((float(np.max((frames - 1) / np.maximum(passed_s + unit_s, 1 / columns.NS), initial=0)), most),)
    return ()


def _of_arrays(where: Where, data: bytes, suffix: str) -> _Table | None:
    """Return arrays as the columns of a table; None after noting why they are none."""
    try:
        arrays = arrays_of(data, suffix)
    except FileError as error:
        where.error("array-syntax", f"cannot be read: {error}", "write it again by numpy")
        return None
    numbering = {name: array for name, array in arrays.items() if columns.first_of([name], *_NUMBERS)}
    others = {name: array for name, array in arrays.items() if name not in numbering}
    if len(others) != 1:
        fix = "give one array of phase ids, and 'frame' if there are gaps"
        where.error("archive-keys", f"holds {', '.join(sorted(others)) or 'nothing'}", fix)
        return None
    (ids,) = others.values()
    if ids.dtype.kind == "f" and np.isfinite(ids).all() and np.array_equal(ids, np.floor(ids)):
        ids = ids.astype(np.int64)
    kinds = {name: "iuf" if columns.first_of([name], *_TIMES) else "iu" for name in numbering}
    wrong = [one for name, one in numbering.items() if one.shape != ids.shape or one.dtype.kind not in kinds[name]]
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or wrong:
        what = f"the array has the shape {(*wrong, ids)[0].shape} and type {(*wrong, ids)[0].dtype}"
        where.error("array-shape", what, "give one whole phase id per frame")
        return None
    # Nine decimals are nanoseconds; whole numbers have none.
    texts = [[_shortest(value) if isinstance(value, float) else str(value) for value in one.tolist()] for one in (*numbering.values(), ids)]
    lines = [csv_text.Line(number, cells) for number, cells in enumerate(zip(*texts, strict=True))]
    return _Table((*numbering, "phase"), lines)


def _shortest(time: float) -> str:
    """Return a time without zeros at the end, which would say that it is not rounded."""
    return f"{time:.9f}".rstrip("0").rstrip(".")


def arrays_of(data: bytes, suffix: str) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an npz or npy file by name; errors as of `scrubin.base.unpacking.arrays`."""
    arrays = unpacking.arrays(data, "", packed=suffix == ".npz")
    return arrays if suffix == ".npz" else {"phases": arrays[""]}


def _of_text(where: Where, data: bytes) -> _Table | None:
    """Return the rows of a text that have a cell for each column; None after noting why it is no table."""
    grid = csv_text.grid(where.file, data, whitespace=True)
    if not grid.lines:
        where.faults.extend(fault for fault in grid.faults if fault.rule != "file-empty")
        return None
    where.faults.extend(grid.faults)
    lines = [csv_text.Line(line.number, tuple(cell.strip() for cell in line.cells)) for line in grid.lines]
    header = lines[0].cells
    width, has_header = len(header), columns.is_header(header)
    if where.file.lower().endswith(".csv"):
        _note_deviations(where, grid.delimiter, header)
    if not has_header and width > 2:
        where.at(f"line {lines[0].number}").error("header", f"{width} columns without a header", "name them frame and phase")
        return None
    sound = []
    for line in lines[has_header:]:
        if len(line.cells) == width:
            sound.append(line)
        else:
            _note_misfit(where, line, width)
    blanks = [number for number in grid.blanks if not has_header or number > lines[0].number]
    return _Table(header if has_header else (), sound, f"line {lines[0].number}", grid.delimiter, blanks)


def _note_misfit(where: Where, line: csv_text.Line, width: int) -> None:
    what = f"expected {width} cells with a phase, but got '{csv_text.shown(' '.join(line.cells))}'"
    where.at(f"line {line.number}").error("row-length", what, "give one row per frame")


def _note_deviations(where: Where, delimiter: str, header: Sequence[str]) -> None:
    """Note what is not as in a CSV of phases, but clear."""
    fix = "begin with a line frame,phase_id and give one line per frame, separated by commas"
    names = {name.casefold() for name in header}
    if delimiter != ",":
        where.deviation("delimiter", f"the cells are separated by {_DELIMITER_NAMES[delimiter]}", fix)
    if not columns.is_header(header):
        where.deviation("header", "there is no header", fix)
    elif not {"frame", "seconds", "milliseconds"} & names or not {"phase_id", "phase"} & names:
        where.deviation("header", f"the columns are called {', '.join(map(csv_text.shown, header))}", fix)


def _columns(where: Where, table: _Table) -> _Columns | None:
    """Return what the columns of a table are; None after noting that it is not clear."""
    header = table.header
    if not header:
        return _Columns(1, 0) if len(table.lines[0].cells) == 2 else _Columns(0)
    at, where = columns.places(header), where.at(table.place)
    ids, names = at["phase id"], at["phase"]
    of_video = [*at["video"], *at["id"]]
    if not ids and not names:
        ids, of_video = at["id"], at["video"]
    if not ids and not names:
        where.error("header", f"the header is {_listed(header)}", "name the columns frame and phase_id, or frame and phase")
        return None
    named_rows = [one for one in at["row"] if not columns.is_row_number(header[one])]
    frames = _frames(where, table, at["frame"], named_rows)
    several = next((of for of in (ids, names, frames) if len(of) > 1), [])
    if several:
        columns.note_several(where, [header[one] for one in several], "keep one column of frames and one of phases")
        return None
    phase, name = (ids or names)[0], names[0] if ids and names else None
    video = _video(table, of_video, at["id"])
    times = [*at["seconds"], *at["milliseconds"]]
    number = next(iter([*frames, *times, *named_rows]), None)
    unit: Any = "frame" if number not in times else "seconds" if number in at["seconds"] else "milliseconds"
    which = _Columns(phase, number, unit, name, video, tuple(one for one in times if one != number))
    columns.note_truth(where, header, header[phase])
    if number in named_rows and (end := _end_of_spans(table, which)) is not None:
        row_spans.note_ends(where, header[end])
        return None
    if number in frames and (spans := _spans_beside(table, frames[0])):
        what = f"{_listed(spans)} say where rows start and end, and '{header[frames[0]]}' only counts them: frames, or spans?"
        where.error("column-end", what, row_spans.MEND)
        return None
    is_clear = _can_be_placed(where, table, which) if number is None else _counts_frames(where, table, which, named_rows)
    if is_clear and number in named_rows:
        _note_unread(where, table, which)
    return which if is_clear else None


def _note_unread(where: Where, table: _Table, which: _Columns) -> None:
    """Note columns beside an index that counts the rows: one of them may number the frames."""
    known = {which.phase, which.number, which.name, which.video, *which.times}
    left = [name for at, name in enumerate(table.header) if at not in known and any(table.column(at))]
    left = [
        name for name in left if columns.SURE.fullmatch(fold(name)) is None and not columns.names_truth(name, table.header[which.phase])
    ]
    if left:
        what = f"the rows are numbered by '{table.header[which.number or 0]}'; not read: {_listed(left)}"
        where.warning("rows-by-index", what, "name the frame of every row in a column 'frame'")


def _frames(where: Where, table: _Table, places: Sequence[int], rows: Sequence[int]) -> Sequence[int]:
    """Return the columns that may number frames: one, where all say the same or one is called just frame; an index may, too."""
    if places and rows:
        return [*places, *rows]
    if all(table.column(one) == table.column(places[0]) for one in places[1:]):
        return places[:1]
    plain = [one for one in places if table.header[one].casefold() == "frame"]
    if len(plain) != 1:
        return places
    others = _listed([table.header[one] for one in places if one not in plain])
    where.warning("frame-other", f"the frames are those of the column '{table.header[plain[0]]}'; not read: {others}")
    return plain


def _video(table: _Table, places: Sequence[int], ids: Sequence[int]) -> int | None:
    """Return the column that says of which video a row is; an ``id`` does where it is not that of the row."""
    candidates = [one for one in places if one not in ids or len(set(table.column(one))) < len(table.lines)]
    # The finest: a video of a case is its own.
    return max(candidates, key=lambda one: (len(set(table.column(one))), -one), default=None)


def _can_be_placed(where: Where, table: _Table, which: _Columns) -> bool:
    """Return whether rows can be numbered by their place: no column is left that may number them otherwise."""
    known = {which.phase, which.name, which.video}
    left = {at: table.column(at) for at in range(len(table.header)) if at not in known}
    left = {at: cells for at, cells in left.items() if any(cells) and not _counts_rows(table.header[at], cells)}
    unknown = [at for at, cells in left.items() if not columns.says_how_sure(table.header[at], cells)]
    if which.video is not None:
        videos = table.column(which.video)
        blocks = sum(one != other for one, other in itertools.pairwise(videos)) + 1
        # Rows of every other video, or of videos in turn, are in no order that is known.
        unknown += [which.video] if blocks > len(set(videos)) or (len(set(videos)) == len(videos) > 1) else []
    ends = [table.header[at] for at in left if columns.says_end(table.header[at], left[at])]
    if not ends and (end := _end_of_spans(table, which)) is not None:
        ends = [table.header[end]]
    if unknown and ends:
        row_spans.note_ends(where, _listed(ends))
    elif unknown:
        columns.note_unused(where, [table.header[at] for at in unknown], known=_KNOWN)
    elif left:
        what = f"the rows are numbered by their place; not read: {_listed([table.header[at] for at in left])}"
        where.warning("rows-by-place", what, "name the frame of every row in a column 'frame'")
    return not unknown


def _counts_rows(name: str, cells: Sequence[str]) -> bool:
    """Return whether a column without a name counts the rows as they stand, as pandas and R write it."""
    return columns.is_row_number(name) and _counts(cells)


def _counts(cells: Sequence[str]) -> bool:
    return any(list(cells) == list(map(str, range(first, first + len(cells)))) for first in (0, 1))


def _end_of_spans(table: _Table, which: _Columns) -> int | None:
    """Return the column where rows end, of a table whose rows are spans beside an index that only counts them, or beside none."""
    starts, ends = (row_spans.edges_of(table.header, of) for of in (row_spans.STARTS, (*row_spans.ENDS, *row_spans.LENGTHS)))
    if len(starts) == len(ends) == 1:
        return table.header.index(ends[0].name)
    videos: dict[str, list[int]] = {}
    for row, line in enumerate(table.lines):
        videos.setdefault("" if which.video is None else line.cells[which.video], []).append(row)
    index = None if which.number is None else table.column(which.number)
    if index is not None and not all(_counts([index[row] for row in rows]) for rows in videos.values()):
        return None
    left = [at for at in range(len(table.header)) if at not in (which.phase, which.number, which.name, which.video)]
    times = {at: [_perhaps_time(table, cell) for cell in table.column(at)] for at in left}
    known = {at: [time for time in of if time is not None] for at, of in times.items() if None not in of}
    for start, end in itertools.permutations(known, 2):
        pairs = [[(known[start][row], known[end][row]) for row in rows] for rows in videos.values()]
        called_end = _says_end(table, end)
        by_length = [[(since, since + length) for since, length in of_video] for of_video in pairs] if called_end else []
        if row_spans.are_spans(pairs, columns.NS, called_end=called_end) or row_spans.are_spans(by_length, columns.NS, called_end=False):
            return end
    # Ends alone, which do not go on evenly as those of frames do.
    for end in known if index is not None else ():
        steps = [known[end][later] - known[end][row] for rows in videos.values() for row, later in itertools.pairwise(rows)]
        if _says_end(table, end) and min(steps, default=0) > 0 and max(steps) - min(steps) > columns.NS:
            return end
    return None


def _spans_beside(table: _Table, frame: int) -> list[str]:
    """Return the columns where rows start and end beside frames that only count them; none of frames that last as long as each other."""
    starts, ends = (row_spans.edges_of(table.header, of) for of in (row_spans.STARTS, row_spans.ENDS))
    if len(starts) != 1 or len(ends) != 1 or not _counts(table.column(frame)):
        return []
    edges = [[_perhaps_time(table, cell) for cell in table.column(table.header.index(of[0].name))] for of in (starts, ends)]
    pairs = [(start, end) for start, end in zip(*edges, strict=True) if start is not None and end is not None]
    lengths = [end - start for start, end in pairs]
    # In a row per frame those of a phase have the same start and end.
    are_spans = len(set(pairs)) == len(table.lines) and max(lengths) - min(lengths) > columns.NS
    return [starts[0].name, ends[0].name] if are_spans else []


def _says_end(table: _Table, at: int) -> bool:
    return columns.says_end(table.header[at], table.column(at))


def _perhaps_time(table: _Table, cell: str) -> int | None:
    """Return a number or time as nanoseconds, whatever it counts; minutes and seconds, too, as only their order matters."""
    return columns.nanoseconds(cell, comma=table.delimiter != ",", minutes=True)


def _counts_frames(where: Where, table: _Table, which: _Columns, row_numbers: Sequence[int]) -> bool:
    """Return whether what numbers the rows is clear: the numbers of rows of several videos are no frames."""
    number, video = which.number, which.video
    if number in row_numbers and video is not None and len(set(table.column(video))) > 1:
        cells = table.column(number or 0)
        if len(set(cells)) == len(cells):
            columns.note_unused(where, [table.header[number or 0]], known=_KNOWN)
            return False
    return True


def _rows(where: Where, table: _Table, which: _Columns) -> list[_Row]:
    """Return what the rows say, without those that are noted as wrong."""
    placed: dict[str, int] = {}
    rows: list[_Row] = []
    times: dict[int, list[_Time]] = {at: [] for at in which.times}
    for line in table.lines:
        row = _row(where, table, line, which, placed)
        if row is None:
            continue
        rows.append(row)
        for at, of_column in times.items():
            of_column.append((row.video, row.at, _nanoseconds(table, line.cells[at], "seconds"), row.line))
    for at, of_column in times.items():
        _check_order(where, table.header[at], of_column)
    if which.number is not None and which.unit == "seconds":
        _check_unit(where, table.header[which.number], rows)
    return rows


def _check_order(where: Where, name: str, times: Sequence[_Time]) -> None:
    """Note times beside numbers that are in another order; a column that holds something else says nothing."""
    if any(time is None for _, _, time, _ in times):
        return
    for (video, _, before, _), (other, _, time, line) in itertools.pairwise(sorted(times, key=lambda one: one[:2])):
        if video == other and before is not None and time is not None and time < before:
            what = f"'{name}' goes back to {time / columns.NS:g} where the rows go on by their numbers"
            where.at(f"line {line}").error("time-order", what, "correct one of both, or leave out the column that is wrong")
            return


def _check_unit(where: Where, name: str, rows: Sequence[_Row]) -> None:
    """Note times without a unit that are whole thousands, as milliseconds of labels per second are."""
    times = {row.at for row in rows}
    if columns.is_unitless(name) and len(times) > 1 and all(time % _THOUSAND_S == 0 for time in times):
        what = f"the times in '{name}' are whole thousands: seconds, or milliseconds?"
        where.error("time-unit", what, "call the column time_s or time_ms")


def _row(where: Where, table: _Table, line: csv_text.Line, which: _Columns, placed: dict[str, int]) -> _Row | None:
    cells = line.cells
    phase, video = documents.whole_text(cells[which.phase]), "" if which.video is None else columns.name_of_video(cells[which.video])
    if not phase:
        _note_misfit(where, line, len(cells))
        return None
    placed[video] = placed.get(video, -1) + 1
    at = placed[video] if which.number is None else _number(where, line, table, which)
    if phase.startswith("-") and phase[1:].isascii() and phase[1:].isdigit():
        where.at(f"line {line.number}").error("id-range", f"phase {phase} is below 0", WITHOUT_PHASE)
        return None
    decimals = 0 if which.number is None or which.unit == "frame" else columns.decimals(cells[which.number], which.unit)
    return None if at is None else _Row(line.number, at, phase, None if which.name is None else cells[which.name], video, decimals)


def _number(where: Where, line: csv_text.Line, table: _Table, which: _Columns) -> int | None:
    """Return the frame or nanosecond of a row; None after noting that it is none."""
    cell = line.cells[which.number or 0]
    if which.unit != "frame":
        time = _nanoseconds(table, cell, which.unit)
        if time is None:
            fix = f"write {which.unit}, or 0:01:02.5 for hours, minutes and seconds, or number frames by 'frame'"
            where.at(f"line {line.number}").error("frame-key", f"'{csv_text.shown(cell)}' is no time from 0", fix)
        return time
    frame = documents.frame_number(documents.whole_text(cell))
    if frame is None:
        where.at(f"line {line.number}").error("frame-key", f"'{csv_text.shown(cell)}' is no frame number", "number frames from 0")
    elif str(frame) != cell:
        what, fix = "the frame number is padded with zeros, or a decimal", "write 12, not 00012 or 12.0"
        where.at_frame(frame).deviation("frame-form", what, fix)
    return frame


def _nanoseconds(table: _Table, cell: str, unit: Literal["seconds", "milliseconds"]) -> int | None:
    pointed = cell.replace(",", ".") if table.has_commas and csv_text.has_comma(cell) else cell
    return columns.nanoseconds(pointed, unit, comma=table.delimiter != ",")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(csv_text.shown, names))
