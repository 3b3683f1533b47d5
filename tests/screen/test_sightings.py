from __future__ import annotations

import numpy as np
import pytest

from scrubin.stages.screen.face_looks import Sighting, believed

TIMES_S = np.arange(1000) / 25
HERE = (40, 30, 20, 24)


def seen(*numbers_and_confidences: tuple[int, float], box_xywh=HERE, doubted=False) -> list[Sighting]:
    return [Sighting(number, box_xywh, confidence, doubted) for number, confidence in numbers_and_confidences]


@pytest.mark.parametrize(
    ("confidence", "doubted", "is_face"), [(0.7, False, True), (0.65, False, False), (0.5, True, True), (0.45, True, False)]
)
def test_one_alone_must_be_sure_and_less_so_where_the_picture_is_doubted(confidence, doubted, is_face):
    one = seen((100, confidence), doubted=doubted)
    assert believed(one, TIMES_S) == (one if is_face else [])


def test_what_is_seen_again_at_its_place_is_a_face():
    again = seen((100, 0.35), (115, 0.3), (138, 0.35))
    assert believed(again, TIMES_S) == again


@pytest.mark.parametrize(
    "other",
    [
        seen((126, 0.65), box_xywh=(80, 30, 20, 24)),
        seen((126, 0.65), box_xywh=(30, 18, 40, 48)),
        seen((151, 0.65)),
        seen((130, 0.65)),
        seen((100, 0.65)),
    ],
    ids=["elsewhere", "larger", "too late", "too soon", "in the same frame"],
)
def test_what_is_not_seen_again_at_its_place_for_long_enough_is_none(other):
    assert believed([*seen((100, 0.65)), *other], TIMES_S) == []


def test_one_place_may_drift():
    drifting = [Sighting(100 + 13 * step, (40 + 2 * step, 30, 20, 24), 0.4, doubted=False) for step in range(5)]
    assert believed(drifting, TIMES_S) == drifting
