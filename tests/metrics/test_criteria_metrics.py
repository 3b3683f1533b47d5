"""Criteria that annotators judge: held to scikit-learn and to our agreement of raters on random frames, and what must always hold."""

import math

import krippendorff
import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, balanced_accuracy_score, brier_score_loss

from scrubin.base.errors import MetricsError
from scrubin.base.statistics import settled
from scrubin.evaluate.metrics import criteria
from scrubin.evaluate.metrics.criteria import Criteria, CriteriaVideo
from scrubin.ratings.agreement import krippendorffs_alpha

NAMES = ("C1", "C2", "C3")
CASES = 400


def video(rng, name="a", frames=None, raters=3):
    frames = int(rng.integers(1, 40)) if frames is None else frames
    met = rng.random(3) * 0.8 + 0.1
    judged = (rng.random((frames, 3, raters)) < met[:, None]).astype(float)
    predicted = rng.random((frames, 3)) if rng.random() < 0.5 else rng.integers(0, 6, (frames, 3)) / 5
    return CriteriaVideo(name, judged, predicted)


def by_name(results):
    return {(one.variant.metric, one.variant.options["scope"], one.variant.options["truth"]): one for one in results}


@pytest.fixture(scope="module")
def cases():
    """Videos, each with its results."""
    rng = np.random.default_rng(32)
    drawn = [video(rng) for _ in range(CASES)]
    return [(one, by_name(Criteria([one], NAMES).results())) for one in drawn]


@pytest.fixture(autouse=True, scope="module")
def scikit_learn_takes_its_arguments_as_they_are():
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        yield


@pytest.mark.slow
def test_average_precision_is_that_of_scikit_learn(cases):
    compared = 0
    for one, results in cases:
        found = results["criteria AP", "global", "hard"]
        for k, name in enumerate(NAMES):
            hard = one.judged[:, k].sum(axis=1) >= 2
            if hard.any():
                expected = average_precision_score(hard, one.predicted[:, k])
                assert found.classes[name].value == pytest.approx(expected, abs=1e-12)
                compared += 1
            else:
                assert not found.classes[name].defined
    assert compared > 300


def test_brier_score_is_that_of_scikit_learn_and_the_soft_one_its_definition(cases):
    for one, found in cases:
        for k, name in enumerate(NAMES):
            soft, predicted = one.judged[:, k].mean(axis=1), one.predicted[:, k]
            hard = found["criteria Brier score", "global", "hard"].classes[name]
            assert hard.value == pytest.approx(brier_score_loss(soft >= 0.5, predicted, pos_label=1, labels=[0, 1]), abs=1e-14)
            assert hard.n == len(soft)
            expected = math.fsum((soft - predicted) ** 2) / len(soft)
            assert found["criteria Brier score", "global", "soft"].classes[name].value == pytest.approx(expected, abs=1e-14)


@pytest.mark.slow
def test_balanced_accuracy_is_that_of_scikit_learn_where_both_classes_occur(cases):
    for one, results in cases:
        found = results["criteria balanced accuracy", "global", "hard"]
        for k, name in enumerate(NAMES):
            hard = one.judged[:, k].sum(axis=1) >= 2
            if 0 < hard.sum() < len(hard):
                assert found.classes[name].value == pytest.approx(balanced_accuracy_score(hard, one.predicted[:, k] >= 0.5), abs=1e-12)
            else:
                assert not found.classes[name].defined


def test_alpha_is_that_of_our_agreement_of_raters():
    rng = np.random.default_rng(5)
    for _ in range(100):
        judged = (rng.random((int(rng.integers(2, 30)), 3)) < 0.4).astype(float)
        judged[rng.random(judged.shape) < 0.2] = np.nan
        rows = [
            {"id": str(at), "rater": str(rater), "value": value}
            for at, row in enumerate(judged.tolist())
            for rater, value in enumerate(row)
            if value == value
        ]
        expected = krippendorffs_alpha(pd.DataFrame(rows, columns=["id", "rater", "value"]), "nominal")["alpha"]
        found = criteria.alpha(judged)
        assert settled(found) == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if found == found:
            assert found == pytest.approx(krippendorff.alpha(reliability_data=judged.T, level_of_measurement="nominal"), abs=1e-12)


@pytest.mark.parametrize("values", [(0.0, 0.5, 1.0), (0.2, 0.5), (0.0, 1 / 3, 2 / 3, 1.0)])
def test_alpha_of_marks_between_met_and_not_met_takes_each_value_as_a_category(values):
    rng = np.random.default_rng(7)
    for _ in range(100):
        judged = rng.choice(values, (int(rng.integers(2, 30)), 4))
        judged[rng.random(judged.shape) < 0.3] = np.nan
        paired = judged[np.count_nonzero(~np.isnan(judged), axis=1) > 1]
        found = criteria.alpha(judged)
        if len(np.unique(paired[~np.isnan(paired)])) > 1:
            assert found == pytest.approx(krippendorff.alpha(reliability_data=judged.T, level_of_measurement="nominal"), abs=1e-12)
        else:
            assert math.isnan(found)


def test_raters_who_say_the_same_agree_wholly_whatever_they_say():
    assert criteria.alpha(np.array([[0, 0], [0.5, 0.5], [1, 1]])) == 1.0
    assert math.isnan(criteria.alpha(np.full((6, 2), 0.5)))


def test_of_raters_each_is_held_against_the_mean_of_the_others():
    judged = np.array([[[1.0, 1.0, 0.0]], [[0.0, 0.0, 0.0]], [[1.0, 0.0, 1.0]]])
    found = {one.variant.metric: one for one in Criteria([CriteriaVideo("a", judged, np.zeros((3, 1)))], ["C1"]).of_raters(["x", "y", "z"])}
    # Of x: others say 1/2, 0, 1/2 where x says 1, 0, 1.
    assert found["raters criteria Brier score"].classes["x"].value == pytest.approx((0.25 + 0 + 0.25) / 3)
    assert found["raters criteria Brier score"].overall.n == 3
    assert found["raters criteria balanced accuracy"].classes["x"].value == 1.0


def test_frames_and_criteria_that_nobody_judged_do_not_count():
    rng = np.random.default_rng(1)
    whole, more = video(rng, frames=20), video(rng, frames=5)
    unjudged = np.full((5, 3, 3), np.nan)
    padded = CriteriaVideo("a", np.concatenate([whole.judged, unjudged]), np.concatenate([whole.predicted, more.predicted]))
    assert [one.overall for one in Criteria([whole], NAMES).results()] == [one.overall for one in Criteria([padded], NAMES).results()]


def test_a_rater_who_did_not_judge_is_left_out_of_the_mean():
    judged = np.array([[[1.0, np.nan, 0.0]], [[np.nan, 1.0, np.nan]]])
    found = by_name(Criteria([CriteriaVideo("a", judged, np.array([[0.5], [1.0]]))], ["C1"]).results())
    assert found["criteria Brier score", "global", "soft"].overall.value == 0.0


@pytest.mark.parametrize(("threshold", "positives"), [(0.3333, 2), (2 / 3, 1), (0.67, 0)])
def test_a_criterion_is_met_from_the_threshold_on(threshold, positives):
    judged = np.array([[[1.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]])
    (found, *_) = Criteria([CriteriaVideo("a", judged, np.zeros((3, 1)))], ["C1"], threshold).results()
    assert found.classes["C1"].n == positives


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_frames_and_videos_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    videos = [video(rng, name) for name in "abc"]
    mixed = []
    for one in reversed(videos):
        order = rng.permutation(len(one.judged))
        mixed.append(CriteriaVideo(one.name, one.judged[order], one.predicted[order]))
    for one, other in zip(Criteria(videos, NAMES).results(), Criteria(mixed, NAMES).results(), strict=True):
        # As text: undefined is NaN, which equals nothing.
        assert str((one.variant.name, one.overall, one.classes)) == str((other.variant.name, other.overall, other.classes))


def test_perfect_is_perfect():
    rng = np.random.default_rng(3)
    judged = np.repeat((rng.random((30, 3, 1)) < 0.5).astype(float), 3, axis=2)
    for one in Criteria([CriteriaVideo("a", judged, judged[:, :, 0])], NAMES).results():
        assert one.overall.value == (0.0 if "Brier" in one.variant.metric else 1.0)
    assert criteria.alpha(judged[:, 0]) == 1.0


def test_video_wise_is_the_mean_of_videos_and_a_draw_is_what_repeating_them_gives():
    rng = np.random.default_rng(4)
    videos = [video(rng, name, frames=12) for name in "abc"]
    whole = Criteria(videos, NAMES)
    alone = [by_name(Criteria([one], NAMES).results()) for one in videos]
    for key, found in by_name(whole.results()).items():
        if key[1] == "video-wise":
            for name in NAMES:
                values = [one[key[0], "global", key[2]].classes[name].value for one in alone]
                assert found.classes[name].value == pytest.approx(np.nanmean(values), abs=1e-12)
    repeated = [CriteriaVideo(f"{at}{number}", videos[at].judged, videos[at].predicted) for number, at in enumerate((2, 0, 2))]
    drawn = whole.results(draw=np.array([2, 0, 2]))
    assert [one.overall for one in drawn] == [one.overall for one in Criteria(repeated, NAMES).results()]


def test_a_video_is_given_once():
    rng = np.random.default_rng(6)
    with pytest.raises(MetricsError, match="video a is given twice"):
        Criteria([video(rng), video(rng)], NAMES)


@pytest.mark.parametrize(
    ("judged", "predicted", "told"),
    [
        (np.zeros((2, 3)), np.zeros((2, 3)), r"the marks have the shape \(2, 3\) and the predictions \(2, 3\) for 3 criteria"),
        (np.zeros((2, 3, 3)), np.zeros((1, 3)), r"and the predictions \(1, 3\)"),
        (np.zeros((2, 2, 3)), np.zeros((2, 2)), "for 3 criteria"),
        (np.zeros((2, 3, 3)), np.full((2, 3), 1.5), "outside 0..1"),
        (np.zeros((2, 3, 3)), np.full((2, 3), np.nan), "outside 0..1"),
        (np.full((2, 3, 3), -1.0), np.zeros((2, 3)), "outside 0..1"),
    ],
)
def test_arguments_of_another_shape_or_range_are_refused(judged, predicted, told):
    with pytest.raises(MetricsError, match=told):
        Criteria([CriteriaVideo("a", judged, predicted)], NAMES)
