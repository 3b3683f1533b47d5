"""The trim at the end of a recording: keyed, even, the same for both cameras, never too much."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.stages import pseudonymize
from scrubin.stages.render.plan import DRAWS, plan, trim_s, trimmed_end_s

KEY = bytes(range(32))
RATES = st.sampled_from([Fraction(20), Fraction(25), Fraction(30000, 1001), Fraction(4)])
LENGTHS = st.floats(min_value=0.01, max_value=4000)
DRAW = st.integers(min_value=0, max_value=DRAWS - 1)


@given(
    start_s=st.floats(min_value=0, max_value=1000), length_s=LENGTHS, fps=RATES, draw=DRAW, jitter_s=st.floats(min_value=0, max_value=600)
)
def test_a_trim_is_whole_frames_of_at_most_so_many_seconds_and_leaves_half_and_two_frames(start_s, length_s, fps, draw, jitter_s):
    interval_s = (start_s, start_s + length_s)
    trimmed_s = trim_s(interval_s, fps, draw, jitter_s)
    exact_s = Fraction(interval_s[1]) - Fraction(interval_s[0])
    slack_s = Fraction(1, 10**6)
    assert (trimmed_s * fps).denominator == 1
    assert 0 <= trimmed_s <= jitter_s + slack_s
    assert trimmed_s == 0 or (trimmed_s <= exact_s / 2 + slack_s and exact_s - trimmed_s >= 2 / fps - slack_s)


@given(count=st.integers(min_value=1, max_value=40), draw=DRAW, jitter_s=st.floats(min_value=0, max_value=10), start=st.integers(0, 39))
def test_a_recording_keeps_a_frame_however_short_it_is(count, draw, jitter_s, start):
    """Planned with the trimmed end, as the stage does it; the kept interval starts anywhere."""
    pts, fps = range(0, count * 50, 50), Fraction(20)
    start_s = min(start, count - 1) / 20
    end_s = trimmed_end_s((start_s, count / 20), fps, draw, jitter_s)
    planned = plan(pts, Fraction(1, 1000), Fraction(count, 20), (start_s, end_s), [], (16, 16))
    whole = plan(pts, Fraction(1, 1000), Fraction(count, 20), (start_s, count / 20), [], (16, 16))
    assert 1 <= planned.frame_count <= whole.frame_count
    assert whole.frame_count - planned.frame_count == trim_s((start_s, count / 20), fps, draw, jitter_s) * fps


def test_off_changes_nothing_to_the_last_bit():
    assert trimmed_end_s((0.1, 0.1 + 0.2), Fraction(25), DRAWS - 1, 0.0) == 0.1 + 0.2


def test_every_number_of_frames_is_drawn_about_as_often():
    trims = Counter(trim_s((0.0, 60.0), Fraction(20), pseudonymize.draw(f"recording {k}", KEY), 0.5) for k in range(4000))
    assert sorted(trims) == [Fraction(k, 20) for k in range(11)]
    assert all(280 < count < 450 for count in trims.values())  # 364 expected, sd 18


def test_the_largest_draw_trims_the_most():
    assert trim_s((0.0, 60.0), Fraction(20), DRAWS - 1, 3.0) == 3
    assert trim_s((0.0, 4.0), Fraction(20), DRAWS - 1, 3.0) == 2  # half of the interval
    assert trim_s((0.0, 0.1), Fraction(20), DRAWS - 1, 3.0) == 0


@pytest.mark.parametrize(("draw", "jitter_s", "fps"), [(-1, 1.0, 25), (DRAWS, 1.0, 25), (0, -1.0, 25), (0, 1.0, 0)])
def test_values_out_of_range_are_refused(draw, jitter_s, fps):
    with pytest.raises(ValueError, match=r"expected a draw from 0 to 2\^63 - 1"):
        trim_s((0.0, 1.0), Fraction(fps), draw, jitter_s)
