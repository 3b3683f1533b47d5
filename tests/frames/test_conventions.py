"""Our statement of ffmpeg's conventions, held to ffmpeg itself on clips whose pictures tell their number."""

from __future__ import annotations

import re
import tempfile
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from scrubin.base.errors import StageError
from scrubin.media.released.frame_files import source_frames
from scrubin.stages.frames.conventions import DOWN, NEAR, OURS, OUTPUT_RATE, SHIFTED, UP, Convention, Timeline, every_nth, simplest_rates
from scrubin.stages.frames.thumbnails import thumbnails_of

PAUSE = [n * 50 for n in range(30)] + [n * 50 + 420 for n in range(30, 45)] + [n * 90 - 1380 for n in range(45, 70)]
UNEVEN = [sum((40, 33, 80, 41, 120, 500 if n % 20 == 7 else 40)[n % 6] for n in range(k)) for k in range(70)]
RATES = ("25", "24", "30000/1001", "20", "pause", "uneven")
OPTIONS = {
    NEAR: lambda rate: ("-vf", f"fps={rate}"),
    DOWN: lambda rate: ("-vf", f"fps={rate}:round=down"),
    UP: lambda rate: ("-vf", f"fps={rate}:round=up"),
    OUTPUT_RATE: lambda rate: ("-r", rate),
}


@pytest.fixture(scope="module")
def videos(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("videos")
    made = {name: clips.numbered(folder / f"{name}.mkv", 70, pts=pts) for name, pts in (("pause", PAUSE), ("uneven", UNEVEN))}
    for rate in ("25", "24", "20"):
        made[rate] = clips.numbered(folder / f"{rate}.mkv", 70, fps=int(rate))
    clock = ("-vf", "setpts=N*1001/30000/TB", "-r", "30000/1001", "-video_track_timescale", "30000", "-c:v", "libx264", "-crf", "1")
    clips.ffmpeg("-i", made["25"], *clock, folder / "ntsc.mp4")
    return made | {"30000/1001": folder / "ntsc.mp4"}


def made_by_ffmpeg(folder: Path, video: Path, *options: str) -> list[int]:
    folder.mkdir()
    clips.ffmpeg("-i", video, *options, folder / "%06d.png")
    luma = [cv2.imread(str(path), cv2.IMREAD_GRAYSCALE).mean() * 219 / 255 for path in sorted(folder.iterdir())]
    return [round(value / 3) for value in luma]


def test_a_full_disk_of_scratch_files_is_named(videos, small_disk):
    with small_disk(1000), pytest.raises(StageError, match=f"^{re.escape(tempfile.gettempdir())}: cannot be written"):
        thumbnails_of(videos["25"], "25")


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", RATES)
def test_ffmpeg_picks_these_frames(videos, tmp_path, name):
    line = thumbnails_of(videos[name], name).timeline
    for rate in ("1", "2", "3/2"):
        for kind, options in OPTIONS.items():
            shown = made_by_ffmpeg(tmp_path / f"{rate.replace('/', '_')}_{kind}", videos[name], *options(rate))
            assert Convention(kind, Fraction(rate)).frames(line).tolist() == shown, (kind, rate)
    shown = made_by_ffmpeg(tmp_path / "nth", videos[name], "-vf", "select=not(mod(n\\,25))", "-fps_mode", "passthrough")
    assert every_nth(25).frames(line).tolist() == shown == [0, 25, 50]


def test_the_1_fps_trap_at_25_frames_per_second():
    line = Timeline(np.arange(255) * 40, np.full(255, 40), Fraction(1, 1000))
    picked = {kind: Convention(kind, Fraction(1)).frames(line).tolist() for kind in (NEAR, DOWN, OUTPUT_RATE, UP, OURS)}
    assert picked[NEAR][:3] == [12, 37, 62]
    assert picked[DOWN][:2] == [24, 49]
    assert picked[OUTPUT_RATE][:4] == [0, 1, 22, 47]
    assert picked[UP] == every_nth(25).frames(line).tolist() == picked[OURS] == list(range(0, 251, 25))
    assert [len(picked[kind]) for kind in (NEAR, DOWN, OUTPUT_RATE, UP)] == [10, 10, 12, 11]


def test_a_file_that_starts_before_its_pictures_shifts_ffmpeg_and_not_us(tmp_path):
    sound = ("-f", "lavfi", "-i", "sine=duration=6")
    pictures = ("-itsoffset", "0.6", "-i", clips.numbered(tmp_path / "n.mkv", 70))
    clips.ffmpeg(*sound, *pictures, "-map", "0", "-map", "1", "-c:v", "copy", tmp_path / "late.mkv")
    line = thumbnails_of(tmp_path / "late.mkv", "late").timeline
    assert float(line.lead * line.time_base) == pytest.approx(0.6, abs=0.002)
    shown = made_by_ffmpeg(tmp_path / "near", tmp_path / "late.mkv", "-vf", "fps=1")
    assert Convention(NEAR, Fraction(1)).frames(line).tolist() == shown
    assert Convention(OURS, Fraction(1)).frames(line).tolist() == [0, 20, 40, 60]


@given(
    steps=st.lists(st.integers(1, 3000), min_size=1, max_size=60),
    rate=st.fractions(min_value=Fraction(1, 10), max_value=30, max_denominator=1001),
)
def test_a_grid_without_shift_is_the_contract(steps, rate):
    ticks = np.cumsum([0, *steps])
    line = Timeline(ticks, np.full(len(ticks), 40), Fraction(1, 1000))
    numbers = source_frames([Fraction(int(tick), 1000) for tick in ticks], rate)
    assert Convention(SHIFTED, rate).frames(line).tolist() == Convention(OURS, rate).frames(line).tolist() == numbers


@given(near=st.floats(0.001, 200), tolerance=st.floats(1e-4, 0.5))
def test_usual_rates_are_near_and_never_none(near, tolerance):
    rates = simplest_rates(near, tolerance, 5)
    assert 1 <= len(rates) <= 5
    assert all(abs(float(rate) / near - 1) <= max(tolerance, 1e-2) for rate in rates)
