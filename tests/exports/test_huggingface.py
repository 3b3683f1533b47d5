"""A Hugging Face data set is the release: its labels, its splits, its pictures, and null where nothing is known."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

import exported_release
from scrubin import cli
from scrubin.base.errors import ReleaseError
from scrubin.base.tables import io
from scrubin.data.export import huggingface
from scrubin.labels.truth import of_tables, recognition, with_files
from scrubin.media.released.frame_files import picture


@pytest.fixture(scope="module")
def exported(release, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "hf"
    assert cli.main(["export", str(release), str(folder), "--to", "huggingface"]) == 0
    return folder


def front(folder: Path) -> dict:
    return yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])


def configs(folder: Path) -> dict[str, dict[str, list[dict]]]:
    """The rows of each split as a reader of the README's first lines takes them."""
    read = {path.relative_to(folder).as_posix(): pq.read_table(path).to_pylist() for path in folder.rglob("*.parquet")}
    return {
        config["config_name"]: {of["split"]: [row for file in of["path"] for row in read[file]] for of in config["data_files"]}
        for config in front(folder)["configs"]
    }


@pytest.fixture(scope="module")
def rows(exported) -> dict[tuple[str, str, int], dict]:
    return {(row["id"], row["camera"], row["frame"]): row for row in configs(exported)["frames_all"]["full"]}


def test_every_fold_is_a_configuration_and_its_subsets_are_splits(exported):
    every = configs(exported)
    for kind in ("frames", "recordings"):
        ids = {name: {split: {row["id"] for row in of} for split, of in splits.items()} for name, splits in every.items() if kind in name}
        assert ids[f"{kind}_balanced"] == {"train": {"abelo", "borunga"}, "in_domain_test": {"cimeto"}}
        assert ids[f"{kind}_five_0"] == {"train": {"abelo", "cimeto"}, "test": {"borunga"}}
        assert ids[f"{kind}_five_1"] == {"train": {"borunga"}, "test": {"abelo"}}
        assert ids[f"{kind}_all"] == {"full": {"abelo", "borunga", "cimeto"}}
    assert len(every) == 8


def test_pictures_are_written_once_with_the_bytes_of_the_release(release, exported, rows):
    every = [row for path in (exported / "frames").glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    shown = [row for row in exported_release.rows()["frames"] if row["path"] and not row["redacted"]]
    assert {(row["id"], row["camera"], row["frame"]) for row in shown} == set(rows)
    assert len(every) == len(shown) == len({row["image"]["bytes"] for row in every})
    assert all(row["image"]["bytes"] == picture(release, row["image"]["path"]) for row in every)


def test_hidden_and_dropped_frames_are_left_out_and_counted(exported, rows):
    assert not {("borunga", "mono", 2), ("borunga", "mono", 3)} & set(rows)
    text = (exported / "README.md").read_text()
    assert "- 1 hidden frames, which are black\n- 1 dropped frames, which have no picture" in text


def test_missing_is_null_and_nothing_seen_is_empty(rows):
    assert rows["borunga", "mono", 1]["instances"] == []
    unknown = rows["borunga", "mono", 4]
    assert {name for name in unknown if unknown[name] is None} == {
        *("phase", "phase_id", "phase_vocabulary", "instances", "instances_vocabulary", "instances_detail"),
        "marks",
    }
    assert (rows["borunga", "mono", 0]["phase"], rows["borunga", "mono", 0]["phase_id"]) == ("preparation", 0)
    (only,) = rows["cimeto", "mono", 0]["instances"]
    assert (only["instrument"], only["verb"], only["triplet_id"], only["x"]) == ("grasper", None, None, None)
    assert rows["cimeto", "mono", 0]["instances_detail"] == "instrument"


def test_instances_are_those_of_the_table(release, rows):
    table = pd.read_parquet(release / "tables/triplets.parquet")
    wanted = table[table["id"] == "borunga"].drop(columns=["id", "frame", "vocabulary"])
    own = ("mask", "points", "tracks")
    found = [{name: value for name, value in one.items() if name not in own} for one in rows["borunga", "mono", 0]["instances"]]
    assert found == io.records(wanted)


def test_labels_are_those_of_the_ground_truth(release, rows):
    frames, labelled, triplets, phases = (
        pd.read_parquet(release / f"tables/{name}.parquet") for name in ("frames", "labelled", "triplets", "phases")
    )
    compared = 0
    for recording in with_files(of_tables(labelled, triplets, phases), frames):
        matrix = recognition.matrices(recording)["i"]
        for number, frame in enumerate(recording.instances.frames):
            if (recording.id, frame) != exported_release.HIDDEN:
                instances = rows[recording.id, exported_release.CAMERAS[recording.id][0], frame]["instances"]
                assert {one["instrument_id"] for one in instances} == set(matrix[number].nonzero()[0])
                compared += 1
    assert compared == 4


def test_a_box_stands_only_with_the_camera_in_which_it_was_drawn(rows):
    (left,), (right,) = (rows["abelo", camera, 0]["instances"] for camera in ("left", "right"))
    assert [left[side] for side in "xywh"] == [0.1, 0.2, 0.25, 0.5]
    assert right == left | dict.fromkeys((*"xywh", "mask", "points"))


def test_scores_and_errors_are_those_of_the_tables_and_null_without_ratings(exported):
    of = {row["id"]: row for row in configs(exported)["recordings_all"]["full"]}
    assert of["abelo"]["GRS"] == 0.1 + 0.2
    assert of["abelo"]["efficiency"] is None
    assert of["abelo"]["errors"] == [{"error": "cut", "occurred": False}, {"error": "dropped", "occurred": True}]
    assert {name for name, value in of["borunga"].items() if value is not None} == {"id", "task"}


def test_the_files_say_which_features_they_have(exported):
    schema = pq.read_schema(sorted((exported / "frames").glob("*.parquet"))[0])
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert features["image"] == {"_type": "Image"}
    assert features["instances"][0]["x"] == {"dtype": "float64", "_type": "Value"}
    assert list(features) == sorted(schema.names)


def test_the_first_configuration_is_the_usual_one(exported):
    assert [config["config_name"] for config in front(exported)["configs"] if config.get("default")] == ["frames_balanced"]
    assert front(exported)["pretty_name"] == "A study: of two tasks"


def test_the_words_of_the_releases_own_card_are_kept(own, tmp_path):
    (own / "metadata").mkdir()
    (own / "metadata/dataset_card.md").write_text(
        "---\nlicense: cc-by-4.0\nconfigs:\n- config_name: x\ntags:\n- surgery\n---\n# Own words\n\n---\nMore.\n"
    )
    assert cli.main(["export", str(own), str(tmp_path / "hf"), "--to", "huggingface"]) == 0
    says = front(tmp_path / "hf")
    assert (says["license"], says["tags"], says["configs"][0]["config_name"]) == ("cc-by-4.0", ["surgery"], "frames_balanced")
    assert "# Own words\n\n---\nMore.\n\n## This copy" in (tmp_path / "hf/README.md").read_text()


def test_more_subsets_than_can_be_read_and_names_that_meet_are_refused():
    with pytest.raises(ReleaseError, match="'frames_x' has 33 subsets, but Hugging Face reads at most 32"):
        huggingface.split_names([f"s{number}" for number in range(33)], "frames_x")
    with pytest.raises(ReleaseError, match="the subsets test a, test-a of 'frames_x' would share a name"):
        huggingface.split_names(["test-a", "test a"], "frames_x")


@pytest.mark.parametrize("name", ["train", "all", "a..b", ".x", "Prüfung", "test-1.2", "_"])
def test_every_split_name_is_one_that_the_library_takes(name):
    (made,) = huggingface.split_names([name], "frames_x").values()
    assert huggingface.SPLIT.fullmatch(made)
    assert made != "all"
