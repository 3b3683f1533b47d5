from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from label_examples import read_files
from scrubin.base.errors import AnnotationError
from scrubin.labels.model import SOURCE_FRAMES, Clock
from scrubin.labels.rates import CHOLEC80_FRAMES, CHOLEC80_PNG, MILLISECONDS, NONE, SECONDS, Numbering, frames_at, of_clock, renumber
from scrubin.labels.registry import WRITERS
from scrubin.labels.timing import retimed

RATES = st.sampled_from([Fraction(1), Fraction(5), Fraction(25), Fraction(30), Fraction(30000, 1001), Fraction(1000), Fraction(1, 2)])
NUMBERS = st.lists(st.integers(0, 100_000), unique=True, max_size=50).map(sorted)
VIDEO_RATES = st.sampled_from([Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction(30), Fraction(50), Fraction(60000, 1001)])
SPARSE = st.lists(st.integers(0, 200_000), unique=True, min_size=1, max_size=12).map(sorted)
DENSE = st.tuples(st.integers(0, 5_000), st.integers(1, 120)).map(lambda one: list(range(one[0], one[0] + one[1])))


def table_of_times(frames, fps, decimals, rounded=round):
    rows = (f"{float(rounded(Fraction(frame) / fps, decimals)):.{decimals}f},{at % 7}\n" for at, frame in enumerate(frames))
    return read_files("phase-tables", {"d/v.csv": ("time_s,phase_id\n" + "".join(rows)).encode()}).recordings[0]


def at_rate(labels, fps, name="tables"):
    losses = Counter()
    rows = retimed(labels, WRITERS[name], None, fps, losses).phases.rows
    return rows["position"].tolist(), rows["phase_id"].tolist(), losses


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


@given(st.one_of(SPARSE, DENSE), VIDEO_RATES, st.sampled_from([2, 3]))
@example([1, 4, 7], Fraction(30), 3)
@example([902, 911], Fraction(30000, 1001), 2)
def test_a_rounded_time_is_the_frame_that_it_was_rounded_from(frames, fps, decimals):
    found = at_rate(table_of_times(frames, fps, decimals), fps)
    assert found == (frames, [at % 7 for at in range(len(frames))], Counter())


@given(DENSE, VIDEO_RATES)
def test_a_time_whose_decimals_are_cut_off_is_its_frame(frames, fps):
    found = at_rate(table_of_times(frames, fps, 3, lambda at, digits: Fraction(at * 10**digits // 1, 10**digits)), fps)
    assert found == (frames, [at % 7 for at in range(len(frames))], Counter())


@given(DENSE, st.sampled_from([Fraction(24), Fraction(30), Fraction(60000, 1001)]))
def test_rounded_times_are_taken_like_their_frames_at_half_the_rate(frames, fps):
    assume(len(frames) > 2)
    exact = renumber(np.array(frames, np.int64), Numbering(fps), Numbering(fps / 2))
    assert at_rate(table_of_times(frames, fps, 3), fps / 2)[0] == exact[exact != NONE].tolist()


def test_decimals_that_do_not_tell_frames_apart_say_no_frame():
    tenths = Numbering(Fraction(10), rounded_s=Fraction(1, 10))
    assert frames_at(np.arange(4), tenths, Numbering(Fraction(25))) is None
    assert renumber(np.arange(4), tenths, Numbering(Fraction(25))).tolist() == [0, 3, 5, 8]
    assert renumber(np.array([29, 30]), Numbering(Fraction(1), rounded_s=Fraction(1)), Numbering(Fraction(30000, 1001))).tolist() == [
        870,
        900,
    ]


def test_exact_times_at_another_rate_follow_the_rule_to_the_frame():
    exact = table_of_times(list(range(60)), Fraction(25), 2)
    wanted = renumber(np.arange(60), CHOLEC80_FRAMES, Numbering(Fraction(24)))
    assert at_rate(exact, Fraction(24))[0] == wanted[wanted != NONE].tolist()
