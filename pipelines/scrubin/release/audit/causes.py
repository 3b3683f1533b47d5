"""Findings for reading: those of one cause are one line, with a count and the first places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.core import faults
from scrubin.core.ranges import count_text
from scrubin.release.audit.findings import Finding

PLACES_SHOWN = 3
CAUSES_SHOWN = 20
"""Of one rule: a table of names leaks each of them."""
BY_VALUE = frozenset({"private-string", "picture-text"})
"""Rules whose message names what leaked: each value is a cause of its own. In others, numbers and names only say where."""


@dataclass(frozen=True)
class Cause:
    """All findings of one cause, at least one, in the order of the audit."""

    findings: tuple[Finding, ...]

    @property
    def files(self) -> int:
        """In how many files it is."""
        return len({finding.file for finding in self.findings})

    def __str__(self) -> str:
        """Return one line for people: the first finding, how many there are, and the next places."""
        first, more = self.findings[0], self.findings[1:]
        if not more:
            return str(first)
        next_places = "; ".join(finding.where for finding in more[: PLACES_SHOWN - 1])
        rest = "; ..." if len(self.findings) > PLACES_SHOWN else ""
        return f"{first} ({self._counts()}, next: {next_places}{rest})"

    def as_json(self) -> dict[str, Any]:
        """Return the cause as JSON values: its first finding, its counts, and the first places."""
        first = self.findings[0]
        places = [finding.where for finding in self.findings[:PLACES_SHOWN]]
        return {"rule": first.rule, "message": first.message, "count": len(self.findings), "files": self.files, "first": places}

    def _counts(self) -> str:
        files = count_text(self.files, "file")
        return files if self.files == len(self.findings) else f"{count_text(len(self.findings), 'place')} in {files}"


def by_cause(findings: Iterable[Finding]) -> list[Cause]:
    """Return findings grouped by what is wrong, each group where its first one stood."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_key(finding), []).append(finding)
    return [Cause(tuple(group)) for group in groups.values()]


def lines(causes: Sequence[Cause]) -> list[str]:
    """Return one line per cause; of each rule the first ones only, with the number of the others."""
    of_rule: dict[str, list[Cause]] = {}
    for cause in causes:
        of_rule.setdefault(cause.findings[0].rule, []).append(cause)
    left_out = {cause for alike in of_rule.values() for cause in alike[CAUSES_SHOWN:]}
    rest = [
        f"... and {len(alike) - CAUSES_SHOWN} more causes of [{rule}]: {count(alike[CAUSES_SHOWN:])}"
        for rule, alike in of_rule.items()
        if len(alike) > CAUSES_SHOWN
    ]
    return [str(cause) for cause in causes if cause not in left_out] + rest


def count(causes: Sequence[Cause]) -> str:
    """Return how many findings there are: "1,082 findings of 1 cause"; of one cause each, just their number."""
    total = sum(len(cause.findings) for cause in causes)
    findings = count_text(total, "finding")
    return findings if total == len(causes) else f"{findings} of {count_text(len(causes), 'cause')}"


def _key(finding: Finding) -> tuple[str, ...]:
    if finding.rule in BY_VALUE:
        return (finding.rule, finding.message)
    return faults.error(finding.file, finding.rule, finding.message, "").cause
