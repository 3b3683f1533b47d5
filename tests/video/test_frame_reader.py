from __future__ import annotations

import itertools
import os
import random
import shutil

import av
import numpy as np
import pytest

import clips
from scrubin.base.errors import VideoError
from scrubin.media import frame_reader
from scrubin.media.decode import RandomAccess, decoded
from scrubin.media.frame_reader import FrameReader
from scrubin.media.probe import probe
from source_clips import MOSTLY_SLOW, SOURCES


def in_order(path) -> list[np.ndarray]:
    return [np.rot90(frame.to_ndarray(format="bgr24"), round(frame.rotation / 90)) for frame in decoded(path, "a")]


def assert_every_frame(path, order=None) -> FrameReader:
    expected = in_order(path)
    found = probe(path, "a")
    reader = FrameReader(path, "a", found)
    assert expected[0].shape == (found.height, found.width, 3)
    assert not any(np.array_equal(one, two) for one, two in itertools.pairwise(expected))
    numbers = list(range(len(expected)))
    random.Random(3).shuffle(numbers)
    for number in order or numbers:
        assert np.array_equal(reader.picture(number), expected[number]), number
    return reader


@pytest.mark.cases(3)
@pytest.mark.parametrize("source", MOSTLY_SLOW)
def test_every_frame_in_any_order_is_that_of_a_whole_decode(tmp_path, source):
    assert_every_frame(SOURCES[source](tmp_path)).close()


def test_every_frame_of_an_avi_from_which_some_were_dropped_is_reached(tmp_path):
    """Its packets state other times than its frames have."""
    dropped = ("-vf", "setpts=N+2*floor(N/10)", "-fps_mode", "passthrough")
    assert_every_frame(clips.clip(tmp_path / "a.avi", seconds=1, more=("-bf", 0, "-g", 12, *dropped))).close()


COUNTED = ("ts, H.264, refreshed", "FFV1")
"""Here no packet but the first says that decoding can start at it."""


@pytest.mark.slow
@pytest.mark.parametrize("source", [source for source in SOURCES if source not in COUNTED])
def test_the_last_frame_is_reached_without_decoding_the_first(tmp_path, monkeypatch, source):
    path = SOURCES[source](tmp_path)
    last = in_order(path)[-1]
    monkeypatch.setattr(frame_reader, "decoded", None)
    found = probe(path, "a")
    assert np.array_equal(FrameReader(path, "a", found).picture(found.frame_count - 1), last)


def test_the_next_frame_costs_one_decode_and_a_jump_back_goes_to_the_key_frame(tmp_path, monkeypatch):
    path = SOURCES["mp4"](tmp_path)
    starts = []
    real = frame_reader._ByTime.frames_from
    monkeypatch.setattr(frame_reader._ByTime, "frames_from", lambda way, start: starts.append(start.number) or real(way, start))
    assert_every_frame(path, order=[13, 14, 15, 20, 12, 13, 47])
    assert starts == [12, 12, 36]


def test_equal_key_frames_are_not_taken_for_each_other(tmp_path):
    shades = [0, 90, 0, 120, 0, 200, 250, 0, 30]
    path = clips.film(tmp_path / "a.mkv", [np.full((48, 64, 3), shade, np.uint8) for shade in shades], 25, g="1", qp="0")
    clips.ffmpeg("-i", path, "-c:v", "mjpeg", tmp_path / "a.avi")
    expected = in_order(tmp_path / "a.avi")
    reader = FrameReader(tmp_path / "a.avi", "a", probe(tmp_path / "a.avi", "a"))
    for number in (8, 0, 7, 2, 3, 4, 1, 6, 5):
        assert np.array_equal(reader.picture(number), expected[number]), number
    assert [start.number for start in reader._ways[0]._places.starts] == [1, 3, 5, 6, 8]


@pytest.mark.parametrize(
    ("source", "exact", "countable"),
    [
        ("mkv", 5, 5),
        ("mkv, open groups", 5, 1),
        ("ts, open groups", 5, 1),
        ("ts, H.264, refreshed", 1, 1),
        ("HEVC mkv, open groups", 5, 5),
        ("MPEG-2 ps", 6, 6),
        ("FFV1", 0, 0),
    ],
)
def test_decoding_starts_at_key_frames_after_which_every_frame_is_exact(tmp_path, source, exact, countable):
    with av.open(str(SOURCES[source](tmp_path))) as container:
        stream = container.streams.video[0]
        of = RandomAccess(stream.codec_context).of
        found = [of(packet) for packet in container.demux(stream) if packet.size]
    assert sum(one.exact for one in found) == exact
    assert sum(one.countable for one in found) == countable


@pytest.mark.parametrize("source", ["mp4, open groups", "MPEG-2 ts", "MPEG-4 avi, B-frames"])
def test_frames_are_the_same_when_they_are_counted(tmp_path, source):
    path = SOURCES[source](tmp_path)
    reader = assert_every_frame(path, order=[50, 3])
    reader.count_from_now_on()
    expected = in_order(path)
    for number in (40, 41, 59, 2):
        assert np.array_equal(reader.picture(number), expected[number])


@pytest.mark.cases(4)
@pytest.mark.parametrize("source", ["mp4", "mkv", "H.264 avi", "FFV1"])
@pytest.mark.parametrize("change", ["replaced", "deleted", "overwritten", "longer"])
def test_a_file_that_changes_gives_no_more_pictures(tmp_path, source, change):
    path = SOURCES[source](tmp_path)
    reader = FrameReader(path, "videos/a", probe(path, "videos/a"))
    reader.picture(30)
    if change == "deleted":
        path.unlink()
    elif change == "replaced":
        shutil.copy(path, tmp_path / "other")
        (tmp_path / "other").replace(path)
    elif change == "overwritten":
        path.write_bytes(path.read_bytes()[::-1])
        os.utime(path, ns=(1, 1))
    else:
        path.write_bytes(path.read_bytes() + b"more")
    for number in (31, 5):
        with pytest.raises(VideoError, match=r"^videos/a: it (cannot be read any more|was changed or replaced)"):
            reader.picture(number)


@pytest.mark.cases(2)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("source", ["mkv", "ts, H.264", "MPEG-2 ps", "MPEG-4 avi", "MJPEG avi", "H.264 avi", "HEVC mp4"])
def test_a_file_that_is_damaged_in_the_middle_gives_right_pictures_or_none(tmp_path, source, seed):
    path = SOURCES[source](tmp_path)
    whole, found = in_order(path), probe(path, "a")
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 400] = bytes(400)
    path.write_bytes(data)
    reader = FrameReader(path, "a", found)
    shown = {}
    for number in random.Random(seed).sample(range(60), 60):
        try:
            shown[number] = reader.picture(number)
        except VideoError:
            continue
    assert set(range(20)) <= shown.keys()
    # In the damaged group itself a decoder may fill holes from frames before.
    for number in shown.keys() - set(range(20, 48)):
        assert np.array_equal(shown[number], whole[number]), number


def test_a_frame_that_is_not_there_is_a_wrong_argument(tmp_path):
    path = SOURCES["one frame"](tmp_path)
    reader = FrameReader(path, "a", probe(path, "a"))
    for number in (-1, 1):
        with pytest.raises(ValueError, match="a has frames 0 to 0, not"):
            reader.picture(number)
