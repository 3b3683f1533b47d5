"""Who is in a recording, the CSV files, the balance table and the coverage."""

import json
from pathlib import Path

import pandas as pd
import pytest

from scrubin.core import params
from scrubin.errors import ParamsError, SplitError
from scrubin.splits import balanced
from scrubin.splits.balance import balance
from scrubin.splits.coverage import coverage
from scrubin.splits.listings import listings
from scrubin.splits.params import SplitsParams
from scrubin.splits.people import people


@pytest.fixture
def tables():
    recordings = pd.DataFrame(
        [("r1", "anna", "Peg", "left"), ("r1", "anna", "Peg", "right"), ("r2", "bert", "Peg", "left"), ("r3", "cleo", "Peg", "left")],
        columns=["recording", "participant", "task", "camera"],
    )
    linkage = pd.DataFrame({"recording": ["r1", "r2", "r3"], "id": ["papepu", "nonidu", "golaso"]})
    videos = pd.DataFrame(
        [("papepu", "Peg", "left"), ("papepu", "Peg", "right"), ("nonidu", "Peg", "left")], columns=["id", "task", "camera"]
    )
    return recordings, linkage, videos


def test_each_released_recording_has_one_row_with_its_participant(tables):
    found = people(*tables)
    assert found.to_dict("records") == [
        {"id": "nonidu", "task": "Peg", "participant": "bert"},
        {"id": "papepu", "task": "Peg", "participant": "anna"},
    ]


def test_a_released_recording_without_participant_is_an_error(tables):
    recordings, linkage, videos = tables
    with pytest.raises(SplitError, match="'nonidu' has no participant in the manifest"):
        people(recordings[recordings.recording != "r2"], linkage, videos)


def test_a_recording_with_two_participants_is_an_error(tables):
    recordings, linkage, videos = tables
    recordings.loc[1, "participant"] = "bert"
    with pytest.raises(SplitError, match="'papepu' has several participants or tasks"):
        people(recordings, linkage, videos)


@pytest.fixture
def made(make_study, make_split_params):
    study = make_study(participants=8)
    p = make_split_params(gap=0.05)
    return balanced.split(*study, p), study, p


def test_csv_files_hold_every_recording_once_sorted_by_id(made):
    result, (folk, _, _), _ = made
    stereo = pd.concat([folk.assign(camera="left"), folk[folk.task != "Surgery"].assign(camera="right")])
    files = listings(result.splits, stereo)
    assert sorted(files) == ["Knot_split.csv", "Peg_split.csv", "Surgery_split.csv", "balanced.csv"]
    lines = files["balanced.csv"].splitlines()
    assert lines[0] == "id,task,subset"
    assert [line.split(",")[0] for line in lines[1:]] == sorted(folk.id)
    knot = files["Knot_split.csv"].splitlines()
    assert knot[0] == "id;split"
    subset = result.splits.set_index("id").subset
    assert dict(line.split(";") for line in knot[1:]) == subset[folk.id[folk.task == "Knot"]].to_dict()


def test_the_balance_table_adds_up_and_names_nobody(made):
    result, (folk, skill, errors), p = made
    value = json.loads(json.dumps(balance(result, folk, skill, errors, p), allow_nan=False))
    assert sum(value["participants"].values()) == folk.participant.nunique()
    for task, subsets in value["tasks"].items():
        assert sum(subset["recordings"] for subset in subsets.values()) == (folk.task == task).sum()
    occurred = sum(subset["errors"].get("dropped", {"occurred": 0})["occurred"] for subset in value["tasks"]["Knot"].values())
    assert occurred == errors[(errors.task == "Knot") & (errors.error == "dropped")].occurred.sum()
    scored = value["tasks"]["Knot"]["test"]["GRS"]
    ids = result.splits.id[result.splits.subset == "test"]
    assert scored["mean"] == pytest.approx(skill.GRS[skill.id.isin(ids) & (skill.task == "Knot")].mean())
    assert value["tasks"]["Surgery"]["train"]["GRS"] == {"n": 0, "mean": None}
    assert value["proof"]["gap"] == pytest.approx(value["proof"]["objective"] - value["proof"]["bound"])
    assert value["imbalance"]["worst"] >= value["imbalance"]["mean"]
    assert value["participants_kept_in_first_subset"] == 1
    text = json.dumps(value)
    assert "person" not in text
    assert "patient" not in text


def test_strong_disagreement_is_counted_in_training_only(made):
    result, (folk, skill, errors), p = made
    tasks = balance(result, folk, skill, errors, p)["tasks"]
    assert sum(tasks[task]["train"]["strong_disagreement"] for task in tasks) == 1
    assert all(tasks[task][subset]["strong_disagreement"] == 0 for task in tasks for subset in ("val", "test"))


def test_classes_that_training_never_saw_are_listed():
    splits = pd.DataFrame({"id": ["a", "b", "c"], "subset": ["train", "val", "test"]})
    triplets = pd.DataFrame(
        [("a", "v", "hook,cut,fat"), ("a", "v", None), ("b", "v", "hook,cut,fat"), ("c", "v", "clip,clip,duct"), ("d", "v", "x,y,z")],
        columns=["id", "vocabulary", "triplet"],
    )
    phases = pd.DataFrame([("a", "v", "start"), ("c", "v", "start")], columns=["id", "vocabulary", "phase"])
    errors = pd.DataFrame([("b", "Knot", "dropped", True), ("a", "Knot", "dropped", False)], columns=["id", "task", "error", "occurred"])
    found = coverage(splits, triplets, phases, errors, ["train", "val", "test"])
    assert found["triplets"]["classes"] == 2
    assert found["triplets"]["not_in_train"] == {"val": [], "test": ["v: clip,clip,duct"]}
    assert found["triplets"]["subsets"]["val"] == {"present": 1, "missing": ["v: clip,clip,duct"]}
    assert found["phases"]["not_in_train"] == {"val": [], "test": []}
    assert found["errors"]["not_in_train"] == {"val": ["Knot: dropped"], "test": []}


def test_coverage_of_nothing_is_nothing():
    splits = pd.DataFrame({"id": ["a"], "subset": ["train"]})
    empty = pd.DataFrame({"id": [], "vocabulary": [], "triplet": [], "phase": [], "task": [], "error": []}, dtype="str")
    found = coverage(splits, empty, empty, empty.assign(occurred=pd.Series([], dtype=bool)), ["train", "test"])
    assert {kind: value["classes"] for kind, value in found.items()} == {"triplets": 0, "phases": 0, "errors": 0}


@pytest.mark.parametrize(
    ("subsets", "message"),
    [
        ({"train": 0.75, "test": 0.2}, r"shares that add up to 1, but they add up to 0.95"),
        ({"train": 1.5, "test": -0.5}, r"'splits.subsets.train' must be a share between 0 and 1, but is 1.5"),
        ({"train": 1.0}, r"'splits.subsets.train' must be a share between"),
        ({}, r"add up to 0"),
    ],
)
def test_shares_that_make_no_split_are_errors(make_split_params, subsets, message):
    with pytest.raises(ParamsError, match=message):
        make_split_params(subsets=subsets)


def test_params_yaml_has_a_valid_section_for_splits():
    p = params.load("splits", SplitsParams, Path(__file__).parents[2] / "params.yaml")
    assert list(p.subsets) == ["train", "val", "test"]
