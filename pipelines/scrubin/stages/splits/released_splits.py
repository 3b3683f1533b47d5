"""A split as it was released: nobody who is placed is moved, who is new is placed beside the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scrubin.base.errors import SplitError
from scrubin.stages.splits.cohort import Cohort
from scrubin.stages.splits.schemes import shares
from scrubin.stages.splits.split import COLUMNS, Split, rows_of
from scrubin.stages.splits.split_params import BalancedParams, DifficultyFoldsParams, KFoldParams, SchemeParams


@dataclass(frozen=True)
class Extension:
    """What of a cohort is placed already, and what is left to place.

    Parameters
    ----------
    cohort
        The recordings to be in the new split.
    placed
        Subset by participant.
    gone
        Recordings of the released split that are not in the cohort.
    left_out
        New recordings that may only be trained on, of participants who are tested: they can be in no subset.
    """

    cohort: Cohort
    placed: Mapping[str, str]
    gone: tuple[str, ...]
    left_out: tuple[str, ...]

    def notes(self) -> tuple[str, ...]:
        """Return what the curator should know."""
        lines = []
        if self.gone:
            lines.append(f"{len(self.gone)} recordings of the released split are not there any more: {', '.join(self.gone[:20])}")
        if self.left_out:
            lines.append(
                f"{len(self.left_out)} new recordings are in no subset, because they must be trained on but their participant is tested: "
                f"{', '.join(self.left_out[:20])}"
            )
        return tuple(lines)


def extension(cohort: Cohort, released: pd.DataFrame, subsets: Sequence[str]) -> Extension:
    """Return how a released split places the participants of a cohort.

    A recording that was released in a subset stays there, also when raters turn out to disagree on it.

    Parameters
    ----------
    cohort
        All recordings, old and new.
    released
        The released split: id, subset.
    subsets
        Names of the subsets, the one for training first.

    Raises
    ------
    SplitError
        When the released split has another subset, a recording twice, or a participant in two subsets.
    """
    unknown = sorted(set(released.subset) - set(subsets))
    if unknown:
        raise SplitError(f"the released split has a subset '{unknown[0]}', but the subsets are {', '.join(subsets)}; name the same ones")
    twice = released.id[released.id.duplicated()]
    if len(twice):
        raise SplitError(f"the released split has recording '{twice.iloc[0]}' twice; remove one of the rows")
    subset_of = dict(zip(released.id, released.subset, strict=True))
    old = cohort.people.assign(subset=cohort.people.id.map(subset_of)).dropna(subset="subset")
    for _, rows in old.groupby("participant"):
        if len(set(rows.subset)) > 1:
            two = rows.drop_duplicates("subset")
            where = " and ".join(f"'{id_}' in {subset}" for id_, subset in zip(two.id[:2], two.subset[:2], strict=True))
            raise SplitError(f"the released split has one participant in two subsets: {where}; it leaks, and cannot be extended")
    placed = dict(zip(old.participant, old.subset, strict=True))
    tested = cohort.people.participant.map(placed).notna() & (cohort.people.participant.map(placed) != subsets[0])
    new = ~cohort.people.id.isin(subset_of)
    left = cohort.people.pinned & new & tested
    # Whoever is placed stays: a released recording pins nobody any more.
    kept = cohort.only((~left).to_numpy())
    people = kept.people.assign(pinned=kept.people.pinned & ~kept.people.participant.isin(placed))
    gone = tuple(sorted(set(subset_of) - set(cohort.people.id)))
    return Extension(Cohort(people, kept.columns), placed, gone, tuple(cohort.people.id[left]))


Places = tuple[tuple[int, str], ...]
"""Fold and subset of somebody, for every fold."""


def unchanged(said: Mapping[str, Any], section: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the released rows (fold, subset, id) of each split whose scheme is still described in the same way.

    Parameters
    ----------
    said
        What was kept of the release, see `scrubin.stages.withdrawals.notice.placed`; empty when nobody withdrew.
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
    balance: a `balanced` split is extended instead, unless it is left with more empty subsets than new participants, who
    then go into these. A fold that tests nobody any more is left out.

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
    rows += _joining(cohort, rows, names if isinstance(p, BalancedParams) else ())
    notes = ["nobody was moved, because somebody withdrew since the last release: it is not searched for a better one"]
    folds = sorted({fold for fold, _, _ in rows})
    untested = [fold for fold in folds if not any(row[:2] == (fold, names[-1]) for row in rows)] if len(folds) > 1 else []
    if untested:
        notes.append(f"folds {', '.join(map(str, untested))} are left out: whoever they tested withdrew")
    return Split(rows_of([row for row in rows if row[0] not in untested]), names, notes=tuple(notes), shares=share_of)


def can_be_extended(cohort: Cohort, released: pd.DataFrame, p: BalancedParams) -> bool:
    """Whether new recordings can be balanced: there are some, with enough new participants for every subset that is empty."""
    there = released[released.id.isin(cohort.people.id)]
    known = cohort.people.participant[cohort.people.id.isin(there.id)]
    new = cohort.people[~cohort.people.participant.isin(known)]
    pinned = set(new.participant[new.pinned])
    empty = set(p.subsets) - set(there.subset) - ({next(iter(p.subsets))} if pinned else set())
    return len(there) < len(cohort.people) and len(empty) <= len(set(new.participant) - pinned)


def _shares(p: SchemeParams) -> dict[str, float] | None:
    if isinstance(p, BalancedParams):
        return dict(p.subsets)
    if isinstance(p, KFoldParams | DifficultyFoldsParams):
        return shares(p.folds, validation=p.validation)
    return None


def _joining(cohort: Cohort, rows: Sequence[tuple[int, str, str]], subsets: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return rows of the recordings that are new, in the order of their ids.

    Parameters
    ----------
    cohort, rows
        The recordings, and where those are that were released.
    subsets
        Of a scheme without folds, the one for training first: also where nobody is left, somebody new may go.
    """
    participant_of = dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    places: dict[str, list[tuple[int, str]]] = {}
    for fold, subset, id_ in sorted(rows):
        places.setdefault(id_, []).append((fold, subset))
    theirs = {participant_of[id_]: tuple(of) for id_, of in sorted(places.items(), reverse=True)}
    alone: list[Places] = [((0, subset),) for subset in subsets]
    count = Counter({**dict.fromkeys(alone, 0), **Counter(tuple(of) for of in places.values())})
    if alone:
        theirs = {**dict.fromkeys(cohort.people.participant[cohort.people.pinned], alone[0]), **theirs}
    added = []
    for id_ in sorted(set(participant_of) - set(places)):
        mine: Places = theirs.setdefault(participant_of[id_], min(count, key=lambda one: (count[one], one), default=()))
        count[mine] += 1
        added += [(fold, subset, id_) for fold, subset in mine]
    return added
