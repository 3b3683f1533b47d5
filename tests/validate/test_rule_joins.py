"""Joins by numbers say the same as joins by values."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from scrubin.stages.validate import study_tables as joins
from scrubin.stages.validate.outcomes import first_by_key

TEXT = st.sampled_from(["a", "b", "", None])
NUMBER = st.sampled_from([0, 1, 2, -1, 2**60])
PAIRS = st.lists(st.tuples(TEXT, NUMBER, NUMBER), max_size=8)


def frame(pairs):
    rows = pd.DataFrame(pairs, columns=["id", "frame", "instance"]).astype({"id": "str", "frame": "int64", "instance": "int64"})
    return rows.set_axis(range(5, 5 + len(rows)), axis=0)


@given(PAIRS, PAIRS)
def test_a_row_is_among_the_known_ones_when_one_of_them_is_equal_and_nothing_is_missing(rows, known):
    found = joins.among(frame(rows), frame(known))
    assert found.tolist() == [row in known and row[0] is not None for row in rows]
    assert found.index.tolist() == list(range(5, 5 + len(rows)))


def test_numbers_of_many_columns_never_run_over():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.integers(0, 2**62, (3000, 7)), columns=list("abcdefg"))
    assert joins.among(rows, rows.sample(frac=1, random_state=1)).all()
    assert not joins.among(rows, rows.assign(g=rows["g"] + 1)).any()


@given(PAIRS)
def test_what_is_asked_of_different_rows_only_is_the_same_as_asked_of_all(rows):
    def odd(rows):
        return rows["id"].isna() | (rows["frame"] == rows["instance"])

    asked = []
    found = joins.by_distinct(frame(rows), lambda rows: (asked.append(len(rows)), odd(rows))[1])
    assert found.tolist() == odd(frame(rows)).tolist()
    assert asked == [len(set(rows))]


@given(st.lists(st.tuples(TEXT, NUMBER, NUMBER), max_size=60))
def test_the_first_offenders_are_those_that_sorting_all_of_them_gives(rows):
    key = ("id", "frame", "instance")
    expected = frame(rows).sort_values(list(key), kind="stable").head(20)
    pd.testing.assert_frame_equal(first_by_key(frame(rows), key).reset_index(drop=True), expected.reset_index(drop=True))


def test_columns_that_hold_anything_are_ordered_by_their_text_and_a_table_without_its_key_as_it_is():
    rows = pd.DataFrame({"id": pd.Series([3, "b", None, 10], dtype=object), "x": range(4)})
    assert first_by_key(rows, ("id",)).x.tolist()[:2] == [3, 0]
    assert first_by_key(rows, ("missing",)).x.tolist() == [0, 1, 2, 3]
