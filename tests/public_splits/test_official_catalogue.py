"""The official splits are what their papers say, and cannot change unnoticed."""

from __future__ import annotations

import json
import shutil

import pytest

from scrubin.base.errors import SplitError
from scrubin.public_splits import catalogue, datasets
from scrubin.public_splits.datasets import FOLDER, dataset, document, index, names

SIZES = {
    "autolaparo": {"train": [10], "val": [4], "test": [7]},
    "cholec80-cvs": {"train": [50], "val": [15], "test": [15]},
    "cholec80/32-8-40": {"train": [32], "val": [8], "test": [40]},
    "cholec80/40-40": {"train": [40], "test": [40]},
    "cholec80/40-8-32": {"train": [40], "val": [8], "test": [32]},
    "cholec80/4fold": {"train": [30] * 4, "test": [10] * 4},
    "cholecinstanceseg": {"train": [45], "val": [18], "test": [22]},
    "cholecseg8k/endovit": {"train": [13], "val": [2], "test": [2]},
    "cholect45/cv": {"train": [36] * 5, "test": [9] * 5},
    "cholect50/challenge": {"train": [40], "val": [5], "test": [5]},
    "cholect50/cv": {"train": [40] * 5, "test": [10] * 5},
    "cholect50/rdv": {"train": [35], "val": [5], "test": [10]},
    "cholectrack20": {"train": [10], "val": [2], "test": [8]},
    "endoscapes": {"train": [120], "val": [41], "test": [40]},
    "grasp": {"train": [8], "test": [5]},
    "jigsaws/knot-tying-loso": {"train": [29, 29, 28, 29, 29], "test": [7, 7, 8, 7, 7]},
    "jigsaws/knot-tying-louo": {"train": [32, 31, 31, 31, 31, 31, 33, 32], "test": [4, 5, 5, 5, 5, 5, 3, 4]},
    "jigsaws/needle-passing-loso": {"train": [23, 23, 22, 21, 23], "test": [5, 5, 6, 7, 5]},
    "jigsaws/needle-passing-louo": {"train": [24, 23, 23, 24, 25, 25, 24], "test": [4, 5, 5, 4, 3, 3, 4]},
    "jigsaws/suturing-loso": {"train": [31, 32, 31, 31, 31], "test": [8, 7, 8, 8, 8]},
    "jigsaws/suturing-louo": {"train": [34] * 6 + [35, 34], "test": [5] * 6 + [4, 5]},
    "m2cai16-tool": {"train": [10], "test": [5]},
    "m2cai16-workflow": {"train": [27], "test": [14]},
    "prostatd/5fold": {"train": [15, 15, 15, 15, 14], "val": [2] * 5, "test": [4, 4, 4, 4, 5]},
    "psi-ava/2fold": {"train": [4, 4], "test": [4, 4]},
    "sar-rarp50": {"train": [40], "test": [10]},
}
# Nwoye and Padoy 2022, Table 4, as printed: one row per position, one column per fold; CholecT45 has no last row.
TABLE_4 = """79 80 31 42 78
2 32 57 29 43
51 5 36 60 62
6 15 18 27 35
25 40 52 65 74
14 47 68 75 1
66 26 10 22 56
23 48 8 49 4
50 70 73 12 13
111 96 103 110 92"""
# Table 2, as printed: its training columns.
TABLE_2_TRAIN = """1 15 26 40 52 65 79 2 18 27 43 56 66 92 4 22 31 47 57 68 96 5 23 35 48 60 70 103 13 25 36 49 62 75 110"""
# Table 3, as printed: trainval, column by column.
TABLE_3_TRAINVAL = """1 2 4 6 8 10 12 13 14 15 22 23 25 26 27 29 31 32 35 40 42 43 47 48 49 50 51 52 56 57 60 62 66 68 70 73 75 78 79 80
5 18 36 65 74"""


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.json") if path.name != "index.json"))
def test_every_data_file_has_the_hash_that_the_index_states(file):
    assert document(file)


def test_the_index_names_every_data_file_and_no_other():
    assert set(index()) == {path.name for path in FOLDER.glob("*.json")} - {"index.json"}
    of_datasets = {"datasets.json", "relations.json", "corpora.json"}
    assert {f"{name.replace('/', '_')}.json" for name in catalogue.available()} | of_datasets == set(index())


def test_a_changed_data_file_is_refused(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "official", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    path = folder / "endoscapes.json"
    path.write_text(path.read_text().replace("121-161", "121-160"))
    with pytest.raises(SplitError, match=r"endoscapes\.json: its SHA-256 is [0-9a-f]{64}, but the index states [0-9a-f]{64}"):
        datasets.document("endoscapes.json", folder)
    with pytest.raises(SplitError, match="not in the index"):
        datasets.document("nobody.json", folder)
    path.unlink()
    with pytest.raises(SplitError, match="missing among the official splits"):
        datasets.document("endoscapes.json", folder)


def test_every_split_of_the_field_is_available():
    assert set(catalogue.available()) == set(SIZES)
    assert catalogue.available() == tuple(sorted(catalogue.available()))


@pytest.mark.parametrize("name", SIZES)
def test_every_split_names_itself_its_source_and_has_its_sizes(name):
    split = catalogue.load(name)
    assert split.name == name
    assert len(split.source) > 20
    assert {subset: [len(placed[subset]) for placed in split.placed.values()] for subset in split.placed[split.folds[0]]} == SIZES[name]
    assert split.folds == ((0,) if len(split.folds) == 1 else tuple(range(1, len(split.folds) + 1)))


@pytest.mark.parametrize("name", SIZES)
def test_every_video_is_once_in_every_fold(name):
    rows = catalogue.load(name).rows
    assert not rows.duplicated(["fold", "video"]).any()
    assert rows.groupby("fold").video.agg(set).map(frozenset).nunique() == 1
    assert set(rows.video) <= set(dataset(catalogue.load(name).dataset).videos)


@pytest.mark.parametrize("name", [name for name, sizes in SIZES.items() if len(sizes["test"]) > 1])
def test_the_folds_of_a_cross_validation_test_every_video_once(name):
    split = catalogue.load(name)
    tested = [video for placed in split.placed.values() for video in placed["test"]]
    assert sorted(tested) == sorted(split.videos)


def test_cholect50_is_as_printed_in_tables_2_to_4():
    folds = [list(column) for column in zip(*(line.split() for line in TABLE_4.splitlines()), strict=True)]
    cv, small = catalogue.load("cholect50/cv"), catalogue.load("cholect45/cv")
    for number, videos in enumerate(folds, start=1):
        assert set(cv.placed[number]["test"]) == set(videos)
        assert set(small.placed[number]["test"]) == set(videos[:-1])
    assert set(catalogue.load("cholect50/rdv").placed[0]["train"]) == set(TABLE_2_TRAIN.split())
    challenge = catalogue.load("cholect50/challenge").placed[0]
    assert set(challenge["train"] + challenge["val"]) == set(TABLE_3_TRAINVAL.split()) == set(small.videos)
    assert set(challenge["test"]) == set(TABLE_4.splitlines()[-1].split())


def test_what_no_author_states_is_named_an_interpretation():
    interpreted = {name for name in catalogue.available() if catalogue.load(name).interpretation}
    assert interpreted == {"autolaparo", "cholec80/4fold", "grasp", "sar-rarp50"}
    assert set(catalogue.load("cholec80/4fold").videos) == {str(number) for number in range(41, 81)}


def test_who_is_on_both_sides_by_design_is_said():
    assert {name for name in catalogue.available() if catalogue.load(name).people} == {
        f"jigsaws/{task}-loso" for task in ("knot-tying", "needle-passing", "suturing")
    }


def test_prostatd_trains_on_the_rest():
    first = catalogue.load("prostatd/5fold").placed[1]
    assert first["test"] == ("esadv1", "psiv1", "psiv4", "pwhv8")
    assert first["val"] == ("psiv7", "pwhv5")
    assert set(first["train"]) == set(dataset("prostatd").videos) - set(first["test"]) - set(first["val"])


def test_nothing_that_nobody_states_is_there():
    for invented in ("cholec80/48-12-20", "cholec80/60-20", "lasana", "multibypass140", "heichole", "pitvis", "cataract-101"):
        with pytest.raises(SplitError, match=f"'{invented}' is no official split"):
            catalogue.load(invented)
    with pytest.raises(SplitError, match=r"'cholect50/rvd' is no official split; did you mean 'cholect50/rdv'\?"):
        catalogue.load("cholect50/rvd")


def test_changing_a_frame_changes_no_split():
    rows = catalogue.load("endoscapes").rows
    rows["subset"] = "train"
    assert set(catalogue.load("endoscapes").rows.subset) == {"train", "val", "test"}


VIDEOS = (
    "autolaparo 21, cholec80 80, cholec80-cvs 80, cholecinstanceseg 85, cholecseg8k 17, cholect45 45, cholect50 50, cholectrack20 20, "
    "endoscapes 201, grasp 13, heichole 24, jigsaws 103, m2cai16-tool 15, m2cai16-workflow 41, esad 4, multibypass140 140, prostatd 21, "
    "psi-ava 8, sar-rarp50 50, ssg-vqa 45"
)
"""How many videos each data set has that lists them."""


def test_the_datasets_have_their_sizes():
    sizes = {name: len(dataset(name).videos) for name in names()}
    assert all(dataset(name).unlisted for name, size in sizes.items() if not size)
    assert {name: str(size) for name, size in sizes.items() if size} == dict(one.split() for one in VIDEOS.split(", "))
    assert all(len(set(dataset(name).videos)) == size for name, size in sizes.items())
    with pytest.raises(SplitError, match=r"'endoscape' is no known dataset; did you mean 'endoscapes'\?"):
        dataset("endoscape")


def test_the_data_files_are_readable_json_with_a_source():
    for name in catalogue.available():
        stated = json.loads((FOLDER / f"{name.replace('/', '_')}.json").read_text(encoding="utf-8"))
        assert set(stated) - {"videos", "people"} == {"name", "dataset", "source", "notes", "interpretation", "folds"}
