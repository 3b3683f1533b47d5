from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clips
from scrubin.base.errors import VideoError
from scrubin.stages.frames import extract as extraction
from scrubin.stages.frames.extract import extract, packet_clock, wanted_frames
from scrubin.stages.frames.frame_params import FramesParams

ONE = FramesParams(fps=Fraction(1), format="jpg", quality=95, height=None, shards="none")


def pictures(video: Path) -> list[np.ndarray]:
    with av.open(str(video)) as container:
        return [frame.to_ndarray(format="bgr24") for frame in container.decode(video=0)]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def into(folder: Path, video: Path, params: FramesParams = ONE, **more) -> tuple[list[dict], dict[str, bytes]]:
    folder.mkdir()
    rows = extract(video, folder, params, "a", **more)
    return rows, contents(folder)


def luma_number(path) -> int:
    # JPEG is full range: luma 16 + 3 n of the video is (3 n) * 255 / 219 here.
    return round(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE).mean() * 219 / 255 / 3)


def test_each_file_shows_the_frame_that_its_row_names(tmp_path):
    pts = [n * 50 for n in range(30)] + [n * 50 + 420 for n in range(30, 60)]
    video = clips.numbered(tmp_path / "a.mkv", 60, pts=pts)
    rows = extract(video, tmp_path, ONE, "a.mkv")
    assert [row["frame"] for row in rows] == [0, 1, 2, 3]
    for row in rows:
        number = row["source_frame"]
        assert luma_number(tmp_path / f"{row['frame']:06d}.jpg") == number
        assert row["time_s"] == pts[number] / 1000
        assert row["time_s"] >= row["frame"] > (pts[number - 1] / 1000 if number else -1)


@pytest.mark.parametrize("name", clips.LAST_IS_SLOW)
def test_real_footage_gives_one_frame_per_second(tmp_path, name):
    rows = extract(clips.REAL[name], tmp_path, ONE, name, ())
    assert len(rows) == len(list(tmp_path.glob("*.jpg")))
    assert all(0 <= row["time_s"] - row["frame"] < 0.05 for row in rows)
    assert len({row["perceptual_hash"] for row in rows}) > 1
    assert all(row["sharpness"] > 0 for row in rows)


def test_other_rates_are_exact(tmp_path):
    video = clips.numbered(tmp_path / "a.mkv", 60)
    rows = extract(video, tmp_path, replace(ONE, fps=Fraction(3, 2)), "a")
    assert [row["source_frame"] for row in rows] == [0, 14, 27, 40, 54]


def test_a_repeated_frame_differs_by_nothing(tmp_path):
    video = clips.numbered(tmp_path / "a.mkv", 3, pts=[0, 500, 3500])
    assert [row["difference"] for row in extract(video, tmp_path, ONE, "a")][2:] == [0.0, 0.0]


def test_a_video_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "a.mkv").write_text("no video")
    with pytest.raises(VideoError, match=r"^videos/a.mkv: it cannot be read"):
        extract(tmp_path / "a.mkv", tmp_path, ONE, "videos/a.mkv")


@pytest.mark.parametrize("name", clips.LAST_IS_SLOW)
def test_frames_that_nothing_needs_are_not_decoded_and_the_bytes_are_the_same(tmp_path, monkeypatch, name):
    skipped = into(tmp_path / "skipped", clips.REAL[name])
    monkeypatch.setattr("scrubin.stages.frames.extract.SKIPPING_CODECS", ())
    assert into(tmp_path / "all", clips.REAL[name]) == skipped


@settings(max_examples=8)
@given(
    steps=st.lists(st.integers(1, 900), min_size=8, max_size=60),
    fps=st.sampled_from([Fraction(1), Fraction(5, 2), Fraction(30000, 1001), Fraction(1, 3)]),
)
def test_every_wanted_frame_of_a_variable_rate_is_the_right_one(tmp_path_factory, steps, fps):
    folder = tmp_path_factory.mktemp("vfr")
    pts = [sum(steps[:n]) for n in range(len(steps) + 1)]
    video = clips.numbered(folder / "a.mkv", len(pts), pts=pts)
    clock = packet_clock(video, "a", "")
    assert clock is not None
    found = list(wanted_frames(video, fps, clock, "a", ""))
    assert [k for wanted in found for k in wanted.frames] == list(range(int(Fraction(pts[-1], 1000) * fps) + 1))
    for wanted in found:
        assert clips.number_of(wanted.picture) == wanted.number
        assert wanted.time_s == Fraction(pts[wanted.number], 1000)
        assert all(wanted.time_s >= k / fps for k in wanted.frames)
        assert wanted.number == 0 or Fraction(pts[wanted.number - 1], 1000) < wanted.frames[0] / fps
    assert [(one.number, one.time_s, one.frames) for one in wanted_frames(video, fps, None, "a", "")] == [
        (one.number, one.time_s, one.frames) for one in found
    ]


def test_a_file_whose_packets_do_not_tell_their_times_is_counted_by_its_decoder(tmp_path, monkeypatch):
    video = clips.clip(tmp_path / "a.mkv", seconds=2.2)
    told = into(tmp_path / "told", video)
    assert [(row["source_frame"], row["time_s"]) for row in told[0]] == [(0, 0.0), (25, 1.0), (50, 2.0)]
    monkeypatch.setattr(extraction, "packet_clock", lambda *_: None)
    assert into(tmp_path / "counted", video) == told


def test_frames_out_of_order_are_refused_and_not_mixed_up(tmp_path):
    video = clips.clip(tmp_path / "a.avi", seconds=2, more=("-bf", "3"))
    with pytest.raises(VideoError, match=r"^a: its decoder gives frame \d+ after frame \d+; mend it"):
        into(tmp_path / "f", video, replace(ONE, fps=Fraction(25)), fix="mend it")


def test_a_frame_lost_by_skipping_is_found_by_decoding_all(tmp_path, monkeypatch):
    video = clips.clip(tmp_path / "a.mkv", seconds=3)
    whole = into(tmp_path / "whole", video)

    def losing(*given, skip):
        for wanted in wanted_frames(*given, skip=skip):
            if not (skip and wanted.number == 25):
                yield wanted

    monkeypatch.setattr(extraction, "wanted_frames", losing)
    assert into(tmp_path / "again", video) == whole


def test_frames_that_cannot_be_decoded_are_an_error_with_their_number(tmp_path, monkeypatch):
    video = clips.clip(tmp_path / "a.mkv", seconds=3)
    monkeypatch.setattr(extraction, "wanted_frames", lambda *given, skip: iter(list(wanted_frames(*given, skip=skip))[:-1]))
    with pytest.raises(VideoError, match=r"^a: only 2 of 3 frames could be decoded; mend it"):
        into(tmp_path / "f", video, fix="mend it")


def test_a_video_cut_off_in_the_middle_is_an_error(tmp_path):
    video = clips.clip(tmp_path / "a.mp4", seconds=6, size="320x180")
    data = bytearray(video.read_bytes())
    data[len(data) // 4 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 4)
    video.write_bytes(data)
    with pytest.raises(VideoError, match=r"^a: .*(damaged|decoded)"):
        into(tmp_path / "f", video)


def test_png_keeps_every_value(tmp_path):
    video = clips.clip(tmp_path / "a.mkv", seconds=2)
    rows, files = into(tmp_path / "f", video, replace(ONE, format="png"))
    assert list(files) == ["000000.png", "000001.png"]
    shown = pictures(video)
    for row, data in zip(rows, files.values(), strict=True):
        assert np.array_equal(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), shown[row["source_frame"]])


@pytest.mark.parametrize(
    ("size", "height", "made"), [("96x64", 32, (48, 32)), ("150x64", 30, (70, 30)), ("96x64", 64, (96, 64)), ("96x64", 200, (96, 64))]
)
def test_a_smaller_size_keeps_the_aspect_and_nothing_is_enlarged(tmp_path, size, height, made):
    video = clips.clip(tmp_path / "a.mkv", seconds=1, size=size)
    rows, files = into(tmp_path / "f", video, replace(ONE, height=height, format="png"))
    picture = cv2.imdecode(np.frombuffer(files["000000.png"], np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape[1::-1] == made == (rows[0]["width"], rows[0]["height"])
    whole = pictures(video)[0]
    assert np.array_equal(picture, whole if made == whole.shape[1::-1] else cv2.resize(whole, made, interpolation=cv2.INTER_AREA))


def test_quality_is_that_of_the_full_size(tmp_path):
    video = clips.clip(tmp_path / "a.mkv", seconds=2)
    full, small = (into(tmp_path / str(height), video, replace(ONE, height=height))[0] for height in (None, 32))
    sizes = ("width", "height")
    assert [{**row, **dict.fromkeys(sizes)} for row in full] == [{**row, **dict.fromkeys(sizes)} for row in small]


def test_hidden_spans_are_marked_and_without_them_black_frames_are(tmp_path):
    more = ("-vf", "drawbox=c=black:t=fill:enable='between(t,0.99,1.99)'", "-force_key_frames", "1,2")
    video = clips.clip(tmp_path / "a.mkv", seconds=4, more=more)
    assert [row["redacted"] for row in into(tmp_path / "a", video)[0]] == [False, True, False, False]
    assert [row["redacted"] for row in into(tmp_path / "b", video, hidden=[(60, 80)])[0]] == [False, False, False, True]


def test_a_rotated_video_gives_upright_frames(tmp_path):
    plain = clips.clip(tmp_path / "a.mp4", seconds=1)
    clips.ffmpeg("-display_rotation", "90", "-i", plain, "-c", "copy", tmp_path / "b.mp4")
    clips.ffmpeg("-i", tmp_path / "b.mp4", "-frames:v", "1", tmp_path / "players.png")
    _, files = into(tmp_path / "f", tmp_path / "b.mp4", replace(ONE, format="png"))
    ours = cv2.imdecode(np.frombuffer(files["000000.png"], np.uint8), cv2.IMREAD_COLOR)
    assert np.array_equal(ours, cv2.imread(str(tmp_path / "players.png")))
