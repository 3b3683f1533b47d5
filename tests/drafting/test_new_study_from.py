"""`scrubin new-study --from`: a folder of recordings as people hand it over."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import pytest
import yaml

import dicom_objects
from clips import clip, ffmpeg
from scrubin.base import params
from scrubin.base.errors import ManifestError
from scrubin.cli import main
from scrubin.curate.draft import read_header
from scrubin.curate.draft.draft import CONFIRM
from scrubin.stages.ingest import manifest
from scrubin.stages.ingest.manifest import IngestParams

ROOT = Path(__file__).parents[2]
TASKS = params.load("ingest", IngestParams, ROOT / "params.yaml").tasks


@pytest.fixture(scope="module")
def clips(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("clips")
    one = clip(folder / "one.mp4", seconds=1)
    two = clip(folder / "two.mp4", seconds=1.2)
    unfinished = folder / "unfinished.mp4"
    data = one.read_bytes()
    unfinished.write_bytes(data[: data.index(b"moov") - 4])
    ffmpeg("-i", one, "-c:v", "mpeg2video", folder / "old.mpg")
    return {"one": one, "two": two, "unfinished": unfinished, "old": folder / "old.mpg"}


def test_a_timecode_begins_anew_after_a_day_of_its_own_rate(tmp_path):
    path = clip(tmp_path / "a.mov", fps="30000/1001", seconds=0.2, more=("-timecode", "00:00:01:00"))
    header = read_header(path, path.name)
    assert (header.timecode_s, header.day_s) == (1.001, 86_486.4)
    assert read_header(clip(tmp_path / "b.mp4", seconds=0.2), "b.mp4").day_s is None


@pytest.fixture
def folder(tmp_path, clips) -> Path:
    """A messy one: a pair, parts, doubles, a damaged file, other files, folders, blanks and umlauts."""
    there = {
        "PegTransfer/Müller, Jörg 1 links.mp4": "one",
        "PegTransfer/Müller, Jörg 1 rechts.mp4": "two",
        "OP 3/op part 1.mpg": "old",
        "OP 3/op part 2.mp4": "unfinished",
        "OP 3/sicherung/op part 1 (1).mpg": "old",
        " leading blank.mp4": "two",
        'with "quotes", comma\nand line.mp4': "one",
    }
    for number, (name, source) in enumerate(there.items()):
        path = tmp_path / "usb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = clips[source].read_bytes()
        # Padding of its own, so that only what is meant to be a copy is one.
        pad = (8 + number).to_bytes(4, "big") + b"free" + bytes(number)
        path.write_bytes(data + pad if path.suffix == ".mp4" and source != "unfinished" else data)
    for name in ("notes.txt", "._op.mp4", "Thumbs.db", "PegTransfer/scores.xlsx", "GX010001.LRV", "VTS_01_0.VOB", "empty.mp4", "module.ts"):
        (tmp_path / "usb" / name).write_bytes(b"" if name == "empty.mp4" else b"import x from 'y';")
    (tmp_path / "usb/gone.mp4").symlink_to("nowhere.mp4")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "usb/archive").symlink_to("../elsewhere")
    return tmp_path / "usb"


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path, monkeypatch):
    shutil.copy(ROOT / "params.yaml", tmp_path / "params.yaml")
    monkeypatch.chdir(tmp_path)


def state(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in sorted(folder.rglob("*"))}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def confirmed(path: Path, participant: str = "P1", task: str = "Cholecystectomy") -> bytes:
    """The list as a curator leaves it."""
    done = rows(path)
    columns = [name for name in done[0] if name != CONFIRM]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**row, "participant": participant, "task": row["task"] or task} for row in done)
    return path.read_bytes()


def test_a_messy_folder_is_drafted_and_left_as_it_is(folder, tmp_path, capsys):
    before = state(folder)
    assert main(["new-study", "raw", "--from", "usb"]) == 0
    assert state(folder) == before
    drafted = {row["path"]: row for row in rows(tmp_path / "raw/recordings.csv")}
    assert {path: (row["recording"], row["task"], row["camera"], row["part"]) for path, row in drafted.items()} == {
        "videos/ leading blank.mp4": ("leading blank", "", "mono", ""),
        "videos/OP 3/op part 1.mpg": ("op", "", "mono", ""),
        "videos/PegTransfer/Müller, Jörg 1 links.mp4": ("Müller, Jörg 1", "PegTransfer", "left", ""),
        "videos/PegTransfer/Müller, Jörg 1 rechts.mp4": ("Müller, Jörg 1", "PegTransfer", "right", ""),
        'videos/with "quotes", comma\nand line.mp4': ('with "quotes", comma and line', "", "mono", ""),
    }
    assert not any(row["participant"] or row["trial"] or row["site"] for row in drafted.values())
    assert all(row[CONFIRM] for row in drafted.values())
    assert all((tmp_path / "raw" / path).samefile(folder / path.removeprefix("videos/")) for path in drafted)
    out = capsys.readouterr().out
    for said in (
        "5 videos of 4 recordings: 1 with two cameras, 0 in several parts",
        "copied bit for bit: 4 videos",
        "1: its container mpeg states no presentation times",
        "left out, 6 files; write no row for one before its mend is done:",
        "OP 3/op part 2.mp4: it is unfinished: its index (moov) is missing",
        "sicherung/op part 1 (1).mpg: it seems to be a copy of 'OP 3/op part 1.mpg'",
        "empty.mp4: the file is empty (0 bytes)",
        "VTS_01_0.VOB: it is the menu of a DVD",
        "gone.mp4: it is a link that leads nowhere",
        "GX010001.LRV: it is a small copy that the recorder made",
        "op: 'OP 3/op part 2.mp4' belongs here by its name and cannot be used",
        "folder 'archive' could not be opened (it is a link to a folder elsewhere; name that one)",
        "fill in participant",
    ):
        assert said in out, said


def test_the_pipeline_takes_the_draft_only_after_a_person_confirmed_it(folder, tmp_path):
    main(["new-study", "raw", "--from", "usb"])
    path = tmp_path / "raw/recordings.csv"
    with pytest.raises(ManifestError, match="a draft that nobody has confirmed"):
        manifest.parse(path.read_bytes(), TASKS)
    read = manifest.parse(confirmed(path), TASKS)
    assert not read.problems
    assert len(read.recordings) == 4
    assert not manifest.files_without_row(tmp_path / "raw", path.read_bytes())


def test_a_list_that_has_rows_is_left_and_only_new_files_are_drafted(folder, tmp_path, capsys, clips):
    main(["new-study", "raw", "--from", "usb"])
    mine = confirmed(tmp_path / "raw/recordings.csv")
    assert main(["new-study", "raw", "--from", "usb"]) == 0
    assert "5 videos stand in recordings.csv already\n" in capsys.readouterr().out
    assert not (tmp_path / "raw/recordings_draft.csv").exists()
    shutil.copy(clips["old"], folder / "new.mpg")
    os.truncate(folder / "new.mpg", clips["old"].stat().st_size - 1)
    assert main(["new-study", "raw", "--from", "usb"]) == 0
    assert (tmp_path / "raw/recordings.csv").read_bytes() == mine
    assert [row["path"] for row in rows(tmp_path / "raw/recordings_draft.csv")] == ["videos/new.mpg"]
    assert main(["new-study", "raw", "--from", "usb"]) == 1
    assert "recordings_draft.csv is there already; take its rows over" in capsys.readouterr().err


def test_recordings_that_lie_in_the_study_are_listed_and_not_linked(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "raw/videos/usb", symlinks=True)
    before = state(tmp_path / "raw/videos")
    assert main(["new-study", "raw", "--from", "raw/videos"]) == 0
    assert state(tmp_path / "raw/videos") == before
    assert all((tmp_path / "raw" / row["path"]).is_file() for row in rows(tmp_path / "raw/recordings.csv"))


def test_the_study_may_lie_in_the_folder_and_is_passed_over(folder, tmp_path, capsys):
    assert main(["new-study", "usb/raw", "--from", "usb"]) == 0
    assert len(rows(folder / "raw/recordings.csv")) == 5
    assert main(["new-study", "usb/raw", "--from", "usb/raw"]) == 1
    assert "is the study itself" in capsys.readouterr().err


def test_another_file_in_the_way_of_a_link_is_named_and_nothing_is_linked(folder, tmp_path, capsys):
    (tmp_path / "raw/videos/OP 3").mkdir(parents=True)
    (tmp_path / "raw/videos/OP 3/op part 1.mpg").write_text("mine")
    assert main(["new-study", "raw", "--from", "usb"]) == 1
    assert "op part 1.mpg is there already and is another file" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "raw/videos").rglob("*")] == ["OP 3", "op part 1.mpg"]
    assert rows(tmp_path / "raw/recordings.csv") == []


def test_json_has_every_file_in_one_place_and_what_it_will_cost(folder, capsys):
    assert main(["new-study", "raw", "--from", "usb", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    places = [file["path"] for file in (*told["files"], *told["left_out"])]
    assert len(places) == len(set(places)) == 11
    assert told["other_files"] == {".db": 1, ".ts": 1, ".txt": 1, ".xlsx": 1, "hidden": 1}
    cost = told["forecast"]
    assert (cost["copied"], cost["encoded"], cost["copied_s"], cost["encoded_s"]) == (4, 1, 4.4, 1.0)
    assert cost["work_s"] > 0
    assert cost["needed_bytes"] > cost["new_bytes"] > 0
    assert told["room"]["enough"]
    assert "are free" in told["room"]["says"]


def test_a_disk_that_is_too_small_is_named_before_anything_is_rendered(folder, capsys, monkeypatch):
    monkeypatch.setattr("scrubin.stages.render.effort.BESIDE_VIDEOS", 1e12)
    assert main(["new-study", "raw", "--from", "usb", "--json"]) == 0
    room = json.loads(capsys.readouterr().out)["room"]
    assert not room["enough"]
    assert "this run may need" in room["says"]


def test_rendering_everything_anew_is_seen_in_the_forecast(folder, tmp_path, capsys):
    values = yaml.safe_load((tmp_path / "params.yaml").read_text())
    values["render"]["mode"] = "reencode"
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(values))
    assert main(["new-study", "raw", "--from", "usb", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["forecast"]
    assert (told["copied"], told["whys"]["render.mode is reencode"]) == (0, 4)


@pytest.mark.parametrize("name", ["nowhere", "params.yaml"])
def test_a_folder_that_is_none_is_named_before_anything_is_made(name, tmp_path, capsys):
    assert main(["new-study", "raw", "--from", name]) == 1
    assert "there is no such folder" in capsys.readouterr().err
    assert not (tmp_path / "raw").exists()


def test_a_folder_without_recordings_leaves_the_list_empty(tmp_path, capsys):
    (tmp_path / "usb").mkdir()
    (tmp_path / "usb/notes.txt").write_text("x")
    assert main(["new-study", "raw", "--from", "usb"]) == 1
    assert "no new recording; nothing was written" in capsys.readouterr().out
    assert rows(tmp_path / "raw/recordings.csv") == []


def test_an_export_of_a_pacs_is_known_without_a_suffix(tmp_path, capsys):
    dicom_objects.recording(tmp_path / "usb/DICOM/1.2.840.4711", "H.264 raw")
    assert main(["new-study", "raw", "--from", "usb/DICOM", "--json"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert (file["path"], file["duration_s"], file["why_encoded"]) == ("1.2.840.4711", 2.0, "")


ONE, TWO, THREE = ({"AcquisitionDateTime": f"2024013114050{2 * n}", "InstanceNumber": n + 1} for n in range(3))
EARLIER = {"AcquisitionDateTime": "20240131140450", "InstanceNumber": 2}
PATIENTS = [{"PatientID": f"KH-{n}"} for n in range(3)]


@pytest.mark.parametrize(
    ("names", "elements", "expected", "said"),
    [
        ("IMG_part{}", [ONE, EARLIER], [("IMG", "1"), ("IMG", "2")], "begins 0:12 before the file before ends, by its DICOM header"),
        ("IMG_part{}", [{"InstanceNumber": n} for n in (2, 1)], [("IMG", "1"), ("IMG", "2")], "it is number 1 of the series, and the part"),
        ("IMG_part{}", [ONE, {**TWO, "SeriesInstanceUID": "1.9"}], [("IMG", "1"), ("IMG", "2")], "of another series"),
        ("IMG_part{}", PATIENTS[:2], [("IMG_part1", ""), ("IMG_part2", "2")], "by its DICOM header of another patient"),
        ("IM0000{}", [{**TWO, "StudyInstanceUID": "1.9"}, ONE], [("IM00001", ""), ("IM00002", "")], ""),
        (
            "IM0000{}",
            [{**of, **one} for of, one in zip(PATIENTS, (ONE, TWO, THREE), strict=True)],
            [(f"IM0000{n}", "") for n in (1, 2, 3)],
            "",
        ),
        ("1.2.840.{}", PATIENTS, [(f"1.2.840.{n}", "") for n in (1, 2, 3)], ""),
        ("1.2.840.{}", [ONE, TWO, THREE], [("1.2.840.1", part) for part in "123"], ""),
        ("op cam{}", PATIENTS[:2], [("op cam1", ""), ("op cam2", "")], "could be a pair, but are of another patient"),
    ],
)
def test_objects_are_parts_by_what_their_headers_say_and_no_value_of_it_is_written(names, elements, expected, said, tmp_path, capsys):
    kind = dicom_objects.KINDS["H.264 raw"]
    (tmp_path / "usb").mkdir()
    data = dicom_objects.stream(tmp_path, kind).read_bytes()
    for number, of in enumerate(elements, start=1):
        dataset = dicom_objects.header(kind)
        dataset.update({"SOPInstanceUID": f"1.2.3.{number}", **of})
        dicom_objects.write(tmp_path / "usb" / names.format(number), dataset, kind, [data])
    assert main(["new-study", "raw", "--from", "usb"]) == 0
    drafted = rows(tmp_path / "raw/recordings.csv")
    assert [(row["recording"], row["part"]) for row in drafted] == expected
    doubts = " ".join(row[CONFIRM] for row in drafted)
    assert (said in doubts) if said else ("DOUBT" not in doubts)
    told = (tmp_path / "raw/recordings.csv").read_text() + capsys.readouterr().out
    assert not any(value in told for value in ("KH-", "4711", "1.2.3", "1.9", "20240131", "Mustermann"))


def test_a_name_that_is_not_utf8_is_left_out(folder, capsys):
    try:
        (Path(os.fsdecode(os.fsencode(folder) + b"/M\xfcller.mp4"))).write_bytes(b"x")
    except OSError:
        pytest.skip("this disk has UTF-8 names only")
    assert main(["new-study", "raw", "--from", "usb", "--json"]) == 0
    assert "its name is not UTF-8" in capsys.readouterr().out
