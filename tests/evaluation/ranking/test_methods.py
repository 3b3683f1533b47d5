"""Ways to rank, groups and leave-one-out, against challengeR and multcompView of R, and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.evaluate.ranking import significance, stability

NAN = float("nan")
# Random values with ties, two of them missing; ranks of challengeR 1.0.5 (R 4.2.2): aggregateThenRank with na.treat = 0 and
# rankThenAggregate, by mean and by median, ties.method = "min".
VALUES = [
    [0.70, 0.62, 0.46, 0.81, 0.45, 0.56, 0.87, 0.64],
    [0.56, 0.71, 0.45, 0.83, NAN, 0.55, 0.74, 0.71],
    [0.66, 0.68, 0.51, NAN, 0.55, 0.59, 0.78, 0.74],
    [0.64, 0.75, 0.58, 0.62, 0.46, 0.60, 0.78, 0.76],
    [0.60, 0.69, 0.55, 0.63, 0.48, 0.59, 0.74, 0.67],
]
RANKS = {
    "mean_then_rank": [2, 4, 5, 1, 3],
    "median_then_rank": [2, 1, 4, 2, 5],
    "rank_then_mean": [4, 5, 2, 1, 3],
    "rank_then_median": [4, 5, 2, 1, 3],
}
# Six teams on ten videos, without ties: p-values of wilcox.test(paired = TRUE, exact = TRUE) of R, the same after
# p.adjust(method = "holm"), and the groups of multcompLetters of multcompView at 0.05.
TESTED = [
    [0.6491, 0.5054, 0.5363, 0.6637, 0.6005, 0.6334, 0.7308, 0.7674, 0.6786, 0.6472],
    [0.6205, 0.3638, 0.5434, 0.6510, 0.5435, 0.4315, 0.7113, 0.6795, 0.6756, 0.5472],
    [0.6069, 0.3634, 0.4910, 0.5309, 0.5585, 0.3328, 0.5140, 0.6454, 0.6429, 0.5851],
    [0.4961, 0.3490, 0.4275, 0.4807, 0.4353, 0.3498, 0.5376, 0.5561, 0.5415, 0.4504],
    [0.5495, 0.2261, 0.4190, 0.3917, 0.3327, 0.3380, 0.5473, 0.5835, 0.5030, 0.4151],
    [0.4497, 0.2935, 0.3249, 0.3782, 0.4207, 0.2339, 0.4574, 0.4195, 0.4968, 0.3437],
]
P_VALUES = {(0, 1): 0.005859375, (1, 2): 0.064453125, (2, 3): 0.01953125, (2, 4): 0.009765625, (3, 4): 0.16015625, (4, 5): 0.048828125}
HOLM = {(0, 1): 0.03515625, (1, 2): 0.146484375, (2, 3): 0.078125, (2, 4): 0.048828125, (3, 4): 0.16015625, (4, 5): 0.146484375}
LEAST, LEAST_HOLM = 2 / 2**10, 15 * 2 / 2**10
GROUPS = [(0,), (1, 2), (2, 3), (3, 4), (4, 5)]


def test_ranks_are_those_of_challenger():
    given_, missing = np.nan_to_num(np.array(VALUES)), np.isnan(VALUES)
    found = {one.name: one.ranks.tolist() for one in stability.every(given_, missing, [0] * 5)}
    assert {name: found[name] for name in RANKS} == RANKS
    # Errors rank the other way round: the best is the worst of before, and a missing value still comes last.
    other = {one.name: one.ranks.tolist() for one in stability.every(-given_, missing, [0] * 5, lower_is_better=True)}
    assert other == found


def test_who_gives_nothing_ranks_as_with_the_worst_value_also_after_ties():
    # Two share the first rank of the first video: the third team is third there, as it would be with 0.
    values = np.array([[0.5, 0.5], [0.5, 0.4], [0.0, 0.6]])
    given_, nothing = np.zeros((3, 2), bool), np.array([[False, False], [False, False], [True, False]])
    found, whole = (stability.every(values, missing, [0] * 3) for missing in (nothing, given_))
    assert [one.values.tolist() for one in found[2:4]] == [[1.5, 2.0, 2.0], [1.5, 2.0, 2.0]]
    for one, other in zip(found, whole, strict=True):
        assert (one.values.tolist(), one.ranks.tolist()) == (other.values.tolist(), other.ranks.tolist())
    # So do teams without a defined score of one of several metrics.
    assert stability.combined(np.array([[0.9, 0.5], [0.8, 0.5], [0.7, NAN]])).ranks.T.tolist() == [[1, 2, 3], [1, 1, 3]]


def test_tests_correction_and_groups_are_those_of_r():
    tests = significance.matrix(list(np.array(TESTED)))
    for i, j in itertools.combinations(range(6), 2):
        assert tests[i][j].p == pytest.approx(P_VALUES.get((i, j), LEAST), abs=1e-12)
        assert tests[i][j].adjusted == pytest.approx(HOLM.get((i, j), LEAST_HOLM), abs=1e-12)
    better = np.array([[test is not None and test.better(0.05) for test in row] for row in tests])
    assert [group.teams for group in significance.indistinguishable(better | better.T)] == GROUPS
    # The number of teams beaten: five, three, two and so on; two teams that beat one each share a rank.
    won = {one.name: one for one in stability.every(np.array(TESTED), np.zeros((6, 10), bool), better.sum(axis=1).tolist())}
    assert won["test_then_rank"].values.tolist() == [5, 3, 2, 1, 0, 0]
    assert won["test_then_rank"].ranks.tolist() == [1, 2, 3, 4, 5, 5]


def test_a_video_that_is_undefined_for_all_counts_for_nothing():
    values = np.array([[0.5, NAN, 0.6], [0.4, NAN, 0.9]])
    without = stability.every(values[:, [0, 2]], np.zeros((2, 2), bool), [0, 0])
    for one, other in zip(stability.every(values, np.zeros((2, 3), bool), [0, 0]), without, strict=True):
        assert (one.values.tolist(), one.ranks.tolist()) == (other.values.tolist(), other.ranks.tolist())


def test_where_nothing_is_annotated_who_invents_something_is_not_ranked_before_who_is_right():
    right, invents = [0.9, 0.9, NAN], [0.9, 0.9, 0.0]
    values = np.array([right, invents, [0.8, 0.8, 0.0], [NAN, NAN, NAN]])
    found = {one.name: one for one in stability.every(values, np.zeros((4, 3), bool), [0, 0, 0, 0])}
    assert found["rank_then_mean"].ranks.tolist()[:3] == found["rank_then_median"].ranks.tolist()[:3] == [1, 1, 3]
    assert found["rank_then_mean"].values.tolist()[:3] == [1, 1, 3]
    # The means are those of each team, as the score is.
    assert found["mean_then_rank"].values.tolist()[:3] == pytest.approx([0.9, 0.6, 1.6 / 3])
    assert significance.comparable(values).tolist() == [True, True, False]
    # Who gave nothing for a video with labels is last on it, also where another team invents something elsewhere.
    filled, missing = np.array([[0.9, 0.1, NAN], [0.8, 0.1, 0.0]]), np.array([[False, True, False], [False, False, False]])
    (ranks,) = [one for one in stability.every(filled, missing, [0, 0]) if one.name == "rank_then_mean"]
    assert ranks.values.tolist() == [1.5, 1.5]


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.sampled_from([*itertools.combinations(range(n), 2), (0, 0)])))))
def test_groups_are_all_largest_sets_without_a_significant_pair(case):
    n, pairs = case
    apart = np.zeros((n, n), bool)
    for i, j in pairs:
        apart[i, j] = apart[j, i] = i != j
    sets = [set(one) for size in range(1, n + 1) for one in itertools.combinations(range(n), size)]
    alike = [one for one in sets if not any(apart[i, j] for i in one for j in one)]
    largest = sorted(tuple(sorted(one)) for one in alike if not any(one < other for other in alike))
    found = significance.indistinguishable(apart)
    assert [group.teams for group in found] == largest
    # Two teams share a letter exactly when they do not differ.
    for i, j in itertools.combinations(range(n), 2):
        assert any(i in group.teams and j in group.teams for group in found) == (not apart[i, j])


def test_a_group_of_teams_that_are_no_neighbours_says_so():
    apart = np.zeros((3, 3), bool)
    apart[0, 1] = apart[1, 0] = apart[1, 2] = apart[2, 1] = True
    assert [(group.teams, group.neighbours) for group in significance.indistinguishable(apart)] == [((0, 2), False), ((1,), True)]


def test_ranks_without_a_video_are_those_of_the_others():
    first, second = np.array([[0.9], [0.4], [0.4]]), np.array([[0.5], [0.5], [0.5]])
    found = stability.each([first, second], by_class=False)
    assert [one.video for one in found] == [0, 1, 2]
    assert [one.ranks.tolist() for one in found] == [[2, 1], [1, 2], [1, 2]]
    assert next(one.ranks.tolist() for one in stability.each([first, second], by_class=False, lower_is_better=True)) == [1, 2]
    assert stability.each([first[:1], second[:1]], by_class=False) == []


def test_a_team_without_one_of_the_metrics_is_last_by_it_and_has_no_mean_of_scores():
    found = stability.combined(np.array([[0.9, NAN], [0.5, 0.3], [NAN, NAN]]))
    assert found.ranks.tolist() == [[1, 2], [2, 1], [3, 2]]
    assert np.isnan(found.by_scores).tolist() == [True, False, True]
    assert found.by_ranks.tolist()[:2] == [1, 1]
    assert np.isnan(found.by_ranks[2])


def test_a_metric_that_is_undefined_for_all_ranks_nobody():
    found = stability.combined(np.array([[NAN, 0.2], [NAN, 0.4]]))
    assert np.isnan(found.ranks[:, 0]).all()
    assert found.mean_ranks.tolist() == found.by_ranks.tolist() == [2, 1]
    assert np.isnan(found.by_scores).all()
