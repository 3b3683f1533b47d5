"""Every table of a study, from its declaration: public ones as in a release's data dictionary, then private ones."""

from __future__ import annotations

from reference.markdown import code, sentence, table
from scrubin.base.tables import Column, Table
from scrubin.base.tables.private import PRIVATE_TABLES
from scrubin.base.tables.public import CONVERTED_TABLES, public_tables
from scrubin.stages.release.metadata.readme import DICTIONARY_TYPES

ASPECTS = ("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling")
"""Of the synthetic study; the table ``skill`` has a column for each aspect that a study rates."""


def text() -> str:
    """Return a section for each table."""
    public = [_section(one) for one in public_tables(ASPECTS).values()]
    converted = [_section(one) for one in CONVERTED_TABLES]
    private = [_section(one) for one in PRIVATE_TABLES]
    of_convert = ["## Tables that `scrubin convert` writes\n", "They hold what labels say beside frames.\n", *converted]
    of_curator = ["## Private tables\n", "They stay with the curator.\n", *private]
    return "\n".join(["## Public tables\n", *public, *of_convert, *of_curator])


def _section(one: Table) -> str:
    rows = [
        (code(column.name), DICTIONARY_TYPES[column.dtype], column.unit, column.description, _missing(column), _allowed(column))
        for column in one.columns
    ]
    key = ", ".join(map(code, one.key))
    header = ("column", "type", "unit", "meaning", "missing means", "allowed")
    return f"({one.name}-table)=\n### {one.name}\n\n{sentence(one.description)} Key: {key}.\n\n{table(header, rows)}"


def _missing(column: Column) -> str:
    return column.null or "never missing"


def _allowed(column: Column) -> str:
    if column.values:
        return ", ".join(map(code, column.values))
    low, high = column.between or (None, None)
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    return f"at least {low:g}" if low is not None else f"at most {high:g}" if high is not None else ""
