from __future__ import annotations

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrubin.core import store
from scrubin.core.files import link_or_copy, whole, write_json


def work_writing(text: str, calls: list[int]):
    def work(folder: Path) -> str:
        calls.append(1)
        (folder / "a").mkdir()
        (folder / "a" / "file.txt").write_text(text)
        return text

    return work


def test_a_result_is_made_once_and_linked_read_only(tmp_path):
    calls: list[int] = []
    key = store.key_of("stage", "code", {"input": 1})
    first, was_there = store.make(key, work_writing("x", calls), tmp_path)
    again, was_there_again = store.make(key, work_writing("x", calls), tmp_path)
    assert (was_there, was_there_again, len(calls)) == (False, True, 1)
    assert again.value == first.value == "x"
    again.link_into(tmp_path / "out")
    linked = tmp_path / "out" / "a" / "file.txt"
    assert linked.stat().st_ino == (first.folder / "a" / "file.txt").stat().st_ino
    assert stat.S_IMODE(linked.stat().st_mode) == 0o444


def test_another_input_code_or_stage_is_another_result():
    base = store.key_of("stage", "code", {"input": 1})
    assert base not in {
        store.key_of("stage", "code", {"input": 2}),
        store.key_of("stage", "c", {"input": 1}),
        store.key_of("s", "code", {"input": 1}),
    }
    assert base == store.key_of("stage", "code", {"input": 1})


def test_a_damaged_result_is_made_again(tmp_path):
    calls: list[int] = []
    key = store.key_of("stage", "code", {})
    entry, _ = store.make(key, work_writing("x", calls), tmp_path)
    file = entry.folder / "a" / "file.txt"
    file.chmod(0o644)
    file.write_text("y")
    assert store.lookup(key, tmp_path) is None
    entry, was_there = store.make(key, work_writing("x", calls), tmp_path)
    assert not was_there
    assert (entry.folder / "a" / "file.txt").read_text() == "x"


def test_work_that_fails_leaves_nothing(tmp_path):
    def work(folder: Path) -> None:
        (folder / "half.txt").write_text("half")
        msg = "stop"
        raise OSError(msg)

    key = store.key_of("stage", "code", {})
    with pytest.raises(OSError, match="stop"):
        store.make(key, work, tmp_path)
    assert store.lookup(key, tmp_path) is None
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_folder_without_manifest_is_no_result(tmp_path):
    key = store.key_of("stage", "code", {})
    entry, _ = store.make(key, work_writing("x", []), tmp_path)
    (entry.folder / store.MANIFEST).unlink()
    assert store.lookup(key, tmp_path) is None


def test_file_times_tell_nothing_but_differ_with_the_content(tmp_path):
    times = set()
    for text in "xyz":
        entry, _ = store.make(store.key_of("stage", "code", {"t": text}), work_writing(text, []), tmp_path)
        times.add((entry.folder / "a" / "file.txt").stat().st_mtime_ns)
    assert len(times) == 3
    assert {time_ns // 10**9 for time_ns in times} == {946684800}


def test_the_code_version_follows_the_sources(monkeypatch, tmp_path):
    library = tmp_path / "scrubin"
    (library / "video").mkdir(parents=True)
    (library / "video" / "a.py").write_text("1")
    monkeypatch.setattr(store, "LIBRARY", library)
    before = store.code_version(("video",))
    (library / "video" / "a.py").write_text("2")
    changed = store.code_version(("video",))
    (library / "video" / "b.py").write_text("")
    assert len({before, changed, store.code_version(("video",)), store.code_version(("video",), ("numpy",))}) == 4


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def replace() -> None:
        with whole(path) as part:
            part.write_text("new, half of it")
            msg = "killed"
            raise RuntimeError(msg)

    with pytest.raises(RuntimeError, match="killed"):
        replace()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]  # noqa: PTH208


def test_json_refuses_nan_and_has_one_spelling(tmp_path):
    write_json(tmp_path / "a.json", {"b": 1, "a": "ä"})
    write_json(tmp_path / "b.json", {"a": "ä", "b": 1})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    with pytest.raises(ValueError, match="Out of range float"):
        write_json(tmp_path / "c.json", {"a": float("nan")})
    assert not (tmp_path / "c.json").exists()


def test_where_links_are_impossible_files_are_copied(tmp_path, monkeypatch):
    source = tmp_path / "source.txt"
    source.write_text("x")

    def no_links(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(os, "link", no_links)
    link_or_copy(source, tmp_path / "out" / "target.txt")
    assert (tmp_path / "out" / "target.txt").read_text() == "x"


def test_two_threads_make_a_result_once(tmp_path):
    calls: list[int] = []
    key = store.key_of("stage", "code", {})

    def slow(folder: Path) -> str:
        calls.append(1)
        time.sleep(0.05)
        (folder / "a.txt").write_text("x")
        return "x"

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: store.make(key, slow, tmp_path), range(4)))
    assert len(calls) == 1
    assert {(entry.folder / "a.txt").read_text() for entry, _ in made} == {"x"}


def test_a_result_that_another_run_made_meanwhile_is_taken(tmp_path):
    key = store.key_of("stage", "code", {})

    def overtaken(folder: Path) -> str:
        (folder / "a.txt").write_text("x")
        store._stored(key, lambda other: (other / "a.txt").write_text("x"), tmp_path)
        return "x"

    entry, _ = store.make(key, overtaken, tmp_path)
    assert (entry.folder / "a.txt").read_text() == "x"


def test_leftovers_of_killed_runs_are_removed_and_fresh_ones_kept(tmp_path):
    for name in ("old", "new"):
        (tmp_path / "ab" / f".part-{name}").mkdir(parents=True)
    os.utime(tmp_path / "ab" / ".part-old", (0, 0))
    store.remove_leftovers(tmp_path)
    assert [path.name for path in (tmp_path / "ab").iterdir()] == [".part-new"]
