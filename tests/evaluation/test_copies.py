"""Labels that are scored against themselves: perfect, and worth a sentence."""

import json

import pytest

from score_runs import good, sides

PHASES = "frame,phase\n0,preparation\n1,CalotTriangleDissection\n"
SAID = "the labels are scored against themselves"


@pytest.fixture
def study(tmp_path):
    for side in ("truth", "found"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.csv").write_text(PHASES)
        (tmp_path / side / "b.csv").write_text(PHASES + "2,CalotTriangleDissection\n")
    return tmp_path


def test_predictions_that_are_the_labels_are_named(study, capsys):
    said = good(capsys, *sides(study, "phases", "--out", study / "scores.json"))
    assert f"found: {SAID}: 2 files, all with the SHA-256 of files of the ground truth" in said.err
    assert str(study) not in (study / "scores.json").read_text()
    assert any(SAID in note for note in json.loads((study / "scores.json").read_text())["notes"])
    one = good(capsys, "phases", "--ground-truth", study / "truth/a.csv", "--predictions", study / "truth/a.csv")
    assert f"{SAID}: 1 file, all" in one.err


def test_predictions_that_are_their_own_are_not_named(study, capsys):
    (study / "found/a.csv").write_text(PHASES.replace("0,prep", "0,Prep"))
    assert SAID not in good(capsys, *sides(study, "phases")).err


def test_only_the_run_that_is_a_copy_is_named(study, capsys):
    (study / "other").mkdir()
    for name in ("a.csv", "b.csv"):
        text = (study / "truth" / name).read_text().replace("CalotTriangleDissection", "preparation")
        (study / "other" / name).write_text(text)
    said = good(capsys, *sides(study, "phases"), study / "other").err
    assert said.count(SAID) == 1
    assert f"found: {SAID}" in said
