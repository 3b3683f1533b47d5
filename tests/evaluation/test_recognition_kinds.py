"""Calibration of recognition through the command."""

import json

import numpy as np
import pytest

from score_runs import fault, good, sides


@pytest.fixture
def study(tmp_path):
    rng = np.random.default_rng(6)
    for folder in ("truth", "found"):
        (tmp_path / folder).mkdir()
    for name in ("VID01", "VID02"):
        scores = rng.random((20, 100))
        np.savez(tmp_path / "truth" / f"{name}.npz", targets=(rng.random((20, 100)) < scores).astype(int))
        np.save(tmp_path / "found" / f"{name}.npy", scores)
    return tmp_path


def test_calibration_has_both_kinds_of_bins_and_brier(study, capsys):
    out = study / "s.json"
    good(capsys, *sides(study, "recognition", "--out", out, "--variant", "kind=calibration", "component=ivt", "bins=10", "null=counted"))
    found = json.loads(out.read_text())["results"]
    assert [(one["metric"], one["options"].get("bins"), one["options"]["averaged"]) for one in found[::2]] == [
        ("triplet recognition ECE", "10 of equal width", "over classes"),
        ("triplet recognition ECE", "10 of equal mass", "over classes"),
        ("triplet recognition Brier score", None, "over classes"),
    ]
    # Labels were drawn with these probabilities, so over all of them the error is noise.
    assert found[1]["overall"]["value"] < 0.05
    assert found[1]["overall"]["n"] == 4000
    assert found[0]["classes"]["17"]["name"] == "grasper,retract,gallbladder"


def test_what_is_no_probability_is_refused(study, capsys):
    scores = np.load(study / "found/VID02.npy")
    scores[4:, 17] = 1.000000001
    np.save(study / "found/VID02.npy", scores)
    said = fault(capsys, *sides(study, "recognition", "--variant", "kind=calibration"))
    assert "VID02.npy, frame 4: the score of class 17 ('grasper,retract,gallbladder') is 1.000000001; calibration is of prob" in said
    good(capsys, *sides(study, "recognition", "--variant", "component=i"))


@pytest.mark.parametrize(
    "variant", [("kind=calibration", "bins=0"), ("kind=calibration", "bins=1000000000"), ("kind=calibration", "k=5"), ("bins=3",)]
)
def test_choices_that_do_not_belong_are_refused(study, capsys, variant):
    said = fault(capsys, *sides(study, "recognition", "--variant", *variant))
    assert "says nothing of kind=" in said or "give a whole number from 1" in said


def test_parts_of_triplets_that_the_published_program_does_not_know_are_called_ours(study, capsys):
    said = good(capsys, *sides(study, "recognition", "--semantics", "compat"))
    assert "are ours" not in said.err
    for side in ("truth", "found"):
        for path in (study / side).iterdir():
            values = np.load(path)["targets"] if side == "truth" else np.load(path)
            np.savez(path, targets=values[:, :89]) if side == "truth" else np.save(path, values[:, :89])
    said = good(capsys, *sides(study, "recognition", "--vocabulary", "prostatd", "--semantics", "compat"))
    ours = "the numbers of i, v, t, iv and it are ours, by its rules, of 'prostatd'"
    assert f"the published program knows the triplets of CholecT50 only: {ours}" in said.err
    assert "component=iv " in said.out
    assert "are ours" not in good(capsys, *sides(study, "recognition", "--vocabulary", "prostatd")).err
