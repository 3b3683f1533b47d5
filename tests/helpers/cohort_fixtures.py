"""Small studies for the tests of splits."""

import itertools

import numpy as np
import pandas as pd
import pytest

from scrubin.stages.splits.cohort import Column, cohort, groups
from scrubin.stages.splits.program import Program

THREE = {"train": 0.75, "val": 0.10, "test": 0.15}


@pytest.fixture(scope="session")
def make_cohort():
    """A cohort drawn from a seed.

    Each of ``participants`` has one to three recordings in each of ``tasks``, with GRS, two errors and a
    duration; ``procedures`` are patients with one recording and no scores; ``strong`` recordings are pinned.
    """

    def make(participants=12, procedures=6, tasks=("Knot", "Peg"), strong=1, seed=0):
        rng = np.random.default_rng(seed)
        rows = []
        for i in range(participants):
            talent = rng.normal()
            for task in tasks:
                for _ in range(rng.integers(1, 4)):
                    grs = talent + rng.normal() / 2
                    marks = [bool(rng.random() < 0.4), bool(rng.random() < 0.1)]
                    rows.append((f"rec{len(rows):03d}", task, f"person {i}", grs, *marks, 100 - 20 * grs + rng.normal()))
        rows += [(f"rec{len(rows) + i:03d}", "Surgery", f"patient {i}", np.nan, None, None, 500.0 + i) for i in range(procedures)]
        frame = pd.DataFrame(rows, columns=["id", "task", "participant", "GRS", "dropped", "torn", "duration"])
        frame["pinned"] = False
        if strong:
            frame.loc[rng.choice(len(frame) - procedures, strong, replace=False), "pinned"] = True
        return of_frame(frame)

    return make


def of_frame(frame):
    kinds = {"GRS": "number", "dropped": "flag", "torn": "flag", "duration": "number"}
    names = [name for name in kinds if name in frame.columns]
    columns = [Column(name, kinds[name], frame[name]) for name in names]
    return cohort(frame[["id", "task", "participant", "pinned"]], columns)


def frame_of(made_cohort):
    """The table that a cohort was made of."""
    return made_cohort.people.assign(**{column.name: column.values for column in made_cohort.columns})


def program_of(made_cohort, shares=THREE):
    """The program of which the best split is searched."""
    places = dict.fromkeys(made_cohort.people.participant[made_cohort.people.pinned], 0)
    return Program(groups(made_cohort.people, made_cohort.measures(), places, 0), made_cohort.measures(), tuple(shares.values()), 0)


def all_splits(one, k):
    """The counts of every split of a program into subsets of which none is empty."""
    assert all(len(group.members) == 1 for group in one.groups)
    for choice in itertools.product(range(k), repeat=len(one.groups)):
        if all(group.place in (None, s) for group, s in zip(one.groups, choice, strict=True)) and len(set(choice)) == k:
            yield np.eye(k, dtype=np.int64)[list(choice)]


@pytest.fixture(scope="session")
def reordered():
    """The same cohort from rows in another order, with renamed participants."""

    def reorder(made_cohort, random):
        frame = frame_of(made_cohort)
        names = sorted(set(frame.participant))
        renamed = frame.assign(participant=frame.participant.map(dict(zip(names, reversed(names), strict=True))))
        return of_frame(renamed.iloc[random.sample(range(len(renamed)), len(renamed))].reset_index(drop=True))

    return reorder
