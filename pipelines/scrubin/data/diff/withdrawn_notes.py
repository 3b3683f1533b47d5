"""What a release notes of those who withdrew: how many recordings, with which version and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from scrubin.data.diff import Difference, Step
from scrubin.data.diff.snapshot import Recordings, Released
from scrubin.data.verify import WITHDRAWN as NAME

Notes = Counter[tuple[str, str]]
"""How many recordings were withdrawn, by version and reason."""
LOST, BACK = "notes of who withdrew", "perhaps of somebody who withdrew"
_VERSION = re.compile(r"\d+(\.\d+){2}")


def of_rows(rows: Any) -> Notes:
    """Return what rows of such a file say; what is no such row says nothing.

    >>> of_rows([{"version": "2.0.0", "recordings": 1, "reason": "consent"}, "else"])
    Counter({('2.0.0', 'consent'): 1})
    """
    notes: Notes = Counter()
    for row in rows if isinstance(rows, list) else ():
        said = row if isinstance(row, dict) else {}
        version, count, reason = said.get("version"), said.get("recordings"), said.get("reason")
        if isinstance(version, str) and _VERSION.fullmatch(version) and isinstance(count, int) and count > 0 and isinstance(reason, str):
            notes[version, reason] += count
    return notes


def rows(notes: Notes) -> list[dict[str, Any]]:
    """Return the rows of such a file, in the order of versions."""
    ordered = sorted(notes, key=lambda key: ([int(part) for part in key[0].split(".")], key[1]))
    return [{"version": version, "recordings": notes[version, reason], "reason": reason} for version, reason in ordered]


def read(released: Released) -> Notes:
    """Return what a release notes; releases of earlier editions note nothing.

    Raises
    ------
    ReleaseError
        When the file is missing, is not the one that the release lists, or cannot be read.
    """
    if NAME not in released.sha256:
        return Counter()
    document = released.json(NAME)
    return of_rows(document.get("withdrawn") if isinstance(document, dict) else None)


def differences(old: Released, new: Released, recordings: Recordings) -> Iterator[Difference]:
    """Yield that notes are lost, and then also who may have come back: who is new may be somebody who withdrew.

    Where a copy lacks the file nothing is compared.
    """
    if old.lacks(NAME) or new.lacks(NAME):
        return
    gone = read(old) - read(new)
    if not gone:
        return
    said = tuple(
        {"version": row["version"], "reason": row["reason"], "changed": {"withdrawn": [row["recordings"], None]}} for row in rows(gone)
    )
    yield Difference("recordings", LOST, "removed", Step.MAJOR, gone.total(), "recordings", examples=said)
    if back := sorted(recordings.added):
        # Not by recording: what changed is written into the new release, and nobody there may be called so.
        yield Difference("recordings", BACK, "added", Step.MAJOR, len(back), "recordings", examples=tuple({"id": one} for one in back))
