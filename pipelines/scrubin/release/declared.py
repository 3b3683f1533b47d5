"""All tables of the study as the release sees them: which are public, which columns are private."""

from __future__ import annotations

from collections.abc import Mapping

from scrubin.tables.cuts import CUTS
from scrubin.tables.declare import Table
from scrubin.tables.frames import FRAMES
from scrubin.tables.hidden import HIDDEN
from scrubin.tables.linkage import LINKAGE
from scrubin.tables.phases import PHASES
from scrubin.tables.quarantine import QUARANTINE
from scrubin.tables.ratings import RATINGS
from scrubin.tables.recordings import RECORDINGS
from scrubin.tables.redactions import REDACTIONS
from scrubin.tables.skill import skill
from scrubin.tables.spans import SPANS
from scrubin.tables.splits import SPLITS
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS
from scrubin.tables.videos import VIDEOS

PRIVATE_TABLES = (RECORDINGS, LINKAGE, REDACTIONS, CUTS, HIDDEN, QUARANTINE)
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


def public_tables(aspects: tuple[str, ...]) -> Mapping[str, Table]:
    """Return the public tables of a study that rates these aspects, by name, in the order of the documentation."""
    tables = (VIDEOS, FRAMES, RATINGS, skill(aspects), ERRORS, TRIPLETS, PHASES, SPANS, SPLITS)
    return {table.name: table for table in tables}


def private_columns() -> frozenset[str]:
    """Return the columns that no table of a release may have: declared private, and by no public table."""
    public = {name for table in public_tables(()).values() for name in table.column_names}
    private = {name for table in PRIVATE_TABLES for name in table.column_names}
    return frozenset(private - public) | IDENTIFYING
