"""Frames that stand at the end of one file and at the beginning of the next are counted exactly, or none is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrubin.stages.ingest.seam import overlap

SIDE_PX = 32


def pictures(seed: int, count: int, noise: float = 0.0) -> np.ndarray:
    """Thumbnails of a camera that wanders, from the picture of this number on, coded with some noise."""
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(0, 255, (count, 8, 8)).cumsum(axis=0) % 256
    fine = np.kron(coarse, np.ones((4, 4))) + np.random.default_rng(seed + 1).normal(0, noise, (count, SIDE_PX, SIDE_PX))
    return np.stack([fine, 255 - fine, np.full_like(fine, 80)], axis=-1).astype(np.float32)


def sides(seed: int, before: int, doubled: int, after: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """What ends one file and begins the next, coded twice."""
    moving = pictures(seed, before + after)
    coded = [moving + np.random.default_rng(seed + n).normal(0, noise, moving.shape) for n in (1, 2)]
    return coded[0][: before + doubled].astype(np.float32), coded[1][before:].astype(np.float32)


overlaps = st.tuples(
    st.integers(0, 2**32 - 5), st.integers(1, 30), st.integers(0, 30), st.integers(0, 10), st.sampled_from((0.0, 1.0, 2.0))
)


@given(overlaps)
def test_planted_frames_are_counted_exactly(drawn):
    seed, before, doubled, more, noise = drawn
    ending, beginning = sides(seed, before, doubled, doubled + more + 1, noise)
    assert overlap(ending, beginning) == doubled


def test_a_picture_that_never_moves_is_not_dropped():
    still = np.full((50, SIDE_PX, SIDE_PX, 3), 90, dtype=np.float32)
    assert overlap(still, still) == 0


def test_pictures_that_differ_in_colour_alone_are_others():
    moving = pictures(5, 40)
    assert overlap(moving, np.roll(moving, 1, axis=-1)) == 0
