"""The ledger written anew when somebody withdraws or a recording gets another name, told from one of which lines are gone."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReviewError
from scrubin.base.layout import REVIEW_PATH
from scrubin.stages.review import FIRST, FROM_ANOTHER, Ledger, Line
from scrubin.stages.review.events import NOBODYS, PERSON, Forgotten, Renamed, names_acknowledged

NAMELESS = "(withdrawn)"
FORGOTTEN = "forgotten"
NOBODY = ""


def forget(ledger: Ledger, withdrawn: Memory) -> bool:
    """Take those who withdrew out of a ledger; return whether they were in it.

    Its first line says how many lines are gone; all others follow in their order, in a new chain.

    Raises
    ------
    ReviewError
        When the chain is broken, or nothing can be written.
    """
    return ledger.write_anew(partial(_without, withdrawn=withdrawn))


def _without(lines: Sequence[Line], withdrawn: Memory) -> list[dict[str, Any]] | None:
    bodies: list[dict[str, Any]] = []
    number_of: dict[int, int] = {}
    changed = 0
    for line in lines:
        facts = _facts_without(line, withdrawn)
        if facts is None or (line.event == "withdrawn" and facts["line"] not in number_of):
            continue
        changed += facts != line.facts
        if line.event == "withdrawn":
            facts["line"] = number_of[facts["line"]]
        number_of[line.number] = len(bodies) + 2  # behind the line that tells of all this
        bodies.append({"at": line.at, "by": line.by, "event": line.event, "facts": facts, "nonce": line.nonce, "session": line.session})
    gone = len(lines) - len(bodies)
    if not gone and not changed:
        return None
    sessions = Counter(line.session for line in lines) - Counter(body["session"] for body in bodies)
    told = asdict(Forgotten(gone, changed, len(lines), lines[-1].sha256, dict(sessions)))
    # The time of the last line: when somebody withdrew is nobody's business.
    first = {"at": lines[-1].at, "by": NOBODY, "event": FORGOTTEN, "facts": told, "nonce": "", "session": ""}
    return [first, *bodies]


def _facts_without(line: Line, withdrawn: Memory) -> dict[str, Any] | None:
    """Return what a line says without those who withdrew; None when it is about nobody else."""
    facts = dict(line.facts)
    if facts.get("recording") in withdrawn or (line.event == "checked" and _is_theirs(facts["clip"], withdrawn)):
        return None
    if line.event == "acknowledged" and (
        withdrawn.in_text(facts["key"]) or any(name in withdrawn for name in names_acknowledged(facts["subject"], facts["key"]))
    ):
        return None
    if line.event == "sampled":
        facts["clips"] = [clip for clip in facts["clips"] if not _is_theirs(clip, withdrawn)]
        if not facts["clips"]:
            return None
    # The key of a question of the audit holds what was read.
    for name in ("why", "proposal"):
        if name in facts:
            facts[name] = _nameless(facts[name], withdrawn)
    return facts


def _is_theirs(clip: Mapping[str, Any], withdrawn: Memory) -> bool:
    return clip["recording"] in withdrawn or clip["id"] in withdrawn


def _nameless(text: str, withdrawn: Memory) -> str:
    names = sorted(withdrawn.in_text(text), key=len, reverse=True)
    return re.sub("|".join(map(re.escape, names)), NAMELESS, text) if names else text


RENAMED = "renamed"


def rename(ledger: Ledger, old: str, new: str) -> bool:
    """Write a new chain in which a recording has its new name; return whether any line was about it.

    Raises
    ------
    ReviewError
        When the chain is broken, or nothing can be written.
    """
    return ledger.write_anew(partial(_named, old=old, new=new))


def lines_about(ledger: Ledger, old: str) -> int:
    """Return how many lines name a recording."""
    return sum(_facts_renamed(line, old, "") != line.facts for line in ledger.lines())


def _named(lines: Sequence[Line], old: str, new: str) -> list[dict[str, Any]] | None:
    facts = [_facts_renamed(line, old, new) for line in lines]
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
    return [{"at": lines[-1].at, "by": NOBODY, "event": RENAMED, "facts": told, "nonce": "", "session": ""}, *bodies]


def _facts_renamed(line: Line, old: str, new: str) -> dict[str, Any]:
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


def noted(lines: Sequence[Line]) -> dict[str, Any]:
    """Return what the stage review notes of a ledger that it has seen, for `refuse_shortened`."""
    first, head = (lines[0].sha256, lines[-1].sha256) if lines else (FIRST, FIRST)
    return {"first": first, "head": head, "lines": len(lines), "sessions": dict(_sessions(lines))}


def _sessions(lines: Iterable[Line]) -> Counter[str]:
    """Return how many lines each session has ever written: those that are there, and those that withdrawals took out. It never falls."""
    written = Counter[str]()
    for line in lines:
        if line.event not in NOBODYS:
            written[line.session] += 1
        elif line.event == FORGOTTEN:
            written.update(line.facts.get("sessions", {}))
    return written


def refuse_shortened(path: Path, lines: Sequence[Line]) -> None:
    """Refuse a ledger without lines that the pipeline has seen: its chain alone cannot know what stood at its end.

    Parameters
    ----------
    path
        The ledger, for the message.
    lines
        What it holds.

    Raises
    ------
    ReviewError
        Says how to go on.
    """
    try:
        known = json.loads(REVIEW_PATH.read_text(encoding="utf-8"))
        count, head = int(known["lines"]), str(known["head"])
        sessions = Counter(known.get("sessions", {}))  # an earlier edition did not write them
    except (OSError, KeyError, TypeError, ValueError):
        return  # nothing is known: the stage review writes it anew
    # What the synthetic study brought along is written anew when other detectors propose, and is not there in a study of one's own.
    is_begun_anew = known.get("synthetic", False) and len({line.by == PERSON for line in lines}) < 2
    # Who withdrew is taken out, and who is renamed changed: another chain, of which the pipeline has seen nothing yet. It may be that of
    # another clone, where what was decided here never was.
    is_another = bool(lines) and known.get("first") != lines[0].sha256
    is_of_these = is_another and lines[0].event in NOBODYS and lines[0].facts["of"] >= count
    is_rewritten = is_of_these and sessions <= _sessions(lines)
    if head == FIRST or is_begun_anew or is_rewritten:
        return
    if head not in {line.sha256 for line in lines[count - 1 : count]}:
        msg = (
            f"{path}: the pipeline has seen {count} lines of it, the last with hash {head[:12]}…, and that one "
            f"is not there: lines were taken out or written anew; restore the file from a copy "
            f"({FROM_ANOTHER['decisions']}); or, if it is that copy, as after 'scrubin withdraw --undo', remove {REVIEW_PATH}: "
            "only what is in the ledger is decided then"
        )
        raise ReviewError(msg)
