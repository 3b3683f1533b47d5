"""A split as a scheme makes it: who is in which subset, and what is proven about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from scrubin.splits.search.best_split import Solution
from scrubin.splits.search.obstacles import Obstacle

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
    """

    rows: pd.DataFrame
    subsets: tuple[str, ...]
    proofs: tuple[Proof, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    notes: tuple[str, ...] = ()
    shares: Mapping[str, float] | None = None


def proof(solution: Solution) -> Proof:
    """Return the proof of a search."""
    return Proof(solution.objective, solution.bound, solution.status)


def rows_of(places: Sequence[tuple[int, str, str]]) -> pd.DataFrame:
    """Return rows (fold, subset, id), sorted by fold and id."""
    return pd.DataFrame(places, columns=COLUMNS).astype({"subset": "str", "id": "str"}).sort_values(["fold", "id"], ignore_index=True)
