"""Tables to parquet, then back, held to their declaration on both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base import unpacking
from scrubin.base.errors import TableError
from scrubin.base.files import whole
from scrubin.base.tables import Column, Table
from scrubin.base.tables.seals import RANDOM, Seal

SHOWN = 5
TEXT = pd.Series(dtype="str").dtype


def frame_of(table: Table, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame with the declared columns and dtypes, in the declared order."""
    return conform(table, pd.DataFrame(list(rows), columns=table.column_names, dtype=object))


def conform(table: Table, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a new frame with the declared dtypes, sorted by key.

    Raises
    ------
    TableError
        Names table, column and rows of the first broken rule.
    """
    missing = sorted(set(table.column_names) - set(frame.columns))
    extra = sorted(set(frame.columns) - set(table.column_names))
    if missing or extra:
        raise TableError(f"table '{table.name}': missing columns {missing}, undeclared columns {extra}")
    typed = pd.DataFrame({column.name: _typed(table, column, frame[column.name]) for column in table.columns})
    typed = typed.sort_values(list(table.key), kind="stable", ignore_index=True)
    twice = typed[typed.duplicated(list(table.key), keep=False)]
    if len(twice):
        raise TableError(f"table '{table.name}': {len(twice)} rows share their key {list(table.key)}: {_keys(table, twice)}")
    for column in table.columns:
        _check(table, column, typed)
    return typed


def write(table: Table, frame: pd.DataFrame, path: Path, seal: Seal | None = None) -> None:
    """Write a table as parquet: declared schema, sorted by key, whole or not at all.

    Parameters
    ----------
    seal
        Of a private table: its file says the seal as well, which no reader asks for.
    """
    typed = conform(table, frame)
    said = {} if seal is None else {RANDOM: seal.of(path.name)}
    # Arrays of pandas' own metadata would name library versions; the schema alone is enough to read back.
    metadata = {**(table.schema.metadata or {}), **said}
    arrow = pa.Table.from_pandas(typed, schema=table.schema, preserve_index=False).replace_schema_metadata(metadata)
    with whole(path) as part:
        pq.write_table(arrow, part, compression="zstd")


def read(table: Table, path: Path) -> pd.DataFrame:
    """Read a table and hold it to its declaration."""
    try:
        arrow = unpacking.parquet(path, path)
    except OSError as error:
        raise TableError(f"{path}: cannot be read as parquet: {error}; run 'dvc repro' to make it again") from error
    return conform(table, arrow.to_pandas())


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as dictionaries, missing values as None."""
    columns = {str(name): frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _typed(table: Table, column: Column, values: pd.Series[Any]) -> pd.Series[Any]:
    if not column.nullable and values.isna().any():
        raise TableError(f"table '{table.name}', column '{column.name}': {int(values.isna().sum())} missing values, none are allowed")
    try:
        if column.dtype == "str" and values.dtype == TEXT:
            return values.astype(object).astype("str")
        if column.dtype == "str":
            text = values.astype(object).where(values.notna(), None)
            wrong = [value for value in text if value is not None and not isinstance(value, str)]
            if wrong:
                raise TableError(f"table '{table.name}', column '{column.name}': expected text, but got {wrong[0]!r}")
            return text.astype("str")
        _refuse_other(table, column, values)
        return values.astype(column.pandas_dtype)  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError, OverflowError) as error:
        raise TableError(f"table '{table.name}', column '{column.name}': expected {column.dtype}, but {error}") from error


def _refuse_other(table: Table, column: Column, values: pd.Series[Any]) -> None:
    """Raise `TableError` for a value that is none of the declared kind: pandas cuts 1.5 to 1, and takes any text for True."""
    kind = pd.api.types.infer_dtype(values, skipna=True)
    # Unsigned numbers above the largest of int64 would come out negative.
    if (kind, column.dtype) in PLAIN and values.dtype.kind != "u":
        return
    fits = _is_number_or_flag if column.yes_is_1 else FITS[column.dtype]
    present = values.reset_index(drop=True).dropna()
    # Plain numbers are so many that only the different ones are looked at.
    looked_at = present.drop_duplicates() if kind in ("integer", "floating") else present
    row = next((row for row, value in zip(looked_at.index, looked_at.tolist(), strict=True) if not fits(value)), None)
    if row is not None:
        raise TableError(f"table '{table.name}', column '{column.name}': expected {column.dtype}, but row {row + 1} is '{present[row]}'")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_) or (_is_number(value) and value in (0, 1))


def _is_whole(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().removeprefix("-").isdecimal()
    return _is_number(value) and abs(value) < 2**63 and value == int(value)


def _is_float(value: Any) -> bool:
    return isinstance(value, str) or _is_number(value)  # what is no number as text, pandas says


def _is_number_or_flag(value: Any) -> bool:
    return _is_float(value) or isinstance(value, bool | np.bool_)


PLAIN = {("boolean", "bool"), ("integer", "int64"), ("integer", "float64"), ("floating", "float64"), ("mixed-integer-float", "float64")}
"""Kinds of values of which every one is of the declared dtype."""
FITS: Mapping[str, Callable[[Any], bool]] = {"bool": _is_flag, "int64": _is_whole, "float64": _is_float}
"""By declared dtype, whether a value that is there is one of it."""


def _check(table: Table, column: Column, frame: pd.DataFrame) -> None:
    if not column.values and column.between is None:
        return
    values = frame[column.name]
    bad = pd.Series(data=False, index=frame.index)
    rule = ""
    if column.values:
        bad = values.notna() & ~values.isin(column.values)
        rule = f"one of {', '.join(column.values)}"
    if column.between is not None:
        low, high = column.between
        below = (values < low).fillna(value=False) if low is not None else bad
        above = (values > high).fillna(value=False) if high is not None else bad
        bad = (below | above).astype(bool)
        rule = f"at least {low}" if high is None else f"at most {high}" if low is None else f"between {low} and {high}"
    if bad.any():
        rows = frame[bad]
        shown = ", ".join(map(str, rows[column.name].head(SHOWN)))
        raise TableError(f"table '{table.name}', column '{column.name}': expected {rule}, but got {shown} at {_keys(table, rows)}")


def _keys(table: Table, rows: pd.DataFrame) -> str:
    shown = [dict(zip(table.key, key, strict=True)) for key in rows[list(table.key)].head(SHOWN).itertuples(index=False)]
    return "; ".join(" ".join(f"{name}={value}" for name, value in key.items()) for key in shown)
