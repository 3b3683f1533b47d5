from __future__ import annotations

from fractions import Fraction

import cv2
import numpy as np
import pytest

import clips
from scrubin.errors import VideoError
from scrubin.frames.extract import extract
from scrubin.frames.params import FramesParams
from scrubin.frames.quality import perceptual_hash, quality

ONE = FramesParams(Fraction(1), 95)


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


@pytest.mark.parametrize("name", sorted(clips.REAL))
def test_real_footage_gives_one_frame_per_second(tmp_path, name):
    rows = extract(clips.REAL[name], tmp_path, ONE, name)
    assert len(rows) == len(list(tmp_path.glob("*.jpg")))
    assert all(0 <= row["time_s"] - row["frame"] < 0.05 for row in rows)
    assert len({row["perceptual_hash"] for row in rows}) > 1
    assert all(row["sharpness"] > 0 for row in rows)


def test_other_rates_are_exact(tmp_path):
    video = clips.numbered(tmp_path / "a.mkv", 60)
    rows = extract(video, tmp_path, FramesParams(Fraction(3, 2), 95), "a")
    assert [row["source_frame"] for row in rows] == [0, 14, 27, 40, 54]


def test_a_repeated_frame_differs_by_nothing(tmp_path):
    video = clips.numbered(tmp_path / "a.mkv", 3, pts=[0, 500, 3500])
    assert [row["difference"] for row in extract(video, tmp_path, ONE, "a")][2:] == [0.0, 0.0]


def test_a_video_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "a.mkv").write_text("no video")
    with pytest.raises(VideoError, match=r"^videos/a.mkv: it cannot be read"):
        extract(tmp_path / "a.mkv", tmp_path, ONE, "videos/a.mkv")


def test_quality_agrees_with_floating_point_references():
    rng = np.random.default_rng(0)
    grey, before = (rng.integers(0, 256, (60, 100), dtype=np.uint8) for _ in range(2))
    found = quality(grey, before)
    assert found.brightness == pytest.approx(grey.mean())
    assert found.contrast == pytest.approx(grey.std())
    assert found.sharpness == pytest.approx(cv2.Laplacian(grey, cv2.CV_64F).var())
    assert found.difference == pytest.approx(np.abs(grey.astype(float) - before).mean())
    assert found.saturated_share == pytest.approx(((grey <= 5) | (grey >= 250)).mean())


def test_blur_lowers_sharpness_and_a_flat_frame_has_none():
    rng = np.random.default_rng(0)
    grey = rng.integers(0, 256, (60, 100), dtype=np.uint8)
    assert quality(cv2.GaussianBlur(grey, (5, 5), 0), None).sharpness < quality(grey, None).sharpness / 4
    flat = quality(np.zeros((60, 100), np.uint8), None)
    assert (flat.sharpness, flat.contrast, flat.saturated_share, flat.difference) == (0.0, 0.0, 1.0, None)


def test_the_hash_survives_scaling_and_noise_and_tells_pictures_apart():
    rng = np.random.default_rng(0)
    grey = cv2.resize(rng.integers(0, 256, (8, 12), dtype=np.uint8), (300, 200), interpolation=cv2.INTER_CUBIC)
    other = cv2.resize(rng.integers(0, 256, (8, 12), dtype=np.uint8), (300, 200), interpolation=cv2.INTER_CUBIC)
    noisy = np.clip(cv2.resize(grey, (150, 100)) + rng.normal(0, 3, (100, 150)), 0, 255).astype(np.uint8)

    def distance(a, b) -> int:
        return (int(perceptual_hash(a), 16) ^ int(perceptual_hash(b), 16)).bit_count()

    assert distance(grey, noisy) <= 6
    assert distance(grey, other) > 16
