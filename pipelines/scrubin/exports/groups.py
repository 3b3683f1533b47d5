"""Groups of recordings: those that are in the same subset of every fold of every scheme.

Files hold one group each, and a subset is a list of files: pictures are written once, however many schemes there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from scrubin.core.errors import ReleaseError

ALL, EVERYTHING = "all", "full"
"""Where all recordings are, and its only subset."""


@dataclass(frozen=True, order=True)
class Subset:
    """One subset of one fold of a scheme."""

    scheme: str
    fold: int
    name: str


@dataclass(frozen=True)
class Group:
    """Recordings that are in the same subsets.

    Parameters
    ----------
    name
        Of its files, such as ``group-003``.
    ids
        Its recordings, sorted.
    subsets
        Where they are.
    """

    name: str
    ids: tuple[str, ...]
    subsets: frozenset[Subset]


def groups(ids: Sequence[str], splits: pd.DataFrame) -> list[Group]:
    """Return the groups of all recordings, numbered in the order of their first recording."""
    of_id: dict[str, set[Subset]] = {id_: set() for id_ in sorted(ids)}
    for scheme, fold, subset, id_ in zip(splits["scheme"], splits["fold"], splits["subset"], splits["id"], strict=True):
        if id_ in of_id:
            of_id[id_].add(Subset(str(scheme), int(fold), str(subset)))
    together: dict[frozenset[Subset], list[str]] = {}
    for id_, subsets in of_id.items():
        together.setdefault(frozenset(subsets), []).append(id_)
    return [Group(f"group-{number:03d}", tuple(own), subsets) for number, (subsets, own) in enumerate(together.items())]


def folds(every: Sequence[Group]) -> Mapping[str, Mapping[str, list[Group]]]:
    """Return the groups of each subset, by fold: ``balanced``, or ``five_folds_2`` where a scheme has several folds; ``all`` is everything.

    Raises
    ------
    ReleaseError
        When two folds would have the same name.
    """
    subsets = sorted({subset for group in every for subset in group.subsets})
    numbers: dict[str, set[int]] = {}
    for subset in subsets:
        numbers.setdefault(subset.scheme, set()).add(subset.fold)
    named: dict[str, dict[str, list[Group]]] = {}
    owners: dict[str, tuple[str, int]] = {}
    for subset in subsets:
        name = f"{subset.scheme}_{subset.fold}" if len(numbers[subset.scheme]) > 1 else subset.scheme
        if owners.setdefault(name, (subset.scheme, subset.fold)) != (subset.scheme, subset.fold) or name == ALL:
            msg = f"two splits of the release would be called '{name}' in the export; rename one of them"
            raise ReleaseError(msg)
        named.setdefault(name, {})[subset.name] = [group for group in every if subset in group.subsets]
    return named | {ALL: {EVERYTHING: list(every)}}
