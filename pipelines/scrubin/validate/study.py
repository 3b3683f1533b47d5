"""The tables under validation: as their files hold them, not as they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from scrubin.core import unpacking
from scrubin.core.errors import TableError
from scrubin.tables.declare import Column, Table, arrow
from scrubin.validate.duplicates.near import Limits, near_duplicates
from scrubin.validate.expected import Expected
from scrubin.vocabulary.vocabulary import Vocabulary

CAMERA_ORDER = ("left", "mono", "right")
"""Labels refer to the frames of the first of these cameras that a recording has."""


class NotCheckableError(TableError):
    """A rule needs a column that is missing or of another type than declared: nothing is known, which counts as a failure."""


class NotApplicableError(TableError):
    """A rule needs a table that is not at hand, or a number that nobody declared: there is nothing to check."""


@dataclass(frozen=True)
class StoredTable:
    """One table as its file holds it.

    Parameters
    ----------
    table
        What was declared.
    types
        Type of each column by name, in the order of the file.
    rows
        The rows; nullable whole numbers are floats here, which is exact below 2**53.
    """

    table: Table
    types: Mapping[str, str]
    rows: pd.DataFrame

    def usable(self, column: Column) -> bool:
        """Whether the column is there, with the declared type."""
        return self.types.get(column.name) == str(arrow(column.dtype))


def stored_table(table: Table, arrow: pa.Table) -> StoredTable:
    """Return a table as it is stored.

    Raises
    ------
    TableError
        When two columns have the same name, so that nobody knows which is meant.
    """
    twice = sorted(name for name, count in Counter(arrow.schema.names).items() if count > 1)
    if twice:
        msg = f"table '{table.name}': the column '{twice[0]}' stands twice; keep one of them"
        raise TableError(msg)
    # A dictionary is a way to store values, not a type of them.
    plain = [field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in arrow.schema]
    arrow = arrow.cast(pa.schema(plain))
    return StoredTable(table, {field.name: _type_name(field.type) for field in arrow.schema}, arrow.to_pandas())


def read(table: Table, path: Path) -> StoredTable:
    """Read a table without holding it to its declaration: naming all that is wrong is the point.

    Raises
    ------
    TableError
        When the file is no parquet file.
    """
    try:
        return stored_table(table, unpacking.parquet(path, path))
    except (OSError, pa.ArrowException) as error:
        msg = f"{path}: cannot be read as parquet: {error}; run 'dvc repro' to make it again"
        raise TableError(msg) from error


def _type_name(arrow_type: pa.DataType) -> str:
    # Both hold text; which of them a file has depends on who wrote it.
    return "string" if pa.types.is_large_string(arrow_type) else str(arrow_type)


@dataclass(frozen=True)
class Study:
    """All that the rules look at.

    Parameters
    ----------
    tables
        The public tables by name.
    recordings, linkage
        The private tables that say who is who; None where only public tables are at hand.
    vocabularies
        Vocabularies by name.
    near_duplicate
        When recordings count as showing the same.
    expected
        What is declared beyond the tables.
    period_s
        Seconds from frame to frame by recording, for labels without a table ``frames``.
    as_written
        Recording and frame where the reader of label files has said that triplets and their parts differ and are read as they
        are written: a deviation.
    """

    tables: Mapping[str, StoredTable]
    recordings: pd.DataFrame | None
    linkage: pd.DataFrame | None
    vocabularies: Mapping[str, Vocabulary]
    near_duplicate: Limits
    expected: Expected
    period_s: Mapping[str, Fraction] = field(default_factory=dict)
    as_written: frozenset[tuple[str, int]] = frozenset()

    def private(self, table: str) -> pd.DataFrame:
        """Return the private table ``recordings`` or ``linkage``.

        Raises
        ------
        NotApplicableError
            When only public tables are at hand.
        """
        rows = {"recordings": self.recordings, "linkage": self.linkage}[table]
        if rows is None:
            msg = f"the private table '{table}' is not at hand"
            raise NotApplicableError(msg)
        return rows

    @cached_property
    def near_duplicates(self) -> pd.DataFrame:
        """The pairs of recordings that show the same; see ``near_duplicates``.

        Raises
        ------
        NotCheckableError
            When the table ``frames`` lacks a column for it.
        """
        return near_duplicates(
            self.columns("frames", "id", "camera", "frame", "time_s", "redacted", "contrast", "perceptual_hash"), self.near_duplicate
        )

    @cached_property
    def labelled(self) -> pd.Series[bool]:
        """Whether labels refer to a frame, which are those of one camera, for each row of ``frames``.

        Raises
        ------
        NotCheckableError, NotApplicableError
            As ``columns``.
        """
        frames = self.columns("frames", "id", "camera")
        codes, cameras = pd.factorize(frames["camera"])
        places = [CAMERA_ORDER.index(camera) if camera in CAMERA_ORDER else len(CAMERA_ORDER) for camera in cameras]
        # A camera that is missing or unknown comes last; other rules report it.
        order = pd.Series(np.array([*places, len(CAMERA_ORDER)], dtype=np.int64)[codes], index=frames.index)
        return (order < len(CAMERA_ORDER)) & (order == order.groupby(frames["id"]).transform("min"))

    @cached_property
    def every_frame_labelled(self) -> bool:
        """Whether labels may refer to every frame, as where there is one camera."""
        return bool(self.labelled.all())

    def columns(self, table: str, *names: str) -> pd.DataFrame:
        """Return columns of a table.

        Raises
        ------
        NotCheckableError
            When one is missing or of another type than declared.
        NotApplicableError
            When the table is not at hand.
        """
        if table not in self.tables:
            msg = f"there is no table '{table}'"
            raise NotApplicableError(msg)
        stored = self.tables[table]
        declared = {column.name: column for column in stored.table.columns}
        for name in names:
            if not stored.usable(declared[name]):
                there = stored.types.get(name)
                what = f"is {there}" if there else "is missing"
                msg = f"column '{name}' of table '{table}' {what}, but must be {arrow(declared[name].dtype)}"
                raise NotCheckableError(msg)
        return stored.rows[list(names)]
