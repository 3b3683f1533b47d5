from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import review_study
from scrubin.media.source import Source
from scrubin.stages.review import Line, result
from scrubin.stages.review.events import ACCEPT, REJECT, Decided, DecidedSpan, Folded, Seen, facts
from scrubin.stages.review.outcome import Proposed
from scrubin.stages.review.status import judged
from scrubin.stages.review.study import FrameRange, ReviewedStudy, SheetThere, StudyFile

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
    look = asdict(review_study.look("lens", stills[0][2]))
    return by, "seen", Seen(*KEY, sha256, "lens", stills, ((first_s, last_s),), **look)


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
    return result.document(of, standing, lines, Path("nowhere"))


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


def folded(by: str, still_s: int, first_s: int, last_s: int, limit: float = 0.1) -> tuple[str, str, Folded]:
    return by, "folded", Folded(*KEY, "now", ((still_s * 25, 1, 1),), ((first_s, last_s),), limit)


def folded_counts(events: list[tuple[str, str, Any]], reviewers: int = 1, **changed: Any) -> tuple[int, int]:
    """Seconds that are unseen, and that are folded, of the eight that must be seen."""
    (file,) = said(replace(study(reviewers), folds=0.1, **changed), events)["recordings"][0]["files"]
    assert file["required_s"] == 8
    return file["unseen_s"], file["folded_s"]


def test_what_a_still_stood_for_is_counted_apart_and_only_while_the_still_counts():
    looked = [seen(1, 4, "ann"), seen(8, 8, "ann")]
    assert folded_counts([*looked, folded("ann", 8, 5, 7)]) == (0, 3)
    assert folded_counts([*looked, folded("ann", 8, 5, 7), seen(6, 6, "ann")]) == (0, 2)
    # Folded less strictly than asked for now; a still that nobody looked at; one that was looked at too shortly.
    assert folded_counts([*looked, folded("ann", 8, 5, 7, limit=0.2)]) == (3, 0)
    assert folded_counts([*looked, folded("ann", 5, 6, 7)]) == (3, 0)
    by, name, short = seen(8, 8, "ann")
    assert folded_counts([seen(1, 4, "ann"), (by, name, replace(short, looked_s=0.0)), folded("ann", 8, 5, 7)]) == (4, 0)


def test_what_is_proposed_later_within_a_fold_is_to_be_seen():
    later = Proposed("out_of_body", "appearance", (5.2, 6.0), score=0.5)
    frames = {(KEY, SPAN.key): FrameRange(50, 74), (KEY, later.key): FrameRange(130, 149)}
    events = [seen(1, 4, "ann"), seen(8, 8, "ann"), folded("ann", 8, 5, 7)]
    assert folded_counts(events, proposals={KEY: [SPAN, later]}, frames=frames) == (2, 1)


def test_with_two_reviewers_what_one_folded_and_the_other_saw_is_folded_and_what_one_did_not_look_at_is_unseen():
    ann = [seen(1, 4, "ann"), seen(8, 8, "ann"), folded("ann", 8, 5, 7)]
    assert folded_counts([*ann, seen(1, 8, "bo")], reviewers=2) == (0, 3)
    assert folded_counts([*ann, seen(1, 6, "bo")], reviewers=2) == (2, 2)
    assert folded_counts([*ann, seen(1, 8, "bo"), seen(1, 8, "cy")], reviewers=2) == (0, 0)


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


TEXT = Proposed("text", "text", (2.2, 2.8), (8, 8, 40, 16), 0.9, text="Brenner 10:20")


def with_texts(*texts: Proposed) -> ReviewedStudy:
    of = study()
    frames = {(KEY, one.key): FrameRange(round(one.interval_s[0] * 25), round(one.interval_s[1] * 25) - 1) for one in texts}
    return replace(of, proposals={KEY: [SPAN, *texts]}, frames={**of.frames, **frames})


def asked_and_hidden(of: ReviewedStudy, events: list[tuple[str, str, Any]]) -> tuple[list[str], set[tuple[str, float, float]]]:
    """The kinds of what people are asked, and the kind and times of what is hidden."""
    lines = [Line(n, "", "2026-01-01T00:00:01Z", by, by, "", name, facts(event), "") for n, (by, name, event) in enumerate(events, 1)]
    standing = of.standing()
    standing.apply(lines)
    asked = judged(of, KEY, standing, {KEY: np.arange(251) / 25})
    rows = result.redactions(of, standing)
    return [one.proposal.kind for one in asked], {(row["kind"], row["start_s"], row["end_s"]) for row in rows if row["accepted"]}


def test_text_in_a_room_is_asked_when_the_room_is_shown_and_hidden_all_the_while():
    of = with_texts(TEXT)
    both = {("out_of_body", *SPAN.interval_s), ("text", *TEXT.interval_s)}
    assert asked_and_hidden(of, []) == (["out_of_body"], both)
    assert asked_and_hidden(of, [accepted("ann")]) == (["out_of_body"], both)
    assert asked_and_hidden(of, [accepted("ann", REJECT)]) == (["out_of_body", "text"], both - {("out_of_body", *SPAN.interval_s)})


def test_text_that_goes_on_long_after_the_room_is_asked_and_so_is_what_somebody_decided():
    longer = replace(TEXT, interval_s=(2.2, 4.1))
    assert asked_and_hidden(with_texts(longer), [])[0] == ["out_of_body", "text"]
    span = DecidedSpan(REJECT, 55, 69, *TEXT.interval_s)
    rejected = "ann", "decided", Decided(*KEY, "now", "text", (span,), TEXT.box_xywh, "", TEXT.key, "1")
    assert asked_and_hidden(with_texts(TEXT), [rejected])[0] == ["out_of_body", "text"]


def test_what_stands_in_a_room_begins_before_it_and_ends_after_it_and_is_not_asked_but_hidden():
    door = Proposed("other", "inset", (1.1, 3.9), (20, 8, 40, 40), 0.9)
    sign = replace(TEXT, interval_s=(1.8, 3.2))
    of = with_texts(sign, door)
    asked, hidden = asked_and_hidden(of, [])
    assert asked == ["out_of_body"]
    assert hidden == {("out_of_body", 2.0, 3.0), ("text", 1.8, 3.2), ("other", 1.1, 3.9)}
    (file,) = said(of, [])["recordings"][0]["files"]
    assert [(one["kind"], one["hidden"]) for one in file["proposed"]] == [("out_of_body", 1)]
    # Whoever shows any of the room is asked about what stands in it.
    half = "ann", "decided", Decided(*KEY, "now", "out_of_body", (DecidedSpan(REJECT, 50, 61, 2.0, 2.48),), None, "", SPAN.key, "1")
    assert sorted(asked_and_hidden(of, [half])[0]) == ["other", "out_of_body", "text"]


@pytest.mark.parametrize("kind", ["text", "other"])
def test_who_shows_a_whole_picture_says_nothing_of_the_rectangles_in_it_of_the_same_kind(kind):
    whole = Proposed(kind, "header", (2.0, 3.0))
    box = Proposed(kind, "text", (2.2, 2.8), (8, 8, 40, 16), 0.9)
    of = with_texts(whole, box)
    of = replace(of, proposals={KEY: [whole, box]})
    assert asked_and_hidden(of, []) == ([kind], {(kind, 2.0, 3.0), (kind, 2.2, 2.8)})
    span = DecidedSpan(REJECT, 50, 74, 2.0, 3.0)
    at_the_page = "ann", "decided", Decided(*KEY, "now", kind, (span,), None, "", whole.key, "1")
    assert asked_and_hidden(of, [at_the_page]) == ([kind, kind], {(kind, 2.2, 2.8)})
    # A row of a sheet without a rectangle is about all of its kind.
    in_a_sheet = "ann", "decided", Decided(*KEY, "now", kind, (span,), None, "", "", "1")
    assert asked_and_hidden(of, [in_a_sheet])[1] == set()


def test_a_small_picture_before_and_after_its_room_or_between_two_is_asked():
    for interval_s in ((0.9, 3.5), (2.5, 4.1), (3.0, 3.5), (0.5, 2.0)):
        inset = Proposed("other", "inset", interval_s, (20, 8, 40, 40), 0.9)
        assert sorted(asked_and_hidden(with_texts(inset), [])[0]) == ["other", "out_of_body"]
    again = Proposed("out_of_body", "scene", (4.2, 5.2), score=0.9)
    between = Proposed("other", "inset", (2.0, 5.2), (20, 8, 40, 40), 0.9)
    assert "other" in asked_and_hidden(with_texts(again, between), [])[0]


@given(
    texts=st.lists(st.tuples(st.integers(0, 8), st.integers(1, 4), st.integers(0, 2)), max_size=4),
    decided=st.lists(st.tuples(st.sampled_from([ACCEPT, REJECT]), st.sampled_from(["ann", "bo"])), max_size=3),
)
def test_what_is_not_asked_is_hidden_and_lies_in_a_hidden_room(texts, decided):
    listed = {replace(TEXT, interval_s=(a / 2, (a + n) / 2), box_xywh=(8 * x, 8, 40, 16)) for a, n, x in texts}
    of, events = with_texts(*sorted(listed, key=lambda one: one.key)), [accepted(by, what) for what, by in decided]
    lines = [Line(n, "", "2026-01-01T00:00:01Z", by, by, "", name, facts(event), "") for n, (by, name, event) in enumerate(events, 1)]
    standing = of.standing()
    standing.apply(lines)
    asked = {one.proposal.key for one in judged(of, KEY, standing, lambda _: np.arange(251) / 25)}
    hidden = [row for row in result.redactions(of, standing) if row["accepted"]]
    room = [(row["start_s"], row["end_s"]) for row in hidden if row["x"] is None]
    for one in listed:
        assert {(row["start_s"], row["end_s"]) for row in hidden if row["x"] == one.box_xywh[0]} >= {one.interval_s}
        assert one.key in asked or any(start - 1 <= one.interval_s[0] and one.interval_s[1] <= end + 1 for start, end in room)
