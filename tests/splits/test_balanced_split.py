"""Constraints of a balanced split hold for any study; the result is the proven best."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubin.errors import SplitError
from scrubin.splits import balanced, program
from scrubin.splits.groups import groups
from scrubin.splits.measures import bins, measures
from scrubin.tables.io import conform
from scrubin.tables.splits import SPLITS


def subset_of(made):
    return made.splits.set_index("id").subset


def check_constraints(made, people, skill, subsets):
    placed = people.assign(subset=people.id.map(subset_of(made)))
    assert len(made.splits) == len(people)
    assert placed.subset.isin(subsets).all()
    assert set(placed.subset) == set(subsets)
    assert len(placed[["participant", "subset"]].drop_duplicates()) == placed.participant.nunique()
    strong = skill.id[skill.strong_disagreement]
    assert set(placed.subset[placed.id.isin(strong)]) <= {subsets[0]}
    conform(SPLITS, made.splits)


@given(st.integers(3, 9), st.integers(0, 4), st.integers(0, 2), st.integers(0, 1000), st.integers(2, 3))
@settings(max_examples=15, deadline=None)
def test_every_constraint_holds_for_any_study(make_study, make_split_params, participants, procedures, strong, seed, k):
    people, skill, errors = make_study(participants, procedures, strong=min(strong, participants - 2), seed=seed)
    shares = {"train": 0.6, "test": 0.4} if k == 2 else {"train": 0.5, "val": 0.2, "test": 0.3}
    p = make_split_params(subsets=shares, node_limit=20, gap=0.05)
    made = balanced.split(people, skill, errors, p)
    check_constraints(made, people, skill, list(shares))
    assert made.solution.bound <= made.solution.objective


@given(st.randoms())
@settings(max_examples=5, deadline=None)
def test_the_order_of_rows_and_the_names_of_participants_are_irrelevant(make_study, make_split_params, random):
    people, skill, errors = make_study()
    first = balanced.split(people, skill, errors, make_split_params(gap=0.02))
    shuffled = [frame.iloc[random.sample(range(len(frame)), len(frame))].reset_index(drop=True) for frame in (people, skill, errors)]
    names = sorted(set(people.participant))
    renamed = shuffled[0].assign(participant=shuffled[0].participant.map(dict(zip(names, reversed(names), strict=True))))
    second = balanced.split(renamed, *shuffled[1:], make_split_params(gap=0.02))
    pd.testing.assert_frame_equal(first.splits, second.splits)
    assert first.solution.objective == second.solution.objective
    assert first.solution.bound == second.solution.bound


def best_by_trying_all(people, skill, errors, p):
    ordered = people.sort_values("id", ignore_index=True)
    found_measures = measures(ordered, skill, errors)
    found = groups(ordered, found_measures, skill.id[skill.strong_disagreement].tolist(), p.seed)
    assert all(len(group.members) == 1 for group in found)
    best = np.inf
    for choice in itertools.product(range(len(p.subsets)), repeat=len(found)):
        counts = np.eye(len(p.subsets), dtype=np.int64)[list(choice)]
        pinned_right = all(not group.pinned or choice[i] == 0 for i, group in enumerate(found))
        if pinned_right and len(set(choice)) == len(p.subsets):
            best = min(best, program._Program(found, found_measures, tuple(p.subsets.values()), 0).objective(counts))
    return best


@pytest.mark.parametrize("seed", range(3))
def test_no_other_split_is_better_as_trying_all_shows(make_study, make_split_params, seed):
    people, skill, errors = make_study(participants=7, procedures=0, tasks=("Knot",), seed=seed)
    p = make_split_params(subsets={"train": 0.6, "test": 0.4}, node_limit=5000)
    made = balanced.split(people, skill, errors, p)
    assert made.solution.optimal
    best = best_by_trying_all(people, skill, errors, p)
    assert made.solution.objective == pytest.approx(best, abs=2 * program.TIE)
    assert made.solution.bound <= best


def test_the_bound_is_proven_and_close_for_a_study_like_the_demo(make_study, make_split_params):
    people, skill, errors = make_study(participants=18, procedures=6)
    made = balanced.split(people, skill, errors, make_split_params(node_limit=2000))
    check_constraints(made, people, skill, ["train", "val", "test"])
    assert made.solution.optimal
    assert 0 <= made.solution.objective - made.solution.bound < 1e-4


def test_a_balanced_split_is_much_better_than_random_ones(make_study, make_split_params):
    people, skill, errors = make_study(participants=30, procedures=6, strong=0)
    p = make_split_params(node_limit=200, gap=0.01)
    made = balanced.split(people, skill, errors, p)
    ordered = people.sort_values("id", ignore_index=True)
    found_measures = measures(ordered, skill, errors)
    found = groups(ordered, found_measures, [], 0)
    rng = np.random.default_rng(0)
    random_means = []
    for _ in range(300):
        counts = np.array([rng.multinomial(len(group.members), list(p.subsets.values())) for group in found])
        random_means.append(program.imbalances(counts, found, found_measures, list(p.subsets.values())).mean())
    assert made.imbalances.mean() < 0.5 * min(random_means)


def test_six_procedures_without_any_scores_are_split_4_1_1(make_study, make_split_params):
    people, skill, errors = make_study(participants=0, procedures=6, strong=0)
    made = balanced.split(people, skill, errors, make_split_params())
    assert made.splits.subset.value_counts().to_dict() == {"train": 4, "val": 1, "test": 1}


def test_a_small_task_beside_a_big_one_is_in_every_subset(make_study, make_split_params):
    people, skill, errors = make_study(participants=20, procedures=6)
    made = balanced.split(people, skill, errors, make_split_params(gap=0.02))
    placed = people.assign(subset=people.id.map(subset_of(made)))
    assert set(placed.subset[placed.task == "Surgery"]) == {"train", "val", "test"}


def test_a_task_with_fewer_participants_than_subsets_still_gives_a_split(make_study, make_split_params):
    people, skill, errors = make_study(participants=10, procedures=2)
    made = balanced.split(people, skill, errors, make_split_params(gap=0.02))
    check_constraints(made, people, skill, ["train", "val", "test"])


def test_another_seed_deals_equal_participants_differently(make_study, make_split_params):
    people, skill, errors = make_study(participants=0, procedures=12, strong=0)
    tests = set()
    for seed in range(4):
        made = balanced.split(people, skill, errors, make_split_params(seed=seed))
        tests.add(tuple(made.splits.id[made.splits.subset == "test"]))
        assert made.splits.subset.value_counts().to_dict() == {"train": 9, "test": 2, "val": 1}
    assert len(tests) > 1


def test_fewer_participants_than_subsets_is_an_error(make_study, make_split_params):
    people, skill, errors = make_study(participants=2, procedures=0, strong=0)
    with pytest.raises(SplitError, match=r"2 participants cannot fill 3 subsets \(train, val, test\)"):
        balanced.split(people, skill, errors, make_split_params())


def test_strong_disagreement_that_fills_everything_is_an_error(make_study, make_split_params):
    people, skill, errors = make_study(participants=5, procedures=0, strong=0)
    first = people.drop_duplicates("participant").id[:4]
    strong = skill.assign(strong_disagreement=skill.id.isin(first))
    with pytest.raises(SplitError, match=r"4 of 5 participants must be in 'train' .* 1 are not enough for val, test; raise"):
        balanced.split(people, strong, errors, make_split_params())


def test_nothing_released_is_an_error(make_study, make_split_params):
    people, skill, errors = make_study(participants=0, procedures=0, strong=0)
    with pytest.raises(SplitError, match="nothing to split"):
        balanced.split(people, skill, errors, make_split_params())


def test_reaching_the_time_guard_is_an_error_and_no_split(make_study, make_split_params, monkeypatch):
    people, skill, errors = make_study()
    real = program.milp
    monkeypatch.setattr(program, "milp", lambda *a, options, **k: real(*a, options={**options, "time_limit": 0.0}, **k))
    with pytest.raises(SplitError, match=r"'splits.time_limit_s' = 300 s; .*raise it, or lower 'splits.node_limit' \(300\), or loosen"):
        balanced.split(people, skill, errors, make_split_params())


def test_the_node_limit_gives_a_split_with_an_honest_gap(make_study, make_split_params):
    people, skill, errors = make_study(participants=30, procedures=0)
    made = balanced.split(people, skill, errors, make_split_params(node_limit=5))
    assert not made.solution.optimal
    assert made.solution.bound < made.solution.objective
    check_constraints(made, people, skill, ["train", "val", "test"])


def test_terciles_keep_equal_scores_together():
    assert bins(np.array([1.0, 1.0, 1.0, 1.0, 2.0])).tolist() == [0, 0, 0, 0, 2]
    assert bins(np.array([np.nan, np.nan])).tolist() == [-1, -1]


def test_a_scored_task_is_balanced_in_size_terciles_mean_and_errors(make_study):
    people, skill, errors = make_study(procedures=3)
    found = measures(people.sort_values("id", ignore_index=True), skill, errors)
    names = [measure.name for measure in found if measure.task == "Knot"]
    assert names == ["recordings", "GRS low", "GRS middle", "GRS high", "GRS mean", "error dropped", "error torn"]
    assert [measure.name for measure in found if measure.task == "Surgery"] == ["recordings"]
    mean = next(measure for measure in found if measure.name == "GRS mean")
    assert mean.values.sum() == pytest.approx(0, abs=1e-9)


def test_what_whole_counts_make_unavoidable_is_no_reason_to_neglect_the_rest(make_study):
    people, skill, errors = make_study(participants=0, procedures=6, strong=0)
    size = measures(people, skill, errors)[0]
    # Shares of 6 are 4.5, 0.6 and 0.9 procedures: half of one, 0.4 and 0.1 off at best.
    assert [size.unavoidable(share) for share in (0.75, 0.10, 0.15)] == pytest.approx([0.5 / 4.5, 0.4, 0.1])
    people, skill, errors = make_study()
    mean = next(measure for measure in measures(people, skill, errors) if measure.name == "GRS mean")
    assert mean.unavoidable(0.1) == 0
