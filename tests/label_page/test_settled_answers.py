"""What the page says of a settled place: what stands there, and whose answer it is, under letters; and where pictures are hidden."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelled_study
import sampled_release
from labelled_study import PAIR, SINGLE, done, person, put, rate, say
from labelled_tracks import FRAMES, labels_at, phases, tracks
from scrubin.curate.label.events import About, Settled, Span
from scrubin.curate.label.several import disputes, track_disputes

BLACK = sampled_release.BLACK
ABOUT = About("r", "mono", "0")


@given(said=st.dictionaries(st.integers(1, 3), phases(), min_size=2, max_size=3), taken=st.integers(1, 3))
def test_whose_spans_were_taken_is_told_and_everybody_else_who_says_the_same_in_each_frame(said, taken):
    for one in disputes.of_layer("phases", said, FRAMES, edge=0, majority=False).open:
        answer = Settled(ABOUT, "cholect50", "phases", one.first, one.end, one.said.get(taken, ()))
        outcome = disputes.of_layer("phases", said, FRAMES, [disputes.answered(answer, said)], edge=0, majority=False)
        (of,) = outcome.settled
        frames = range(one.first, one.end)
        wanted = [labels_at(answer.spans, frame) for frame in frames]
        told = disputes.settled_answer(outcome, of)
        assert [labels_at(told.spans, frame) for frame in frames] == wanted
        assert told.people == tuple(who for who in sorted(said) if [labels_at(said[who], frame) for frame in frames] == wanted)


@given(said=st.dictionaries(st.integers(1, 3), tracks(), min_size=2, max_size=3), taken=st.integers(1, 3))
def test_whose_boxes_were_taken_is_told(said, taken):
    for one in track_disputes.of_layer("boxes", said, FRAMES, majority=False).open:
        answer = Settled(ABOUT, "cholect50", "boxes", one.first, one.end, (), one.tracks.get(taken, ()))
        outcome = track_disputes.of_layer("boxes", said, FRAMES, [track_disputes.answered(answer, said)], majority=False)
        (of,) = outcome.settled
        told = disputes.settled_answer(outcome, of)
        assert (taken in told.people) == (taken in said)
        assert bool(told.tracks) == bool(answer.tracks)


@pytest.fixture
def differing(bench):
    """Two who differ in two places."""
    names = ("preparation", "clipping-and-cutting")
    done(bench, *([put("a", 0, 30, one), put("b", 50, 60, other)] for one, other in (names, names[::-1])))
    return bench


def test_a_settled_place_says_under_its_letter_which_answer_was_taken_or_that_it_was_nobodys(differing, folder):
    chief = person(folder, 4)
    first, second = differing.view(chief, SINGLE)["disputes"]
    assert "taken" not in first
    letter = next(letter for letter, answer in first["said"].items() if answer[0]["label"] == "preparation")
    labelled_study.settle(differing, chief, "phases", (0, 30), [Span(0, 30, "preparation")])
    labelled_study.settle(differing, chief, "phases", (50, 60), [Span(52, 60, "preparation")])
    first, second = differing.view(chief, SINGLE)["disputes"]
    assert first["taken"]["by"] == [letter]
    assert [(one["first"], one["end"], one["label"]) for one in first["taken"]["stands"]] == [(0, 30, "preparation")]
    assert second["taken"]["by"] == []
    assert [(one["first"], one["end"]) for one in second["taken"]["stands"]] == [(52, 60)]
    assert not any(json.dumps(number) in json.dumps(first["taken"]) for number in ("single", "Ann Weber"))


def test_an_adjudicator_is_not_told_that_they_labelled_nothing_but_to_rate_where_ratings_differ(differing, folder):
    chief = person(folder, 4)
    assert differing.view(chief, SINGLE)["findings"] == []
    people = [person(folder, number) for number in differing.standing().assigned["single"]]
    for one, score in zip(people, (1, 5), strict=True):
        say(differing, one, rate(depth_perception=score, efficiency=3))
    assert [(of["layer"], of["rule"]) for of in differing.view(chief, SINGLE)["findings"]] == [("ratings", "missing")]
    say(differing, chief, rate(depth_perception=2, efficiency=3))
    assert differing.view(chief, SINGLE)["findings"] == []
    assert {"unlabelled"} <= {of["rule"] for of in differing.view(people[0], SINGLE)["findings"]}


def test_the_page_is_told_where_pictures_are_hidden_by_camera_in_released_frames(bench, folder):
    view = {id_: bench.view(person(folder, bench.standing().assigned[name][0]), id_) for name, id_ in sampled_release.IDS.items()}
    assert view[SINGLE]["hidden"] == {"mono": [{"first": BLACK[0], "end": BLACK[1] + 1, "is_whole": True}]}
    assert view[PAIR]["hidden"] == {"left": [{"first": 0, "end": 60, "is_whole": False}], "right": []}
