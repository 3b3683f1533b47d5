"""A split as a scheme makes it: who is in which subset, what is proven about it, what stands in the way of a better one.

Each obstacle is proven for one measure and subset alone: whatever else is given up, no choice of
whole participants comes nearer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scrubin.stages.splits.best_split import Solution
from scrubin.stages.splits.program import Program

MATTERS = 0.05
"""An obstacle is told when it costs at least so much imbalance beyond what whole counts cost anyway."""
NAMED = 5
"""So many participants are named."""


@dataclass(frozen=True)
class Obstacle:
    """Something that no split can balance.

    Parameters
    ----------
    task, measure, subset
        What, and where.
    wanted, nearest
        The count that would be balanced, and the nearest one that whole participants reach.
    fixed
        How much of the measure belongs to participants with a fixed place.
    total
        How much of the measure there is.
    largest
        Those who have most of it: participant and count, at most ``NAMED``.
    """

    task: str
    measure: str
    subset: str
    wanted: float
    nearest: float
    fixed: float
    total: float
    largest: tuple[tuple[str, float], ...]

    def sentence(self, *, named: bool) -> str:
        """Return what is in the way; participants by name only when asked for."""
        what = f"{self.measure} in {self.subset}" + (f" ({self.task})" if self.task else "")
        who = ", ".join(f"{f'{name} ' if named else ''}{value:g}" for name, value in self.largest)
        holds = f"; {self.fixed:g} of {self.total:g} belong to participants with a fixed place" if self.fixed else ""
        near = f"{self.wanted:.1f} wanted, {self.nearest:g} is the nearest that whole participants reach"
        return f"{what}: {near}; the largest have {who}{holds}"


def obstacles(program: Program, subsets: Sequence[str], participant_of: Mapping[str, str]) -> tuple[Obstacle, ...]:
    """Return every obstacle that matters, the worst first.

    Parameters
    ----------
    program
        What was solved.
    subsets
        Names of the subsets.
    participant_of
        Participant by recording id.
    """
    rounding = np.abs(np.rint(program.targets) - program.targets) / program.scales
    excess = np.where([[measure.whole] for measure in program.measures], program.unavoidable - rounding, 0.0)
    by_excess = [
        (float(excess[m, s]), _obstacle(program, m, s, subsets[s], participant_of)) for m, s in np.argwhere(excess >= MATTERS).tolist()
    ]
    return tuple(one for _, one in sorted(by_excess, key=lambda pair: (-pair[0], pair[1].task, pair[1].measure, pair[1].subset)))


def _obstacle(program: Program, m: int, s: int, subset: str, participant_of: Mapping[str, str]) -> Obstacle:
    measure = program.measures[m]
    values = [(participant_of[member[0]], float(group.values[m])) for group in program.groups for member in group.members]
    fixed = [group.values[m] * len(group.members) for group in program.groups if group.place is not None]
    largest = tuple(sorted(values, key=lambda pair: (-pair[1], pair[0]))[:NAMED])
    return Obstacle(
        measure.task, measure.name, subset, float(program.targets[m, s]), float(program.nearest[m, s]), float(np.sum(fixed)),
        measure.total, largest,
    )  # fmt: skip


COLUMNS = ["fold", "subset", "id"]


@dataclass(frozen=True)
class Proof:
    """What is proven about how well a split is balanced; numbers in imbalance.

    Parameters
    ----------
    objective
        Of this split; less is better.
    bound
        No split has a smaller one.
    status
        How the search ended, see ``Solution``; ``sampled`` for a repetition, which is drawn and improved but not searched for.
    """

    objective: float
    bound: float
    status: str

    @property
    def gap(self) -> float:
        """By how much a perfect split could at most be better."""
        return self.objective - self.bound


@dataclass(frozen=True)
class Split:
    """A split.

    Parameters
    ----------
    rows
        Columns fold, subset, id; sorted by fold and id.
    subsets
        Names of the subsets, the one for training first.
    proofs
        One per search: none for schemes that do not balance.
    obstacles
        What stands in the way of a balanced split, each proven for itself.
    notes
        What the curator should know.
    shares
        Share of each subset that was asked for; None when the scheme asks for none.
    doubts
        What may be a mistake of the list that it follows, and what to do: the curator must look at it.
    """

    rows: pd.DataFrame
    subsets: tuple[str, ...]
    proofs: tuple[Proof, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    notes: tuple[str, ...] = ()
    shares: Mapping[str, float] | None = None
    doubts: tuple[str, ...] = ()


def empty_subsets(split: Split, kind: str) -> Iterator[str]:
    """Yield the subsets that have nobody, as after a withdrawal or for want of videos of an official split, and what to do.

    Parameters
    ----------
    split
        The split.
    kind
        Of its scheme: who is new goes first where nobody is in one that is balanced, and an official one has its videos.
    """
    anew = "describe the scheme in another way: then it is made anew, and people move"
    fix = {
        "balanced": f"release more participants, who go there first unless raters strongly disagree on them, or {anew}",
        "official": "only further videos of this split can go there: release them and name them in its list, or leave the scheme out",
    }.get(kind, f"when it is needed, {anew}")
    everywhere = set(split.rows.fold)
    for subset in split.subsets:
        lacking = sorted(everywhere - set(split.rows.fold[split.rows.subset == subset]))
        if lacking:
            which = f"{'fold' if len(lacking) == 1 else 'folds'} {', '.join(map(str, lacking))}"
            where = f" in {len(lacking)} of {len(everywhere)} folds ({which})" if len(everywhere) > 1 else ""
            yield f"no recording is in {subset}{where}; {fix}"


def alone(splits: Iterable[pd.DataFrame], people: pd.DataFrame) -> tuple[int, int]:
    """Return of how many participants the subsets tell which recordings are theirs, and how many have several recordings.

    They are told of whoever has several recordings in the same subset of every fold, and nobody else has one there.

    Parameters
    ----------
    splits
        Rows fold, subset, id of every split that can be seen together.
    people
        One row per recording: id, participant.
    """
    ids, places = pd.Index(people.id), [np.zeros((len(people), 1), dtype=np.int64)]
    for rows in splits:
        (fold, names), (subset, _) = pd.factorize(rows.fold), pd.factorize(rows.subset)
        place = np.full((len(ids), len(names)), -1)
        place[ids.get_indexer(rows.id), fold] = subset
        places.append(place)
    _, which = np.unique(np.hstack(places), axis=0, return_inverse=True)
    owners = people.participant.groupby(which.ravel()).agg(["nunique", "size", "first"])
    several = people.participant.value_counts() > 1
    return int(owners["first"][(owners["nunique"] == 1) & (owners["size"] > 1)].nunique()), int(several.sum())


def alone_sentence(number: int, of: int, which: str) -> str:
    """Return what `alone` counted, in two half-sentences; ``which`` names the splits."""
    what = f"{which} which recordings are of one participant, for {number} of the {of} with several"
    why = "nobody else is in the same subset of every fold"
    return f"{what}: {why}; fewer repetitions, or more participants in each subset, tell less: think before you publish it"


def proof(solution: Solution) -> Proof:
    """Return the proof of a search."""
    return Proof(solution.objective, solution.bound, solution.status)


def rows_of(places: Sequence[tuple[int, str, str]]) -> pd.DataFrame:
    """Return rows (fold, subset, id), sorted by fold and id."""
    return pd.DataFrame(places, columns=COLUMNS).astype({"subset": "str", "id": "str"}).sort_values(["fold", "id"], ignore_index=True)
