"""The search depends on the table, the parameters and the seed alone; more work never makes a split worse; the bound is true."""

import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cohort_fixtures import THREE, all_splits, program_of
from scrubin.stages.splits import best_split, walks
from scrubin.stages.splits.best_split import PROVEN, WORK_LIMIT, Effort, drawn, solve
from scrubin.stages.splits.cohort import cohort as cohort_of
from scrubin.stages.splits.cohort import column
from scrubin.stages.splits.members import Draws, Members, Scaled, polish
from scrubin.stages.splits.program import Reach
from scrubin.stages.splits.walks import LONGEST, SHORTEST, tabu


def study(participants, recordings, seed):
    """Skill differs between participants, and errors follow from it, as in a task of LASANA."""
    rng = np.random.default_rng(seed)
    who = np.concatenate([np.arange(participants), rng.integers(0, participants, recordings - participants)])
    grs = rng.normal(0, 0.8, participants)[who] + rng.normal(0, 0.5, recordings)
    people = pd.DataFrame({"id": [f"r{i:06d}" for i in range(recordings)], "task": "Knot", "participant": [f"p{i}" for i in who]})
    people["pinned"] = np.arange(recordings) % 20 == 0
    errors = {f"error {rate}": rng.random(recordings) < rate * np.exp(-0.5 * grs) for rate in (0.33, 0.24, 0.15, 0.10, 0.08)}
    return cohort_of(people, [column("GRS", pd.Series(grs)), *(column(name, pd.Series(marks)) for name, marks in errors.items())])


@pytest.mark.slow
@pytest.mark.parametrize("size", ["small", pytest.param("large", marks=pytest.mark.slow)])
def test_a_busy_machine_and_a_slow_clock_make_the_same_split(make_cohort, monkeypatch, size):
    one = program_of(make_cohort(participants=9, procedures=0, tasks=("Knot",)) if size == "small" else study(70, 326, 1))
    assert best_split.is_small(one) == (size == "small")
    idle = solve(one, Effort(0.0, 0.4))
    done = threading.Event()
    busy = [threading.Thread(target=lambda: [sum(range(1000)) for _ in iter(done.is_set, True)]) for _ in range(2)]
    for thread in busy:
        thread.start()
    for clock in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        real = getattr(time, clock)
        monkeypatch.setattr(time, clock, lambda real=real: 1e4 * real())
    try:
        again = solve(one, Effort(0.0, 0.4))
    finally:
        done.set()
        for thread in busy:
            thread.join()
    assert (again.counts == idle.counts).all()
    assert (again.objective, again.bound, again.status) == (idle.objective, idle.bound, idle.status)


@pytest.mark.slow
def test_the_split_does_not_depend_on_threads_hashes_or_the_process(tmp_path):
    script = """
import sys
sys.path[:0] = sys.argv[1:]
from cohort_fixtures import program_of
from test_split_search import study
from scrubin.stages.splits.best_split import Effort, solve
found = solve(program_of(study(40, 120, 3)), Effort(0.0, 0.4))
print(found.counts.tolist(), found.objective, found.bound)
"""
    (tmp_path / "run.py").write_text(script)
    here = Path(__file__).parent
    printed = {
        subprocess.run(
            [sys.executable, tmp_path / "run.py", here, here.parent / "helpers"],
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "7")
    }
    assert len(printed) == 1


@pytest.mark.slow
def test_more_work_never_gives_a_worse_split(make_cohort):
    for cohort in (study(70, 326, 2), study(200, 900, 2), make_cohort(participants=9, procedures=3, tasks=("Knot",), seed=1)):
        one = program_of(cohort)
        objectives = [solve(one, Effort(0.0, work)).objective for work in (0, 0.05, 0.2, 0.3, 0.8)]
        assert objectives == sorted(objectives, reverse=True)
        assert objectives[-1] < objectives[0]


def test_the_work_that_is_done_is_close_to_the_limit_and_grows_with_every_round():
    members = Members(program_of(study(70, 326, 2)))
    work = [one.work for one in itertools.islice(walks.rounds(members, Draws(0)), 12)]
    assert work == sorted(set(work))
    assert max(np.diff(work)) < 0.2


@pytest.mark.slow
@given(st.integers(5, 8), st.integers(0, 1), st.integers(0, 10**6), st.integers(2, 3))
@settings(max_examples=12)
def test_the_bound_is_true_as_trying_all_splits_shows(make_cohort, participants, strong, seed, k):
    shares = {"train": 0.6, "test": 0.4} if k == 2 else THREE
    one = program_of(make_cohort(participants=participants, procedures=0, tasks=("Knot",), strong=strong, seed=seed), shares)
    best = min(one.objective(counts) for counts in all_splits(one, k))
    assert one.least <= best + 1e-12
    short, long = solve(one, Effort(0.0, 0.01)), solve(one, Effort(0.0, 20))
    for found in (short, long):
        assert found.bound <= best + 1e-12
        assert found.objective >= best - 1e-12
    assert long.status == PROVEN
    assert long.objective == pytest.approx(best, abs=1e-4)


@pytest.mark.slow
def test_walks_alone_reach_the_best_of_all_splits(make_cohort):
    one = program_of(make_cohort(participants=8, procedures=0, tasks=("Knot",), strong=1, seed=5))
    best = min(one.objective(counts) for counts in all_splits(one, 3))
    members = Members(one)
    found = next(state for state in walks.rounds(members, Draws(0)) if state.work >= 0.3)
    assert found.objective == pytest.approx(best, abs=1e-9)


def random_split(members, rng):
    subset = np.where(members.place >= 0, members.place, rng.integers(0, members.subsets, len(members.place)))
    subset[members.free[: members.subsets]] = np.arange(members.subsets)
    return subset


@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_whole_numbers_are_the_objective(make_cohort, seed):
    members = Members(program_of(make_cohort(participants=14, procedures=5, seed=seed % 50)))
    subset = random_split(members, np.random.default_rng(seed))
    present = np.stack([members.present[subset == s].sum(axis=0) for s in range(3)])
    sums, worst, absent = members.cost(members.weighted.deviations(subset), present)
    whole = float(members.total(sums.sum(), worst.max(), absent.sum())) / members.terms / 2**26
    assert whole == pytest.approx(members.program.objective(members.counts(subset)), abs=1e-5)


@pytest.mark.slow
@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_a_polish_ends_where_no_move_or_exchange_of_its_window_is_better(make_cohort, seed):
    rng = np.random.default_rng(seed)
    members = Members(program_of(make_cohort(participants=12, procedures=4, seed=seed % 50)))
    before = random_split(members, rng)
    window = np.sort(rng.choice(members.free, len(members.free) // 2, replace=False))
    after, _ = polish(members, before, window)
    outside = np.setdiff1d(np.arange(len(before)), window)
    assert (after[outside] == before[outside]).all()

    def objective(subset):
        return members.program.objective(members.counts(subset)) if len(set(subset)) == 3 else np.inf

    reached = objective(after)
    assert reached <= objective(before)
    for i in window:
        for s in range(3):
            moved = after.copy()
            moved[i] = s
            assert objective(moved) >= reached - 1e-6
        for j in window:
            exchanged = after.copy()
            exchanged[[i, j]] = after[[j, i]]
            assert objective(exchanged) >= reached - 1e-6


def walked_plainly(squares, before, window, steps, draws):
    """Where a walk goes when all squares are added up anew for every move: the best, at first sight the first, and not a move back."""
    tenures = SHORTEST + draws.below(LONGEST - SHORTEST, 2 * steps)
    now, until = before.copy(), {}
    start = best = (squares.deviations(now) ** 2).sum()
    found = now.copy()
    for step in range(steps):

        def value(*moves, now=now, step=step):
            after = now.copy()
            for member, to in moves:
                after[member] = to
            is_held = any(until.get(move, 0) > step for move in moves)
            return np.inf if is_held or not set(now) <= set(after) else (squares.deviations(after) ** 2).sum()

        alone = [((i, s),) for i in window for s in range(len(squares.value)) if s != now[i]]
        pairs = [((i, now[j]), (j, now[i])) for i, j in itertools.combinations(window, 2) if now[i] != now[j]]
        chosen = min([*alone, *pairs], key=lambda moves: value(*moves), default=())
        if not chosen or value(*chosen) == np.inf:
            break
        reached = value(*chosen)
        for (member, to), tenure in zip(chosen, tenures[2 * step :], strict=False):
            until[member, now[member]] = step + tenure
            now[member] = to
        if reached < best:
            best, found = reached, now.copy()
    assert best <= start
    return found, now


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 9), st.integers(1, 25))
@settings(max_examples=25)
def test_a_walk_goes_where_it_would_go_if_all_squares_were_added_up_anew(seed, subsets, people, steps):
    rng = np.random.default_rng(seed)
    scale = rng.integers(1, 3, (subsets, 1, 2))
    value = rng.integers(0, 4, (1, people, 2)) * scale  # small, so that many moves are equally good
    squares = Scaled(value.astype(float), np.rint(value.sum(axis=1) / subsets))
    before = rng.integers(0, subsets, people)
    window = np.sort(rng.choice(people, rng.integers(1, people + 1), replace=False))
    expected = walked_plainly(squares, before, window, steps, Draws(seed))
    assert [list(one) for one in tabu(squares, before, window, steps, Draws(seed))] == [list(one) for one in expected]


@given(st.integers(0, 10**6), st.integers(1, 60))
@settings(max_examples=15)
def test_a_walk_knows_its_squares_and_empties_no_subset(make_cohort, seed, steps):
    rng = np.random.default_rng(seed)
    members = Members(program_of(make_cohort(participants=12, procedures=4, seed=seed % 50)))
    before = random_split(members, rng)
    window = np.sort(rng.choice(members.free, max(3, len(members.free) * 2 // 3), replace=False))
    found, ended = tabu(members.rooted, before, window, steps, Draws(seed))

    def squares(subset):
        return (members.rooted.deviations(subset) ** 2).sum()

    outside = np.setdiff1d(np.arange(len(before)), window)
    for after in (found, ended):
        assert (after[outside] == before[outside]).all()
        assert set(after) == {0, 1, 2}
    assert squares(found) <= min(squares(before), squares(ended))
    if steps == 1:
        best = squares(before)
        for i in window:
            for j in window:
                exchanged = before.copy()
                exchanged[[i, j]] = before[[j, i]]
                best = min(best, squares(exchanged))
        assert squares(found) <= best


@pytest.mark.slow
def test_repetitions_are_other_splits_as_good_as_a_short_search():
    one = program_of(study(40, 160, 4))
    found = [drawn(one, 0, repeat) for repeat in (1, 2)]
    assert (found[0] != found[1]).any()
    short = solve(one, Effort(0.0, 0.5))
    assert short.status == WORK_LIMIT
    assert all(one.objective(counts) < 3 * short.objective for counts in found)


def test_of_two_counts_that_are_equally_near_the_smaller_is_aimed_at():
    reach = Reach((0, 0), 0b10001)
    assert [reach.nearest(0, target) for target in (1.9, 2, 2.1)] == [0, 0, 4]
