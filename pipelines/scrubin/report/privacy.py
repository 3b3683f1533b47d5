"""Privacy: what nobody has seen or decided, who looked at how much, and how far people agree."""

from __future__ import annotations

import dataclasses
from typing import Any

from scrubin.release import review_gate
from scrubin.release.certificate import attention
from scrubin.release.params import REQUIRED
from scrubin.report.reported_study import ReportedStudy

COUNTS = ("required_s", "unseen_s", "lenses", "undecided", "disputed", "lost")


def privacy(study: ReportedStudy) -> dict[str, Any]:
    """Return what a person must know before the release about who has looked at what could identify somebody.

    ``warnings`` are sentences, empty when everything was seen, decided and agreed. ``unseen`` are
    the recordings that too few people saw, whatever ``release.review`` asks for, and ``disputed``
    the proposals that people disagree about, each with the command that opens the page there.
    ``replaced`` are the files whose decisions are lost. ``said`` is a sentence about those who looked, ``looked`` are those about
    how; ``lines`` of the ledger were counted.
    """
    review = study.review
    everything = dataclasses.replace(study.release, review=REQUIRED)
    unseen = review_gate.missing(review, everything)
    return {
        "required": study.release.review == REQUIRED,
        "warnings": [*review_gate.warnings(review, study.release), *review["warnings"]],
        "unseen": [{"recording": one.recording, "says": one.says, "command": one.command} for one in unseen],
        "disputed": _disputed(study),
        "replaced": [row for row in coverage(study) if row["lost"]],
        "said": _said(study, complete=not unseen),
        "looked": attention.sentences(attention.measured(review)),
        "lines": review["lines"],
        "command": review_gate.COMMAND,
        "reviewers": review["reviewers"],
        "totals": _totals(study),
        "coverage": coverage(study),
        "people": review["people"],
        "worked_s": review["worked_s"],
        "agreement": review["agreement"],
        "acknowledged": review["acknowledged"],
    }


def coverage(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per video file the seconds and lenses that enough people saw, of those that must be; the incomplete ones first."""
    rows = [
        {
            "recording": file["recording"],
            "camera": file["camera"],
            **{name: file[name] for name in COUNTS},
            "seen_s": file["required_s"] - file["unseen_s"],
            "lenses_seen": file["lenses"] - len(file["unseen_lenses"]),
            "people": len(one["seen_by"]),
        }
        for one in study.review["recordings"]
        if one["excluded"] is None
        for file in one["files"]
    ]
    return sorted(rows, key=lambda row: (row["seen_s"] == row["required_s"] and row["lenses_seen"] == row["lenses"], row["recording"]))


def _disputed(study: ReportedStudy) -> list[dict[str, Any]]:
    files = [file for one in study.review["recordings"] if one["excluded"] is None for file in one["files"]]
    places = [(file["recording"], file["camera"], at_s) for file in files for at_s in file["disputed_at_s"]]
    return [
        {"recording": name, "camera": camera, "time_s": at_s, "command": review_gate.command_at(name, at_s)}
        for name, camera, at_s in places
    ]


def _totals(study: ReportedStudy) -> dict[str, int]:
    rows, kept = coverage(study), [one for one in study.review["recordings"] if one["excluded"] is None]
    people = {person for one in kept for person in one["seen_by"]}
    names = ("seen_s", "required_s", "lenses_seen", "lenses", "undecided", "disputed", "lost")
    return {"recordings": len(kept), "people": len(people), **{name: sum(row[name] for row in rows) for name in names}}


def _said(study: ReportedStudy, *, complete: bool) -> str:
    totals, reviewers = _totals(study), study.review["reviewers"]
    if not totals["recordings"]:
        return "There is no recording to look at."
    if not complete:
        looked = "Nobody has looked at anything yet." if not totals["people"] else f"So far {_people(totals['people'])} looked."
        unseen_s = totals["required_s"] - totals["seen_s"]
        if unseen_s:
            looked += (
                f" {unseen_s:,} of {totals['required_s']:,} s were seen by too few or by nobody: what programs missed there would be shown."
            )
        return f"{looked} Each recording must be seen by {_people(reviewers)}." if study.release.review == REQUIRED else looked
    if study.review["synthetic"]:
        return "Everything was seen, but not by a person: this study is synthetic, and a program stands in for those who look."
    return (
        f"Stills of all {totals['recordings']} recordings were looked at: one of every second at least, and frame by frame both ends of "
        f"everything that was proposed to be hidden, each by {_people(reviewers)} or more; {_people(totals['people'])} looked in all. "
        "The pictures between were looked at by programs only."
    )


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"
