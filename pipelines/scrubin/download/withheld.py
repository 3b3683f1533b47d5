"""What a release leaves out by intention, and why: so that nobody takes it for a fault of the download."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.core.faults import Fault
from scrubin.download import marks
from scrubin.download.contents import Tables, hidden_count
from scrubin.download.documents import Documents, json_of

_VALUE = re.compile(r"\s*[-+]?\d[\d.,eE+-]*")
REASONS = {
    "consent": "consent was withdrawn",
    "request": "somebody asked for it",
    "legal": "for legal reasons",
    "quality": "they were too poor",
    "other": "for other reasons",
}


@dataclass(frozen=True)
class Withheld:
    """One kind of thing that is not there.

    Parameters
    ----------
    what
        Short name of the kind, for machines.
    count
        How many; 0 where it cannot be counted.
    says
        What is left out and why, in one sentence without full stop.
    """

    what: str
    count: int
    says: str


def of(folder: Path, tables: Tables, documents: Documents, listed: Collection[str], faults: list[Fault]) -> list[Withheld]:
    """Return everything that a release says it leaves out.

    Parameters
    ----------
    folder, tables, documents
        The release, and what was read of it.
    listed
        Names of its files.
    faults
        To which documents are added that cannot be read.
    """
    withdrawn = list(_withdrawn(json_of(folder, marks.WITHDRAWN, faults)))
    left_out = {why: count for why, count in documents.left_out.items() if count and not (why == "withdrawn" and withdrawn)}
    kinds = [*_frames(tables), *_cameras(tables), *withdrawn]
    kinds += [
        Withheld("left-out", count, f"{count:,} recordings of the study were not released: {why}")
        for why, count in sorted(left_out.items())
    ]
    if not any(name.startswith("archives/") for name in listed):
        kinds.append(Withheld("archives", 0, "no archives: this release has the videos in 'videos' only"))
    return kinds


def _frames(tables: Tables) -> Iterator[Withheld]:
    if dropped := hidden_count(tables, "dropped"):
        whys = Counter(_VALUE.sub("", str(why)).strip() for why in tables.column(marks.FRAMES, "dropped_why") if why)
        reasons = ", ".join(f"{why}: {count:,}" for why, count in sorted(whys.items(), key=lambda item: (-item[1], item[0])))
        yield Withheld(
            "dropped", dropped, f"{dropped:,} frames have no file: they were too poor to be used ({reasons}), and keep their number and row"
        )
    if hidden := hidden_count(tables, "redacted"):
        says = f"{hidden:,} frames are black: they were hidden because they could identify somebody or show what is outside the body"
        yield Withheld("hidden", hidden, f"{says}, and keep their number")


def _cameras(tables: Tables) -> Iterator[Withheld]:
    """Yield recordings of which one view of a stereo pair was not released."""
    cameras: dict[str, set[str]] = defaultdict(set)
    for one, camera in zip(tables.column(marks.VIDEOS, "id"), tables.column(marks.VIDEOS, "camera"), strict=False):
        cameras[one].add(camera)
    for camera, other in (("left", "right"), ("right", "left")):
        if alone := sorted(one for one, there in cameras.items() if there == {camera}):
            says = f"{len(alone):,} recordings have the camera {camera} only, such as {alone[0]}: no {other} one was released"
            yield Withheld("camera", len(alone), says)


def _withdrawn(document: Mapping[str, Any]) -> Iterator[Withheld]:
    rows = document.get("withdrawn")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            count, reason = row.get("recordings"), str(row.get("reason", "other"))
            number = count if isinstance(count, int) else 0
            says = f"{number:,} recordings were withdrawn in version {row.get('version', '?')}: {REASONS.get(reason, reason)}"
            yield Withheld("withdrawn", number, says)
