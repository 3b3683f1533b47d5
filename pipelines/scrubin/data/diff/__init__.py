"""Versions of a release: what differs between two, with the step of the number that it asks for.

The rule is that of Croissant 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html, section on versions): a patch leaves
the data as they are; a minor version leaves old data intact and adds some; a major version has changed or removed data, or other splits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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


BY_CHANGE = {
    "added": Step.MINOR,
    "removed": Step.MAJOR,
    "changed": Step.MAJOR,
    "moved": Step.MAJOR,
    "renamed": Step.MAJOR,
    "repeated": Step.MAJOR,
}
"""The step that a change of data asks for: old data stay as they are, or they do not; of two rows of one key nobody knows which holds."""


@dataclass(frozen=True)
class Difference:
    """What differs in one respect.

    Parameters
    ----------
    kind, what
        One of `KINDS`; and which table, column, scheme, folder or field.
    change
        ``added``, ``removed``, ``changed``, ``moved`` (between subsets), ``renamed``, or ``repeated`` (a row more of a key that has one).
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


def difference_of_data(kind: str, what: str, change: str, count: int, unit: str, **more: Any) -> Difference:
    """Return a difference of data, whose step follows from the change."""
    return Difference(kind, what, change, BY_CHANGE[change], count, unit, **more)


VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}")


@dataclass(frozen=True)
class Verdict:
    """Whether a number says what changed.

    Parameters
    ----------
    fits
        None when it cannot be said: a number is not x.y.z.
    lowest
        The lowest number that fits; None when it cannot be said.
    sentence
        The verdict in words.
    """

    fits: bool | None
    lowest: str | None
    sentence: str


def required_step(differences: Iterable[Difference]) -> Step:
    """Return the largest step that any of the differences asks for; ``Step.NONE`` without any."""
    return max((one.step for one in differences), default=Step.NONE)


def next_version(version: str, step: Step) -> str:
    """Return the lowest version that is a step above another.

    >>> [next_version("1.4.2", step) for step in Step]
    ['1.4.2', '1.4.3', '1.5.0', '2.0.0']
    """
    major, minor, patch = _number(version)
    return {
        Step.NONE: version,
        Step.PATCH: f"{major}.{minor}.{patch + 1}",
        Step.MINOR: f"{major}.{minor + 1}.0",
        Step.MAJOR: f"{major + 1}.0.0",
    }[step]


def is_below(version: str, lowest: str) -> bool:
    """Whether a number is too low.

    >>> is_below("1.9.9", "2.0.0"), is_below("10.0.0", "2.0.0")
    (True, False)
    """
    return _number(version) < _number(lowest)


def verdict_on(old: str, new: str, step: Step) -> Verdict:
    """Return whether a new version is at least so far above the old one as what changed asks for."""
    for name, version in (("old", old), ("new", new)):
        if not VERSION.fullmatch(version):
            return Verdict(None, None, f"the version of the {name} release is {version!r}, not x.y.z: whether it fits cannot be said")
    lowest = next_version(old, step)
    if is_below(new, old):
        return Verdict(False, lowest, f"{new} is older than {old}: name the older release first, or raise the number to {lowest}")
    if is_below(new, lowest):
        same = "both are called" if old == new else f"after {old} it is called"
        return Verdict(
            False, lowest, f"{same} {new}, but what changed asks for a {step.word} step: {lowest} is the lowest number that fits"
        )
    if step is Step.NONE:
        return Verdict(True, lowest, "nothing differs" if old == new else f"nothing differs but the number: {new} is higher than needed")
    if is_below(lowest, new):
        return Verdict(True, lowest, f"what changed asks for a {step.word} step: {new} fits, and is higher than needed ({lowest})")
    return Verdict(True, lowest, f"what changed asks for a {step.word} step: {new} fits")


def _number(version: str) -> tuple[int, int, int]:
    major, minor, patch = map(int, version.split("."))
    return major, minor, patch
