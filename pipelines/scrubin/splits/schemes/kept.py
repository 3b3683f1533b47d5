"""A split as it was released, after somebody withdrew: nobody else moves, and who is new is placed beside the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scrubin.splits.cohort import Cohort
from scrubin.splits.params import BalancedParams, DifficultyFoldsParams, KFoldParams, SchemeParams
from scrubin.splits.schemes.folding import shares
from scrubin.splits.split import COLUMNS, Split, rows_of

Places = tuple[tuple[int, str], ...]
"""Fold and subset of somebody, for every fold."""


def unchanged(said: Mapping[str, Any], section: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the released rows (fold, subset, id) of each split whose scheme is still described in the same way.

    Parameters
    ----------
    said
        What was kept of the release, see `scrubin.withdrawal.kept.placed`; empty when nobody withdrew.
    section
        The section ``splits`` of ``params.yaml``.
    """
    if not said or said["seed"] != section["seed"]:
        return {}
    same = {name for name, scheme in section["schemes"].items() if said["schemes"].get(name) == scheme}
    return {part: pd.DataFrame(rows, columns=COLUMNS) for part, rows in said["places"].items() if part.partition(".")[0] in same}


def kept(cohort: Cohort, released: pd.DataFrame, p: SchemeParams) -> Split:
    """Return the released split of the recordings that are still there.

    A new recording joins the others of its participant. A new participant goes where the fewest recordings are, which is no
    balance: a `balanced` split is extended instead. A fold that tests nobody any more is left out.

    Parameters
    ----------
    cohort
        The recordings that are there.
    released
        Rows fold, subset, id.
    p
        The scheme, which has not changed since.
    """
    share_of = _shares(p)
    names = tuple(share_of) if share_of else ("train", "test")
    rows = [(int(fold), str(subset), str(id_)) for fold, subset, id_ in released[released.id.isin(cohort.people.id)].to_numpy().tolist()]
    rows += _joining(cohort, rows)
    notes = ["nobody was moved, because somebody withdrew since the last release: it is not searched for a better one"]
    folds = sorted({fold for fold, _, _ in rows})
    untested = [fold for fold in folds if not any(row[:2] == (fold, names[-1]) for row in rows)] if len(folds) > 1 else []
    if untested:
        notes.append(f"folds {', '.join(map(str, untested))} are left out: whoever they tested withdrew")
    return Split(rows_of([row for row in rows if row[0] not in untested]), names, notes=tuple(notes), shares=share_of)


def can_be_extended(cohort: Cohort, released: pd.DataFrame, p: BalancedParams) -> bool:
    """Whether new recordings can be balanced: there are some, and somebody is left in every subset."""
    there = released[released.id.isin(cohort.people.id)]
    return len(there) < len(cohort.people) and set(p.subsets) <= set(there.subset)


def _shares(p: SchemeParams) -> dict[str, float] | None:
    if isinstance(p, BalancedParams):
        return dict(p.subsets)
    if isinstance(p, KFoldParams | DifficultyFoldsParams):
        return shares(p.folds, validation=p.validation)
    return None


def _joining(cohort: Cohort, rows: Sequence[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Return rows of the recordings that are new, in the order of their ids."""
    participant_of = dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    places: dict[str, list[tuple[int, str]]] = {}
    for fold, subset, id_ in sorted(rows):
        places.setdefault(id_, []).append((fold, subset))
    theirs = {participant_of[id_]: tuple(of) for id_, of in sorted(places.items(), reverse=True)}
    count = Counter(tuple(of) for of in places.values())
    added = []
    for id_ in sorted(set(participant_of) - set(places)):
        mine: Places = theirs.setdefault(participant_of[id_], min(count, key=lambda one: (count[one], one), default=()))
        count[mine] += 1
        added += [(fold, subset, id_) for fold, subset in mine]
    return added
