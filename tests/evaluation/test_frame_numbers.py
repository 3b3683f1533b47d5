"""Frame numbers of predictions against those of the labels: what is missing, further, shifted or at another rate."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrubin.evaluate import series


@given(st.sets(st.integers(0, 3000), min_size=30, max_size=120), st.integers(1, 30), st.sampled_from([-1, 1]))
def test_a_shift_of_sparse_frames_is_found_when_no_other_fits_better(frames, size, sign):
    expected = np.array(sorted(frames))
    given = expected + sign * size
    found = series.shift(given, expected)
    assert found is not None
    assert len(set((given - found).tolist()) & frames) == len(frames)


@given(st.integers(2, 500), st.integers(1, 40))
def test_frames_that_are_only_missing_are_no_shift(frames, missing):
    expected = np.arange(frames)
    assert series.shift(expected[: max(1, frames - missing)], expected) is None


def test_one_stray_frame_is_no_shift():
    expected = np.arange(100)
    assert series.shift(np.append(np.delete(expected, 50), 5000), expected) is None


def test_a_shift_is_found_although_frames_are_missing():
    assert series.shift(np.delete(np.arange(1, 101), [10, 40, 41]), np.arange(100)) == 1
