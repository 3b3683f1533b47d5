"""The columns that no file of a release may have."""

from __future__ import annotations

from scrubin.tables.catalogue import PRIVATE_TABLES, public_tables

IDENTIFYING = frozenset(
    {
        "age",
        "birthdate",
        "clinic",
        "created_at",
        "date",
        "date_of_birth",
        "gender",
        "hospital",
        "operator",
        "original_name",
        "participant",
        "patient",
        "proband",
        "recorded_at",
        "recording",
        "session",
        "sex",
        "site",
        "source_name",
        "source_path",
        "start_time",
        "subject",
        "surgeon",
        "trainee",
        "trial",
    }
)
"""Names that tell of a person, place or time, whatever file they stand in."""


def private_columns() -> frozenset[str]:
    """Return the columns that no table of a release may have: declared private, and by no public table."""
    public = {name for table in public_tables(()).values() for name in table.column_names}
    private = {name for table in PRIVATE_TABLES for name in table.column_names}
    return frozenset(private - public) | IDENTIFYING
