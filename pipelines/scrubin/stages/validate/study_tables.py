"""The tables under validation, as their files hold them, not as they should be, with the joins that rules share.

Values are compared by their numbers among the different ones, which for two million names is some ten times faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from scrubin.base import unpacking
from scrubin.base.errors import TableError
from scrubin.base.tables import Table, arrow
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.stages.validate.expected import Expected
from scrubin.stages.validate.near_duplicates import Limits, near_duplicates

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

    @cached_property
    def wrong(self) -> dict[str, str]:
        """Why a declared column cannot be used, by name: it is missing, or of another type; "" for one that can."""
        wanted = {column.name: arrow(column.dtype) for column in self.table.columns}
        there = {name: f"is {self.types[name]}" if self.types.get(name) else "is missing" for name in wanted}
        return {name: "" if self.types.get(name) == str(of) else f"{there[name]}, but must be {of}" for name, of in wanted.items()}


def stored_table(table: Table, arrow: pa.Table) -> StoredTable:
    """Return a table as it is stored.

    Raises
    ------
    TableError
        When two columns have the same name, so that nobody knows which is meant.
    """
    twice = sorted(name for name, count in Counter(arrow.schema.names).items() if count > 1)
    if twice:
        raise TableError(f"table '{table.name}': the column '{twice[0]}' stands twice; keep one of them")
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
        raise TableError(f"{path}: cannot be read as parquet: {error}; run 'dvc repro' to make it again") from error


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
    hidden
        The private table that says what is black in the released videos; None where only public tables are at hand.
    """

    tables: Mapping[str, StoredTable]
    recordings: pd.DataFrame | None
    linkage: pd.DataFrame | None
    vocabularies: Mapping[str, Vocabulary]
    near_duplicate: Limits
    expected: Expected
    period_s: Mapping[str, Fraction] = field(default_factory=dict)
    as_written: frozenset[tuple[str, int]] = frozenset()
    hidden: pd.DataFrame | None = None

    @property
    def row_counts(self) -> dict[str, int]:
        """The number of rows by table."""
        return {name: len(stored.rows) for name, stored in sorted(self.tables.items())}

    def private(self, table: str) -> pd.DataFrame:
        """Return the private table ``recordings``, ``linkage`` or ``hidden``.

        Raises
        ------
        NotApplicableError
            When only public tables are at hand.
        """
        rows = {"recordings": self.recordings, "linkage": self.linkage, "hidden": self.hidden}[table]
        if rows is None:
            raise NotApplicableError(f"the private table '{table}' is not at hand")
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
            raise NotApplicableError(f"there is no table '{table}'")
        stored = self.tables[table]
        for name in names:
            if stored.wrong[name]:
                raise NotCheckableError(f"column '{name}' of table '{table}' {stored.wrong[name]}")
        return stored.rows[list(names)]


Codes = npt.NDArray[np.int64]
ROOM = 2**62
"""Combined numbers stay below this."""


def among(rows: pd.DataFrame, known: pd.DataFrame) -> pd.Series[bool]:
    """Return for each row whether it stands among the known ones; both have the same columns, a missing value is not known.

    >>> among(pd.DataFrame({"id": ["a", "b"]}), pd.DataFrame({"id": ["a"]})).tolist()
    [True, False]
    """
    known = known.dropna()
    wanted, there = np.zeros(len(rows), dtype=np.int64), np.zeros(len(known), dtype=np.int64)
    sound = np.full(len(rows), bool(len(known)))
    for name in known.columns:
        if not len(known):
            break
        theirs, names = pd.factorize(known[name])
        mine, others = pd.factorize(rows[name])
        # The last place stands for a missing value.
        places = np.append(pd.Index(names).get_indexer(pd.Index(others)), -1)[mine]
        sound &= places >= 0
        wanted, there = _packed(wanted, there, len(names))
        wanted, there = wanted + places, there + theirs
    return pd.Series(sound & pd.Index(wanted).isin(there), index=rows.index)


def _packed(one: Codes, other: Codes, size: int) -> tuple[Codes, Codes]:
    """Return numbers with room for one more digit of a size, made smaller where there is none."""
    if max(int(one.max(initial=0)), int(other.max(initial=0))) >= ROOM // max(size, 1):
        codes, _ = pd.factorize(np.concatenate([one, other]))
        one, other = codes[: len(one)], codes[len(one) :]
    return one * size, other * size


def by_distinct(rows: pd.DataFrame, broken: Callable[[pd.DataFrame], pd.Series[bool]]) -> pd.Series[bool]:
    """Return which rows are broken, judged once for every different row: labels have few, however many frames there are."""
    combined = np.zeros(len(rows), dtype=np.int64)
    for name in rows.columns:
        codes, different = pd.factorize(rows[name], use_na_sentinel=False)
        combined, _ = pd.factorize(combined * len(different) + codes)
    # Numbers follow the order of appearance, so that the first row of each stands in their order.
    first = np.flatnonzero(~pd.Series(combined).duplicated())
    judged = broken(rows.iloc[first]).fillna(value=False).to_numpy(dtype=bool)
    return pd.Series(judged[combined], index=rows.index)


def looked_up(rows: pd.DataFrame, facts: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return the facts for each row by key, missing where there are none; of equal keys the first counts."""
    joined = rows[key].merge(facts.drop_duplicates(key), on=key, how="left", validate="many_to_one")
    return joined.drop(columns=key).set_axis(rows.index, axis=0)


def sizes(rows: pd.DataFrame, key: list[str], column: str) -> pd.Series[int]:
    """Return for each row how many different values the column has among the rows of the same key."""
    pairs = rows[[*key, column]].drop_duplicates()
    counts = pairs.groupby(key, sort=False, dropna=False)[column].size().rename("size").reset_index()
    return looked_up(rows, counts, key)["size"]
