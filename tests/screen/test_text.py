from __future__ import annotations

import logging

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from screen_params import SCREEN
from scrubin.networks import reading
from scrubin.networks.reading import Reading
from scrubin.screen.detectors import text
from scrubin.screen.detectors.detector import ObservedFile
from scrubin.screen.pass_over_file import Observed, observe
from scrubin.screen.places import COMPOSITE, Place, covering, places
from scrubin.screen.places import Sighting as Sighting

FPS = 25
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)


def written(pictures, words, *, height_px=16, opacity=1.0, colour=(255, 255, 255), font=cv2.FONT_HERSHEY_SIMPLEX, at=(12, 28)):
    """The pictures with text burned in; ``words`` may hold {n}, the number of the picture."""
    scale = cv2.getFontScaleFromHeight(font, height_px, 1)
    shown = []
    for n, picture in enumerate(pictures):
        marked = cv2.putText(picture.copy(), words.format(n=n), at, font, scale, colour, max(1, height_px // 12), cv2.LINE_AA)
        shown.append(cv2.addWeighted(marked, opacity, picture, 1 - opacity, 0))
    return shown


def proposals(path, count, size=(320, 136)):
    times_s = np.arange(count + 1) / FPS
    return text.propose(ObservedFile(times_s, size, observe(path, path.name, [text.observer(SCREEN)], times_s[:-1])), SCREEN)


@pytest.fixture(scope="module")
def bikes():
    return clips.pictures(clips.REAL["bikes"], (320, 136))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"height_px": 10}, "Brenner 4711"),
        ({"height_px": 16, "opacity": 0.6, "font": FONTS[1]}, "Brenner 4711"),
        ({"height_px": 24, "colour": (255, 255, 0), "font": FONTS[2], "at": (12, 120)}, "Brenner 4711"),
        ({"height_px": 12}, "Brenner 10:20:{n:02d}"),
    ],
)
def test_burned_in_text_of_several_kinds_is_found_in_a_moving_scene(tmp_path, bikes, more, words):
    path = clips.film(tmp_path / "a.mkv", written(bikes, words, **more), FPS)
    (found,) = proposals(path, len(bikes))
    assert (found.kind, found.source, found.interval_s) == ("text", "text", (0.0, 10.0))
    assert "Brenner" in found.text
    assert found.score > 0.6
    x, y, w, h = found.box_xywh
    baseline = more.get("at", (12, 28))[1]
    assert x <= 12
    assert y <= baseline - more["height_px"]
    assert y + h >= baseline
    assert 3 <= h / more["height_px"] + 1 <= 6
    assert all(side % 8 == 0 for side in (x, y, w)), found.box_xywh


@pytest.mark.parametrize(
    ("name", "count", "size"), [("bikes", 250, (640, 272)), ("bigbuckbunny", 132, (1280, 720)), ("carphone_pristine", 120, (176, 144))]
)
def test_pictures_without_burned_in_text_are_left_alone(name, count, size):
    assert proposals(clips.REAL[name], count, size) == []


def test_text_that_moves_with_the_scene_is_no_burned_in_text(tmp_path, bikes):
    moving = [written([picture], "TAXI 4711", at=(n % 137, 30 + n % 83))[0] for n, picture in enumerate(bikes)]
    assert proposals(clips.film(tmp_path / "a.mkv", moving, FPS), len(bikes)) == []


def test_text_of_a_part_of_the_recording_is_hidden_between_the_moments_without_it(tmp_path, bikes):
    long = [*bikes, *bikes, *bikes, *bikes]
    shown = [*bikes, *written(long[:250], "Brenner 4711"), *bikes, *bikes]
    (found,) = proposals(clips.film(tmp_path / "a.mkv", shown, FPS, preset="ultrafast"), 1000)
    # Looked for at 5, 15, 25 and 35 s; there from 10 to 20 s.
    assert found.interval_s == pytest.approx((4.995 + 0.005, 24.975 + 0.025), abs=0.05)


def test_text_in_a_recording_that_is_displayed_rotated_is_found_where_it_is_displayed(tmp_path, bikes):
    clips.film(tmp_path / "flat.mp4", [np.rot90(picture).copy() for picture in written(bikes[:60], "Brenner 4711")], FPS)
    clips.ffmpeg("-display_rotation", "-90", "-i", tmp_path / "flat.mp4", "-c", "copy", tmp_path / "a.mp4")
    (found,) = proposals(tmp_path / "a.mp4", 60)
    assert "Brenner" in found.text
    assert found.box_xywh[1] <= 12
    assert found.box_xywh[1] + found.box_xywh[3] <= 48


def test_the_reader_says_and_downloads_nothing(bikes, capfd, caplog, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it wants the network"))
    reading._reader.cache_clear()
    with caplog.at_level(logging.DEBUG):
        found = reading.read(written(bikes[:1], "Brenner 4711")[0])
    assert "Brenner 4711" in [one.text for one in found]
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.name.startswith("Rapid")]
    assert reading._reader() is reading._reader()


def seen_of(*readings: tuple[int, int, tuple[int, int, int, int], str, float]) -> ObservedFile:
    listed = [{"moment": m, "picture": p, "box": box, "text": words, "confidence": sure} for m, p, box, words, sure in readings]
    value = {"moments": [(50, 75), (150, 175), (250, 275), (350, 375)], "size_px": (320, 180), "readings": listed}
    return ObservedFile(np.arange(401) / FPS, (640, 360), {"text": Observed({}, value)})


LINE = (10, 20, 100, 12)


def test_a_rectangle_is_given_in_pixels_of_the_video_with_a_margin_on_a_grid():
    (found,) = text.propose(seen_of((1, 0, LINE, "Brenner", 0.9), (1, 1, (12, 20, 100, 12), "Brenner 1", 0.8)), SCREEN)
    assert found.box_xywh == (8, 32, 224, 40)
    assert (found.text, found.score, found.interval_s) == ("Brenner", 0.7, (2.0, 10.0))


@pytest.mark.parametrize(
    "readings",
    [
        [(1, 0, LINE, "Brenner", 0.99)],  # one picture only
        [(1, 0, LINE, "A", 0.99), (1, 1, LINE, "A", 0.99)],  # one letter
        [(1, 0, LINE, "-- .", 0.99), (1, 1, LINE, "-- .", 0.99)],  # none
        [(1, 0, LINE, "Brenner", 0.99), (1, 1, (10, 60, 100, 12), "Brenner", 0.99)],  # it moved
    ],
)
def test_what_does_not_persist_is_not_proposed(readings):
    assert text.propose(seen_of(*readings), SCREEN) == []


def test_what_the_composite_shows_holds_for_the_whole_recording():
    (found,) = text.propose(seen_of((COMPOSITE, 0, LINE, "Brenner", 0.9)), SCREEN)
    assert found.interval_s == (0.0, 16.0)


def test_a_doubtful_reading_gets_a_low_score():
    (found,) = text.propose(seen_of((1, 0, LINE, "8renn", 0.55), (1, 1, LINE, "Bre:n", 0.6)), SCREEN)
    assert found.score == pytest.approx(0.15)


@given(length=st.floats(min_value=0.1, max_value=20_000), every_s=st.sampled_from([10, 45, 300]))
def test_text_is_looked_for_evenly_and_at_least_as_often_as_asked(length, every_s):
    times_s = np.linspace(0, length, 2000)
    moments = text.moments(times_s, every_s)
    firsts = [times_s[first] for first, _ in moments]
    assert len(moments) >= (4 if length >= 30 else 2) or length < 0.5
    assert all(again >= first for first, again in moments)
    assert max(np.diff([0, *firsts, length])) <= max(every_s, length / 2) + length / 500


def test_a_file_without_frames_has_no_moments():
    assert text.moments(np.zeros(0), 45) == []


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 200), st.integers(1, 150), st.integers(1, 40)), min_size=1, max_size=12))
def test_places_never_share_half_of_the_smaller_one_and_hold_all_their_readings(boxes):
    sightings = [Sighting(n % 4, n % 2, Reading(box, "AB", 0.9)) for n, box in enumerate(boxes)]
    found = places(sightings)
    for place in found:
        x, y, w, h = place.box_xywh
        for one in place.readings:
            a, b, c, d = one.reading.box_xywh
            assert x <= a
            assert y <= b
            assert a + c <= x + w
            assert b + d <= y + h


@given(
    box=st.tuples(st.integers(0, 300), st.integers(0, 160), st.integers(1, 150), st.integers(1, 40)),
    scale=st.sampled_from([0.5, 1.0, 1.5]),
)
def test_the_rectangle_to_hide_covers_the_text_and_stays_inside_the_picture(box, scale):
    size = (round(450 * scale), round(200 * scale))
    x, y, w, h = covering(box, (scale, scale), size)
    assert x <= box[0] * scale
    assert y <= box[1] * scale
    assert x + w >= min((box[0] + box[2]) * scale, size[0])
    assert y + h >= min((box[1] + box[3]) * scale, size[1])
    assert x + w <= size[0]
    assert y + h <= size[1]


def test_the_surest_reading_is_kept():
    place = Place(
        tuple(Sighting(n, 0, Reading(LINE, words, sure)) for n, (words, sure) in enumerate([("Bren", 0.9), ("Brenner", 0.9), ("x", 0.6)]))
    )
    assert (place.text, place.score) == ("Brenner", 0.8)
