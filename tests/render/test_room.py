"""Too little room is an error before the first video is rendered."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from clips import clip
from scrubin.base.errors import StageError
from scrubin.base.files import sha256_of
from scrubin.media.source import Source
from scrubin.stages.render import RenderParams, effort, rendering, tables
from scrubin.stages.render.rendering import FileToRender

PARAMS = RenderParams("smart", 18, "veryfast", 0)
RELEASE = Path("data/release")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def free(monkeypatch, size: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=size))


@pytest.mark.parametrize(("archives", "needed"), [(False, 4.8e9), (True, 6.8e9)])
def test_store_cache_release_and_what_waits_for_it_each_take_a_copy_and_zips_two_more(monkeypatch, archives, needed):
    free(monkeypatch, int(needed * 1.001))
    assert f"about {needed / 1e9:.1f} GB more" in effort.require(10**9, RELEASE, archives=archives)
    free(monkeypatch, int(needed * 0.999))
    with pytest.raises(StageError, match=r"scrubin store --prune.*release\.archives: false"):
        effort.require(10**9, RELEASE, archives=archives)


def test_what_is_kept_from_an_earlier_run_needs_no_room(monkeypatch):
    free(monkeypatch, 0)
    assert "about 0.0 GB more" in effort.require(0, RELEASE, archives=True)


def test_a_release_that_was_refused_is_copied_as_a_whole_and_one_that_is_there_is_replaced(monkeypatch):
    free(monkeypatch, int(2.19e9))
    with pytest.raises(StageError, match=r"about 2\.2 GB more"):
        effort.require(0, RELEASE, archives=True, kept_bytes=10**9)
    (RELEASE / "videos").mkdir(parents=True)
    assert "about 0.0 GB more" in effort.require(0, RELEASE, archives=True, kept_bytes=10**9)


def test_the_estimate_is_an_upper_one_and_nothing_once_a_video_is_kept(folder):
    (folder / "raw").mkdir()
    path = clip(folder / "raw" / "a.mkv")
    file = FileToRender("r", "mono", Source.of_file("a.mkv", sha256_of(path)), "T", "id", 0.0, 1.0, "25", False, ())
    before = effort.effort(folder / "raw", file, PARAMS)
    made = rendering.render(folder / "raw", file, PARAMS)
    size = (made.entry.folder / rendering.FILE_NAME).stat().st_size
    assert 0.2 * size < before.new_bytes <= 3 * path.stat().st_size
    again = effort.effort(folder / "raw", file, PARAMS)
    assert (again.new_bytes, again.kept_bytes) == (0, size)


def test_a_link_that_leads_nowhere_takes_no_room(tmp_path):
    (tmp_path / "a.mkv").write_bytes(b"0123")
    (tmp_path / "dead.mkv").symlink_to("/nowhere/at/all")
    assert effort.size_of(tmp_path) == 4


def pair_of(
    raw: Path, fps: str, counts: tuple[int, int], kept_s: tuple[float, float | None] = (0.0, None), right: str = "mkv", *more: object
) -> list[FileToRender]:
    """Make both cameras of a pair, the left one in Matroska, which rounds times to milliseconds; return them as they are to be rendered."""
    raw.mkdir(exist_ok=True)
    sources = []
    for name, count, options in (("left.mkv", counts[0], ()), (f"right.{right}", counts[1], more)):
        path = clip(raw / name, seconds=4, fps=fps, size="32x32", more=("-frames:v", count, *options))
        sources.append(Source.of_file(path.name, sha256_of(path)))
    end_s = kept_s[1] or min(float(source.probe(raw).end_s) for source in sources)
    return [
        FileToRender("r", camera, sources[n], "T", "id", kept_s[0], end_s, fps, False, (), sources[1 - n])
        for n, camera in enumerate(("left", "right"))
    ]


def cuts_of(raw: Path, files: list[FileToRender]) -> list[tuple[int, int]]:
    """Return the first frame of each that is kept, and how many are."""
    plans = [rendering.prepare(raw, file, PARAMS).plan for file in files]
    return [(one.first_source_frame, one.frame_count) for one in plans]


@pytest.mark.parametrize("right", ["mkv", "mp4"])
@pytest.mark.parametrize("fps", ["15", "25", "30", "30000/1001", "60"])
@pytest.mark.parametrize("missing", [1, 2, 3])
def test_cameras_of_which_one_ends_some_frames_earlier_keep_equally_many_where_the_container_rounds_times(folder, fps, missing, right):
    files = pair_of(folder / "raw", fps, (40, 40 - missing), (0.0, None), right)
    assert cuts_of(folder / "raw", files) == [(0, 40 - missing), (0, 40 - missing)]


def test_cameras_of_two_containers_keep_the_same_frames_of_a_part_that_ends_between_their_times(folder):
    files = pair_of(folder / "raw", "30", (100, 100), (1.3333, 2.33333), "mp4")
    assert cuts_of(folder / "raw", files) == [(41, 29), (41, 29)]
    assert cuts_of(folder / "raw", [replace(file, partner=None) for file in files]) == [(41, 30), (40, 30)]


def test_cameras_of_which_one_lacks_a_frame_on_the_way_are_set_aside_and_told_of_a_part_without_it(folder):
    raw = folder / "raw"
    files = pair_of(raw, "25", (20, 19), (0.0, 0.8), "mp4", "-vf", "select=not(eq(n\\,9))", "-fps_mode", "vfr")
    error = tables.unequal_cameras([rendering.render(raw, file, PARAMS) for file in files])["r"]
    assert "(left 20, right 19); export both cameras again, frames are missing in one, or leave these out by 'start_s'" in str(error)
