"""What the page says of a settled place: what stands there, and whose answer it is, under letters; and where pictures are hidden."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelled_study
import sampled_release
from labelled_study import person, put, rate
from labelled_tracks import FRAMES, tracks
from scrubin.curate.label.events import About, Settled, Span
from scrubin.curate.label.several import answers, disputes, track_disputes

SINGLE, PAIR = sampled_release.IDS["single"], sampled_release.IDS["pair"]
BLACK = sampled_release.BLACK
ABOUT = About("r", "mono", "0")
NONCES = (f"nonce-{number:06d}" for number in range(10**6))
LABELS = ("preparation", "clipping")


@st.composite
def spans(draw):
    edges = sorted(draw(st.sets(st.integers(0, FRAMES), max_size=6)))
    labels = [draw(st.sampled_from((None, *LABELS))) for _ in edges]
    return [Span(first, end, label) for first, end, label in zip(edges, edges[1:], labels, strict=False) if label]


def labels_at(said, frame):
    return sorted(span.label for span in said if span.first <= frame < span.end)


@given(said=st.dictionaries(st.integers(1, 3), spans(), min_size=2, max_size=3), taken=st.integers(1, 3))
def test_whose_spans_were_taken_is_told_and_everybody_else_who_says_the_same_in_each_frame(said, taken):
    for one in disputes.of_layer("phases", said, FRAMES, edge=0, majority=False).open:
        answer = Settled(ABOUT, "cholect50", "phases", one.first, one.end, one.said.get(taken, ()))
        outcome = disputes.of_layer("phases", said, FRAMES, [disputes.answered(answer, said)], edge=0, majority=False)
        (of,) = outcome.settled
        frames = range(one.first, one.end)
        wanted = [labels_at(answer.spans, frame) for frame in frames]
        told = answers.of_settled(outcome, of)
        assert [labels_at(told.spans, frame) for frame in frames] == wanted
        assert told.people == tuple(who for who in sorted(said) if [labels_at(said[who], frame) for frame in frames] == wanted)


@given(said=st.dictionaries(st.integers(1, 3), tracks(), min_size=2, max_size=3), taken=st.integers(1, 3))
def test_whose_boxes_were_taken_is_told(said, taken):
    for one in track_disputes.of_layer("boxes", said, FRAMES, majority=False).open:
        answer = Settled(ABOUT, "cholect50", "boxes", one.first, one.end, (), one.tracks.get(taken, ()))
        outcome = track_disputes.of_layer("boxes", said, FRAMES, [track_disputes.answered(answer, said)], majority=False)
        (of,) = outcome.settled
        told = answers.of_settled(outcome, of)
        assert (taken in told.people) == (taken in said)
        assert bool(told.tracks) == bool(answer.tracks)


@pytest.fixture
def differing(bench, folder):
    """Two who differ in two places."""
    said = (
        [put("a", 0, 30, "preparation"), put("b", 50, 60, "clipping-and-cutting")],
        [put("a", 0, 30, "clipping-and-cutting"), put("b", 50, 60, "preparation")],
    )
    for number, changes in zip(bench.standing().assigned["single"], said, strict=True):
        bench.label(person(folder, number), SINGLE, changes, next(NONCES))
        bench.say_done(person(folder, number), SINGLE, next(NONCES), done=True)
    return bench


def test_a_settled_place_says_under_its_letter_which_answer_was_taken_or_that_it_was_nobodys(differing, folder):
    chief = person(folder, 4)
    first, second = differing.view(chief, SINGLE)["disputes"]
    assert "taken" not in first
    letter = next(letter for letter, answer in first["said"].items() if answer[0]["label"] == "preparation")
    labelled_study.settle(differing, chief, SINGLE, "phases", (0, 30), [Span(0, 30, "preparation")], next(NONCES))
    labelled_study.settle(differing, chief, SINGLE, "phases", (50, 60), [Span(52, 60, "preparation")], next(NONCES))
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
        differing.label(one, SINGLE, [rate(depth_perception=score, efficiency=3)], next(NONCES))
    assert [(of["layer"], of["rule"]) for of in differing.view(chief, SINGLE)["findings"]] == [("ratings", "missing")]
    differing.label(chief, SINGLE, [rate(depth_perception=2, efficiency=3)], next(NONCES))
    assert differing.view(chief, SINGLE)["findings"] == []
    assert {"unlabelled"} <= {of["rule"] for of in differing.view(people[0], SINGLE)["findings"]}


def test_the_page_is_told_where_pictures_are_hidden_by_camera_in_released_frames(bench, folder):
    view = {id_: bench.view(person(folder, bench.standing().assigned[name][0]), id_) for name, id_ in sampled_release.IDS.items()}
    assert view[SINGLE]["hidden"] == {"mono": [{"first": BLACK[0], "end": BLACK[1] + 1, "is_whole": True}]}
    assert view[PAIR]["hidden"] == {"left": [{"first": 0, "end": 60, "is_whole": False}], "right": []}
