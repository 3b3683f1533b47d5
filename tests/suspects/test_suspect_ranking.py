"""What is planted in labels is ranked first; the order is the same each time; what cannot be asked is said."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import drawn_course
from drawn_course import T50, USUAL
from scrubin.labels.suspects import other_recordings, ranking
from scrubin.labels.suspects.sequence import of_labels
from scrubin.labels.suspects.suspect import Suspect, ranked

SECOND = 30
"""In the second phase of every drawn operation, away from its edges."""


def one(**more):
    return Suspect(
        **{**dict.fromkeys(("label", "probable", "says"), "x"), "recording": "a", "layer": "phases", "first": 0, "end": 2} | more
    )


def second_in(labels, phase):
    """A second well inside the first run of a phase."""
    rows = labels.phases.rows
    return int(rows.loc[rows["phase_id"] == phase, "position"].min()) + 5


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, 10**6), st.integers(0, 4), st.sampled_from([0, 1, 3, 4, 6]), st.sampled_from(range(7)))
def test_a_phase_swapped_in_one_frame_is_first_and_names_what_it_was(seed, which, phase, other):
    study = drawn_course.study(seed)
    if phase == other:
        return
    at = second_in(study[which], phase)
    study[which] = drawn_course.with_phase(study[which], at, other)
    first = ranking.rank(study).suspects[0]
    assert (first.recording, first.layer, first.first, first.end) == (study[which].recording, "phases", at, at + 1)
    assert (first.label, first.probable) == (T50.phases[other], T50.phases[phase])
    assert first.time_s == at


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, 10**6), st.integers(0, 4), st.sampled_from([1, 3, 5]))
def test_a_triplet_swapped_or_gone_in_one_frame_is_first_and_names_what_it_was(seed, which, phase):
    study = drawn_course.study(seed)
    at, true = second_in(study[which], phase), USUAL[phase][0]
    for wrong in ({USUAL[6][0]}, set()):
        changed = [drawn_course.with_triplets(labels, at, wrong) if rank == which else labels for rank, labels in enumerate(study)]
        first = ranking.rank(changed).suspects[0]
        assert (first.recording, first.layer, first.first) == (study[which].recording, "triplets", at)
        assert first.probable == T50.triplet_name(true)
        assert first.label == (T50.triplet_name(USUAL[6][0]) if wrong else "")


def test_a_triplet_that_other_recordings_have_in_another_phase_is_found_though_its_neighbours_have_it_too():
    study = drawn_course.study(1)
    begins = second_in(study[0], 3)
    for at in range(begins, begins + 5):
        study[0] = drawn_course.with_triplets(study[0], at, {T50.triplet_of("grasper,grasp,specimen_bag")})
    first = ranking.rank(study).suspects[0]
    assert (first.recording, first.layer) == ("VID01", "triplets")
    assert begins <= first.first < first.end <= begins + 5


@pytest.mark.slow
@given(st.integers(0, 10**6))
@settings(max_examples=5)
def test_the_order_does_not_depend_on_the_order_of_recordings(seed):
    study = [drawn_course.with_phase(labels, SECOND, 6) for labels in drawn_course.study(seed, 3)]
    before = ranking.rank(study)
    random.Random(seed).shuffle(study)
    assert ranking.rank(study) == before
    scores = [suspect.score for suspect in before.suspects]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_labels_are_as_they_were_after_they_were_ranked():
    study = drawn_course.study(3)
    before = [(labels.phases.rows.copy(), labels.instances.rows.copy()) for labels in study]
    ranking.rank(study)
    for labels, (phases, instances) in zip(study, before, strict=True):
        assert labels.phases.rows.equals(phases)
        assert labels.instances.rows.equals(instances)


def test_of_one_recording_alone_only_its_contradictions_are_named_and_it_is_said_why():
    alone = [drawn_course.with_phase(drawn_course.study(0)[0], SECOND, 6)]
    found = ranking.rank(alone)
    assert found.notes == ("VID01 is the only recording of 'cholect50': no other one can say what is unusual in it",)
    assert {name for suspect in found.suspects for name in suspect.evidence} == {"flip", "transition"}


def test_a_recording_of_instruments_alone_among_others_of_triplets_is_not_called_the_only_one():
    study = drawn_course.study(0)
    rows = study[0].instances.rows
    bare = rows.assign(triplet_id=np.nan, verb_id=np.nan, target_id=np.nan)
    study[0] = replace(study[0], instances=replace(study[0].instances, rows=bare))
    (note,) = ranking.rank(study).notes
    assert note.startswith("VID01 is the only recording of 'cholect50' with instruments without verbs and targets: ")


@pytest.mark.parametrize("kind", ["phases", "classes"])
def test_a_recording_is_judged_by_the_others_alone(kind):
    study = drawn_course.study(5, 3)
    sequences = [of_labels(labels, None) for labels in study]
    phases = [np.eye(7)[one.phases] for one in sequences]
    counts = [
        other_recordings.phase_counts(one, 7) if kind == "phases" else other_recordings.class_counts(one, of)
        for one, of in zip(sequences, phases, strict=True)
    ]
    without = (counts[0] + counts[1] + counts[2]) - counts[0]
    others = counts[1] + counts[2]
    judge = (
        (lambda by: other_recordings.phase_posteriors(sequences[0], by, T50))
        if kind == "phases"
        else (lambda by: other_recordings.class_posteriors(sequences[0], phases[0], by))
    )
    assert np.allclose(judge(without), judge(others))


def test_the_model_of_phases_is_the_sum_over_all_courses():
    sequence = of_labels(drawn_course.labels("a", {0: 0, 1: 1, 2: 1, 4: 0}, {}), None, "ivt")
    others = other_recordings.phase_counts(of_labels(drawn_course.study(0)[0], None), 7)
    rates, jumps = other_recordings._transitions(others, T50)
    weights = np.exp(other_recordings._emissions(sequence, others))
    steps = [other_recordings._step(rates, jumps, gap) for gap in (1.0, 1.0, 2.0)]
    sums = np.zeros((4, 7))
    for states in np.ndindex(7, 7, 7, 7):
        way = np.prod([weights[at, state] for at, state in enumerate(states)])
        way *= np.prod([steps[at][states[at], states[at + 1]] for at in range(3)])
        for at, state in enumerate(states):
            sums[at, state] += way
    assert np.allclose(other_recordings.phase_posteriors(sequence, others, T50), sums / sums.sum(axis=1, keepdims=True))


def test_the_chain_of_a_class_is_the_sum_over_all_courses():
    rng = np.random.default_rng(0)
    there, gone, usual, kept = (rng.uniform(0.05, 0.95, (4, 1)) for _ in range(4))
    sums = np.zeros((4, 2))
    for states in np.ndindex(2, 2, 2, 2):
        way = 1.0
        for at, state in enumerate(states):
            fresh = usual[at, 0] if state else 1 - usual[at, 0]
            way *= (there if state else gone)[at, 0]
            way *= fresh if at == 0 else kept[at, 0] * (state == states[at - 1]) + (1 - kept[at, 0]) * fresh
        for at, state in enumerate(states):
            sums[at, state] += way
    assert np.allclose(other_recordings._smoothed_classes(there, gone, usual, kept)[:, 0], sums[:, 1] / sums.sum(axis=1))


def test_recordings_with_phases_alone_are_compared_with_those_that_have_triplets_too():
    study = drawn_course.study(2)
    at = second_in(study[0], 3)
    study[0] = drawn_course.with_phase(replace(study[0], instances=None), at, 5)
    found = ranking.rank(study)
    assert found.notes == ()
    assert (found.suspects[0].recording, found.suspects[0].first) == ("VID01", at)


def test_two_reasons_for_one_place_are_one_suspect_and_count_more_than_either():
    flip, sequence = one(score=0.5, evidence=("flip",)), one(score=0.6, evidence=("sequence",), end=3)
    elsewhere = one(score=0.1, evidence=("sequence",), first=50, end=51)
    assert [(of.score, of.evidence, of.end) for of in ranked([elsewhere, flip, sequence])] == [
        (0.8, ("flip", "sequence"), 3),
        (0.1, ("sequence",), 51),
    ]


def test_what_expects_different_labels_stays_apart():
    assert len(ranked([one(score=0.5, evidence=("flip",), probable="y"), one(score=0.6, evidence=("sequence",))])) == 2
