"""`scrubin review --verify`, `--import` and `--export`: the ledger without its page."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from scrubin.core import files, strangers
from scrubin.core.errors import ReviewError
from scrubin.core.ranges import count_text
from scrubin.release import review_gate
from scrubin.review import events, exchange
from scrubin.review.desk import Desk
from scrubin.review.ledger import FIRST, LEDGER_PATH, Ledger

STDOUT = "-"


def verify(path: Path = LEDGER_PATH) -> int:
    """Prove the chain of the ledger, and that it goes on from what the pipeline has seen; say what is in it.

    Raises
    ------
    ReviewError
        When the chain is broken, or lines at its end are gone.
    """
    ledger = Ledger(path)
    lines = ledger.lines()
    if review_gate.REVIEW_PATH.is_file():
        known = review_gate.load()
        cleaned = bool(lines) and lines[0].event in events.NOBODYS and lines[0].facts["of"] >= known["lines"]
        if (
            not cleaned
            and known["head"] != FIRST
            and known["head"] not in {line.sha256 for line in lines[known["lines"] - 1 : known["lines"]]}
        ):
            msg = (
                f"{path}: the pipeline has seen {known['lines']} lines of it, the last with hash {known['head'][:12]}…, and that one "
                "is not there: lines at the end were taken out or written anew; restore the file from a copy"
            )
            raise ReviewError(msg)
    back = sum(later.at < earlier.at for earlier, later in pairwise(lines))
    people = sorted({line.by for line in lines if line.event not in events.NOBODYS})
    by = "1 person" if len(people) == 1 else f"{len(people)} people"
    sys.stdout.write(f"{path}: {count_text(len(lines), 'line')} by {by}, the chain holds; head {ledger.head}\n")
    for person in people:
        mine = [line.event for line in lines if line.by == person]
        counts = ", ".join(f"{mine.count(event)} {event}" for event in events.EVENTS if event in mine)
        sys.stdout.write(f"  {person}: {counts}\n")
    for line in lines:
        if line.event == "forgotten":
            sys.stdout.write(f"  {line.facts['lines']} of {line.facts['of']} lines were taken out, because somebody withdrew\n")
        if line.event == "renamed":
            sys.stdout.write(
                f"  {line.facts['changed']} of {line.facts['of']} lines say another name of a recording, because it was renamed\n"
            )
    if back:
        sys.stdout.write(f"  a clock was set back {back} times; the order of the lines is that of the file\n")
    if ledger.torn_bytes:
        sys.stdout.write(f"  {ledger.torn_bytes} bytes of an unfinished line at the end count nothing; the next decision sets them aside\n")
    return 0


def take(sheet: Path, by: str | None) -> int:
    """Append what a sheet says and the ledger does not.

    Raises
    ------
    ManifestError, RecordingError, ReviewError
        When a row cannot be used: then nothing is appended.
    """
    data = _bytes(sheet)
    desk = Desk.open(by=by)
    done = exchange.read_sheet(data, desk.reviewed, desk.standing, desk.times_s, desk.set_aside())
    desk.append_all(done.events)
    sys.stdout.write(f"{sheet}: {count_text(len(done.events) - 1, 'new decision')}\n")
    _list("these overrule earlier ones:", done.changes)
    _list("decided earlier and not in the sheet; they stay (withdraw them on the page):", done.absent)
    _list("rejects what no detector has proposed:", done.unmet)
    return 0


def write(sheet: str, by: str | None) -> int:
    """Write all decisions that stand as a sheet, ``-`` for standard output."""
    desk = Desk.open(by=by)
    text = exchange.sheet_text(desk.reviewed, desk.standing)
    if sheet == STDOUT:
        sys.stdout.write(text)
        return 0
    files.write_text(Path(sheet), text)
    rows = text.count("\n") - 1
    desk.append_exported(events.Sheet(hashlib.sha256(text.encode()).hexdigest(), rows))
    sys.stdout.write(f"{sheet}: {rows} decisions\n")
    return 0


def _bytes(path: Path) -> bytes:
    try:
        return strangers.read_bytes(path)
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}); name a sheet such as data/raw/redactions.csv"
        raise ReviewError(msg) from error


def _list(heading: str, sentences: Sequence[str]) -> None:
    if sentences:
        sys.stdout.write(heading + "".join(f"\n  {one}" for one in sentences) + "\n")
