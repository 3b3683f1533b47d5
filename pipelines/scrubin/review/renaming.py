"""The ledger when a recording gets another name: every line stays, says the new name, and the first one says that it was so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from scrubin.review.events import Renamed
from scrubin.review.ledger import Ledger, Line

EVENT = "renamed"
NOBODY = ""


def rename(ledger: Ledger, old: str, new: str) -> bool:
    """Write a new chain in which a recording has its new name; return whether any line was about it.

    Raises
    ------
    ReviewError
        When the chain is broken, or nothing can be written.
    """
    return ledger.write_anew(partial(_named, old=old, new=new))


def count(ledger: Ledger, old: str) -> int:
    """Return how many lines name a recording."""
    return sum(_facts(line, old, "") != line.facts for line in ledger.lines())


def _named(lines: Sequence[Line], old: str, new: str) -> list[dict[str, Any]] | None:
    facts = [_facts(line, old, new) for line in lines]
    changed = sum(now != line.facts for now, line in zip(facts, lines, strict=True))
    if not changed:
        return None
    # Lines are named by their numbers, which all go up by one.
    for line, now in zip(lines, facts, strict=True):
        if line.event == "withdrawn":
            now["line"] = line.facts["line"] + 1
    bodies = [
        {"at": line.at, "by": line.by, "event": line.event, "facts": now, "nonce": line.nonce, "session": line.session}
        for line, now in zip(lines, facts, strict=True)
    ]
    told = asdict(Renamed(changed, len(lines), lines[-1].sha256))
    return [{"at": lines[-1].at, "by": NOBODY, "event": EVENT, "facts": told, "nonce": "", "session": ""}, *bodies]


def _facts(line: Line, old: str, new: str) -> dict[str, Any]:
    """Return what a line says with the new name."""
    facts = dict(line.facts)
    if facts.get("recording") == old:
        facts["recording"] = new
    if line.event == "acknowledged" and facts["subject"] == "quarantine" and facts["key"] == old:
        facts["key"] = new
    if line.event == "checked":
        facts["clip"] = _clip(facts["clip"], old, new)
    if line.event == "sampled":
        facts["clips"] = [_clip(clip, old, new) for clip in facts["clips"]]
    return facts


def _clip(clip: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    return {**clip, "recording": new if clip["recording"] == old else clip["recording"]}
