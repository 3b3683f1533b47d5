"""LASANA's annotation files as text: ``<Task>.csv``, ``<Task>_rater<k>.csv``; what is not changed is written back byte for byte.

A published file is more than its values: the order of rows and columns, ``3`` or ``3.0``, line
ends, quotation marks, a byte order mark. A document keeps all of it beside the values, so that
a file passes through unchanged and a changed value changes nothing but its own cell.

Source: LASANA, section Data Records. Semicolons, one row per recording, ``True``/``False``,
empty = undefined, numbers in full precision. Rows are sorted by id, an order that tells nothing.

Source: LASANA, section Data Records; and what pandas, R and spreadsheets make of such cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import RatingsError
from scrubin.base.text import csv_text
from scrubin.base.text.csv_rows import csv_of
from scrubin.base.text.csv_text import is_missing
from scrubin.ratings import NOT_RATED, TOTAL
from scrubin.ratings.rater_sheet import RatingRow, released_recordings

_MARK = csv_text.BYTE_ORDER_MARK.decode()
_END = re.compile(r"\r\n|\n|\r")
_NEEDS_QUOTES = re.compile(r'["\r\n]')


@dataclass(frozen=True)
class Line:
    """One line as it is spelled: where it begins, its cells with their quotation marks, and its end."""

    number: int
    raws: tuple[str, ...]
    end: str

    @property
    def texts(self) -> list[str]:
        """The cells without quotation marks and surrounding blanks."""
        return [text_of(raw) for raw in self.raws]

    @property
    def blank(self) -> bool:
        """Whether this is what spreadsheets leave below a table."""
        return csv_text.is_empty(self.texts)


@dataclass(frozen=True)
class Document:
    """One CSV; ``header`` is the place of the header among the lines."""

    file: str
    mark: str
    delimiter: str
    lines: tuple[Line, ...]
    header: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order; that of row numbers is empty."""
        names = self.lines[self.header].texts
        while not names[-1]:
            names.pop()
        return tuple(names)

    @property
    def header_place(self) -> str:
        """Where the header stands, for faults."""
        return f"line {self.lines[self.header].number}"

    def rows(self) -> Iterator[RatingRow]:
        """Yield the rows below the header, blank lines left out."""
        columns = self.columns
        for line in self.lines[self.header + 1 :]:
            if not line.blank:
                yield RatingRow(self.file, line.number, dict(zip(columns, line.texts, strict=False)))

    def render(self) -> bytes:
        """Return the file."""
        return (self.mark + "".join(self.delimiter.join(line.raws) + line.end for line in self.lines)).encode()

    def with_cells(self, cells: Mapping[tuple[str, str], str]) -> Document:
        """Return the document with other texts in some cells, by (id, column).

        Quotation marks stay, and are added where the text needs them.
        """
        columns = self.columns
        place = columns.index("id")

        def changed(line: Line) -> Line:
            name = text_of(line.raws[place])
            new = {at: cells[name, column] for at, column in enumerate(columns) if (name, column) in cells}
            return replace(line, raws=tuple(self._spelled(new[at], like=raw) if at in new else raw for at, raw in enumerate(line.raws)))

        return replace(self, lines=tuple(changed(line) if self._is_row(at) else line for at, line in enumerate(self.lines)))

    def without(self, ids: Collection[str]) -> Document:
        """Return the document without the rows of some ids."""
        place = self.columns.index("id")
        kept = (line for at, line in enumerate(self.lines) if not (self._is_row(at) and text_of(line.raws[place]) in ids))
        return replace(self, lines=tuple(kept))

    def with_rows(self, rows: Iterable[Mapping[str, str]]) -> Document:
        """Return the document with more rows below its last one, spelled like it; what is not given is empty."""
        lines, columns = list(self.lines), self.columns
        for row in rows:
            last = max(at for at, line in enumerate(lines) if at == self.header or not line.blank)
            above, end = lines[last], lines[self.header].end or "\n"
            texts = [row.get(column, "") for column in columns] + [""] * (len(above.raws) - len(columns))
            raws = tuple(self._spelled(text, like=raw) for text, raw in zip(texts, above.raws, strict=True))
            # A file whose last line has no end keeps it that way.
            lines[last : last + 1] = [replace(above, end=above.end or end), Line(above.number + 1, raws, above.end)]
        return replace(self, lines=tuple(lines))

    def _spelled(self, text: str, like: str) -> str:
        quoted = like.lstrip(" ").startswith('"') or self.delimiter in text or _NEEDS_QUOTES.search(text)
        return '"' + text.replace('"', '""') + '"' if quoted else text

    def _is_row(self, place: int) -> bool:
        return place > self.header and not self.lines[place].blank


def read(path: Path) -> Document:
    """Return a file as a document that names the file without its folder; its errors are those of `parse`."""
    data, faults = csv_text.data_of(path, path.name)
    RatingsError.raise_any(faults)
    return parse(path.name, data)


def parse(file: str, data: bytes) -> Document:
    """Return the document of a file's bytes.

    Raises
    ------
    RatingsError
        When it is no sound CSV (`scrubin.base.text.csv_text`) with a column ``id``, or an id is empty.
    """
    sheet = csv_text.read(file, data, ["id"])
    RatingsError.raise_any(sheet.faults)
    text = data.decode()
    mark = _MARK if text.startswith(_MARK) else ""
    lines = tuple(_lines(text[len(mark) :], sheet.delimiter))
    document = Document(file, mark, sheet.delimiter, lines, next(place for place, line in enumerate(lines) if not line.blank))
    unnamed = [row for row in document.rows() if not row.cells["id"]]
    RatingsError.raise_any(row.fault("id-empty", "id is empty", "name the recording, or remove the row") for row in unnamed)
    return document


def text_of(raw: str) -> str:
    """Return a cell without its quotation marks and surrounding blanks.

    >>> text_of('" a;b "')
    'a;b'
    """
    bare = raw.lstrip(" ")
    return (bare[1:-1].replace('""', '"') if bare.startswith('"') else bare).strip()


def _lines(text: str, delimiter: str) -> Iterator[Line]:
    """Yield the lines of a sound CSV as they are spelled."""
    cell = re.compile(rf' *"(?:[^"]|"")*"|[^{delimiter}\r\n]*')
    place, number = 0, 1
    while place < len(text):
        raws: list[str] = []
        while True:
            match = cell.match(text, place)
            raws.append(match[0] if match else "")
            place += len(raws[-1])
            if text[place : place + 1] != delimiter:
                break
            place += 1
        end = _END.match(text, place)
        yield Line(number, tuple(raws), end[0] if end else "")
        place += len(end[0]) if end else 0
        # Counted as editors count lines: also those inside of quotation marks.
        number += 1 + len(_END.findall(delimiter.join(raws)))


def task_csv(
    task: str, skill: pd.DataFrame, errors: pd.DataFrame, videos: pd.DataFrame, aspects: Sequence[str], error_names: Sequence[str]
) -> str:
    """Return ``<Task>.csv``: errors, GRS, aspects, duration and frame count of every released recording.

    Parameters
    ----------
    task
        The task; rows of others are ignored.
    skill, errors, videos
        The tables of these names.
    aspects, error_names
        Columns beside GRS, and the task's errors, in the order of the columns.
    """
    return main_csv(skill, errors, released_recordings(videos[videos.task == task]), aspects, error_names)


def main_csv(
    skill: pd.DataFrame,
    errors: pd.DataFrame,
    recordings: pd.DataFrame,
    aspects: Sequence[str],
    error_names: Sequence[str],
    *,
    timed: bool = True,
) -> str:
    """Return ``<Task>.csv`` of recordings whose videos need not be there.

    Parameters
    ----------
    skill, errors
        The tables of these names; rows of other tasks are ignored.
    recordings
        One row per recording of one task, in the order of the rows: task, id, duration_s, frame_count.
    aspects, error_names
        As in ``task_csv``.
    timed
        Whether there are columns for duration and frame count.
    """
    scores = skill.set_index(["task", "id"])[[TOTAL, *aspects]].to_dict("index")
    labels = errors.set_index(["task", "id", "error"]).occurred.to_dict()
    rows = []
    for row in recordings.to_dict("records"):
        key = row["task"], row["id"]
        score = scores.get(key, {})
        cells = [row["id"], *(_truth(labels.get((*key, name))) for name in error_names)]
        cells += [_number(score.get(name, math.nan)) for name in (TOTAL, *aspects)]
        rows.append([*cells, duration(row["duration_s"]), str(row["frame_count"])] if timed else cells)
    return csv_of([["id", *error_names, TOTAL, *aspects, *(("duration", "frame_count") if timed else ())], *rows], ";")


def rater_csv(task: str, rater: str, ratings: pd.DataFrame, aspects: Sequence[str]) -> str:
    """Return ``<Task>_rater<k>.csv``: a rater's scores as given, empty when marked as failed, or ``not rated``."""
    theirs = ratings[(ratings.task == task) & (ratings.rater == rater)]
    points = theirs.set_index(["id", "aspect"]).score.to_dict()
    empty = {id_: "" if failed else NOT_RATED for id_, failed in zip(theirs.id, theirs.failed, strict=True)}
    names = [*aspects, TOTAL]
    rows = [[id_, rater, *(_points(points[id_, name]) or empty[id_] for name in names)] for id_ in sorted(set(theirs.id))]
    return csv_of([["id", "rater", *names], *rows], ";")


def labels_csv(errors: pd.DataFrame, error_names: Sequence[str]) -> str:
    """Return ``<Task>_errors.csv``, our file of labels after harmonising: rows of one task of the table ``errors``."""
    labels = errors.set_index(["id", "error"]).occurred.to_dict()
    rows = ([id_, *(_truth(labels.get((id_, name))) for name in error_names)] for id_ in sorted(set(errors.id)))
    return csv_of([["id", *error_names], *rows], ";")


def frame_csv(frame: pd.DataFrame) -> str:
    """Return any table in the same spelling, in its own order of rows and columns."""
    return csv_of([list(map(str, frame.columns)), *([_cell(value) for value in row.values()] for row in frame.to_dict("records"))], ";")


def duration(duration_s: float) -> str:
    """Return a duration as ``h:mm:ss``, in complete seconds.

    >>> duration(123.95)
    '0:02:03'
    """
    seconds = int(duration_s)
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _truth(value: Any) -> str:
    return "" if value is None else str(bool(value))


def _number(value: float) -> str:
    # repr is the shortest text that reads back as the same number.
    return "" if math.isnan(value) else repr(float(value))


def _cell(value: Any) -> str:
    if value is None or pd.isna(value):
        return ""
    return _number(value) if isinstance(value, float) else str(value)


def _points(value: float) -> str:
    return str(int(value)) if not math.isnan(value) and value == int(value) else _number(value)


LONGEST = 60
"""A number has at most so many characters; no message shows more of a cell."""
_CLOCK = re.compile(r"(?:(?P<days>\d+) days?,? )?(?P<h>\d+):(?P<m>[0-5]\d):(?P<s>[0-5]\d(?:\.\d+)?)")
TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class CellType:
    """What a cell holds, how it is read and how it is written; None is undefined."""

    expected: str
    read: Callable[[str], Any]
    show: Callable[[Any], str]


def number(text: str) -> float | None:
    """Return a number; None when missing.

    >>> number("3.0"), number("-1e-3"), number("NaN")
    (3.0, -0.001, None)
    """
    if is_missing(text):
        return None
    if len(text) > LONGEST or not csv_text.NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(f"{text[:LONGEST]!r} is no number")
    return float(text)


def whole_number(text: str) -> int | None:
    """Return a whole number, also from ``104.0``; None when missing."""
    value = number(text)
    if value is not None and (value != int(value) or not 0 <= value < 2**53):
        raise ValueError(f"{text!r} is no whole number")
    return None if value is None else int(value)


def truth(text: str) -> bool | None:
    """Return True or False; None when missing."""
    if is_missing(text):
        return None
    if text.lower() not in TRUTH:
        raise ValueError(f"{text!r} is neither True nor False")
    return TRUTH[text.lower()]


def seconds(text: str) -> float | None:
    """Return a duration in seconds; None when missing.

    >>> seconds("0:02:03"), seconds("0 days 00:02:03.5")
    (123.0, 123.5)
    """
    if is_missing(text):
        return None
    match = _CLOCK.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        raise ValueError(f"{text[:LONGEST]!r} is no duration")
    return int(match["days"] or 0) * 86400.0 + int(match["h"]) * 3600 + int(match["m"]) * 60 + float(match["s"])


def _or_empty(show: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "" if value is None else show(value)


# repr is the shortest text that reads back as the same number.
NUMBER = CellType("a number, or nothing where it is undefined", number, _or_empty(lambda value: repr(float(value))))
TRUTH_VALUE = CellType("True or False", truth, _or_empty(lambda value: str(bool(value))))
DURATION = CellType("a duration such as 0:02:03", seconds, _or_empty(duration))
COUNT = CellType("a whole number", whole_number, _or_empty(lambda value: str(int(value))))
