"""The tables of a release as its users read them: each when it is first asked for, held to its declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from scrubin.core import unpacking
from scrubin.core.suggest import hint
from scrubin.load.damage import damaged
from scrubin.tables.catalogue import public_tables
from scrubin.tables.declare import Table

FOLDER = "tables"


class ReleasedTables(Mapping[str, pd.DataFrame]):
    """All tables of a release by name, as data frames in the order of their keys.

    Columns that this version of Scrub-in does not know stay: a newer release may have some.

    Parameters
    ----------
    folder
        The release folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, pd.DataFrame] = {}
        self._declared = public_tables(())
        self._names = sorted(path.stem for path in (folder / FOLDER).glob("*.parquet"))

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return a table; changing it changes nobody else's.

        Raises
        ------
        KeyError
            When the release has no such table.
        ReleaseError
            When the file cannot be read or breaks the declaration.
        """
        if name not in self._read:
            if name not in self._names:
                msg = f"the release has no table '{name}': {hint(name, self._names)}"
                raise KeyError(msg)
            self._read[name] = self._checked(name, None)
        return self._read[name].copy(deep=False)

    def __iter__(self) -> Iterator[str]:
        """Yield the names, sorted."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self._names)

    def __repr__(self) -> str:
        return f"ReleasedTables({', '.join(self._names)})"

    def columns(self, name: str, columns: Sequence[str]) -> pd.DataFrame:
        """Return some columns of a table, which must be there; a table that was not read yet is read no further than that.

        Raises
        ------
        ReleaseError
            When the file is not there, cannot be read or breaks the declaration.
        """
        if name not in self._names:
            raise damaged(self.folder, f"{FOLDER}/{name}.parquet is missing")
        if name not in self._read:
            return self._checked(name, columns)
        return self._read[name][list(columns)].copy(deep=False)

    def _checked(self, name: str, columns: Sequence[str] | None) -> pd.DataFrame:
        path = f"{FOLDER}/{name}.parquet"
        table = self._declared.get(name)
        wanted = columns if columns is not None else table.column_names if table else ()
        try:
            names = unpacking.parquet_schema(self.folder / path, inside=self.folder).names
            if len(set(names)) < len(names):
                raise damaged(self.folder, f"{path} has a column twice")
            missing = sorted(set(wanted) - set(names))
            if missing:
                raise damaged(self.folder, f"{path} has no column {', '.join(missing)}")
            arrow = unpacking.parquet(self.folder / path, path, columns, inside=self.folder)
        except OSError as error:
            raise damaged(self.folder, f"{path} cannot be read as parquet ({str(error).splitlines()[0]})") from error
        frame = pd.DataFrame({column: _values(arrow.column(column)) for column in arrow.column_names})
        if table is not None:
            self._hold(path, table, frame)
        return frame

    def _hold(self, path: str, table: Table, frame: pd.DataFrame) -> None:
        for column in table.columns:
            if column.name in frame and column.dtype not in str(frame[column.name].dtype).lower():
                raise damaged(self.folder, f"{path} has no {column.dtype} in column {column.name}")
            if column.name in frame and not column.nullable and frame[column.name].isna().any():
                raise damaged(self.folder, f"{path} misses values in column {column.name}")
        twice = frame[frame.duplicated(list(table.key), keep=False)] if set(table.key) <= set(frame) else frame[:0]
        if len(twice):
            row = twice.iloc[0]
            same = twice[(twice[list(table.key)] == row[list(table.key)]).all(axis=1)].drop(columns=list(table.key))
            others = [f"{name} {' and '.join(map(str, same[name]))}" for name in same if len(set(same[name])) > 1]
            key = ", ".join(f"{name} {row[name]}" for name in table.key)
            raise damaged(self.folder, f"{path} has {len(same)} rows of {key}" + (f": {', '.join(others)}" if others else ""))


def _values(column: pa.ChunkedArray) -> pd.Series:
    """Return a column in pandas; numbers and truth values with gaps stay what they are."""
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()} if column.null_count else {}
    values: pd.Series = column.to_pandas(types_mapper=nullable.get)
    # Where every text is missing, pandas does not know that they are texts.
    return values.astype("str") if pa.types.is_string(column.type) else values
