"""Where people differ: against a count frame by frame, and what settling changes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from labelled_study import PARAMS
from labelled_tracks import PHASES, labels_at, phases
from scrubin.curate.label import checks, settling
from scrubin.curate.label.events import About, Settled, Sheet, Span
from scrubin.curate.label.pictures import Pictures
from scrubin.curate.label.several.disputes import answered, of_layer, of_sheets
from scrubin.curate.label.standing import OfPerson, Standing
from scrubin.labels.keyframes import KeyFrame

FRAMES = 40


said_by_one = phases(FRAMES, 8)
people = st.dictionaries(st.integers(1, 4), said_by_one, min_size=1, max_size=4)


def settled(first, end, *spans):
    return Settled(About("r", "mono", "0"), "cholect50", "phases", first, end, spans)


@given(said=people, majority=st.booleans())
def test_frame_by_frame_a_label_stands_when_enough_say_so_and_what_some_say_is_disputed(said, majority):
    outcome = of_layer("phases", said, FRAMES, edge=0, majority=majority)
    needed = len(said) // 2 + 1 if majority else len(said)
    for frame in range(FRAMES):
        votes = {label: sum(label in labels_at(spans, frame) for spans in said.values()) for label in PHASES}
        assert labels_at(outcome.spans, frame) == {label for label, count in votes.items() if count >= needed}
        # Under a majority a label is outvoted where more than half do not say it.
        undecided = [label for label, count in votes.items() if 0 < count < needed and not (majority and len(said) - count >= needed)]
        # Where most say something, and no label has most, there is nothing to stand.
        is_split = majority and sum(votes.values()) >= needed > max(votes.values())
        assert any(one.first <= frame < one.end for one in outcome.open) == (bool(undecided) or is_split)


@given(said=people, edge=st.integers(0, 5))
def test_whoever_comes_first_changes_nothing(said, edge):
    numbers = sorted(said)
    turned = {number: said[other] for number, other in zip(numbers, reversed(numbers), strict=True)}
    ways = [of_layer("phases", one, FRAMES, edge=edge, majority=False) for one in (said, turned)]
    assert ways[0].spans == ways[1].spans
    assert [(one.first, one.end) for one in ways[0].open] == [(one.first, one.end) for one in ways[1].open]


@given(said=said_by_one, people=st.integers(1, 4), edge=st.integers(0, 9))
def test_what_all_say_alike_stands_as_it_is(said, people, edge):
    merged = [labels_at(said, frame) for frame in range(FRAMES)]
    outcome = of_layer("phases", dict.fromkeys(range(people), said), FRAMES, edge=edge, majority=False)
    assert [labels_at(outcome.spans, frame) for frame in range(FRAMES)] == merged
    assert not outcome.open


@st.composite
def labelled_throughout(draw):
    """Several people who label every frame, of which one may have a phase more, with edges some frames apart."""
    edges = sorted(draw(st.sets(st.integers(4, FRAMES - 4), min_size=1, max_size=4)))
    people = {}
    for person in range(1, draw(st.integers(2, 4)) + 1):
        own = sorted({min(max(edge + draw(st.integers(-3, 3)), 1), FRAMES - 1) for edge in edges})
        if draw(st.booleans()):
            own = sorted({*own, draw(st.integers(1, FRAMES - 1))})
        labels = [PHASES[(number + draw(st.sampled_from([0, 0, 0, 1]))) % len(PHASES)] for number in range(len(own) + 1)]
        people[person] = [Span(first, end, label) for first, end, label in zip([0, *own], [*own, FRAMES], labels, strict=True)]
    return people


@given(said=labelled_throughout(), majority=st.booleans(), edge=st.integers(1, 9))
def test_where_everybody_labels_every_frame_each_has_one_phase_or_is_open(said, majority, edge):
    outcome = of_layer("phases", said, FRAMES, edge=edge, majority=majority)
    for frame in range(FRAMES):
        is_open = any(one.first <= frame < one.end for one in outcome.open)
        assert len(labels_at(outcome.spans, frame)) <= 1
        assert is_open or labels_at(outcome.spans, frame)


def test_edges_of_a_phase_that_one_of_three_inserts_stay_where_most_have_them():
    x, y, z = PHASES
    most = [Span(0, 20, x), Span(20, 40, y)]
    one = [Span(0, 18, x), Span(18, 28, z), Span(28, 40, y)]
    outcome = of_layer("phases", {1: most, 2: one, 3: most}, FRAMES, edge=9, majority=True)
    assert (outcome.spans, outcome.open) == ((Span(0, 20, x), Span(20, 40, y)), ())


def test_edges_that_are_close_lie_in_their_middle_and_half_a_frame_goes_to_the_later_one():
    one = [Span(0, 10, "preparation"), Span(10, 40, "clipping")]
    other = [Span(0, 13, "preparation"), Span(13, 40, "clipping")]
    close = of_layer("phases", {1: one, 2: other}, FRAMES, edge=3, majority=False)
    assert close.spans == (Span(0, 12, "preparation"), Span(12, 40, "clipping"))
    assert not close.open
    far = of_layer("phases", {1: one, 2: other}, FRAMES, edge=2, majority=False)
    assert [(dispute.first, dispute.end) for dispute in far.open] == [(10, 13)]
    assert far.open[0].said == {1: (Span(10, 13, "clipping"),), 2: (Span(10, 13, "preparation"),)}


def test_where_the_time_between_frames_varies_edges_are_one_by_their_time_and_not_by_a_mean_rate():
    # Slow frames of 0.04 s, then quick ones of 0.02 s, as of a film of 50 frames a second that dropped every other frame at first.
    boundaries_s = np.concatenate([np.arange(200) * 0.04, 8 + np.arange(401) * 0.02])
    pictures = Pictures(About("r", "mono", "0"), 600, 37.5, 0, 600, read_s=lambda: boundaries_s)

    def open_between(first, second):
        standing = Standing(assigned={"r": (1, 2)}, done={1: {"r"}, 2: {"r"}})
        for person, edge in ((1, first), (2, second)):
            standing.of_or_new(pictures.about, person).items["phases"] = {
                "a": Span(0, edge, "preparation"),
                "b": Span(edge, 600, "clipping"),
            }
        return [(one.first, one.end) for one in settling.of_recording(pictures, standing, (), PARAMS).open]

    assert open_between(100, 130) == [(100, 130)]  # 1.2 s, but 0.8 s by the mean rate
    assert open_between(300, 345) == []  # 0.9 s, but 1.2 s by the mean rate
    assert open_between(100, 125) == []  # 1 s
    assert open_between(100, 126) == [(100, 126)]


def test_lengths_that_are_told_are_those_of_the_frames_where_the_time_between_them_varies():
    boundaries_s = np.concatenate([np.arange(200) * 0.04, 8 + np.arange(401) * 0.02])
    pictures = Pictures(About("r", "mono", "0"), 600, 37.5, 0, 600, read_s=lambda: boundaries_s)
    quick, slow = Span(300, 340, "preparation"), Span(100, 130, "clipping-and-cutting")  # 0.8 and 1.2 s
    hook = {key: KeyFrame(frame, "hook", (x, 0.1, 0.1, 0.1)) for key, frame, x in (("a:0", 0, 0.1), ("a:9", 9, 0.5), ("a:150", 150, 0.5))}
    still = {key: KeyFrame(frame, "hook", (x, 0.1, 0.1, 0.1)) for key, frame, x in (("b:300", 300, 0.1), ("b:309", 309, 0.5))}
    mine = OfPerson({"phases": {"a": quick, "b": slow}, "boxes": hook | still})
    found = checks.of_person(mine, pictures, replace(PARAMS, layers=("phases", "boxes")), None, "Task")
    told = {(one.rule, one.first): one.says for one in found if one.rule in ("short", "unlabelled", "long", "jump")}
    assert told == {
        ("unlabelled", 0): "4.0 s have none of the phases",
        ("unlabelled", 130): "4.8 s have none of the phases",
        ("unlabelled", 340): "5.2 s have none of the phases",
        ("short", 300): "preparation lasts 0.80 s",
        ("long", 9): "hook: 5.6 s between two key frames are interpolated",
        ("jump", 309): "hook: it moves by 40% of the picture in 0.18 s",
    }


def test_what_an_adjudicator_says_stands_in_the_disputed_frames_and_nowhere_else():
    one, other = [Span(0, 20, "preparation")], [Span(0, 20, "clipping")]
    answer = settled(0, 20, Span(0, 5, "packaging"), Span(5, 20, "clipping"))
    seen = [answered(answer, {1: one, 2: other})]
    outcome = of_layer("phases", {1: one, 2: other}, FRAMES, seen, edge=0, majority=False)
    assert outcome.spans == (Span(0, 5, "packaging"), Span(5, 20, "clipping"))
    assert not outcome.open
    assert len(outcome.settled) == 1
    # Somebody corrects their own labels later: what is disputed now was never settled.
    wider = of_layer("phases", {1: [Span(0, 30, "preparation")], 2: other}, FRAMES, seen, edge=0, majority=False)
    assert [(dispute.first, dispute.end) for dispute in wider.open] == [(20, 30)]
    assert [(dispute.first, dispute.end) for dispute in wider.settled] == [(0, 20)]


def test_the_later_of_two_settlements_counts_and_nothing_may_be_the_answer():
    one, other = [Span(0, 20, "preparation")], [Span(0, 20, "clipping")]
    answers = [answered(answer, {1: one, 2: other}) for answer in (settled(0, 20, Span(0, 20, "clipping")), settled(0, 20))]
    outcome = of_layer("phases", {1: one, 2: other}, FRAMES, answers, edge=0, majority=False)
    assert outcome.spans == ()
    assert not outcome.open


def test_labels_of_a_layer_that_overlap_are_disputed_each_for_itself():
    one = [Span(0, 20, "grasper", "grasp", "gallbladder"), Span(10, 30, "hook", "dissect", "gallbladder")]
    other = [Span(0, 20, "grasper", "grasp", "gallbladder")]
    outcome = of_layer("actions", {1: one, 2: other}, FRAMES, edge=0, majority=False)
    assert outcome.spans == (Span(0, 20, "grasper", "grasp", "gallbladder"),)
    assert [(dispute.first, dispute.end) for dispute in outcome.open] == [(10, 30)]


def test_ratings_differ_by_more_than_so_many_points_or_in_what_happened():
    sheets = {
        1: Sheet({"efficiency": 3.0, "depth": 2.0}, False, {"dropped": True}),
        2: Sheet({"efficiency": 4.0, "depth": 4.0}, False, {"dropped": False}),
    }
    assert of_sheets(sheets, 1.0) == ["depth", "dropped"]
    assert of_sheets(sheets, 2.0) == ["dropped"]
    assert of_sheets({1: sheets[1]}, 0.0) == []
    assert of_sheets({1: sheets[1], 2: Sheet({}, True, {"dropped": True})}, 0.0) == ["failed"]


def test_every_pair_of_frames_of_a_dispute_is_one_run():
    said = {1: [Span(3, 9, "clipping"), Span(9, 12, "packaging")], 2: []}
    (dispute,) = of_layer("phases", said, FRAMES, edge=0, majority=False).open
    assert (dispute.first, dispute.end) == (3, 12)
    assert [span.label for span in itertools.chain(*dispute.said.values())] == ["clipping", "packaging"]
