"""The ledger of a review as a command asks for it: proven, fed from a sheet, written as one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from scrubin.base import files, strangers
from scrubin.base.errors import ReviewError
from scrubin.base.faults import count_text
from scrubin.stages.release import gates
from scrubin.stages.review import events, exchange
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.ledger import FIRST, LEDGER_PATH, Ledger, Line


def prove(path: Path = LEDGER_PATH) -> list[str]:
    """Prove the chain of the ledger, and that it goes on from what the pipeline has seen; return what is in it, for people.

    Raises
    ------
    ReviewError
        When the chain is broken, or lines at its end are gone.
    """
    ledger = Ledger(path)
    lines = ledger.lines()
    _refuse_shortened(path, lines)
    return list(_told(path, ledger, lines))


def _refuse_shortened(path: Path, lines: Sequence[Line]) -> None:
    if not gates.REVIEW_PATH.is_file():
        return
    known = gates.load_review()
    if known["head"] == FIRST or (lines and lines[0].event in events.NOBODYS and lines[0].facts["of"] >= known["lines"]):
        return
    if known["head"] not in {line.sha256 for line in lines[known["lines"] - 1 : known["lines"]]}:
        msg = (
            f"{path}: the pipeline has seen {known['lines']} lines of it, the last with hash {known['head'][:12]}…, and that one "
            "is not there: lines at the end were taken out or written anew; restore the file from a copy"
        )
        raise ReviewError(msg)


def _told(path: Path, ledger: Ledger, lines: Sequence[Line]) -> Iterator[str]:
    people = sorted({line.by for line in lines if line.event not in events.NOBODYS})
    by = "1 person" if len(people) == 1 else f"{len(people)} people"
    yield f"{path}: {count_text(len(lines), 'line')} by {by}, the chain holds; head {ledger.head}"
    for person in people:
        mine = [line.event for line in lines if line.by == person]
        counts = ", ".join(f"{mine.count(event)} {event}" for event in events.EVENTS if event in mine)
        yield f"  {person}: {counts}"
    for line in lines:
        if line.event == "forgotten":
            yield f"  {line.facts['lines']} of {line.facts['of']} lines were taken out, because somebody withdrew"
        if line.event == "renamed":
            yield f"  {line.facts['changed']} of {line.facts['of']} lines say another name of a recording, because it was renamed"
    back = sum(later.at < earlier.at for earlier, later in pairwise(lines))
    if back:
        yield f"  a clock was set back {back} times; the order of the lines is that of the file"
    if ledger.torn_bytes:
        yield f"  {ledger.torn_bytes} bytes of an unfinished line at the end count nothing; the next decision sets them aside"


def take(sheet: Path, by: str | None) -> list[str]:
    """Append what a sheet says and the ledger does not; return what was done, for people.

    Raises
    ------
    ManifestError, RecordingError, ReviewError
        When a row cannot be used: then nothing is appended.
    """
    data = _bytes(sheet)
    desk = Desk.open(by=by)
    done = exchange.read_sheet(data, desk.reviewed, desk.standing, desk.times_s, desk.set_aside())
    desk.append_all(done.events)
    return [
        f"{sheet}: {count_text(len(done.events) - 1, 'new decision')}",
        *_listed("these overrule earlier ones:", done.changes),
        *_listed("decided earlier and not in the sheet; they stay (withdraw them on the page):", done.absent),
        *_listed("rejects what no detector has proposed:", done.unmet),
    ]


def _listed(heading: str, sentences: Sequence[str]) -> list[str]:
    return [heading, *(f"  {sentence}" for sentence in sentences)] if sentences else []


def text(by: str | None) -> str:
    """Return all decisions that stand as a sheet."""
    desk = Desk.open(by=by)
    return exchange.sheet_text(desk.reviewed, desk.standing)


def write(sheet: Path, by: str | None) -> int:
    """Write all decisions that stand as a sheet, note it in the ledger, and return how many there are."""
    desk = Desk.open(by=by)
    said = exchange.sheet_text(desk.reviewed, desk.standing)
    files.write_text(sheet, said)
    rows = said.count("\n") - 1
    desk.append_exported(events.Sheet(hashlib.sha256(said.encode()).hexdigest(), rows))
    return rows


def _bytes(path: Path) -> bytes:
    try:
        return strangers.read_bytes(path)
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}); name a sheet such as data/raw/redactions.csv"
        raise ReviewError(msg) from error
