"""Whatever goes wrong with a copy is found, and the finding names the file and what happened to it."""

from __future__ import annotations

import os
import shutil
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import downloaded_release
from downloaded_release import DAMAGES, JPG, MKV, PICTURES, SHARD, Copy, seal, tar_of, write
from scrubin.data import verify as data_verify
from scrubin.data.verify.verification import verify


def lines(folder, **options) -> list[str]:
    return [fault.line() for fault in verify(folder, **options).errors]


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", DAMAGES)
def test_every_damage_is_found_and_named(copy, name):
    damage = DAMAGES[name]
    damage.does(copy)
    for quick in (False, True) if damage.quick else (False,):
        said = lines(copy.folder, quick=quick)
        assert any(all(text in line for text in damage.named) for line in said), (quick, said)
        assert len(said) <= 4, said


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("kind", ["released", "plain", "sharded", "older"])
def test_a_sound_copy_is_sound(kind, quick, request):
    result = verify(request.getfixturevalue(kind), quick=quick)
    assert not result.errors
    assert result.here == result.listed


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_one_changed_lost_or_shortened_file_is_the_only_one_named(released, tmp_path, data):
    folder = tmp_path / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    downloaded_release.copy_of(released, folder)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    name = data.draw(st.sampled_from(names))
    path, whole = folder / name, (folder / name).read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    what = data.draw(st.sampled_from(["flip", "cut", "remove"]))
    if what == "flip":
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << data.draw(st.integers(0, 7)))]) + whole[place + 1 :])
    elif what == "cut":
        path.write_bytes(whole[:place])
    else:
        path.unlink()
    said = lines(folder)
    assert any(name in line for line in said), (name, what, said)
    if name not in (data_verify.SUMS, "metadata/files.csv"):  # a changed list names files that there never were
        assert all(name in line for line in said), (name, what, said)


@pytest.mark.parametrize(
    ("does", "named"),
    [
        (lambda c: c.edit(MKV, lambda d: d[:700]), (MKV,)),
        (lambda c: c.path(JPG).unlink(), (JPG, "missing")),
        (lambda c: c.edit(JPG, lambda d: d[:300]), (JPG, "its end is missing", "cut off")),
        (lambda c: c.edit("tables/frames.parquet", lambda d: d[:-9]), ("tables/frames.parquet", "cut off")),
        (lambda c: c.edit("archives/Peg_left.zip", lambda d: d[:-30]), ("archives/Peg_left.zip", "cut off")),
        (lambda c: c.path(data_verify.SUMS).unlink(), (data_verify.SUMS, "missing")),
        (lambda c: c.take_older(data_verify.SUMS), (data_verify.SUMS, "another version")),
        (lambda c: c.edit(data_verify.SUMS, lambda d: (b"0" if d[:1] != b"0" else b"1") + d[1:]), ("README", "Annotation")),
    ],
)
def test_a_release_of_an_older_kind_without_sizes_is_verified(plain, older, tmp_path, does, named):
    copy = Copy(downloaded_release.copy_of(plain, tmp_path / "copy"), older)
    does(copy)
    said = lines(copy.folder)
    assert any(all(text in line for text in named) or (named[0] == "README" and named[1] in line) for line in said), said


def test_quick_says_that_it_knows_no_sizes_of_an_older_release_and_still_sees_the_ends(plain, tmp_path):
    folder = downloaded_release.copy_of(plain, tmp_path / "copy")
    result = verify(folder, quick=True)
    assert result.sound
    assert any("sizes are unknown" in note.what for note in result.notes)
    (folder / JPG).write_bytes((folder / JPG).read_bytes()[:-20])
    assert any(JPG in line for line in lines(folder, quick=True))


def test_a_shard_that_lacks_a_frame_says_which(sharded, tmp_path):
    folder = downloaded_release.copy_of(sharded, tmp_path / "copy")
    (folder / SHARD).write_bytes(tar_of({f"{number:06d}.jpg": b"\xff\xd8\xff\xff\xd9" for number in (0, 1, 2, 4)}))
    assert any(SHARD in line and "2 pictures" in line and "frames 3 and 5" in line.replace(", 5", " and 5") for line in lines(folder))
    seal(folder)  # also when somebody made the lists again
    assert any(SHARD in line and "2 pictures" in line for line in lines(folder, quick=True))


def test_a_shard_that_was_cut_off_is_named_once(sharded, tmp_path):
    folder = downloaded_release.copy_of(sharded, tmp_path / "copy")
    (folder / SHARD).write_bytes((folder / SHARD).read_bytes()[:3000])
    (line,) = lines(folder)
    assert SHARD in line
    assert "cut off" in line


def test_litter_and_unpacked_archives_are_notes(copy):
    for name in (".DS_Store", "videos/Peg/._left", "frames/Thumbs.db", "desktop.ini", "__MACOSX/videos/._a"):
        write(copy.path(name), b"x")
    shutil.unpack_archive(copy.path("archives/Peg_left.zip"), copy.path("archives"))
    for quick in (False, True):
        result = verify(copy.folder, quick=quick)
        assert result.sound, [fault.line() for fault in result.errors]
        said = "\n".join(note.line() for note in result.notes)
        assert all(name in said for name in (".DS_Store", "._left", "Thumbs.db", "desktop.ini", "__MACOSX"))
        assert "unpacked from archives/Peg_left.zip (3 files)" in said


def test_an_empty_folder_is_a_note_and_a_link_is_followed(copy, tmp_path):
    copy.path("frames/leer").mkdir()
    copy.path("videos").rename(tmp_path / "elsewhere")
    copy.path("videos").symlink_to(tmp_path / "elsewhere")
    result = verify(copy.folder)
    assert result.sound
    assert {note.file for note in result.notes} == {"frames/leer", "videos"}
    copy.path(MKV).write_bytes(b"x")
    assert any(MKV in line for line in lines(copy.folder))


def test_a_link_that_leads_back_ends(copy):
    copy.path("frames/again").symlink_to(copy.folder)
    assert any("frames/again" in line and "leads back" in line for line in lines(copy.folder))


def test_a_release_behind_a_link_is_verified(copy, tmp_path):
    (tmp_path / "link").symlink_to(copy.folder)
    assert verify(tmp_path / "link").sound


def test_whole_top_folders_may_be_absent_and_nothing_else(copy):
    shutil.rmtree(copy.path("videos"))
    shutil.rmtree(copy.path("archives"))
    result = verify(copy.folder, partial=True)
    assert result.sound
    assert result.absent == {"archives": 4, "videos": 9}
    assert not verify(copy.folder).sound
    shutil.rmtree(copy.path(PICTURES))
    assert [fault.file for fault in verify(copy.folder, partial=True).errors] == [PICTURES]


def test_splits_alone_are_proven_by_their_list(copy):
    for name in ("videos", "frames", "archives", "groundtruth", "tables"):
        shutil.rmtree(copy.path(name))
    assert verify(copy.folder, partial=True).sound
    copy.edit("splits/balanced.csv", lambda data: data + b"x\n")
    assert [fault.file for fault in verify(copy.folder, partial=True).errors] == ["splits/balanced.csv"]


def test_what_is_withheld_is_said_with_its_reason_and_is_no_fault(released):
    result = verify(released)
    assert {one.what: one.count for one in result.withheld} == {"dropped": 2, "hidden": 9, "withdrawn": 2}
    says = "\n".join(one.says for one in result.withheld)
    assert "sharpness" in says
    assert "consent was withdrawn" in says
    assert [(one.task, one.recordings, one.videos_here, one.frames_here) for one in result.counts] == [
        ("Näht", 3, 3, 18),
        ("Peg", 3, 6, 34),
    ]


def test_a_release_without_archives_says_that_there_are_none(tmp_path):
    params = downloaded_release.replace(downloaded_release.PARAMS, archives=False)
    result = verify(downloaded_release.build(tmp_path / "release", params=params))
    assert result.sound
    assert "archives" in {one.what for one in result.withheld}


def test_a_list_of_checksums_that_was_cut_off_is_the_only_fault_and_the_list_of_sizes_stays(copy):
    copy.edit(data_verify.SUMS, lambda data: b"".join(data.splitlines(keepends=True)[:3]))
    (said,) = lines(copy.folder)
    assert (said.startswith(data_verify.SUMS), "get this list again" in said) == (True, True)


def test_both_lists_lost_is_said_and_what_the_tables_name_is_still_looked_for(copy):
    copy.path(data_verify.SUMS).unlink()
    copy.path(data_verify.FILES).unlink()
    copy.path(JPG).unlink()
    said = lines(copy.folder)
    assert any(data_verify.SUMS in line for line in said)
    assert any(JPG in line for line in said)
    assert len(said) < 6, said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_unreadable_and_not_missing(copy):
    copy.path(MKV).chmod(0)
    copy.path("splits").chmod(0)
    said = lines(copy.folder)
    copy.path("splits").chmod(0o755)
    assert len(said) == 2
    assert all("cannot be read" in line for line in said)


def test_names_in_another_form_are_no_fault_where_the_file_system_takes_both_for_one(copy, monkeypatch):
    form = unicodedata.normalize("NFD", "videos/Näht")
    copy.rename("videos/Näht", form)
    copy.path("videos/Näht").symlink_to(copy.path(form))  # opens as well, as on a Mac
    result = verify(copy.folder)
    assert all(fault.rule in ("copy", "link") for fault in result.faults), [fault.line() for fault in result.faults]


def test_a_text_that_somebody_edited_is_no_download_that_was_cut_off(copy):
    split = "splits/balanced.csv"
    copy.edit(split, lambda data: b"".join(data.splitlines(keepends=True)[:-2]))
    assert any(split in line and "it was edited, or is of another version" in line for line in lines(copy.folder))
    copy.edit(split, lambda data: data[:-3])
    assert any(split in line and "the download was cut off" in line for line in lines(copy.folder))


def test_a_table_that_is_no_file_of_the_release_is_to_go_whatever_is_in_it(copy):
    copy.path("tables/new.parquet").write_bytes(b"nothing that can be read")
    (said,) = lines(copy.folder)
    assert "tables/new.parquet" in said
    assert "no file of this release; take it out" in said
