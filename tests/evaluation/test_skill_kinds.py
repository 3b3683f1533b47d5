"""Kinds of skill metrics through the command: ranks, levels, and what raters reach."""

import json

import pandas as pd
import pytest

from each import each
from score_runs import fault, good, put
from scrubin.ratings import LASANA, scoring

POINTS = "id,GRS,efficiency\na,12,3\nb,15,4\nc,9,2\nd,18,5\n"
FOUND = "id,GRS,efficiency\na,12,3\nb,14,4\nc,10,2\nd,15,3\n"
RATINGS = {"0": [12, 15, 9, 18], "1": [10, 16, 8, 20], "2": [12, 13, 14, None]}


@pytest.fixture
def study(tmp_path):
    (tmp_path / "Peg.csv").write_text(POINTS)
    (tmp_path / "found").mkdir()
    (tmp_path / "found/Peg.csv").write_text(FOUND)
    return tmp_path


def arguments(study, *variant, truth="Peg.csv"):
    sides = ("--ground-truth", study / truth, "--predictions", study / "found/Peg.csv")
    return ("skill", *sides, "--json", "--variant", *variant)


def results(study, capsys, *variant, truth="Peg.csv"):
    said = good(capsys, *arguments(study, *variant, truth=truth))
    return {(one["metric"], one["options"]["score"]): one for one in json.loads(said.out)["results"]}, said.err


def test_ranks_are_spearman_and_kendall(study, capsys):
    found, _ = results(study, capsys, "kind=ranks")
    assert {metric for metric, _ in found} == {"skill Spearman", "skill Kendall tau-b"}
    assert found["skill Kendall tau-b", "GRS"]["overall"] == {"value": 1.0, "n": 4}


def test_levels_are_whole_numbers_and_others_are_named(study, capsys):
    found, said = results(study, capsys, "kind=levels")
    assert found["skill quadratic kappa", "efficiency"]["overall"]["n"] == 4
    (study / "Peg.csv").write_text(POINTS.replace(",12,", ",12.5,"))
    found, said = results(study, capsys, "kind=levels")
    assert list(found) == [("skill quadratic kappa", "efficiency")]
    assert "Peg: no whole numbers, so without levels and not scored: GRS" in said
    (study / "found/Peg.csv").write_text(FOUND.replace("b,14,4", "b,14,4.2"))
    assert "the prediction 4.2 is no level" in fault(capsys, *arguments(study, "kind=levels"))
    (study / "Peg.csv").write_text("id,GRS\na,0.5\nb,0.25\n")
    assert "no score of the ground truth has levels (GRS)" in fault(capsys, *arguments(study, "kind=levels"))


@each("metric, cell", [("skill", 3), ("errors", 1)])
def test_runs_that_do_not_predict_the_same_are_refused_with_run_task_and_column(tmp_path, capsys, metric, cell):
    def sheet(names, ids):
        return f"id,{','.join(names)}\n" + "".join(f"{id_}{f',{cell}' * len(names)}\n" for id_ in ids)

    whole = {"Peg.csv": sheet(["cut", "slip"], "ab"), "Knot.csv": sheet(["cut"], "cd")}
    put(tmp_path, truth=whole, one=whole, two={**whole, "Peg.csv": sheet(["cut"], "ab")}, three={"Peg.csv": whole["Peg.csv"]})

    def said(*runs):
        return fault(capsys, metric, "--ground-truth", tmp_path / "truth", "--predictions", *(tmp_path / one for one in runs))

    fix = "; predict the same in every run, or score the runs one by one"
    lacks = f"two: run 1 does not predict the column slip of the task Peg, as run 0 ({tmp_path / 'one'}) does{fix}"
    assert lacks in said("one", "two")
    assert f"two: run 0 does not predict the column slip of the task Peg, as run 1 ({tmp_path / 'one'}) does{fix}" in said("two", "one")
    of_three = said("one", "three", "two")
    assert f"three: run 1 does not predict the task Knot, as run 0 ({tmp_path / 'one'}) does{fix}" in of_three
    assert lacks.replace("run 1", "run 2") in of_three
    assert "cut" not in of_three
    good(capsys, metric, "--ground-truth", tmp_path / "truth", "--predictions", tmp_path / "two", tmp_path / "two")


def released(study):
    """A release with the ratings of three raters; one recording is failed by one of them."""
    rows = [
        {"id": id_, "task": "Peg", "rater": rater, "aspect": aspect, "score": score, "failed": score is None}
        for rater, scores in RATINGS.items()
        for id_, score in zip("abcd", scores, strict=True)
        for aspect in ("GRS", "efficiency")
    ]
    ratings = pd.DataFrame(rows).astype({"score": "float64"})
    (study / "release/tables").mkdir(parents=True)
    (study / "release/groundtruth/skill").mkdir(parents=True)
    ratings.to_parquet(study / "release/tables/ratings.parquet", index=False)
    (study / "release/groundtruth/skill/Peg.csv").write_text(POINTS)
    (study / "release/groundtruth/manifest.json").write_text("{}")
    return ratings


@pytest.mark.parametrize("truth", ["release", pytest.param("release/groundtruth/skill", marks=pytest.mark.slow)])
def test_what_raters_reach_stands_beside_what_is_predicted(study, capsys, truth):
    ratings = released(study)
    found, said = results(study, capsys, "kind=raters", truth=truth)
    assert "z-scores per rater, failed recordings -2.5" in said
    assert set(found) >= {("skill Spearman", "GRS"), ("raters Spearman", "GRS"), ("raters Kendall tau-b", "GRS"), ("raters Lin CCC", "GRS")}
    wide = scoring.normalise(ratings[ratings.aspect == "GRS"], LASANA.failed_grs).pivot_table(index="id", columns="rater", values="score")
    assert wide.loc["d", "2"] == -2.5
    expected = wide["0"].corr(wide[["1", "2"]].mean(axis=1), method="spearman")
    one = found["raters Spearman", "GRS"]
    assert one["classes"]["0"] == {"value": pytest.approx(expected), "n": 4}
    assert one["overall"]["n"] == 3


def test_without_ratings_there_is_no_ceiling(study, capsys):
    assert "what raters reach needs their ratings, and there are none" in fault(capsys, *arguments(study, "kind=raters"))
    assert "form=lin1989 says nothing of kind=ranks" in fault(capsys, *arguments(study, "kind=ranks", "form=lin1989"))


def test_raters_are_joined_by_their_mean(tmp_path, capsys):
    (tmp_path / "truth").mkdir()
    for rater, points in enumerate((1, 1, 4)):
        (tmp_path / f"truth/Peg_rater{rater}.csv").write_text(f"id;rater;GRS\nx;{rater};{points}\ny;{rater};4\n")
    (tmp_path / "found.csv").write_text("id,GRS\nx,2\ny,4\n")
    said = good(capsys, "skill", "--ground-truth", tmp_path / "truth", "--predictions", tmp_path / "found.csv").out
    assert "MAE (paper); score=GRS; task=Peg\n    0.0000  n=2" in said
