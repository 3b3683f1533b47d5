"""Columns that came, went or became something else between two versions of a table."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from scrubin.versions import rows
from scrubin.versions.difference import Difference, Step, of_data

TYPES = {"large_string": "text", "string": "text", "int64": "whole number", "double": "number", "bool": "true or false"}


def differences(name: str, old: pa.Table, new: pa.Table) -> Iterator[Difference]:
    """Yield what differs in the columns of a table.

    Parameters
    ----------
    name
        Of the table.
    old, new
        As `rows.plain` returns them, each with the schema of its file as ``schema``.

    A column that is new leaves old data as they are. Another type or unit is another meaning; another description is not.
    """
    before, after = old.column_names, new.column_names
    for column in after:
        if column not in before:
            yield of_data("schema", f"{name}.{column}", "added", 1, "column")
    for column in before:
        if column not in after:
            yield of_data("schema", f"{name}.{column}", "removed", 1, "column")
    for column in (one for one in before if one in after):
        yield from _column(f"{name}.{column}", old.schema.field(column), new.schema.field(column))
    shared = [one for one in before if one in after]
    if shared != [one for one in after if one in before]:
        yield _of_words(name, "order of columns", ", ".join(shared), ", ".join(one for one in after if one in before))
    said = _said(old.schema.metadata, b"description"), _said(new.schema.metadata, b"description")
    if said[0] != said[1]:
        yield _of_words(name, "description", *said)


def comparable(old: pa.Table, new: pa.Table) -> list[str]:
    """Return the columns whose values can be compared."""
    shared = [one for one in old.column_names if one in new.column_names]
    return [one for one in shared if rows.same_type(old.schema.field(one).type, new.schema.field(one).type)]


def _column(place: str, old: pa.Field, new: pa.Field) -> Iterator[Difference]:
    if not rows.same_type(old.type, new.type):
        yield _of_meaning(place, "type", _type(old), _type(new))
    units = _said(old.metadata, b"unit"), _said(new.metadata, b"unit")
    if units[0] != units[1]:
        yield _of_meaning(place, "unit", *units)
    for key, what in ((b"description", "description"), (b"null", "meaning of a missing value")):
        said = _said(old.metadata, key), _said(new.metadata, key)
        if said[0] != said[1]:
            yield _of_words(place, what, *said)


def _of_meaning(place: str, what: str, old: str, new: str) -> Difference:
    return of_data("schema", f"{place}: {what}", "changed", 1, "column", examples=({"changed": {what: [old, new]}},))


def _of_words(place: str, what: str, old: str, new: str) -> Difference:
    return Difference("schema", f"{place}: {what}", "changed", Step.PATCH, 1, "text", examples=({"changed": {what: [old, new]}},))


def _type(one: pa.Field) -> str:
    return TYPES.get(str(one.type), str(one.type))


def _said(metadata: dict[bytes, bytes] | None, key: bytes) -> str:
    return (metadata or {}).get(key, b"").decode("utf-8", errors="replace")
