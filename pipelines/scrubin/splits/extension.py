"""New recordings in a released split: nobody who is placed is moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from scrubin.core.errors import SplitError
from scrubin.splits.cohort import Cohort


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
        msg = f"the released split has a subset '{unknown[0]}', but the subsets are {', '.join(subsets)}; name the same ones"
        raise SplitError(msg)
    twice = released.id[released.id.duplicated()]
    if len(twice):
        msg = f"the released split has recording '{twice.iloc[0]}' twice; remove one of the rows"
        raise SplitError(msg)
    subset_of = dict(zip(released.id, released.subset, strict=True))
    old = cohort.people.assign(subset=cohort.people.id.map(subset_of)).dropna(subset="subset")
    for _, rows in old.groupby("participant"):
        if len(set(rows.subset)) > 1:
            two = rows.drop_duplicates("subset")
            where = " and ".join(f"'{id_}' in {subset}" for id_, subset in zip(two.id[:2], two.subset[:2], strict=True))
            msg = f"the released split has one participant in two subsets: {where}; it leaks, and cannot be extended"
            raise SplitError(msg)
    placed = dict(zip(old.participant, old.subset, strict=True))
    tested = cohort.people.participant.map(placed).notna() & (cohort.people.participant.map(placed) != subsets[0])
    new = ~cohort.people.id.isin(subset_of)
    left = cohort.people.pinned & new & tested
    # Whoever is placed stays: a released recording pins nobody any more.
    kept = cohort.only((~left).to_numpy())
    people = kept.people.assign(pinned=kept.people.pinned & ~kept.people.participant.isin(placed))
    gone = tuple(sorted(set(subset_of) - set(cohort.people.id)))
    return Extension(Cohort(people, kept.columns), placed, gone, tuple(cohort.people.id[left]))
