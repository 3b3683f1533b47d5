"""The statistics as JSON, LASANA's CSV files, and the parameters of the repository."""

import json
import math

import pandas as pd
import pytest

from scrubin.base import statistics
from scrubin.ratings import marks, scoring
from scrubin.ratings.agreement import pairwise_concordance, pool
from scrubin.ratings.entries import read_entries
from scrubin.ratings.lasana import annotation_text
from scrubin.ratings.rater_files import read_folder
from scrubin.ratings.score_statistics import summarise

TASKS = {"papepu": "Knot", "nonidu": "Knot", "golaso": "Knot", "unseen": "Knot", "tiridi": "Peg"}


SCORES = "id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS"
SHEETS = {
    "Knot_rater1.csv": [SCORES, "papepu;1;3;3;4;5;15", "nonidu;1;1;2;3;4;10", "golaso;1;;;;;"],
    "Knot_rater2.csv": [SCORES, "papepu;2;4;4;4;4;16", "nonidu;2;2;2;2;2;8", "golaso;2;;;;;"],
    "Knot_rater1_errors.csv": ["id;needle_dropped;fewer_than_three_throws", "papepu;False;False", "nonidu;True;False", "golaso;True;False"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory, make_roster, make_params, make_tables):
    folder = tmp_path_factory.mktemp("ratings")
    for name, lines in SHEETS.items():
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    p, roster = make_params(), make_roster(TASKS)
    entries = read_entries(read_folder(folder, roster.tasks), roster, p)
    normalised = scoring.normalise(entries.ratings, p.failed_grs)
    skill = scoring.aggregate(normalised, roster.released, p.aspects, p.min_ratings, p.strong_percentile)
    errors = marks.harmonise(entries.marks, p.error_rule, p.reviewer)
    summary = summarise(entries, normalised, skill, errors, roster, p)
    return {"p": p, "entries": entries, "skill": skill, "errors": errors, "summary": summary, "videos": make_tables(TASKS)[2]}


def test_statistics_are_json_with_null_for_undefined_and_tell_counts(results):
    knot = json.loads(json.dumps(results["summary"], allow_nan=False))["tasks"]["Knot"]
    assert knot["recordings"] == {"released": 4, "rated": 3, "with_GRS": 3, "strong_disagreement": 0}
    assert knot["raters"]["1"]["failed"] == 1
    assert knot["raters"]["1"]["raw_scores"]["GRS"] == {"n": 2, "mean": 12.5, "sd": pytest.approx(12.5**0.5)}
    effect = knot["errors"]["needle_dropped"]["effect_on_GRS"]
    assert (effect["n_without"], effect["n_with"], effect["d"]) == (1, 2, None)
    assert knot["skill"]["efficiency"]["n"] == 2
    assert knot["duration_and_GRS"]["n"] == 3


def test_a_task_without_sheets_is_not_in_the_statistics(results):
    assert list(results["summary"]["tasks"]) == ["Knot"]
    assert set(results["skill"].task) == {"Knot"}


def test_a_failed_recording_without_its_error_is_a_contradiction_in_the_statistics(results):
    found = results["summary"]["tasks"]["Knot"]["contradictions"]
    assert [(row["id"], row["rater"], row["occurred"]) for row in found] == [("golaso", None, False), ("golaso", "1", False)]


def test_a_contradiction_of_all_raters_tells_who_said_what(results):
    found = results["summary"]["tasks"]["Knot"]["contradictions"]
    assert found[0]["said"] == [{"rater": "1", "failed": True, "marked": False}, {"rater": "2", "failed": True, "marked": None}]
    assert "said" not in found[1]


def test_recordings_without_labels_are_listed_with_a_count(results):
    marks = results["summary"]["tasks"]["Knot"]["error_marks"]
    assert marks["unlabelled"] == {"n": 1, "recordings": [{"id": "unseen", "raters": []}]}
    assert (marks["rows"], marks["raters"]) == (6, ["1"])
    assert marks["agreement"]["needle_dropped"]["kappa"]["pairs"] == {}


def test_every_measure_of_agreement_stands_in_the_statistics_with_its_count(results):
    knot = results["summary"]["tasks"]["Knot"]
    assert (knot["agreement"]["GRS"]["failed_included"]["icc"]["n"], knot["agreement"]["GRS"]["failed_excluded"]["icc"]["n"]) == (3, 2)
    assert knot["agreement"]["GRS"]["failed_excluded"]["icc"]["ICC(2,1)"] == {"value": None, "low": None, "high": None}
    assert knot["agreement"]["GRS"]["failed_included"]["alpha"]["n"] == 3
    assert knot["raw_agreement"]["efficiency"]["kappa"]["pairs"]["1-2"]["n"] == 2
    assert knot["raw_agreement"]["efficiency"]["alpha"] == {"n": 2, "values": 4, "left_out": 0, "alpha": pytest.approx(1 - 3 / 4 / 4.5)}
    assert {"ICC(2,1)", "ICC(2,k)", "kappa", "alpha", "unlabelled"} <= set(results["summary"]["definitions"])


def test_statistics_name_no_private_thing(results):
    text = json.dumps(results["summary"])
    assert "raw " not in text
    assert "person" not in text
    assert "trial" not in text


def test_the_task_file_has_lasanas_columns_and_every_released_recording(results):
    p = results["p"]
    text = annotation_text.task_csv("Knot", results["skill"], results["errors"], results["videos"], p.aspects, p.errors["Knot"])
    lines = text.splitlines()
    assert lines[0] == (
        "id;needle_dropped;fewer_than_three_throws;GRS;depth_perception;efficiency;bimanual_dexterity;tissue_handling;duration;frame_count"
    )
    cells = {line.split(";")[0]: line.split(";")[1:] for line in lines[1:]}
    assert list(cells) == ["golaso", "nonidu", "papepu", "unseen"]
    assert cells["golaso"] == ["True", "False", "-2.5", "", "", "", "", "0:01:40", "2002"]
    assert cells["unseen"] == ["", "", "", "", "", "", "", "0:01:40", "2003"]
    grs = results["skill"].set_index("id").GRS["papepu"]
    assert float(cells["papepu"][2]) == grs
    assert text.endswith("\n")
    assert "\r" not in text


def test_the_rater_file_is_read_back_as_the_same_ratings(results, tmp_path, make_roster):
    p, ratings = results["p"], results["entries"].ratings
    text = annotation_text.rater_csv("Knot", "1", ratings, p.aspects)
    assert text.splitlines()[:2] == ["id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS", "golaso;1;;;;;"]
    assert "nonidu;1;1;2;3;4;10" in text
    (tmp_path / "Knot_rater1.csv").write_text(text, encoding="utf-8")
    roster = make_roster(TASKS)
    again = read_entries(read_folder(tmp_path, roster.tasks), roster, p).ratings
    assert again.equals(ratings[ratings.rater == "1"].reset_index(drop=True))


def test_half_points_are_written_as_they_were_given():
    rated = pd.DataFrame({"task": "Knot", "id": "nonidu", "rater": "1", "aspect": ["a", "GRS"], "score": [3.5, 4.0], "failed": False})
    assert annotation_text.rater_csv("Knot", "1", rated, ["a"]).splitlines()[1] == "nonidu;1;3.5;4"


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0:00:00"), (59.99, "0:00:59"), (600.0, "0:10:00"), (3725.5, "1:02:05")])
def test_durations_are_in_complete_seconds(seconds, text):
    assert annotation_text.duration(seconds) == text


def test_raters_without_common_recordings_have_no_agreement_and_are_pooled():
    import pandas as pd

    rows = [("0", "a", 1.0), ("0", "b", 2.0), ("2", "c", 3.0), ("2", "d", 4.0), *[("1", id_, i) for i, id_ in enumerate("abcd")]]
    scores = pd.DataFrame(rows, columns=["rater", "id", "score"])
    found = pairwise_concordance(scores)
    assert found["pairs"]["0-2"]["n"] == 0
    assert math.isnan(found["pairs"]["0-2"]["bessel"])
    assert found["mean"]["n_pairs_bessel"] == 2
    pooled = pairwise_concordance(pool(scores, [["0", "2"]]))
    assert list(pooled["pairs"]) == ["0|2-1"]
    assert pooled["pairs"]["0|2-1"]["n"] == 4
    assert pooled["pairs"]["0|2-1"]["pearson"] == pytest.approx(1)


def test_a_recording_that_both_halves_rated_is_left_out_of_the_pool():
    import pandas as pd

    scores = pd.DataFrame([("0", "a", 1.0), ("0", "b", 2.0), ("2", "b", 3.0)], columns=["rater", "id", "score"])
    assert pool(scores, [["0", "2"]]).id.tolist() == ["a"]
    assert pool(scores, [["0", "9"]]).equals(scores)


def test_spearman_handles_ties_and_undefined_cases():
    from scipy.stats import spearmanr

    x, y = [1.0, 2.0, 2.0, 5.0, 9.0], [3.0, 1.0, 4.0, 4.0, 0.5]
    assert statistics.spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert math.isnan(statistics.spearman([1.0], [2.0]))
    assert math.isnan(statistics.spearman([1.0, 1.0], [2.0, 3.0]))
