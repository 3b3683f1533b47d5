from __future__ import annotations

import itertools

import av
import numpy as np
import pytest
from av.video.reformatter import VideoReformatter
from hypothesis import given
from hypothesis import strategies as st

from scrubin.media.networks.faces import Face
from scrubin.stages.screen import face_looks
from scrubin.stages.screen.face_looks import Kept, Sighting, believed
from scrubin.stages.screen.pass_over_file import DecodedPicture

FPS = 25


def looking_at(levels: list[int], times_s=None) -> face_looks._Looking:
    """What has looked at plain grey frames of these levels."""
    frames = {level: av.VideoFrame.from_ndarray(np.full((36, 64, 3), level, np.uint8), format="rgb24") for level in set(levels)}
    looking = face_looks._Looking(np.arange(len(levels)) / FPS if times_s is None else times_s)
    for number, level in enumerate(levels):
        looking.see(number, DecodedPicture(frames[level], VideoReformatter()))
    return looking


@pytest.fixture
def faint(monkeypatch) -> dict[int, float]:
    """Confidences by the look, from 0, in which something like a face is seen."""
    seen: dict[int, float] = {}
    looks = itertools.count()

    def faces(*_) -> list[Face]:
        look = next(looks)
        return [Face((10, 10, 8, 8), seen[look])] if look in seen else []

    monkeypatch.setattr(face_looks, "faces", faces)
    return seen


@pytest.mark.slow
def test_a_look_is_taken_every_so_often_and_a_picture_kept_at_every_cut(faint):
    still = [90] * 130
    assert looking_at(still)._looked == [0, 30, 60, 90, 120]
    cut = looking_at([*still[:40], 200, *still[41:]])
    assert [one.number for one in cut._kept] == [40, 41]
    assert cut._looked == [0, 30, 60, 90, 120]


def test_after_something_like_a_face_the_next_look_comes_soon(faint):
    faint[1] = 0.3
    assert looking_at([90] * 101)._looked == [0, 30, 40, 70, 100]


def test_few_frames_a_second_are_not_all_looked_at(faint):
    assert looking_at([90] * 50, np.arange(50) * 1.0)._looked == [0, 20, 40]


@pytest.mark.slow
def test_a_face_is_believed_that_is_seen_again_and_again(faint):
    faint.update({1: 0.35, 2: 0.35, 3: 0.35, 9: 0.45})
    looks = face_looks.looks(looking_at([90] * 250).finish())
    assert [look.number for look in looks if look.faces] == []  # 0.8 s only, and then once
    faint.update({look: 0.35 for look in range(10, 30)})
    looks = face_looks.looks(looking_at([90] * 250).finish())
    assert len([look for look in looks if look.faces]) >= 4


@pytest.mark.slow
def test_a_restless_picture_leaves_enough_for_later_cuts(faint):
    drifting = [60 + abs(60 - n * 3 % 120) for n in range(1000)]
    looking = looking_at([*drifting, 220, *drifting[:20], 220, 220, *drifting[:20]])
    assert {1000, 1021} <= {one.number for one in looking._kept} | set(looking._looked)


@pytest.mark.slow
def test_flicker_does_not_keep_every_picture(faint):
    assert len(looking_at([60 + 120 * (n % 2) for n in range(400)])._kept) <= face_looks.PURSE + 400 / face_looks.FRAMES_PER_COIN


@pytest.mark.slow
def test_a_full_store_gives_up_the_pictures_that_look_like_endoscopy(monkeypatch, faint):
    flicker = [60 + 120 * (n % 2) for n in range(200)]
    most = len(looking_at(flicker)._kept)
    monkeypatch.setattr(face_looks, "MOST_BYTES", 4000)
    assert len(looking_at(flicker)._kept) < most
    pictures = [Kept(number, 50 if number % 30 == 7 else -60, b"") for number in range(300)]
    left = face_looks.thinned(pictures)
    assert len(left) == 150
    assert {one.number for one in pictures if one.log_odds > 0} <= {one.number for one in left}
    assert [one.number for one in left] == sorted(one.number for one in left)


@given(st.lists(st.integers(-80, 80), max_size=120), st.integers(1, 60))
def test_doubtful_pictures_are_looked_at_first_and_never_more_than_the_budget(log_odds, budget):
    pictures = [Kept(number, odds, b"") for number, odds in enumerate(log_odds)]
    chosen = face_looks.chosen(pictures, budget)
    assert len(chosen) <= min(budget, len(pictures))
    assert len({one.number for one in chosen}) == len(chosen)
    assert [one.number for one in chosen] == sorted(one.number for one in chosen)
    doubtful = {one.number for one in pictures if one.log_odds > face_looks.DOUBTFUL}
    picked = {one.number for one in chosen}
    assert doubtful <= picked or (len(picked & doubtful) == budget)


def test_pictures_without_doubt_get_a_part_of_what_the_others_leave():
    assert len(face_looks.chosen([Kept(number, -60, b"") for number in range(100)], 20)) == 5


def test_what_the_budget_pays_for_goes_to_doubt_first():
    pictures = [Kept(number, 30 if number % 5 == 0 else -60, b"") for number in range(200)]
    assert [one.number for one in face_looks.chosen(pictures, 40)] == list(range(0, 200, 5))
    # Of neighbours one comes first, so that looks are left for what comes later.
    assert [one.number for one in face_looks.chosen(pictures, 10)] == list(range(0, 150, 15))


TIMES_S = np.arange(1000) / 25
HERE = (40, 30, 20, 24)


def sightings(*numbers_and_confidences: tuple[int, float], box_xywh=HERE, doubted=False) -> list[Sighting]:
    return [Sighting(number, box_xywh, confidence, doubted) for number, confidence in numbers_and_confidences]


@pytest.mark.parametrize(
    ("confidence", "doubted", "is_face"), [(0.7, False, True), (0.65, False, False), (0.5, True, True), (0.45, True, False)]
)
def test_one_alone_must_be_sure_and_less_so_where_the_picture_is_doubted(confidence, doubted, is_face):
    one = sightings((100, confidence), doubted=doubted)
    assert believed(one, TIMES_S) == (one if is_face else [])


def test_what_is_seen_again_at_its_place_is_a_face():
    again = sightings((100, 0.35), (115, 0.3), (138, 0.35))
    assert believed(again, TIMES_S) == again


@pytest.mark.parametrize(
    "other",
    [
        sightings((126, 0.65), box_xywh=(80, 30, 20, 24)),
        sightings((126, 0.65), box_xywh=(30, 18, 40, 48)),
        sightings((151, 0.65)),
        sightings((130, 0.65)),
        sightings((100, 0.65)),
    ],
    ids=["elsewhere", "larger", "too late", "too soon", "in the same frame"],
)
def test_what_is_not_seen_again_at_its_place_for_long_enough_is_none(other):
    assert believed([*sightings((100, 0.65)), *other], TIMES_S) == []


def test_one_place_may_drift():
    drifting = [Sighting(100 + 13 * step, (40 + 2 * step, 30, 20, 24), 0.4, doubted=False) for step in range(5)]
    assert believed(drifting, TIMES_S) == drifting
