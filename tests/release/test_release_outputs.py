"""What the release stage writes: archives, documents, metadata, checksums; the same bytes every time."""

import json
import shutil
import subprocess
import zipfile
from fractions import Fraction

import pandas as pd
import pytest

import kept_project
import release as stage
from scrubin.audit.expected.private_strings import Private
from scrubin.base import file_lists
from scrubin.base.errors import ReleaseError
from scrubin.base.files import FIXED_TIME_S
from scrubin.base.tables import public
from scrubin.ratings import ScoresParams
from scrubin.stages.release import added_files, assembly
from scrubin.stages.release.metadata import readme, record_sets
from toy_release import IDS, PARAMS, TASK, build


def test_the_same_input_gives_the_same_bytes(clean, tmp_path):
    again = build(tmp_path / "release")
    assert added_files.hashes(again.folder) == added_files.hashes(clean.folder)


def test_what_was_copied_is_not_read_for_the_lists_and_a_copy_that_differs_is_found(release, monkeypatch):
    sound, read, sha256_of_all = added_files.hashes(release.folder), [], added_files.sha256_of_all
    copied = {name: sha256 for name, sha256 in sound.items() if name.startswith(("frames/", "videos/"))}
    monkeypatch.setattr(added_files, "sha256_of_all", lambda paths: read.extend(paths) or sha256_of_all(paths))
    (damaged,) = [name for name in copied if name.startswith("frames/")][:1]
    kept_project.flip(release.path(damaged))
    declared = {name: table for name, table in public.public_tables(()).items() if name in ("videos", "frames", "splits")}
    tables = {name: release.tables[name] for name in declared}
    sheet = {f"{TASK}.csv": release.path(f"Annotation/{TASK}.csv").read_text()}
    assembly.complete(release.folder, PARAMS, declared, tables, sheet, Fraction(1), "Nobody looked.", {}, copied=copied)
    assert not set(read) & set(copied)
    assert ("checksum", damaged) in {(finding.rule, finding.file) for finding in release.findings()}
    assert added_files.hashes(release.folder) | {damaged: sound[damaged]} == sound


def test_every_file_has_the_fixed_time(clean):
    assert {int(path.stat().st_mtime) for path in clean.folder.rglob("*") if path.is_file()} == {FIXED_TIME_S}


def test_sha256sum_agrees(clean):
    program = shutil.which("sha256sum")
    if program is None:
        pytest.skip("sha256sum is not installed")
    done = subprocess.run([program, "--check", "--strict", file_lists.CHECKSUMS], cwd=clean.folder, capture_output=True, text=True)
    assert done.returncode == 0
    lines = (clean.folder / file_lists.CHECKSUMS).read_text().splitlines()
    assert len(done.stdout.splitlines()) == len(lines) == sum(path.is_file() for path in clean.folder.rglob("*")) - 1
    assert [line[66:] for line in lines] == sorted(line[66:] for line in lines)


def test_a_file_name_that_sha256sum_would_escape_is_refused():
    with pytest.raises(ReleaseError, match="may not hold a line break"):
        file_lists.checksums_text({"a\nb": "0" * 64})


def test_archives_are_as_lasana_names_them(clean):
    assert sorted(path.name for path in (clean.folder / "archives").iterdir()) == ["Annotation.zip", f"{TASK}_mono.zip"]
    with zipfile.ZipFile(clean.folder / f"archives/{TASK}_mono.zip") as archive:
        assert archive.namelist() == [f"{TASK}/mono/{id_}.mkv" for id_ in IDS]
        assert archive.testzip() is None
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}


def test_an_archive_does_not_depend_on_file_times_or_on_order(tmp_path):
    files = {}
    for name in ("b", "a"):
        files[f"{name}.txt"] = tmp_path / f"{name}.txt"
        files[f"{name}.txt"].write_text(name)
    added_files.write_archive(tmp_path / "one.zip", files)
    for path in files.values():
        path.touch()
        path.chmod(0o600)
    added_files.write_archive(tmp_path / "two.zip", dict(reversed(files.items())))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_of_the_files_of_splits_only_those_of_tasks_lie_among_lasanas(tmp_path):
    names = (f"{TASK}_split.csv", "balanced.csv", "paper_split.csv", f"lasana.{TASK}_split.csv")
    files = {f"splits/{name}": tmp_path / name for name in names}
    for path in files.values():
        path.write_text("id;split\n")
    tables = {"ratings": pd.DataFrame(columns=["task", "rater"]), "videos": pd.DataFrame({"task": [TASK]})}
    assert stage.annotation(tables, ScoresParams, files) == {f"{TASK}_split.csv": "id;split\n"}


def test_the_dictionary_explains_every_public_column_and_no_private_one():
    tables = public.public_tables(("tissue_handling",))
    text = readme.dictionary_text(tables)
    for table in tables.values():
        assert f"## {table.name}\n" in text
        for column in table.columns:
            assert f"| `{column.name}` |" in text
            assert column.description in text
    assert "| `tissue_handling` | number | sd |" in text
    for name in ("participant", "offset_s", "recording"):
        assert f"`{name}`" not in text


def test_the_readme_states_the_frame_contract_and_how_to_verify(clean):
    videos = pd.DataFrame({"id": ["a", "a"], "task": ["Peg"] * 2, "duration_s": [1800.0, 1800.0]})
    frames = pd.DataFrame({"path": ["frames/Peg/left/a/000000.jpg"], "dropped": [False]})
    text = readme.readme_text(PARAMS, videos, frames, Fraction(1, 2), "Two people looked.")
    assert "Two people looked." in text
    assert "at or after\n2 k seconds. Its true time" in text
    assert "| Peg | 1 | 2 | 1.00 |" in text
    assert "sha256sum --check" in text
    assert "CC-BY-4.0" in text
    assert "version = {1.2.3}" in text


@pytest.mark.parametrize(
    ("path", "row", "files"),
    [
        ("frames/Peg/left/a/000000.png", "frames/<task>/<camera>/<id>/<number>.png", "frames/*/*/*/*.png"),
        ("frames/Peg/left/a.tar/000000.jpg", "frames/<task>/<camera>/<id>.tar", "frames/*/*/*.tar"),
    ],
)
def test_the_documents_say_how_the_frames_lie_there_and_how_many_were_dropped(path, row, files):
    videos = pd.DataFrame({"id": ["a"], "task": ["Peg"], "duration_s": [1800.0]})
    text = readme.readme_text(PARAMS, videos, pd.DataFrame({"path": [None, path], "dropped": [True, False]}), Fraction(1), "")
    assert f"`{row}`" in text
    assert "\nFrames that are too poor to be used (1 of them) have no file" in text
    on_disk = path.partition(".tar/")[0] + ".tar" if ".tar/" in path else path
    found = record_sets.file_sets({on_disk: "0" * 64})
    assert [(one["@id"], one["includes"]) for one in found] == [("frame-files", files)]


def test_the_summary_holds_no_private_name():
    videos = pd.DataFrame({"id": ["a"], "task": ["Peg"], "frame_count": [5], "fps": ["20"]})
    row = {
        "recording": "Schmidt",
        "camera": "left",
        "stage": "ingest",
        "path": "videos/Schmidt.mkv",
        "reason": "Schmidt is empty",
        "mend": "x",
    }
    tables = {"videos": videos, "frames": videos}
    found = assembly.summarise(PARAMS, tables, pd.DataFrame([row]), Private(skipped=3), {"README.md": 10}, {}, {"read": 7})
    assert "Schmidt" not in json.dumps(found)
    assert found["quarantined"] == {"files": 1, "by_stage": {"ingest": 1}}
    assert (found["files"], found["bytes"], found["audit"]["skipped_as_public"]) == (1, 10, 3)


def test_a_refused_release_is_taken_apart(release):
    added_files.discard(release.folder)
    assert sorted(path.name for path in release.folder.iterdir()) == ["frames", "videos"]


def test_the_list_of_files_has_bytes_and_hash_of_all_that_is_written_before_it(clean):
    listed = pd.read_csv(clean.folder / file_lists.FILE_LIST)
    sums = dict(line.split("  ", 1)[::-1] for line in (clean.folder / file_lists.CHECKSUMS).read_text().splitlines())
    assert list(listed.path) == sorted(sums.keys() - {file_lists.FILE_LIST, file_lists.CROISSANT})
    assert list(listed.sha256) == [sums[name] for name in listed.path]
    assert list(listed.bytes) == [(clean.folder / name).stat().st_size for name in listed.path]
    assert file_lists.FILE_LIST in sums


@pytest.mark.slow
def test_a_list_of_files_that_lies_is_refused_and_a_size_is_no_date(release):
    path = release.path("splits/odd.csv")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"id\n" + b"x" * (20230417 - 4) + b"\n")  # its size is a date of the study
    release.seal()
    assert "20230417," in release.path(file_lists.FILE_LIST).read_text()
    assert not [finding for finding in release.findings() if finding.file == file_lists.FILE_LIST]
    release.path(file_lists.FILE_LIST).write_text(release.path(file_lists.FILE_LIST).read_text().replace(",20230417,", ",20230418,"))
    found = [finding for finding in release.findings() if finding.file == file_lists.FILE_LIST]
    assert {"it does not say what the released files are; run the release stage again"} <= {finding.message for finding in found}
