from __future__ import annotations

import itertools
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screen_params import SCREEN as PARAMS
from scrubin.errors import VideoError
from scrubin.screen.detect import detect
from scrubin.screen.features import CELLS, Features, measure

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


def found(path: Path) -> list[tuple[str, int, int]]:
    features = measure(path, path.name, PARAMS.thumbnail_height)
    spans = detect(features, np.arange(len(features.pts)) / FPS, PARAMS)
    return [(span.kind, span.first, span.last) for span in spans]


@pytest.mark.parametrize("length", [10, 25, 150])
def test_an_out_of_body_span_is_found_to_the_frame_with_its_margin(tmp_path, length):
    path = film(tmp_path / "a.mkv", [("inside", 130), ("room", length), ("inside", 170)])
    assert found(path) == [("out_of_body", 125, 130 + length - 1 + 5)]


def test_a_recording_without_anything_outside_is_left_alone(tmp_path):
    assert found(film(tmp_path / "a.mkv", [("inside", 200)])) == []


def test_black_is_found_exactly_and_is_not_called_outside(tmp_path):
    assert found(film(tmp_path / "a.mkv", [("inside", 60), ("black", 13), ("inside", 60)])) == [("black", 60, 72)]


def test_spans_at_both_ends_are_found(tmp_path):
    path = film(tmp_path / "a.mkv", [("room", 20), ("inside", 100), ("room", 20)])
    assert found(path) == [("out_of_body", 0, 24), ("out_of_body", 115, 139)]


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "a.mkv").write_text("no video")
    with pytest.raises(VideoError, match=r"a.mkv: it cannot be decoded"):
        measure(tmp_path / "a.mkv", "a.mkv", 36)


def features_of(outside: list[bool]) -> Features:
    histograms = np.zeros((len(outside), CELLS), np.int64)
    for n, flag in enumerate(outside):
        histograms[n, [5, 70]] = 0 if flag else 100
        histograms[n, [40, 78]] = 100 if flag else 0
    return Features(np.arange(len(outside)), histograms, np.full(len(outside), 200), 100)


@given(outside=st.lists(st.booleans(), min_size=3, max_size=120).filter(lambda flags: sum(flags) * 2 < len(flags)))
def test_no_long_outside_run_is_ever_missed_and_spans_never_overlap(outside):
    spans = detect(features_of(outside), np.arange(len(outside)) / FPS, PARAMS)
    covered = {n for span in spans for n in range(span.first, span.last + 1)}
    run = 0
    for n, flag in enumerate([*outside, False]):
        if flag:
            run += 1
            continue
        if run / FPS >= PARAMS.min_span_s:
            assert set(range(n - run, n)) <= covered
        run = 0
    for before, after in itertools.pairwise(spans):
        assert before.last < after.first
