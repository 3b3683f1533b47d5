"""The ledger of labels written anew: when somebody withdraws, or a recording gets another name.

The first line of the new chain says how many lines are gone or changed, and with which hash the old one ended; all others follow in
order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.curate.label import events
from scrubin.curate.label.events import Rewritten
from scrubin.stages.review import Ledger, Line

NOBODY = "0"
Facts = dict[str, Any]


def ledger_of(folder: Path = Path()) -> Ledger:
    """Return the ledger of the labels of a project."""
    return Ledger(folder / events.LEDGER_PATH, chain="labels")


def forget(ledger: Ledger, withdrawn: Memory) -> bool:
    """Take the labels of recordings that were withdrawn out of a ledger; return whether there were any.

    Raises
    ------
    ReviewError
        When the chain is broken, or nothing can be written.
    """
    return ledger.write_anew(partial(_anew, why="withdrawn", change=lambda name: None if name in withdrawn else name))


def rename(ledger: Ledger, old: str, new: str) -> bool:
    """Give a recording its new name in a ledger; return whether any line was about it.

    Raises
    ------
    ReviewError
        When the chain is broken, or nothing can be written.
    """
    return ledger.write_anew(partial(_anew, why="renamed", change=lambda name: new if name == old else name))


def lines_about(ledger: Ledger, name: str) -> int:
    """Return how many lines name a recording."""
    return sum(_changed(line.facts, lambda one: None if one == name else one) != line.facts for line in ledger.lines())


def _anew(lines: Sequence[Line], why: str, change: Callable[[str], str | None]) -> list[dict[str, Any]] | None:
    bodies: list[dict[str, Any]] = []
    number_of: dict[int, int] = {}
    changed = 0
    for line in lines:
        facts = _changed(line.facts, change)
        # A line that took back one that is gone has nothing to take back.
        if facts is None or (facts.get("undoes") and facts["undoes"] not in number_of):
            continue
        changed += facts != line.facts
        if facts.get("undoes"):
            facts["undoes"] = number_of[facts["undoes"]]
        number_of[line.number] = len(bodies) + 2  # behind the line that says all this
        bodies.append({"at": line.at, "by": line.by, "event": line.event, "facts": facts, "nonce": line.nonce, "session": line.session})
    gone = len(lines) - len(bodies)
    if not gone and not changed:
        return None
    name, facts = events.facts(Rewritten(why, gone, changed, len(lines), lines[-1].sha256))
    # The time of the last line: when somebody withdrew is nobody's business.
    return [{"at": lines[-1].at, "by": NOBODY, "event": name, "facts": facts, "nonce": "", "session": ""}, *bodies]


def _changed(facts: Mapping[str, Any], change: Callable[[str], str | None]) -> Facts | None:
    """Return what a line says with other names; None when it is only about a recording that has none any more."""
    now = dict(facts)
    if "about" in now:
        name = change(now["about"]["recording"])
        now["about"] = {**now["about"], "recording": name}
    elif "recording" in now:
        name = now["recording"] = change(now["recording"])
    elif "recordings" in now:
        named = {change(one): people for one, people in now["recordings"].items()}
        now["recordings"] = {one: people for one, people in named.items() if one is not None}
        name = "several" if now["recordings"] else None
    else:
        return now
    return None if name is None else now
