"""Skill metrics and repeated runs."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import skill
from scrubin.evaluate.metrics.result import Result, Value, Variant, difference, over_runs

EDGE = json.loads((Path(__file__).parents[1] / "data/ratings/ratings_edge.json").read_text(encoding="utf-8"))
scores = st.lists(st.floats(-5, 5).map(lambda value: round(value, 3)), min_size=3, max_size=12)


def value(metric, ratings, predictions, **options):
    return skill.score(metric, ratings, predictions, **options).overall


@pytest.mark.parametrize("form", ["bessel", "lin1989", "paper_first_form"])
def test_concordance_is_golden(form):
    [cases] = [
        found for found in walk(EDGE) if isinstance(found, list) and found and isinstance(found[0], dict) and {"x", "y"} <= set(found[0])
    ]
    for case in cases:
        expected = case["expected"][form]
        found = value("ccc", case["x"], case["y"], form=form)
        assert found.value == pytest.approx(math.nan if expected is None else expected, abs=1e-9, nan_ok=True)
        assert found.n == len(case["x"])


def walk(node):
    yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(child)


@settings(max_examples=80)
@given(scores, st.randoms(use_true_random=False))
def test_metrics_are_those_of_scipy_and_literal_formulae(x, random):
    y = [round(random.uniform(-5, 5), 3) for _ in x]
    a, b = np.array(x), np.array(y)
    assert value("mae", x, y).value == pytest.approx(float(np.mean(np.abs(a - b))))
    spread = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    if len(set(x) | set(y)) > 1:
        lin = 2 * np.mean((a - a.mean()) * (b - b.mean())) / spread
        assert value("ccc", x, y, form="lin1989").value == pytest.approx(float(lin), abs=1e-9)
    if len(set(x)) > 1 < len(set(y)):
        assert value("spearman", x, y).value == pytest.approx(float(stats.spearmanr(x, y).statistic), abs=1e-9)
    order = list(range(len(x)))
    random.shuffle(order)
    for metric in skill.METRICS:
        turned = value(metric, [x[at] for at in order], [y[at] for at in order])
        assert repr(turned) == repr(value(metric, x, y))


def test_perfect_predictions():
    assert [value(metric, [1, 2, 4], [1, 2, 4]).value for metric in skill.METRICS] == [1, 1, 0]


def test_videos_without_a_rating_are_left_out_and_n_says_so():
    for metric in skill.METRICS:
        assert value(metric, [1, None, 3, 4], [1, 9, 2, 5]) == value(metric, [1, 3, 4], [1, 2, 5])
        assert value(metric, [1, math.nan, 3], [1, 9, 2]).n == 2


def test_what_is_undefined_is_nan_with_its_n():
    for metric, ratings, predictions, n in (
        ("spearman", [1, 1, 1], [1, 2, 3], 3),
        ("ccc", [2, 2], [2, 2], 2),
        ("ccc", [2], [3], 1),
        ("mae", [math.nan], [1], 0),
        ("ccc", [math.nan], [1], 0),
    ):
        found = value(metric, ratings, predictions)
        assert math.isnan(found.value)
        assert found.n == n
    assert value("mae", [2], [3]) == Value(1, 1)


def test_the_three_forms_are_three_variants():
    one, other = (skill.score("ccc", [1, 2, 3], [2, 2, 4], form=form) for form in ("bessel", "lin1989"))
    with pytest.raises(MetricsError, match=r"form=bessel.*form=lin1989"):
        difference(one, other)


@pytest.mark.parametrize(
    ("ratings", "predictions", "sentence"),
    [
        ([1, 2], [1], "2 ratings but 1 predictions"),
        ([], [], "no ratings and no predictions"),
        ([1, 2], [1, math.nan], "the prediction of video 1 is nan"),
        ([1, math.inf], [1, 2], "the rating of video 1 is inf"),
        ([1, 2], [1, -1e200], "the prediction of video 1 is -1e.200; it must be a finite number below"),
        ([[1, 2]], [1, 2], "the ratings have the shape"),
        (["a", "b"], [1, 2], "the ratings have the shape"),
        ([1, 2], [object(), 2], "the predictions are not all numbers"),
        ([[1], [1, 2]], [1, 2], "the ratings are not all numbers"),
    ],
)
def test_bad_scores_are_refused_with_a_sentence(ratings, predictions, sentence):
    for metric in skill.METRICS:
        with pytest.raises(MetricsError, match=sentence):
            skill.score(metric, ratings, predictions)


def test_unknown_metrics_and_forms_are_refused():
    for metric, form in (("r2", "bessel"), ("ccc", "fisher")):
        with pytest.raises(MetricsError, match="no skill metric"):
            skill.score(metric, [1, 2], [1, 2], form=form)


VARIANT = Variant("m", "paper", {"a": "1"})


def run(overall, n=4, **classes):
    return Result(VARIANT, Value(overall, n), {name: Value(held, 1) for name, held in classes.items()})


def test_runs_give_mean_and_both_deviations():
    results = [run(value) for value in (2, 4, 4, 4, 5, 5, 7, 9)]
    assert over_runs(results).mean.overall == Value(5, 8)
    assert over_runs(results).sd.overall.value == pytest.approx(2.138089935299395, abs=1e-12)
    assert over_runs(results, bessel=False).sd.overall == Value(2, 8)


def test_a_run_where_a_class_is_undefined_is_left_out_of_that_class():
    repeated = over_runs([run(0.5, cut=0.25, clip=math.nan), run(0.7, cut=0.75, clip=0.5)])
    assert repeated.mean.classes == {"cut": Value(0.5, 2), "clip": Value(0.5, 1)}
    assert math.isnan(repeated.sd.classes["clip"].value)
    assert repeated.sd.classes["clip"].n == 1


def test_one_run_has_no_deviation_with_bessels_correction():
    assert math.isnan(over_runs([run(0.5)]).sd.overall.value)
    assert over_runs([run(0.5)], bessel=False).sd.overall == Value(0, 1)
    assert math.isnan(over_runs([run(math.nan)], bessel=False).sd.overall.value)
    assert math.isnan(over_runs([run(math.inf), run(1.0)]).sd.overall.value)


def test_summaries_over_runs_are_variants_of_their_own():
    repeated, uncorrected = over_runs([run(0.5)]), over_runs([run(0.5)], bessel=False)
    names = [one.variant.name for one in (run(0.5), repeated.mean, repeated.sd, uncorrected.sd)]
    assert len(set(names)) == 4


def test_runs_that_do_not_belong_together_are_refused():
    other = Result(Variant("m", "paper", {"a": "2"}), Value(0.5, 4))
    for runs, sentence in (
        ([], "no run is given"),
        ([run(0.5), other], r"run 1 is of the variant 'm; paper; a=2', run 0 of 'm; paper; a=1'"),
        ([run(0.5, cut=1.0), run(0.5)], "run 1 has other classes or videos"),
    ):
        with pytest.raises(MetricsError, match=sentence):
            over_runs(runs)


@pytest.mark.parametrize("form", ["bessel", "lin1989", "paper_first_form"])
def test_one_pair_has_no_concordance_in_any_form(form):
    """It would be 0 by 1/n, and halve the mean over pairs of raters."""
    assert np.isnan(statistics.concordance([3.0], [4.0], form))
