"""Every number of the golden files of regular phase metrics."""

import numpy as np
import pytest

import phase_cases as cases
from each import each
from scrubin.evaluate.metrics.phases import Confusions, confusions_of_videos, pooled_confusions, rates
from scrubin.evaluate.metrics.phases.averaging import Elements, mean, sd_of, spread
from scrubin.evaluate.metrics.phases.rates import settled
from scrubin.evaluate.metrics.variants import STRATEGIES

TOLERANCE = 1e-9
ORDERS = {"M": "all", "M_macro_first": "macro-first", "M_P": "by-phase", "M_V": "by-video"}
SOURCES = {"SD_V": "videos", "SD_P": "phases", "SD_R": "runs"}


def close(got, expected):
    np.testing.assert_allclose(np.asarray(got, dtype=float), cases.numbers(expected), rtol=0, atol=TOLERANCE)


def same(value, expected):
    assert value == pytest.approx(cases.number(expected), abs=TOLERANCE, nan_ok=True)


def statistic(elements, key):
    """The result that a key of a golden file asks for."""
    if key in ORDERS:
        return mean(elements, ORDERS[key])
    bessel = not key.endswith("_uncorrected")
    name = key.removesuffix("_uncorrected")
    order = "macro-first" if name.endswith("_macro_first") else "all"
    return spread(elements, SOURCES[name.removesuffix("_macro_first")], order=order, bessel=bessel)


def compare(elements, expected, *, ignore=()):
    keys = [key for key in expected if key not in ignore]
    assert keys
    for key in keys:
        same(statistic(elements, key).overall.value, expected[key])


def compare_phases(elements, expected):
    for key in [key for key in expected[0] if key != "n_defined"]:
        got = statistic(elements, key).classes
        close([value.value for value in got.values()], [one[key] for one in expected])
    if "n_defined" in expected[0]:
        assert [value.n for value in mean(elements).classes.values()] == [one["n_defined"] for one in expected]


@pytest.fixture(params=["basic", "missing"])
def case(request):
    golden = cases.golden(request.param)
    return confusions_of_videos(cases.golden_videos(golden["videos"]), golden["num_phases"]), golden["expected"]


def test_confusion_matrices_and_raw_rates_are_golden(case):
    confusions, expected = case
    assert confusions.counts.tolist() == expected["confusion[run][video]"]
    for rate in rates.RATES:
        close(rates.by_phase(confusions.counts, rate), expected["phasewise_raw"][rate])


def test_accuracy_is_golden(case):
    confusions, expected = case[0], case[1]["accuracy"]
    accuracy = rates.accuracy(confusions)
    close(accuracy.values[..., 0], expected["per_video"])
    close(rates.accuracy(pooled_confusions(confusions)).values[:, 0, 0], expected["framewise_per_run"])
    compare(accuracy, expected, ignore=("per_video", "framewise_per_run"))


@each("strategy", STRATEGIES)
@each("rate", rates.RATES)
def test_every_strategy_order_and_deviation_is_golden(case, strategy, rate):
    confusions, expected = case[0], case[1]["strategies"][strategy]
    elements = rates.rate_elements(confusions, rate, strategy)
    close(elements.macro(), expected["macro_per_video"][rate])
    compare(elements, expected[rate], ignore=("phase",))
    compare_phases(elements, expected[rate]["phase"])


@each("strategy", STRATEGIES)
def test_the_other_f1_scores_are_golden(case, strategy):
    confusions, expected = case[0], case[1]["strategies"][strategy]
    precision, recall = (rates.rate_elements(confusions, rate, strategy) for rate in ("precision", "recall"))
    bold = rates.f1_of_macro_averages(precision, recall)
    close(bold.values[..., 0], expected["macro_f1_harmonic_of_macro"]["per_video"])
    compare(bold, expected["macro_f1_harmonic_of_macro"], ignore=("per_video",))
    for key, order in (("all_elements", "all"), ("macro_first", "macro-first")):
        same(rates.f1_of_overall_means(precision, recall, order).overall.value, expected["f1_harmonic_of_overall_means"][key])


@each("strategy", ["A", "B"])
@each("rate", rates.RATES)
def test_frame_wise_metrics_are_golden(case, strategy, rate):
    confusions, expected = case[0], case[1]["framewise"][strategy][rate]
    elements = rates.rate_elements(pooled_confusions(confusions), rate, strategy)
    close(elements.values[:, 0], expected["per_run"])
    compare(elements, expected, ignore=("per_run", "phase"))
    compare_phases(elements, expected["phase"])


WORKED = cases.golden("worked_examples")


def test_the_papers_example_of_averaging_orders():
    expected = WORKED["averaging_order"]
    values = cases.numbers(expected["matrix_rows_videos_cols_phases"])[np.newaxis]
    elements = Elements("example", "paper", {}, values, ("v0", "v1", "v2"), ("p0", "p1", "p2"))
    for key, order in (
        ("mean_over_phases_then_videos", "macro-first"),
        ("mean_over_videos_then_phases", "by-phase"),
        ("mean_over_all_elements", "all"),
    ):
        same(mean(elements, order).overall.value, expected[key])
    assert [mean(elements, order).overall.n for order in ORDERS.values()] == [7, 3, 3, 3]


@each("row", WORKED["undefined_value_table"], say=lambda row: f"{row['phase_annotated']}-{row['phase_predicted']}")
def test_tables_1_and_2(row):
    counts = confusions_of_videos(
        cases.golden_videos([{**row, "id": "v", "gt": "".join(map(str, row["gt"])), "pred": "".join(map(str, row["pred"]))}]), 3
    ).counts
    annotated = counts.sum(axis=-1) > 0
    for rate in rates.RATES:
        raw = rates.by_phase(counts, rate)
        same(raw[0, 0, row["phase"]], row["raw"][rate])
        for strategy in ("A", "B"):
            same(settled(raw, annotated, strategy)[0, 0, row["phase"]], row[f"strategy_{strategy}"][rate])


def test_the_gap_between_the_f1_scores():
    gap = WORKED["macro_f1_gap"]
    precision, recall = (
        Elements(name, "paper", {}, cases.numbers(gap[name]).reshape(1, 1, -1), ("v",), tuple("0123")) for name in ("precision", "recall")
    )
    same(mean(rates.f1_of_macro_averages(precision, recall)).overall.value, gap["macro_f1_harmonic_of_macro"])
    of_phases = [2 * p * r / (p + r) for p, r in zip(gap["precision"], gap["recall"], strict=True)]
    same(float(np.mean(of_phases)), gap["macro_f1"])


def test_the_two_standard_deviations():
    expected = WORKED["standard_deviation"]
    same(sd_of(expected["values"], True).value, expected["corrected"])
    same(sd_of(expected["values"], False).value, expected["uncorrected"])


def test_pooled_matrices_have_no_videos():
    pooled = pooled_confusions(Confusions(np.ones((2, 3, 1, 1), dtype=np.int64), ("a", "b", "c"), ("0",)))
    assert (pooled.videos, pooled.scope, pooled.counts.tolist()) == ((), "frame-wise", [[[[3]]], [[[3]]]])
