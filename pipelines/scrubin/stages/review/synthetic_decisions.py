"""The decisions that the synthetic study brings along: nobody is in it, so a program stands in for the people who look.

They go through the same ledger as everybody's. Every line says whose it is.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from scrubin.base import strangers
from scrubin.base.layout import DEMO
from scrubin.stages.review import Ledger, attention, events, exchange, status, study
from scrubin.stages.review.attention import Look
from scrubin.stages.review.events import ACCEPT, ADD, PERSON, REJECT, Decided, DecidedSpan
from scrubin.stages.review.outcome import GAP, PAIR, SHEET, UNREVIEWED, Proposed
from scrubin.stages.review.redaction_sheet import NAME
from scrubin.stages.review.standing import Standing, seconds_of
from scrubin.stages.review.study import FrameTimes, ReviewedStudy

SESSION = "synthetic"
# The synthetic study is the same everywhere, and so is its ledger.
AT = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)


def is_own(path: Path) -> bool:
    """Whether a ledger is missing, or holds nothing but what the synthetic study brought along.

    An empty ledger is somebody's wish to begin from nothing.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return True
    try:
        lines = [json.loads(line) for line in data.splitlines()]
        return bool(lines) and all(line["by"] == PERSON and line["session"] == SESSION for line in lines)
    except (ValueError, KeyError, TypeError):
        return False


def begin(path: Path, raw: Path) -> None:
    """Begin the ledger of a raw study where there is none, or nothing but what the synthetic study brought along.

    Of another study that says nothing: its ledger begins empty.
    """
    if not is_own(path):
        return
    path.unlink(missing_ok=True)
    if raw == DEMO:
        write(path, raw, study.load(1, 0.0, raw))
    else:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)


def write(path: Path, raw: Path, of: ReviewedStudy) -> None:
    """Write the ledger: the study's ``redactions.csv``, every other proposal accepted, and every frame seen."""
    ledger = Ledger(path, clock=lambda: AT)
    standing, times_s = of.standing(), FrameTimes(raw, of.files)
    sheet = strangers.read_bytes(raw / NAME)
    set_aside = {line.split(",")[0] for line in sheet.decode().splitlines()[1:]}
    imported = exchange.read_sheet(sheet, of, standing, times_s, PERSON, set_aside)
    for event in (*imported.events[:-1], *_covered_texts(of, imported.events)):
        ledger.append("decided", events.facts(event), by=PERSON, session=SESSION)
    standing.apply(ledger.lines())
    # Text within a whole picture is asked when that was rejected, the other camera's picture when nobody rejected this one, and what
    # lies between two spans depends on all.
    for source in (None, None, PAIR, None, GAP, PAIR, None):
        for event in list(_undecided(of, standing, times_s, source)):
            standing.apply([ledger.append("decided", events.facts(event), by=PERSON, session=SESSION)])
    ledger.append("imported", events.facts(imported.events[-1]), by=PERSON, session=SESSION)
    for key, file in of.files.items():
        stills = ((0, 1, file.frame_count),)
        seconds = tuple(seconds_of(range(file.frame_count), times_s[key]))
        look = Look(attention.needed_s("full", file.frame_count), 1, attention.LEAST_HEIGHT_PX["full"])
        seen = events.Seen(file.recording, file.camera, file.sha256, "full", stills, seconds, **asdict(look))
        ledger.append("seen", events.facts(seen), by=PERSON, session=SESSION)


def _covered_texts(of: ReviewedStudy, imported: tuple[events.Event, ...]) -> Iterator[Decided]:
    """Yield rejections of text that the sheet's own rectangles hide already: theirs are exact."""
    drawn = [one for one in imported if isinstance(one, Decided) and one.kind == "text" and one.spans[0].what == ADD]
    for key, file in of.files.items():
        for proposal in of.proposals.get(key, ()):
            if any((one.recording, one.camera) == key and _same_text(one, proposal) for one in drawn):
                known = of.frames[key, proposal.key]
                span = DecidedSpan(REJECT, known.first, known.last, *proposal.interval_s)
                why = "a rectangle was drawn for it"
                yield Decided(*key, file.sha256, "text", (span,), proposal.box_xywh, why, proposal.key, of.detectors)


def _undecided(of: ReviewedStudy, standing: Standing, times_s: FrameTimes, source: str | None) -> Iterator[Decided]:
    """Yield decisions about what else is proposed by ``source``, None for the detectors: drawn people apart, what is drawn has no face."""
    for key, file in of.files.items():
        for item in status.judged(of, key, standing, times_s):
            derived = item.proposal.source if item.proposal.source in (GAP, PAIR) else None
            if item.decision == UNREVIEWED and item.proposal.source != SHEET and derived == source:
                # Its sheet names each camera in whose picture a text stands.
                elsewhere = item.proposal.source == PAIR and item.proposal.kind == "text"
                wrong = elsewhere or _is_drawn(item.proposal, of.proposals.get(key, ()))
                span = DecidedSpan(REJECT if wrong else ACCEPT, item.first, item.last, *item.proposal.interval_s)
                nobody = "it stands in the other camera only" if elsewhere else "it is drawn, and nobody is in it"
                why = nobody if wrong else "what is proposed may well be right"
                yield Decided(*key, file.sha256, item.proposal.kind, (span,), item.proposal.box_xywh, why, item.proposal.key, of.detectors)


def _is_drawn(proposal: Proposed, others: Iterable[Proposed]) -> bool:
    """Whether a proposal only says that the study is drawn: an unknown scene, or a face where no other detector sees anything."""
    if proposal.source != "face":
        return proposal.source == "unknown_scene"
    start_s, end_s = proposal.interval_s
    witnesses = [one for one in others if one.kind == proposal.kind and one.source not in ("face", "unknown_scene")]
    return not any(one.interval_s[0] < end_s and one.interval_s[1] > start_s for one in witnesses)


def _same_text(drawn: Decided, proposal: Proposed) -> bool:
    """Whether the middle of a proposed rectangle lies in a drawn one."""
    if proposal.kind != "text" or proposal.box_xywh is None or drawn.box_xywh is None:
        return False
    middles = [proposal.box_xywh[side] + proposal.box_xywh[side + 2] / 2 for side in (0, 1)]
    return all(drawn.box_xywh[side] <= middle < drawn.box_xywh[side] + drawn.box_xywh[side + 2] for side, middle in enumerate(middles))
