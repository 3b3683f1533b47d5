"""What of a column is balanced follows from its values."""

import numpy as np
import pandas as pd
import pytest

from scrubin.base.errors import SplitError
from scrubin.stages.splits.cohort import bins, column, measures


def test_terciles_keep_equal_scores_together():
    assert bins(np.array([1.0, 1.0, 1.0, 1.0, 2.0])).tolist() == [0, 0, 0, 0, 2]
    assert bins(np.array([np.nan, np.nan])).tolist() == [-1, -1]


def test_a_missing_value_is_one_of_a_number_or_flag_but_a_word_of_a_category():
    assert column("x", pd.Series(["3", "n/a", "", "0.5"], dtype=object)).values.isna().tolist() == [False, True, True, False]
    assert column("x", pd.Series(["True", "NaN", "no"], dtype=object)).values.tolist() == [True, None, False]
    assert column("x", pd.Series(["none", "mild", ""], dtype=object)).values.tolist() == ["none", "mild", None]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["True", "False", ""], "flag"),
        (["0", "1", "1"], "flag"),
        ([1.0, 0.0, np.nan], "flag"),
        (["yes", "no"], "flag"),
        (["0", "3", "12"], "count"),
        (["4", "20", "7"], "number"),
        (["-1.5", "0.2"], "number"),
        (["Leipzig", "Dresden", "Leipzig"], "category"),
        (["3", "many"], "category"),
        (["none", "mild", "none"], "category"),
        (["3", "n/a"], "number"),
        (["True", "NA", "-"], "flag"),
    ],
)
def test_the_kind_of_a_column_is_found_from_its_values(values, kind):
    assert column("x", pd.Series(values, dtype=object)).kind == kind


@pytest.mark.parametrize(
    ("values", "kind", "says"),
    [
        (["maybe"], "flag", "'x' holds 'maybe' where True or False"),
        (["three"], "number", "'x' holds 'three', which is no number"),
        (["inf"], "number", "which is no number"),
        (["-1"], "count", "'-1', which is no count"),
        (["1.5"], "count", "'1.5', which is no count"),
        ([str(i) + "x" for i in range(60)], None, "60 different words, such as '0x'"),
    ],
)
def test_a_value_that_does_not_fit_its_kind_is_an_error(values, kind, says):
    with pytest.raises(SplitError, match=says):
        column("x", pd.Series(values, dtype=object), kind)


def names(found):
    return [measure.name for measure in found]


def test_a_small_task_is_balanced_in_size_thirds_mean_counts_flags_and_categories():
    n = 12
    columns = [
        column("GRS", pd.Series(np.linspace(-1, 1, n))),
        column("torn", pd.Series([True] + [False] * (n - 1))),
        column("sutures", pd.Series([0, 5] * (n // 2))),
        column("site", pd.Series(["north", "south", None] * (n // 3))),
    ]
    found = measures(["Knot"] * n, columns)
    assert names(found) == [
        "recordings", "GRS 1/3", "GRS 2/3", "GRS 3/3", "GRS mean", "torn", "sutures total", "sutures any", "site=north", "site=south",
    ]  # fmt: skip
    assert not any(measure.fine for measure in found)
    mean = next(measure for measure in found if measure.name == "GRS mean")
    assert mean.total == pytest.approx(0, abs=1e-9)
    assert next(measure for measure in found if measure.name == "sutures total").total == 30


@pytest.mark.parametrize(("n", "parts"), [(99, (3,)), (100, (3, 5)), (199, (3, 5)), (200, (3, 5, 10))])
def test_a_measurement_is_cut_into_parts_of_twenty_recordings_at_least(n, parts):
    found = {measure.name: measure for measure in measures(["Knot"] * n, [column("GRS", pd.Series(np.arange(n) / 7))])}
    cut = [f"GRS {i + 1}/{k}" for k in parts for i in range(k)]
    up_to = [f"GRS up to {i}/5" for i in range(1, 5)] if n >= 100 else []
    assert list(found) == ["recordings", *cut, *up_to, "GRS mean", *(["GRS spread"] if n >= 100 else [])]
    for k in parts:
        sizes = [found[f"GRS {i + 1}/{k}"].total for i in range(k)]
        assert sum(sizes) == n
        assert max(sizes) - min(sizes) <= 1
    for i, name in enumerate(up_to):
        assert found[name].total == sum(found[f"GRS {k}/5"].total for k in range(1, i + 2))
        assert found[name].scale(0.5) == pytest.approx(0.5 * n / 5)


def test_a_subset_with_the_mean_of_all_but_another_spread_is_out_of_balance():
    n = 120
    values = np.concatenate([np.tile([-1.0, 1.0], n // 4), np.tile([-0.1, 0.1], n // 4)])
    spread = next(measure for measure in measures(["Knot"] * n, [column("GRS", pd.Series(values))]) if measure.name == "GRS spread")
    assert spread.total == pytest.approx(0, abs=1e-9)
    assert spread.values[: n // 2].sum() / spread.scale(0.5) == pytest.approx(0.99, abs=0.02)


def test_what_does_not_vary_within_a_task_is_left_out():
    columns = [
        column("GRS", pd.Series([1.5, 1.5, np.nan])),
        column("torn", pd.Series([True, True, True])),
        column("never", pd.Series([False, False, False])),
        column("site", pd.Series(["north", "north", None])),
    ]
    assert names(measures(["Knot"] * 3, columns)) == ["recordings"]


def test_each_task_has_its_own_measures():
    found = measures(["Peg", "Knot", "Peg"], [column("torn", pd.Series([True, True, False]))])
    assert [(measure.task, measure.name, measure.total) for measure in found] == [
        ("Knot", "recordings", 1), ("Peg", "recordings", 2), ("Peg", "torn", 1),
    ]  # fmt: skip
