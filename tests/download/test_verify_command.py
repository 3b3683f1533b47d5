"""`scrubin verify RELEASE` as a downloader types it: with the base install only, stopped and gone on, where nothing may be written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from downloaded_release import JPG, MKV, PARQUET, seal, write
from scrubin import cli
from scrubin.base import file_lists
from scrubin.base.errors import ReleaseError
from scrubin.data import verify
from scrubin.data.verify import digests, verification

GUARD = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ImportError(f"{{name}} is not installed here")
sys.meta_path.insert(0, Refuse())
from scrubin.cli import main
sys.exit(main(sys.argv[1:]))
"""
BLOCKED = ("cv2", "av", "yaml", "prefect", "dvc", "tqdm", "jinja2", "torch", "PIL", "scipy", "sklearn", "fcntl", "great_expectations")


def all_bytes(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_it_needs_only_the_base_install(released, tmp_path):
    command = [sys.executable, "-c", GUARD.format(blocked=BLOCKED), "verify", str(released), "--state", str(tmp_path / "state")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "sound: every file is as it was released" in done.stdout


def test_names_of_files_are_those_that_the_release_writes():
    assert (verify.SUMS, verify.FILES, verify.CROISSANT) == (file_lists.CHECKSUMS, file_lists.FILE_LIST, file_lists.CROISSANT)
    assert set(file_lists.NOT_IN_FILE_LIST) == verification.LATER


def test_a_table_with_a_row_too_many_is_of_another_version(copy, capsys):
    copy.table(PARQUET, lambda table: pa.concat_tables([table, table.slice(0, 1)]))
    seal(copy.folder)
    assert cli.main(["verify", str(copy.folder)]) == 1
    assert "rows, but metadata" in capsys.readouterr().out


def test_a_sound_copy_gives_0_and_is_not_touched(copy, capsys):
    before = all_bytes(copy.folder)
    for path in (copy.folder, *copy.folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert cli.main(["verify", str(copy.folder)]) == 0
    said = capsys.readouterr().out
    for path in (copy.folder, *copy.folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert all_bytes(copy.folder) == before
    assert "toy-study 1.1.0" in said
    assert "Peg: 3 recordings, 6 of 6 videos, 34 of 34 frames" in said
    assert "2 recordings were withdrawn in version 1.1.0: consent was withdrawn" in said


def test_a_damaged_copy_gives_1_and_says_what_to_do(copy, capsys, tmp_path):
    copy.path(JPG).unlink()
    assert cli.main(["verify", str(copy.folder), "--json", str(tmp_path / "out.json")]) == 1
    assert f"{JPG}: it is missing; get that file again" in capsys.readouterr().out
    document = json.loads((tmp_path / "out.json").read_text())
    assert (document["sound"], [fault["file"] for fault in document["faults"]]) == (False, [JPG])
    assert cli.main(["verify", str(copy.folder), "--json", "-"]) == 1
    assert json.loads(capsys.readouterr().out)["faults"] == document["faults"]


@pytest.mark.parametrize("lost", [(), ("SHA256SUMS",), ("SHA256SUMS", "croissant.json", "metadata/files.csv")])
def test_a_folder_is_known_as_a_release_also_without_its_lists(copy, lost, capsys):
    for name in lost:
        copy.path(name).unlink()
    assert cli.main(["verify", str(copy.folder)]) == (1 if lost else 0)
    assert all(name in capsys.readouterr().out for name in lost[:1])


@pytest.mark.parametrize(
    ("name", "says"),
    [("nowhere", "there is no such folder"), ("release.zip", "unpack it"), ("empty", "nothing of a release"), (".", "one lies in")],
)
def test_what_is_no_release_is_refused_with_a_hint(copy, tmp_path, name, says, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "release.zip").write_bytes(b"PK")
    (tmp_path / "empty").mkdir()
    assert cli.main(["verify", name]) == 1
    assert says in capsys.readouterr().err


def test_an_address_is_no_folder_and_it_is_said_how_it_is_loaded(capsys):
    assert cli.main(["verify", "s3://team/1.0.0?sig=a1"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("scrubin verify: s3://team/1.0.0: this is an address, and verify reads a folder: get the release into one first")
    assert "Release('s3://team/1.0.0') loads it from there, and proves every file" in said


@pytest.mark.parametrize("address", ["s3://bucket/study/1.0.0", "https://example.org/study"])
def test_an_address_cannot_be_verified_whatever_lies_there(address, capsys):
    assert cli.main(["verify", address]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"scrubin verify: {address}: this is an address")
    assert said.count("\n") == 1


def test_options_of_one_kind_are_refused_for_the_other(copy, tmp_path, capsys):
    assert cli.main(["verify", str(copy.folder), "--fix"]) == 1
    assert "--fix restores a project" in capsys.readouterr().err
    (tmp_path / "project").mkdir()
    (tmp_path / "project/dvc.lock").write_text("stages: {}\n")
    assert cli.main(["verify", str(tmp_path / "project"), "--quick"]) == 1
    assert "--quick is for a release" in capsys.readouterr().err


def test_a_second_look_after_a_mend_reads_only_what_changed(copy, tmp_path):
    state, whole = tmp_path / "state.jsonl", copy.path(MKV).read_bytes()
    copy.path(MKV).write_bytes(whole[:100])
    first = verification.verify(copy.folder, journal=state)
    assert (first.sound, first.read_before) == (False, 0)
    copy.path(MKV).write_bytes(whole)
    second = verification.verify(copy.folder, journal=state)
    assert (second.sound, second.read, second.read_before) == (True, 1, first.read - 1)
    assert not state.exists()  # a copy that is sound is read as a whole the next time


def test_a_file_that_changed_behind_the_clock_is_read_again(copy, tmp_path):
    state = tmp_path / "state.jsonl"
    copy.path(JPG).unlink()
    verification.verify(copy.folder, journal=state)
    status, data = copy.path(MKV).stat(), copy.path(MKV).read_bytes()
    copy.path(MKV).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    os.utime(copy.path(MKV), ns=(status.st_atime_ns, status.st_mtime_ns))
    assert {fault.file for fault in verification.verify(copy.folder, journal=state).errors} == {MKV, JPG}


def test_a_state_that_was_torn_or_is_of_something_else_costs_only_time(copy, tmp_path):
    state = tmp_path / "state.jsonl"
    copy.path(JPG).unlink()
    verification.verify(copy.folder, journal=state)
    data = state.read_bytes()
    for torn in (data[:-20], b"\0" * 100, b"[1]\n{}\n" + data[:200], b"null\n"):
        state.write_bytes(torn)
        assert [fault.file for fault in verification.verify(copy.folder, journal=state).errors] == [JPG]


def test_a_state_in_the_release_is_refused_and_one_that_cannot_be_written_is_done_without(copy, tmp_path):
    with pytest.raises(ReleaseError, match="lies in the release"):
        verification.verify(copy.folder, journal=copy.path("state"))
    (tmp_path / "file").write_text("")
    assert verification.verify(copy.folder, journal=tmp_path / "file/state").sound


@pytest.mark.slow
def test_ctrl_c_is_answered_at_once_and_the_next_run_goes_on(copy, tmp_path):
    with copy.path("videos/large.mkv").open("wb") as file:
        file.truncate(400 * 1000**3)  # takes minutes, and no room; of more than the limit nothing would be read
    state = tmp_path / "state.jsonl"
    command = [sys.executable, "-m", "scrubin", "verify", str(copy.folder), "--state", str(state)]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - in the background it is ignored
    )
    for _ in range(3000):  # not by the clock, which goes on while a virtual machine stands still
        if state.exists() and state.stat().st_size >= 5000:
            break
        time.sleep(0.02)
    assert state.exists(), "it has not begun"
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=120)
    assert running.returncode == 130, said
    assert "run the same command again" in said
    assert "Traceback" not in said
    copy.path("videos/large.mkv").unlink()
    result = verification.verify(copy.folder, journal=state)
    assert result.sound
    assert result.read_before > 20


def test_many_small_files_are_read_by_processes_and_give_the_same(copy, monkeypatch):
    monkeypatch.setattr(digests, "MANY_FILES", 2)
    monkeypatch.setattr(digests, "PIECE_FILES", 20)
    copy.path(JPG).write_bytes(b"\xff\xd8\xff other \xff\xd9")
    assert [fault.file for fault in verification.verify(copy.folder).errors] == [JPG]


def test_a_file_that_is_still_written_is_said_to_be(copy, monkeypatch):
    real = digests.read

    def while_reading(root, files):
        write(copy.path(MKV), b"more" * 10_000)
        return real(root, files)

    monkeypatch.setattr(digests, "read", while_reading)
    assert any(fault.file == MKV and fault.rule == "changing" for fault in verification.verify(copy.folder).errors)


def test_the_default_state_lies_in_the_cache_of_the_user_and_tells_copies_apart(tmp_path):
    one, other = digests.default_path(tmp_path / "a"), digests.default_path(tmp_path / "b")
    assert one != other
    assert one.parent == other.parent == tmp_path / "cache/scrubin/verify"
