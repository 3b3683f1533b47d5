"""Constraints of a balanced split hold for any study; the result is the proven best."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cohort_fixtures import THREE, all_splits, program_of
from scrubin.base.errors import SplitError
from scrubin.base.tables.io import conform
from scrubin.base.tables.public import SPLITS
from scrubin.stages.splits import best_split, program
from scrubin.stages.splits.best_split import PROVEN, WORK_LIMIT, Effort
from scrubin.stages.splits.cohort import RECORDINGS, cohort, column
from scrubin.stages.splits.members import Members
from scrubin.stages.splits.schemes import balanced
from scrubin.stages.splits.walks import descend, largest_first

LONG = Effort(gap=0.0, work_limit=20)
SHORT = Effort(gap=0.02, work_limit=0.1)


def subset_of(made):
    return made.rows.set_index("id").subset


def check_constraints(made, cohort, subsets):
    placed = cohort.people.assign(subset=cohort.people.id.map(subset_of(made)))
    assert len(made.rows) == len(cohort.people)
    assert placed.subset.isin(subsets).all()
    assert set(placed.subset) == set(subsets)
    assert len(placed[["participant", "subset"]].drop_duplicates()) == placed.participant.nunique()
    assert set(placed.subset[placed.pinned]) <= {subsets[0]}
    conform(SPLITS, made.rows.assign(scheme="balanced")[["scheme", "fold", "subset", "id"]])


@pytest.mark.slow
@given(st.integers(3, 9), st.integers(0, 4), st.integers(0, 2), st.integers(0, 1000), st.integers(2, 3))
@settings(max_examples=20)
def test_every_constraint_holds_for_any_study(make_cohort, participants, procedures, strong, seed, k):
    cohort = make_cohort(participants, procedures, strong=min(strong, participants - 2), seed=seed)
    shares = {"train": 0.6, "test": 0.4} if k == 2 else {"train": 0.5, "val": 0.2, "test": 0.3}
    made = balanced(cohort, shares, 0, Effort(0.05, 0.2))
    check_constraints(made, cohort, list(shares))
    assert made.proofs[0].bound <= made.proofs[0].objective


@pytest.mark.slow
@given(st.randoms())
@settings(max_examples=5)
def test_the_order_of_rows_and_the_names_of_participants_are_irrelevant(make_cohort, reordered, random):
    cohort = make_cohort()
    first, second = balanced(cohort, THREE, 0, SHORT), balanced(reordered(cohort, random), THREE, 0, SHORT)
    pd.testing.assert_frame_equal(first.rows, second.rows)
    assert first.proofs == second.proofs


@pytest.mark.parametrize("seed", range(3))
def test_no_other_split_is_better_as_trying_all_shows(make_cohort, seed):
    cohort = make_cohort(participants=8, procedures=0, tasks=("Knot",), seed=seed)
    shares = {"train": 0.6, "test": 0.4}
    made = balanced(cohort, shares, 0, LONG)
    one = program_of(cohort, shares)
    best = min(one.objective(counts) for counts in all_splits(one, 2))
    assert made.proofs[0].status == PROVEN
    assert made.proofs[0].objective == pytest.approx(best, abs=2 * program.TIE)
    assert made.proofs[0].bound <= best


@pytest.mark.parametrize("seed", range(3))
def test_what_is_called_unavoidable_is_the_least_over_all_splits(make_cohort, seed):
    cohort = make_cohort(participants=6, procedures=1, tasks=("Knot",), seed=seed)
    one = program_of(cohort, {"a": 0.5, "b": 0.2, "c": 0.3})
    whole = [m for m, measure in enumerate(one.measures) if measure.whole]
    least = np.min([one.imbalances(counts) for counts in all_splits(one, 3)], axis=0)
    # Of splits with an empty subset the program knows nothing, so its bound may be lower, never higher.
    assert (one.unavoidable <= least + 1e-12).all()
    assert np.isclose(one.unavoidable, least)[whole].mean() > 0.8


def test_the_bound_is_proven_and_close_for_a_study_like_the_demo(make_cohort):
    cohort = make_cohort(participants=18, procedures=6)
    made = balanced(cohort, THREE, 0, LONG)
    check_constraints(made, cohort, list(THREE))
    assert made.proofs[0].status == PROVEN
    assert 0 <= made.proofs[0].gap < 1e-4


def test_a_balanced_split_is_much_better_than_random_ones(make_cohort):
    cohort = make_cohort(participants=30, procedures=6, strong=0).balancing(["GRS", "dropped", "torn"])
    one = program_of(cohort, THREE)
    found = one.imbalances(best_split.solve(one, Effort(0.01, 1)).counts).mean()
    rng = np.random.default_rng(0)
    random_means = []
    for _ in range(300):
        counts = np.array([rng.multinomial(len(group.members), list(THREE.values())) for group in one.groups])
        random_means.append(one.imbalances(counts).mean())
    assert found < 0.5 * min(random_means)


def test_a_start_is_no_worse_for_having_fixed_places(make_cohort):
    cohort = make_cohort(participants=20, strong=3)
    one = program_of(cohort, THREE)
    members = Members(one)
    counts = members.counts(largest_first(members))
    assert all(counts[i, 0] == len(group.members) for i, group in enumerate(one.groups) if group.place == 0)
    assert (counts.sum(axis=0) > 0).all()


def test_a_small_task_beside_a_big_one_is_in_every_subset(make_cohort):
    cohort = make_cohort(participants=20, procedures=6)
    made = balanced(cohort, THREE, 0, SHORT)
    placed = cohort.people.assign(subset=cohort.people.id.map(subset_of(made)))
    assert set(placed.subset[placed.task == "Surgery"]) == {"train", "val", "test"}


def test_a_task_with_fewer_participants_than_subsets_still_gives_a_split(make_cohort):
    cohort = make_cohort(participants=10, procedures=2)
    check_constraints(balanced(cohort, THREE, 0, SHORT), cohort, list(THREE))


def test_another_seed_deals_equal_participants_differently(make_cohort):
    cohort = make_cohort(participants=0, procedures=12, strong=0).balancing(["GRS"])
    tests = set()
    for seed in range(4):
        made = balanced(cohort, THREE, seed, LONG)
        tests.add(tuple(made.rows.id[made.rows.subset == "test"]))
        assert made.rows.subset.value_counts().to_dict() == {"train": 9, "test": 2, "val": 1}
    assert len(tests) > 1


def test_fewer_participants_than_subsets_is_an_error(make_cohort):
    with pytest.raises(SplitError, match=r"2 participants cannot fill 3 subsets \(train, val, test\)"):
        balanced(make_cohort(participants=2, procedures=0, strong=0), THREE, 0, SHORT)


def test_strong_disagreement_that_fills_everything_is_an_error(make_cohort):
    cohort = make_cohort(participants=5, procedures=0, strong=0)
    first = cohort.people.drop_duplicates("participant").id[:4]
    cohort.people["pinned"] = cohort.people.id.isin(first)
    with pytest.raises(
        SplitError, match=r"4 of 5 participants have a fixed place: in 'train'.* 1 are not enough for val, test; pin fewer recordings"
    ):
        balanced(cohort, THREE, 0, SHORT)


def test_a_participant_who_is_too_big_is_named_as_what_is_in_the_way():
    from scrubin.stages.splits.cohort import cohort as cohort_of

    sizes = {"giant": 60, "big": 45, **{f"small {i}": 3 for i in range(5)}}
    who = [name for name, n in sizes.items() for _ in range(n)]
    people = pd.DataFrame({"id": [f"r{i:03d}" for i in range(len(who))], "task": "", "participant": who, "pinned": False})
    made = balanced(cohort_of(people, []), {"train": 0.5, "val": 0.25, "test": 0.25}, 0, LONG)
    # 120 recordings: 60, 30, 30 are wanted; without giant and big 15 are left for the smallest subset.
    told = [one.sentence(named=True) for one in made.obstacles]
    assert any(
        "recordings in val: 30.0 wanted, 15 is the nearest that whole participants reach" in line and "big 45" in line for line in told
    )
    assert not any("giant" in one.sentence(named=False) for one in made.obstacles)
    assert not any(one.subset == "train" for one in made.obstacles)  # giant alone is 60


def test_pinned_participants_who_hold_an_error_are_named_as_what_is_in_the_way(make_cohort):
    cohort = make_cohort(participants=20, procedures=0, tasks=("Knot",), strong=0)
    torn = next(one for one in cohort.columns if one.name == "torn").values
    holders = set(cohort.people.participant[torn.map(bool)])
    cohort.people["pinned"] = cohort.people.participant.isin(holders)
    made = balanced(cohort, THREE, 0, SHORT)
    told = [one.sentence(named=False) for one in made.obstacles]
    n = int(torn.map(bool).sum())
    assert any(line.startswith("torn in test (Knot)") and f"{n} of {n} belong to participants with a fixed place" in line for line in told)


def test_the_work_limit_gives_a_split_with_an_honest_gap(make_cohort):
    cohort = make_cohort(participants=60, procedures=0)
    made = balanced(cohort, THREE, 0, SHORT)
    assert made.proofs[0].status == WORK_LIMIT
    assert made.proofs[0].bound < made.proofs[0].objective
    check_constraints(made, cohort, list(THREE))


def test_what_whole_counts_make_unavoidable_is_no_reason_to_neglect_the_rest(make_cohort):
    one = program_of(make_cohort(participants=0, procedures=6, strong=0).balancing([]), THREE)
    assert [measure.name for measure in one.measures] == [RECORDINGS]
    # Shares of 6 are 4.5, 0.6 and 0.9 procedures: half of one, 0.4 and 0.1 off at best.
    assert one.unavoidable[0].tolist() == pytest.approx([0.5 / 4.5, 0.4, 0.1])
    with_scores = program_of(make_cohort(), THREE)
    means = [m for m, measure in enumerate(with_scores.measures) if not measure.whole]
    assert means
    assert (with_scores.unavoidable[means] == 0).all()


@given(st.lists(st.floats(0, 20), min_size=2, max_size=4), st.integers(0, 10**6))
@settings(max_examples=100)
def test_the_least_rounding_is_the_least_over_all_whole_numbers(parts, seed):
    rng = np.random.default_rng(seed)
    targets = np.array(parts) + (np.ceil(sum(parts)) - sum(parts)) / len(parts)
    scales = rng.uniform(0.5, 5, len(parts))
    total = round(targets.sum())
    around = [range(max(0, int(t) - 2), int(t) + 4) for t in targets]
    costs = [np.sum(np.abs(np.array(c) - targets) / scales) for c in itertools.product(*around) if sum(c) == total]
    assert program.least_rounding(targets, scales) == pytest.approx(min(costs), abs=1e-9)


@given(st.integers(3, 40), st.integers(1, 8), st.integers(2, 4), st.integers(0, 10**6))
@settings(max_examples=25)
def test_a_descent_makes_squares_smaller_and_empties_no_subset(n, measures, k, seed):
    rng = np.random.default_rng(seed)
    value = rng.integers(0, 1000, (n, measures, k))
    subset = np.concatenate([np.arange(k), rng.integers(0, k, max(0, n - k))])[:n]
    members = np.bincount(subset, minlength=k)
    target = value.sum(axis=0) // k
    free = rng.random(n) < 0.8

    def deviations(of):
        return np.stack([value[of == s, :, s].sum(axis=0) for s in range(k)], axis=1) - target

    found = descend(value, deviations(subset), subset, free, members)
    assert (found[~free] == subset[~free]).all()
    assert (np.bincount(found, minlength=k) >= np.minimum(members, 1)).all()
    assert (deviations(found) ** 2).sum() <= (deviations(subset) ** 2).sum()
    after = deviations(found)
    for i in np.flatnonzero(free):
        for s in range(k):
            if np.bincount(found, minlength=k)[found[i]] > 1:
                moved = found.copy()
                moved[i] = s
                assert (deviations(moved) ** 2).sum() >= (after**2).sum()


@pytest.mark.slow
def test_one_participant_who_validates_alone_is_near_the_mean():
    """With the mean no heavier than a count of one error, somebody 0.96 standard deviations away was taken."""
    rng = np.random.default_rng(8)
    who = np.repeat(np.arange(10), 3)
    grs = rng.normal(0, 0.8, 10)[who] + rng.normal(0, 0.5, 30)
    people = pd.DataFrame({"id": [f"r{i:02d}" for i in range(30)], "task": "Peg", "participant": [f"p{i}" for i in who], "pinned": False})
    errors = [column(f"error {k}", pd.Series(rng.random(30) < 0.3).astype(object)) for k in range(4)]
    made = balanced(cohort(people, [column("GRS", pd.Series(grs)), *errors]), {"train": 0.7, "val": 0.1, "test": 0.2}, 0, Effort(0.0, 0.3))
    inside = people.id.map(subset_of(made)).eq("val").to_numpy()
    assert len(set(people.participant[inside])) == 1
    assert abs(grs[inside].mean() - grs.mean()) / grs.std(ddof=1) < 0.25
