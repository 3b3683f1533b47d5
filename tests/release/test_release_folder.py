"""The release appears in its place whole and at once, or not at all; what the next one holds as well is not copied again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

import kept_project
from scrubin.base import file_lists
from scrubin.base.errors import StageError
from scrubin.base.files import set_fixed_time, sha256_of, write_text
from scrubin.base.layout import RELEASE, UNRELEASED
from scrubin.base.private_paths import BESIDE, fresh_part, release_now
from scrubin.stages.release import added_files, release_folder

VIDEO, OTHER = "videos/PegTransfer/left/abelo.mkv", "videos/PegTransfer/left/brinn.mkv"
RIGHT = "videos/PegTransfer/right/abelo.mkv"
FILES = {"splits/balanced.csv": b"id,task,subset\n", VIDEO: b"a film" * 1000, OTHER: b"another" * 1000, RIGHT: b"its right eye" * 500}
AUDIT = "its SHA-256 is not the one in SHA256SUMS"
VIDEOS = FILES.keys() - {"splits/balanced.csv"}
LEFT_ZIP, RIGHT_ZIP = "archives/PegTransfer_left.zip", "archives/PegTransfer_right.zip"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in {name.partition("/")[0] for name in FILES}:
        fresh_part(name)
    for name, data in FILES.items():
        (UNRELEASED / name).parent.mkdir(parents=True, exist_ok=True)
        write(name, data)
    # What no stage writes there does not go into a release.
    (UNRELEASED / "notes").mkdir()
    (UNRELEASED / "notes/names.txt").write_text("Mirabella Quatermass")
    return tmp_path


def write(name: str, data: bytes) -> None:
    """Videos have the time of their content, as `scrubin.base.files.copy` leaves them; lists that of their writing."""
    (UNRELEASED / name).write_bytes(data)
    if name.startswith("videos/"):
        set_fixed_time(UNRELEASED / name, sha256_of(UNRELEASED / name))


def assembled(stated=None, *, audited=False):
    return release_folder.of_release(release_folder.waiting(), stated or {}, lambda: None, audited=audited)


def released(stated=None, *, refusal: BaseException | None = None) -> set[str]:
    """Release once more, as the flow does; return the archives that had to be written."""
    audited = release_folder.set_aside()
    with assembled(stated, audited=audited) as copied:
        added_files.discard(copied.folder, copied.sha256)
        archives = added_files.archive_contents(copied.folder)
        written = {f"{added_files.ARCHIVES}/{name}" for name in archives} - set(copied.sha256)
        for name in written:
            added_files.write_archive(copied.folder / name, archives[Path(name).name])
        sha256 = added_files.hashes(copied.folder, copied.sha256)
        write_text(copied.folder / "SHA256SUMS", file_lists.checksums_text(sha256))
        added_files.fix_times(copied.folder, sha256)
        if refusal is not None:
            raise refusal
        if added_files.hashes(copied.folder) != sha256:
            raise StageError(AUDIT)
        release_folder.note_archives(copied)
    return written


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def inodes(folder: Path = RELEASE) -> dict[str, tuple[int, int]]:
    """What DVC knows a file again by."""
    return {name: (state.st_ino, state.st_mtime_ns) for name in contents(folder) for state in [(folder / name).stat()]}


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
def test_after_a_refusal_nothing_looks_like_a_release_and_what_waits_stays(refusal):
    with pytest.raises(type(refusal)):
        released(refusal=refusal)
    assert not RELEASE.exists()
    left = contents(BESIDE)
    assert {name: left.pop(name) for name in FILES if name in VIDEOS} == {name: FILES[name] for name in VIDEOS}
    assert left.keys() == {LEFT_ZIP, RIGHT_ZIP}
    assert contents(UNRELEASED).keys() > FILES.keys()


def test_what_a_killed_run_has_left_is_in_no_release():
    BESIDE.mkdir()
    (BESIDE / "half.mkv").write_bytes(b"half a film")
    (BESIDE / ".part-abelo.mkv").write_bytes(b"half a film")
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


def test_a_byte_that_changes_in_one_copy_harms_no_other():
    with assembled():
        pass
    for name, data in FILES.items():
        kept_project.flip(RELEASE / name)
        assert (UNRELEASED / name).read_bytes() == data


def test_each_file_is_counted():
    done = []
    with release_folder.of_release(release_folder.waiting(), {}, lambda: done.append(1), audited=False):
        assert len(done) == len(FILES)


@pytest.mark.parametrize("refusal", [None, StageError("nobody has looked"), StageError("a face")])
def test_one_more_video_is_all_that_is_copied_also_after_a_refusal(refusal):
    released()
    before = inodes()
    added = "videos/PegTransfer/left/corvin.mkv"
    write(added, b"new" * 1000)
    if refusal is not None:
        release_folder.set_aside()
        with pytest.raises(StageError):
            released(refusal=refusal)
    assert released() == {LEFT_ZIP}
    after = inodes()
    assert after.keys() == before.keys() | {added}
    assert {name for name in (*VIDEOS, RIGHT_ZIP) if after[name] != before[name]} == set()


def change(name: str) -> None:
    write(name, b"rendered anew")


def link(name: str) -> None:
    (UNRELEASED / "elsewhere").hardlink_to(RELEASE / name)


def point(name: str) -> None:
    (RELEASE / name).unlink()
    (RELEASE / name).symlink_to((UNRELEASED / name).absolute())


def fold(name: str) -> None:
    (RELEASE / name).unlink()
    (RELEASE / name).mkdir()
    (RELEASE / name / "inside").write_bytes(b"x")


@pytest.mark.parametrize("spoil", [change, link, point, fold])
def test_what_is_not_a_file_of_its_own_with_the_bytes_that_wait_is_copied_anew(spoil):
    released()
    before = inodes()
    spoil(VIDEO)
    assert released() == (set() if spoil is link else {LEFT_ZIP})
    assert (RELEASE / VIDEO).read_bytes() == (UNRELEASED / VIDEO).read_bytes()
    others = inodes()
    assert [name for name in VIDEOS if name != VIDEO and others[name] != before[name]] == []
    state = (RELEASE / VIDEO).lstat()
    assert (state.st_nlink, (RELEASE / VIDEO).is_symlink()) == (1, False)


def test_a_sound_copy_in_the_last_release_stays_when_what_waits_was_damaged():
    stated = {VIDEO: sha256_of(UNRELEASED / VIDEO)}
    released()
    kept_project.flip(UNRELEASED / VIDEO)
    released(stated)
    assert (RELEASE / VIDEO).read_bytes() == FILES[VIDEO]


def test_what_somebody_put_into_the_release_is_not_in_the_next_one(folder):
    released()
    sound = contents(RELEASE)
    (RELEASE / "notes").mkdir()
    (RELEASE / "notes/readme.txt").write_text("of a program that wrote here")
    (RELEASE / "videos/all").symlink_to(folder / UNRELEASED / "videos")
    (RELEASE / "archives/PegTransfer_top.zip").write_bytes((RELEASE / LEFT_ZIP).read_bytes())
    released()
    assert contents(RELEASE) == sound
    assert not (RELEASE / "notes").exists()
    assert contents(UNRELEASED).keys() > FILES.keys()


@pytest.mark.parametrize("spoil", [change, Path.unlink])
def test_an_archive_is_written_again_when_one_of_its_videos_is_another_or_gone(spoil):
    released()
    spoil(OTHER) if spoil is change else (UNRELEASED / OTHER).unlink()
    assert released() == {LEFT_ZIP}
    release_folder.remove_release()
    now = contents(UNRELEASED)
    assert released() == {LEFT_ZIP, RIGHT_ZIP}
    written = contents(RELEASE)
    assert written.keys() & FILES.keys() == now.keys() & FILES.keys()


def test_an_archive_that_stays_has_the_bytes_that_it_would_be_written_with():
    released()
    (UNRELEASED / RIGHT).unlink()
    released()
    stays = (RELEASE / LEFT_ZIP).read_bytes()
    release_folder.remove_release()
    released()
    assert (RELEASE / LEFT_ZIP).read_bytes() == stays


@pytest.mark.parametrize("name", [VIDEO, LEFT_ZIP])
def test_what_a_disk_has_damaged_refuses_one_release_and_is_made_again_by_the_next(name):
    """Neither its size nor its time tells it, so it stays at first, and only the audit finds it."""
    released()
    sound = contents(RELEASE)
    kept_project.flip(RELEASE / name)
    with pytest.raises(StageError, match=AUDIT):
        released()
    assert not RELEASE.exists()
    assert released() == ({LEFT_ZIP} if name == LEFT_ZIP else set())
    assert contents(RELEASE) == sound


def pulled(*damaged: str) -> None:
    """Let the release be one that `dvc pull` brought, with the time of that moment: DVC reads nothing of what it brings."""
    for name in damaged:
        kept_project.flip(RELEASE / name)
    for name in contents(RELEASE):
        (RELEASE / name).touch()


def test_what_was_damaged_before_it_was_pulled_is_named_and_replaced_by_the_next_release():
    released()
    sound = contents(RELEASE)
    pulled(VIDEO)
    assert added_files.fix_times_again(RELEASE, made_now=False) == [VIDEO]
    assert released() == {LEFT_ZIP}
    assert contents(RELEASE) == sound


def test_what_was_pulled_is_read_once_and_then_stays_where_it_lies(monkeypatch):
    released()
    before = inodes()
    pulled()
    assert added_files.fix_times_again(RELEASE, made_now=False) == []
    after = inodes()
    assert {name: after[name] for name in VIDEOS} == {name: before[name] for name in VIDEOS}
    read = []
    monkeypatch.setattr(added_files, "sha256_of_all", lambda paths: read.extend(paths) or {})
    assert added_files.fix_times_again(RELEASE, made_now=False) == []
    assert read == []


def test_what_the_run_made_itself_is_not_read_again(monkeypatch):
    released()
    pulled()
    read = []
    monkeypatch.setattr(added_files, "sha256_of_all", lambda paths: read.extend(paths) or {})
    assert added_files.fix_times_again(RELEASE, made_now=True) == []
    assert read == []


def test_archives_are_written_again_by_another_code(monkeypatch):
    released()
    monkeypatch.setattr(release_folder, "code_of", lambda module: f"the next edition of {module}")
    assert released() == {LEFT_ZIP, RIGHT_ZIP}


def test_an_archive_that_was_never_audited_is_written_again():
    with pytest.raises(StageError):
        released(refusal=StageError("a face"))
    assert released() == {LEFT_ZIP, RIGHT_ZIP}


def test_what_is_left_aside_counts_as_room_that_is_taken():
    assert release_now() == RELEASE
    released()
    assert release_now() == RELEASE
    with pytest.raises(StageError):
        released(refusal=StageError("a face"))
    assert release_now() == BESIDE
    released()
    assert release_now() == RELEASE


def test_nobody_who_is_gone_is_left_aside_as_soon_as_a_run_begins():
    released()
    (UNRELEASED / OTHER).unlink()
    release_folder.set_aside()
    assert contents(BESIDE).keys() == VIDEOS - {OTHER} | {RIGHT_ZIP}


@pytest.mark.parametrize("name", [VIDEO, "splits/balanced.csv"])
def test_nothing_is_left_aside_that_waits_with_other_bytes(name):
    """An older list names who withdrew; in an older video less may be hidden, also in its archive."""
    released()
    write(name, b"made anew")
    release_folder.set_aside()
    assert contents(BESIDE).keys() == VIDEOS - {name} | ({RIGHT_ZIP} if name == VIDEO else {LEFT_ZIP, RIGHT_ZIP})


def cut(path: Path) -> None:
    os.truncate(path, 100)


def from_the_future(path: Path) -> None:
    """It says that a version of zip is needed which nobody knows."""
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 6] = 250
    path.write_bytes(data)


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("spoil", [cut, from_the_future, a_pipe])
def test_what_is_no_archive_is_not_left_aside(spoil):
    released()
    spoil(RELEASE / LEFT_ZIP)
    release_folder.set_aside()
    assert not (BESIDE / LEFT_ZIP).exists()
    assert (BESIDE / RIGHT_ZIP).is_file()
    assert released() == {LEFT_ZIP}


def test_a_link_in_its_place_goes_and_what_it_leads_to_stays(tmp_path):
    released()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    BESIDE.symlink_to(tmp_path / "mine")
    release_folder.keep_what_waits()
    assert contents(BESIDE) == {}
    BESIDE.rmdir()
    BESIDE.symlink_to(tmp_path / "mine")
    released()
    assert contents(RELEASE).keys() > FILES.keys()
    assert contents(tmp_path / "mine") == {"notes.txt": b"mine"}


@pytest.mark.parametrize("time_ns", [None, 0, 1_700_000_000 * 10**9], ids=["of its content", "none", "of a checkout"])
def test_a_waiting_file_that_a_stage_states_is_held_to_that_whatever_its_time_is(time_ns):
    """So a frame that a disk has damaged is released by nobody, and is made again."""
    path = UNRELEASED / VIDEO
    stated = {VIDEO: sha256_of(path)}
    if time_ns is not None:
        os.utime(path, ns=(time_ns, time_ns))
    kept_project.flip(path)
    with pytest.raises(StageError, match=r"abelo\.mkv: its bytes have changed since it was written.*run again to make it again"):
        released(stated)
    assert not RELEASE.exists()
    assert path.stat().st_mtime == 0


def a_file() -> None:
    RELEASE.write_text("of somebody")


def a_link_that_leads_nowhere() -> None:
    RELEASE.symlink_to("/nowhere/at/all")


@pytest.mark.parametrize("put", [a_file, a_link_that_leads_nowhere])
def test_what_is_no_folder_in_the_place_of_the_release_goes(put):
    put()
    released()
    assert contents(RELEASE).keys() > FILES.keys()


def test_a_file_in_the_place_aside_goes():
    BESIDE.write_text("of somebody")
    release_folder.remove_leftovers()
    assert not BESIDE.exists()
    released()
