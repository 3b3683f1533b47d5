"""All tables of a study, in the order of the documentation."""

from __future__ import annotations

from collections.abc import Mapping

from scrubin.tables.declare import Table
from scrubin.tables.facts import FACTS
from scrubin.tables.frames import FRAMES
from scrubin.tables.gaps import GAPS
from scrubin.tables.labelled import LABELLED
from scrubin.tables.phases import PHASES
from scrubin.tables.private.cuts import CUTS
from scrubin.tables.private.hidden import HIDDEN
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.private.parts import PARTS
from scrubin.tables.private.proposals import PROPOSALS
from scrubin.tables.private.quarantine import QUARANTINE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.tables.private.redactions import REDACTIONS
from scrubin.tables.private.rigs import RIGS
from scrubin.tables.private.stereo import STEREO
from scrubin.tables.ratings import RATINGS
from scrubin.tables.segments import SEGMENTS
from scrubin.tables.skill import skill
from scrubin.tables.spans import SPANS
from scrubin.tables.splits import SPLITS
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS
from scrubin.tables.videos import VIDEOS

CONVERTED_TABLES = (SEGMENTS, FACTS)
"""Tables that label files of other data sets are converted to, and that no study has."""
PRIVATE_TABLES = (RECORDINGS, PARTS, LINKAGE, PROPOSALS, REDACTIONS, CUTS, HIDDEN, RIGS, STEREO, QUARANTINE)


def public_tables(aspects: tuple[str, ...]) -> Mapping[str, Table]:
    """Return the public tables of a study that rates these aspects, by name."""
    tables = (VIDEOS, GAPS, FRAMES, RATINGS, skill(aspects), ERRORS, LABELLED, TRIPLETS, PHASES, SPANS, SPLITS)
    return {table.name: table for table in tables}
