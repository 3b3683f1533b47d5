"""One difference between two releases: its kind, how much of it there is, and the step of the version that it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

KINDS = {
    "recordings": "whole recordings",
    "videos": "released videos: their bytes, and their rows in the table videos",
    "frames": "extracted frames: rows of the table frames, and picture files",
    "labels": "triplets, phases, spans, and which frames were labelled",
    "scores": "ratings, skill and task errors",
    "splits": "which recording is in which subset",
    "groundtruth": "what metrics take; it follows from labels, scores and splits",
    "calibrations": "calibrations of stereo rigs, and which recordings were made with them",
    "schema": "tables and columns, their types and units",
    "tables": "rows of tables that this version of Scrub-in does not know",
    "files": "all other files",
    "metadata": "name, title, licence and whatever else the metadata say",
    "errata": "known errors",
}
"""Every kind of difference, in the order in which they are listed."""


class Step(IntEnum):
    """By how much a version differs from the one before, in Croissant's terms."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    @property
    def word(self) -> str:
        """The step in lower case."""
        return self.name.lower()


BY_CHANGE = {"added": Step.MINOR, "removed": Step.MAJOR, "changed": Step.MAJOR, "moved": Step.MAJOR, "renamed": Step.MAJOR}
"""The step that a change of data asks for: old data stay as they are, or they do not."""


@dataclass(frozen=True)
class Difference:
    """What differs in one respect.

    Parameters
    ----------
    kind, what
        One of `KINDS`; and which table, column, scheme, folder or field.
    change
        ``added``, ``removed``, ``changed``, ``moved`` (between subsets) or ``renamed``.
    step
        The step of the version that this alone asks for.
    count, unit
        How many of what, such as 12 rows.
    columns
        Of changed rows, how many differ in each column; of recordings, how many rows of each table come or go with them.
    recordings
        How many of them are of each recording, by released id.
    examples
        The first few. Keys, and under ``changed`` the old and the new value of each column.
    """

    kind: str
    what: str
    change: str
    step: Step
    count: int
    unit: str
    columns: Mapping[str, int] = field(default_factory=dict)
    recordings: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Mapping[str, Any], ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the difference as a JSON value."""
        return {
            "kind": self.kind,
            "what": self.what,
            "change": self.change,
            "step": self.step.word,
            "count": self.count,
            "unit": self.unit,
            "columns": dict(self.columns),
            "recordings": dict(sorted(self.recordings.items())),
            "examples": [dict(one) for one in self.examples],
        }


def of_data(kind: str, what: str, change: str, count: int, unit: str, **more: Any) -> Difference:
    """Return a difference of data, whose step follows from the change."""
    return Difference(kind, what, change, BY_CHANGE[change], count, unit, **more)
