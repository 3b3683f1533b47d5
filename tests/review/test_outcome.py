from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.tables import io
from scrubin.base.tables.private import REDACTIONS
from scrubin.stages.review.events import KINDS, Decided, DecidedSpan
from scrubin.stages.review.outcome import Drawing, Eye, Proposed, added, gaps, mirrored, parts, rows

LAST_S = 5.0
ROOM = Proposed("out_of_body", "appearance", (0.5, 2.5), score=0.9, faces=1)
NAME_PLATE = Proposed("text", "text", (0.0, 5.0), (8, 8, 40, 16), 0.9, text="Brenner 10:20")


def decision(what, start_s, end_s, kind="out_of_body", box=None, proposal="from the page"):
    span = DecidedSpan(what, 0, 0, start_s, end_s)
    return Decided("r", "left", "0" * 64, kind, (span,), box, "", proposal, "")


def by(person, *decisions):
    return [(person, one) for one in decisions]


def table(proposals, decided, reviewers=1):
    done = rows("r", "left", proposals, decided, reviewers)
    io.conform(REDACTIONS, io.frame_of(REDACTIONS, {tuple(row[name] for name in REDACTIONS.key): row for row in done}.values()))
    return done


def hidden(proposals, decided, **rest):
    return [(row["start_s"], row["end_s"], row["source"], row["decision"], row["accepted"]) for row in table(proposals, decided, **rest)]


@pytest.mark.parametrize("kind", ["out_of_body", "black", "frozen", "text"])
@pytest.mark.parametrize("score", [0.0, 0.01, 1.0])
def test_whatever_a_detector_proposes_is_hidden_until_a_person_rejects_it(kind, score):
    proposal = replace(ROOM, kind=kind, score=score)
    assert hidden([proposal], []) == [(0.5, 2.5, "appearance", "unreviewed", True)]
    rejected = by("ann", decision("reject", 0.5, 2.5, kind))
    assert hidden([proposal], rejected) == [(0.5, 2.5, "appearance", "rejected", False)]


def test_rejecting_shows_exactly_the_interval():
    assert hidden([ROOM], by("ann", decision("reject", 1.0, 1.5))) == [
        (0.5, 1.0, "appearance", "unreviewed", True),
        (1.0, 1.5, "appearance", "rejected", False),
        (1.5, 2.5, "appearance", "unreviewed", True),
    ]


def test_what_is_accepted_stays_hidden_also_when_no_detector_proposes_it_any_more():
    accepted = by("ann", decision("accept", 0.5, 2.5))
    assert (0.5, 2.5, "curator", "accepted", True) in hidden([], accepted)


def test_the_latest_decision_counts():
    there_and_back = by("ann", decision("accept", 0.5, 2.5), decision("reject", 0.5, 2.5))
    assert hidden([ROOM], there_and_back) == [(0.5, 2.5, "appearance", "rejected", False)]
    back_again = [*there_and_back, *by("bo", decision("accept", 1.0, 2.0))]
    assert [row[3] for row in hidden([ROOM], back_again)] == ["rejected", "accepted", "rejected", "accepted"]


@pytest.mark.parametrize("proposal", ["", "from the page"])
def test_what_a_rejection_leaves_of_a_span_stays_hidden_however_short_it_is(proposal):
    said = by("ann", decision("reject", 0.501, 2.3, proposal=proposal))
    assert [row[3] for row in hidden([ROOM], said)] == ["unreviewed", "rejected", "unreviewed"]


def test_a_span_that_grew_is_asked_again_where_it_is_new():
    grown = replace(ROOM, interval_s=(0.5, 2.6))
    assert hidden([grown], by("ann", decision("reject", 0.5, 2.5)))[-1] == (2.5, 2.6, "appearance", "unreviewed", True)


def test_a_rejection_never_touches_what_a_person_added_or_another_kind():
    added_and_rejected = by("ann", decision("add", 1.0, 2.0, "other"), decision("reject", 0.0, 5.0, "other"))
    assert hidden([], added_and_rejected) == [(1.0, 2.0, "curator", "accepted", True)]
    assert hidden([ROOM], by("ann", decision("reject", 0.5, 2.5, "black"))) == [(0.5, 2.5, "appearance", "unreviewed", True)]


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (None, "unreviewed"),
        ((8, 8, 40, 16), "rejected"),
        ((0, 0, 96, 64), "rejected"),
        ((40, 0, 20, 10), "unreviewed"),
        ((8, 8, 39, 16), "unreviewed"),
    ],
)
def test_a_rectangle_is_shown_only_when_all_of_it_was_rejected(box, expected):
    assert table([NAME_PLATE], by("ann", decision("reject", 0, 5, "text", box)))[0]["decision"] == expected


def test_a_row_of_a_sheet_without_a_rectangle_is_about_all_of_its_kind():
    assert table([NAME_PLATE], by("ann", decision("reject", 0, 5, "text", proposal="")))[0]["decision"] == "rejected"


def test_a_rejected_corner_does_not_uncover_a_rectangle_that_was_accepted():
    decided = by("ann", decision("accept", 0, 5, "text", (8, 8, 40, 16)), decision("reject", 0, 5, "text", (40, 0, 20, 10)))
    assert added(decided, 1) == [Proposed("text", "curator", (0, 5), (8, 8, 40, 16))]


def test_with_two_reviewers_only_what_both_reject_is_shown_and_disagreement_is_said():
    both = [*by("ann", decision("reject", 0.5, 2.5)), *by("bo", decision("reject", 0.5, 1.5))]
    assert [row[3:] for row in hidden([ROOM], both, reviewers=2)] == [("rejected", False), ("unreviewed", True)]
    against = [*by("ann", decision("reject", 0.5, 2.5)), *by("bo", decision("accept", 1.0, 2.0))]
    (_, middle, _) = parts(ROOM, against, 2)
    assert (middle.interval_s, middle.decision, middle.disputed) == ((1.0, 2.0), "accepted", True)
    twice_by_one = by("ann", decision("reject", 0.5, 2.5), decision("reject", 0.5, 2.5))
    assert hidden([ROOM], twice_by_one, reviewers=2)[0][-1] is True


@pytest.mark.slow
@given(
    decisions=st.lists(
        st.tuples(st.sampled_from(["ann", "bo"]), st.sampled_from(["accept", "reject"]), st.integers(0, 49), st.integers(1, 50)), max_size=6
    ),
    reviewers=st.integers(1, 2),
)
def test_every_instant_of_a_proposal_is_decided_once_and_never_shown_without_enough_rejections(decisions, reviewers):
    decided = [(who, decision(what, a / 10, b / 10)) for who, what, a, b in decisions if a < b]
    done = [row for row in hidden([ROOM], decided, reviewers=reviewers) if row[2] == "appearance"]
    assert sum(row[1] - row[0] for row in done) == pytest.approx(2.0)
    for k in range(5, 25):
        instant = k / 10 + 0.05
        (mine,) = [row for row in done if row[0] <= instant < row[1]]
        said = [(who, one.spans[0].what) for who, one in decided if one.spans[0].start_s <= instant < one.spans[0].end_s]
        latest = dict(said) if reviewers > 1 else {"": said[-1][1]} if said else {}
        shown = "accept" not in latest.values() and list(latest.values()).count("reject") >= reviewers
        assert mine[4] is not shown


def test_who_proposed_what_was_read_and_the_score_are_in_the_table():
    (row,) = table([NAME_PLATE], [])
    assert (row["source"], row["score"], row["text"], row["faces"]) == ("text", 0.9, "Brenner 10:20", None)
    assert table([ROOM], [])[0]["faces"] == 1


SIZE_PX = (96, 64)
DRAWN = Proposed("other", "curator", (1.0, 2.0), (40, 20, 8, 8))
BAND = (0, 13, 96, 22)


def in_other_eye(hidden, own=(), *, drawn=(), decided=(), before=0):
    return mirrored(hidden, dict.fromkeys(drawn, Drawing(before, is_added=True)), Eye(own, own, decided, LAST_S, SIZE_PX))


def test_what_one_camera_hides_is_proposed_in_the_other_but_text_that_a_detector_found_where_it_stands():
    black = Proposed("black", "black", (3.0, 3.5), score=1.0)
    assert in_other_eye([ROOM, black, NAME_PLATE]) == [replace(ROOM, source="pair")]
    inset = Proposed("other", "inset", (1.0, 2.0), (4, 4, 8, 8))
    assert in_other_eye([inset]) == [replace(inset, source="pair")]
    assert in_other_eye([replace(NAME_PLATE, source="curator")]) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_rectangle_that_a_person_drew_is_proposed_in_the_other_camera_as_wide_as_its_rows_whatever_its_kind(kind):
    drawn = replace(DRAWN, kind=kind)
    assert in_other_eye([drawn], drawn=[drawn]) == [replace(drawn, source="pair", box_xywh=BAND)]
    assert in_other_eye([replace(drawn, source="sheet")]) == [replace(drawn, source="pair", box_xywh=BAND)]
    whole = replace(drawn, box_xywh=None)
    assert in_other_eye([whole], drawn=[whole]) == [replace(whole, source="pair")]


def test_rectangles_in_the_same_rows_are_one_proposal_in_the_other_camera():
    beside = replace(DRAWN, box_xywh=(4, 20, 8, 8))
    assert in_other_eye([DRAWN, beside], drawn=[DRAWN, beside]) == [replace(DRAWN, source="pair", box_xywh=BAND)]


def test_what_was_drawn_elsewhere_in_the_other_camera_leaves_the_rows_proposed():
    own = replace(DRAWN, box_xywh=(36, 20, 8, 8))
    assert len(in_other_eye([DRAWN], [own], drawn=[DRAWN])) == 1
    # The row of a sheet without a camera is drawn in both.
    assert in_other_eye([DRAWN], [DRAWN], drawn=[DRAWN]) == []


def test_rows_that_were_accepted_because_the_other_camera_hides_something_there_are_not_sent_back():
    accepted = replace(DRAWN, box_xywh=BAND)
    assert in_other_eye([accepted], [DRAWN]) == []


@pytest.mark.parametrize("what", ["accept", "reject"])
def test_an_answer_about_a_rectangle_of_before_it_was_proposed_as_wide_stays_about_all_of_its_time(what):
    asked = "pair:other:1.000000-2.000000:40,20,8,8"
    known = decision(what, 1.0, 1.5, "other", DRAWN.box_xywh, asked)
    narrow, band = ((replace(DRAWN, source="pair", box_xywh=box)) for box in (DRAWN.box_xywh, BAND))
    rest = replace(band, interval_s=(1.5, 2.0))
    assert in_other_eye([DRAWN], drawn=[DRAWN], decided=[known]) == [rest, replace(narrow, interval_s=(1.0, 1.5))]
    # Not what was answered before somebody drew that, nor what was said of a detector's rectangle, or by a sheet of what lies there.
    assert in_other_eye([DRAWN], drawn=[DRAWN], decided=[known], before=1) == [band]
    for proposal in ("", "text:other:1.000000-2.000000:40,20,8,8"):
        assert in_other_eye([DRAWN], drawn=[DRAWN], decided=[replace(known, proposal=proposal)]) == [band]


@pytest.mark.parametrize("baseline_mm", [4, 6])
@pytest.mark.parametrize("distance_mm", [30, 150])
@pytest.mark.parametrize("focal_px", [260, 400])
@pytest.mark.parametrize("side", [-1, 1])
def test_no_pixel_of_what_a_rectangle_hides_is_left_open_in_the_other_eye(baseline_mm, distance_mm, focal_px, side):
    """A card in the picture of 320 x 180 pixels, seen by the other eye a disparity away and some rows lower."""
    x, y, w, h = box = (140, 60, 40, 14)
    disparity_px = side * round(focal_px * baseline_mm / distance_mm)
    seen = np.zeros((180, 320), bool)
    seen[y + 8 : y + h + 8, x + disparity_px : x + w + disparity_px] = True
    drawn = Proposed("text", "curator", (0.0, 1.0), box)
    ((left, top, wide, high),) = [
        one.box_xywh for one in mirrored([drawn], {drawn: Drawing(0, is_added=True)}, Eye((), (), (), LAST_S, (320, 180)))
    ]
    seen[top : top + high, left : left + wide] = False
    assert not seen.any()


def test_what_the_other_camera_proposes_itself_is_not_proposed_twice():
    own = replace(ROOM, interval_s=(1.0, 2.0), score=0.3)
    assert [one.interval_s for one in in_other_eye([ROOM], [own])] == [(0.5, 1.0), (2.0, 2.5)]
    assert in_other_eye([replace(ROOM, interval_s=(4.5, 9.0))])[0].interval_s == (4.5, LAST_S)
    assert in_other_eye([replace(ROOM, interval_s=(6.0, 9.0))]) == []


def test_what_was_proposed_by_the_other_camera_is_not_sent_back():
    assert in_other_eye([replace(ROOM, source="pair")]) == []


NEXT = Proposed("out_of_body", "scene", (3.1, 4.0))


def test_a_gap_below_a_second_between_two_hidden_spans_is_proposed_as_a_span_of_its_own():
    assert gaps([ROOM, NEXT], []) == [Proposed("out_of_body", "gap", (2.5, 3.1))]
    assert gaps([ROOM, replace(NEXT, kind="black")], [])[0].kind == "out_of_body"
    # A still of every second shows what lies in a longer one; a rectangle leaves the rest of the picture to be seen.
    assert gaps([ROOM, replace(NEXT, interval_s=(3.5, 4.0))], []) == []
    assert gaps([ROOM, replace(NEXT, box_xywh=(0, 0, 8, 8))], []) == []
    assert gaps([ROOM, replace(NEXT, interval_s=(2.5, 4.0))], []) == []
    assert gaps([ROOM, NEXT, replace(NEXT, interval_s=(2.0, 3.2))], []) == []


def test_what_a_person_rejected_between_two_spans_is_not_joined_back():
    assert gaps([ROOM, NEXT], [(2.5, 3.1)]) == []
    assert gaps([ROOM, NEXT], [(2.7, 2.8)]) == []
