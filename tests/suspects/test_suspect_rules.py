"""Labels that contradict each other are found where they are; labels that do not are not suspected."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import drawn_course
from drawn_course import T50
from scrubin.labels.model import SOURCE_FRAMES, Clock, Labels, Layer, instance_rows, mark_rows, phase_rows
from scrubin.labels.suspects import rules

PHASE = {name: id_ for id_, name in enumerate(T50.phases)}


def of(phases=None, instances=None, marks=None, clock=None, positions=None):
    layers = {
        "phases": None if phases is None else Layer("a", np.array([at for at, _ in phases]), phase_rows(*zip(*phases, strict=True))),
        "marks": None if marks is None else Layer("a", np.array(sorted({at for at, *_ in marks})), mark_rows(marks)),
        "instances": None,
    }
    if instances is not None:
        at = sorted({one["position"] for one in instances}) if positions is None else positions
        layers["instances"] = Layer("a", np.array(at), instance_rows(instances))
    return Labels("VID01", "made", T50, clock or Clock(Fraction(1)), **layers)


def found(labels, fps=None):
    return [(*one.evidence, one.first, one.end, one.label, one.probable) for one in rules.suspects(labels, fps)]


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_labels_of_a_clean_drawn_study_break_no_rule(seed):
    assert not [one for labels in drawn_course.study(seed, 2) for one in rules.suspects(labels, None)]


def test_a_phase_of_few_frames_between_two_runs_of_another_one_is_a_flip_and_says_which_it_would_be():
    labels = of([(at, 3 if at in (4, 5) else 1) for at in range(10)])
    flip = ("flip", 4, 6, T50.phases[3], T50.phases[1])
    assert flip in found(labels)
    assert not [one for one in found(of([(at, 3 if 2 <= at < 7 else 1) for at in range(10)])) if one[0] == "flip"]


def test_a_phase_that_may_not_follow_is_named_at_its_first_frame_and_not_across_a_gap():
    assert ("transition", 3, 4, T50.phases[3], "") in found(of([(at, 1 if at < 3 else 3) for at in range(9)]))
    assert not found(of([(0, 1), (1, 1), (2, 1), (20, 3), (21, 3)]))


def test_a_phase_shorter_than_a_second_is_too_short_where_labels_are_dense_enough_to_tell():
    short = of([(at, 0 if at < 40 else 1 if at < 50 else 2) for at in range(90)], clock=SOURCE_FRAMES)
    assert ("short", 40, 50, T50.phases[1], "") in found(short, Fraction(25))
    assert not [one for one in found(short) if one[0] == "short"]


def test_a_frame_without_a_phase_between_two_of_the_same_is_named():
    hook = {"instrument_id": 2}
    labels = of([(0, 1), (1, 1), (3, 1)], [{"position": at, **hook} for at in range(4)])
    assert ("no-phase", 2, 3, "", T50.phases[1]) in found(labels)


def test_parts_that_make_no_triplet_and_a_triplet_that_is_not_its_parts_are_incompatible():
    clip, hook = T50.triplets[T50.triplet_of("clipper,clip,cystic_duct")], T50.triplet_of("hook,dissect,gallbladder")
    impossible = {"position": 0, "instrument_id": 4, "verb_id": 6, "target_id": 0}
    other = {"position": 1, **dict(zip(("instrument_id", "verb_id", "target_id"), clip, strict=True)), "triplet_id": hook}
    assert found(of(instances=[impossible, other])) == [
        ("incompatible", 0, 1, "clipper,aspirate,gallbladder", ""),
        ("incompatible", 1, 2, "hook,dissect,gallbladder", "clipper,clip,cystic_duct"),
    ]


@pytest.mark.parametrize(("gone", "is_found"), [((5,), True), ((5, 6), False), ((1,), False)])
def test_an_instrument_gone_for_one_frame_is_named_and_one_that_is_away_is_not(gone, is_found):
    labels = of(instances=[{"position": at, "instrument_id": 2} for at in range(12) if at not in gone], positions=list(range(12)))
    labels = replace(labels, detail="instrument")
    assert found(labels) == ([("gone", 5, 6, "", "hook")] if is_found else [])


def test_a_box_that_leaves_its_place_for_one_frame_jumps_and_one_that_moves_does_not():
    def boxes(lefts):
        rows = [{"position": at, "instrument_id": 2, "x": x, "y": 0.2, "w": 0.2, "h": 0.2} for at, x in enumerate(lefts)]
        return replace(of(instances=rows), detail="instrument")

    assert found(boxes([0.1, 0.1, 0.7, 0.12, 0.1])) == [("jump", 2, 3, "hook", "hook")]
    assert not found(boxes([0.1, 0.3, 0.5, 0.7, 0.7]))


def test_annotators_who_differ_are_named_most_where_they_are_split_evenly():
    def marks(votes):
        return [(at, "two structures", f"{rater}", float(vote)) for at, row in votes.items() for rater, vote in enumerate(row)]

    found = rules.suspects(of(marks=marks({0: (1, 1, 1, 1), 30: (1, 0, 0, 0), 60: (1, 0, 1, 0), 90: (1, 0, 1, 0)})), None)
    assert [(one.first, one.end, one.label) for one in found] == [(30, 31, "two structures"), (60, 91, "two structures")]
    assert found[0].probable == "no two structures"
    assert found[1].score > found[0].score
