"""The rater sheets of the whole course, which need no video."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from scrubin.stages.demo import course, sheets
from scrubin.stages.demo.plan import DemoParams

COURSE = course.trainings(DemoParams(seed=20240229, participants=14, experts=4))
RATED = sheets.rate(COURSE)


def z_scores(task: str, rater: int) -> dict[str, float]:
    totals = {one.recording: sum(one.scores) for one in RATED if (one.task, one.rater) == (task, rater) and one.scores}
    values = np.array(list(totals.values()), float)
    return {name: (total - values.mean()) / values.std(ddof=1) for name, total in totals.items()}


def concordance(first: dict[str, float], second: dict[str, float]) -> float:
    names = sorted(first.keys() & second.keys())
    x, y = np.array([first[name] for name in names]), np.array([second[name] for name in names])
    return float(2 * np.cov(x, y)[0, 1] / (x.var(ddof=1) + y.var(ddof=1) + (x.mean() - y.mean()) ** 2))


@pytest.mark.parametrize("task", course.TASKS)
def test_raters_agree_as_human_raters_do(task):
    joined = z_scores(task, 0) | z_scores(task, 2)
    for pair in ((z_scores(task, 1), z_scores(task, 3)), (joined, z_scores(task, 1)), (joined, z_scores(task, 3))):
        assert 0.55 < concordance(*pair) < 0.85


def test_raters_differ_in_mean_and_spread():
    totals = [[sum(one.scores) for one in RATED if one.rater == rater and one.scores] for rater in range(4)]
    means, spreads = [np.mean(one) for one in totals], [np.std(one) for one in totals]
    assert max(means) - min(means) > 1.5
    assert max(spreads) / min(spreads) > 1.15


def test_two_raters_see_all_and_two_complementary_halves_but_for_one_recording():
    seen = [{one.recording for one in RATED if one.rater == rater} for rater in range(4)]
    everything = {one.name for one in COURSE if one.rated}
    assert seen[1] == everything
    assert len(seen[1] - seen[3]) == 1
    assert seen[0] | seen[2] == seen[3]
    assert not seen[0] & seen[2]
    assert abs(len(seen[0]) - len(seen[2])) <= 4


def test_failures_are_marked_consistently():
    failed = [one for one in RATED if one.scores is None]
    assert {one.task for one in failed} == {"SutureAndKnot"}
    assert all(one.errors["fewer_than_three_throws"] for one in failed)
    rest = [one for one in RATED if one.scores is not None and one.task == "SutureAndKnot"]
    assert not any(one.errors["fewer_than_three_throws"] for one in rest)
    assert 4 <= len({one.recording for one in failed}) <= 12


def test_every_error_occurs_and_raters_sometimes_differ():
    marks: dict[tuple[str, str], set[bool]] = {}
    for one in RATED:
        for error, occurred in one.errors.items():
            marks.setdefault((one.recording, error), set()).add(occurred)
    assert {error for (_, error), values in marks.items() if True in values} == {
        error for errors in sheets.ERRORS.values() for error in errors
    }
    assert 0 < sum(len(values) == 2 for values in marks.values()) < len(marks) / 4


def test_the_better_are_faster_and_make_fewer_errors():
    trained = [one for one in COURSE if one.rated and one.loops == 1 and one.end_ms is not None]
    skill = np.array([one.skill for one in trained])
    long_ms = np.array([one.end_ms - one.start_ms for one in trained])
    assert np.corrcoef(skill, long_ms)[0, 1] < -0.8
    errors = np.array([sum(sheets.occurred(one, error) for error in sheets.ERRORS[one.task]) for one in trained])
    assert np.corrcoef(skill, errors)[0, 1] < -0.2


def test_sheets_have_the_columns_of_the_layout_and_totals_that_add_up():
    files = sheets.sheets(RATED)
    assert len(files) == 2 * 4 * 2
    rows = list(csv.DictReader(io.StringIO(files["SutureAndKnot_rater3.csv"]), delimiter=";"))
    assert tuple(rows[0]) == ("id", "rater", "depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling", "GRS")
    for row in rows:
        scores = [row[aspect] for aspect in sheets.ASPECTS]
        assert row["GRS"] == (str(sum(map(int, scores))) if all(scores) else "")
        assert all(scores) or not any(scores)
    marks = list(csv.DictReader(io.StringIO(files["PegTransfer_rater1_errors.csv"]), delimiter=";"))
    assert {value for row in marks for name, value in row.items() if name != "id"} == {"True", "False"}
