from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screen_params import SCREEN
from scrubin.base.pixels import shared_px
from scrubin.stages.screen import insets, span_detectors
from scrubin.stages.screen.detector import ObservedFile
from scrubin.stages.screen.features import CELLS
from scrubin.stages.screen.pass_over_file import Observed
from scrubin.stages.screen.unlikeness import APART_S, alike_run, novelty

FPS = 5
INSIDE, OUTSIDE, DOUBTFUL = -4.0, 4.0, 0.0
FREE = replace(SCREEN, scene="any")


def seen(log_odds: list[float], views: list[int] | None = None, *, bright: list[int] | None = None, kind: str = "any") -> ObservedFile:
    """A recording of 5 frames a second; frames of the same view share their histogram, others share nothing."""
    count = len(log_odds)
    histograms = np.zeros((count, CELLS), np.uint16)
    for number, view in enumerate(views or [0] * count):
        histograms[number, [view, 64 + view % 16, 80 + view % 8]] = 100
    features = Observed(
        {
            "histograms": histograms,
            "brightest": np.array(bright or [200] * count, np.uint8),
            "still_since": np.arange(count, dtype=np.uint32),
        }
    )
    scores = Observed({"log_odds": (np.array(log_odds) * 16).astype(np.int16)})
    return ObservedFile(
        np.arange(count + 1) / FPS,
        (96, 64),
        {"features": features, "scene": scores, "faces": Observed({}, []), "insets": Observed({}, [])},
        kind,
    )


def cores(file: ObservedFile, params=FREE) -> list[tuple[int, int] | None]:
    return [one.core for one in span_detectors.propose_by_scene(file, params)]


def test_frames_that_look_like_no_endoscopy_are_proposed_with_a_margin():
    file = seen([INSIDE] * 100 + [OUTSIDE] * 3 + [INSIDE] * 100)
    (span,) = span_detectors.propose_by_scene(file, FREE)
    assert (span.kind, span.source, span.core) == ("out_of_body", "scene", (100, 102))
    assert span.interval_s == pytest.approx((99 / FPS, 104 / FPS))
    assert span.score > 0.85


def test_a_span_goes_on_while_any_doubt_is_left():
    assert cores(seen([INSIDE] * 20 + [-0.5, OUTSIDE, -0.9, -0.5] + [INSIDE] * 20)) == [(20, 23)]
    assert cores(seen([INSIDE] * 20 + [-0.5, -0.9, -0.5] + [INSIDE] * 20)) == []


def test_what_the_network_takes_for_tissue_is_proposed_when_nothing_else_in_the_recording_looks_like_it():
    views = [0] * 100 + [7] * 10 + [0] * 100
    assert cores(seen([-2.0] * 210, views)) == [(100, 109)]
    assert cores(seen([-2.0] * 210)) == []


def test_a_view_that_comes_back_at_another_time_is_not_new():
    views = [0] * 100 + [7] * 10 + [0] * 100 + [7] * 10
    assert cores(seen([-2.0] * 220, views)) == []


def test_a_recording_with_two_views_hides_neither():
    views = [0] * 150 + [9] * 150
    assert cores(seen([INSIDE] * 300, views)) == []


def test_dark_frames_are_nothing_to_see():
    dark = [200] * 50 + [30] * 40 + [200] * 50
    assert cores(seen([INSIDE] * 50 + [OUTSIDE] * 40 + [INSIDE] * 50, bright=dark)) == []


def test_a_recording_that_looks_like_no_endoscopy_is_proposed_as_a_whole():
    (whole,) = span_detectors.propose_by_scene(seen([OUTSIDE] * 60 + [INSIDE] * 40), FREE)
    assert (whole.source, whole.core, whole.interval_s) == ("unknown_scene", (0, 99), (0.0, 20.0))


@pytest.mark.parametrize("kind", ["box_trainer", "other"])
def test_of_a_box_trainer_the_recording_itself_says_what_is_usual(kind):
    file = seen([OUTSIDE] * 210, [0] * 100 + [7] * 10 + [0] * 100, kind=kind)
    assert span_detectors.propose_by_scene(file, FREE) == []
    assert [one.core for one in span_detectors.propose_by_appearance(file, FREE)] == [(100, 109)]


def test_real_endoscopy_under_the_name_of_a_box_trainer_is_judged_as_endoscopy():
    file = seen([INSIDE] * 200 + [OUTSIDE] * 10, kind="box_trainer")
    assert cores(file) == [(200, 209)]
    assert span_detectors.propose_by_appearance(file, FREE) == []


def test_a_scene_is_said_for_all_or_by_task():
    assert replace(SCREEN, scene="cataract").scene_of("Knot") == "cataract"
    assert replace(SCREEN, scene={"Knot": "box_trainer"}).scene_of("Knot") == "box_trainer"
    assert replace(SCREEN, scene={"Knot": "box_trainer"}).scene_of("Other") == "any"
    assert replace(SCREEN, scene={"Knot": "box_trainer"}).scene_of(None) == "any"


def test_an_empty_recording_has_no_spans():
    assert span_detectors.propose_by_scene(seen([]), FREE) == []


@given(st.lists(st.sampled_from([INSIDE, DOUBTFUL, OUTSIDE]), min_size=1, max_size=80), st.sampled_from([0.2, 0.6, 0.9]))
def test_no_clear_frame_is_ever_shown_and_a_lower_limit_never_shows_more(log_odds, limit):
    file = seen(log_odds)
    if len([one for one in log_odds if one >= 0]) * 2 > len(log_odds):
        return  # an unknown scene, which is proposed as a whole
    hidden = np.zeros(len(log_odds), np.bool_)
    for span in span_detectors.propose_by_scene(file, replace(FREE, outside_score=limit)):
        hidden[round(span.interval_s[0] * FPS) : round(span.interval_s[1] * FPS)] = True
    assert hidden[np.array(log_odds) == OUTSIDE].all()
    for span in span_detectors.propose_by_scene(file, replace(FREE, outside_score=0.95)):
        assert hidden[round(span.interval_s[0] * FPS) : round(span.interval_s[1] * FPS)].all()


def test_a_face_is_proposed_for_as_long_as_the_picture_stays_alike_whatever_else_is_believed():
    file = seen([INSIDE] * 210, [0] * 100 + [7] * 10 + [0] * 100)
    file.observed["faces"].value.append({"number": 104, "faces": 2, "sure": 0.7})
    (span,) = span_detectors.propose_faces(file, FREE)
    assert (span.source, span.core, span.faces, span.score) == ("face", (100, 109), 2, 0.7)


def histograms_of(views: list[int]) -> np.ndarray:
    return seen([INSIDE] * len(views), views).observed["features"].arrays["histograms"]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=150))
def test_a_frame_is_new_exactly_when_no_other_moment_shows_its_view(views):
    times_s = np.arange(len(views)) / FPS
    far = novelty(histograms_of(views), np.ones(len(views), np.bool_), times_s)
    for number, view in enumerate(views):
        others = [other for at, other in enumerate(views) if abs(times_s[at] - times_s[number]) >= APART_S]
        if not others:
            assert np.isnan(far[number])
        else:
            assert far[number] == pytest.approx(0.0 if view in others else 1.0, abs=0.02)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=60), st.data())
def test_the_run_around_a_frame_ends_where_its_view_ends(views, data):
    number = data.draw(st.integers(0, len(views) - 1))
    first, last = alike_run(histograms_of(views), number)
    assert set(views[first : last + 1]) == {views[number]}
    assert first == 0 or views[first - 1] != views[number]
    assert last == len(views) - 1 or views[last + 1] != views[number]


def with_insets(*noted: insets.Inset):
    file = seen([INSIDE] * 100)
    value = [one.__dict__ for one in noted]
    return replace(file, observed={**file.observed, insets.NAME: Observed({}, value)}, size_px=(1920, 1080))


def inset(first: int, box=(230, 8, 80, 45), log_odds: float = OUTSIDE) -> insets.Inset:
    return insets.Inset(first, first + 5, box, (320, 180), int(log_odds * 16))


def test_a_room_in_a_corner_is_proposed_as_a_rectangle_that_holds_all_of_it_for_as_long_as_it_stands():
    (proposal,) = span_detectors.propose_by_scene(with_insets(inset(20), inset(25), inset(30)), FREE)
    assert (proposal.kind, proposal.source) == ("other", "inset")
    x, y, w, h = proposal.box_xywh
    assert x <= 230 * 6
    assert y <= 8 * 6
    assert x + w >= 310 * 6
    assert y + h >= 53 * 6
    assert w < 1.2 * 480
    assert h < 1.2 * 270
    start_s, end_s = proposal.interval_s
    assert start_s <= 20 / FPS - insets.EVERY_S + 1e-9
    assert end_s >= 35 / FPS + insets.EVERY_S - 1e-9


def test_parts_of_one_inset_are_one_rectangle_and_two_insets_are_two():
    part = inset(25, (232, 10, 40, 43))
    assert len(span_detectors.propose_by_scene(with_insets(inset(20), part, inset(30)), FREE)) == 1
    both = span_detectors.propose_by_scene(
        with_insets(*(inset(first, box) for first in (20, 22) for box in ((230, 8, 80, 45), (4, 4, 80, 45)))), FREE
    )
    assert len(both) == 2
    assert not shared_px(both[0].box_xywh, both[1].box_xywh)


def test_a_rectangle_of_one_sample_is_chance():
    assert span_detectors.propose_by_scene(with_insets(inset(20)), FREE) == []
    assert len(span_detectors.propose_by_scene(with_insets(inset(20), inset(22)), FREE)) == 1


def test_an_inset_that_shows_the_inside_is_left_alone():
    assert span_detectors.propose_by_scene(with_insets(inset(20, log_odds=INSIDE), inset(22, log_odds=INSIDE)), FREE) == []
