"""Where people differ in boxes, and how far they agree: against counts frame by frame."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelled_tracks import FRAMES, LABELS, at, places_of, track, tracks
from scrubin.curate.label.events import About, Settled
from scrubin.curate.label.several import agreement
from scrubin.curate.label.several.agreement import TwiceTracked
from scrubin.curate.label.several.track_disputes import answered, of_layer
from scrubin.labels.keyframes import HIDDEN, expanded

BOX, NEAR, FAR = (0.1, 0.1, 0.2, 0.2), (0.12, 0.1, 0.2, 0.2), (0.6, 0.6, 0.2, 0.2)
people = st.dictionaries(st.integers(1, 4), tracks(), min_size=1, max_size=4)


def boxes_at(said, frame):
    """Return label and box of each track in a frame."""
    found = []
    for one in said:
        places = places_of(one)
        found += [(one.label, *place) for place in places.places[places.frames == frame].tolist()]
    return sorted(found)


def iou(one, other):
    low, high = np.maximum(one[:2], other[:2]), np.minimum(np.add(one[:2], one[2:]), np.add(other[:2], other[2:]))
    shared = float(np.prod(np.clip(high - low, 0, None)))
    return shared / (one[2] * one[3] + other[2] * other[3] - shared)


def most_matched(one, other):
    """Return how many boxes can be matched at most, by trying all ways."""
    few, many = sorted((one, other), key=len)
    ways = itertools.permutations(range(len(many)), len(few))
    return max(sum(a[0] == many[at][0] and iou(a[1:], many[at][1:]) >= 0.5 for a, at in zip(few, way, strict=True)) for way in ways)


def close(one, other):
    return len(one) == len(other) and all(
        a[0] == b[0] and np.allclose(a[1:], b[1:], atol=2e-6, rtol=0) for a, b in zip(one, other, strict=True)
    )


@pytest.mark.slow
@given(one=tracks(), other=tracks())
def test_f1_is_that_of_as_many_matches_as_any_way_has_in_each_frame(one, other):
    found = agreement.of_tracks("boxes", {(1, 2): [TwiceTracked("r", one, other)]})
    matched = sum(most_matched(boxes_at(one, frame), boxes_at(other, frame)) for frame in range(FRAMES))
    every = sum(len(boxes_at(said, frame)) for said in (one, other) for frame in range(FRAMES))
    assert found["all"]["f1"]["value"] == (pytest.approx(2 * matched / every, abs=1e-12) if every else None)
    turned = agreement.of_tracks("boxes", {(1, 2): [TwiceTracked("r", other, one)]})
    assert turned["all"]["f1"] == found["all"]["f1"]


@given(said=tracks(), number=st.integers(1, 4), majority=st.booleans())
def test_what_all_say_alike_stands_where_it_was_and_is_not_disputed(said, number, majority):
    outcome = of_layer("boxes", dict.fromkeys(range(1, number + 1), said), FRAMES, majority=majority)
    assert not outcome.open
    for frame in range(FRAMES):
        assert close(boxes_at(outcome.tracks, frame), boxes_at(said, frame))


@pytest.mark.slow
@given(said=people, majority=st.booleans())
def test_whoever_comes_first_changes_nothing(said, majority):
    numbers = sorted(said)
    turned = {number: said[other] for number, other in zip(numbers, reversed(numbers), strict=True)}
    ways = [of_layer("boxes", one, FRAMES, majority=majority) for one in (said, turned)]
    assert [(one.first, one.end) for one in ways[0].open] == [(one.first, one.end) for one in ways[1].open]
    for frame in range(FRAMES):
        assert boxes_at(ways[0].tracks, frame) == boxes_at(ways[1].tracks, frame)


@given(one=tracks(most=1), other=tracks(most=1))
def test_two_boxes_stand_as_their_mean_where_they_fit_and_are_disputed_where_not(one, other):
    outcome = of_layer("boxes", {1: one, 2: other}, FRAMES, majority=False)
    for frame in range(FRAMES):
        of_one, of_other = boxes_at(one, frame), boxes_at(other, frame)
        is_disputed = any(of.first <= frame < of.end for of in outcome.open)
        if of_one and of_other and of_one[0][0] == of_other[0][0] and iou(of_one[0][1:], of_other[0][1:]) >= 0.5:
            mean = [(of_one[0][0], *np.mean([of_one[0][1:], of_other[0][1:]], axis=0))]
            assert close(boxes_at(outcome.tracks, frame), mean)
            assert not is_disputed
        else:
            assert is_disputed == bool(of_one or of_other)
            assert not boxes_at(outcome.tracks, frame)


def test_of_three_the_mean_of_two_stands_where_a_majority_is_enough():
    said = {1: [track(at(0, *BOX), at(9, *BOX))], 2: [track(at(0, *NEAR), at(9, *NEAR))], 3: [track(at(0, *FAR), at(9, *FAR))]}
    outcome = of_layer("boxes", said, FRAMES, majority=True)
    (stands,) = outcome.tracks
    assert [key.place for key in stands.keys] == [(0.11, 0.1, 0.2, 0.2)] * 2
    assert not any(key.computed for key in stands.keys)
    assert not outcome.open
    (dispute,) = of_layer("boxes", said, FRAMES, majority=False).open
    assert (dispute.first, dispute.end) == (0, 10)
    assert set(dispute.tracks) == {1, 2, 3}


def test_a_mean_of_a_key_frame_and_a_place_between_says_that_it_is_computed():
    said = {1: [track(at(0, *BOX), at(8, *BOX))], 2: [track(at(0, *BOX), at(4, *NEAR), at(8, *BOX))]}
    (stands,) = of_layer("boxes", said, FRAMES, majority=False).tracks
    assert [(key.frame, key.computed) for key in stands.keys] == [(0, False), (4, True), (8, False)]


def test_two_people_who_end_a_track_at_different_frames_differ_only_there():
    said = {1: [track(at(0, *BOX), at(9, *BOX))], 2: [track(at(0, *BOX), at(7, *BOX))]}
    outcome = of_layer("boxes", said, FRAMES, majority=False)
    assert [(of.first, of.end) for of in outcome.open] == [(8, 10)]
    answer = Settled(About("r", "mono", "0"), "cholect50", "boxes", 8, 10, (), outcome.open[0].tracks[1])
    settled = of_layer("boxes", said, FRAMES, [answered(answer, said)], majority=False)
    assert not settled.open
    # It goes on as the same track, to the end that the first one said.
    (stands,) = settled.tracks
    assert expanded(stands).frames.tolist() == list(range(10))
    nothing = Settled(About("r", "mono", "0"), "cholect50", "boxes", 8, 10, ())
    both = [answered(one, said) for one in (answer, nothing)]
    assert expanded(of_layer("boxes", said, FRAMES, both, majority=False).tracks[0]).frames.tolist() == list(range(8))


def test_a_track_that_one_of_two_broke_in_two_goes_on_as_one():
    first = [track(at(0, *BOX), at(4, *BOX), name="x"), track(at(5, *BOX), at(9, *BOX), name="y")]
    outcome = of_layer("boxes", {1: first, 2: [track(at(0, *BOX), at(9, *BOX))]}, FRAMES, majority=False)
    assert len(outcome.tracks) == 1
    assert not outcome.open


def test_another_label_at_the_same_place_is_disputed():
    other = [track(at(0, *BOX, label="hook"), at(9, *BOX, label="hook"))]
    outcome = of_layer("boxes", {1: [track(at(0, *BOX), at(9, *BOX))], 2: other}, FRAMES, majority=False)
    assert not outcome.tracks
    assert {one.label for of in outcome.open[0].tracks.values() for one in of} == set(LABELS)


def test_points_that_are_close_are_one_point_and_their_distance_is_told():
    near = {1: [track(at(0, 0.5, 0.5), at(4, 0.5, 0.5))], 2: [track(at(0, 0.54, 0.5), at(4, 0.54, 0.5))]}
    outcome = of_layer("points", near, FRAMES, majority=False)
    assert [key.place for key in outcome.tracks[0].keys] == [(0.52, 0.5), (0.52, 0.5)]
    told = agreement.of_tracks("points", {(1, 2): [TwiceTracked("r", near[1], near[2])]})
    assert told["all"]["apart"]["value"] == pytest.approx(0.04)
    far = {**near, 2: [track(at(0, 0.56, 0.5), at(4, 0.56, 0.5))]}
    assert of_layer("points", far, FRAMES, majority=False).open


def test_classes_and_pairs_are_told_and_a_single_recording_has_no_interval():
    one, other = [track(at(0, *BOX), at(9, *BOX))], [track(at(0, *NEAR), at(9, *NEAR))]
    found = agreement.of_tracks("boxes", {(1, 2): [TwiceTracked("r", one, other)], (1, 3): [TwiceTracked("s", one, one)]})
    assert found["recordings"] == 2
    assert found["pairs"]["1-2"]["iou"]["value"] == pytest.approx(iou(BOX, NEAR))
    assert found["pairs"]["1-2"]["iou"]["low"] is None
    assert found["classes"]["grasper"]["f1"] == {"value": 1.0, "low": 1.0, "high": 1.0}


def test_a_point_that_one_says_is_hidden_and_another_is_seen_is_disputed_as_long_as_they_differ():
    seen, tip = [track(at(0, 0.5, 0.5), at(9, 0.5, 0.5))], (0.51, 0.5)
    hides = [track(at(0, *tip), at(4, *tip, state=HIDDEN), at(7, *tip), at(9, *tip))]
    outcome = of_layer("points", {1: seen, 2: hides}, FRAMES, majority=False)
    assert [(of.first, of.end) for of in outcome.open] == [(4, 7)]
    (stands,) = outcome.tracks
    assert expanded(stands).frames.tolist() == [0, 1, 2, 3, 7, 8, 9]
    assert not expanded(stands).is_hidden.any()
    # Two of three are enough where most decide, and two who say the same need nobody.
    (most,) = of_layer("points", {1: seen, 2: hides, 3: hides}, FRAMES, majority=True).tracks
    assert expanded(most).frames[expanded(most).is_hidden].tolist() == [4, 5, 6]
    both = of_layer("points", {1: hides, 2: hides}, FRAMES, majority=False)
    assert not both.open
    assert expanded(both.tracks[0]).frames[expanded(both.tracks[0]).is_hidden].tolist() == [4, 5, 6]
    answer = Settled(About("r", "mono", "0"), "cholect50", "points", 4, 7, (), tuple(hides))
    settled = of_layer("points", {1: seen, 2: hides}, FRAMES, [answered(answer, {1: seen, 2: hides})], majority=False)
    assert not settled.open
    (stands,) = settled.tracks
    assert expanded(stands).frames[expanded(stands).is_hidden].tolist() == [4, 5, 6]
