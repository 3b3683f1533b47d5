"""Small studies for the tests of splits."""

import numpy as np
import pandas as pd
import pytest

from scrubin.splits.params import SplitsParams

SKILL = ["id", "task", "GRS", "n_ratings", "disagreement", "strong_disagreement"]


@pytest.fixture(scope="session")
def make_split_params():
    def make(**changes):
        values = {"subsets": {"train": 0.75, "val": 0.10, "test": 0.15}, "seed": 0, "gap": 0.0, "node_limit": 300, "time_limit_s": 300.0}
        return SplitsParams(**{**values, **changes})

    return make


@pytest.fixture(scope="session")
def make_study():
    """A study drawn from a seed: people, skill, errors.

    Each of ``participants`` has one to three recordings in each of ``tasks``; ``procedures`` are patients
    with one recording and no scores.
    """

    def make(participants=12, procedures=6, tasks=("Knot", "Peg"), strong=1, seed=0):
        rng = np.random.default_rng(seed)
        people, skill, errors = [], [], []
        for i in range(participants):
            talent = rng.normal()
            for task in tasks:
                for _ in range(rng.integers(1, 4)):
                    id_ = f"rec{len(people):03d}"
                    people.append((id_, task, f"person {i}"))
                    skill.append((id_, task, talent + rng.normal() / 2, 3, 0.1, False))
                    errors += [(id_, task, name, bool(rng.random() < rate)) for name, rate in (("dropped", 0.4), ("torn", 0.1))]
        people += [(f"rec{len(people) + i:03d}", "Surgery", f"patient {i}") for i in range(procedures)]
        skill_frame = pd.DataFrame(skill, columns=SKILL).astype({"strong_disagreement": bool, "GRS": float})
        if strong:
            skill_frame.loc[rng.choice(len(skill_frame), strong, replace=False), "strong_disagreement"] = True
        return (
            pd.DataFrame(people, columns=["id", "task", "participant"]),
            skill_frame,
            pd.DataFrame(errors, columns=["id", "task", "error", "occurred"]).astype({"occurred": bool}),
        )

    return make
