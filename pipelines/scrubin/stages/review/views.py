"""What a person sees of a study: lists, recordings, spans, what is still missing, ready for a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.base.faults import count_text
from scrubin.stages.review.events import ADD, REJECT, Box
from scrubin.stages.review.outcome import AUDIT, without
from scrubin.stages.review.standing import FileKey, Run, Standing, lens_frames
from scrubin.stages.review.status import FileStatus, Judged, asked_inside, frames_on_screen
from scrubin.stages.review.study import Boundaries, Stop, StudyFile

WITHDRAWN = "withdrawn"
DRAWN = "line:"
"""Begins the key of what a person added: the line of the ledger that did."""
_DRAWN_KEY = re.compile(rf"{DRAWN}([0-9]{{1,9}})(?::[0-9]{{1,9}})?", re.ASCII)
Status = Sequence[tuple[FileStatus, Sequence[Judged]]]
"""Of each file of a recording: how far its review is, and its proposals."""


@dataclass(frozen=True)
class FileView:
    """One video file.

    Parameters
    ----------
    unseen
        Seconds, as runs.
    lost
        Lines of the ledger about another file of that name.
    stops, unseen_stops
        Stills to be looked at by themselves; those that too few looked at, as frames.
    unlooked
        Lines that say that something was on a screen, but not that anybody looked at it.
    """

    camera: str
    path: str
    sha256: str
    size_px: tuple[int, int]
    frame_count: int
    duration_s: float
    interval_s: tuple[float, float]
    fps: str
    variable_rate: bool
    unseen: tuple[Run, ...]
    lost: int
    stops: tuple[Stop, ...]
    unseen_stops: tuple[int, ...]
    unlooked: int


@dataclass(frozen=True)
class ProposalView:
    """A proposal: frames ``[first, last]`` of the source; ``parts`` are times and what was decided about them.

    ``inside`` are keys of others that lie inside it and are asked by themselves: a rejection of this one says nothing of them.
    ``answers`` is how many people answered what the audit asks, and not what.
    """

    key: str
    camera: str
    kind: str
    source: str
    score: float | None
    faces: int | None
    text: str | None
    first: int
    last: int
    start_s: float
    end_s: float
    box_xywh: Box | None
    decision: str
    hidden: bool
    disputed: bool
    lens: tuple[Run, ...]
    lens_seen: bool
    parts: tuple[tuple[float, float, str], ...]
    inside: tuple[str, ...]
    answers: int


@dataclass(frozen=True)
class DrawnView:
    """What a person added."""

    key: str
    camera: str
    kind: str
    first: int
    last: int
    start_s: float
    end_s: float
    box_xywh: Box | None
    by: str
    why: str


@dataclass(frozen=True)
class RecordingSummary:
    """A line of the list: ``status`` is kept, excluded, quarantined or withdrawn; ``done`` when nothing is unseen or undecided.

    Of what is undecided, ``asked`` are questions of the audit.
    """

    number: int
    name: str
    task: str
    cameras: tuple[str, ...]
    status: str
    reason: str
    duration_s: float
    proposals: int
    undecided: int
    asked: int
    unseen_s: int
    lenses_missing: int
    stops_missing: int
    disputed: int
    lost: int
    done: bool


@dataclass(frozen=True)
class RecordingView:
    """One recording, all of it."""

    summary: RecordingSummary
    files: tuple[FileView, ...]
    proposals: tuple[ProposalView, ...]
    drawn: tuple[DrawnView, ...]
    missing: tuple[str, ...]
    log: tuple[Mapping[str, Any], ...]


def summary(number: int, rows: Sequence[Mapping[str, Any]], status: Status, state: str, reason: str) -> RecordingSummary:
    """Return the line of a recording in the list, given its rows of the table `recordings`."""
    undecided = sum(len(one.undecided) for one, _ in status)
    return RecordingSummary(
        number=number,
        name=rows[0]["recording"],
        task=rows[0]["task"],
        cameras=tuple(one.key[1] for one, _ in status) or tuple(sorted(row["camera"] for row in rows)),
        status=state,
        reason=reason,
        duration_s=max((row["duration_s"] or 0.0 for row in rows), default=0.0),
        proposals=sum(len(items) for _, items in status),
        undecided=undecided,
        asked=sum(len(_asked(one, items)) for one, items in status),
        unseen_s=sum(one.unseen_s for one, _ in status),
        lenses_missing=sum(len(one.unseen_lenses) for one, _ in status),
        stops_missing=sum(len(one.unseen_stops) for one, _ in status),
        disputed=sum(len(one.disputed) for one, _ in status),
        lost=sum(one.lost for one, _ in status),
        done=state != "kept" or (not undecided and all(one.is_seen for one, _ in status)),
    )


def _asked(one: FileStatus, items: Sequence[Judged]) -> set[str]:
    """Return the keys of the questions of the audit that nobody has answered."""
    return {item.proposal.key for item in items if item.proposal.source == AUDIT} & set(one.undecided)


def state_of(rows: Sequence[Mapping[str, Any]], standing: Standing, *, is_reviewed: bool) -> tuple[str, str]:
    """Return whether a recording is kept, excluded or quarantined, and why."""
    entry = standing.excludes(rows[0]["recording"])
    if entry is not None:
        return "excluded", f"{entry[1].why} ({entry[0].by})"
    if is_reviewed:
        return "kept", ""
    bad = next((row for row in rows if row["status"] != "kept"), None)
    return (str(bad["status"]), str(bad["reason"] or "")) if bad else ("quarantined", "it could not be screened, see the report")


def file_view(file: StudyFile, status: FileStatus, stops: Sequence[Stop]) -> FileView:
    """Return one video file."""
    names = ("camera", "path", "sha256", "size_px", "frame_count", "duration_s", "interval_s", "fps", "variable_rate")
    return FileView(
        **{name: getattr(file, name) for name in names},
        unseen=status.unseen,
        lost=status.lost,
        stops=tuple(stops),
        unseen_stops=tuple(one.frame for one in status.unseen_stops),
        unlooked=status.unlooked,
    )


def proposal_view(file: StudyFile, item: Judged, items: Sequence[Judged], reviewers: int) -> ProposalView:
    """Return one proposal among all of its file."""
    proposal = item.proposal
    return ProposalView(
        key=proposal.key,
        camera=file.camera,
        kind=proposal.kind,
        source=proposal.source,
        score=proposal.score,
        faces=proposal.faces,
        text=proposal.text,
        first=item.first,
        last=item.last,
        start_s=proposal.interval_s[0],
        end_s=proposal.interval_s[1],
        box_xywh=proposal.box_xywh,
        decision=item.decision,
        hidden=item.hidden,
        disputed=any(part.disputed for part in item.parts),
        lens=tuple(lens_frames(item.first, item.last, file.frame_count)),
        lens_seen=len(item.lens_seen_by) >= reviewers,
        parts=tuple((*part.interval_s, part.decision) for part in item.parts),
        inside=tuple(
            one.proposal.key for one in asked_inside(items, proposal.kind, (item.first, item.last), proposal.box_xywh, proposal.key)
        ),
        answers=item.answers,
    )


def line_of(key: str) -> int | None:
    """Return the line of the ledger that the key of something drawn names; None when it is no such key.

    >>> line_of("line:12:1"), line_of("line:x:0")
    (12, None)
    """
    named = _DRAWN_KEY.fullmatch(key)
    return int(named[1]) if named else None


def drawn(key: FileKey, items: Sequence[Judged], standing: Standing, times_s: Boundaries) -> list[DrawnView]:
    """Return what people want hidden beyond what is proposed: what they added, and what they accepted and nobody proposes (any more)."""
    views = []
    for number, (by, one) in standing.decided.get(key, {}).items():
        for place, span in enumerate(one.spans):
            if span.what == REJECT:
                continue
            name = f"{DRAWN}{number}" + (f":{place}" if place else "")
            interval_s = span.start_s, span.end_s
            proposed = [
                item.proposal.interval_s for item in items if (item.proposal.kind, item.proposal.box_xywh) == (one.kind, one.box_xywh)
            ]
            for left in [interval_s] if span.what == ADD else without(interval_s, proposed):
                first, last = (span.first, span.last) if left == interval_s else frames_on_screen(left, times_s[key])
                views.append(DrawnView(name, key[1], one.kind, first, last, *left, one.box_xywh, by, one.why))
    return views


def log(name: str, standing: Standing) -> list[dict[str, Any]]:
    """Return what was decided about a recording, the latest first; what was seen is not among it."""
    rows = []
    for line, _ in standing.lines.values():
        about = standing.about(line.number)
        if getattr(about, "recording", None) == name:
            stands = standing.stands(line.number)
            rows.append({"line": line.number, "at": line.at, "by": line.by, "event": line.event, "stands": stands, **dict(line.facts)})
    return rows[::-1]


def missing(status: Status) -> list[str]:
    """Return what is still to do about a recording, one sentence each."""
    says = []
    for one, items in status:
        asked = _asked(one, items)
        proposed = len(one.undecided) - len(asked)
        sentences = (
            (asked, f"the audit asks about {count_text(len(asked), 'place')}, and nothing is released before somebody answers"),
            (one.unseen, f"{one.unseen_s} s unseen, the first at {one.unseen[0][0] if one.unseen else 0} s"),
            (one.unseen_lenses, f"the lens of {len(one.unseen_lenses)} proposals unseen"),
            (one.unseen_stops, f"{len(one.unseen_stops)} stills at full size unseen"),
            (one.unlooked, f"{count_text(one.unlooked, 'line')} of an earlier edition says nothing of how it was looked at: not counted"),
            (proposed, f"{proposed} proposals undecided, so they are hidden"),
            (one.disputed, f"people disagree about {len(one.disputed)} proposals, so they are hidden"),
            (one.lost, f"the file changed, {one.lost} earlier entries count no longer"),
        )
        says += [f"{one.key[1]}: {sentence}" for holds, sentence in sentences if holds]
    return says
