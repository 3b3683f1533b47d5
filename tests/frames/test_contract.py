from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.media.released.frame_files import source_frames

STEPS = st.lists(st.fractions(min_value=Fraction(1, 1000), max_value=3, max_denominator=1001), max_size=80)
RATES = st.fractions(min_value=Fraction(1, 10), max_value=30, max_denominator=1001)


def times(steps: list[Fraction]) -> list[Fraction]:
    found = [Fraction(0)]
    for step in steps:
        found.append(found[-1] + step)
    return found


@pytest.mark.slow
@given(steps=STEPS, fps=RATES)
def test_frame_k_is_the_first_frame_at_or_after_k_over_fps(steps, fps):
    times_s = times(steps)
    numbers = source_frames(times_s, fps)
    for k, number in enumerate(numbers):
        assert times_s[number] >= k / fps
        assert number == 0 or times_s[number - 1] < k / fps
    assert len(numbers) / fps > times_s[-1]


@pytest.mark.slow
def test_29_97_does_not_drift_in_an_hour():
    times_s = [Fraction(n * 1001, 30000) for n in range(107_893)]
    numbers = source_frames(times_s, Fraction(1))
    assert len(numbers) == 3600
    assert all(0 <= times_s[number] - k < Fraction(1001, 30000) for k, number in enumerate(numbers))
    assert numbers[:4] == [0, 30, 60, 90]
    assert numbers[1001] == 30 * 1001 - 30


def test_a_gap_repeats_what_a_viewer_sees_then():
    assert source_frames([Fraction(0), Fraction(1, 2), Fraction(7, 2)], Fraction(1)) == [0, 2, 2, 2]


def test_a_single_frame_and_no_frame():
    assert source_frames([Fraction(0)], Fraction(1)) == [0]
    assert source_frames([], Fraction(1)) == []


def test_255_frames_at_25_give_0_25_50_and_so_on():
    assert source_frames([Fraction(n, 25) for n in range(255)], Fraction(1)) == [n * 25 for n in range(11)]
