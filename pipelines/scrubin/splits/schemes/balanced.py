"""``balanced``: participants whole, subsets alike, strong disagreement only in training.

Source: LASANA, section LASANA benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scrubin.core.errors import SplitError
from scrubin.splits.cohort import Cohort
from scrubin.splits.search.best_split import Effort, Progress, solve
from scrubin.splits.search.groups import Group, groups
from scrubin.splits.search.obstacles import obstacles
from scrubin.splits.search.program import Counts, Program
from scrubin.splits.split import Split, proof, rows_of


def balanced(
    cohort: Cohort,
    subsets: Mapping[str, float],
    seed: int,
    effort: Effort,
    placed: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Split:
    """Return the balanced split of a cohort: everything in its columns is balanced.

    Parameters
    ----------
    cohort
        The recordings; participants with a pinned one are in the first subset.
    subsets
        Share by name; the first is the one for training.
    seed
        Decides between equally good splits.
    effort
        How long to search.
    placed
        Subset by participant, for those who have one already.

    Raises
    ------
    SplitError
        When there is no such split: too few participants, or too many with a fixed place.
    """
    names = list(subsets)
    pinned = dict.fromkeys(cohort.people.participant[cohort.people.pinned], 0)
    place_of = {**pinned, **{who: names.index(subset) for who, subset in (placed or {}).items()}}
    people_groups = groups(cohort.people, cohort.measures(), place_of, seed)
    check_possible(people_groups, names)
    program = Program(people_groups, cohort.measures(), tuple(subsets.values()), seed)
    solution = solve(program, effort, progress)
    rows = [(0, names[s], id_) for s, ids in enumerate(deal(people_groups, solution.counts)) for id_ in ids]
    participant_of = dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    return Split(rows_of(rows), tuple(names), (proof(solution),), obstacles(program, names, participant_of), shares=dict(subsets))


def deal(people_groups: list[Group], counts: Counts) -> list[list[str]]:
    """Return the recordings of each subset, given how many members of each group go there."""
    dealt: list[list[str]] = [[] for _ in range(counts.shape[1])]
    for group, row in zip(people_groups, counts, strict=True):
        for member, s in zip(group.members, np.repeat(np.arange(len(row)), row), strict=True):
            dealt[s] += member
    return dealt


def check_possible(people_groups: list[Group], subsets: list[str]) -> None:
    """Refuse more subsets than participants can fill.

    Raises
    ------
    SplitError
        Names the numbers.
    """
    everyone = sum(len(group.members) for group in people_groups)
    free = sum(len(group.members) for group in people_groups if group.place is None)
    if everyone < len(subsets):
        msg = (
            f"{everyone} participants cannot fill {len(subsets)} subsets ({', '.join(subsets)}), because each stays whole; "
            "release more recordings or name fewer subsets"
        )
        raise SplitError(msg)
    empty = [subset for s, subset in enumerate(subsets) if all(group.place != s for group in people_groups)]
    if free < len(empty):
        msg = (
            f"{everyone - free} of {everyone} participants have a fixed place: in '{subsets[0]}', because raters strongly disagree on one "
            f"of their recordings, or where they were released; {free} are not enough for {', '.join(empty)}; "
            "raise 'scores.strong_percentile', or name fewer subsets"
        )
        raise SplitError(msg)
