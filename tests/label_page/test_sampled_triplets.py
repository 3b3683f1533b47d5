"""Triplets of sampled frames on the label page: what is refused, undone, looks wrong, settled, and comes out on its frames."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelled_study
import sampled_release
from annotated_tables import tables_of
from each import each
from labelled_study import FIRST, SINGLE, done, person, read, say
from scrubin.base.errors import AnnotationError, ParamsError, ReviewError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import vocabulary
from scrubin.curate.label import events, params, pictures, progress
from scrubin.curate.label.events import About, Change, Instant, Settled, Span
from scrubin.curate.label.several import agreement, instant_disputes
from scrubin.curate.label.several.agreement import TwiceSampled
from scrubin.curate.label.suspects import disputed
from scrubin.labels.formats.plain import label_files
from scrubin.stages.annotations import label_tables

LAYERS = "[triplets]\n  every_s: 1"
FPS = sampled_release.FPS
CHOLECT50 = vocabulary.load("cholect50")
GRASP, CLIP, HOOK = ("grasper", "grasp", "gallbladder"), ("clipper", "clip", "cystic_duct"), ("hook", "", "")


def put(frame, *triplets):
    return Change("triplets", str(frame), Instant(frame, tuple(sorted(triplets))))


def said_by(bench, who):
    items = bench.view(who, SINGLE)["items"].get("triplets", {})
    return {int(key): {tuple(one) for one in value["triplets"]} for key, value in items.items() if value["frame"] == int(key)}


# Which frames


def test_the_first_frame_at_or_after_each_second_of_the_source_is_sampled():
    starts_s = np.array([0, 0.7, 1.3, 1.4, 1.9999999, 4.2, 5.0])
    assert pictures.sampled(np.append(starts_s, 6.0), 1.0).tolist() == [0, 2, 4, 5, 6]
    assert pictures.sampled(np.append(starts_s, 6.0), 0.0).tolist() == list(range(7))


@given(fps=st.sampled_from((Fraction(25), Fraction(30000, 1001), Fraction(50), Fraction(24000, 1001))), every=st.sampled_from((1, 2, 5)))
def test_at_any_rate_each_step_has_its_first_frame(fps, every):
    count = 40 * 60
    boundaries_s = np.array([float(frame / fps) for frame in range(count + 1)])
    expected = [-(-step * fps // 1) for step in range(0, count, every)]
    assert pictures.sampled(boundaries_s, float(every)).tolist() == [int(frame) for frame in expected if frame < count]


def test_another_trim_asks_for_the_same_source_frames(bench, both, folder):
    assert bench.sampled(both[0], SINGLE) == list(range(0, sampled_release.SINGLE_FRAMES, FPS))
    whole = bench.recordings[SINGLE].pictures.sampled
    assert whole == tuple(range(FIRST, FIRST + sampled_release.SINGLE_FRAMES, FPS))
    labelled_study.trim(folder, 13)
    trimmed = labelled_study.opened(folder).recordings[SINGLE].pictures
    assert trimmed.first == FIRST + 13
    assert trimmed.sampled == whole[1:]


PARAMS = [
    (
        {"layers": ("actions", "triplets"), "every_s": 1.0},
        "'triplets' cannot stand beside 'actions': both say what is done.*; choose one",
    ),
    ({"layers": ("triplets", "boxes"), "every_s": 1.0}, "beside 'boxes': nobody would have said which triplet is of which box"),
    ({"layers": ("triplets",)}, "'label.every_s' is missing, but 'triplets' is a layer; give the seconds between"),
]


@each("values, says", PARAMS)
def test_what_cannot_be_labelled_is_said(values, says):
    with pytest.raises(ParamsError, match=says):
        dataclasses.replace(labelled_study.PARAMS, **values)


@each(
    "value, says",
    [("-1", r"must lie in \[0"), ("often", "must be a number"), (".nan", r"must lie in \[0"), ("86400", r"must lie in \[0.0, 3600.0\]")],
)
def test_a_step_that_is_none_is_refused_with_its_limits(folder, value, says):
    path = folder / "params.yaml"
    path.write_text(re.sub("every_s: .*", f"every_s: {value}", path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(ParamsError, match=rf"label.every_s.*{says}"):
        params.load(path)


# What a person says


def test_a_set_is_kept_by_the_frame_of_the_source_and_an_empty_one_is_a_label(bench, both, folder):
    say(bench, both[0], put(20, ("Grasper", "Grasp", "Gallbladder"), HOOK), put(40))
    assert said_by(bench, both[0]) == {20: {GRASP, HOOK}, 40: set()}
    line = json.loads((folder / events.LEDGER_PATH).read_text(encoding="utf-8").splitlines()[-1])
    value = {"frame": FIRST + 20, "triplets": [list(GRASP), list(HOOK)]}
    assert line["facts"]["changes"][0] == {
        "changed": False,
        "key": str(FIRST + 20),
        "layer": "triplets",
        "proposal": "",
        "value": value,
    }
    say(bench, both[0], Change("triplets", "40", None))
    assert set(said_by(labelled_study.opened(folder), both[0])) == {20}


REFUSED = [
    (put(21, GRASP), "frame 21 is none of those that are labelled, which are 1 s apart"),
    (put(320, GRASP), "frame 320 is none of those"),
    (Change("triplets", "40", Instant(20, (GRASP,))), "not the one that its key"),
    (Change("triplets", "a:20", Instant(20, (GRASP,))), "'a:20' is no key of triplets; it is the number of the frame"),
    (Change("triplets", "020", Instant(20, (GRASP,))), "'020' is no key of triplets"),
    (Change("triplets", "20", Span(20, 21, "grasper")), "triplets: it takes sets of triplets of frames"),
    (Change("actions", "20", Instant(20, (GRASP,))), "'actions' is not labelled here"),
    (put(20, GRASP, ("Grasper", "grasp", "gallbladder")), "one triplet is there twice"),
]


@each("change, says", REFUSED)
def test_what_is_no_set_of_a_sampled_frame_is_refused(bench, both, change, says):
    with pytest.raises(ReviewError, match=says):
        say(bench, both[0], change)
    assert said_by(bench, both[0]) == {}


def test_a_name_that_there_is_not_is_refused(bench, both):
    with pytest.raises(AnnotationError, match="'<script>' is no instrument"):
        say(bench, both[0], put(20, ("<script>", "", "")))


NO_SETS = [
    {"frame": 20},
    {"frame": 20.0, "triplets": []},
    {"frame": -1, "triplets": []},
    {"frame": True, "triplets": []},
    {"frame": 20, "triplets": "grasper"},
    {"frame": 20, "triplets": ["abc"]},
    {"frame": 20, "triplets": [["grasper", "grasp"]]},
    {"frame": 20, "triplets": [["grasper", "grasp", ""]]},
    {"frame": 20, "triplets": [["", "grasp", "gallbladder"]]},
    {"frame": 20, "triplets": [["grasper", None, None]]},
    {"frame": 20, "triplets": [list(GRASP), list(GRASP)]},
    {"frame": 20, "triplets": [[f"a{number}", "", ""] for number in range(events.MOST_TRIPLETS + 1)]},
    {"frame": 20, "triplets": [], "more": 1},
]


@each("values", NO_SETS)
def test_a_line_with_another_value_is_refused(values):
    with pytest.raises((ValueError, TypeError, KeyError)):
        events.value_of("triplets", values)


def test_what_looks_wrong_is_said_at_its_frame(bench, both):
    say(bench, both[0], put(0), put(60, HOOK, ("hook", "dissect", "gallbladder")), put(80, ("hook", "clip", "cystic_duct")))
    say(bench, both[0], put(100, ("grasper", "grasp", "abdominal_wall_cavity")))
    found = {(one["rule"], one["first"], one["end"]): one["says"] for one in bench.view(both[0], SINGLE)["findings"]}
    assert found == {
        ("gap", 20, 41): "2 sampled frames are not labelled between labelled ones",
        ("incomplete", 60, 61): "hook: no verb and target",
        ("twice", 60, 61): "hook is there twice, once without what it does",
        ("parts", 80, 81): "hook and clip go together in no triplet of cholect50",
        ("triplet", 100, 101): "grasper, grasp, abdominal_wall_cavity is no triplet of cholect50",
        ("unlabelled", 120, 301): "10 sampled frames are not labelled",
    }


# Several people

SETS = st.sampled_from((None, (), (GRASP,), (CLIP,), (CLIP, GRASP)))
FRAMES = 12
people = st.dictionaries(st.integers(1, 4), st.lists(SETS, min_size=FRAMES, max_size=FRAMES), min_size=1, max_size=4)


def instants_of(sets):
    return [Instant(frame, one) for frame, one in enumerate(sets) if one is not None]


def settlement(first, end, *instants):
    return Settled(About("r", "mono", "0"), "cholect50", "triplets", first, end, (), (), instants)


@given(said=people, majority=st.booleans(), answer=st.tuples(st.integers(0, FRAMES), st.integers(0, FRAMES), SETS))
def test_a_set_stands_when_enough_say_the_same_and_other_frames_are_disputed(said, majority, answer):
    instants = {person: instants_of(sets) for person, sets in said.items()}
    outcome = instant_disputes.of_layer("triplets", instants, majority=majority, sampled=range(FRAMES))
    needed = len(said) // 2 + 1 if majority else len(said)
    stands = {one.frame: one.triplets for one in outcome.instants}
    open_ = [one for one in outcome.open for frame in range(one.first, one.end)]
    for frame in range(FRAMES):
        answers = [sets[frame] for sets in said.values()]
        agreed = [one for one in answers if answers.count(one) >= needed]
        meeting = [one for one in outcome.open if one.first <= frame < one.end]
        assert len(meeting) == (not agreed)
        assert stands.get(frame) == (agreed[0] if agreed else None)
        for one in meeting:
            assert {person: next((of.triplets for of in one.instants[person] if of.frame == frame), None) for person in said} == {
                person: sets[frame] for person, sets in said.items()
            }
    assert len(open_) == sum(one.end - one.first for one in outcome.open)
    # A dispute is as long as nobody says anything else.
    for one, other in itertools.pairwise(outcome.open):
        assert one.end < other.first or any(sets[one.end - 1] != sets[other.first] for sets in said.values())
    first, end = sorted(answer[:2])
    answers = [Instant(frame, answer[2]) for frame in range(first, end)] if answer[2] is not None else []
    answered = [instant_disputes.answered(settlement(first, end, *answers), instants)]
    settled = instant_disputes.of_layer("triplets", instants, answered, majority=majority, sampled=range(FRAMES))
    # What all say alike stands whatever an adjudicator said there.
    open_frames = {frame for one in outcome.open for frame in range(one.first, one.end)}
    disputed = {frame for frame in range(first, end) if len({sets[frame] for sets in said.values()}) > 1}
    assert {one.frame: one.triplets for one in settled.instants} == {
        **{frame: one for frame, one in stands.items() if frame not in disputed},
        **{one.frame: one.triplets for one in answers if one.frame in disputed},
    }
    assert {frame for one in settled.settled for frame in range(one.first, one.end)} == disputed
    assert {frame for one in settled.open for frame in range(one.first, one.end)} == open_frames - disputed


@given(pairs=st.lists(st.tuples(*[st.lists(SETS, min_size=FRAMES, max_size=FRAMES)] * 2), min_size=1, max_size=3))
def test_agreement_is_that_of_a_count_frame_by_frame(pairs):
    twice = [TwiceSampled(f"r{at}", instants_of(one), instants_of(other)) for at, (one, other) in enumerate(pairs)]
    told = agreement.of_instants({(1, 2): twice})
    frames = [(one[at], other[at]) for one, other in pairs for at in range(FRAMES)]
    both = [(set(one), set(other)) for one, other in frames if one is not None and other is not None]
    either = sum(one is not None or other is not None for one, other in frames)
    jaccards = [len(one & other) / len(one | other) if one | other else 1 for one, other in both]
    labels = sum(len(one) + len(other) for one, other in both)
    shared = sum(len(one & other) for one, other in both)
    assert told["all"]["both"]["value"] == (len(both) / either if either else None)
    assert told["all"]["jaccard"]["value"] == (pytest.approx(sum(jaccards) / len(both)) if both else None)
    assert told["all"]["f1"]["value"] == (2 * shared / labels if labels else None)
    assert (told["all"]["f1"]["low"] is None) == (len(pairs) == 1 or not labels)
    for name, triplet in (("grasper, grasp, gallbladder", GRASP), ("clipper, clip, cystic_duct", CLIP)):
        of_one = sum((triplet in one) + (triplet in other) for one, other in both)
        value = told["classes"].get(name, {"f1": {"value": None}})["f1"]["value"]
        assert value == (2 * sum(triplet in one and triplet in other for one, other in both) / of_one if of_one else None)


def differing(bench, both):
    say(bench, both[0], put(0), put(20, GRASP), put(40, GRASP), put(60, CLIP))
    say(bench, both[1], put(0), put(20, CLIP), put(40, CLIP), put(80, CLIP))
    done(bench)


def test_an_adjudicator_takes_a_set_and_the_rest_waits(bench, both, folder):
    differing(bench, both)
    chief = person(folder, 4)
    view = bench.view(chief, SINGLE)
    assert [(one["first"], one["end"]) for one in view["disputes"]] == [(20, 41), (60, 61), (80, 81)]
    assert view["agreed"]["triplets"] == [{"frame": 0, "triplets": []}]
    says = [one.label for one in disputed.suspects(bench)]
    assert says == [
        "clipper,clip,cystic_duct or grasper,grasp,gallbladder",
        "clipper,clip,cystic_duct or not labelled",
        "clipper,clip,cystic_duct or not labelled",
    ]
    (answer,) = [of for of in view["disputes"][0]["said"].values() if of and of[0]["triplets"] == [list(GRASP)]]
    answer = [events.instant_of(one) for one in answer]
    for wrong in ([Instant(60, (GRASP,))], [*answer, answer[0]]):
        with pytest.raises(ReviewError, match="a frame is none of those that are in dispute, or is there twice"):
            labelled_study.settle(bench, chief, "triplets", (20, 41), wrong)
    with pytest.raises(ReviewError, match="it takes sets of triplets of frames"):
        labelled_study.settle(bench, chief, "triplets", (20, 41), [Span(20, 41, "grasper")])
    labelled_study.settle(bench, chief, "triplets", (20, 41), answer)
    labelled_study.settle(bench, chief, "triplets", (60, 61), [])
    assert progress.document(bench)["open"] == {SINGLE: [["triplets", FIRST + 80, FIRST + 81]]}
    labelled_study.settle(bench, chief, "triplets", (80, 81), [Instant(80, ())])
    again = labelled_study.opened(folder)
    stands = again.settlement(again.recordings[SINGLE]).outcomes["triplets"].instants
    assert stands == tuple(Instant(FIRST + frame, triplets) for frame, triplets in ((0, ()), (20, (GRASP,)), (40, (GRASP,)), (80, ())))


def test_agreement_is_told(bench, both):
    differing(bench, both)
    text = "\n".join(progress.lines(progress.document(bench)))
    assert "agreement on triplets, 1 recordings: f1 0.00, jaccard 0.33, both 0.60" in text


# Into the study


def test_only_labelled_frames_come_out_and_empty_ones_are_labelled(bench, both):
    for who in both:
        say(bench, who, put(0, GRASP, HOOK), put(20), put(60, CLIP))
    done(bench)
    data = labelled_study.exported(bench)
    assert json.loads(data)["triplets"][1] == {"frame": FIRST + 20, "triplets": []}
    labels = read(data)
    assert labels.instances.positions.tolist() == [FIRST, FIRST + 20, FIRST + 60]
    assert labels.instances.boxless
    rows = labels.instances.rows
    assert rows["position"].tolist() == [FIRST, FIRST, FIRST + 60]
    assert [CHOLECT50.instruments[id_] for id_ in rows["instrument_id"]] == ["grasper", "hook", "clipper"]
    assert rows["verb_id"].isna().tolist() == [False, True, False]
    assert labels.detail == "triplet"


SOURCE_S, SOURCE_FPS = 20, 25


SETS = {0: {GRASP}, 2: set(), 3: {GRASP, CLIP}, 9: {CLIP}, 11: set(), 12: {GRASP}, 18: {CLIP, GRASP}, 19: set()}
"""By second of an operation of 20 s; the others are not labelled."""


@pytest.mark.parametrize(("sets", "offset_s"), [(SETS, 0), (SETS, 3), (SETS, 9), ({}, 0)])
def test_every_set_is_on_its_frame_after_other_trims(sets, offset_s):
    listed = [label_files.instant_item(second * SOURCE_FPS, sorted(triplets)) for second, triplets in sets.items()]
    document = {"scrubin_labels": 1, "vocabulary": "cholect50", "frames": SOURCE_S * SOURCE_FPS, "triplets": listed}
    labels = read(label_files.written(document), "case one")
    expected = {
        item["frame"] // SOURCE_FPS: sorted(f"{one['label']},{one['verb']},{one['target']}" for one in item["triplets"])
        for item in document["triplets"]
    }
    tables = tables_of(offset_s=Fraction(offset_s), seconds=10, source_s=SOURCE_S, fps=SOURCE_FPS)
    made = label_tables.tables([labels], label_tables.released(*tables), (), 1.0, Faults())
    is_labelled = set(made.labelled.loc[made.labelled["layer"] == "instances", "frame"])
    for frame in range(10):
        rows = made.triplets[made.triplets["frame"] == frame]
        found = sorted(CHOLECT50.triplet_name(int(id_)) for id_ in rows["triplet_id"].dropna())
        assert found == expected.get(offset_s + frame, []), (offset_s, frame)
        assert (frame in is_labelled) == (offset_s + frame in expected), (offset_s, frame)
