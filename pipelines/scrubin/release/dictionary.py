"""The data dictionary: every table and column, from its declaration."""

from __future__ import annotations

from collections.abc import Mapping

from scrubin.tables.declare import Column, Table

TYPES = {"str": "text", "int64": "whole number", "float64": "number", "bool": "true or false"}


def text(tables: Mapping[str, Table]) -> str:
    """Return the data dictionary as Markdown."""
    head = (
        "# Data dictionary\n\n"
        "Tables are parquet files in `tables/`. Missing values are null: undefined, never zero. Rows are sorted by the key.\n"
    )
    return "\n".join([head, *(_section(table) for table in tables.values())])


def _section(table: Table) -> str:
    rows = "\n".join(_row(column) for column in table.columns)
    key = ", ".join(f"`{name}`" for name in table.key)
    return (
        f"## {table.name}\n\n{table.description[0].upper()}{table.description[1:]}. Key: {key}.\n\n"
        f"| column | type | unit | meaning | missing means | allowed |\n| --- | --- | --- | --- | --- | --- |\n{rows}\n"
    )


def _row(column: Column) -> str:
    cells = (f"`{column.name}`", TYPES[column.dtype], column.unit, column.description, column.null or "never missing", _allowed(column))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _allowed(column: Column) -> str:
    if column.values:
        return ", ".join(column.values)
    if column.between is None:
        return ""
    low, high = column.between
    if high is None:
        return f"at least {low:g}" if low is not None else ""
    return f"at most {high:g}" if low is None else f"{low:g} to {high:g}"
