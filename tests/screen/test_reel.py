from __future__ import annotations

import random
from pathlib import Path

import cv2
import numpy as np
import pytest

import clips
from scrubin.base.errors import VideoError
from scrubin.base.files import sha256_of
from scrubin.media.decode import boundaries_s, decoded
from scrubin.media.probe import probe
from scrubin.media.source import Source
from scrubin.stages.screen import all_detectors, reel
from scrubin.stages.screen.detector import DEFAULTS
from scrubin.stages.screen.pass_over_file import observe, observe_stored
from scrubin.stages.screen.reel import Reel
from source_clips import MOSTLY_SLOW, SOURCES


def prepared(path) -> Reel:
    sha256 = sha256_of(path)
    observe_stored(path.parent, Source.of_file(path.name, sha256), [reel.OBSERVER], boundaries_s(probe(path, "a"))[:-1])
    one = Reel.open("a", sha256)
    assert one is not None
    return one


def small_sources(path, size) -> np.ndarray:
    """Every frame as it is displayed, in the reel's size; shape (n, height, width, 3)."""
    upright = [np.rot90(frame.to_ndarray(format="bgr24"), round(frame.rotation / 90)) for frame in decoded(path, "a")]
    return np.stack([cv2.resize(np.ascontiguousarray(one), size, interpolation=cv2.INTER_AREA) for one in upright]).astype(np.int16)


@pytest.mark.cases(3)
@pytest.mark.parametrize("source", MOSTLY_SLOW)
def test_each_picture_is_nearest_to_its_own_frame(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    path = SOURCES[source](tmp_path)
    one = prepared(path)
    expected = small_sources(path, one.size_px)
    numbers = list(range(len(expected)))
    random.Random(2).shuffle(numbers)
    for number, picture in zip(numbers, one.pictures(numbers), strict=True):
        near = range(max(0, number - 3), min(len(expected), number + 4))
        far = {other: float(np.abs(picture - expected[other]).mean()) for other in near}
        assert min(far, key=far.__getitem__) == number, far
        assert far[number] < 12
    assert one.frame_count == len(expected)
    assert one.displayed_px == (probe(path, "a").width, probe(path, "a").height)


@pytest.mark.parametrize("source", ["varying mkv", "HEVC mp4", "MPEG-2 ps", "edit list"])
def test_the_first_frame_of_every_second_is_a_key_frame_and_no_other(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    path = SOURCES[source](tmp_path)
    seconds = [int(time_s) for time_s in probe(path, "a").times_s]
    expected = [number == 0 or seconds[number] > seconds[number - 1] for number in range(len(seconds))]
    assert prepared(path)._key_numbers.tolist() == np.flatnonzero(expected).tolist()


def test_a_picture_is_decoded_from_its_own_second_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = prepared(clips.clip(tmp_path / "a.mkv", seconds=4))
    whole = one.pictures(range(one.frame_count))
    seen = []
    real = Reel._decoded
    monkeypatch.setattr(Reel, "_decoded", lambda self, decoder, number: seen.append(number) or real(self, decoder, number))
    for number, picture in zip((60, 31, 60, 30), one.pictures([60, 31, 60, 30]), strict=True):
        assert np.array_equal(picture, whole[number])
    assert seen == [*range(25, 32), *range(50, 61)]


def test_what_was_noted_is_mapped_and_not_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mkv", seconds=1)
    sha256, times_s = sha256_of(path), boundaries_s(probe(path, "a"))[:-1]
    observed = observe_stored(path.parent, Source.of_file(path.name, sha256), [reel.OBSERVER], times_s)["reel"]
    assert all(isinstance(array, np.memmap) and not array.flags.writeable for array in observed.arrays.values())
    path.unlink()  # the reel needs the file no more
    assert len(Reel.open("a", sha256).pictures([24, 0])) == 2


def test_the_same_file_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mkv", size="400x300")
    times_s = boundaries_s(probe(path, "a"))[:-1]
    one, two = (observe(path, "a", [reel.OBSERVER], times_s)["reel"].arrays["packets"] for _ in range(2))
    assert one.tobytes() == two.tobytes()


def test_there_is_no_reel_before_screening_nor_of_a_broken_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mkv")
    times_s = boundaries_s(probe(path, "a"))[:-1]
    assert Reel.open("a", "0" * 64) is None
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(VideoError):
        observe_stored(path.parent, Source.of_file(path.name, sha256_of(path)), [reel.OBSERVER], times_s)
    assert Reel.open("a", sha256_of(path)) is None


def test_the_stage_prepares_the_reel_and_a_single_file_is_screened_without():
    assert "reel.OBSERVER]" in (Path(__file__).parents[2] / "pipelines/scrubin/stages/screen/screening.py").read_text(encoding="utf-8")
    assert reel.NAME not in [observer.name for observer in all_detectors.observers(DEFAULTS)]


@pytest.mark.cases(4)
@pytest.mark.parametrize("pixels", ["yuv420p", "yuvj420p", "yuv444p", "yuv422p10le", "gbrp", "gray", "nv12"])
@pytest.mark.parametrize("matrix", ["bt709", "smpte170m"])
def test_colours_are_those_of_the_source(tmp_path, monkeypatch, pixels, matrix):
    monkeypatch.chdir(tmp_path)
    bars = np.zeros((120, 160, 3), np.uint8)
    for place, colour in enumerate([(255, 255, 255), (200, 40, 30), (30, 150, 60), (20, 30, 180)]):
        bars[:, 40 * place : 40 * place + 40] = colour
    path = clips.film(tmp_path / "a.mkv", [bars] * 3, 25)
    matrixes = ("-vf", f"scale=out_color_matrix={matrix}", "-colorspace", matrix) if pixels not in ("gbrp", "gray") else ()
    codec = ("-c:v", "ffv1") if pixels in ("gray", "gbrp") else ("-c:v", "libx264", "-qp", "0")
    clips.ffmpeg("-i", path, *matrixes, *codec, "-pix_fmt", pixels, tmp_path / "b.mkv")
    one = prepared(tmp_path / "b.mkv")
    picture = one.pictures([2])[0].astype(int)
    expected = next(iter(decoded(tmp_path / "b.mkv", "a"))).to_ndarray(format="bgr24").astype(int)
    for column in (20, 60, 100, 140):
        assert np.abs(picture[60, column] - expected[60, column]).max() <= 8
