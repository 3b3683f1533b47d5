"""What the stage review says: the table `redactions`, with what was seen, decided, agreed for the gate or the report.

A proposal counts once, whatever its parts came to: an accepted one stands in the table `redactions` a second time, as the
curator's, so that it stays hidden when the detectors no longer propose it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from scrubin.base.faults import count_text
from scrubin.base.layout import DEMO
from scrubin.base.tables.private import REDACTIONS
from scrubin.stages.review import Line, attention, rewriting, status
from scrubin.stages.review.attention import worked_s
from scrubin.stages.review.events import ADD, NOBODYS, PERSON, Decided
from scrubin.stages.review.outcome import CURATOR, REJECTED, UNREVIEWED, Part, Proposed, accepted, answers, parts
from scrubin.stages.review.redaction_sheet import NAME
from scrubin.stages.review.standing import FileKey, Standing
from scrubin.stages.review.status import Judged
from scrubin.stages.review.study import Boundaries, FrameTimes, ReviewedStudy


def redactions(of: ReviewedStudy, standing: Standing) -> list[dict[str, Any]]:
    """Return the rows of the table `redactions` of all recordings that nobody excluded, without repetitions."""
    done = {tuple(row[name] for name in REDACTIONS.key): row for key in of.files for row in of.redactions(key, standing)}
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
        **rewriting.noted(lines),
        "reviewers": of.reviewers,
        "folds": of.folds,
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
        "synthetic": raw == DEMO and {line.by for line in lines if not _about_release(line)} == {PERSON},
        "sheet": _sheet(of, standing, raw),
        "sheet_fault": of.sheet.fault,
    }
    return {**said, "warnings": _warnings(said)}


def _about_release(line: Line) -> bool:
    """Whether a line is about the released videos: whoever looks at these has not looked at the recordings."""
    return line.event in ("sampled", "checked", *NOBODYS) or (line.event == "seen" and line.facts["view"] == "released")


def _recording(of: ReviewedStudy, standing: Standing, name: str, raw: Path) -> dict[str, Any]:
    excluded = standing.excludes(name)
    done, times_s = [], FrameTimes(raw, of.files)
    for key in of.cameras(name):
        items = status.judged(of, key, standing, times_s)
        counts = counts_of_file(of, key, standing, items, times_s)
        done.append(status.document(status.file_status(of, key, standing, items), items) | counts)
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
    counts = ("undecided", "disputed", "lost", "unlooked", "folded_s")
    undecided, disputed, lost, unlooked, folded_s = (sum(file[name] for file in files) for name in counts)
    every = count_text(len(said["recordings"]), "recording")
    sentences = [
        (unseen, f"{unseen} of {every} not seen by as many people as review.reviewers asks for"),
        (undecided, f"{count_text(undecided, 'proposal')} undecided, so hidden"),
        (folded_s, f"{folded_s:,} s were folded (review.folds {said['folds']:g}): not looked at by as many people as must"),
        (disputed, f"people disagree about {count_text(disputed, 'proposal')}, so they are hidden"),
        (lost, f"{count_text(lost, 'line')} of the ledger about files that were replaced: no longer counted"),
        (
            unlooked,
            f"{count_text(unlooked, 'line')} of the ledger from an earlier edition: on a screen for 0.2 s, no longer counted as seen",
        ),
        (said["sheet"] is not None, f"{said['sheet']}"),
    ]
    return [sentence for count, sentence in sentences if count]


def _sheet(of: ReviewedStudy, standing: Standing, raw: Path) -> str | None:
    """Return what is to say about ``redactions.csv``; None when it is empty, or was imported for all files that are there."""
    take = f"run: .venv/bin/scrubin review --import {NAME if raw.is_absolute() else (raw / NAME).as_posix()}"
    if of.sheet.rows and of.sheet.sha256 not in standing.sheets:
        rows = count_text(of.sheet.rows, "row")
        return f"{NAME} was not imported: what {rows} of it would hide is proposed, what they reject counts nothing; {take}"
    later = sum(of.sheet_wants(key, standing) for key in of.files)
    if not later:
        return None
    return f"{NAME} was imported before {count_text(later, 'file')} came or was replaced: what it would hide there is proposed; {take}"


def counts_of_file(
    of: ReviewedStudy, key: FileKey, standing: Standing, items: Sequence[Judged], boundaries_s: Boundaries
) -> dict[str, list[dict[str, Any]]]:
    """Return the counts of one file; ``items`` are what people are asked of it.

    Returns
    -------
    dict
        ``proposed``: by kind and source how many there are, of how many enough people saw both ends, how many are hidden as a whole
        or in part, how many of these because a part is undecided, and how many are shown as a whole or in part. ``by_people``: by
        kind how many people drew (``drawn``), and how many they accepted that nobody proposes any more (``kept``).
    """
    decided = list(standing.decided.get(key, {}).values())
    # What somebody accepted of the other camera, a gap or a sheet is asked no more, and still one proposal with all that is left of it.
    judged = status.judged(of, key, standing, boundaries_s, answers(decided, of.reviewers))
    judged += [one for one in items if not any(_is_rest(one.proposal, whole.proposal) for whole in judged)]
    spans = ((one, span) for _, one in decided for span in one.spans if span.what == ADD)
    drawn = {Proposed(one.kind, CURATOR, (span.start_s, span.end_s), one.box_xywh) for one, span in spans}
    kept: list[Proposed] = []
    for one in accepted(decided, of.reviewers):
        # Who changes the edges again says something of the same once more.
        if one not in drawn and not any(_is_shared(one, other) for other in (*kept, *(whole.proposal for whole in judged))):
            kept.append(one)
    counts = {name: Counter(one.kind for one in those) for name, those in (("drawn", drawn), ("kept", kept))}
    kinds = sorted(counts["drawn"] | counts["kept"])
    by_people = [{"kind": kind, **{name: count[kind] for name, count in counts.items()}} for kind in kinds]
    return {"proposed": _proposed(judged, of.reviewers), "by_people": by_people}


def _proposed(judged: Iterable[Judged], reviewers: int) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], list[tuple[set[str], bool]]] = {}
    for one in judged:
        about = {part.decision for part in one.parts}, len(one.lens_seen_by) >= reviewers
        groups.setdefault((one.proposal.kind, one.proposal.source), []).append(about)
    return [
        {
            "kind": kind,
            "source": source,
            "proposed": len(group),
            "seen_ends": sum(is_seen for _, is_seen in group),
            "hidden": sum(bool(decisions - {REJECTED}) for decisions, _ in group),
            "undecided": sum(UNREVIEWED in decisions for decisions, _ in group),
            "shown": sum(REJECTED in decisions for decisions, _ in group),
        }
        for (kind, source), group in sorted(groups.items())
    ]


def _is_shared(one: Proposed, other: Proposed) -> bool:
    is_same = (one.kind, one.box_xywh) == (other.kind, other.box_xywh)
    return is_same and one.interval_s[0] < other.interval_s[1] and other.interval_s[0] < one.interval_s[1]


def _is_rest(one: Proposed, whole: Proposed) -> bool:
    """Whether it is what is still asked of a proposal of which somebody accepted a part."""
    return one.source == whole.source and _is_shared(one, whole)


Pair = tuple[str, str]


def agreement(of: ReviewedStudy, standing: Standing) -> dict[str, Any]:
    """Return on how many proposals two people both decided, and on how many of these they agree.

    Two people share a proposal when both decided about some of the same of its time; they agree
    when they decided the same about all of that time. Only decisions that stand count, each
    person's latest one. What a person drew is no proposal, and excluded recordings do not count.

    Returns
    -------
    dict
        ``shared``, ``agreed`` and ``share`` (None when nobody shares a proposal) over all pairs of
        people, and the same by pair.
    """
    counts: dict[Pair, list[bool]] = {}
    for key in of.files:
        if standing.excludes(key[0]) is None:
            for pair, agree in _of_file(of, key, standing):
                counts.setdefault(pair, []).append(agree)
    pairs = [{"people": list(pair), **_share(answers)} for pair, answers in sorted(counts.items())]
    return {**_share([agree for answers in counts.values() for agree in answers]), "pairs": pairs}


def _of_file(of: ReviewedStudy, key: FileKey, standing: Standing) -> list[tuple[Pair, bool]]:
    by_person: dict[str, list[tuple[str, Decided]]] = {}
    for by, one in standing.decided.get(key, {}).values():
        by_person.setdefault(by, []).append((by, one))
    if len(by_person) < 2:
        return []
    done = []
    for proposal in of.proposed(key, standing):
        judged = {person: parts(proposal, mine, 1) for person, mine in by_person.items()}
        for pair in combinations(sorted(judged), 2):
            same = _same_decisions(judged[pair[0]], judged[pair[1]])
            done += [(pair, all(same))] if same else []
    return done


def _same_decisions(one: Sequence[Part], other: Sequence[Part]) -> list[bool]:
    """Return for every stretch that both decided about whether they decided the same."""
    return [
        mine.decision == theirs.decision
        for mine in one
        for theirs in other
        if UNREVIEWED not in (mine.decision, theirs.decision)
        and max(mine.interval_s[0], theirs.interval_s[0]) < min(mine.interval_s[1], theirs.interval_s[1])
    ]


def _share(answers: Sequence[bool]) -> dict[str, Any]:
    agreed = sum(answers)
    return {"shared": len(answers), "agreed": agreed, "share": agreed / len(answers) if answers else None}
