"""The public part of a release: whatever the hidden labels are, not one byte of it changes, and it is a release."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exported_release
from ground_truths import write_ground_truth
from scrubin import cli
from scrubin.base import file_lists
from scrubin.base.errors import ReleaseError
from scrubin.base.files import write_json, write_text
from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN as REDACTED
from scrubin.base.tables.public import public_tables
from scrubin.data.verify import verification
from scrubin.evaluate.challenge import public_part
from scrubin.labels.masks import rle
from scrubin.load import Release
from scrubin.stages.groundtruth import verification as of_stamps
from scrubin.stages.release import added_files, assembly
from scrubin.stages.release.metadata.curator_words import Words
from scrubin.stages.release.release_params import ReleaseParams

TWINS = {"dovanu": "abelo", "fespila": "borunga"}
HIDDEN, PUBLIC = ("borunga", "dovanu"), ("abelo", "cimeto", "fespila")
PARAMS = ReleaseParams("a-study", "A study", "1.2.3", "CC-BY-4.0", archives=True, on_quarantine="continue", review="required")
ERRATA = [
    {"id": "E1", "since": "1.0.0", "severity": "note", "what": "phases begin late", "advice": "shift", "recordings": list(HIDDEN)},
    {"id": "E2", "since": "1.0.0", "severity": "note", "what": "it flickers", "advice": "nothing", "recordings": ["abelo", "borunga"]},
]


def rows() -> exported_release.Rows:
    """Five recordings, of which every kind of label is of a hidden and of a public one."""
    made = exported_release.rows()
    rating = {"id": "abelo", "task": "PegTransfer", "rater": "1", "failed": False}
    made["ratings"] = [rating | {"aspect": aspect, "score": 3.0} for aspect in ("GRS", "efficiency")]
    made["spans"] = [{"id": "borunga", "instance": 0, "start_frame": 0, "end_frame": 1, "vocabulary": "cholect50", "instrument": "grasper"}]
    made["spans"][0] |= {"verb": "grasp", "target": "gallbladder"}
    for row in made["frames"]:
        row["path"] = row["path"] and str(row["path"]).replace(".tar", "")
    made["masks"] = [row | {"counts": mask(4, 20, 8)} for row in made["masks"]]
    for twin, of in TWINS.items():
        for table in made.values():
            table += [_renamed(row, of, twin) for row in table if row["id"] == of]
    made["splits"] = [
        {"scheme": "balanced", "fold": 0, "subset": "test" if id_ in HIDDEN else "train", "id": id_} for id_ in (*HIDDEN, *PUBLIC)
    ]
    return made


def mask(*runs: int) -> str:
    """Return a mask in a picture of 8 x 4 px."""
    return rle.text_of_runs(np.array(runs))


def _renamed(row, of: str, twin: str):
    return row | {"id": twin} | ({"path": str(row["path"]).replace(of, twin)} if row.get("path") else {})


def with_other_labels(made: exported_release.Rows) -> exported_release.Rows:
    """Change every kind of hidden label, and what of public recordings depends on them: their normalised scores."""
    other = {name: [dict(row) for row in table] for name, table in made.items()}

    def hidden(table: str):
        return [row for row in other[table] if row["id"] in HIDDEN]

    for row in hidden("triplets"):
        row |= {"instrument": "hook", "instrument_id": 2, "triplet": None, "triplet_id": None, "x": 0.5}
    other["triplets"].append(exported_release.instance("dovanu", 1))
    other["labelled"] = [row for row in other["labelled"] if row["id"] != "borunga" or row["frame"] != 1 or row["layer"] != "instances"]
    for row in hidden("phases"):
        row |= {"phase": "cleaning-and-coagulation", "phase_id": 5}
    for row in hidden("masks"):
        row["counts"] = mask(2, 14, 16)
    for row in hidden("points"):
        row["point"] = f"left {row['point']}"
    for row in hidden("tracks"):
        row["track"] = 9
    for row in hidden("spans"):
        row["end_frame"] = 3
    for row in hidden("errors"):
        row["occurred"] = not row["occurred"]
    for row in hidden("ratings"):
        row["score"] = 5.0
    for row in other["skill"]:
        row |= {"GRS": -1.5, "disagreement": 0.25}
    other["marks"] = [row for row in other["marks"] if row["id"] not in HIDDEN or row["rater"] == "1"]
    return other


def released(folder: Path, made: exported_release.Rows, *, annotations_sha256: str) -> Path:
    """Write a whole release of these rows, as the stages do."""
    for row in made["videos"]:
        data = str(row["path"]).encode() * 40
        (folder / str(row["path"])).parent.mkdir(parents=True, exist_ok=True)
        (folder / str(row["path"])).write_bytes(data)
        row["sha256"] = hashlib.sha256(data).hexdigest()
    exported_release.write(folder, made)
    declared = public_tables(exported_release.ASPECTS)
    tables = {name: io.frame_of(table, made[name]) for name, table in declared.items()}
    box = {"id": "abelo", "camera": "left", "first_frame": 0, "last_frame": 19, "x": 8, "y": 4, "w": 6, "h": 3}
    hidden = io.frame_of(REDACTED, [box, box | {"id": "dovanu"}])
    write_ground_truth(folder / "groundtruth", tables | {"hidden": hidden})
    shutil.rmtree(folder / "groundtruth_tables")
    for path in (folder / "groundtruth").rglob("*.json"):
        # The hash of the labels before they were tables is another one when the labels are.
        path.write_text(path.read_text().replace("5" * 64, annotations_sha256))
    lines = [f"{row['id']},PegTransfer,{row['subset']}" for row in made["splits"]]
    write_text(folder / "splits/balanced.csv", "\n".join(["id,task,subset", *sorted(lines)]) + "\n")
    task_sheets = {f"{task}.csv": "id;GRS\n" + "".join(f"{row['id']};{row['GRS']}\n" for row in made["skill"]) for task in ("PegTransfer",)}
    certificate = {"CERTIFICATE.md": "What was done.\n", "certificate.json": "{}\n", "metadata/errata.yaml": json.dumps(ERRATA)}
    assembly.complete(folder, PARAMS, declared, tables, task_sheets, Fraction(1), "Nobody looked.", certificate, words=Words())
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A release, one with other hidden labels, and the public part of both."""
    folder = tmp_path_factory.mktemp("public_part")
    released(folder / "release", rows(), annotations_sha256="5" * 64)
    released(folder / "other", with_other_labels(rows()), annotations_sha256="6" * 64)
    for name in ("release", "other"):
        out = folder / f"public_{name}"
        assert cli.main(["challenge", "public", str(folder / name), "--split", "balanced", "--subset", "test", "--out", str(out)]) == 0
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_other_hidden_labels_change_no_byte_of_the_public_part(home):
    ours, theirs = contents(home / "public_release"), contents(home / "public_other")
    assert ours.keys() == theirs.keys()
    assert [name for name, data in ours.items() if data != theirs[name]] == []
    changed = [name for name, data in contents(home / "release").items() if data != contents(home / "other").get(name)]
    assert {"SHA256SUMS", "croissant.json", "metadata/facts.json", "metadata/files.csv", "groundtruth/manifest.json"} <= set(changed)
    of_labels = {"errors", "labelled", "marks", "masks", "phases", "points", "ratings", "skill", "spans", "tracks", "triplets"}
    assert {f"tables/{name}.parquet" for name in of_labels} <= set(changed)


def test_no_hash_of_a_file_with_hidden_labels_is_in_the_public_part(home):
    public = contents(home / "public_release")
    everything = b"\n".join(public.values())
    # Its hidden labels are not those of any public recording, too.
    gone = {name: data for name, data in contents(home / "other").items() if public.get(name) != data}
    assert len(gone) > 30
    assert [name for name, data in gone.items() if data and hashlib.sha256(data).hexdigest().encode() in everything] == []


def test_the_public_part_is_a_release_that_says_so(home):
    part = home / "public_release"
    verified = verification.verify(part)
    assert (verified.errors, verified.name, verified.version) == ([], "a-study-public", "1.2.3")
    assert of_stamps.check(part / "groundtruth", {path.stem: path for path in (part / "tables").glob("*.parquet")}) == []
    release = Release(part, errata="ignore")
    assert sorted(release.recordings.index) == sorted([*HIDDEN, *PUBLIC])
    assert set(release.tables["triplets"]["id"]) == set(PUBLIC)
    assert release.frames("balanced/test", ["triplets"], task="Cholecystectomy")[0]["triplets_mask"] is False
    described = json.loads((part / "croissant.json").read_text())
    assert described["isPartOf"] == {"@type": "sc:Dataset", "name": "a-study", "version": "1.2.3"}
    assert "all but 2 recordings, those of `test` of the split `balanced`" in described["description"]
    assert "The public part of a-study 1.2.3" in (part / "README.md").read_text()


def test_public_labels_are_those_of_the_release(home):
    before, now = contents(home / "release"), contents(home / "public_release")
    same = [name for name in now if name.startswith(("videos/", "frames/", "splits/")) or name.endswith(("fespila.csv", "gt.txt"))]
    assert [name for name in same if now[name] != before[name]] == []
    assert any("fespila" in name for name in same)
    for kind in ("coco", "masks", "points"):
        old, new = (json.loads(of[f"groundtruth/cholect50/{kind}.json"]) for of in (before, now))
        assert [image["id"] for image in new["images"]] == list(range(1, len(new["images"]) + 1))
        assert public_part._drawn(new) == {key: of for key, of in public_part._drawn(old).items() if key[0] in PUBLIC}
    assert any("ignored" in image for image in json.loads(now["groundtruth/cholect50/masks.json"])["images"])


def test_skill_of_a_task_with_hidden_recordings_is_left_out_because_it_is_normalised_over_them(home, tmp_path, capsys):
    assert len(Release(home / "public_release", errata="ignore").tables["skill"]) == 0
    assert not (home / "public_release/Annotation").exists()
    assert len(Release(home / "public_release", errata="ignore").tables["ratings"]) == 2
    write_text(tmp_path / "split.csv", "id,subset\nborunga,test\n")
    order = ["--split", str(tmp_path / "split.csv"), "--subset", "test", "--out", str(tmp_path / "part")]
    assert cli.main(["challenge", "public", str(home / "release"), *order]) == 0
    assert len(Release(tmp_path / "part", errata="ignore").tables["skill"]) == 2
    assert (tmp_path / "part/Annotation/PegTransfer.csv").is_file()
    assert "left out: skill" not in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["agreement", "raters"])
@pytest.mark.parametrize("named", ["public_release", "public_release/tables"])
def test_points_of_raters_are_not_taken_for_the_skill_that_is_left_out(named, kind, home, tmp_path, capsys):
    write_text(tmp_path / "PegTransfer.csv", "id,GRS\nabelo,0.3\nfespila,0.3\n")
    order = ["--ground-truth", str(home / named), "--predictions", str(tmp_path), "--variant", f"kind={kind}"]
    assert cli.main(["score", "skill", *order]) == 1
    assert "the skill of PegTransfer is not in this release; its README.md says why" in capsys.readouterr().err


def test_a_public_part_says_whose_labels_it_hides(home, tmp_path, capsys):
    public, part = (
        str(home / "public_release"),
        "hidden in this public part of a-study 1.2.3; for hidden recordings, scrubin submission check",
    )
    write_text(tmp_path / "found/borunga.csv", "frame,phase_id\n0,0\n1,0\n2,0\n")
    assert cli.main(["submission", "check", str(tmp_path / "found"), "--ground-truth", public, "--task", "phases"]) == 1
    told = capsys.readouterr().out
    assert f"borunga.csv: its labels are {part}" in told
    assert "no files that fit a video whose labels are here\n" in told
    assert "was not looked at" not in told
    test = ["--ground-truth", public, "--videos", str(home / "public_release/splits/balanced.csv"), "--subset", "test"]
    fix = f"the labels of 2 of these 2 are {part} takes frames.csv"
    for order in (
        ["score", "phases", "--predictions", str(tmp_path / "found"), *test],
        ["submission", "check", str(tmp_path / "found"), *test],
    ):
        assert cli.main(order) == 1
        assert fix in capsys.readouterr().err


def test_tables_are_named_once_and_a_sheet_of_them_has_no_rate(home, tmp_path, capsys, monkeypatch):
    whole = shutil.copytree(home / "release", tmp_path / "release")
    errors = shutil.move(whole / "groundtruth/errors", tmp_path / "errors")
    monkeypatch.chdir(tmp_path)
    order = ["score", "errors", "--ground-truth", "release", "--predictions", str(errors)]
    assert cli.main(order) == 0
    assert "labels.json" not in capsys.readouterr().err
    (whole / "tables/labelled.parquet").write_bytes(b"")
    assert cli.main(order) == 1
    assert "scrubin score: release/tables/labelled.parquet: " in capsys.readouterr().err


def test_known_errors_of_hidden_recordings_stay_behind(home):
    known = json.loads((home / "public_release/metadata/errata.yaml").read_text())
    assert [(one["id"], one["recordings"]) for one in known] == [("E2", ["abelo"])]


def test_files_that_nobody_named_stay_behind(home, tmp_path):
    whole = shutil.copytree(home / "release", tmp_path / "release")
    for name in ("metadata/by_video.csv", "splits/labels.txt", "splits/hard_cases.csv"):
        write_text(whole / name, "borunga,preparation\n")
    sha256 = added_files.hashes(whole)
    write_text(whole / file_lists.FILE_LIST, file_lists.file_list_text(sha256, added_files.sizes_of_files(whole, sha256)))
    write_text(whole / file_lists.CHECKSUMS, file_lists.checksums_text(added_files.hashes(whole)))
    part = public_part.write(whole, "balanced", ["test"], tmp_path / "part")
    assert (part.left_out["metadata/by_video.csv"], part.left_out["splits/"]) == (1, 2)
    assert contents(tmp_path / "part") == contents(home / "public_release")
    with (tmp_path / "part/metadata/files.csv").open() as file:
        assert not [row for row in csv.reader(file) if "by_video" in row[0]]


def change_last_digit(path):
    """Damage a file without another size of it."""
    text = path.read_text()
    place = max(text.rfind(digit) for digit in "12345678")
    path.write_text(f"{text[:place]}9{text[place + 1 :]}")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: write_text(folder / "split.csv", "id,subset\nborunja,test\n"), "no recording 'borunja'"),
        (lambda folder: (folder / "release/tables/phases.parquet").write_bytes(b"PAR1"), "tables/phases.parquet"),
        (lambda folder: change_last_digit(folder / "release/groundtruth/cholect50/masks.json"), "cholect50/masks.json"),
        (lambda folder: (folder / "release/videos/Cholecystectomy/mono/cimeto.mkv").write_bytes(b"x" * 1640), "cimeto.mkv"),
        (
            lambda folder: write_json(
                folder / "release/groundtruth/cholect50/phases/fespila.csv", json.loads('"frame,phase_id,phase,hidden"')
            ),
            "phases/fespila.csv",
        ),
    ],
)
def test_what_is_not_whole_is_refused_and_nothing_is_left(damage, message, home, tmp_path, capsys):
    shutil.copytree(home / "release", tmp_path / "release")
    write_text(tmp_path / "split.csv", "id,subset\nborunga,test\n")
    damage(tmp_path)
    order = ["--split", str(tmp_path / "split.csv"), "--subset", "test", "--out", str(tmp_path / "part")]
    assert cli.main(["challenge", "public", str(tmp_path / "release"), *order]) != 0
    assert message in capsys.readouterr().err
    assert not (tmp_path / "part").exists()


def test_a_public_part_is_not_taken_for_the_whole_release(home, tmp_path):
    with pytest.raises(ReleaseError, match="name the whole release, and all hidden subsets at once"):
        public_part.write(home / "public_release", "balanced", ["train"], tmp_path)
