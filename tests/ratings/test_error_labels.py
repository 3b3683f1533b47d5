"""One label per error from several raters, and what contradicts the failure rules."""

import pandas as pd
import pytest

from scrubin.base.errors import ParamsError, RatingsError
from scrubin.base.tables.io import conform
from scrubin.base.tables.public import ERRORS
from scrubin.ratings import FailureRule
from scrubin.ratings.marks import changes, contradictions, harmonise, statements, unlabelled


def marks_of(marks):
    """Marks from id -> rater -> marked."""
    rows = [(id_, "Knot", rater, "fewer_than_three_throws", marked) for id_, raters in marks.items() for rater, marked in raters.items()]
    return pd.DataFrame(rows, columns=["id", "task", "rater", "error", "marked"]).astype({"marked": bool})


MARKS = {"one": {"1": True, "2": False, "3": False}, "tie": {"1": True, "2": False}, "all": {"1": True, "3": True}, "none": {"1": False}}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("majority", {"one": False, "tie": True, "all": True, "none": False}),
        ("any", {"one": True, "tie": True, "all": True, "none": False}),
        ("reviewer", {"one": False, "all": True}),
    ],
)
def test_marks_are_harmonised_by_the_rule(rule, expected):
    errors = conform(ERRORS, harmonise(marks_of(MARKS), rule, "3"))
    assert dict(zip(errors.id, errors.occurred, strict=True)) == expected


def test_without_the_reviewers_marks_the_rule_reviewer_is_an_error():
    with pytest.raises(RatingsError, match="task Knot: reviewer '4' marked no errors, only raters 1, 2, 3 did"):
        harmonise(marks_of(MARKS), "reviewer", "4")


def test_no_marks_give_no_labels():
    for rule in ("majority", "any", "reviewer"):
        assert len(conform(ERRORS, harmonise(marks_of({}), rule, "3"))) == 0


def test_what_was_changed_is_listed():
    marks = marks_of(MARKS)
    changed = changes(marks, harmonise(marks, "majority", "3"))
    assert list(zip(changed.id, changed.rater, changed.marked, changed.occurred, strict=True)) == [
        ("one", "1", True, False),
        ("tie", "2", False, True),
    ]


def test_every_overruled_mark_and_no_other_is_listed_for_each_rule():
    marks = marks_of(MARKS)
    for rule, overruled in {
        "any": {("one", "2"), ("one", "3"), ("tie", "2")},
        "majority": {("one", "1"), ("tie", "2")},
        "reviewer": {("one", "1")},
    }.items():
        changed = changes(marks, harmonise(marks, rule, "3"))
        assert set(zip(changed.id, changed.rater, strict=True)) == overruled
        assert (changed.marked != changed.occurred).all()
        assert set(changed.error) == {"fewer_than_three_throws"}


def test_recordings_that_the_reviewer_did_not_mark_are_listed_with_who_did():
    marks = marks_of(MARKS)
    released = pd.DataFrame([("Knot", id_) for id_ in ("all", "none", "one", "tie", "unseen")] + [("Peg", "peg")], columns=["task", "id"])
    found = unlabelled(marks, harmonise(marks, "reviewer", "3"), released)
    assert dict(zip(found.id, found.raters, strict=True)) == {"none": ["1"], "tie": ["1", "2"], "unseen": []}
    assert set(found.task) == {"Knot"}  # nobody looked for errors in the other task
    by_majority = unlabelled(marks, harmonise(marks, "majority", "3"), released)
    assert by_majority.id.tolist() == ["unseen"]


def ratings_of(failed):
    rows = [(id_, "Knot", rater, "GRS", mark) for id_, raters in failed.items() for rater, mark in raters.items()]
    return pd.DataFrame(rows, columns=["id", "task", "rater", "aspect", "failed"]).astype({"failed": bool})


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("iff", {("throws", None), ("throws", "1"), ("failed", None), ("failed", "1")}), ("implies", {("failed", None), ("failed", "1")})],
)
def test_failure_without_its_error_contradicts_and_error_without_failure_if_the_rule_is_iff(rule, expected):
    ratings = ratings_of({"throws": {"1": False}, "failed": {"1": True}, "both": {"1": True}, "neither": {"1": False}})
    marks = marks_of({"throws": {"1": True}, "failed": {"1": False}, "both": {"1": True}, "neither": {"1": False}})
    rules = {"Knot": FailureRule("fewer_than_three_throws", rule)}
    found = contradictions(ratings, marks, harmonise(marks, "majority", "3"), rules)
    assert {(row["id"], None if pd.isna(row["rater"]) else row["rater"]) for row in found.to_dict("records")} == expected


def test_a_rater_without_error_marks_is_held_against_the_harmonised_label_only():
    ratings = ratings_of({"v": {"1": True, "2": True, "3": False}})
    marks = marks_of({"v": {"3": False}})
    found = contradictions(ratings, marks, harmonise(marks, "majority", "3"), {"Knot": FailureRule("fewer_than_three_throws", "iff")})
    assert len(found) == 1
    assert found.rater.isna().all()
    assert found.failed.all()


def test_failed_by_half_of_the_raters_is_not_failed_for_the_harmonised_label():
    ratings = ratings_of({"v": {"1": True, "2": False}})
    marks = marks_of({"v": {"3": False}})
    assert contradictions(ratings, marks, harmonise(marks, "any", "3"), {"Knot": FailureRule("fewer_than_three_throws", "iff")}).empty


def test_who_said_what_is_told_of_every_rater_who_said_something():
    ratings = ratings_of({"v": {"1": True, "2": True, "4": False}, "w": {"1": False}})
    marks = marks_of({"v": {"2": False, "3": False}, "w": {"1": True}})
    assert statements(ratings, marks, "Knot", "v", "fewer_than_three_throws") == [
        {"rater": "1", "failed": True, "marked": None},
        {"rater": "2", "failed": True, "marked": False},
        {"rater": "3", "failed": None, "marked": False},
        {"rater": "4", "failed": False, "marked": None},
    ]


def test_a_failure_rule_with_an_unknown_error_is_an_error(make_params):
    with pytest.raises(ParamsError, match=r"scores.failure_rules.Knot.error' must be one of .*needle_dropped.* but is 'knot'"):
        make_params(failure_rules={"Knot": FailureRule("knot", "iff")})
