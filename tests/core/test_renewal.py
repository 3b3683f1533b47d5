"""What a folder of outputs holds already stays where it lies; everything else in it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

import kept_project
from scrubin.base.files import fixed_time_ns, set_fixed_time, sha256_of
from scrubin.base.store import renewal, store, uses

NAMES = ("Peg/a.mkv", "Peg/b.mkv", "Knot/c.mkv")


def written(folder: Path) -> None:
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name * 100)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def entry(root: Path) -> store.Entry:
    return store.make("0" * 64, written, root)[0]


@pytest.fixture
def out(tmp_path: Path, entry: store.Entry) -> Path:
    folder = tmp_path / "out"
    renewal.renew_all(entry, {name: folder / name for name in NAMES})
    return folder


def state(path: Path) -> tuple[int, int]:
    return path.stat().st_ino, path.stat().st_mtime_ns


def paths(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_a_folder_that_is_not_there_is_made_empty(tmp_path):
    renewal.keep_only(tmp_path / "new/out", set())
    assert paths(tmp_path / "new") == {"out"}


def test_only_named_files_stay_and_no_empty_folder(out):
    (out / "Peg/older").mkdir()
    (out / "Peg/older/.part-a.mkv").write_text("half")
    renewal.keep_only(out, {out / NAMES[0], out / NAMES[2], out / "not/there.mkv"})
    assert paths(out) == {"Peg", NAMES[0], "Knot", NAMES[2]}


def test_links_that_lead_nowhere_go_and_all_else_stays(out, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/dead").symlink_to("/nowhere/at/all")
    (out / "Peg/dead.mkv").symlink_to("/nowhere/at/all")
    (out / "Peg/live.mkv").symlink_to(out / NAMES[0])
    (out / "mine").symlink_to(tmp_path / "mine")
    for folder in (out, tmp_path / "not there", out / NAMES[0]):
        renewal.remove_dead_links(folder)
    assert paths(out) >= {*NAMES, "Peg/live.mkv", "mine"}
    assert not (out / "Peg/dead.mkv").is_symlink()
    assert (tmp_path / "mine/dead").is_symlink()


def test_links_go_and_what_they_point_to_stays(out, tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/face.png").write_text("mine")
    (out / "raw").symlink_to(tmp_path / "raw")
    (out / NAMES[0]).unlink()
    (out / NAMES[0]).symlink_to(tmp_path / "raw/face.png")
    (tmp_path / "linked").symlink_to(out)
    renewal.keep_only(out, {out / name for name in (*NAMES, "raw/face.png")})
    assert paths(out) == {"Peg", "Knot", *NAMES[1:]}
    renewal.keep_only(tmp_path / "linked", {tmp_path / "linked" / NAMES[1]})
    assert not (tmp_path / "linked").is_symlink()
    assert paths(tmp_path / "linked") == set()
    assert (tmp_path / "raw/face.png").read_text() == "mine"
    assert NAMES[1] in paths(out)


def test_a_file_where_a_folder_belongs_goes(out):
    (out / "Knot/c.mkv").unlink()
    (out / "Knot").rmdir()
    (out / "Knot").write_text("a file")
    renewal.keep_only(out, {out / name for name in NAMES})
    assert paths(out) == {"Peg", *NAMES[:2]}


def test_files_stay_that_nobody_wrote_to_and_others_are_copied(out, entry):
    before = {name: state(out / name) for name in NAMES}
    (out / NAMES[1]).write_text("other bytes")
    renewal.renew_all(entry, {name: out / name for name in NAMES})
    assert {name: sha256_of(out / name) for name in NAMES} == entry.files
    assert [name for name in NAMES if state(out / name) == before[name]] == [NAMES[0], NAMES[2]]


@pytest.mark.parametrize("read", [False, True])
def test_a_byte_that_changed_behind_its_time_is_seen_only_by_who_reads(out, entry, read):
    name = NAMES[0]
    assert renewal.stays(out / name, entry.files[name], read=read)
    kept_project.flip(out / name)
    assert renewal.stays(out / name, entry.files[name], read=read) is not read
    renewal.renew(entry.path(name), out / name, entry.files[name], read=read)
    assert (sha256_of(out / name) == entry.files[name]) is read


def test_a_file_that_stays_has_the_time_of_its_content(out, entry):
    (out / NAMES[0]).touch()
    inode = (out / NAMES[0]).stat().st_ino
    renewal.renew_all(entry, {NAMES[0]: out / NAMES[0]})
    assert state(out / NAMES[0]) == (inode, fixed_time_ns(entry.files[NAMES[0]]))


def test_a_file_that_shares_its_bytes_with_another_name_is_copied(out, entry, tmp_path):
    (tmp_path / "cache").hardlink_to(out / NAMES[0])
    renewal.renew_all(entry, {NAMES[0]: out / NAMES[0]})
    assert (out / NAMES[0]).stat().st_nlink == 1
    set_fixed_time(tmp_path / "cache", "f" * 64)
    assert (out / NAMES[0]).stat().st_mtime_ns == fixed_time_ns(entry.files[NAMES[0]])


def test_a_run_notes_also_the_copies_that_stay(out, entry, root):
    with uses.of_stage("render", root):
        renewal.renew_all(entry, {name: out / name for name in NAMES})
    assert {name for _, name, _ in uses.copies(root)} == {*NAMES}
