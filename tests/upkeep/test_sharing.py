"""What DVC's cache holds the store does not hold as well; and whatever happens to the cache, no wrong byte comes out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import kept_project
from scrubin import cli
from scrubin.base.errors import StageError
from scrubin.base.store import store
from scrubin.curate.project import outputs, room


@pytest.fixture
def project(tmp_path) -> Path:
    return kept_project.make(tmp_path)


def entry(project: Path, number: int) -> store.Entry | None:
    return store.lookup(kept_project.KEYS[number], project / store.STORE_PATH)


def own_videos(project: Path) -> list[Path]:
    return sorted((project / store.STORE_PATH).glob("??/*/video.mkv"))


def in_cache(project: Path, number: int) -> Path:
    return kept_project.object_path(project, kept_project.md5(kept_project.video(number)))


def test_a_shared_result_is_used_as_before_and_lies_once(project, tmp_path):
    assert room.share_with_cache(project) == 3000
    assert own_videos(project) == []
    for number in range(3):
        kept = entry(project, number)
        assert kept is not None
        kept.copy({name: tmp_path / "again" / str(number) / name for name in kept.files})
        assert (tmp_path / "again" / str(number) / "video.mkv").read_bytes() == kept_project.video(number)
        assert (tmp_path / "again" / str(number) / "video.mkv").stat().st_nlink == 1
        assert kept.is_sound(read=True)
    assert room.share_with_cache(project) == 0
    assert cli.main(["verify", str(project)]) == 0


def test_another_process_relies_on_the_same_objects_by_any_name_of_the_project(project, monkeypatch):
    monkeypatch.chdir(project)
    assert room.share_with_cache(Path()) == 3000
    assert store.lookup(kept_project.KEYS[0]) is not None
    assert entry(project, 0) is not None


def test_what_was_removed_from_the_cache_is_made_again(project):
    room.share_with_cache(project)
    in_cache(project, 1).unlink()
    assert entry(project, 1) is None
    assert entry(project, 0) is not None
    again, was_there = store.make(
        kept_project.KEYS[1],
        lambda folder: (folder / "video.mkv").write_bytes(kept_project.video(1)) and {"n": 1},
        project / store.STORE_PATH,
    )
    assert not was_there
    assert again.path("video.mkv").read_bytes() == kept_project.video(1)
    assert cli.main(["verify", str(project)]) == 0


@pytest.mark.parametrize("shared", [False, True])
def test_a_flipped_byte_with_an_unchanged_time_is_never_copied_and_the_next_run_makes_the_result_again(project, tmp_path, shared):
    if shared:
        room.share_with_cache(project)
    kept = entry(project, 0)
    kept_project.flip(kept.path("video.mkv"))
    assert kept.is_sound(read=False)
    with pytest.raises(StageError, match="its bytes have changed since it was written"):
        kept.copy({name: tmp_path / "out" / name for name in kept.files})
    assert not list((tmp_path / "out").glob("*"))
    assert entry(project, 0) is None
    store.make(
        kept_project.KEYS[0],
        lambda folder: (folder / "video.mkv").write_bytes(kept_project.video(0)) and {"n": 1},
        project / store.STORE_PATH,
    )
    assert entry(project, 0).path("video.mkv").read_bytes() == kept_project.video(0)


def test_nothing_is_given_up_for_an_object_of_other_bytes(project):
    kept_project.flip(in_cache(project, 2))
    assert room.share_with_cache(project) == 2000
    assert [path.read_bytes() for path in own_videos(project)] == [kept_project.video(2)]


def test_an_output_that_was_changed_before_dvc_kept_it_is_not_relied_on(project):
    lock = project / outputs.LOCK
    other = b"\xff" * 1000
    kept_project.keep(project, kept_project.md5(other), other)
    listed = next((project / outputs.CACHE).glob("*/*.dir"))
    text = listed.read_text().replace(kept_project.md5(kept_project.video(0)), kept_project.md5(other))
    kept_project.keep(project, f"{kept_project.md5(text.encode())}.dir", text.encode())
    lock.write_text(lock.read_text().replace(listed.parent.name + listed.name, f"{kept_project.md5(text.encode())}.dir"))
    assert room.share_with_cache(project) == 2000


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"video.mkv": {}}', '{"video.mkv": 1}', '{"video.mkv": {"path": "../x", "size": 1, "time_ns": 2}}']
)
def test_a_damaged_list_is_a_result_that_is_made_again(project, text):
    room.share_with_cache(project)
    listed = next((project / store.STORE_PATH).glob(f"??/*/{store.ELSEWHERE}"))
    listed.write_text(text)
    assert [entry(project, number) is None for number in range(3)].count(True) == 1


def test_a_cached_object_with_another_time_is_read_before_it_is_relied_on(project):
    room.share_with_cache(project)
    os.utime(in_cache(project, 0), (1, 1))
    assert entry(project, 0) is not None
    kept_project.flip(in_cache(project, 0))
    os.utime(in_cache(project, 0), (1, 1))
    assert entry(project, 0) is None


def test_a_project_without_a_run_or_without_a_store_shares_nothing(tmp_path):
    assert room.share_with_cache(tmp_path) == 0
