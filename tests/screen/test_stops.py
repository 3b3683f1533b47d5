from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.stages.screen.unlikeness import stops

FPS = 25


def film(*scenes):
    """Histograms and times of scenes: which picture, and for how many frames; a picture is one cell of each group."""
    rng = np.random.default_rng(3)
    rows = []
    for picture, frames in scenes:
        row = np.zeros(88)
        row[[picture, 64 + picture, 80 + picture % 8]] = 900
        rows += [row + rng.integers(0, 4, 88) for _ in range(frames)]
    return np.array(rows).astype(np.uint16), np.arange(len(rows)) / FPS


def of(*scenes):
    histograms, times_s = film(*scenes)
    return [(one.frame, one.kind) for one in stops(histograms, times_s)]


def test_every_scene_has_a_still_and_one_that_comes_again_soon_needs_no_second():
    found = of((1, 100), (2, 100), (1, 100))
    assert [kind for _, kind in found] == ["scene", "scene"]
    assert 0 <= found[0][0] < 100 <= found[1][0] < 200


def test_a_long_scene_has_one_every_five_minutes():
    assert len(of((1, 11 * 60 * FPS))) == 3


@pytest.mark.parametrize(("first", "frames", "kinds"), [(130, 15, ["scene", "jump"]), (120, 15, ["scene"]), (130, 1, ["scene", "jump"])])
def test_what_lies_between_two_jumps_and_has_no_still_of_its_second_gets_one(first, frames, kinds):
    found = of((1, first), (2, frames), (1, 200))
    assert [kind for _, kind in found] == kinds
    if "jump" in kinds:
        (frame,) = [frame for frame, kind in found if kind == "jump"]
        assert first <= frame < first + frames


def faded(first, shares):
    """A scene, and a picture that fades in and out over it: of each frame from ``first`` on, how much of it is there."""
    (own, times_s), (other, _) = film((1, 400)), film((2, 400))
    histograms = own.astype(float)
    for number, share in enumerate(shares):
        histograms[first + number] = (1 - share) * own[first + number] + share * other[first + number]
    return histograms.astype(np.uint16), times_s


@pytest.mark.slow
@given(first=st.integers(26, 300), rise=st.integers(1, 8), stay=st.integers(1, 12), fall=st.integers(1, 8))
def test_what_comes_and_goes_is_on_the_screen_however_it_comes(first, rise, stay, fall):
    shares = [*np.linspace(0, 1, rise, endpoint=False), *[1.0] * stay, *np.linspace(1, 0, fall, endpoint=False)]
    histograms, times_s = faded(first, shares)
    shown = {*range(0, 400, FPS), *(one.frame for one in stops(histograms, times_s))}
    assert shown & {first + number for number, share in enumerate(shares) if share > 0.3}


def test_a_restless_scene_does_not_make_every_second_a_stop():
    rng = np.random.default_rng(5)
    histograms, times_s = film((1, 1000))
    # Each frame has some of another picture: stills and what lies between them are unlike each other alike.
    for number, share in enumerate(np.repeat(rng.uniform(0, 1, 200), 5)):
        histograms[number, 2] += int(share * 900)
        histograms[number, 66] += int(share * 900)
    assert [one.kind for one in stops(histograms, times_s)].count("jump") <= 8


def test_a_film_of_one_frame_and_one_of_none_are_no_trouble():
    assert [kind for _, kind in of((1, 1))] == ["scene"]
    assert of() == []
