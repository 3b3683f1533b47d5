"""Normalised and aggregated scores: properties that hold for any raters."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.ratings import scoring

COLUMNS = ["id", "task", "rater", "aspect", "score", "failed"]


def ratings_of(points):
    """Ratings from rater -> id -> one score, or None for failed; its one aspect has the same score."""
    rows = [
        (id_, "T", rater, aspect, math.nan if score is None else float(score), score is None)
        for rater, scores in points.items()
        for id_, score in scores.items()
        for aspect in ("GRS", "efficiency")
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


@st.composite
def studies(draw):
    ids = [f"v{i}" for i in range(draw(st.integers(3, 8)))]
    points = {}
    for rater in draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True)):
        scores = {id_: draw(st.one_of(st.none(), st.integers(4, 20))) for id_ in ids if draw(st.integers(0, 3))}
        # Two different scores at least, or the rater cannot be normalised.
        points[rater] = {**scores, ids[0]: 5, ids[1]: 17}
    return points


def score_all(ratings, released=("v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7")):
    normalised = scoring.normalise(ratings, -2.5)
    skill = scoring.aggregate(normalised, pd.DataFrame({"task": "T", "id": released}), ["efficiency"], 2, 95.0)
    return normalised, skill


@given(studies(), st.randoms())
@pytest.mark.slow
def test_the_order_of_rows_is_irrelevant_to_the_last_bit(points, random):
    ratings = ratings_of(points)
    shuffled = ratings.iloc[random.sample(range(len(ratings)), len(ratings))]
    first, second = score_all(ratings), score_all(shuffled)
    key = ["task", "id", "rater", "aspect"]
    pd.testing.assert_frame_equal(
        first[0].sort_values(key, ignore_index=True), second[0].sort_values(key, ignore_index=True), check_exact=True
    )
    pd.testing.assert_frame_equal(first[1], second[1], check_exact=True)


@pytest.mark.slow
@given(studies(), st.permutations("abcd"))
def test_new_names_of_raters_change_no_score_to_the_last_bit(points, names):
    new = dict(zip("abcd", names, strict=True))
    before, after = score_all(ratings_of(points)), score_all(ratings_of({new[rater]: scores for rater, scores in points.items()}))
    key = ["task", "id", "rater", "aspect"]
    named = before[0].assign(rater=before[0].rater.map(new)).sort_values(key, ignore_index=True)
    pd.testing.assert_frame_equal(named, after[0].sort_values(key, ignore_index=True), check_exact=True)
    pd.testing.assert_frame_equal(before[1], after[1], check_exact=True)


@pytest.mark.slow
@given(studies(), st.data())
def test_shifted_and_scaled_raters_have_the_same_normalised_scores_and_skill(points, data):
    ratings = ratings_of(points)
    moved = {rater: (data.draw(st.floats(-50, 50)), data.draw(st.floats(0.1, 20))) for rater in points}
    shift, scale = (ratings.rater.map({rater: pair[i] for rater, pair in moved.items()}) for i in (0, 1))
    before, after = score_all(ratings), score_all(ratings.assign(score=ratings.score * scale + shift))
    np.testing.assert_allclose(before[0].score, after[0].score, rtol=0, atol=1e-9)
    pd.testing.assert_frame_equal(before[1], after[1], check_exact=False, rtol=0, atol=1e-9)
    assert before[1].strong_disagreement.tolist() == after[1].strong_disagreement.tolist()


def test_equal_disagreements_stay_equal_when_a_rater_is_scaled():
    """Without rounding, the scale of a rater would decide which of two equal disagreements is beyond the percentile."""
    points = {"a": {f"v{i}": i % 4 for i in range(8)}, "b": {f"v{i}": (i + 2) % 4 for i in range(8)}}
    for scale in (1.0, 0.1, 0.3, 7.7, 1 / 3):
        ratings = ratings_of({rater: {id_: score * scale for id_, score in scores.items()} for rater, scores in points.items()})
        skill = score_all(ratings)[1]
        assert len(set(skill.disagreement.round(9))) == 1
        assert not skill.strong_disagreement.any()


def test_failed_recordings_get_the_parameter_after_normalisation_and_no_aspects():
    normalised, skill = score_all(ratings_of({"a": {"v0": 4, "v1": 8, "v2": None}, "b": {"v0": 5, "v1": 6, "v2": None}}))
    failed = normalised[normalised.id == "v2"]
    assert (failed.score[failed.aspect == "GRS"] == -2.5).all()
    assert failed.score[failed.aspect != "GRS"].isna().all()
    row = skill.set_index("id").loc["v2"]
    assert row.GRS == -2.5
    assert math.isnan(row.efficiency)
    assert row.n_ratings == 2
    # Mean and sd come from the scored recordings alone.
    assert sorted(normalised.score[(normalised.rater == "a") & ~normalised.failed]) == pytest.approx([-(0.5**0.5)] * 2 + [0.5**0.5] * 2)


def test_one_rating_leaves_the_score_undefined_and_no_rating_keeps_the_row():
    _, skill = score_all(ratings_of({"a": {"v0": 4, "v1": 8, "v2": 6}, "b": {"v0": 5, "v1": 6}}), released=["v0", "v1", "v2", "v3"])
    by_id = skill.set_index("id")
    assert by_id.n_ratings.to_dict() == {"v0": 2, "v1": 2, "v2": 1, "v3": 0}
    assert by_id.GRS.isna().to_dict() == {"v0": False, "v1": False, "v2": True, "v3": True}
    assert math.isnan(by_id.disagreement["v2"])
    assert by_id.strong_disagreement.tolist() == [False, False, pd.NA, pd.NA]
    assert str(by_id.strong_disagreement.dtype) == "boolean"


def scores_of(normalised, rater, aspect):
    rows = normalised[(normalised.rater == rater) & (normalised.aspect == aspect)]
    return [None if math.isnan(score) else score for score in rows.score]


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ({"v0": 4, "v1": None, "v2": None}, "1 scored recording, and normalising needs 2"),
        ({"v0": None, "v1": None, "v2": None}, "0 scored recordings, and normalising needs 2"),
        ({"v0": 7, "v1": 7, "v2": 7}, "all 3 scores are the same (GRS 7, efficiency 7), so they cannot be normalised"),
        ({"v0": 0.1 + 0.2, "v1": 0.3, "v2": 0.3}, "all 3 scores are the same"),
    ],
)
def test_a_rater_without_a_scale_is_undefined_and_in_no_mean(scores, said):
    others = {"a": {"v0": 4, "v1": 8, "v2": 9}, "c": {"v0": 5, "v1": 8, "v2": 6}}
    with_rater = ratings_of({**others, "b": scores})
    (fault,) = scoring.without_scale(with_rater)
    assert fault.line().startswith(f"task T, rater b: {said}")
    assert fault.severity == "warning"
    normalised, skill = score_all(with_rater, released=["v0", "v1", "v2"])
    alone = score_all(ratings_of(others), released=["v0", "v1", "v2"])[1]
    failed = [None if score is not None else -2.5 for score in scores.values()]
    assert scores_of(normalised, "b", "GRS") == failed
    assert scores_of(normalised, "b", "efficiency") == [None] * 3
    assert skill.efficiency.tolist() == alone.efficiency.tolist()
    assert skill.n_ratings.tolist() == [2 + (score is not None) for score in failed]
    if not any(failed):
        pd.testing.assert_frame_equal(skill, alone)


def test_only_the_aspect_that_is_the_same_everywhere_is_undefined():
    ratings = ratings_of({"a": {"v0": 4, "v1": 8}, "b": {"v0": 4, "v1": 9}})
    ratings.loc[(ratings.rater == "b") & (ratings.aspect == "efficiency"), "score"] = 3.0
    (fault,) = scoring.without_scale(ratings)
    assert "(efficiency 3)" in fault.what
    _, skill = score_all(ratings, released=["v0", "v1"])
    assert skill.GRS.notna().all()
    # One rater is left, and two are needed.
    assert skill.efficiency.isna().all()
    assert not scoring.without_scale(ratings_of({"a": {"v0": 4, "v1": 8}}))


def test_equal_disagreements_are_not_strong():
    _, skill = score_all(ratings_of({"a": {"v0": 4, "v1": 8}, "b": {"v0": 8, "v1": 4}}), released=["v0", "v1"])
    assert skill.disagreement.notna().all()
    assert not skill.strong_disagreement.any()


def test_a_study_without_ratings_has_no_skill_rows():
    empty = ratings_of({})
    normalised = scoring.normalise(empty.astype({"score": float, "failed": bool}), -2.5)
    skill = scoring.aggregate(normalised, pd.DataFrame({"task": ["T"], "id": ["v0"]}), ["efficiency"], 2, 95.0)
    assert len(skill) == 0
    assert list(skill.columns) == ["id", "task", "GRS", "efficiency", "n_ratings", "disagreement", "strong_disagreement"]


def test_tasks_are_normalised_apart():
    one = ratings_of({"a": {"v0": 4, "v1": 8}})
    other = ratings_of({"a": {"w0": 10, "w1": 20}}).assign(task="U")
    both = scoring.normalise(pd.concat([one, other]), -2.5)
    alone = scoring.normalise(one, -2.5)
    assert both.score[both.task == "T"].tolist() == alone.score.tolist()


def test_a_task_of_which_no_recording_has_enough_ratings_is_named_once():
    one_rater = scoring.normalise(ratings_of({"a": {"v0": 4, "v1": 8}}), -2.5)
    (fault,) = scoring.without_skill(one_rater, 2)
    assert fault.line().startswith(
        "task T: no recording has the 2 scores that 'scores.min_ratings' asks for (1 rater, at most 1 that count)"
    )
    assert "so its skill is null throughout; add sheets of more raters, or lower scores.min_ratings" in fault.line()
    assert scoring.without_skill(one_rater, 1) == []
    assert scoring.without_skill(scoring.normalise(ratings_of({"a": {"v0": 4, "v1": 8}, "b": {"v0": 4, "v1": 9}}), -2.5), 2) == []
    assert scoring.without_skill(one_rater.iloc[:0], 2) == []
