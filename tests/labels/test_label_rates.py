from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import AnnotationError
from scrubin.labels.model import SOURCE_FRAMES, Clock
from scrubin.labels.rates import CHOLEC80_FRAMES, CHOLEC80_PNG, MILLISECONDS, NONE, SECONDS, Numbering, of_clock, renumber

RATES = st.sampled_from([Fraction(1), Fraction(5), Fraction(25), Fraction(30), Fraction(30000, 1001), Fraction(1000), Fraction(1, 2)])
NUMBERS = st.lists(st.integers(0, 100_000), unique=True, max_size=50).map(sorted)


@pytest.mark.parametrize(
    ("numbers", "of", "to", "expected"),
    [
        ([0, 1, 24, 25, 49, 50], CHOLEC80_FRAMES, SECONDS, [0, NONE, NONE, 1, NONE, 2]),
        ([0, 1, 2], SECONDS, CHOLEC80_FRAMES, [0, 25, 50]),
        ([1, 2, 3], CHOLEC80_PNG, CHOLEC80_FRAMES, [0, 25, 50]),
        ([1, 2, 3], CHOLEC80_PNG, SECONDS, [0, 1, 2]),
        ([0, 40, 80, 1000], MILLISECONDS, CHOLEC80_FRAMES, [0, 1, 2, 25]),
        ([0, 999, 1000, 1999], MILLISECONDS, SECONDS, [0, NONE, 1, NONE]),
        ([12, 37, 62], CHOLEC80_FRAMES, SECONDS, [0, 1, 2]),  # what "fps=1" picks: the only label of its second counts
        ([0, 1, 2, 3, 4, 5, 6], Numbering(Fraction(30)), CHOLEC80_FRAMES, [0, NONE, 1, 2, 3, 4, 5]),
    ],
)
def test_the_rule_by_example(numbers, of, to, expected):
    assert renumber(np.array(numbers), of, to).tolist() == expected


@given(NUMBERS, RATES, RATES)
def test_each_number_is_given_once_and_in_order(numbers, of, to):
    found = renumber(np.array(numbers, np.int64), Numbering(of), Numbering(to))
    given_numbers = found[found != NONE]
    assert (np.diff(given_numbers) > 0).all()
    assert len(found) == len(numbers)


@given(NUMBERS, RATES, RATES)
def test_a_label_moves_by_less_than_a_period_of_the_coarser_way(numbers, of, to):
    for number, found in zip(numbers, renumber(np.array(numbers, np.int64), Numbering(of), Numbering(to)).tolist(), strict=True):
        if found != NONE:
            assert abs(Fraction(number) / of - Fraction(found) / to) < max(1 / of, 1 / to)


@given(NUMBERS, RATES, RATES)
def test_there_and_back_is_the_same_when_the_way_there_is_finer(numbers, of, to):
    slow, fast = sorted((of, to))
    there = renumber(np.array(numbers, np.int64), Numbering(slow), Numbering(fast))
    assert renumber(there, Numbering(fast), Numbering(slow)).tolist() == numbers


def test_numbers_before_the_first_are_a_shift():
    with pytest.raises(AnnotationError, match="number 0 is before the first one, 1; they look numbered from 0"):
        renumber(np.array([0, 1]), CHOLEC80_PNG, SECONDS)


def test_source_frames_need_their_rate():
    assert of_clock(Clock(Fraction(1, 25)), None) == CHOLEC80_FRAMES
    assert of_clock(SOURCE_FRAMES, Fraction(25)) == CHOLEC80_FRAMES
    with pytest.raises(AnnotationError, match="give the frames per second of the video"):
        of_clock(SOURCE_FRAMES, None)
