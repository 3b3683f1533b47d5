"""ICC, kappa and alpha: against published numbers, literal evaluations, and what is undefined."""

import json
import math
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import f as f_distribution

from scrubin.ratings import agreement
from scrubin.ratings.agreement import intraclass, krippendorffs_alpha

DATA = Path(__file__).parents[1] / "data/ratings"


def scores_of(matrix, column="score"):
    """Rows rater, id, score from a matrix of recordings by raters; NaN is not rated."""
    rows = [(f"r{j}", f"v{i:03d}", float(value)) for i, row in enumerate(matrix) for j, value in enumerate(row) if not math.isnan(value)]
    return pd.DataFrame(rows, columns=["rater", "id", column])


def mcgraw_wong(matrix):
    """ICC(A,1), ICC(A,k) and their 95 % limits from the mean squares, as McGraw and Wong (1996) write them in Tables 4 and 7."""
    x = np.asarray(matrix, dtype=float)
    n, k = x.shape
    rows, columns, grand = x.mean(axis=1), x.mean(axis=0), x.mean()
    ms_r = k * ((rows - grand) ** 2).sum() / (n - 1)
    ms_c = n * ((columns - grand) ** 2).sum() / (k - 1)
    ms_e = ((x - rows[:, None] - columns[None, :] + grand) ** 2).sum() / ((n - 1) * (k - 1))
    one = (ms_r - ms_e) / (ms_r + (k - 1) * ms_e + k / n * (ms_c - ms_e))
    mean = (ms_r - ms_e) / (ms_r + (ms_c - ms_e) / n)

    def limits(rho, a, b):
        v = (a * ms_c + b * ms_e) ** 2 / ((a * ms_c) ** 2 / (k - 1) + (b * ms_e) ** 2 / ((n - 1) * (k - 1)))
        f_low, f_high = f_distribution.ppf(0.975, n - 1, v), f_distribution.ppf(0.975, v, n - 1)
        return f_low, f_high

    a, b = k * one / (n * (1 - one)), 1 + k * one * (n - 1) / (n * (1 - one))
    f_low, f_high = limits(one, a, b)
    low = n * (ms_r - f_low * ms_e) / (f_low * (k * ms_c + (k * n - k - n) * ms_e) + n * ms_r)
    high = n * (f_high * ms_r - ms_e) / (k * ms_c + (k * n - k - n) * ms_e + n * f_high * ms_r)
    c, d = mean / (n * (1 - mean)), 1 + mean * (n - 1) / (n * (1 - mean))
    f_low, f_high = limits(mean, c, d)
    low_k = n * (ms_r - f_low * ms_e) / (f_low * (ms_c - ms_e) + n * ms_r)
    high_k = n * (f_high * ms_r - ms_e) / (ms_c - ms_e + n * f_high * ms_r)
    return {"ICC(2,1)": (one, low, high), "ICC(2,k)": (mean, low_k, high_k)}


# Shrout and Fleiss (1979), Table 2: six targets, four judges; their ICC(2,1) is .29 and their ICC(2,4) .62.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_the_published_example_of_shrout_and_fleiss():
    found = intraclass(scores_of(SHROUT_FLEISS))
    assert (found["n"], found["k"], found["left_out"]) == (6, 4, 0)
    assert found["ICC(2,1)"]["value"] == pytest.approx(0.29, abs=0.005)
    assert found["ICC(2,k)"]["value"] == pytest.approx(0.62, abs=0.005)
    assert (found["ICC(2,1)"]["low"], found["ICC(2,1)"]["high"]) == pytest.approx((0.019, 0.761), abs=0.0005)


@pytest.mark.slow
@given(st.integers(5, 25), st.integers(2, 5), st.integers(0, 10**6))
@example(n=5, k=2, seed=44344)  # ICC(A,k) is 0.44 and the formula's lower end 54.9
@settings(max_examples=25)
def test_icc_and_its_interval_follow_from_the_mean_squares(n, k, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n, 1)) * 1.5 + rng.normal(size=(1, k)) * 0.3 + rng.normal(size=(n, k))
    found = intraclass(scores_of(matrix))
    for name, (value, low, high) in mcgraw_wong(matrix).items():
        if value > 0.05:  # where a negative coefficient leaves the interval without meaning, it is undefined
            assert found[name]["value"] == pytest.approx(value, abs=2e-9)
            assert found[name]["high"] == pytest.approx(high, abs=2e-9)
            if low > value:  # the formula's denominator has changed its sign: no end of an interval lies there
                assert math.isnan(found[name]["low"])
            elif low > -1 / k:
                assert found[name]["low"] == pytest.approx(low, abs=2e-9)


def test_the_interval_has_more_digits_than_pingouin_shows_and_its_setting_is_left_alone():
    before = dict(pingouin.options)
    low = intraclass(scores_of(SHROUT_FLEISS))["ICC(2,1)"]["low"]
    assert low != round(low, 2)
    assert pingouin.options == before


def test_only_recordings_of_all_raters_count_and_the_others_are_counted():
    matrix = np.array([*SHROUT_FLEISS, [3, math.nan, 4, 4], [math.nan, 4, math.nan, math.nan]])
    found = intraclass(scores_of(matrix))
    assert (found["n"], found["k"], found["left_out"]) == (6, 4, 2)
    assert found["ICC(2,1)"] == intraclass(scores_of(SHROUT_FLEISS))["ICC(2,1)"]


@pytest.mark.parametrize(
    "matrix",
    [[[1, 2]], [[1], [2], [3], [4], [5]], [[1, 2], [2, 4]], [[3, 3], [3, 3], [3, 3]], [[1, math.nan], [math.nan, 2], [3, math.nan]]],
)
def test_icc_is_undefined_with_too_few_or_equal_scores(matrix):
    found = intraclass(scores_of(matrix))
    for name in ("ICC(2,1)", "ICC(2,k)"):
        assert all(math.isnan(value) for value in found[name].values())


def test_icc_without_any_score_is_undefined():
    assert intraclass(scores_of([]))["n"] == 0


@pytest.mark.parametrize(("matrix", "value"), [([[1, 1], [2, 2], [4, 4]], 1.0), ([[1, 2], [1, 2], [1, 2]], 0.0)])
def test_raters_who_differ_by_a_constant_have_no_interval(matrix, value):
    found = intraclass(scores_of(matrix))["ICC(2,1)"]
    assert found["value"] == value
    assert math.isnan(found["low"])
    assert math.isnan(found["high"])


@pytest.mark.parametrize("matrix", [[[1, 2], [2, 1], [1, 2]], [[5, 1, 3], [1, 5, 3], [3, 3, 3.1]]])
def test_no_coefficient_leaves_its_interval_or_exceeds_one(matrix):
    for name in ("ICC(2,1)", "ICC(2,k)"):
        found = intraclass(scores_of(matrix))[name]
        assert not found["value"] > 1
        assert not found["low"] > found["value"]
        assert not found["high"] < found["value"]


def test_the_order_of_rows_and_the_names_of_raters_do_not_change_the_icc():
    scores = scores_of(np.random.default_rng(4).normal(size=(40, 3)))
    found = intraclass(scores)
    renamed = scores.assign(rater=scores.rater.map({"r0": "z", "r1": "r0", "r2": "a"})).sample(frac=1, random_state=1)
    again = intraclass(renamed)
    assert {name: again[name] for name in ("ICC(2,1)", "ICC(2,k)")} == {name: found[name] for name in ("ICC(2,1)", "ICC(2,k)")}


def golden_kappas():
    cases = json.loads((DATA / "classification_scores.json").read_text(encoding="utf-8"))["cohen_kappa"]
    return {case["name"]: case for case in cases}


@pytest.mark.parametrize("name", golden_kappas())
def test_kappa_is_golden(name):
    case = golden_kappas()[name]
    categories = sorted({*case["y1"], *case["y2"]} if case["labels"] is None else case["labels"])
    x, y = ([categories.index(value) for value in case[key]] for key in ("y1", "y2"))
    for ours, theirs in {"plain": "None", "linear": "linear", "quadratic": "quadratic"}.items():
        found, expected = agreement.kappa(x, y, len(categories), ours), case["expected"][theirs]
        assert math.isnan(found) if expected is None else found == pytest.approx(expected, abs=2e-9)


def test_kappa_of_points_counts_all_points_of_the_scale(make_params):
    rows = [
        (r, f"v{i}", "efficiency", float(v))
        for r, points in {"1": (1, 1, 2, 4, 5, 5, 2), "2": (1, 2, 2, 4, 4, 5, 2)}.items()
        for i, v in enumerate(points)
    ]
    ratings = pd.DataFrame(rows, columns=["rater", "id", "aspect", "score"])
    found = agreement.of_points(ratings, make_params(aspects=("efficiency",)))["efficiency"]["kappa"]
    expected = golden_kappas()["same with labels 0..4"]["expected"]
    assert found["pairs"]["1-2"] == {
        "n": 7,
        "plain": pytest.approx(expected["None"], abs=2e-9),
        "linear": pytest.approx(expected["linear"], abs=2e-9),
        "quadratic": pytest.approx(expected["quadratic"], abs=2e-9),
    }
    halves = ratings.assign(score=(ratings.score + 1) / 2)
    on_half_points = make_params(aspects=("efficiency",), lowest=1.0, highest=3.0, step=0.5)
    assert agreement.of_points(halves, on_half_points)["efficiency"]["kappa"] == found


def test_failed_recordings_have_no_points_and_pairs_without_common_ones_no_kappa(make_params):
    rows = [("1", "a", 3.0), ("1", "b", math.nan), ("2", "b", 3.0), ("3", "a", 3.0), ("3", "c", 5.0), ("2", "c", 4.0)]
    ratings = pd.DataFrame(rows, columns=["rater", "id", "score"]).assign(aspect="efficiency")
    found = agreement.of_points(ratings, make_params(aspects=("efficiency",)))["efficiency"]["kappa"]
    assert {name: pair["n"] for name, pair in found["pairs"].items()} == {"1-2": 0, "1-3": 1, "2-3": 1}
    assert math.isnan(found["pairs"]["1-2"]["linear"])
    assert math.isnan(found["pairs"]["1-3"]["plain"])  # both used one category only
    assert found["mean"]["n_pairs"] == 1
    assert found["mean"]["plain"] == found["pairs"]["2-3"]["plain"] == 0


# Krippendorff, Computing Krippendorff's alpha-reliability (2011), section C: four observers, twelve units, with missing data.
NA = math.nan
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NA, NA, NA],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NA, 3],
    [NA, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NA],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NA],
]


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_example(level, published):
    found = krippendorffs_alpha(scores_of(np.array(OBSERVERS).T, "value"), level)
    assert found["alpha"] == pytest.approx(published, abs=0.0005)
    assert (found["n"], found["values"], found["left_out"]) == (11, 40, 1)


def literal_alpha(matrix, level):
    """1 - observed / expected disagreement over all pairs of pairable values, as the definition says."""
    units = [[value for value in row if not math.isnan(value)] for row in matrix]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    counts = {value: values.count(value) for value in sorted(set(values))}

    def distance(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        return (sum(n for value, n in counts.items() if low <= value <= high) - (counts[a] + counts[b]) / 2) ** 2

    n = len(values)
    observed = math.fsum(distance(a, b) / (len(unit) - 1) for unit in units for a in unit for b in unit) / n
    expected = math.fsum(distance(a, b) for a in values for b in values) / (n * (n - 1))
    return math.nan if expected == 0 else 1 - observed / expected


@pytest.mark.slow
@given(arrays.arrays(float, st.tuples(st.integers(1, 8), st.integers(2, 4)), elements=st.sampled_from([1.0, 2.0, 3.0, 5.0, NA])))
@settings(max_examples=80)
def test_alpha_is_what_its_definition_says(matrix):
    for level in ("nominal", "ordinal", "interval"):
        found = krippendorffs_alpha(scores_of(matrix, "value"), level)["alpha"]
        several = [row for row in matrix if np.count_nonzero(~np.isnan(row)) > 1]
        expected = literal_alpha(matrix, level) if several else math.nan
        assert math.isnan(found) if math.isnan(expected) else found == pytest.approx(expected, abs=2e-9)
        if not math.isnan(expected):
            assert found == pytest.approx(krippendorff.alpha(reliability_data=matrix.T, level_of_measurement=level), abs=2e-9)


def test_alpha_on_a_fine_scale_needs_no_memory_for_pairs_of_values():
    rng = np.random.default_rng(8)
    skill = rng.normal(size=(2000, 1))
    values = scores_of(skill + 0.5 * rng.normal(size=(2000, 3)), "value")
    for level in ("interval", "ordinal"):
        found = krippendorffs_alpha(values, level)
        assert found["values"] == 6000
        assert 0.75 < found["alpha"] < 0.85


def test_a_scale_without_categories_has_no_kappa(make_params):
    p = make_params(aspects=("efficiency",), lowest=0.0, highest=100.0, step=0.001)
    rows = [(rater, f"v{i}", "efficiency", i * 1.001) for rater in ("1", "2") for i in range(9)]
    found = agreement.of_points(pd.DataFrame(rows, columns=["rater", "id", "aspect", "score"]), p)["efficiency"]
    assert found["kappa"]["pairs"] == {}
    assert math.isnan(found["kappa"]["mean"]["quadratic"])
    assert found["alpha"]["alpha"] == 1


def test_marks_agree_or_not_per_error():
    rows = [(f"v{i}", rater, "needle_dropped", bool(i % 2) ^ (rater == "2" and i == 0)) for i in range(6) for rater in ("1", "2")]
    rows += [(f"v{i}", rater, "knot_comes_apart", False) for i in range(6) for rater in ("1", "2")]
    found = agreement.of_marks(pd.DataFrame(rows, columns=["id", "rater", "error", "marked"]))
    assert found["needle_dropped"]["kappa"]["pairs"]["1-2"] == {"n": 6, "plain": pytest.approx(2 / 3)}
    assert found["needle_dropped"]["alpha"]["n"] == 6
    assert math.isnan(found["knot_comes_apart"]["kappa"]["mean"]["plain"])
    assert found["knot_comes_apart"]["kappa"]["mean"]["n_pairs"] == 0
    assert math.isnan(found["knot_comes_apart"]["alpha"]["alpha"])


def test_raters_who_rated_the_same_recordings_are_not_joined(make_params):
    """LASANA's raters 0 and 2 shared the recordings; where both rated all, each is a rater of their own."""
    rng = np.random.default_rng(5)
    skill = rng.normal(size=15)
    rows = [(f"v{i:02d}", r, a, skill[i] + rng.normal() / 2, False) for r in "0123" for i in range(15) for a in ("GRS", "efficiency")]
    normalised = pd.DataFrame(rows, columns=["id", "rater", "aspect", "score", "failed"])
    assert make_params().complementary_raters == (("0", "2"),)
    found = agreement.of_scores(normalised, make_params(aspects=("efficiency",)))
    assert found == agreement.of_scores(normalised, make_params(aspects=("efficiency",), complementary_raters=()))
    icc = found["GRS"]["failed_included"]["icc"]
    assert (icc["raters"], icc["n"]) == (["0", "1", "2", "3"], 15)
    assert found["GRS"]["failed_included"]["pooled"]["mean"]["bessel"] is not None
    assert len(found["GRS"]["failed_included"]["pooled"]["pairs"]) == 6


def test_complementary_raters_are_joined_before_the_icc(make_params):
    rng = np.random.default_rng(2)
    skill = rng.normal(size=20)
    raters = {"0": range(10), "2": range(10, 20), "1": range(20), "3": range(20)}
    rows = [
        (f"v{i:02d}", r, a, skill[i] + rng.normal() / 2, False) for r, ids in raters.items() for i in ids for a in ("GRS", "efficiency")
    ]
    normalised = pd.DataFrame(rows, columns=["id", "rater", "aspect", "score", "failed"])
    normalised.loc[(normalised.id == "v03") & (normalised.rater == "1") & (normalised.aspect == "GRS"), ["score", "failed"]] = [-2.5, True]
    found = agreement.of_scores(normalised, make_params(aspects=("efficiency",)))
    icc = {name: variant["icc"] for name, variant in found["GRS"].items()}
    assert icc["failed_included"]["raters"] == ["0|2", "1", "3"]
    assert (icc["failed_included"]["n"], icc["failed_excluded"]["n"], icc["failed_excluded"]["left_out"]) == (20, 19, 1)
    apart = agreement.of_scores(normalised, make_params(aspects=("efficiency",), complementary_raters=()))
    assert apart["GRS"]["failed_included"]["icc"]["n"] == 0
    assert list(found["efficiency"]) == ["failed_excluded"]
    assert found["GRS"]["failed_included"]["alpha"]["n"] == 20


def test_one_failed_recording_of_a_rater_without_a_scale_does_not_leave_the_icc_nothing_but_that(make_params):
    p = make_params(complementary_raters=[])
    rng = np.random.default_rng(3)
    scores = scores_of(rng.normal(size=(12, 2)) + np.arange(12)[:, None]).assign(failed=False)
    # Rater r2 gave one score everywhere, so only a failed recording has a score: the fixed one.
    constant = pd.DataFrame({"rater": "r2", "id": [f"v{at:03d}" for at in range(12)], "score": math.nan, "failed": False})
    constant.loc[4, ["score", "failed"]] = [-2.5, True]
    rows = pd.concat([scores, constant], ignore_index=True).assign(aspect="GRS")
    of_two, of_all = (agreement.of_scores(some, p)["GRS"] for some in (rows[rows.rater != "r2"], rows))
    assert of_all["failed_included"]["icc"] == of_two["failed_included"]["icc"]
    assert of_all["failed_included"]["icc"]["n"] == 12
    assert of_all["failed_included"]["icc"]["raters"] == ["r0", "r1"]
