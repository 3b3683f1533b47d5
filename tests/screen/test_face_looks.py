from __future__ import annotations

import av
import numpy as np
import pytest
from av.video.reformatter import VideoReformatter
from hypothesis import given
from hypothesis import strategies as st

from scrubin.screen import face_looks
from scrubin.screen.decoded_picture import DecodedPicture
from scrubin.screen.face_looks import Kept

FPS = 25


def kept_of(levels: list[int], times_s=None) -> list[int]:
    """The frames of which a picture is kept, of plain grey ones of these levels."""
    frames = {level: av.VideoFrame.from_ndarray(np.full((36, 64, 3), level, np.uint8), format="rgb24") for level in set(levels)}
    looking = face_looks.OBSERVER.start(np.arange(len(levels)) / FPS if times_s is None else times_s)
    for number, level in enumerate(levels):
        looking.see(number, DecodedPicture(frames[level], VideoReformatter()))
    return [one.number for one in looking._kept]


@pytest.mark.slow
def test_a_picture_is_kept_every_two_seconds_and_at_every_cut():
    still = [90] * 125
    assert kept_of(still) == [0, 50, 100]
    assert kept_of([*still[:30], 200, *still[31:]]) == [0, 30, 31, 81]


@pytest.mark.slow
def test_a_restless_picture_leaves_enough_for_later_cuts():
    drifting = [60 + abs(60 - n * 3 % 120) for n in range(1000)]
    kept = kept_of([*drifting, 220, *drifting[:20], 220, 220, *drifting[:20]])
    assert {1000, 1021} <= set(kept)


@pytest.mark.slow
def test_flicker_does_not_keep_every_picture():
    assert len(kept_of([60 + 120 * (n % 2) for n in range(400)])) <= face_looks.PURSE + 400 / face_looks.FRAMES_PER_COIN + 9


@pytest.mark.slow
def test_a_full_store_gives_up_the_pictures_that_look_like_endoscopy(monkeypatch):
    monkeypatch.setattr(face_looks, "MOST_BYTES", 4000)
    assert len(kept_of([90] * 200, np.arange(200) * 2.0)) < 200
    pictures = [Kept(number, 50 if number % 30 == 7 else -60, b"") for number in range(300)]
    left = face_looks.thinned(pictures)
    assert len(left) == 150
    assert {one.number for one in pictures if one.log_odds > 0} <= {one.number for one in left}
    assert [one.number for one in left] == sorted(one.number for one in left)


@given(st.lists(st.integers(-80, 80), max_size=120), st.integers(1, 60))
def test_doubtful_pictures_are_looked_at_first_and_never_more_than_the_budget(log_odds, budget):
    pictures = [Kept(number, odds, b"") for number, odds in enumerate(log_odds)]
    chosen = face_looks.chosen(pictures, budget)
    assert len(chosen) == min(budget, len(pictures))
    assert len({one.number for one in chosen}) == len(chosen)
    assert [one.number for one in chosen] == sorted(one.number for one in chosen)
    doubtful = {one.number for one in pictures if one.log_odds > face_looks.DOUBTFUL}
    picked = {one.number for one in chosen}
    assert doubtful <= picked or (len(picked & doubtful) == budget)


@pytest.mark.parametrize("count", [100, 1000])
def test_pictures_without_doubt_are_looked_at_all_over_the_recording(count):
    numbers = [one.number for one in face_looks.chosen([Kept(number, -60, b"") for number in range(count)], 20)]
    assert numbers[-1] == count - 1
    assert max(np.diff(numbers)) <= count / 8


def test_what_the_budget_pays_for_goes_to_doubt_before_it_is_spread():
    pictures = [Kept(number, 30 if number % 5 == 0 else -60, b"") for number in range(200)]
    assert [one.number for one in face_looks.chosen(pictures, 40)] == list(range(0, 200, 5))
    # Of neighbours one comes first, so that looks are left for what comes later.
    assert [one.number for one in face_looks.chosen(pictures, 10)] == list(range(0, 150, 15))
