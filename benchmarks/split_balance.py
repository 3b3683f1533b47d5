"""How balanced a split is, and how long it takes: ours, the best of many random draws, and scikit-learn's StratifiedGroupKFold.

    python benchmarks/split_balance.py [--draws 20000]

The study is drawn from a seed: 70 participants with 326 recordings, like a task of LASANA: GRS, five errors between 8 % and
33 %, every twentieth recording only for training. A second one has 5,000 participants. Every method is judged by the same
numbers: per subset and measure the deviation from its share relative to that share (for the mean of the GRS in standard
deviations), and, as our objective has it, relative to at least one recording.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold

from scrubin.splits.cohort import Cohort, cohort
from scrubin.splits.columns import column
from scrubin.splits.search.best_split import Effort, solve
from scrubin.splits.search.groups import groups
from scrubin.splits.search.program import Program

SHARES = {"train": 0.75, "val": 0.10, "test": 0.15}
ERRORS = {"dropped": 0.33, "imprecise": 0.24, "incomplete": 0.15, "damaged": 0.10, "perforated": 0.08}


def study(participants: int, recordings: int, seed: int) -> Cohort:
    """Return a study in which skill differs between participants and errors follow from it."""
    rng = np.random.default_rng(seed)
    who = np.concatenate([np.arange(participants), rng.integers(0, participants, recordings - participants)])
    grs = rng.normal(0, 0.8, participants)[who] + rng.normal(0, 0.5, recordings)
    people = pd.DataFrame({"id": [f"r{i:06d}" for i in range(recordings)], "task": "Knot", "participant": [f"p{i}" for i in who]})
    people["pinned"] = np.arange(recordings) % 20 == 0
    errors = {name: rng.random(recordings) < rate * np.exp(-0.5 * grs) for name, rate in ERRORS.items()}
    return cohort(people, [column("GRS", pd.Series(grs)), *(column(name, pd.Series(marks)) for name, marks in errors.items())])


def judged(program: Program, counts: np.ndarray) -> tuple[float, float, float, float]:
    """Return mean and worst of the plain relative deviation, then of the project's imbalance."""
    deviation = np.abs(program.sums(counts) - program.targets)
    plain = deviation / np.array([[share * measure.unit for share in program.shares] for measure in program.measures])
    ours = program.imbalances(counts)
    return plain.mean(), plain.max(), ours.mean(), ours.max()


def random_best(program: Program, draws: int, seed: int) -> np.ndarray:
    """Return the best of many draws by the mean of the plain deviation; participants with a fixed place keep it."""
    rng = np.random.default_rng(seed)
    sizes, shares = program.sizes, np.array(program.shares)
    pinned = np.array([group.place is not None for group in program.groups])
    # What the pinned ones fill of the training share is taken from it, as a fair draw does.
    rest = shares * sizes.sum() - np.array([sizes[pinned].sum(), 0, 0])
    unit = np.array([[share * measure.unit for share in program.shares] for measure in program.measures])
    best, found = np.inf, None
    for _ in range(draws):
        counts = np.array([rng.multinomial(n, rest / rest.sum()) for n in sizes])
        counts[pinned] = np.array([[n, 0, 0] for n in sizes[pinned]])
        sums = program.values.T @ counts
        value = (np.abs(sums - program.targets) / unit).mean()
        if value < best:
            best, found = value, counts
    assert found is not None
    return found


def stratified(program: Program, people: Cohort) -> np.ndarray:
    """Return the best of ten of scikit-learn's splits into twenty folds: 2 validate, 3 test, 15 train; pins are moved to training."""
    frame = people.people
    label = np.digitize(people.column("GRS").values.to_numpy(dtype=float), np.quantile(people.column("GRS").values, [1 / 3, 2 / 3]))
    group_of = {id_: i for i, group in enumerate(program.groups) for member in group.members for id_ in member}
    best, found = np.inf, None
    for seed in range(10):
        fold = np.zeros(len(frame), dtype=int)
        splitter = StratifiedGroupKFold(20, shuffle=True, random_state=seed)
        for k, (_, test) in enumerate(splitter.split(frame, label, frame.participant)):
            fold[test] = k
        counts = np.zeros((len(program.groups), 3), dtype=np.int64)
        for id_, k in zip(frame.id, fold, strict=True):
            i = group_of[id_]
            counts[i] = 0
            counts[i, 0 if program.groups[i].place == 0 or k >= 5 else 1 if k < 2 else 2] = 1
        value = judged(program, counts)[0]
        if value < best:
            best, found = value, counts
    assert found is not None
    return found


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--nodes", type=int, default=10_000)
    given = parser.parse_args()
    head = f"{'':34}{'plain: mean':>12}{'worst':>8}{'ours: mean':>12}{'worst':>8}{'gap':>9}{'s':>8}"
    for participants, recordings, seed in ((70, 326, 1), (70, 326, 2), (70, 326, 3), (5000, 12_000, 1)):
        people = study(participants, recordings, seed)
        places = dict.fromkeys(people.people.participant[people.people.pinned], 0)
        measures = people.measures()
        program = Program(groups(people.people, measures, places, 0), measures, tuple(SHARES.values()), 0)
        print(f"{participants} participants, {recordings} recordings, {len(places)} only for training, {len(measures)} measures\n{head}")
        begin = time.perf_counter()
        found = solve(program, Effort(0.0005, given.nodes, 60))
        gap = f"{found.objective - found.bound:.2%}"
        _row(f"balanced ({found.status})", judged(program, found.counts), gap, time.perf_counter() - begin)
        if participants > 1000:
            continue
        least = program.unavoidable * program.scales / np.array([[share * one.unit for share in SHARES.values()] for one in measures])
        _row("no split has less", (least.mean(), least.max(), program.unavoidable.mean(), program.unavoidable.max()), "", 0.0)
        if any(n > 1 for n in program.sizes):
            sys.exit("some participants are alike: the other methods here expect none")
        begin = time.perf_counter()
        _row(f"best of {given.draws} random draws", judged(program, random_best(program, given.draws, 0)), "", time.perf_counter() - begin)
        begin = time.perf_counter()
        _row("StratifiedGroupKFold, best of 10", judged(program, stratified(program, people)), "", time.perf_counter() - begin)


def _row(name: str, values: tuple[float, float, float, float], gap: str, seconds: float) -> None:
    plain_mean, plain_worst, mean, worst = values
    print(f"{name:34}{plain_mean:>12.1%}{plain_worst:>8.1%}{mean:>12.1%}{worst:>8.1%}{gap:>9}{seconds:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
