"""The release appears in its place whole and at once, or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import kept_project
from scrubin.base.errors import StageError
from scrubin.base.files import sha256_of
from scrubin.base.private_paths import RELEASE, UNRELEASED, fresh_part
from scrubin.stages.release import release_folder
from scrubin.stages.release.release_folder import BESIDE

FILES = {"splits/balanced.csv": b"id,task,subset\n", "videos/PegTransfer/left/abelo.mkv": b"a film" * 1000}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        fresh_part(name.partition("/")[0])
        (UNRELEASED / name).parent.mkdir(parents=True, exist_ok=True)
        (UNRELEASED / name).write_bytes(data)
    # What no stage writes there does not go into a release.
    (UNRELEASED / "notes").mkdir()
    (UNRELEASED / "notes/names.txt").write_text("Mirabella Quatermass")
    return tmp_path


def assembled(stated=None):
    return release_folder.of_release(release_folder.waiting(), stated or {}, lambda: None)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_is_beside_its_place_until_the_block_has_ended_well():
    with assembled() as copied:
        beside = copied.folder
        assert contents(beside) == FILES
        assert copied.sha256 == {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}
        assert beside.parent.stat().st_mode & 0o777 == 0o700
        assert not RELEASE.exists()
    assert contents(RELEASE) == FILES
    assert not BESIDE.exists()


@pytest.mark.parametrize("refusal", [StageError("a face"), KeyboardInterrupt(), OSError("the disk is full")])
def test_a_refusal_leaves_nothing_and_what_waits_stays(refusal):
    with pytest.raises(type(refusal)), assembled():
        raise refusal
    assert not RELEASE.exists()
    assert not BESIDE.exists()
    assert contents(UNRELEASED).keys() > FILES.keys()


def test_what_a_killed_run_has_left_is_in_no_release():
    BESIDE.mkdir()
    (BESIDE / "half.mkv").write_bytes(b"half a film")
    with assembled():
        pass
    assert contents(RELEASE) == FILES


def test_the_last_release_goes_in_one_step_and_alone(folder):
    with assembled():
        pass
    BESIDE.mkdir()
    release_folder.remove_release(folder)
    assert not RELEASE.exists()
    assert not BESIDE.exists()
    release_folder.remove_release()
    assert contents(UNRELEASED).keys() > FILES.keys()


def test_a_file_with_other_bytes_than_a_table_states_refuses_the_release():
    video = "videos/PegTransfer/left/abelo.mkv"
    stated = {video: sha256_of(UNRELEASED / video)}
    kept_project.flip(UNRELEASED / video)
    with pytest.raises(StageError, match="its bytes have changed"), assembled(stated):
        pass
    assert not RELEASE.exists()


def test_a_byte_that_changes_in_one_copy_harms_no_other():
    with assembled():
        pass
    for name, data in FILES.items():
        kept_project.flip(RELEASE / name)
        assert (UNRELEASED / name).read_bytes() == data


def test_each_copied_file_is_counted():
    done = []
    with release_folder.of_release(release_folder.waiting(), {}, lambda: done.append(1)):
        assert len(done) == len(FILES)
