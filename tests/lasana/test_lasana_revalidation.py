"""Published values held against their own rater files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import annotation_folder
from scrubin.base import params
from scrubin.ratings import LASANA, ScoresParams
from scrubin.ratings.lasana import revalidation
from scrubin.ratings.lasana.files import read_folder
from scrubin.ratings.lasana.recomputation import score_folder


@pytest.fixture(scope="module")
def clean(golden, tmp_path_factory):
    return annotation_folder.write(tmp_path_factory.mktemp("golden") / "Annotation", golden["tasks"])


@pytest.fixture
def folder(clean, tmp_path):
    return shutil.copytree(clean, tmp_path / "Annotation")


@pytest.fixture
def peg_transfer(folder):
    """The files of one task only."""
    for path in folder.iterdir():
        if not path.name.startswith("PegTransfer"):
            path.unlink()
    return folder


def change(path, change_frame):
    change_frame(pd.read_csv(path, sep=";", dtype=str, keep_default_na=False)).to_csv(path, sep=";", index=False)


def set_cell(path, id_, column, value):
    def edit(frame):
        frame.loc[frame.id == id_, column] = value
        return frame

    change(path, edit)


def found_in(folder):
    rescored = score_folder(read_folder(folder), LASANA)
    assert rescored.faults == {}
    return revalidation.findings(rescored.tasks)


def broken(found):
    return [(finding.task, finding.rule, finding.id, finding.column) for finding in found]


def test_golden_annotations_are_found_right(clean, golden):
    expected = [
        ("SutureAndKnot", id_) for task in golden["tasks"] for id_ in task["ids"] if not any(id_ in of for of in task["ratings"].values())
    ]
    found = found_in(clean)
    assert [(finding.task, finding.id) for finding in found] == expected
    assert {finding.rule for finding in found} == {"in_main_file_but_not_rated"}
    assert {finding.severity for finding in found} == {"warning"}


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("by", "listed"), [(0.0, False), (4e-7, False), (1e-6, False), (-1e-6, False), (1.01e-6, True), (-2e-6, True), (0.3, True)]
)
def test_only_what_differs_by_more_than_the_tolerance_is_listed(peg_transfer, golden, by, listed):
    task = golden["tasks"][0]
    id_ = task["ids"][11]
    value = task["expected"]["aggregated"]["efficiency"][id_]
    set_cell(peg_transfer / "PegTransfer.csv", id_, "efficiency", repr(value + by))
    found = [finding for finding in found_in(peg_transfer) if finding.severity == "error"]
    assert broken(found) == ([("PegTransfer", "differs", id_, "efficiency")] if listed else [])
    if listed:
        assert found[0].published == repr(value + by)
        assert float(found[0].recomputed) == pytest.approx(value, abs=1e-12)
        assert found[0].difference == pytest.approx(by, rel=1e-6)
        assert revalidation.sentence(found[0]).startswith(
            f"PegTransfer.csv, line 13: id '{id_}': efficiency is {value + by!r}, recomputed "
        )


def test_values_on_one_side_only_are_listed(folder, golden):
    task = golden["tasks"][3]
    grs = task["expected"]["aggregated"]["GRS"]
    undefined, defined = next(id_ for id_ in grs if grs[id_] is None), next(id_ for id_ in grs if grs[id_] is not None)
    set_cell(folder / "SutureAndKnot.csv", undefined, "GRS", "0.0")
    set_cell(folder / "SutureAndKnot.csv", defined, "GRS", "")
    errors = [finding for finding in found_in(folder) if finding.severity == "error"]
    assert broken(errors) == [
        ("SutureAndKnot", "published_but_undefined", undefined, "GRS"),
        ("SutureAndKnot", "defined_but_not_published", defined, "GRS"),
    ]


def test_a_score_swapped_between_two_recordings_is_listed_twice(folder, golden):
    task = golden["tasks"][1]
    a, b = task["ids"][:2]
    change(folder / "CircleCutting.csv", lambda frame: frame.assign(GRS=[*frame.GRS[[1, 0]], *frame.GRS[2:]]))
    assert {finding.id for finding in found_in(folder) if finding.rule == "differs"} == {a, b}


def test_a_changed_raw_score_shows_in_all_recordings_of_the_rater(peg_transfer):
    path = peg_transfer / "PegTransfer_rater1.csv"
    path.write_text(path.read_text().replace("numapo;1;3;3;3;4;13", "numapo;1;3;5;3;4;15"))
    found = [finding for finding in found_in(peg_transfer) if finding.rule == "differs"]
    assert {finding.column for finding in found} == {"GRS", "efficiency"}
    assert len({finding.id for finding in found}) == 60


def test_rows_on_one_side_only_are_listed(peg_transfer):
    change(peg_transfer / "PegTransfer.csv", lambda frame: frame[frame.id != "numapo"])
    for rater in "123":
        change(peg_transfer / f"PegTransfer_rater{rater}.csv", lambda frame: frame[frame.id != "dikora"])
    found = found_in(peg_transfer)
    assert ("PegTransfer", "in_main_file_but_not_rated", "dikora", "id") in broken(found)
    assert ("PegTransfer", "published_but_undefined", "dikora", "GRS") in broken(found)
    places = [finding.place for finding in found if finding.rule == "rated_but_not_in_main_file"]
    assert places == ["PegTransfer_rater1.csv, line 2", "PegTransfer_rater2.csv, line 2", "PegTransfer_rater3.csv, line 2"]


def test_faults_of_a_split_are_listed(peg_transfer, golden):
    strong = golden["tasks"][0]["expected"]["strong_disagreement"]["linear"][0]
    a, b, c, d = [id_ for id_ in golden["tasks"][0]["ids"] if id_ != strong][:4]

    def spoil(frame):
        frame.loc[frame.id == strong, "split"] = "test"
        frame.loc[frame.id == b, "split"] = "dev"
        frame.loc[frame.id == d, "split"] = ""
        more = pd.DataFrame({"id": ["nobody", c], "split": ["train", "val"]})
        return pd.concat([frame[frame.id != a], more])

    change(peg_transfer / "PegTransfer_split.csv", spoil)
    found = [finding for finding in found_in(peg_transfer) if finding.task == "PegTransfer"]
    assert {(finding.rule, finding.id) for finding in found} == {
        ("split_of_unknown_id", "nobody"),
        ("split_twice", c),
        ("split_missing", a),
        ("split_missing", d),
        ("split_of_unknown_subset", b),
        ("strong_disagreement_outside_train", strong),
    }
    place = next(finding.place for finding in found if finding.rule == "split_twice")
    assert place == "PegTransfer_split.csv, line 62"


def test_an_id_in_two_tasks_is_listed_and_each_task_keeps_its_own_scores(folder, golden):
    other = golden["tasks"][1]["ids"][5]
    for path in folder.glob("PegTransfer*.csv"):
        path.write_text(path.read_text().replace("numapo", other))
    findings = found_in(folder)
    assert not [finding for finding in findings if finding.severity == "error"]
    twice = [finding for finding in findings if finding.rule == "id_in_two_tasks"]
    assert broken(twice) == [("CircleCutting", "id_in_two_tasks", other, "id")]
    assert twice[0].published == "PegTransfer"


@pytest.mark.slow
def test_a_label_other_than_the_raters_marks_is_listed(folder, golden):
    marks = pd.DataFrame(golden["tasks"][0]["errors"]).rename_axis("id").reset_index()
    for rater in "123":
        marks.to_csv(folder / f"PegTransfer_rater{rater}_errors.csv", sep=";", index=False)
    assert [finding for finding in found_in(folder) if finding.severity == "error"] == []
    set_cell(folder / "PegTransfer.csv", "dikora", "object_dropped_outside_of_fov", "False")
    set_cell(folder / "PegTransfer.csv", "fasavu", "object_dropped_within_fov", "")
    errors = [finding for finding in found_in(folder) if finding.severity == "error"]
    assert [(finding.rule, finding.id, finding.published, finding.recomputed) for finding in errors] == [
        ("label_differs", "dikora", "False", "True"),
        ("label_not_published", "fasavu", "", "False"),
    ]


def test_an_error_without_a_column_is_one_finding(peg_transfer, golden):
    pd.DataFrame(golden["tasks"][0]["errors"]).rename_axis("id").reset_index().to_csv(
        peg_transfer / "PegTransfer_errors.csv", sep=";", index=False
    )
    change(peg_transfer / "PegTransfer.csv", lambda frame: frame.drop(columns="object_dropped_within_fov"))
    errors = [finding for finding in found_in(peg_transfer) if finding.severity == "error"]
    assert [(finding.rule, finding.id, finding.column) for finding in errors] == [("label_not_published", "", "object_dropped_within_fov")]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), moved=st.sets(st.integers(0, 59), max_size=4))
@pytest.mark.slow
def test_exactly_the_moved_values_are_found_whatever_the_order_of_rows(clean, tmp_path_factory, golden, seed, moved):
    folder = tmp_path_factory.mktemp("moved")
    for path in clean.glob("BalloonResection*"):
        shutil.copy(path, folder)
    task = golden["tasks"][2]
    for path in folder.iterdir():
        change(path, lambda frame: frame.sample(frac=1, random_state=seed))
    ids = {task["ids"][place] for place in moved}
    for id_ in ids:
        set_cell(folder / "BalloonResection.csv", id_, "GRS", repr(task["expected"]["aggregated"]["GRS"][id_] + 1e-4))
    assert {finding.id for finding in found_in(folder) if finding.severity == "error"} == ids


def test_every_rule_has_a_sentence():
    for rule in revalidation.SEVERITY_OF:
        finding = revalidation.Finding("Peg", "papepu", "GRS", rule, "Peg.csv, line 2", "1.0", "2.0", -1.0)
        assert revalidation.sentence(finding).startswith("Peg.csv, line 2: id 'papepu': ")


def test_the_defaults_of_the_command_are_the_shipped_parameters():
    assert params.load("scores", ScoresParams, Path(__file__).parents[2] / "params.yaml") == LASANA
