"""Golden numbers, to 1e-9, through the reader, normalisation, aggregation and statistics."""

import math

import pandas as pd
import pytest

from scrubin.base import statistics
from scrubin.ratings import marks, scoring
from scrubin.ratings.entries import read_entries
from scrubin.ratings.rater_files import read_folder
from scrubin.ratings.score_statistics import summarise

TASKS = ("PegTransfer", "CircleCutting", "BalloonResection", "SutureAndKnot")


@pytest.fixture(scope="module")
def run(golden, golden_sheets, make_params, make_roster):
    """The whole stage on the golden sheets; released ids are the golden ids."""
    p = make_params(errors={task["task"]: tuple(task["errors"]) for task in golden["tasks"]}, failure_rules={})
    roster = make_roster({id_: task["task"] for task in golden["tasks"] for id_ in task["ids"]})
    entries = read_entries(read_folder(golden_sheets, roster.tasks), roster, p)
    normalised = scoring.normalise(entries.ratings, p.failed_grs)
    skill = scoring.aggregate(normalised, roster.released, p.aspects, p.min_ratings, p.strong_percentile)
    errors = pd.DataFrame(
        [
            (id_, task["task"], error, occurred)
            for task in golden["tasks"]
            for error, marks in task["errors"].items()
            for id_, occurred in marks.items()
        ],
        columns=["id", "task", "error", "occurred"],
    )
    return {"normalised": normalised, "skill": skill, "summary": summarise(entries, normalised, skill, errors, roster, p)}


@pytest.fixture(params=range(4), ids=TASKS)
def task(request, golden):
    return golden["tasks"][request.param]


def close(value, expected):
    if expected is None or value is None:
        return expected is None and (value is None or math.isnan(value))
    return value == pytest.approx(expected, abs=1e-9, rel=0)


def test_normalised_scores_are_golden(run, task):
    rows = run["normalised"][run["normalised"].task == task["task"]]
    found = {(row.aspect, row.rater, row.id): row.score for row in rows.itertuples() if not math.isnan(row.score)}
    expected = {
        (aspect, rater, id_): score
        for aspect, raters in task["expected"]["normalised"].items()
        for rater, scores in raters.items()
        for id_, score in scores.items()
        if score is not None
    }
    assert found.keys() == expected.keys()
    assert len(found) > 700
    assert all(close(found[key], expected[key]) for key in expected)


def test_skill_is_golden_and_undefined_where_golden_is(run, task):
    rows = run["skill"][run["skill"].task == task["task"]].set_index("id")
    assert len(rows) == 60
    for aspect, expected in task["expected"]["aggregated"].items():
        assert all(close(rows.loc[id_, aspect], expected[id_]) for id_ in task["ids"]), aspect
    assert rows.n_ratings.to_dict() == task["expected"]["n_ratings"]["GRS"]
    assert all(close(rows.disagreement[id_], task["expected"]["disagreement"][id_]) for id_ in task["ids"])


def test_strong_disagreement_is_strictly_above_the_linear_percentile(run, task):
    rows = run["skill"][run["skill"].task == task["task"]]
    assert sorted(rows.id[rows.strong_disagreement]) == sorted(task["expected"]["strong_disagreement"]["linear"])
    threshold = run["summary"]["tasks"][task["task"]]["disagreement"]["threshold"]
    assert close(threshold, task["expected"]["percentile95"]["linear"])


def test_rater_means_are_golden(run, task):
    raters = run["summary"]["tasks"][task["task"]]["raters"]
    for aspect, expected in task["expected"]["rater_stats"].items():
        for rater, stats in expected.items():
            found = raters[rater]["raw_scores"][aspect]
            assert found["n"] == stats["n"]
            assert close(found["mean"], stats["mean"])
            assert close(found["sd"], stats["std"])


def test_agreement_is_golden_in_every_form_with_pooled_halves(run, task):
    compared = 0
    for aspect, variants in task["expected"]["ccc"].items():
        for variant, expected in variants.items():
            found = run["summary"]["tasks"][task["task"]]["agreement"][aspect][variant]
            for form in statistics.FORMS:
                assert close(found["raters"]["mean"][form], expected[f"mean_over_rater_pairs_{form}"])
                assert close(found["pooled"]["mean"][form], expected[f"mean_over_pooled_pairs_{form}"])
            for name, values in expected["pairs"].items():
                pair = found["pooled" if "|" in name else "raters"]["pairs"][ours(name)]
                for key, value in values.items():
                    assert close(pair[key], value), (aspect, variant, name, key)
                    compared += 1
    assert compared > 200


def ours(name):
    return "-".join(sorted(part.replace("r", "") for part in name.split("-")))


def test_effects_of_errors_are_golden(run, task):
    errors = run["summary"]["tasks"][task["task"]]["errors"]
    assert errors.keys() == task["expected"]["cohens_d"].keys()
    for error, expected in task["expected"]["cohens_d"].items():
        found = errors[error]["effect_on_GRS"]
        assert (found["n_without"], found["n_with"]) == (expected["n_f"], expected["n_t"])
        assert close(found["d"], expected["d"])
        assert close(found["pooled_sd"], expected["pooled_sd"])
        assert close(found["mean_without"], expected.get("mean_f"))
        assert close(found["mean_with"], expected.get("mean_t"))


@pytest.mark.parametrize("at", range(3))
def test_raters_without_a_scale_are_null_in_golden_vectors_too(edge, at):
    assert len(edge["normalisation"]) == 3
    case = edge["normalisation"][at]
    aspects = list(case["expected"]["normalised"])
    rows = [
        (
            id_,
            "T",
            rater,
            aspect,
            math.nan if points is None else float({"GRS": sum(points), **dict(zip(aspects, points, strict=False))}[aspect]),
        )
        for rater, of_rater in case["ratings"].items()
        for id_, points in of_rater.items()
        for aspect in aspects
    ]
    ratings = pd.DataFrame(rows, columns=["id", "task", "rater", "aspect", "score"]).assign(failed=lambda frame: frame.score.isna())
    normalised = scoring.normalise(ratings, -2.5)
    for aspect, raters in case["expected"]["normalised"].items():
        for rater, expected in raters.items():
            own = normalised[(normalised.aspect == aspect) & (normalised.rater == rater)].set_index("id").score.dropna()
            assert own.index.tolist() == list(expected)
            assert all(close(own[id_], value) for id_, value in expected.items())
    released = pd.DataFrame({"task": "T", "id": case["ids"]})
    skill = scoring.aggregate(normalised, released, [name for name in aspects if name != "GRS"], 2, 95.0).set_index("id")
    for aspect, expected in case["expected"]["aggregated"].items():
        assert all(close(skill.loc[id_, aspect], expected[id_]) for id_ in case["ids"]), aspect
    assert all(close(skill.disagreement[id_], case["expected"]["disagreement"].get(id_)) for id_ in case["ids"])


def test_concordance_of_edge_cases(edge):
    assert len(edge["ccc"]) == 12
    for case in edge["ccc"]:
        for form in statistics.FORMS:
            assert close(statistics.concordance(case["x"], case["y"], form), case["expected"][form]), (case["name"], form)
        assert close(statistics.correlation(case["x"], case["y"]), case["expected"]["pearson"]), case["name"]


def test_cohens_d_of_edge_cases(edge):
    for case in edge["cohens_d"]:
        found = marks.cohens_d(case["F"], case["T"])
        assert (found["n_without"], found["n_with"]) == (case["expected"]["n_f"], case["expected"]["n_t"])
        assert close(found["d"], case["expected"]["d"]), case["name"]
        assert close(found["pooled_sd"], case["expected"].get("pooled_sd")), case["name"]


def test_aggregation_of_edge_cases(edge, make_params):
    p = make_params()
    for case in edge["normalisation"]:
        failed = {(rater, id_) for rater, scores in case["ratings"].items() for id_, points in scores.items() if points is None}
        rows = [
            ("T", id_, rater, aspect, score, (rater, id_) in failed)
            for aspect, raters in case["expected"]["normalised"].items()
            for rater, scores in raters.items()
            for id_, score in scores.items()
        ]
        normalised = pd.DataFrame(rows, columns=["task", "id", "rater", "aspect", "score", "failed"])
        released = pd.DataFrame({"task": "T", "id": case["ids"]})
        skill = scoring.aggregate(normalised, released, p.aspects, 2, 95.0).set_index("id")
        for aspect, expected in case["expected"]["aggregated"].items():
            assert all(close(skill.loc[id_, aspect], expected[id_]) for id_ in case["ids"]), (case["name"], aspect)
        assert all(close(skill.disagreement[id_], case["expected"]["disagreement"].get(id_)) for id_ in case["ids"])
        assert skill.n_ratings.to_dict() == case["expected"]["n_ratings"]["GRS"]
