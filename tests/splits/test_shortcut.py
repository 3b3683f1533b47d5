"""The shortcut audit: fitted on training alone, told per subset, undefined where it is."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from scrubin.stages.splits import assessment

COLUMNS = ["task", "id", "subset", "duration_s", "GRS"]
KINDS = ("isotonic", "log_line", "training_mean")
NOTHING = {"concordance": None, "r2": None, "mean_absolute_error": None}


def rows_of(subsets, task="Knot"):
    """Rows from subset -> list of (duration_s, GRS)."""
    rows = [(task, f"{subset}{i}", subset, float(d), float(g)) for subset, pairs in subsets.items() for i, (d, g) in enumerate(pairs)]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"duration_s": float, "GRS": float})


def study(seed, n=60, sign=-1.0):
    rng = np.random.default_rng(seed)
    duration_s = rng.uniform(40, 400, n)
    grs = sign * 2 * np.log(duration_s / 150) + rng.normal(size=n) * 0.4
    pairs = list(zip(duration_s, grs, strict=True))
    return rows_of({"train": pairs[: n // 2], "val": pairs[n // 2 : n // 2 + 10], "test": pairs[n // 2 + 10 :]})


def lin(x, y):
    """Lin's rho_c with n - 1 throughout, by numpy."""
    return 2 * np.cov(x, y)[0, 1] / (np.var(x, ddof=1) + np.var(y, ddof=1) + (np.mean(x) - np.mean(y)) ** 2)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_every_number_is_that_of_an_independent_fit_on_training(sign):
    rows = study(1, sign=sign)
    train = rows[rows.subset == "train"]
    slope, intercept = np.polyfit(np.log(train.duration_s), train.GRS, 1)
    isotonic = IsotonicRegression(increasing=sign > 0, out_of_bounds="clip").fit(train.duration_s.to_numpy(), train.GRS.to_numpy())
    found = assessment.shortcut_audit(rows, "train")["tasks"]["Knot"]
    assert found["fit"]["direction"] == ("rising" if sign > 0 else "falling")
    assert found["fit"]["slope"] == pytest.approx(slope, abs=1e-8)
    for subset, group in rows.groupby("subset"):
        predicted = {
            "isotonic": isotonic.predict(group.duration_s.to_numpy()),
            "log_line": intercept + slope * np.log(group.duration_s.to_numpy()),
        }
        told = found["subsets"][subset]
        assert told["n"] == len(group)
        assert told["spearman"] == pytest.approx(group.duration_s.corr(group.GRS, method="spearman"), abs=1e-8)
        for kind, values in predicted.items():
            assert told[kind]["concordance"] == pytest.approx(lin(values, group.GRS), abs=1e-7)
            assert told[kind]["r2"] == pytest.approx(np.corrcoef(values, group.GRS)[0, 1] ** 2, abs=1e-7)
            assert told[kind]["mean_absolute_error"] == pytest.approx(np.abs(values - group.GRS).mean(), abs=1e-7)
        assert told["training_mean"]["mean_absolute_error"] == pytest.approx(np.abs(train.GRS.mean() - group.GRS).mean(), abs=1e-8)
        assert told["training_mean"]["r2"] is None


def test_scores_that_follow_the_duration_exactly_are_predicted_exactly():
    pairs = [(seconds, -math.log(seconds)) for seconds in range(10, 40)]
    found = assessment.shortcut_audit(rows_of({"train": pairs, "test": pairs[::3]}), "train")["tasks"]["Knot"]["subsets"]["test"]
    assert found["spearman"] == -1
    for kind in ("isotonic", "log_line"):
        assert found[kind] == {"concordance": pytest.approx(1), "r2": pytest.approx(1), "mean_absolute_error": pytest.approx(0, abs=1e-8)}


def test_nothing_is_learnt_from_the_other_subsets():
    rows = study(2)
    changed = rows.assign(GRS=rows.GRS.where(rows.subset != "test", 5.0 - rows.GRS))
    before, after = (assessment.shortcut_audit(frame, "train")["tasks"]["Knot"] for frame in (rows, changed))
    assert before["fit"] == after["fit"]
    for subset in ("train", "val"):
        assert before["subsets"][subset] == after["subsets"][subset]
    assert before["subsets"]["test"] != after["subsets"]["test"]


def test_a_model_of_training_predicts_a_constant_beyond_the_training_durations():
    rows = rows_of({"train": [(10, 2), (20, 1), (30, 0)], "test": [(1, 2), (300, 0)]})
    assert assessment.shortcut_audit(rows, "train")["tasks"]["Knot"]["subsets"]["test"]["isotonic"]["mean_absolute_error"] == 0


@pytest.mark.slow
@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_the_order_of_rows_is_irrelevant_to_the_last_bit(seed):
    rows = study(seed, n=24)
    rows["duration_s"] = rows.duration_s.round(-2) + 50  # with ties
    first = assessment.shortcut_audit(rows, "train")
    assert json.dumps(assessment.shortcut_audit(rows.sample(frac=1, random_state=seed), "train")) == json.dumps(first)


def test_recordings_without_score_duration_or_subset_are_left_out_and_counted():
    rows = study(3)
    rows.loc[rows.id == "val0", "GRS"] = math.nan
    rows.loc[rows.id == "val1", "duration_s"] = math.nan
    rows.loc[rows.id == "val2", "duration_s"] = 0.0
    rows.loc[rows.id == "val3", "subset"] = None
    told = assessment.shortcut_audit(rows, "train")["tasks"]["Knot"]["subsets"]["val"]
    assert (told["n"], told["left_out"]) == (6, 3)


def test_subsets_too_small_for_a_number_have_null_and_still_their_count():
    rows = rows_of({"train": [(10, 2), (20, 1), (30, 0)], "val": [(15, 1)], "test": [(15, math.nan)]})
    subsets = assessment.shortcut_audit(rows, "train")["tasks"]["Knot"]["subsets"]
    assert subsets["val"]["n"] == 1
    assert subsets["val"]["spearman"] is None
    assert subsets["val"]["isotonic"] == {**NOTHING, "mean_absolute_error": 0.5}
    assert (subsets["test"]["n"], subsets["test"]["left_out"]) == (0, 1)
    assert all(subsets["test"][kind] == NOTHING for kind in KINDS)


@pytest.mark.parametrize("training", [[], [(10, 1)], [(10, 1), (10, 2), (10, 3)]])
def test_without_something_to_fit_predictions_are_undefined(training):
    rows = rows_of({"train": training, "test": [(10, 1), (20, 2), (30, 0)]})
    found = assessment.shortcut_audit(rows, "train")["tasks"]["Knot"]
    assert found["fit"]["direction"] is None
    assert found["subsets"]["test"]["spearman"] == -0.5
    for kind in ("isotonic", "log_line"):
        assert found["subsets"]["test"][kind] == NOTHING


def test_constant_scores_have_no_correlation_but_an_error():
    found = assessment.shortcut_audit(rows_of({"train": [(10, 1), (20, 1), (30, 1)]}), "train")["tasks"]["Knot"]["subsets"]["train"]
    assert found["isotonic"] == {**NOTHING, "mean_absolute_error": 0}


def test_tasks_are_fitted_apart_and_the_answer_is_json():
    both = pd.concat([study(4), study(5, sign=1.0).assign(task="Peg")])
    found = assessment.shortcut_audit(both, "train")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["tasks"]["Knot"] == assessment.shortcut_audit(study(4), "train")["tasks"]["Knot"]
    assert {task: facts["fit"]["direction"] for task, facts in found["tasks"].items()} == {"Knot": "falling", "Peg": "rising"}
    assert found["training"] == "train"
    assert assessment.shortcut_audit(both.iloc[:0], "train")["tasks"] == {}
