"""A ground truth that is not of the tables at hand, or not as it was written, is noticed."""

import io as bytes_io
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from ground_truths import LABELS_SHA256, write_ground_truth
from scrubin.base.errors import TableError
from scrubin.base.files import sha256_of, write_json
from scrubin.base.ground_truth import DEFINITIONS, FRAME_CONTRACT
from scrubin.base.tables import io
from scrubin.base.tables.public import LABELLED, SPLITS
from scrubin.base.vocabulary import vocabulary
from scrubin.cli import main
from scrubin.labels.truth.recognition import npz
from scrubin.stages.groundtruth import INPUTS, verification, writing
from scrubin.stages.release.metadata import record_sets

WORDS = vocabulary.load("cholect50")
WORDLESS = json.dumps(
    {
        "frame_contract": "",
        **{key: {} for key in ("definitions", "inputs", "recordings", "files", "folders")},
        "vocabularies": {"cholect50": 1},
    }
)
TABLES = sorted((INPUTS["subset"] - {"annotations"}) | {"marks", "masks", "points", "tracks"})
FRAME_COUNT = 24


def tables_of(folder):
    beside = folder.with_name(f"{folder.name}_tables")
    return {name: beside / f"{name}.parquet" for name in (*TABLES, "labelled")}


@pytest.fixture
def copy(written_once, tmp_path):
    for name in ("g", "g_tables"):
        shutil.copytree(written_once.with_name(name), tmp_path / name)
    return tmp_path / "g"


def test_what_was_written_is_right(written_once):
    assert verification.check(written_once, tables_of(written_once)) == []


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", TABLES)
def test_a_changed_table_is_noticed_by_the_stamps_of_what_was_made_of_it(copy, name):
    tables = tables_of(copy)
    with tables[name].open("ab") as file:
        file.write(b" ")
    (fault,) = verification.check(copy, tables)
    assert f"was made of another table '{name}'" in fault
    coco = verification.stamp_of(copy / "cholect50/coco.json")
    told = list(verification.of_tables(coco["inputs"], tables, "coco.json"))
    assert bool(told) == (name in INPUTS["coco"])


@pytest.mark.parametrize(("layer", "counted"), [("instances", "recognition_frames"), ("phases", "phase_frames")])
def test_labelled_frames_that_are_not_those_of_the_ground_truth_are_noticed(copy, layer, counted):
    tables = tables_of(copy)
    labelled = io.read(LABELLED, tables["labelled"])
    further = labelled[(labelled["id"] == "cenopa") & (labelled["layer"] == layer)].head(1).assign(frame=FRAME_COUNT)
    io.write(LABELLED, pd.concat([labelled, further]), tables["labelled"])
    (fault,) = verification.check(copy, tables)
    assert fault.startswith(f"manifest.json: cenopa has {FRAME_COUNT} {counted}, but {FRAME_COUNT + 1} by the table 'labelled'; run")
    io.write(LABELLED, labelled[(labelled["id"] != "cenopa") | (labelled["layer"] != layer)], tables["labelled"])
    (fault,) = verification.check(copy, tables)
    assert f"{FRAME_COUNT} {counted}, but none by the table" in fault


def test_a_release_without_the_table_of_labelled_frames_is_checked_by_its_stamps_alone(copy):
    tables = tables_of(copy)
    tables["labelled"].unlink()
    assert verification.check(copy, tables) == []


def test_a_missing_table_is_noticed(copy):
    tables = tables_of(copy)
    tables["splits"].unlink()
    (fault,) = verification.check(copy, tables)
    assert "is missing, but manifest.json was made of the table 'splits'" in fault


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "name",
    [
        "cholect50/coco.json",
        "cholect50/recognition.parquet",
        "cholect50/recognition/abelo.npz",
        "cholect50/phases/abelo.csv",
        "cholect50/phases.stamp.json",
        "skill/PegTransfer.csv",
        "splits/cv/1/test/files.json",
        "README.md",
    ],
)
def test_a_changed_file_is_named(copy, name):
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    assert any(fault.startswith(f"{name}: the file has changed") for fault in verification.check(copy, {}))


def test_a_changed_label_file_changes_the_hash_of_its_folder(copy):
    path = next((copy / "cholect50/yolo4").rglob("000003.txt"))
    path.write_text("0 0 0 0 0.5 0.5 0.1 0.1\n")
    folder = path.parent.relative_to(copy).as_posix()
    faults = verification.check(copy, {})
    assert f"{folder}: the folder has changed" in faults[0]
    # The sidecar and the lists of three subsets state it too.
    assert len(faults) == 1 + 1 + 3


def test_missing_and_additional_files_are_named(copy):
    (copy / "cholect50/detection/abelo.json").unlink()
    (copy / "more.json").write_text("{}")
    faults = verification.check(copy, {})
    assert any(fault.startswith("cholect50/detection/abelo.json: the file is missing") for fault in faults)
    assert any(fault.startswith("more.json: manifest.json does not name this file") for fault in faults)
    assert any(fault.startswith("more.json: has no stamp") for fault in faults)


def test_a_file_of_another_run_is_noticed_even_when_the_manifest_names_its_hash(copy):
    path = copy / "cholect50/recognition/abelo.npz"
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    stamp = json.loads(str(arrays["stamp"]))
    stamp["inputs"]["triplets"] = "0" * 64
    path.write_bytes(npz({**arrays, "stamp": np.array(json.dumps(stamp))}))
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["files"]["cholect50/recognition/abelo.npz"] = sha256_of(path)
    write_json(copy / "manifest.json", manifest)
    faults = verification.check(copy, tables_of(copy))
    assert faults[0].startswith("cholect50/recognition/abelo.npz: its stamp does not say the same as manifest.json of tables;")
    assert all("states other hashes" in fault for fault in faults[1:])


def test_another_vocabulary_is_noticed(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["vocabularies"]["cholect50"]["version"] = "0.9.0"
    manifest["vocabularies"]["cholect59"] = {"version": "1", "sha256": ""}
    write_json(copy / "manifest.json", manifest)
    faults = verification.check(copy, {})
    assert any("its vocabulary 'cholect50' 0.9.0 is not the one that is here, 1.0.0" in fault for fault in faults)
    assert any("'cholect59' is no vocabulary" in fault for fault in faults)
    assert any(fault.startswith("cholect50/coco.json: its stamp does not say the same as manifest.json of vocabulary") for fault in faults)


@pytest.mark.parametrize("text", [None, "", "[]", "{}", WORDLESS])
def test_a_folder_without_a_manifest_is_an_error(tmp_path, text):
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(TableError, match=r"manifest\.json: (cannot be read as JSON|is not the manifest of a ground truth)"):
        verification.check(tmp_path, {})


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cholect50/recognition/abelo.npz", "recognition"),
        ("cholect50/recognition.parquet", "recognition"),
        ("cholect50/detection/abelo.json", "detection"),
        ("cholect50/coco.json", "coco"),
        ("cholect50/yolo/data.yaml", "yolo"),
        ("cholect50/yolo4/frames/Cholecystectomy/mono/abelo/000000.txt", "yolo"),
        ("cholect50/phases/abelo.csv", "phases"),
        ("skill/PegTransfer.csv", "skill"),
        ("errors/PegTransfer.csv", "errors"),
        ("splits/cv/0/test/cholect50/coco.json", "coco"),
        ("splits/cv/0/test/cholect50/recognition.parquet", "recognition"),
        ("splits/cv/0/test/cholect50/yolo.txt", "subset"),
        ("splits/cv/0/test/skill/PegTransfer.csv", "subset"),
        ("splits/cv/0/test/files.json", "subset"),
    ],
)
def test_every_file_has_a_stamp_with_tables_vocabulary_contract_and_definition(written_once, name, kind):
    stamp = verification.stamp_of(written_once / name)
    assert (stamp["kind"], stamp["definition"], stamp["frame_contract"]) == (kind, DEFINITIONS[kind], FRAME_CONTRACT)
    of_subset = {"splits"} if name.startswith("splits") else set()
    assert set(stamp["inputs"]) == INPUTS[kind] | of_subset
    hashes = {table: sha256_of(path) for table, path in tables_of(written_once).items()} | {"annotations": LABELS_SHA256}
    assert stamp["inputs"] == {table: hashes[table] for table in stamp["inputs"]}
    words = {"name": "cholect50", "version": WORDS.version, "sha256": WORDS.sha256}
    assert stamp["vocabulary"] == (None if kind in ("skill", "errors", "subset") else words)
    assert stamp.get("split") == ({"scheme": "cv", "fold": 0, "subset": "test"} if of_subset else None)


def test_a_subset_lists_exactly_its_recordings_and_files_with_their_hashes(written_once):
    listed = json.loads((written_once / "splits/cv/0/test/files.json").read_text())
    assert list(listed["recordings"]) == ["cenopa", "dufila"]
    for id_, own in listed["recordings"].items():
        kinds = [f"cholect50/{kind}" for kind in (f"detection/{id_}.json", f"phases/{id_}.csv", f"recognition/{id_}.npz")]
        assert own["files"] == {name: sha256_of(written_once / name) for name in kinds}
        for name, told in own["folders"].items():
            assert name.endswith(f"frames/Cholecystectomy/mono/{id_}")
            sums = subprocess.run(
                "LC_ALL=C sha256sum *.txt | sha256sum", shell=True, cwd=written_once / name, capture_output=True, check=True
            )
            assert sums.stdout.decode().split()[0] == told["sha256"]
    assert set(listed["files"]) == {
        "cholect50/coco.json",
        "cholect50/recognition.parquet",
        "cholect50/yolo.txt",
        "errors/PegTransfer.csv",
        "skill/PegTransfer.csv",
    }


@pytest.mark.slow
def test_a_subset_without_labels_lists_its_recordings_only(made, tmp_path):
    splits = io.frame_of(SPLITS, [{"scheme": "balanced", "fold": 0, "subset": "val", "id": "zuvali"}])
    write_ground_truth(tmp_path / "g", {**made, "splits": splits})
    assert [path.name for path in (tmp_path / "g/splits/balanced/0/val").rglob("*")] == ["files.json"]
    listed = json.loads((tmp_path / "g/splits/balanced/0/val/files.json").read_text())
    assert (listed["files"], listed["recordings"]) == ({}, {"zuvali": {"files": {}, "folders": {}}})
    assert verification.check(tmp_path / "g", tables_of(tmp_path / "g")) == []


@pytest.mark.parametrize(("column", "name"), [("scheme", "../up"), ("subset", "a/b"), ("subset", ".hidden"), ("scheme", "")])
def test_a_name_that_cannot_be_a_folder_is_refused(column, name):
    row = {"scheme": "balanced", "fold": 0, "subset": "val", "id": "abelo", column: name}
    with pytest.raises(TableError, match=f"column '{column}': '.*' becomes the name of a folder"):
        list(writing.of_splits(io.frame_of(SPLITS, [row])))


@pytest.mark.slow
def test_the_same_tables_give_the_same_bytes(made, written_once, tmp_path):
    again = {name: table.sample(frac=1, random_state=1) if name == "splits" else table for name, table in made.items()}
    write_ground_truth(tmp_path / "g", again)
    one, other = ({p.relative_to(f): p.read_bytes() for p in f.rglob("*") if p.is_file()} for f in (written_once, tmp_path / "g"))
    assert one == other


def test_a_labelled_frame_without_a_row_is_an_error(made, tmp_path):
    frames = made["frames"]
    with pytest.raises(TableError, match="table 'frames': abelo has labels at frame 23, but no such row; run 'dvc repro annotations'"):
        write_ground_truth(tmp_path / "g", {**made, "frames": frames[~((frames.id == "abelo") & (frames.frame == 23))]})


def test_the_command_says_what_is_wrong_and_fails(copy, capsys):
    arguments = ["ground-truth-check", str(copy), "--tables", str(copy.with_name("g_tables"))]
    assert main(arguments) == 0
    assert "every file, table and vocabulary is the one that the stamps name" in capsys.readouterr().out
    (copy / "cholect50/coco.json").write_text("{}")
    assert main(arguments) == 1
    assert "cholect50/coco.json: the file has changed" in capsys.readouterr().out
    (copy / "cholect50/phases.stamp.json").write_text("[")
    (copy / "cholect50/recognition/abelo.npz").write_bytes(b"PK")
    (copy / "cholect50/recognition.parquet").write_bytes(b"PAR1")
    assert main(arguments) == 1
    assert capsys.readouterr().out.count("cannot be read") == 2 + 1 + 4  # those, and the sequences that the first is for
    assert main(["ground-truth-check", str(copy.parent)]) == 1
    assert "name the folder of a ground truth" in capsys.readouterr().err


def test_by_default_the_tables_are_those_beside_the_folder_as_in_a_release(copy, capsys):
    assert main(["ground-truth-check", str(copy)]) == 1
    assert capsys.readouterr().out.count("is missing, but manifest.json was made of the table") == len(TABLES)
    copy.with_name("g_tables").rename(copy.with_name("tables"))
    assert main(["ground-truth-check", str(copy)]) == 0


def test_a_stamp_in_parquet_does_not_hinder_other_readers(written_once):
    path = written_once / "cholect50/recognition.parquet"
    assert set(pq.read_schema(path).metadata) == {b"table", b"description", b"stamp"}
    assert pq.read_table(bytes_io.BytesIO(path.read_bytes())).num_rows == 4 * 24


def test_the_metadata_of_a_release_name_every_kind_of_file_that_is_there(written_once):
    names = [f"groundtruth/{path.relative_to(written_once).as_posix()}" for path in written_once.rglob("*") if path.is_file()]
    sets = record_sets.file_sets(dict.fromkeys(names, ""))
    matched = {
        item["@id"]: {str(path) for path in written_once.parent.glob(item["includes"].replace("groundtruth/", "g/"))} for item in sets
    }
    assert all(matched.values())
    assert len({name for found in matched.values() for name in found}) == sum(map(len, matched.values()))
    told = {Path(name).name for found in matched.values() for name in found}
    assert told >= {"coco.json", "recognition.parquet", "files.json", "000003.txt", *(f"abelo.{kind}" for kind in ("json", "npz", "csv"))}
    assert "PegTransfer.csv" in told
    assert record_sets.file_sets({}) == []
