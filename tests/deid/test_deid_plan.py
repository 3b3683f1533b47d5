"""What a benchmark of de-identification plans, before a recording is made."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import av
import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import MetricsError, StageError, VideoError
from scrubin.evaluate.choices import BenchmarkRequest
from scrubin.evaluate.deid import benchmark
from scrubin.evaluate.deid import key as keys
from scrubin.evaluate.deid.benchmark import make, picture_items
from scrubin.evaluate.deid.container import RATE_HZ, write_sound
from scrubin.evaluate.deid.drawing import Drawn, OwnFootage
from scrubin.evaluate.deid.key import KINDS
from scrubin.evaluate.deid.plan import Span, plan
from scrubin.stages.demo.canvas import generator


def test_what_is_no_key_is_refused_by_name(tmp_path):
    (tmp_path / "key.json").write_text("{}")
    with pytest.raises(MetricsError, match="it is no answer key"):
        keys.read(tmp_path)
    with pytest.raises(MetricsError, match=r"there is no key\.json"):
        keys.read(tmp_path / "nothing")


def test_a_benchmark_that_is_stopped_can_be_made_again(tmp_path, monkeypatch):
    def recording(request, one, raw, key_folder):
        (key_folder / "half.mp4").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(benchmark, "_recording", recording)
    with pytest.raises(KeyboardInterrupt):
        make(BenchmarkRequest(), tmp_path / "made")
    assert not list(tmp_path.iterdir())


def test_a_folder_with_other_files_is_not_touched(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StageError, match="not empty"):
        make(BenchmarkRequest(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@given(seed=st.integers(0, 50), recordings=st.integers(1, 9), length_s=st.integers(8, 120), height=st.sampled_from((180, 240, 360)))
def test_a_plan_stays_inside_of_its_recordings(seed, recordings, length_s, height):
    plans = plan(seed, recordings, length_s, height * 16 // 9 // 2 * 2, height)
    numbers = [one.who.number(which) for one in plans for which in range(100)]
    assert len(set(numbers)) == len(numbers)
    for one in plans:
        assert all(0 <= span.first < span.end <= one.frame_count for span in one.spans)
        assert all(before.end < after.first for before, after in pairwise(one.spans))
        assert sum(span.end - span.first for span in one.spans) <= 0.56 * one.frame_count
        outside = {number for span in one.spans for number in range(span.first, span.end)}
        for shown in (*one.texts, *one.reflections):
            frames = {number for first, end in shown.ranges for number in range(first, end)}
            assert frames
            assert not frames & outside
            assert max(frames) < one.frame_count


def test_spans_of_all_lengths_and_places_are_planted():
    plans = plan(0, 6, 40, 640, 360)
    spans = [span for one in plans for span in one.spans]
    lengths = {span.end - span.first for span in spans}
    assert {1, 2, 5, 12} <= lengths
    assert max(lengths) > 12 * 25
    assert {span.place for span in spans} == {"at_start", "at_end", "at_key_frame", "across_groups", "within_group"}
    assert {span.cut for span in spans} == {True, False}
    texts = [text for one in plans for text in one.texts]
    assert {text.height_px for text in texts} == {10, 14, 20, 32}
    assert {text.look for text in texts} == {"boxed", "plain", "faint"}
    assert {text.motion for text in texts} == {"still", "clock", "moving"}


def test_a_users_own_pictures_and_videos_are_shown(tmp_path):
    rng = np.random.default_rng(0)
    cv2.imwrite(str(tmp_path / "a.png"), rng.integers(0, 255, (50, 70, 3), np.uint8))
    with av.open(str(tmp_path / "b.mp4"), "w") as out:
        stream = out.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(5):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(np.full((48, 64, 3), 200, np.uint8), format="bgr24")))
        out.mux(stream.encode())
    mine = OwnFootage(tmp_path, 0.0, 160, 90, Fraction(10)).pictures(0)
    frames = [next(mine)[0] for _ in range(16)]
    assert {frame.y.shape for frame in frames} == {(90, 160)}
    assert [int(frame.y.std()) > 20 for frame in frames] == [True] * 10 + [False] * 5 + [True]
    (tmp_path / "empty").mkdir()
    with pytest.raises(VideoError, match="no picture and no video"):
        OwnFootage(tmp_path / "empty", 0.0, 160, 90, Fraction(10))


def test_a_voice_is_louder_than_the_room(tmp_path):
    ends = write_sound(tmp_path / "a.wav", Fraction(4), [(Fraction(1), "Søndergård 42")], generator(0, 1))
    with av.open(str(tmp_path / "a.wav")) as container:
        sound = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)]) / 32768
    assert len(sound) == 4 * RATE_HZ
    assert ends[0] > 1
    spoken = sound[RATE_HZ : int(ends[0] * RATE_HZ)]
    assert np.abs(spoken).max() > 0.25
    assert np.abs(np.concatenate([sound[:RATE_HZ], sound[int(ends[0] * RATE_HZ) :]])).max() < 0.01


def test_every_kind_says_what_is_planted_and_what_must_be_done():
    assert all(kind.planted and kind.action for kind in KINDS.values())


def test_the_key_has_every_frame_in_which_a_face_is_seen():
    (one,) = plan(0, 1, 8, 320, 180)
    room = replace(one, spans=(Span(10, 20, "within_group", True, "all"),), texts=(), reflections=())
    drawn = Drawn(faces=[(frame, ((20, 30, 40, 50),)) for frame in (9, 12, 13, 14, 17, 20)])
    (face,) = (item for item in picture_items(room, drawn) if item.kind == "face")
    assert sorted(face.frame_numbers) == [12, 13, 14, 17]
