"""Too little room is an error before the first video is rendered."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
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


def pair_of(raw: Path, fps: str, counts: tuple[int, int], end_s: float | None = None) -> list[FileToRender]:
    """Make both cameras of a pair in Matroska, which rounds times to milliseconds, and return them as they are to be rendered."""
    raw.mkdir(exist_ok=True)
    sources = []
    for camera, count in zip(("left", "right"), counts, strict=True):
        path = clip(raw / f"{camera}.mkv", seconds=4, fps=fps, size="32x32", more=("-frames:v", count))
        sources.append(Source.of_file(path.name, sha256_of(path)))
    common_s = min(float(source.probe(raw).end_s) for source in sources)
    names = zip(("left", "right"), sources, strict=True)
    return [FileToRender("r", camera, one, "T", "id", 0.0, end_s or common_s, fps, False, ()) for camera, one in names]


def counts_of(raw: Path, files: list[FileToRender]) -> list[int]:
    """Return how many frames of each are kept, once their ends are common."""
    ends = effort.common_ends([(file, effort.effort(raw, file, PARAMS)) for file in files])
    return [
        rendering.prepare(raw, replace(file, end_s=ends.get(("r", file.camera), file.end_s)), PARAMS).plan.frame_count for file in files
    ]


@pytest.mark.parametrize("fps", ["15", "25", "30", "30000/1001", "60"])
@pytest.mark.parametrize("missing", [1, 2, 3])
def test_cameras_of_which_one_ends_some_frames_earlier_keep_equally_many_where_the_container_rounds_times(folder, fps, missing):
    files = pair_of(folder / "raw", fps, (40, 40 - missing))
    assert counts_of(folder / "raw", files) == [40 - missing, 40 - missing]


def test_the_end_of_a_pair_changes_only_where_one_camera_alone_has_a_frame_at_it(folder):
    raw = folder / "raw"
    exact = pair_of(raw, "25", (40, 38))
    assert effort.common_ends([(file, effort.effort(raw, file, PARAMS)) for file in exact]) == {}
    # One that is missing before the end is missing still: both cameras have a last frame there.
    whole, gap = (effort.Effort(count, 0, 0.0, "", last_s=Fraction(39, 25)) for count in (40, 39))
    assert effort.common_ends([(exact[0], whole), (exact[1], gap)]) == {}


def test_cameras_that_keep_different_numbers_of_frames_are_told_of_an_end(folder):
    raw = folder / "raw"
    files = pair_of(raw, "25", (20, 18), end_s=0.8)
    error = tables.unequal_cameras([rendering.render(raw, file, PARAMS) for file in files])["r"]
    assert "(left 20, right 18); export both cameras again, frames are missing in one, or give an 'end_s'" in str(error)
