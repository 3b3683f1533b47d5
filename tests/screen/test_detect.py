from __future__ import annotations

import itertools
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from screen_params import SCREEN as PARAMS
from scrubin.base.errors import VideoError
from scrubin.stages.screen import span_detectors
from scrubin.stages.screen.detector import ObservedFile
from scrubin.stages.screen.features import CELLS
from scrubin.stages.screen.pass_over_file import Observed, observe
from scrubin.stages.screen.proposals import Proposal, merged

FPS = 25


def scene(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """One picture, 96x64 RGB: tissue with a moving instrument, a bright room, or darkness."""
    colour = {"inside": (150, 60, 50), "room": (215, 220, 225), "black": (0, 0, 0)}[kind]
    picture = np.empty((64, 96, 3), np.int64)
    picture[:] = colour
    if kind == "inside":
        picture += rng.integers(-15, 16, picture.shape)
        x = 10 + n % 60
        picture[20:40, x : x + 14] = (170, 175, 180)
    if kind == "room":
        picture[15:50, 30:60] = (190, 140, 120)
        picture += rng.integers(-8, 9, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


def film(path: Path, parts: list[tuple[str, int]]) -> Path:
    rng = np.random.default_rng(0)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS, options={"preset": "ultrafast", "crf": "23", "g": "250"})
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        n = 0
        for kind, count in parts:
            for _ in range(count):
                out.mux(stream.encode(av.VideoFrame.from_ndarray(scene(kind, n, rng), format="rgb24")))
                n += 1
        out.mux(stream.encode())
    return path


def boundaries(count: int) -> np.ndarray:
    return np.arange(count + 1) / FPS


def seen(path: Path, count: int) -> ObservedFile:
    return ObservedFile(
        boundaries(count), (96, 64), observe(path, path.name, [span_detectors.features_observer(PARAMS)], boundaries(count)[:-1])
    )


def found(path: Path, count: int) -> list[tuple[str, int, int]]:
    proposing = (span_detectors.propose_by_appearance, span_detectors.propose_black, span_detectors.propose_frozen)
    spans = [span for propose in proposing for span in propose(seen(path, count), PARAMS)]
    return sorted((span.kind, round(span.interval_s[0] * FPS), round(span.interval_s[1] * FPS) - 1) for span in spans)


@pytest.mark.cases(2)
@pytest.mark.parametrize("length", [1, 2, 3, 5, 10, 25, 150])
def test_an_out_of_body_span_is_found_to_the_frame_with_its_margin(tmp_path, length):
    path = film(tmp_path / "a.mkv", [("inside", 130), ("room", length), ("inside", 170)])
    hidden = [span for span in found(path, 300 + length) if span[0] != "frozen"]
    assert hidden == [("out_of_body", 125, 130 + length - 1 + 5)]


def test_a_recording_without_anything_outside_is_left_alone(tmp_path):
    assert found(film(tmp_path / "a.mkv", [("inside", 200)]), 200) == []


def test_black_is_found_exactly_and_is_not_called_outside_or_frozen(tmp_path):
    path = film(tmp_path / "a.mkv", [("inside", 60), ("black", 63), ("inside", 60)])
    assert found(path, 183) == [("black", 60, 122)]


def test_spans_at_both_ends_are_found(tmp_path):
    path = film(tmp_path / "a.mkv", [("room", 20), ("inside", 100), ("room", 20)])
    assert found(path, 140) == [("out_of_body", 0, 24), ("out_of_body", 115, 139)]


def test_a_frozen_picture_is_found_through_the_noise_of_the_codec(tmp_path):
    stops = "scale=320:136,fps=25,trim=end_frame=60,tpad=stop_mode=clone:stop_duration=3"
    still = ("-vf", stops, "-c:v", "libx264", "-crf", "30", "-g", "25")
    clips.ffmpeg("-i", clips.REAL["bikes"], "-an", *still, tmp_path / "a.mkv")
    (span,) = span_detectors.propose_frozen(seen(tmp_path / "a.mkv", 135), PARAMS)
    assert (span.kind, span.source, span.score) == ("frozen", "frozen", 1.0)
    assert span.interval_s[0] == pytest.approx(59 / FPS)
    assert span.interval_s[1] == pytest.approx(135 / FPS)


def test_a_picture_that_stands_still_for_a_moment_only_is_not_frozen(tmp_path):
    still = ("-vf", "scale=320:136,fps=25,trim=end_frame=60,tpad=stop_mode=clone:stop_duration=1.5", "-c:v", "libx264", "-g", "25")
    clips.ffmpeg("-i", clips.REAL["bikes"], "-an", *still, tmp_path / "a.mkv")
    assert span_detectors.propose_frozen(seen(tmp_path / "a.mkv", 98), PARAMS) == []


@pytest.mark.parametrize(("name", "count"), [("bigbuckbunny", 132), ("carphone_pristine", 120)])
def test_real_footage_is_not_frozen(name, count):
    assert span_detectors.propose_frozen(seen(clips.REAL[name], count), PARAMS) == []


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 2, 5, 10, 25])
def test_a_burst_of_a_real_room_between_real_pictures_is_found(tmp_path, length):
    rooms, inside = (clips.pictures(clips.REAL[name], (176, 144)) for name in ("carphone_pristine", "bigbuckbunny"))
    clips.film(tmp_path / "a.mkv", [*inside[:66], *rooms[40 : 40 + length], *inside[66:]], FPS)
    (span,) = span_detectors.propose_by_appearance(seen(tmp_path / "a.mkv", 132 + length), PARAMS)
    assert span.core == (66, 66 + length - 1)
    assert span.score == pytest.approx(0.4, abs=0.1)


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "a.mkv").write_text("no video")
    with pytest.raises(VideoError, match=r"a.mkv: it cannot be decoded"):
        seen(tmp_path / "a.mkv", 10)


def test_a_file_with_fewer_frames_than_its_packets_promise_is_named(tmp_path):
    path = film(tmp_path / "a.mkv", [("inside", 20)])
    with pytest.raises(VideoError, match=r"a.mkv: only 20 of its 21 frames can be decoded"):
        seen(path, 21)
    with pytest.raises(VideoError, match=r"a.mkv: 20 frames come out of its 19 packets"):
        seen(path, 19)


def seen_with(outside: list[bool], strangely: int = 0) -> ObservedFile:
    """Frames that share nothing with the usual ones, or all but nothing."""
    histograms = np.zeros((len(outside), CELLS), np.uint16)
    for n, flag in enumerate(outside):
        histograms[n, [5, 70, 82]] = strangely if flag else 100
        histograms[n, [40, 78, 87]] = 100 - strangely if flag else 0
    count = len(outside)
    arrays = {"histograms": histograms, "brightest": np.full(count, 200, np.uint8), "still_since": np.arange(count)}
    return ObservedFile(boundaries(count), (96, 64), {"features": Observed(arrays)})


@given(outside=st.lists(st.booleans(), min_size=3, max_size=120).filter(lambda flags: sum(flags) * 2 < len(flags)))
def test_no_clear_outside_frame_is_ever_missed_and_spans_never_overlap(outside):
    spans = span_detectors.propose_by_appearance(seen_with(outside), PARAMS)
    covered = {n for span in spans for n in range(round(span.interval_s[0] * FPS), round(span.interval_s[1] * FPS))}
    assert {n for n, flag in enumerate(outside) if flag} <= covered
    for before, after in itertools.pairwise(spans):
        assert before.interval_s[1] <= after.interval_s[0]


@pytest.mark.parametrize(("length", "count"), [(4, 0), (5, 1)])
def test_a_short_span_that_is_hardly_outside_is_not_proposed(length, count):
    flags = [False] * 40 + [True] * length + [False] * 40
    barely = seen_with(flags, strangely=81)
    assert len(span_detectors.propose_by_appearance(barely, PARAMS)) == count


def test_the_score_is_that_of_the_span_without_its_margin():
    (span,) = span_detectors.propose_by_appearance(seen_with([False] * 40 + [True] + [False] * 40), PARAMS)
    assert (span.score, span.core) == (1.0, (40, 40))


SPANS = st.builds(
    lambda first, count, source, score, faces: Proposal(
        "out_of_body", (first / FPS, (first + count) / FPS), score, source, faces=faces, core=(first, first + count - 1)
    ),
    st.integers(0, 60),
    st.integers(1, 20),
    st.sampled_from(["scene", "appearance", "face", "onnx", "unknown_scene", "header"]),
    st.sampled_from([0.2, 0.5, 0.9]),
    st.sampled_from([None, 0, 1, 3]),
)
RECTANGLES = st.builds(
    lambda first, count, x: Proposal("text", (first / FPS, (first + count) / FPS), 0.5, "text", (x, 0, 8, 8), text="Brenner"),
    st.integers(0, 60),
    st.integers(1, 20),
    st.integers(0, 40),
)


def hidden(proposals: list[Proposal]) -> set[tuple[int, object]]:
    """Each frame that is hidden, with the rectangle; None: the whole picture."""
    return {(frame, one.box_xywh) for one in proposals for frame in range(round(one.interval_s[0] * FPS), round(one.interval_s[1] * FPS))}


@given(st.lists(st.one_of(SPANS, RECTANGLES), max_size=8))
def test_what_is_merged_hides_exactly_what_it_hid_before(proposals):
    done = merged(proposals)
    assert hidden(done) == hidden(proposals)
    assert merged(done) == done
    assert [one for one in done if one.kind == "text"] == [one for one in proposals if one.kind == "text"]
    apart = [one for one in done if one.source in ("unknown_scene", "header")]
    assert apart == [one for one in proposals if one.source in ("unknown_scene", "header")]
    assert max((one.faces or 0 for one in done), default=0) == max((one.faces or 0 for one in proposals), default=0)


def test_a_face_in_a_room_is_one_proposal_that_says_both_and_a_face_elsewhere_is_another():
    room = Proposal("out_of_body", (1.0, 3.0), 0.7, "scene", faces=2, core=(30, 70))
    face = Proposal("out_of_body", (0.8, 2.0), 0.95, "face", faces=3, core=(25, 45))
    later = Proposal("out_of_body", (3.0, 4.0), 0.9, "face", faces=1, core=(80, 95))
    assert merged([room, later, face]) == [Proposal("out_of_body", (0.8, 3.0), 0.95, "scene", faces=3, core=(25, 70)), later]
