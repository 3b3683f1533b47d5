from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrubin.base.errors import StageError
from scrubin.base.files import whole, write_json
from scrubin.base.store import store, uses, workspaces


def work_writing(text: str, calls: list[int]):
    def work(folder: Path) -> str:
        calls.append(1)
        (folder / "a").mkdir()
        (folder / "a" / "file.txt").write_text(text)
        return text

    return work


def test_a_result_is_made_once_and_a_copy_of_it_is_another_file(tmp_path):
    calls: list[int] = []
    key = store.key_of("stage", "code", {"input": 1})
    first, was_there = store.make(key, work_writing("x", calls), tmp_path)
    again, was_there_again = store.make(key, work_writing("x", calls), tmp_path)
    assert (was_there, was_there_again, len(calls)) == (False, True, 1)
    assert again.value == first.value == "x"
    again.copy({"a/file.txt": tmp_path / "out/a/file.txt"})
    copied, kept = tmp_path / "out" / "a" / "file.txt", first.folder / "a" / "file.txt"
    assert copied.stat().st_mtime_ns == kept.stat().st_mtime_ns
    assert stat.S_IMODE(kept.stat().st_mode) == 0o444
    copied.write_text("harm")
    assert kept.read_text() == "x"
    assert store.lookup(key, tmp_path) is not None


def test_another_input_code_or_stage_is_another_result():
    base = store.key_of("stage", "code", {"input": 1})
    assert base not in {
        store.key_of("stage", "code", {"input": 2}),
        store.key_of("stage", "c", {"input": 1}),
        store.key_of("s", "code", {"input": 1}),
    }
    assert base == store.key_of("stage", "code", {"input": 1})


def test_work_that_fails_leaves_nothing(tmp_path):
    def work(folder: Path) -> None:
        (folder / "half.txt").write_text("half")
        msg = "stop"
        raise OSError(msg)

    key = store.key_of("stage", "code", {})
    with pytest.raises(OSError, match="stop"):
        store.make(key, work, tmp_path)
    assert store.lookup(key, tmp_path) is None
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"beat"}


def test_file_times_tell_nothing_but_differ_with_the_content(tmp_path):
    times = set()
    for text in "xyz":
        entry, _ = store.make(store.key_of("stage", "code", {"t": text}), work_writing(text, []), tmp_path)
        times.add((entry.folder / "a" / "file.txt").stat().st_mtime_ns)
    assert len(times) == 3
    assert {time_ns // 10**9 for time_ns in times} == {946684800}


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


def test_a_file_that_was_written_to_is_noticed_by_its_time_and_one_that_was_not_is_not_read(tmp_path, monkeypatch):
    key = store.key_of("stage", "code", {})
    store.make(key, work_writing("x", []), tmp_path)
    monkeypatch.setattr(store, "_is_due", lambda _: False)
    monkeypatch.setattr(store, "sha256_of", lambda _: pytest.fail("it was read"))
    entry = store.lookup(key, tmp_path)
    assert entry is not None
    monkeypatch.undo()
    file = entry.folder / "a" / "file.txt"
    file.chmod(0o644)
    file.write_text("y")
    assert store.lookup(key, tmp_path) is None


def test_a_byte_that_changed_behind_the_file_system_is_noticed_when_all_is_read(tmp_path, monkeypatch):
    key = store.key_of("stage", "code", {})
    entry, _ = store.make(key, work_writing("x", []), tmp_path)
    file = entry.folder / "a" / "file.txt"
    time_ns = file.stat().st_mtime_ns
    file.chmod(0o644)
    file.write_text("y")
    os.utime(file, ns=(time_ns, time_ns))
    assert store.lookup(key, tmp_path, read=True) is None
    due = []
    for day in range(30):
        monkeypatch.setattr(time, "time", lambda day=day: day * 86_400.0)
        due.append(store.lookup(key, tmp_path) is None)
    assert sum(due) == 1  # it is due on one day of thirty


@pytest.mark.parametrize(
    "text", [None, "{}", "[]", "null", '{"files": {}}', '{"files": {}, "value": 1}', '{"files": 3, "value": 1, "sha256": ""}', "{"]
)
def test_a_manifest_that_does_not_say_all_is_no_result(tmp_path, text):
    key = store.key_of("stage", "code", {})
    entry, _ = store.make(key, work_writing("x", []), tmp_path)
    (entry.folder / store.MANIFEST).unlink()
    if text is not None:
        (entry.folder / store.MANIFEST).write_text(text)
    assert store.lookup(key, tmp_path) is None
    again, was_there = store.make(key, work_writing("x", []), tmp_path)
    assert (was_there, again.value) == (False, "x")


def test_a_number_of_a_manifest_that_changed_is_noticed(tmp_path):
    key = store.key_of("stage", "code", {})
    entry, _ = store.make(key, lambda _: {"frame_count": 180}, tmp_path)
    manifest = entry.folder / store.MANIFEST
    manifest.write_text(manifest.read_text().replace("180", "181"))
    assert store.lookup(key, tmp_path) is None


RACE = """
import sys, time
from pathlib import Path
from scrubin.base.store import workspaces as owners, store, uses
root, keys = Path(sys.argv[1]), int(sys.argv[2])
def work(folder):
    (folder / "a.txt").write_text("x" * 1000)
    time.sleep(0.002)
    return 7
for number in range(keys):
    entry, _ = store.make(store.key_of("race", "code", {"n": number}), work, root)
    assert entry.value == 7 and (entry.folder / "a.txt").read_text() == "x" * 1000
    entry.copy({name: root.parent / f"out-{sys.argv[3]}-{number}" / name for name in entry.files})
"""


@pytest.mark.slow
@pytest.mark.parametrize("damaged", [False, True])
def test_any_number_of_processes_make_the_same_results_and_none_fails(tmp_path, damaged):
    root, keys = tmp_path / "store", 40
    if damaged:
        for number in range(keys):
            entry, _ = store.make(
                store.key_of("race", "code", {"n": number}), lambda folder: (folder / "a.txt").write_text("y") and 7, root
            )
            (entry.folder / store.MANIFEST).write_text("{}")
    runs = [
        subprocess.Popen([sys.executable, "-c", RACE, str(root), str(keys), str(i)], stderr=subprocess.PIPE, text=True) for i in range(4)
    ]
    assert [(run.communicate()[1], run.returncode) for run in runs] == [("", 0)] * 4
    assert [path for path in root.glob(".parts/*/*") if path.is_dir()] == []


def test_a_fork_works_in_a_folder_of_its_own(tmp_path, monkeypatch):
    with workspaces.workspace(tmp_path) as ours:
        monkeypatch.setattr(os, "getpid", os.getppid)
        with workspaces.workspace(tmp_path) as theirs:
            assert ours.parent != theirs.parent
        monkeypatch.undo()


def test_what_a_killed_process_left_is_removed_at_once_and_what_a_living_one_writes_stays(tmp_path):
    script = f"""
import time
from pathlib import Path
from scrubin.base.store import workspaces as owners
with owners.workspace(Path({str(tmp_path)!r})) as folder:
    (folder / "half").write_text("x")
    print(folder, flush=True)
    time.sleep(60)
"""
    runs = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    folders = [Path(run.stdout.readline().strip()) for run in runs]
    runs[0].kill()
    runs[0].wait()
    workspaces.remove_leftovers(tmp_path)
    assert [folder.exists() for folder in folders] == [False, True]
    runs[1].kill()
    runs[1].communicate()
    runs[0].stdout.close()


def test_a_process_killed_before_it_wrote_anything_leaves_nothing(tmp_path):
    script = f"""
import os, signal
from pathlib import Path
from scrubin.base.store import workspaces as owners
Path.write_text = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
with owners.workspace(Path({str(tmp_path)!r})):
    pass
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    assert len(list((tmp_path / workspaces.FOLDER).iterdir())) == 1
    workspaces.remove_leftovers(tmp_path)
    assert list((tmp_path / workspaces.FOLDER).iterdir()) == []


@pytest.mark.slow
def test_a_process_of_another_machine_is_dead_when_its_count_stands_still_whatever_the_clocks_say(tmp_path, monkeypatch):
    monkeypatch.setattr(workspaces, "BEAT_S", 0.05)
    # A second in which nothing is counted: this process may have to wait for a processor.
    monkeypatch.setattr(workspaces, "WATCHED_BEATS", 20)
    folders = {name: tmp_path / workspaces.FOLDER / f"another-1-5-{name}" for name in ("counts", "stands")}
    for name, folder in folders.items():
        folder.mkdir(parents=True)
        (folder / "beat").write_text("1")
        os.utime(folder / "beat", (2**33, 2**33) if name == "stands" else (0, 0))
    workspaces.remove_leftovers(tmp_path)
    deadline = time.monotonic() + 60
    number = 1
    while folders["stands"].exists() and time.monotonic() < deadline:
        number += 1
        (folders["counts"] / "beat").write_text(str(number))
        time.sleep(0.01)
    assert [name for name, folder in folders.items() if folder.exists()] == ["counts"]


def test_the_last_good_run_of_a_stage_says_what_is_used_and_a_failed_one_adds_to_it(tmp_path):
    def run(stage: str, inputs: list[int], *, fails: bool = False) -> None:
        with contextlib.suppress(OSError), uses.of_stage(stage, tmp_path):
            for number in inputs:
                store.make(store.key_of(stage, "code", {"n": number}), work_writing("x", []), tmp_path)
            if fails:
                raise OSError

    run("screen", [1, 2])
    run("render", [1])
    run("screen", [2, 3])
    store.make(store.key_of("screen", "code", {"n": 9}), work_writing("x", []), tmp_path)  # by hand
    expected = {store.key_of("screen", "code", {"n": n}) for n in (2, 3)} | {store.key_of("render", "code", {"n": 1})}
    assert uses.used(tmp_path) == expected
    run("screen", [4], fails=True)
    assert uses.used(tmp_path) == expected | {store.key_of("screen", "code", {"n": 4})}
    run("screen", [4])
    assert uses.used(tmp_path) == {store.key_of("screen", "code", {"n": 4}), store.key_of("render", "code", {"n": 1})}


def test_a_full_disk_fails_with_one_sentence_that_names_the_place(tmp_path):
    def filling(_):
        with Path("/dev/full").open("wb") as file:  # every write to it fails as on a full disk
            file.write(b"x")

    says = r"cannot be written \(No space left on device\); make room on its disk, then run again"
    with pytest.raises(StageError, match=rf"store: {says}"):
        store.make("0" * 64, filling, tmp_path / "store")
    with pytest.raises(StageError, match=rf"a.json: {says}"), whole(tmp_path / "a.json"):
        filling(tmp_path)
    assert not (tmp_path / "a.json").exists()
