"""Too little room is an error before the first video is rendered."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from clips import clip
from scrubin.base.errors import StageError
from scrubin.base.files import sha256_of
from scrubin.media.source import Source
from scrubin.stages.render import RenderParams, effort, rendering
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
