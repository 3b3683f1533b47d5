"""An adjudicator's answer counts where people still differ as it was seen: against a count frame by frame, whatever they change."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelled_study
from each import each
from labelled_study import NONCES, PARAMS
from labelled_tracks import FRAMES, PHASES, at, frames_of, labels_at, phases, places_of, track, tracks
from scrubin.base.errors import ReviewError
from scrubin.curate.label import progress
from scrubin.curate.label.events import About, Assigned, Change, Instant, Settled, Span, key_of
from scrubin.curate.label.people import Person
from scrubin.curate.label.pictures import Pictures
from scrubin.curate.label.several import disputes, instant_disputes, still_said, track_disputes
from scrubin.curate.label.workbench import Recording, Workbench
from scrubin.labels.keyframes import HIDDEN, SEEN, expanded, rounded

ABOUT = About("r", "mono", "0")
GRASP, CLIP = ("grasper", "grasp", "gallbladder"), ("clipper", "clip", "cystic_duct")
SETS = st.sampled_from((None, (), (GRASP,), (CLIP,), (CLIP, GRASP)))


@st.composite
def overlapping(draw):
    pairs = draw(st.lists(st.tuples(st.integers(0, FRAMES), st.integers(0, FRAMES), st.sampled_from(PHASES)), max_size=3))
    return [Span(min(a, b), max(a, b), label) for a, b, label in pairs if a != b]


instants = st.lists(SETS, min_size=FRAMES, max_size=FRAMES).map(
    lambda sets: [Instant(frame, one) for frame, one in enumerate(sets) if one is not None]
)


@st.composite
def changed(draw, one):
    """What people say, and what they say after some of them changed it, came or went."""
    before = draw(st.dictionaries(st.integers(1, 4), one, min_size=2, max_size=4))
    after = {who: draw(one) if draw(st.integers(0, 2)) == 0 else said for who, said in before.items()}
    if draw(st.integers(0, 3)) == 0:
        after[5] = draw(st.one_of(one, st.sampled_from(list(before.values()))))
    if draw(st.integers(0, 3)) == 0:
        del after[min(before)]
    return before, after


def triplets_at(said, frame):
    return next((one.triplets for one in said if one.frame == frame), None)


def places_at(said, frame):
    """Return label, place and whether it is hidden of each track in a frame."""
    found = []
    for one in said:
        places = places_of(one)
        here = places.frames == frame
        found += [(one.label, *rounded(place), bool(places.is_hidden[here][0])) for place in places.places[here]]
    return tuple(sorted(found))


def check_frames(of_layer, said_at, before, after, answer_of):
    """Check where answers to all that was disputed count after the change, and return the outcomes without and with them."""
    disputed, changed_alone = of_layer(before, ()), of_layer(after, ())
    outcome = of_layer(after, [answer_of(one) for one in disputed.open])
    open_before, open_after = frames_of(disputed.open), frames_of(changed_alone.open)
    answers = [[[said_at(one, frame) for one in said.values()] for frame in range(FRAMES)] for said in (before, after)]
    same = {frame for frame in range(FRAMES) if are_same(set(answers[0][frame]), set(answers[1][frame]))}
    as_often = {frame for frame in range(FRAMES) if is_as_often(*(of[frame] for of in answers))}
    counting = open_before & same & (open_after | as_often)
    assert frames_of(outcome.settled) == counting
    assert frames_of(outcome.open) == open_after - counting
    return changed_alone, outcome


@pytest.mark.parametrize(("layer", "one"), [("phases", phases()), ("actions", overlapping()), ("quality", overlapping())])
@given(data=st.data(), majority=st.booleans())
def test_spans_of_an_answer_stand_where_people_differ_as_it_was_seen(layer, one, data, majority):
    before, after = data.draw(changed(one))
    answer = data.draw(one)

    def of_layer(said, answers):
        return disputes.of_layer(layer, said, FRAMES, answers, edge=0, majority=majority)

    def answer_of(of):
        return disputes.answered(Settled(ABOUT, "v", layer, of.first, of.end, tuple(disputes.within(answer, of.first, of.end))), before)

    alone, outcome = check_frames(of_layer, labels_at, before, after, answer_of)
    counting = frames_of(outcome.settled)
    for frame in range(FRAMES):
        assert labels_at(outcome.spans, frame) == labels_at(answer if frame in counting else alone.spans, frame)


@pytest.mark.parametrize("layer", ["boxes", "points"])
@given(data=st.data(), majority=st.booleans())
def test_tracks_of_an_answer_stand_where_people_differ_as_it_was_seen(layer, data, majority):
    one = tracks().map(lambda said: said if layer == "boxes" else [of_points(of) for of in said])
    before, after = data.draw(changed(one))

    def of_layer(said, answers):
        return track_disputes.of_layer(layer, said, FRAMES, answers, majority=majority)

    def answer_of(of):
        taken = of.tracks.get(min(before), ())
        return track_disputes.answered(Settled(ABOUT, "v", layer, of.first, of.end, (), taken), before)

    alone, outcome = check_frames(of_layer, places_at, before, after, answer_of)
    counting = frames_of(outcome.settled)
    for frame in range(FRAMES):
        taken = before[min(before)] if frame in counting else alone.tracks
        assert near(places_at(outcome.tracks, frame), places_at(taken, frame))


def near(one, other, apart=2e-6):
    """Return whether places are the same to a millionth or two: where a track is cut, a place is rounded."""
    return any(
        [(of[0], of[-1]) for of in one] == [(of[0], of[-1]) for of in order]
        and all(abs(x - y) <= apart for a, b in zip(one, order, strict=True) for x, y in zip(a[1:-1], b[1:-1], strict=True))
        for order in itertools.permutations(other)
    )


def are_same(one, other):
    """Return whether every answer has one on the other side that is the same, of tracks but for what a tool's rounding sets apart."""
    found = [[is_same(a, b) for b in other] for a in one]
    return all(map(any, found)) and all(map(any, zip(*found, strict=True)))


def is_as_often(one, other):
    """Return whether as many people give each answer."""
    return len(one) == len(other) and any(all(map(is_same, one, order)) for order in itertools.permutations(other))


def is_same(one, other):
    if one == other:
        return True
    is_of_places = all(isinstance(said, tuple) and all(isinstance(of[-1], bool) for of in said) for said in (one, other))
    return is_of_places and near(one, other, still_said.NEAR)


def of_points(of):
    return track(*(replace(key, place=key.place[:2]) for key in of.keys), name=of.name)


@given(data=st.data(), majority=st.booleans())
def test_sets_of_an_answer_stand_where_people_differ_as_it_was_seen(data, majority):
    before, after = data.draw(changed(instants))
    answer = data.draw(instants)

    def of_layer(said, answers):
        return instant_disputes.of_layer("triplets", said, answers, majority=majority, sampled=range(FRAMES))

    def answer_of(of):
        inside = tuple(one for one in answer if of.first <= one.frame < of.end)
        return instant_disputes.answered(Settled(ABOUT, "v", "triplets", of.first, of.end, (), (), inside), before)

    alone, outcome = check_frames(of_layer, triplets_at, before, after, answer_of)
    counting = frames_of(outcome.settled)
    for frame in range(FRAMES):
        assert triplets_at(outcome.instants, frame) == triplets_at(answer if frame in counting else alone.instants, frame)


def test_of_two_answers_that_of_the_present_dispute_counts_also_when_it_is_the_earlier_one():
    first = {1: [Span(0, 9, "preparation")], 2: [Span(0, 9, "clipping")]}
    other = {1: [Span(0, 9, "packaging")], 2: [Span(0, 9, "clipping")]}
    answers = [
        disputes.answered(Settled(ABOUT, "v", "phases", 0, 9, (Span(0, 9, label),)), said)
        for label, said in (("preparation", first), ("packaging", other))
    ]
    for said, label in ((first, "preparation"), (other, "packaging")):
        outcome = disputes.of_layer("phases", said, FRAMES, answers, edge=0, majority=False)
        assert (outcome.spans, outcome.open) == ((Span(0, 9, label),), ())


@each("is_open, now_three", [(True, True), (False, False)])
def test_who_says_what_of_the_same_answers_asks_nothing_anew_and_where_most_decide_it_counts_how_many_say_it(is_open, now_three):
    said = {1: [Span(0, 9, "preparation")], 2: [Span(0, 9, "clipping")]}
    flags = np.full(9, is_open)
    for now, counts in (({1: said[2], 2: said[1]}, True), ({**said, 3: said[2]}, now_three)):
        assert still_said.of_spans(said, now, now, 0, 9, flags).tolist() == [counts] * 9


@each("answer", [(Span(50, 110, "packaging"),), (), (Span(50, 110, "clipping"),)])
@each("who, at, edge, stands", [(2, 60, 25, 55), (1, 100, 25, 105), (2, 50, 25, 50), (2, 50, 0, 50)])
def test_who_comes_near_the_edge_of_another_after_an_answer_ends_the_dispute_and_leaves_no_sliver_of_it(answer, who, at, edge, stands):
    said = {one: [Span(0, to, "preparation"), Span(to, 200, "clipping")] for one, to in ((1, 50), (2, 110))}
    answers = [disputes.answered(Settled(ABOUT, "v", "phases", 50, 110, answer), said)]
    now = {**said, who: [Span(0, at, "preparation"), Span(at, 200, "clipping")]}
    outcome = disputes.of_layer("phases", now, 200, answers, edge=edge, majority=False)
    assert outcome.spans == (Span(0, stands, "preparation"), Span(stands, 200, "clipping"))
    assert (outcome.open, outcome.settled) == ((), ())
    back = disputes.of_layer("phases", said, 200, answers, edge=edge, majority=False)
    assert frames_of(back.settled) == set(range(50, 110))


@each("layer", ["phases", "boxes", "triplets"])
@each("moved", [0.0, 0.001])
def test_an_answer_to_a_tie_gives_way_to_most_when_somebody_changes_sides_and_stands_where_they_only_trade_them(layer, moved):
    one = {"phases": [Span(0, 10, "preparation")], "boxes": [track(at(0, *BOX), at(9, *BOX))], "triplets": [Instant(0, (GRASP,))]}[layer]
    other = {"phases": [Span(0, 10, "clipping")], "boxes": [track(at(0, *FAR), at(9, *FAR))], "triplets": [Instant(0, (CLIP,))]}[layer]
    # A key frame that a tool rounds makes another track of the same places.
    most = [track(at(0, *FAR), at(9, FAR[0] + moved, *FAR[1:]))] if layer == "boxes" else other

    def of_layer(said, answers):
        if layer == "phases":
            return disputes.of_layer(layer, said, 10, answers, edge=0, majority=True)
        if layer == "boxes":
            return track_disputes.of_layer(layer, said, 10, answers, majority=True)
        return instant_disputes.of_layer(layer, said, answers, majority=True, sampled=[0])

    tie = {1: one, 2: one, 3: other, 4: other}
    answer = Settled(ABOUT, "v", layer, *((0, 1) if layer == "triplets" else (0, 10)), *of_kind(layer, one))
    module = {"phases": disputes, "boxes": track_disputes, "triplets": instant_disputes}[layer]
    answers = [module.answered(answer, tie)]
    for said, is_answered in ((tie, True), ({**tie, 1: other, 3: one}, True), ({**tie, 4: most}, True), ({**tie, 1: most}, False)):
        outcome = of_layer(said, answers)
        assert (len(outcome.settled), outcome.open) == (int(is_answered), ())
        stands = [*outcome.spans, *outcome.instants, *(key.place for of in outcome.tracks for key in of.keys)]
        assert (str(stands).count("clip") or str(stands).count("0.6")) == 0 if is_answered else stands


@each("layer", ["phases", "boxes", "triplets"])
def test_a_correction_of_one_frame_takes_nothing_of_an_answer_from_the_others_when_most_decide_by_then(layer):
    def said_of(place, name, sets):
        boxes = [track(at(0, *place), at(FRAMES - 1, *place))]
        return {
            "phases": [Span(0, FRAMES, name)],
            "boxes": boxes,
            "triplets": [Instant(frame, sets) for frame in range(FRAMES)],
        }[layer]

    most, one = said_of(BOX, "preparation", (GRASP,)), said_of(FAR, "clipping", (CLIP,))
    last = FRAMES - 1
    corrected = {
        "phases": [Span(0, last, "clipping"), Span(last, FRAMES, "preparation")],
        "boxes": [track(at(0, *FAR), at(last - 1, *FAR), at(last, *BOX))],
        "triplets": [*one[:-1], *most[-1:]],
    }[layer]
    of_layer = {
        "phases": lambda said, answers: disputes.of_layer(layer, said, FRAMES, answers, edge=3, majority=True),
        "boxes": lambda said, answers: track_disputes.of_layer(layer, said, FRAMES, answers, majority=True),
        "triplets": lambda said, answers: instant_disputes.of_layer(layer, said, answers, majority=True, sampled=range(FRAMES)),
    }[layer]
    module = {"phases": disputes, "boxes": track_disputes, "triplets": instant_disputes}[layer]
    before = {1: most, 2: most, 3: one}
    answer = module.answered(Settled(ABOUT, "v", layer, 0, FRAMES, *of_kind(layer, one)), before)
    for now, frames in ((before, FRAMES), ({**before, 3: corrected}, last)):
        outcome = of_layer(now, [answer])
        assert (frames_of(outcome.settled), outcome.open) == (set(range(frames)), ())


@each(
    "edge, corrected, settled",
    [
        (10, [Span(0, 60, "smoke")], range(50, 100)),
        (10, [Span(0, 60, "smoke"), Span(99, 100, "blurred")], range(50, 99)),
        (10, [Span(0, 60, "smoke"), Span(60, 70, "blurred")], range(70, 100)),
        (10, [Span(0, 58, "smoke")], range(60, 100)),
        (0, [Span(0, 58, "smoke")], [*range(50, 58), *range(60, 100)]),
    ],
)
def test_an_answer_stays_in_frames_that_common_edges_close_by_now_unless_the_frames_beside_them_are_corrected(edge, corrected, settled):
    said = {1: [Span(0, 50, "smoke"), Span(60, 100, "blurred")], 2: [Span(0, 60, "smoke")]}
    answers = [disputes.answered(Settled(ABOUT, "v", "quality", 50, 100, ()), said)]
    outcome = disputes.of_layer("quality", {**said, 2: corrected}, 100, answers, edge=edge, majority=False)
    assert (frames_of(outcome.settled), outcome.open) == (set(settled), ())


def test_what_all_say_alike_stands_also_where_moved_edges_had_made_a_dispute_of_it():
    said = {1: [Span(0, 9, "smoke")], 2: [Span(0, 9, "smoke")]}
    closed = np.zeros(9, np.bool_)
    assert not still_said.of_spans(said, said, said, 0, 9, closed).any()
    tracks = {1: [track(at(0, *BOX), at(8, *BOX))], 2: [track(at(0, *BOX), at(8, *BOX))]}
    assert not still_said.of_tracks(tracks, tracks, 0, 9, closed).any()


def of_kind(layer, said):
    """Return spans, tracks and labelled frames of an answer."""
    return [tuple(said) if layer == one else () for one in ("phases", "boxes", "triplets")]


def test_a_frame_that_is_sampled_only_since_an_answer_and_nobody_labelled_is_not_settled_by_it():
    sets = {1: [Instant(0, (GRASP,)), Instant(4, (GRASP,))], 2: [Instant(0, (CLIP,)), Instant(4, (CLIP,))]}
    answers = [instant_disputes.answered(Settled(ABOUT, "v", "triplets", 0, 5, (), (), (Instant(0, ()), Instant(4, ()))), sets)]
    outcome = instant_disputes.of_layer("triplets", sets, answers, majority=False, sampled=range(0, 6, 2))
    assert outcome.instants == (Instant(0, ()), Instant(4, ()))
    assert [(one.first, one.end) for one in outcome.settled] == [(0, 1), (4, 5)]


def test_an_answer_counts_whatever_edges_are_one_and_how_many_must_agree_by_now():
    said = {1: [Span(0, 50, "preparation"), Span(50, 100, "clipping")], 2: [Span(0, 60, "preparation"), Span(60, 100, "clipping")]}
    edges = [disputes.answered(Settled(ABOUT, "v", "phases", 50, 60, (Span(50, 60, "preparation"),)), said)]
    for edge in (0, 5, 25):
        outcome = disputes.of_layer("phases", said, 100, edges, edge=edge, majority=False)
        assert outcome.spans == (Span(0, 60, "preparation"), Span(60, 100, "clipping"))
        assert (frames_of(outcome.open), frames_of(outcome.settled)) == (set(), set(range(50, 60)))
    outvoted = {1: said[1], 2: said[1], 3: said[2]}
    answers = [disputes.answered(edges[0].settled, outvoted)]
    assert disputes.of_layer("phases", outvoted, 100, answers, edge=0, majority=True).spans[0] == Span(0, 60, "preparation")
    same = disputes.of_layer("phases", {1: said[1], 2: said[1]}, 100, edges, edge=0, majority=False)
    assert (same.spans, same.settled) == (tuple(said[1]), ())


def test_an_answer_of_tracks_and_of_sets_counts_where_most_agree_by_now():
    one, other = [track(at(0, *BOX), at(9, *BOX))], [track(at(0, *FAR), at(9, *FAR))]
    said = {1: one, 2: one, 3: other}
    answer = track_disputes.answered(Settled(ABOUT, "v", "boxes", 0, 10, (), tuple(other)), said)
    rounded_by_a_tool = [track(at(0, *FAR), at(9, FAR[0] + 0.001, *FAR[1:]))]
    for now in (said, {**said, 3: rounded_by_a_tool}):
        outcome = track_disputes.of_layer("boxes", now, 10, [answer], majority=True)
        assert [key.place for of in outcome.tracks for key in of.keys] == [FAR, FAR]
        assert frames_of(outcome.settled) == set(range(10))
    sets = {1: [Instant(0, (GRASP,))], 2: [Instant(0, (GRASP,))], 3: [Instant(0, (CLIP,))]}
    answered = instant_disputes.answered(Settled(ABOUT, "v", "triplets", 0, 1, (), (), (Instant(0, (CLIP,)),)), sets)
    outcome = instant_disputes.of_layer("triplets", sets, [answered], majority=True, sampled=[0])
    assert outcome.instants == (Instant(0, (CLIP,)),)
    assert frames_of(outcome.settled) == {0}


@each("moved, is_same", [(0.0, True), (0.001, True), (0.02, False)])
def test_a_key_frame_on_the_way_between_two_takes_nothing_from_an_answer(moved, is_same):
    mine = track(at(0, 0.1, 0.1, 0.2, 0.2), at(90, 0.3123, 0.1777, 0.2, 0.2))
    other = track(*(at(frame, *FAR) for frame in (9, 29)), *(at(frame, 0.1889, 0.134, 0.2, 0.2) for frame in (39, 90)), name="b")
    said = {1: [mine], 2: [other]}
    answers = [
        track_disputes.answered(Settled(ABOUT, "v", "boxes", one.first, one.end, (), one.tracks[1]), said)
        for one in track_disputes.of_layer("boxes", said, 100, majority=False).open
    ]
    places = expanded(mine)
    x, *rest = rounded(places.places[places.frames.tolist().index(70)])
    keyed = track(mine.keys[0], at(70, x + moved, *rest), mine.keys[1])
    outcome = track_disputes.of_layer("boxes", {1: [keyed], 2: [other]}, 100, answers, majority=False)
    assert (not outcome.open) == is_same


def test_a_place_is_the_same_only_with_its_label_and_whether_it_is_hidden():
    seen = {1: [track(at(0, *BOX), at(9, *BOX))], 2: []}
    is_open = np.ones(10, np.bool_)
    for x, label, state, counts in (
        (0.101, "grasper", SEEN, True),
        (0.103, "grasper", SEEN, False),
        (0.101, "hook", SEEN, False),
        (0.101, "grasper", HIDDEN, False),
    ):
        keys = [replace(at(frame, x, *BOX[1:], label=label), state=state) for frame in (0, 9)]
        assert still_said.of_tracks(seen, {1: [track(*keys)], 2: []}, 0, 10, is_open).all() == counts
    # Small boxes are disputed though they are near: what all say alike by now stands.
    seen[2] = [track(*(at(frame, 0.101, *BOX[1:]) for frame in (0, 9)))]
    assert not still_said.of_tracks(seen, {1: seen[1], 2: seen[1]}, 0, 10, ~is_open).any()


# At the bench, by the lines of the ledger

P = replace(PARAMS, layers=("phases", "actions", "quality", "boxes", "points"), quality=("smoke", "blurred"), edge_s=0.0)
BOX, FAR, THIRD = (0.1, 0.1, 0.2, 0.2), (0.6, 0.6, 0.2, 0.2), (0.1, 0.6, 0.2, 0.2)


def of_track(layer, place):
    place = place if layer == "boxes" else place[:2]
    return [Change(layer, key_of("a", frame), at(frame, *place)) for frame in (2, 8)]


def spans_of(layer, *names):
    return [Change(layer, "a", Span(2, 9, *names))]


BY_LAYER = {
    "phases": [spans_of("phases", name) for name in ("preparation", "clipping-and-cutting", "calot-triangle-dissection")],
    "actions": [spans_of("actions", *names) for names in (GRASP, CLIP, ("hook", "dissect", "gallbladder"))],
    "quality": [spans_of("quality", "smoke"), spans_of("quality", "blurred"), [Change("quality", "a", None)]],
    "boxes": [of_track("boxes", place) for place in (BOX, FAR, THIRD)],
    "points": [of_track("points", place) for place in (BOX, FAR, THIRD)],
    "triplets": [[Change("triplets", "4", Instant(4, sets))] for sets in ((GRASP,), (CLIP,), ())],
}


def answer_to(layer, changes):
    values = [change.value for change in changes if change.value is not None]
    return [track(*values)] if layer in ("boxes", "points") else values


FOLK = Person(1, "a", "annotator", ""), Person(2, "b", "annotator", ""), Person(3, "c", "adjudicator", "")


def bench_of(folder, layer):
    """A bench of one recording, and what lets somebody say all of it."""
    p = replace(P, layers=("triplets",), quality=(), every_s=0.0) if layer == "triplets" else P
    sampled = tuple(range(20)) if layer == "triplets" else ()
    recording = Recording("r", "r", "Task", {}, Pictures(ABOUT, 20, 1.0, 0, 20, sampled), 20.0)
    (folder / "params.yaml").write_text("raw: raw\n", encoding="utf-8")
    bench = Workbench(folder, p, None, {"r": recording})
    bench._append(Assigned({"r": (1, 2)}), 0, "")

    def say(who, changes):
        bench.label(who, "r", changes, next(NONCES))
        bench.say_done(who, "r", next(NONCES), done=True)

    return bench, recording, say


@each("layer, three", BY_LAYER.items())
def test_who_corrects_their_own_label_after_an_answer_is_heard_and_another_dispute_is_open_again(tmp_path, layer, three):
    first, second, third = three
    bench, recording, say = bench_of(tmp_path, layer)
    one, other, chief = FOLK

    def outcome():
        return bench.settlement(recording).outcomes[layer]

    def settle(changes):
        (dispute,) = outcome().open
        labelled_study.settle(bench, chief, layer, (dispute.first, dispute.end), answer_to(layer, changes), "r")

    say(one, first)
    say(other, second)
    settle(second)
    assert (len(outcome().open), len(outcome().settled)) == (0, 1)
    say(one, third)
    assert (len(outcome().open), len(outcome().settled)) == (1, 0)
    bench.undo(one, "r", next(NONCES))
    assert (len(outcome().open), len(outcome().settled)) == (0, 1)
    say(other, first)
    assert (len(outcome().open), len(outcome().settled)) == (0, 0)
    stands = outcome()
    assert not any("clip" in str(one) for one in (*stands.spans, *stands.instants))
    if layer in ("boxes", "points"):
        assert [key.place for of in stands.tracks for key in of.keys] == [change.value.place for change in first]
    progress.export(bench)
    assert '"settled": 0' in (tmp_path / "raw/annotations/label/r.labels.json").read_text(encoding="utf-8")


@each("layer, three", BY_LAYER.items())
def test_an_answer_to_what_people_no_longer_say_is_refused_and_no_digest_tells_who_says_what(tmp_path, layer, three):
    bench, recording, say = bench_of(tmp_path, layer)
    one, other, chief = FOLK
    say(one, three[0])
    say(other, three[1])

    def settle(seen):
        (dispute,) = bench.settlement(recording).outcomes[layer].open
        bench.settle(chief, "r", layer, (dispute.first, dispute.end), answer_to(layer, three[1]), next(NONCES), seen)

    def shown():
        (dispute,) = bench.view(chief, "r")["disputes"]
        return dispute["seen"]

    seen = shown()
    say(one, three[2])
    with pytest.raises(ReviewError, match=r"what they say has changed .*; open the recording again"):
        settle(seen)
    assert len(bench.settlement(recording).outcomes[layer].open) == 1
    say(one, three[1])
    say(other, three[0])
    assert shown() == seen
    settle(seen)
    assert not bench.settlement(recording).outcomes[layer].open
