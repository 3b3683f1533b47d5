"""The scheme ``balanced``: participants whole, subsets alike, strong disagreement only in training.

Source: LASANA, section LASANA benchmark. The split is joint: a participant is in the same
subset in every task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scrubin.errors import SplitError
from scrubin.splits.groups import Group, groups
from scrubin.splits.measures import Floats, Measure, measures
from scrubin.splits.params import SplitsParams
from scrubin.splits.program import Solution, imbalances, solve

SCHEME = "balanced"


@dataclass(frozen=True)
class Balanced:
    """A balanced split and how it was reached.

    Parameters
    ----------
    splits
        Rows of the table ``splits``: scheme, fold, subset, id; sorted by id.
    measures
        What was balanced.
    imbalances
        Imbalance per measure and subset.
    solution
        What is proven about it.
    pinned
        Number of participants who are in the first subset because of strong disagreement.
    """

    splits: pd.DataFrame
    measures: tuple[Measure, ...]
    imbalances: Floats
    solution: Solution
    pinned: int


def split(people: pd.DataFrame, skill: pd.DataFrame, errors: pd.DataFrame, p: SplitsParams) -> Balanced:
    """Return the balanced split of all released recordings.

    Parameters
    ----------
    people
        One row per recording: id, task, participant.
    skill, errors
        The tables of these names.

    Raises
    ------
    SplitError
        When there is no such split: too few participants, or too many of them must be in the
        first subset; or when the search did not end.
    """
    ordered = people.sort_values("id", ignore_index=True)
    if ordered.empty:
        msg = "no recording is released: there is nothing to split"
        raise SplitError(msg)
    balanced = measures(ordered, skill, errors)
    found = groups(ordered, balanced, skill.id[skill.strong_disagreement].tolist(), p.seed)
    _check_possible(found, list(p.subsets))
    solution = solve(found, balanced, p)
    shares = list(p.subsets.values())
    pinned = sum(len(group.members) for group in found if group.pinned)
    rows = _deal(found, solution, list(p.subsets))
    return Balanced(rows, tuple(balanced), imbalances(solution.counts, found, balanced, shares), solution, pinned)


def _check_possible(found: Sequence[Group], subsets: Sequence[str]) -> None:
    everyone = sum(len(group.members) for group in found)
    free = sum(len(group.members) for group in found if not group.pinned)
    if everyone < len(subsets):
        msg = (
            f"{everyone} participants cannot fill {len(subsets)} subsets ({', '.join(subsets)}), because each stays whole; "
            "release more recordings or name fewer 'splits.subsets'"
        )
        raise SplitError(msg)
    if free < len(subsets) - 1:
        msg = (
            f"{everyone - free} of {everyone} participants must be in '{subsets[0]}' because raters strongly disagree on one of their "
            f"recordings, and {free} are not enough for {', '.join(subsets[1:])}; "
            "raise 'scores.strong_percentile' or name fewer 'splits.subsets'"
        )
        raise SplitError(msg)


def _deal(found: Sequence[Group], solution: Solution, subsets: Sequence[str]) -> pd.DataFrame:
    rows = []
    for group, counts in zip(found, solution.counts, strict=True):
        dealt = np.repeat(subsets, counts)
        rows += [(SCHEME, 0, str(subset), id_) for subset, member in zip(dealt, group.members, strict=True) for id_ in member]
    frame = pd.DataFrame(rows, columns=["scheme", "fold", "subset", "id"])
    return frame.sort_values("id", ignore_index=True)
