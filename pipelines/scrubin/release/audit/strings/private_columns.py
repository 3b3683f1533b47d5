"""The columns and keys that no file of a release may have."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from scrubin.release.audit.strings.spelling import fold, smallest_words, without_accents, words
from scrubin.tables.catalogue import PRIVATE_TABLES, public_tables

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
    """

    ids: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    stated: frozenset[tuple[str, str]] = frozenset()

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
            return all(isinstance(item, str) and item in self.ids for item in value)
        return isinstance(value, str) and value in self.ids


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
