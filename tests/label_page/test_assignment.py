"""Who labels what: balanced, seeded, never taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from labelled_study import PARAMS
from scrubin.base.errors import ReviewError
from scrubin.curate.label import assignment

P = replace(PARAMS, overlap=0.3, seed=7)
DURATIONS = {f"recording {number}": 60.0 + 7 * (number % 11) for number in range(100)}


@each("overlap, several", [(0.0, 0), (0.3, 30), (1.0, 100)])
def test_as_many_recordings_are_labelled_by_several_as_the_overlap_says(overlap, several):
    drawn = assignment.draw(DURATIONS, [1, 2, 3, 4], {}, replace(P, overlap=overlap))
    assert set(drawn) == set(DURATIONS)
    assert sum(len(people) == 2 for people in drawn.values()) == several
    assert sum(len(people) == 1 for people in drawn.values()) == 100 - several


@given(people=st.integers(2, 8), seed=st.integers(0, 1000))
def test_everybody_gets_about_as_many_seconds_and_meets_everybody_else(people, seed):
    numbers = list(range(1, people + 1))
    drawn = assignment.draw(DURATIONS, numbers, {}, replace(P, overlap=1.0, seed=seed))
    load_s = {one: sum(DURATIONS[name] for name, of in drawn.items() if one in of) for one in numbers}
    assert max(load_s.values()) - min(load_s.values()) <= 2 * max(DURATIONS.values())
    met = {frozenset(of) for of in drawn.values()}
    assert len(met) == people * (people - 1) // 2


def test_all_means_everybody_and_more_than_there_are_means_all_of_them():
    for annotators in ("all", "9"):
        drawn = assignment.draw(DURATIONS, [1, 2, 3], {}, replace(P, annotators=annotators, overlap=1.0))
        assert set(drawn.values()) == {(1, 2, 3)}


def test_what_was_drawn_stays_and_new_recordings_go_to_those_who_have_least():
    before = assignment.draw(DURATIONS, [1, 2], {}, P)
    more = {**DURATIONS, "another": 50.0, "one more": 50.0}
    after = assignment.draw(more, [1, 2, 3], before, P)
    assert set(after) == {"another", "one more"}
    assert all(3 in people for people in after.values())


def test_the_same_seed_draws_the_same_and_another_one_something_else():
    assert assignment.draw(DURATIONS, [1, 2, 3], {}, P) == assignment.draw(dict(reversed(DURATIONS.items())), [3, 2, 1], {}, P)
    assert assignment.draw(DURATIONS, [1, 2, 3], {}, P) != assignment.draw(DURATIONS, [1, 2, 3], {}, replace(P, seed=8))


def test_nobody_can_be_assigned_when_there_is_nobody():
    with pytest.raises(ReviewError, match="nobody labels yet; add annotators by: scrubin label --add NAME"):
        assignment.draw(DURATIONS, [], {}, P)


def test_everybody_has_an_own_order_and_listed_means_as_it_is_listed():
    names = sorted(DURATIONS)
    orders = [assignment.in_order(names, annotator, P) for annotator in (1, 2)]
    assert orders[0] != orders[1] != names
    assert sorted(orders[0]) == sorted(orders[1]) == names
    assert assignment.in_order(names, 1, replace(P, order="listed")) == names


def test_letters_say_nothing_of_who_somebody_is():
    seen = {assignment.letters([1, 2], f"recording {number}", P)[1] for number in range(20)}
    assert seen == {"A", "B"}
