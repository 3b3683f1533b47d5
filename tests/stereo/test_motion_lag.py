"""The lag between both cameras, from paths of points that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from scrubin.stages.stereo.motion_lag import motion_lag
from scrubin.stages.stereo.samples import Tracks

FRAMES, POINTS = 32, 60


def wandering(seed=3):
    """A hand that holds the cameras: its place at a time, in frames."""
    rng = np.random.default_rng(seed)
    rates, phases = rng.uniform(0.05, 0.4, (5, 2)), rng.uniform(0, 6, (5, 2))
    return lambda t: 4 * np.sin(np.multiply.outer(t, rates) + phases).sum(axis=-2)


def paths(place, start=0.0, late=0.0, noise_px=0.1, roll=0.0, frames=FRAMES):
    """Points of a scene before cameras whose place at a time is given; ``roll`` tilts the right camera."""
    rng = np.random.default_rng([int(start), 7])
    points = rng.uniform([0, 0], [320, 180], (POINTS, 2))
    disparity = rng.uniform(5, 20, (POINTS, 1))
    times = start + np.arange(frames)
    left = points[:, None] + place(times)
    right = points[:, None] + place(times - late)
    right[..., 1] += roll * right[..., 0] + 0.3
    right[..., 0] -= disparity
    return Tracks(*(one + rng.normal(0, noise_px, one.shape) for one in (left, right)))


def still(times):
    return np.zeros((len(times), 2))


def moving_down(rows):
    """A place that changes in rows only."""
    return lambda t: np.stack([np.zeros(len(t)), rows(t)], axis=-1)


@pytest.mark.parametrize("late", [-12.0, -1.0, 0.5, 1.0, 4.0, 12.0])
def test_cameras_out_of_step_are_proven_to_be_so_whatever_the_lag(late):
    found = motion_lag([paths(wandering(), start, late) for start in (0, 200, 400)])
    assert found.is_late
    assert found.frames == pytest.approx(late, abs=0.1)
    assert found.why == ""


def test_cameras_in_step_are_not_accused_though_the_right_one_is_tilted_by_a_degree_the_rig_does_not_know_of():
    for seed in range(8):
        found = motion_lag([paths(wandering(seed), start, roll=np.tan(np.radians(0.6)), noise_px=0.3) for start in (0, 200)])
        assert not found.is_late
        assert found.why or abs(found.frames) < 0.25


@pytest.mark.parametrize(
    ("place", "frames", "why"),
    [
        (still, FRAMES, "too little moves up and down"),
        (lambda t: np.stack([3.0 * np.sin(t / 5), np.zeros(len(t))], axis=-1), FRAMES, "too little moves up and down"),
        (moving_down(lambda t: 0.7 * t), FRAMES, "too little moves up and down, or too evenly"),
        (moving_down(lambda t: 4 * np.sin(2 * np.pi * t / 8)), FRAMES, "what moves repeats itself"),
        (wandering(), 16, "there are too few consecutive frames"),
    ],
)
@pytest.mark.parametrize("late", [0.0, 3.0])
def test_what_pictures_do_not_say_is_not_said_and_the_reason_is(place, frames, why, late):
    found = motion_lag([paths(place, start, late, frames=frames) for start in (0, 200, 400)])
    assert not found.is_late
    assert np.isnan(found.frames)
    assert found.why == why


def test_a_lag_that_grows_through_the_recording_is_told_from_one_that_stays():
    found = motion_lag([paths(wandering(), start, late) for start, late in ((0, 0.0), (200, 2.0), (400, 4.0))])
    assert found.is_late
    assert found.change == pytest.approx((0.0, 4.0), abs=0.2)
    contradicting = motion_lag([paths(wandering(), start, late) for start, late in ((0, 3.0), (200, -4.0), (400, 5.0))])
    assert contradicting.why == "its parts contradict one another"


def test_one_stretch_in_which_cameras_differ_is_no_proof_against_two_in_which_they_do_not():
    found = motion_lag([paths(wandering(), start, late) for start, late in ((0, 0.0), (200, 0.0), (400, 3.0))])
    assert not found.is_late


def test_an_instrument_that_moves_over_still_tissue_says_whether_cameras_are_in_step():
    for late in (0.0, 2.0):
        stretches = []
        for start in (0, 200, 400):
            tissue, tool = paths(still, start), paths(wandering(), start + 1, late)
            stretches.append(Tracks(np.concatenate([tissue.left, tool.left[:12]]), np.concatenate([tissue.right, tool.right[:12]])))
        found = motion_lag(stretches)
        assert found.is_late == (late > 0)
        assert found.frames == pytest.approx(late, abs=0.15)
