"""What the stage review says: the table `redactions`, and for the gate and the report what was seen, decided and not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrubin.core.ranges import count_text
from scrubin.review import attention, counts, status
from scrubin.review.agreement import agreement
from scrubin.review.events import NOBODYS
from scrubin.review.ledger import FIRST, Line
from scrubin.review.outcome import rows
from scrubin.review.progress import worked_s
from scrubin.review.sheet import NAME
from scrubin.review.standing import Standing
from scrubin.review.study import ReviewedStudy, times_s
from scrubin.review.synthetic import PERSON
from scrubin.tables.private.redactions import REDACTIONS


def redactions(of: ReviewedStudy, standing: Standing) -> list[dict[str, Any]]:
    """Return the rows of the table `redactions` of all recordings that nobody excluded, without repetitions."""
    done: dict[tuple[Any, ...], dict[str, Any]] = {}
    for key in of.files:
        decided = list(standing.decided.get(key, {}).values())
        for row in rows(*key, of.proposed(key, standing), decided, of.reviewers, of.limits(key)):
            done[tuple(row[name] for name in REDACTIONS.key)] = row
    return list(done.values())


def document(of: ReviewedStudy, standing: Standing, lines: Sequence[Line], raw: Path, checks: float = 0.0) -> dict[str, Any]:
    """Return per recording what is unseen, undecided and disputed, who did how much, and sentences that warn.

    Parameters
    ----------
    lines
        All lines of the ledger; the hash of the last one says which decisions these are.
    raw
        Folder of the raw study.
    checks
        Parameter ``review.checks``.
    """
    looks = [(line, event) for line, event in standing.looks if line.by != PERSON]
    said = {
        "head": lines[-1].sha256 if lines else FIRST,
        "lines": len(lines),
        "reviewers": of.reviewers,
        "detectors": of.detectors,
        "recordings": [_recording(of, standing, name, raw) for name in of.recordings()],
        "acknowledged": [
            {"subject": event.subject, "key": event.key, "why": event.why, "until": event.until, "by": line.by}
            for _, (line, event) in sorted(standing.acknowledged.items())
        ],
        "people": people(standing, lines),
        "agreement": agreement(of, standing),
        "attention": attention.summary(looks, [event for _, event in standing.planted], checks),
        "worked_s": worked_s(lines),
        "latest": max((line.at for line in lines), default=""),
        "synthetic": {line.by for line in lines if not _about_release(line)} == {PERSON},
        "sheet": _sheet(of, standing),
        "sheet_fault": of.sheet.fault if of.sheet.sha256 not in standing.sheets else "",
    }
    return {**said, "warnings": _warnings(said)}


def _about_release(line: Line) -> bool:
    """Whether a line is about the released videos: whoever looks at these has not looked at the recordings."""
    return line.event in ("sampled", "checked", *NOBODYS) or (line.event == "seen" and line.facts["view"] == "released")


def _recording(of: ReviewedStudy, standing: Standing, name: str, raw: Path) -> dict[str, Any]:
    excluded = standing.excludes(name)
    done = []
    for key in of.cameras(name):
        items = status.judged(of, key, standing, lambda key: times_s(raw, of.files[key]))
        done.append(status.document(status.file_status(of, key, standing, items), items) | counts.of_file(of, key, standing, items))
    seen_by = sorted({person for key in of.cameras(name) for person in standing.seen.get(key, {})})
    return {
        "recording": name,
        "sha256": [of.files[key].sha256 for key in of.cameras(name)],
        "files": done,
        "seen_by": seen_by,
        "excluded": None if excluded is None else {"by": excluded[0].by, "why": excluded[1].why},
    }


def excluded(of: ReviewedStudy, standing: Standing) -> list[dict[str, str]]:
    """Return the recordings that a reviewer excluded, by name."""
    entries = [standing.excludes(name) for name in of.recordings()]
    return [{"recording": one[1].recording, "by": one[0].by, "why": one[1].why} for one in entries if one is not None]


def people(standing: Standing, lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return who decided how much: decisions that stand, recordings with one, and the seconds of work."""
    done = []
    for person in sorted({line.by for line in lines if line.event not in NOBODYS}):
        mine = [one for items in standing.decided.values() for by, one in items.values() if by == person]
        own = [line for line in lines if line.by == person]
        done.append(
            {
                "person": person,
                "decisions": len(mine),
                "recordings": len({one.recording for one in mine}),
                "saw": len({recording for (recording, _), seen in standing.seen.items() if person in seen}),
                "worked_s": worked_s(own),
            }
        )
    return done


def _warnings(said: Mapping[str, Any]) -> list[str]:
    """Return one sentence per thing that a person should know before the release."""
    files = [file for one in said["recordings"] if one["excluded"] is None for file in one["files"]]
    unseen = len({file["recording"] for file in files if file["unseen"] or file["unseen_lenses"] or file["unseen_stops"]})
    undecided, disputed, lost, unlooked = (sum(file[name] for file in files) for name in ("undecided", "disputed", "lost", "unlooked"))
    every = count_text(len(said["recordings"]), "recording")
    sentences = [
        (unseen, f"{unseen} of {every} not seen by as many people as review.reviewers asks for"),
        (undecided, f"{count_text(undecided, 'proposal')} undecided, so hidden"),
        (disputed, f"people disagree about {count_text(disputed, 'proposal')}, so they are hidden"),
        (lost, f"{count_text(lost, 'line')} of the ledger about files that were replaced: no longer counted"),
        (
            unlooked,
            f"{count_text(unlooked, 'line')} of the ledger from an earlier edition: on a screen for 0.2 s, no longer counted as seen",
        ),
        (said["sheet"] is not None, f"{said['sheet']}"),
    ]
    return [sentence for count, sentence in sentences if count]


def _sheet(of: ReviewedStudy, standing: Standing) -> str | None:
    """Return what is to say about ``redactions.csv``; None when it is empty or was imported."""
    if not of.sheet.rows or of.sheet.sha256 in standing.sheets:
        return None
    return (
        f"{NAME} was not imported: what {count_text(of.sheet.rows, 'row')} of it would hide is proposed, what they reject counts nothing; "
        f"run: .venv/bin/scrubin review --import {NAME}"
    )
