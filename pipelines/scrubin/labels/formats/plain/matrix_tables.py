"""Matrices in tables, CSV or parquet: a row per frame, a column per class; of one recording, or of several by their id."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from scrubin.base import strangers, unpacking
from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.labels import registry
from scrubin.labels.formats.plain.matrix import Matrix
from scrubin.labels.model import ClassesOf
from scrubin.labels.parse import columns

PREFIXES: Mapping[str, ClassesOf | None] = {"ivt_": "ivt", "triplet_": "ivt", "i_": "i", "instrument_": "i", "class_": None, "": None}
"""What may stand before the number of a class; the first that a table has counts, where its recording is labelled so."""
NUMBERED = re.compile(rf"(?:{'|'.join(PREFIXES)})\d+")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")
LEAST_COLUMNS = 3
"""Two columns without a header are frames and phases."""
ROUNDED_SUM = 0.01
"""By which share sums of shares or percents may differ that are rounded."""


def has_matrix(path: Path) -> bool:
    """Return whether a table looks like a matrix: by its header, or by its first row of numbers."""
    if path.suffix.lower() == ".parquet":
        try:
            names = unpacking.parquet_schema(path).names
        except (pa.ArrowException, OSError):
            return True
        return _has_classes(names)
    first = registry.head(path).split("\n", 1)[0]
    cells = _cells(first, csv_text.delimiter_of(first))
    if _is_header(cells):
        return _has_classes(cells)
    return len(cells) >= LEAST_COLUMNS


def read_parquet(file: str, data: bytes, faults: Faults) -> dict[str, list[Matrix]]:
    """Return the matrices of a parquet table by recording; an empty mapping after noting what is wrong."""
    try:
        table: pd.DataFrame = unpacking.to_pandas(unpacking.parquet(data, file))
    except (pa.ArrowException, OSError, ValueError) as error:
        faults.error(file, "table-syntax", f"cannot be read as parquet: {str(error).splitlines()[0]}", "write it again")
        return {}
    return _of_table(file, table, faults, first_row=2)


def read_csv(file: str, data: bytes, faults: Faults) -> dict[str, list[Matrix]]:
    """Return the matrices of a CSV table by recording; without a header it is one matrix, perhaps with the frame first."""
    text, wrong = csv_text.text_of(file, data)
    faults.extend(wrong)
    blanks = _blank_lines(text)
    text = text.replace("\r\n", "\n").lstrip("\n")
    if wrong or not text.strip():
        if not wrong:
            faults.error(file, "file-empty", "is empty", "give a row per frame and a column per class")
        return {}
    delimiter = csv_text.delimiter_of(text)
    lines = text.split("\n", 2)
    first = _cells(lines[0], delimiter)
    names = first if _is_header(first) else None
    if names is not None and not _check_header(file, names, _cells(lines[1], delimiter) if len(lines) > 1 else [], faults):
        return {}
    table = _parsed(file, text, delimiter, names, faults)
    if table is None:
        return {}
    if names is not None:
        return _of_table(file, table, faults, first_row=2)
    return _without_header(file, table, blanks, faults, is_first_written_otherwise=_has_first_no_point(text))


def _has_first_no_point(text: str) -> bool:
    """Return whether the first line has no decimal point and any below it has one, as numbers below names have."""
    first, *others = (line for line in text.split("\n") if line.strip())
    return "." not in first and any("." in line for line in others)


def _blank_lines(text: str) -> list[int]:
    """Return the numbers of lines without text that have one with text below them."""
    lines = text.rstrip().splitlines()
    return [number for number, line in enumerate(lines, start=1) if not line.strip()]


def _cells(line: str, delimiter: str) -> list[str]:
    if not line.strip():
        return []
    try:
        # A delimiter between quotation marks is none: "0,5" is one cell.
        cells = next(csv.reader([line.rstrip("\r")], delimiter=delimiter))
    except csv.Error:
        cells = line.split(delimiter)
    return [cell.strip().strip('"') for cell in cells]


def _is_header(cells: Sequence[str]) -> bool:
    # A row of data begins with a frame or a score.
    return bool(cells) and not _is_number(cells[0]) and not DECIMAL_COMMA.fullmatch(cells[0])


def _check_header(file: str, names: Sequence[str], first: Sequence[str], faults: Faults) -> bool:
    if len(names) > (most := strangers.limits().table_columns):
        fix = f"give one per class; if it is right, raise it: {strangers.VARIABLE}=table_columns={len(names)}"
        faults.error(file, "csv-syntax", f"has {len(names)} columns, above the limit of {most:g}", fix, place="line 1")
        return False
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        faults.error(file, "column-repeated", f"the column '{repeated[0]}' stands twice", "give every column once", place="line 1")
        return False
    if len(first) > len(names):
        # pandas would take what is first in a row for its label, and shift every class.
        what = f"rows have more cells ({len(first)}) than the header has names ({len(names)})"
        faults.error(file, "row-length", what, "give one name per column", place="line 2")
        return False
    return True


def _parsed(file: str, text: str, delimiter: str, names: list[str] | None, faults: Faults) -> pd.DataFrame | None:
    try:
        return pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            header=None,
            names=names,
            skiprows=0 if names is None else 1,
            keep_default_na=False,
            # Names such as 007 are no numbers.
            dtype={name: str for name in (names or []) if columns.first_of([name], "id", "video")},
            skip_blank_lines=True,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        what = f"cannot be read as CSV: {str(error).splitlines()[0]}"
        faults.error(file, "csv-syntax", what, "give a row per frame and a column per class")
        return None


def _without_header(
    file: str, table: pd.DataFrame, blanks: Sequence[int], faults: Faults, *, is_first_written_otherwise: bool
) -> dict[str, list[Matrix]]:
    values = _numbers(file, "", table, 1, faults)
    if values is None:
        return {}
    if _names_classes(values, is_first_written_otherwise):
        # It would shift every frame.
        what = f"the first row is {', '.join(f'{one:g}' for one in values[0, :3])} ..., which looks like names of columns"
        name_them = "name them frame and ivt_0 ... (or i_0 ... of instruments), each by its class"
        fix = f"remove it, or {name_them}" if _is_in_order(values[0]) else f"{name_them}; without names they are in the vocabulary's order"
        fix += "; if it is the first frame, put such names above it and the number of each frame before its row"
        faults.error(file, "header", what, fix, place="line 1")
        return {}
    return {PurePosixPath(file).stem: [Matrix(file, "", None, values, frame_may_be_first=True, blanks=blanks)]}


def _names_classes(values: npt.NDArray[np.float64], is_first_written_otherwise: bool) -> bool:
    """Return whether the first row is more likely the numbers of classes than values of a frame.

    All classes from 0 or from 1, in any order, are; so are other whole numbers, each once, above rows that all have a fraction, or that
    hold only 0 and 1. Not where rows below are of the same kind: shares, percents, votes and ranks have the same sum in every frame,
    and other whole numbers come again in another order. Of two columns 0, 1 may be labels: there only scores below tell, and of shares
    only how the numbers are written. One column says nothing; where frames are compared, a row too many is told. Where the first column
    may number the frames, only classes in their order, and more than 1 above labels, are names.
    """
    if not len(values):
        return False
    first, below = values[0], values[1:]
    width = values.shape[1]
    is_whole = values == np.floor(values)
    if not is_whole[0].all() or (first < 0).any() or len(np.unique(first)) < width:
        return False
    if width < LEAST_COLUMNS:
        are_classes = width > 1 and np.ptp(first) == 1 and first.min() <= 1 and not is_whole[1:, 0].all()
        is_name = is_first_written_otherwise and _is_in_order(first)
        return bool(are_classes and (is_name or not _sums_alike(first, below)))
    if not len(below):
        return _is_in_order(first)
    is_label = np.isin(below, (0, 1))
    if is_label.all():
        return True
    increases = bool((np.diff(below[:, 0]) > 0).all())
    if is_label[:, 1:].all() and is_whole[1:, 0].all() and increases:
        return bool(first[1:].max() > 1)
    permuted = (np.sort(below, axis=1) == np.sort(first)).all(axis=1)
    # In order the number of a frame and its values may be the same numbers by chance.
    if _sums_alike(first, below) or (permuted.any() and not increases):
        return False
    if _is_in_order(first):
        return True
    is_numbered = bool(is_whole[:, 0].all()) and len(np.unique(values[:, 0])) == len(values)
    return not is_numbered and (_is_in_order(np.sort(first)) or not bool(is_whole[1:].all(axis=1).any()))


def _sums_alike(first: npt.NDArray[np.float64], below: npt.NDArray[np.float64]) -> bool:
    """Return whether most rows have the sum of the first, up to what rounding of each of them makes."""
    alike = np.isclose(below.sum(axis=1), first.sum(), rtol=ROUNDED_SUM, atol=0)
    return 2 * int(np.count_nonzero(alike)) > len(below)


def _is_in_order(row: npt.NDArray[np.float64]) -> bool:
    return any(np.array_equal(row, np.arange(first, first + len(row))) for first in (0, 1))


def _of_table(file: str, table: pd.DataFrame, faults: Faults, *, first_row: int) -> dict[str, list[Matrix]]:
    table = table.set_axis(_plain_names([str(name) for name in table.columns]), axis="columns")
    names = table.columns.tolist()
    video = None if "id" in names else columns.first_of(names, "video")
    if video is not None and len(set(table[video].tolist())) > 1:
        table, names = table.rename(columns={video: "id"}), ["id" if name == video else name for name in names]
    if "frame" not in names or _prefix_of(names) is None:
        what = f"has the columns {', '.join(names[:5])}{' ...' if len(names) > 5 else ''}"
        faults.error(file, "column-missing", what, "name them frame and ivt_0, ivt_1 ... (or i_0, i_1 ... of instruments)")
        return {}
    if "id" in names and (table["id"].isna() | (table["id"] == "")).any():
        faults.error(file, "id-empty", "the id of a row is empty", "name the video of every row")
        return {}
    by_recording: dict[str, list[Matrix]] = {}
    for name, part in table.groupby("id", sort=True) if "id" in names else [(PurePosixPath(file).stem, table)]:
        place = f"video {name}" if "id" in names else ""
        matrix = _of_recording(file, place, part, names, faults, first_row)
        by_recording |= {} if matrix is None else {str(name): [matrix]}
    return by_recording


def _of_recording(file: str, place: str, part: pd.DataFrame, names: Sequence[str], faults: Faults, first_row: int) -> Matrix | None:
    """Return the matrix of a recording; None where nothing of it is labelled, or after noting what is wrong."""
    for prefix, classes in PREFIXES.items():
        of_classes = _columns(names, prefix)
        if not of_classes or (part[of_classes].isna().all(axis=None) and len(part)):
            continue
        frames = _numbers(file, place, part[["frame"]], first_row, faults)
        values = _numbers(file, place, part[of_classes], first_row, faults)
        return None if frames is None or values is None else Matrix(file, place, frames[:, 0], values, classes)
    return None


def _columns(names: Sequence[str], prefix: str) -> list[str]:
    """Return the columns of classes with a prefix, in the order of their numbers; none unless they are numbered from 0 without gap."""
    pattern = re.compile(re.escape(prefix) + r"\d+")
    of_classes = sorted((name for name in names if pattern.fullmatch(name)), key=lambda name: int(name[len(prefix) :]))
    return of_classes if of_classes == [f"{prefix}{number}" for number in range(len(of_classes))] else []


def _plain_names(names: Sequence[str]) -> list[str]:
    """Return the names of columns with ``frame`` for what is called otherwise."""
    frame = None if "frame" in names else columns.first_of(names, "frame")
    return ["frame" if name == frame else name for name in names]


def _has_classes(names: Sequence[str]) -> bool:
    return "frame" in _plain_names(names) and any(NUMBERED.fullmatch(name) for name in names)


def _prefix_of(names: Sequence[str]) -> str | None:
    return next((prefix for prefix in PREFIXES if _columns(names, prefix)), None)


def _numbers(file: str, place: str, table: pd.DataFrame, first_row: int, faults: Faults) -> npt.NDArray[np.float64] | None:
    """Return the cells as numbers; None after noting the first that is none. ``first_row`` is what the first row is called."""
    for name in table.columns:
        cells = table[name]
        if cells.dtype.kind in "biuf" and not cells.isna().any():
            continue
        if all(isinstance(cell, bool) for cell in cells.tolist()):  # labels of a table in which other videos have none
            continue
        rows = zip(table.index, cells.tolist(), strict=True)
        wrong = [(row, cell) for row, cell in rows if isinstance(cell, bool) or not _is_number(cell)]
        if wrong:
            row, cell = wrong[0]
            is_empty = cell in ("", None) or cell != cell
            what = "a cell is empty" if is_empty else f"'{csv_text.shown(str(cell))}' is no number"
            has_comma = isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell.strip()) is not None
            fix = "write decimal points and no thousands separators" if has_comma else "give a number for every class"
            at = ", ".join(part for part in (place, f"row {int(row) + first_row}, column {name}") if part)
            faults.error(file, "value-type", what, fix, place=at, count=len(wrong))
            return None
    return table.to_numpy(dtype=np.float64)


def _is_number(cell: Any) -> bool:
    try:
        # What pandas took for no column of numbers is still text.
        return not math.isnan(csv_text.number(cell) if isinstance(cell, str) else float(cell))
    except (TypeError, ValueError):
        return False
