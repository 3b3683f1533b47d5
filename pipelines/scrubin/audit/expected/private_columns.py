"""The columns, keys, orders of rows that no file of a release may have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import pandas as pd

from scrubin.audit.expected.spelling import fold, smallest_words, without_accents, words
from scrubin.base.tables.private import PRIVATE_TABLES
from scrubin.base.tables.public import public_tables

IDENTIFYING_WORDS = frozenset(
    {
        "age",
        "birth",
        "birthdate",
        "birthday",
        "clinic",
        "date",
        "datum",
        "dob",
        "firstname",
        "forename",
        "geburtsdatum",
        "gender",
        "geschlecht",
        "hospital",
        "klinik",
        "lastname",
        "operator",
        "participant",
        "patient",
        "proband",
        "recording",
        "session",
        "sex",
        "site",
        "subject",
        "surgeon",
        "surname",
        "teilnehmer",
        "trainee",
        "trial",
    }
)
"""Words that tell of a person, place or time, in whatever name of a column they stand."""

IDENTIFYING_NAMES = frozenset({"created_at", "original_name", "recorded_at", "source_name", "source_path", "start_time"})
"""Names that do so only as a whole."""

DAY_WORDS = frozenset(
    ("acquired", "captured", "created", "date", "datum", "day", "days", "exam", "filmed", "made", "recorded", "taken", "when")
)
"""Words under which a number of six digits is a date."""

ADDED = frozenset({"draw"})
"""Columns without which a private table tells as much: recordings and ids alone are the table ``linkage``."""

COUNTED = frozenset({"recordings"})
"""Keys under which a whole number only says how many there are."""

_WORD = re.compile(rf"(?:{'|'.join(sorted(IDENTIFYING_WORDS))})(?:s|ids?|names?|nos?|nrs?|numbers?|codes?)?")
_FILE = re.compile(r"[^/]+(?:/[^/]+)+\.[a-z0-9]{2,7}")  # a key that names a file, in a list of files


@dataclass(frozen=True)
class Public:
    """What is known to be public.

    Parameters
    ----------
    ids
        The released ids.
    columns
        The columns that a declaration or the parameters name.
    stated
        Keys of JSON, each with the value (as JSON) that it may have; see ``audit.stated``.
    own_ids
        Where no project says which ids are released, those that the release itself calls so: they tell nothing under any key. Nothing is
        said of their order.
    """

    ids: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    stated: frozenset[tuple[str, str]] = frozenset()
    own_ids: frozenset[str] = frozenset()

    def identifies(self, name: str) -> bool:
        """Whether a column or key tells of a person, place or time, in any case and spelling."""
        return _folded(name) not in _public_names(self.columns) and _identifies(name)

    def is_private(self, name: str) -> bool:
        """Whether a column may not be in any table: it identifies, or only private tables have it."""
        folded = _folded(name)
        if folded in _public_names(self.columns):
            return False
        return _identifies(name) or folded in _private_names() or _joined(name) in _private_names()

    def may_be(self, key: str, value: Any) -> bool:
        """Whether a key of JSON tells nothing by its value, or has the value that the curator states."""
        if not self.identifies(key) or self.only_ids(value):
            return True
        if key in COUNTED and isinstance(value, int):
            return True
        return (key, as_json(value)) in self.stated

    def only_ids(self, value: Any) -> bool:
        """Whether a JSON value is a released id, or a list or mapping of nothing else, also an empty one: harmless under any key."""
        if isinstance(value, (list, dict)):
            return all(map(self._is_id, value))
        return self._is_id(value)

    def _is_id(self, value: Any) -> bool:
        return isinstance(value, str) and (value in self.ids or value in self.own_ids)


def as_json(value: Any) -> str:
    """Return a value for comparison.

    >>> as_json({"b": 1, "a": "x"})
    '{"a": "x", "b": 1}'
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


@lru_cache(maxsize=1 << 16)
def _identifies(name: str) -> bool:
    if _FILE.fullmatch(name):
        return False
    name = without_accents(name)
    return any(_WORD.fullmatch(fold(word)) for word in (*words(name), *smallest_words(name))) or _joined(name) in IDENTIFYING_NAMES


def of_a_day(name: str) -> bool:
    """Whether a column or key is about a day, so that a short number in it is a date."""
    name = without_accents(name)
    return any(fold(word) in DAY_WORDS for word in (*words(name), *smallest_words(name)))


@cache
def _public_names(columns: frozenset[str]) -> frozenset[str]:
    declared = {name for table in public_tables(()).values() for name in table.column_names}
    return frozenset(map(_folded, declared | columns))


@cache
def _private_names() -> frozenset[str]:
    return frozenset(_folded(name) for table in PRIVATE_TABLES for name in table.column_names)


def private_tables(name: str, columns: list[str]) -> list[str]:
    """Return the names of the private tables that a table of this name and these columns is or holds."""
    there = {_folded(column) for column in columns} | {_joined(column) for column in columns}
    return [table.name for table in PRIVATE_TABLES if _folded(name) == table.name or set(table.column_names) - ADDED <= there]


def _folded(name: str) -> str:
    return fold(name).strip()


def _joined(name: str) -> str:
    return fold("_".join(smallest_words(without_accents(name))))


MANY = 3  # fewer ids have no order worth hiding
_ANY_WORD = re.compile(r"[^\W_]+")
_NAME_GAPS = re.compile(r"[./\\]")


def _is_sorted(values: pd.Series) -> bool:
    """Whether values never go down."""
    return bool(values.is_monotonic_increasing)


def id_in(name: Any, ids: frozenset[str]) -> str:
    """Return the released id that a text is, or that it names as a file or folder; "" when it is none."""
    if not isinstance(name, str):
        return ""
    return name if name in ids else next((part for part in _NAME_GAPS.split(name) if part in ids), "")


def fault(rows: pd.DataFrame, ids: frozenset[str]) -> str:
    """Return what is wrong with the order of ids in a table, "" when nothing is.

    Rows must be sorted by a column of ids, or by other columns first and by the ids among equal
    values, such as by fold and subset. Columns that tell rows apart on their own, such as a row
    number, do not count: they could be the order of recordings. A column of ids is one whose
    values all are released ids or files called after them, and any that is called ``id``.
    """
    columns = [(name, of_column) for name in rows.columns if (of_column := _ids_of(rows, name, ids)) is not None]
    faults = [_fault(rows.drop(columns=name).assign(id=of_column), ids) for name, of_column in columns]
    return faults[0] if faults and all(faults) else ""


def _ids_of(rows: pd.DataFrame, name: Any, ids: frozenset[str]) -> pd.Series | None:
    """Return the ids that a column is about; None when it is about anything else."""
    values: pd.Series = rows[name].where(rows[name].notna(), "")
    known = {value: id_in(value, ids) for value in values.unique()}
    empty = {value for value in known if isinstance(value, str) and not value.strip()}
    named = [known[value] for value in known if value not in empty]
    if name == "id" and any(named):
        return values
    return values.map(known) if named and all(named) else None


def _fault(rows: pd.DataFrame, ids: frozenset[str]) -> str:
    # One row per run of the same id: frames of a recording stand together.
    rows = rows.loc[(rows["id"] != rows["id"].shift()).to_numpy()].reset_index(drop=True)
    if rows["id"].nunique() < MANY or not set(rows["id"].dropna()) & ids or _is_sorted(rows["id"]):
        return ""
    group = pd.Series(0, index=rows.index)
    for column in (name for name in rows.columns if name != "id"):
        finer = _refined(rows[column], group)
        if finer is not None and 2 * finer.nunique() <= len(rows):
            group = finer
    sorted_inside = rows["id"].groupby(group, sort=False).apply(_is_sorted).all()
    return "" if sorted_inside else "rows are not sorted by id; sort them, because their order could be that of the recordings"


def _refined(values: pd.Series, group: pd.Series) -> pd.Series | None:
    """Return the groups split by a column whose equal values stand together within each; None when they do not."""
    if values.isna().any():
        return None
    block = ((values != values.shift()) | (group != group.shift())).cumsum()
    blocks = pd.DataFrame({"group": group, "value": values, "block": block}).drop_duplicates()
    return None if blocks.duplicated(["group", "value"]).any() else block


def names_fault(names: Sequence[str], ids: frozenset[str]) -> str:
    """Return what is wrong with the order of ids in a list or among keys, "" when nothing is."""
    known = [name for name in names if name in ids]
    if len(set(known)) < MANY or known == sorted(known):
        return ""
    return "ids are not sorted; sort them, because their order could be that of the recordings"


def text_fault(text: str, ids: frozenset[str]) -> str:
    """Return what is wrong with the order of ids that follow each other in a text, "" when nothing is."""
    return next((message for run in _runs(text, ids) if (message := names_fault(run, ids))), "")


def _runs(text: str, ids: frozenset[str]) -> Iterator[list[str]]:
    """Yield ids with no other word between them; numbers, bullets and commas are none."""
    run: list[str] = []
    for word in _ANY_WORD.findall(text):
        if word in ids:
            run.append(word)
        elif not word.isdecimal():
            if len(run) >= MANY:
                yield run
            run = []
    yield run
