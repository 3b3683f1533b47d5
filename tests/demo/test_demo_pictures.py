"""Motion, colours, times and the encoder, each on its own."""

from __future__ import annotations

from fractions import Fraction

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import StageError
from scrubin.stages.demo.canvas import Noise, Way, blur, ease, filled, generator, thin_out, veil, wave, yuv
from scrubin.stages.demo.encoding import Encoding, encode_clip, repeat_clip
from scrubin.stages.demo.procedures import CASES, procedures

RECORDINGS = procedures(7)


def solid(width, height, red, green, blue):
    """A frame of one colour."""
    return thin_out(filled(width, height, yuv(red, green, blue)))


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_easing_never_goes_back(first, second):
    low, high = sorted((first, second))
    assert 0 <= ease(low) <= ease(high) + 1e-12 <= 1 + 1e-12


@given(st.floats(-100, 100))
def test_a_wave_stays_between_its_turns(turns):
    assert -1 <= wave(turns) <= 1
    assert wave(turns + 1) == pytest.approx(wave(turns), abs=1e-9)


def test_a_way_passes_its_keys_and_rests_at_both_ends():
    way = Way(((1.0, 10, 20), (2.0, 30, 40), (2.0, 50, 60), (3.0, 0, 0)))
    assert [way.at(t) for t in (0, 1, 1.5, 3, 9)] == [(10, 20), (10, 20), (20, 30), (0, 0), (0, 0)]


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
def test_colours_are_legal_video_levels(red, green, blue):
    y, u, v = yuv(red, green, blue)
    assert 16 <= y <= 235
    assert 16 <= u <= 240
    assert 16 <= v <= 240


def test_a_procedure_ends_where_its_case_says_so():
    assert [one.end_ms for one in RECORDINGS] == [case.end_ms for case in CASES]
    assert {one.end_ms for one in procedures(1, 1)} == {None}


@given(st.sampled_from(RECORDINGS), st.integers(0, 2500), st.integers(0, 90_000))
def test_the_first_frame_at_a_time_is_the_first(recording, frame, ticks):
    frame %= recording.frame_count
    assert recording.first_frame_at(recording.time_of(frame)) == frame
    found = recording.first_frame_at(Fraction(ticks, 1000))
    assert found == recording.frame_count or recording.time_of(found) >= Fraction(ticks, 1000)
    assert found == 0 or recording.time_of(found - 1) < Fraction(ticks, 1000)


def test_the_variable_rate_leaves_out_a_stretch_and_never_goes_back():
    phone = next(one for one in RECORDINGS if one.variable_rate)
    steps = [phone.time_of(n + 1) - phone.time_of(n) for n in range(phone.frame_count - 1)]
    assert min(steps) > 0
    assert max(steps) > 1.3
    assert len(set(steps)) > 20


def test_blur_and_smoke_keep_a_flat_picture_or_move_it_to_their_grey():
    flat = solid(32, 16, 200, 40, 40)
    assert (blur(flat).y == flat.y).all()
    assert (veil(flat, 190, 100).y == 190).all()
    assert (veil(flat, 190, 0).y == flat.y).all()


def test_blur_takes_away_sharp_edges():
    image = np.full((16, 32, 3), 128, np.uint8)
    image[:, 16:, 0] = 220
    assert np.abs(np.diff(blur(thin_out(image)).y.astype(int), axis=1)).max() < 30


def test_noise_differs_from_frame_to_frame_and_keeps_the_mean():
    noise = Noise(generator(1, 2), 64, 48, 3)
    grey = np.full((48, 64), 128, np.uint8)
    first, second = noise.over(grey, 0), noise.over(grey, 1)
    assert (first != second).any()
    assert first.mean() == pytest.approx(128, abs=0.3)


def test_a_clip_has_the_frames_it_was_given(tmp_path):
    frames = [solid(64, 48, 8 * n, 8 * n, 8 * n) for n in range(20)]
    assert encode_clip(tmp_path / "a.mkv", frames, Fraction(30000, 1001), Encoding(quantiser=10)) == 20
    with av.open(str(tmp_path / "a.mkv")) as container:
        found = [frame.to_ndarray(format="gray").mean() for frame in container.decode(video=0)]
        assert container.streams.video[0].average_rate == Fraction(30000, 1001)
    assert np.allclose(found, [8 * n for n in range(20)], atol=4)


def test_a_repeated_clip_has_every_frame_once_per_loop(tmp_path):
    encode_clip(tmp_path / "a.mkv", [solid(64, 48, 20 * n, 0, 0) for n in range(8)], Fraction(4))
    repeat_clip(tmp_path / "b.mkv", tmp_path / "a.mkv", 5)
    with av.open(str(tmp_path / "b.mkv")) as container:
        times = [packet.pts for packet in container.demux(video=0) if packet.pts is not None]
    assert times == [250 * n for n in range(40)]


def test_an_encoder_that_fails_says_why_and_leaves_no_file(tmp_path):
    with pytest.raises(StageError, match=r"a\.mkv: the encoder failed with exit code .*preset"):
        encode_clip(tmp_path / "a.mkv", [solid(320, 180, 0, 0, 0)] * 50, Fraction(20), Encoding(preset="nonsense"))
    assert list(tmp_path.iterdir()) == []


def test_a_clip_without_frames_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"a\.mkv: a clip needs at least one frame"):
        encode_clip(tmp_path / "a.mkv", [], Fraction(20))
