"""Where one file of a recording ends and the next begins, frames that stand in both are counted, another scene is noticed: nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from scrubin.base.errors import StageError
from scrubin.media.raw_file import stored_probe, stored_sha256
from scrubin.media.source import FilePart
from scrubin.stages.ingest import joining
from scrubin.stages.ingest.manifest import ClockParams, ManifestRow
from scrubin.stages.ingest.seam import jump, overlap
from scrubin.stages.ingest.seam_pictures import stored_pictures

SIDE_PX = 32


def scene(seed: int, count: int = 30, step_px: float = 0.5) -> np.ndarray:
    """Thumbnails of a smooth picture that drifts."""
    rng = np.random.default_rng(seed)
    waves = [(rng.uniform(1, 3), rng.uniform(1, 3), rng.uniform(0, 6)) for _ in range(4)]
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX] / SIDE_PX * 2
    moves = np.arange(count)[:, None, None] * step_px / SIDE_PX * 2
    level = sum(np.sin(a * (x + moves) * np.pi + b * y + phase) for a, b, phase in waves) / 4
    return np.repeat((128 + 100 * level)[..., None], 3, axis=-1).astype(np.float32)


@pytest.mark.parametrize("seed", range(10))
def test_a_scene_that_goes_on_is_one_scene(seed):
    pictures = scene(seed, 60)
    assert not jump(pictures[:30], pictures[30:])


@pytest.mark.parametrize("seed", range(10))
def test_another_scene_is_noticed(seed):
    assert jump(scene(seed), scene(seed + 100))


def test_where_everything_moves_a_jump_says_nothing():
    rng = np.random.default_rng(0)
    noise = rng.uniform(0, 255, (40, SIDE_PX, SIDE_PX, 3)).astype(np.float32)
    assert not jump(noise[:20], noise[20:])


def test_a_file_without_frames_of_its_own_has_no_scene():
    assert not jump(scene(1), scene(2)[:0])


def test_the_stretch_around_a_seam_is_a_second_of_either_file_whatever_its_rate(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = tmp_path / "raw"
    (raw / "videos").mkdir(parents=True)
    for name, source, rate in (("1", "testsrc2", 50), ("2", "smptebars", 10), ("3", "testsrc2", 25)):
        clips.ffmpeg(
            "-f", "lavfi", "-i", f"{source}=d=3:s=160x96:r={rate}", "-c:v", "libx264", "-pix_fmt", "yuv420p", raw / f"videos/{name}.mp4"
        )
    rows = tuple(ManifestRow(n, "r", "p", "", "", "T", "mono", f"videos/{n}.mp4", None, None, "", n) for n in (1, 2, 3))
    read = joining.read(raw, joining.CameraRecording(rows), ClockParams("", "none"))
    assert [said.partition("(at about ")[2].partition(" s)")[0] for said in read.doubts] == ["3.0", "6.0"]
    # Of 150, 30 and 75 frames: a second at each side.
    doubtful = [(part["doubtful_first"], part["doubtful_last"]) for part in read.parts[1:]]
    assert doubtful == [(100, 159), (170, 204)]


def test_a_disk_that_is_full_of_small_pictures_is_named(tmp_path, monkeypatch, small_disk):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mkv", seconds=1.0)
    part = FilePart(path.name, stored_sha256(path, path.name))
    stored_probe(path, path.name, part.sha256)
    with small_disk(20_000), pytest.raises(StageError, match=r"store: cannot be written \(File too large\); make room on its disk"):
        stored_pictures(tmp_path, part)
    assert len(stored_pictures(tmp_path, part).pictures) == 25


def pictures(seed: int, count: int, noise: float = 0.0) -> np.ndarray:
    """Thumbnails of a camera that wanders, from the picture of this number on, coded with some noise."""
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(0, 255, (count, 8, 8)).cumsum(axis=0) % 256
    fine = np.kron(coarse, np.ones((4, 4))) + np.random.default_rng(seed + 1).normal(0, noise, (count, SIDE_PX, SIDE_PX))
    return np.stack([fine, 255 - fine, np.full_like(fine, 80)], axis=-1).astype(np.float32)


def sides(seed: int, before: int, doubled: int, after: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """What ends one file and begins the next, coded twice."""
    moving = pictures(seed, before + after)
    coded = [moving + np.random.default_rng(seed + n).normal(0, noise, moving.shape) for n in (1, 2)]
    return coded[0][: before + doubled].astype(np.float32), coded[1][before:].astype(np.float32)


overlaps = st.tuples(
    st.integers(0, 2**32 - 5), st.integers(1, 30), st.integers(0, 30), st.integers(0, 10), st.sampled_from((0.0, 1.0, 2.0))
)


@given(overlaps)
def test_planted_frames_are_counted_exactly(drawn):
    seed, before, doubled, more, noise = drawn
    ending, beginning = sides(seed, before, doubled, doubled + more + 1, noise)
    assert overlap(ending, beginning) == doubled


def test_a_picture_that_never_moves_is_not_dropped():
    still = np.full((50, SIDE_PX, SIDE_PX, 3), 90, dtype=np.float32)
    assert overlap(still, still) == 0


def test_pictures_that_differ_in_colour_alone_are_others():
    moving = pictures(5, 40)
    assert overlap(moving, np.roll(moving, 1, axis=-1)) == 0
