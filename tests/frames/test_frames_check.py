"""Folders made by ffmpeg itself, by us, and damaged on purpose: what the check says of them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import clips
from scrubin.base.errors import ReleaseError, VideoError
from scrubin.stages.frames.conventions import DOWN, EVERY_NTH, NEAR, OURS, OUTPUT_RATE, UP
from scrubin.stages.frames.extract import extract
from scrubin.stages.frames.frame_params import FramesParams
from scrubin.stages.frames.verdict import FOREIGN, NONE, UNDECIDED, FolderVerdict, check

PARAMS = FramesParams(fps=Fraction(1), format="jpg", quality=95, height=None, shards="none")
NOISE = ("-vf", "noise=alls=8:allf=t")
EXTRACTED: dict[tuple[Path, FramesParams], dict[str, bytes]] = {}
"""The files that we make of a video, each made once."""
UNEVEN = [sum((40, 33, 80, 41, 120, 500 if n % 20 == 7 else 40)[n % 6] for n in range(k)) for k in range(70)]
OPTIONS = {
    NEAR: ("-vf", "fps=1"),
    DOWN: ("-vf", "fps=1:round=down"),
    UP: ("-vf", "fps=1:round=up"),
    OUTPUT_RATE: ("-r", "1"),
    EVERY_NTH: ("-vf", "select=not(mod(n\\,25))", "-fps_mode", "passthrough"),
}


@pytest.fixture(scope="module")
def videos(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("videos")
    made = {
        rate: clips.clip(folder / f"{rate.replace('/', '_')}.mp4", seconds=12, fps=rate, size="160x90", more=NOISE)
        for rate in ("25", "24", "30000/1001", "20")
    }
    return made | {"uneven": clips.numbered(folder / "uneven.mkv", 70, pts=UNEVEN)}


def by_ffmpeg(folder: Path, video: Path, *options: object, suffix: str = "jpg") -> Path:
    folder.mkdir()
    clips.ffmpeg("-i", video, *options, folder / f"%06d.{suffix}")
    return folder


def by_us(folder: Path, video: Path, params: FramesParams = PARAMS) -> Path:
    folder.mkdir()
    if (video, params) not in EXTRACTED:
        extract(video, folder, params, "a")
        EXTRACTED[video, params] = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name, data in EXTRACTED[video, params].items():
        (folder / name).write_bytes(data)
    return folder


def judged(folder: Path, video: Path, fps: Fraction | None = None, **more: bool) -> FolderVerdict:
    return check(folder, video, folder.name, video.name, fps, **more)


@pytest.mark.cases(5)
@pytest.mark.parametrize(
    ("rate", "kind", "found", "median_s", "frames"),
    [
        ("25", NEAR, NEAR, 0.48, 12),
        ("25", DOWN, DOWN, 0.96, 24),
        ("25", UP, OURS, 0, 0),
        ("25", EVERY_NTH, OURS, 0, 0),
        ("25", OUTPUT_RATE, OUTPUT_RATE, -1.12, -28),
        ("24", NEAR, NEAR, 11 / 24, 11),
        ("24", DOWN, DOWN, 23 / 24, 23),
        ("24", UP, OURS, 0, 0),
        ("24", OUTPUT_RATE, OUTPUT_RATE, -1.125, -27),
        ("30000/1001", NEAR, NEAR, 14 * 1001 / 30000, 14),
        ("30000/1001", DOWN, DOWN, 29 * 1001 / 30000, 29),
        ("30000/1001", UP, UP, -1001 / 30000, -1),
        ("30000/1001", OUTPUT_RATE, OUTPUT_RATE, -34 * 1001 / 30000, -34),
        ("20", NEAR, NEAR, 0.45, 9),
        ("20", DOWN, DOWN, 0.95, 19),
        ("20", UP, OURS, 0, 0),
        ("20", OUTPUT_RATE, OUTPUT_RATE, -1.15, -23),
    ],
)
def test_ffmpegs_conventions_are_told_with_their_shift(videos, tmp_path, rate, kind, found, median_s, frames):
    verdict = judged(by_ffmpeg(tmp_path / "f", videos[rate], *OPTIONS[kind]), videos[rate])
    assert (verdict.kind, verdict.rate, verdict.number_start, verdict.begins_at) == (found, "1", 1, 0)
    assert (verdict.missing, verdict.unfit, verdict.moved_at, verdict.possible) == ([], [], {}, [])
    assert verdict.shift is not None
    assert verdict.shift.median_s == pytest.approx(median_s, abs=1e-4)
    assert verdict.shift.median_frames == frames
    assert verdict.shift.drift_s_per_hour == pytest.approx(0, abs=1e-6)
    assert not verdict.follows_contract
    assert verdict.what_to_do[0] == "subtract 1 from the numbers of the files: they count from 1"
    if frames:
        assert verdict.what_to_do[1].startswith(f"subtract {median_s:.3f} s ({frames:g} frames) from the times of the video's labels")
    if kind in (UP, EVERY_NTH) and found == OURS:
        assert any("every" in name for name in verdict.also)
        assert any("round=up" in name for name in verdict.also)


@pytest.mark.cases(3)
@pytest.mark.parametrize("rate", ["25", "24", "30000/1001", "20", "uneven"])
def test_our_own_folder_follows_the_contract(videos, tmp_path, rate):
    verdict = judged(by_us(tmp_path / "f", videos[rate]), videos[rate])
    assert (verdict.follows_contract, verdict.kind, verdict.number_start, verdict.what_to_do) == (True, OURS, 0, [])


@pytest.mark.parametrize(("kind", "options"), [(NEAR, "fps=2"), (UP, "fps=2:round=up"), (OUTPUT_RATE, None)])
def test_a_variable_rate_is_no_excuse(videos, tmp_path, kind, options):
    given = ("-r", "2") if options is None else ("-vf", options)
    verdict = judged(by_ffmpeg(tmp_path / "f", videos["uneven"], *given), videos["uneven"])
    assert (verdict.kind, verdict.rate, verdict.unfit, verdict.follows_contract) == (kind, "2", [], False)


def test_every_nth_frame_of_a_variable_rate_is_told_by_counting(videos, tmp_path):
    options = ("-vf", "select=not(mod(n\\,10))", "-fps_mode", "passthrough")
    verdict = judged(by_ffmpeg(tmp_path / "f", videos["uneven"], *options), videos["uneven"])
    assert (verdict.kind, verdict.convention) == (EVERY_NTH, "every 10th frame")


@pytest.mark.slow
def test_every_30th_frame_at_29_97_drifts_by_3_6_s_per_hour(tmp_path):
    video = clips.clip(tmp_path / "a.mp4", seconds=420, fps="30000/1001", size="64x36", more=("-g", "250", "-bf", "0"))
    verdict = judged(by_ffmpeg(tmp_path / "f", video, "-vf", "select=not(mod(n\\,30))", "-fps_mode", "passthrough"), video)
    assert (verdict.kind, verdict.convention, verdict.rate) == (EVERY_NTH, "every 30th frame", "1")
    assert verdict.shift is not None
    assert verdict.shift.drift_s_per_hour == pytest.approx(3.6, abs=0.4)
    assert 0.35 < verdict.shift.most_s < 0.45


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("more", "suffix", "start"),
    [
        ((), "png", 1),
        (("-start_number", "0"), "jpg", 0),
        (("-s", "64x36"), "jpg", 1),
        (("-s", "320x180", "-q:v", "5"), "jpg", 1),
        (("-q:v", "31"), "jpg", 1),
        (("-s", "64x64"), "png", 1),
    ],
    ids=["png", "start_number 0", "smaller", "larger", "worst jpeg", "other aspect"],
)
def test_format_size_compression_and_numbering_change_nothing(videos, tmp_path, more, suffix, start):
    verdict = judged(by_ffmpeg(tmp_path / "f", videos["25"], "-vf", "fps=1", *more, suffix=suffix), videos["25"])
    assert (verdict.kind, verdict.number_start, verdict.unfit) == (NEAR, start, [])
    assert verdict.shift is not None
    assert verdict.shift.median_s == 0.48


@pytest.mark.parametrize(
    "params", [replace(PARAMS, height=36, quality=20), replace(PARAMS, format="png"), replace(PARAMS, fps=Fraction(5, 2))]
)
def test_our_other_sizes_formats_and_rates_follow_too(videos, tmp_path, params):
    assert judged(by_us(tmp_path / "f", videos["25"], params), videos["25"]).follows_contract


def test_a_shard_is_read_like_a_folder(videos, tmp_path):
    folder = by_us(tmp_path / "f", videos["25"], replace(PARAMS, shards="per-recording"))
    verdict = judged(folder / "frames.tar", videos["25"])
    assert (verdict.follows_contract, verdict.pictures) == (True, 12)


@pytest.mark.slow
@pytest.mark.parametrize("name", clips.LAST_IS_SLOW)
def test_real_footage(tmp_path, name):
    video = clips.REAL[name]
    ours, theirs = by_us(tmp_path / "o", video, replace(PARAMS, fps=Fraction(2))), by_ffmpeg(tmp_path / "t", video, "-vf", "fps=2")
    assert judged(ours, video).follows_contract
    assert judged(theirs, video).kind == NEAR


def test_a_rotated_video_is_compared_as_players_show_it(videos, tmp_path):
    clips.ffmpeg("-display_rotation", "90", "-i", videos["25"], "-c", "copy", tmp_path / "r.mp4")
    assert judged(by_us(tmp_path / "o", tmp_path / "r.mp4"), tmp_path / "r.mp4").follows_contract
    assert judged(by_ffmpeg(tmp_path / "t", tmp_path / "r.mp4", "-vf", "fps=1"), tmp_path / "r.mp4").kind == NEAR


def renumber(folder: Path, numbers: dict[int, int]) -> None:
    for number in sorted(numbers, key=lambda k: numbers[k] > k, reverse=False):
        (folder / f"{number:06d}.jpg").rename(folder / f"x{numbers[number]:06d}.jpg")
    for path in folder.glob("x*"):
        path.rename(folder / path.name[1:])


def test_a_dropped_frame_is_missing_unless_that_is_allowed(videos, tmp_path):
    folder = by_us(tmp_path / "f", videos["25"])
    for k in (0, 5, 11):
        (folder / f"{k:06d}.jpg").unlink()
    verdict = judged(folder, videos["25"])
    assert (verdict.kind, verdict.missing, verdict.moved_at, verdict.follows_contract) == (OURS, [0, 5, 11], {}, False)
    assert verdict.what_to_do == ["3 of 12 numbers have no picture; where they were dropped on purpose, give --allow-missing"]
    assert judged(folder, videos["25"], allow_missing=True).follows_contract


def test_a_picture_lost_and_the_others_renumbered_is_found_where_it_was(videos, tmp_path):
    folder = by_us(tmp_path / "f", videos["25"])
    (folder / "000004.jpg").unlink()
    renumber(folder, {k: k - 1 for k in range(5, 12)})
    verdict = judged(folder, videos["25"], allow_missing=True)
    assert (verdict.kind, verdict.missing, verdict.moved_at, verdict.follows_contract) == (OURS, [4], {"000004.jpg": 1}, False)
    assert "pictures are missing or doubled" in " ".join(verdict.what_to_do)


def test_a_doubled_picture_is_found_where_it_is(videos, tmp_path):
    folder = by_us(tmp_path / "f", videos["25"])
    renumber(folder, {k: k + 1 for k in range(7, 12)})
    shutil.copy(folder / "000006.jpg", folder / "000007.jpg")
    verdict = judged(folder, videos["25"])
    assert (verdict.kind, verdict.moved_at, verdict.follows_contract) == (OURS, {"000007.jpg": -1}, False)


def test_one_wrong_picture_is_named(videos, tmp_path):
    folder = by_us(tmp_path / "f", videos["25"])
    shutil.copy(folder / "000002.jpg", folder / "000008.jpg")
    verdict = judged(folder, videos["25"])
    assert (verdict.kind, verdict.unfit, verdict.follows_contract) == (OURS, ["000008.jpg"], False)


def test_names_that_are_frames_of_the_video_are_told(videos, tmp_path):
    folder = by_us(tmp_path / "f", videos["25"])
    for path in sorted(folder.iterdir(), reverse=True):
        path.rename(folder / f"video_{int(path.stem) * 25}.jpg")
    verdict = judged(folder, videos["25"])
    assert (verdict.kind, verdict.number_step, verdict.follows_contract) == (OURS, 25, False)
    assert verdict.what_to_do == ["divide the numbers of the files by 25"]


def test_a_folder_of_another_cut_is_shifted_by_a_constant(videos, tmp_path):
    folder = tmp_path / "f"
    folder.mkdir()
    clips.ffmpeg("-ss", "3.28", "-i", videos["25"], "-vf", "fps=1:round=up", "-start_number", "0", folder / "%06d.jpg")
    verdict = judged(folder, videos["25"])
    assert verdict.convention == "every 25th frame from frame 7"
    assert verdict.shift is not None
    assert (verdict.shift.median_s, verdict.shift.least_s, verdict.shift.most_s) == (3.28, 3.28, 3.28)
    assert (verdict.missing, verdict.follows_contract) == ([], False)


@pytest.mark.slow
def test_29_97_cut_elsewhere_is_a_grid_with_a_shift(videos, tmp_path):
    video = clips.clip(tmp_path / "a.mp4", seconds=60, fps="30000/1001", size="160x90", more=NOISE)
    options = ("-vf", "trim=start=4.5,setpts=PTS-STARTPTS,fps=7/3:round=up", "-start_number", "0")
    verdict = judged(by_ffmpeg(tmp_path / "f", video, *options), video, Fraction(7, 3))
    assert verdict.shift is not None
    assert verdict.shift.median_s == pytest.approx(4.5, abs=0.05)
    assert verdict.shift.drift_s_per_hour == pytest.approx(0, abs=3)
    assert not verdict.follows_contract


def test_a_rate_that_was_asked_for_must_be_there(videos, tmp_path):
    folder = by_us(tmp_path / "f", videos["25"], replace(PARAMS, fps=Fraction(2)))
    assert judged(folder, videos["25"], Fraction(2)).follows_contract
    verdict = judged(folder, videos["25"], Fraction(1))
    assert not verdict.follows_contract
    assert verdict.what_to_do[0] == "the folder has 2 pictures per second, not 1"


def test_an_odd_rate_follows_only_when_it_is_meant(videos, tmp_path):
    options = ("-vf", "select=not(mod(n\\,25))", "-fps_mode", "passthrough", "-start_number", "0")
    folder = by_ffmpeg(tmp_path / "f", videos["24"], *options)
    verdict = judged(folder, videos["24"])
    assert (verdict.kind, verdict.rate, verdict.follows_contract) == (OURS, "24/25", False)
    assert verdict.what_to_do == ["the folder has 24/25 pictures per second; where that is meant, give --fps 24/25"]
    assert judged(folder, videos["24"], Fraction(24, 25)).follows_contract
    asked = judged(folder, videos["24"], Fraction(1))
    assert (asked.follows_contract, asked.convention) == (False, "every 25th frame")


def test_a_still_scene_tells_nothing_and_that_is_said(tmp_path):
    video = clips.clip(tmp_path / "a.mp4", seconds=12, size="160x90", more=("-vf", "drawbox=c=gray:t=fill"))
    for folder in (by_us(tmp_path / "o", video), by_ffmpeg(tmp_path / "t", video, "-vf", "fps=1")):
        verdict = judged(folder, video)
        assert (verdict.kind, verdict.shift, verdict.follows_contract) == (UNDECIDED, None, False)
        assert {"ffmpeg -vf fps=1", "ffmpeg -vf fps=1:round=down"} <= set(verdict.possible)


@pytest.mark.slow
def test_a_scene_that_is_mostly_still_is_told_by_its_few_movements(tmp_path):
    still = ("-vf", "loop=loop=60:size=1:start=40,loop=loop=90:size=1:start=180,setpts=N/25/TB")
    video = clips.clip(tmp_path / "a.mp4", seconds=10, size="160x90", more=still)
    assert judged(by_us(tmp_path / "o", video), video).follows_contract
    assert judged(by_ffmpeg(tmp_path / "t", video, "-vf", "fps=1"), video).kind == NEAR


def test_pictures_of_another_video_are_recognised(videos, tmp_path):
    folder = by_ffmpeg(tmp_path / "f", clips.REAL["bikes"], "-vf", "fps=1")
    verdict = judged(folder, videos["25"])
    assert (verdict.kind, verdict.follows_contract) == (FOREIGN, False)


def test_pictures_without_any_order_follow_nothing(videos, tmp_path):
    folder = by_us(tmp_path / "f", videos["25"], replace(PARAMS, fps=Fraction(5)))
    numbers = list(range(60))
    renumber(folder, {k: (k * 23 + 7) % 60 for k in numbers})
    verdict = judged(folder, videos["25"])
    assert (verdict.kind, verdict.follows_contract) == (NONE, False)


def test_what_cannot_be_checked_is_an_error_with_its_name(videos, tmp_path):
    folder = tmp_path / "f"
    with pytest.raises(ReleaseError, match="f: it is no folder"):
        judged(folder, videos["25"])
    folder.mkdir()
    with pytest.raises(ReleaseError, match=r"f: it holds no .jpg or .png file"):
        judged(folder, videos["25"])
    (folder / "a.jpg").write_bytes(b"x")
    with pytest.raises(ReleaseError, match=r"f/a.jpg: its name has no number"):
        judged(folder, videos["25"])
    (folder / "a.jpg").rename(folder / "1.jpg")
    with pytest.raises(ReleaseError, match=r"f/1.jpg: it cannot be decoded"):
        judged(folder, videos["25"])
    (folder / "0001.png").write_bytes(b"x")
    with pytest.raises(ReleaseError, match=r"f/1.jpg: its name has the same number as 0001.png"):
        judged(folder, videos["25"])
    few = by_us(tmp_path / "few", videos["25"], replace(PARAMS, fps=Fraction(1, 10)))
    with pytest.raises(ReleaseError, match="few: 2 pictures do not tell their rate; give --fps"):
        judged(few, videos["25"])
    assert judged(few, videos["25"], Fraction(1, 10)).follows_contract
    (tmp_path / "a.mkv").write_text("no video")
    with pytest.raises(VideoError, match=r"a\.mkv"):
        judged(few, tmp_path / "a.mkv", Fraction(1))
