from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scrubin.review import verdict
from scrubin.review.events import ACCEPT, REJECT, Decided, DecidedSpan, Seen, facts
from scrubin.review.ledger import Line
from scrubin.review.outcome import Proposed
from scrubin.review.study import FrameRange, ReviewedStudy, SheetThere, StudyFile
from scrubin.video.source import Source

KEY = ("Rec", "left")
SPAN = Proposed("out_of_body", "appearance", (2.0, 3.0), score=0.5)


def study(reviewers: int = 1, sheet_rows: int = 0) -> ReviewedStudy:
    """Seconds 1 to 8 of ten are kept, and one span is proposed."""
    file = StudyFile(*KEY, Source.of_file("a.mp4", "now"), (96, 64), 250, 10.0, (1.0, 9.0), "25", variable_rate=False)
    return ReviewedStudy(
        {KEY: file}, {KEY: [SPAN]}, {(KEY, SPAN.key): FrameRange(50, 74)}, "1", reviewers, 0.2, SheetThere("sheet", {}, sheet_rows, "")
    )


def seen(first_s: int, last_s: int, by: str, sha256: str = "now") -> tuple[str, str, Seen]:
    stills = ((first_s * 25, 1, (last_s - first_s + 1) * 25),)
    return by, "seen", Seen(*KEY, sha256, "lens", stills, ((first_s, last_s),))


def accepted(by: str, what: str = ACCEPT) -> tuple[str, str, Decided]:
    span = DecidedSpan(what, 50, 74, *SPAN.interval_s)
    return by, "decided", Decided(*KEY, "now", "out_of_body", (span,), None, "", SPAN.key, "1")


def said(of: ReviewedStudy, events: list[tuple[str, str, Any]]) -> Mapping[str, Any]:
    """What the stage review says of these events, one second after another."""
    lines = [
        Line(number, "", f"2026-01-01T00:00:{number:02d}Z", by, by, "", name, facts(event), "")
        for number, (by, name, event) in enumerate(events, 1)
    ]
    standing = of.standing()
    standing.apply(lines)
    return verdict.document(of, standing, lines, Path("nowhere"))


def counts(document: Mapping[str, Any]) -> dict[str, Any]:
    (file,) = document["recordings"][0]["files"]
    return {name: file[name] for name in ("required_s", "unseen_s", "lenses", "undecided")} | {"unseen_lenses": len(file["unseen_lenses"])}


def test_what_nobody_saw_is_counted_and_warned_of():
    document = said(study(), [])
    assert counts(document) == {"required_s": 8, "unseen_s": 8, "lenses": 1, "undecided": 1, "unseen_lenses": 1}
    assert document["warnings"] == [
        "1 of 1 recording not seen by as many people as review.reviewers asks for",
        "1 proposal undecided, so hidden",
    ]


def test_what_was_seen_and_decided_is_no_warning():
    document = said(study(), [seen(1, 8, "ann"), accepted("ann")])
    assert counts(document) == {"required_s": 8, "unseen_s": 0, "lenses": 1, "undecided": 0, "unseen_lenses": 0}
    assert document["warnings"] == []
    assert document["agreement"] == {"shared": 0, "agreed": 0, "share": None, "pairs": []}


def test_with_two_reviewers_what_one_saw_is_unseen_and_two_who_agree_are_counted():
    events = [seen(1, 8, "ann"), accepted("ann"), seen(1, 4, "bo"), accepted("bo")]
    document = said(study(reviewers=2), events)
    assert counts(document) == {"required_s": 8, "unseen_s": 4, "lenses": 1, "undecided": 0, "unseen_lenses": 0}
    assert (document["agreement"]["shared"], document["agreement"]["share"]) == (1, 1.0)


@pytest.mark.parametrize(("rows", "warned"), [(0, False), (1, True)])
def test_a_sheet_that_nobody_imported_is_a_warning(rows, warned):
    document = said(study(sheet_rows=rows), [seen(1, 8, "ann"), accepted("ann")])
    assert [("not imported" in one) for one in document["warnings"]] == [True] * warned


def test_decisions_about_a_file_that_was_replaced_are_a_warning():
    document = said(study(), [seen(1, 8, "ann"), accepted("ann"), seen(0, 9, "bo", sha256="before")])
    assert document["warnings"] == ["1 line of the ledger about files that were replaced: no longer counted"]


def test_where_two_people_disagree_is_named():
    document = said(study(reviewers=2), [*(seen(1, 8, by) for by in ("ann", "bo")), accepted("ann"), accepted("bo", REJECT)])
    (file,) = document["recordings"][0]["files"]
    assert (file["disputed"], file["disputed_at_s"]) == (1, [2.0])
    assert document["warnings"] == ["people disagree about 1 proposal, so they are hidden"]
    assert document["agreement"]["share"] == 0.0
