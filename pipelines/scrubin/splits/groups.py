"""Participants as the program sees them: alike ones together, in an order that names nobody."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scrubin.splits.measures import Floats, Measure


@dataclass(frozen=True)
class Group:
    """Participants with equal values in all measures: any of them may stand for any other.

    Parameters
    ----------
    members
        The released ids of each member's recordings, in the order in which members are dealt.
    values
        The sum over the recordings of one member, per measure.
    pinned
        Whether the members must be in the first subset.
    """

    members: tuple[tuple[str, ...], ...]
    values: Floats
    pinned: bool

    @property
    def key(self) -> str:
        """The ids of the first member: tells groups apart."""
        return " ".join(self.members[0])


def groups(people: pd.DataFrame, measures: Sequence[Measure], pinned_ids: Sequence[str], seed: int) -> list[Group]:
    """Return the groups, in an order that depends on the seed and the released ids only.

    Neither the order of rows nor a participant's name has an influence.

    Parameters
    ----------
    people
        One row per recording, in the order of the measures' values: id, task, participant.
    measures
        What is balanced.
    pinned_ids
        Recordings that must be in the first subset; their participants go there as a whole.
    seed
        Shuffles equal participants.
    """
    matrix = np.stack([measure.values for measure in measures], axis=1)
    pinned = people.id.isin(list(pinned_ids)).to_numpy()
    alike: dict[tuple[bool, bytes], list[tuple[tuple[str, ...], Floats]]] = {}
    for rows in people.groupby("participant").indices.values():
        # Sorted by id, so that sums of decimals do not depend on the order of rows.
        ordered = rows[np.argsort(people.id.to_numpy()[rows])]
        values = matrix[ordered].sum(axis=0)
        member = tuple(people.id.iloc[ordered])
        alike.setdefault((bool(pinned[ordered].any()), values.tobytes()), []).append((member, values))
    found = []
    for (is_pinned, _), members in alike.items():
        dealt = sorted((member for member, _ in members), key=lambda member: fraction(seed, *member))
        found.append(Group(tuple(dealt), members[0][1], is_pinned))
    return sorted(found, key=lambda group: fraction(seed, group.key))


def fraction(seed: int, *names: str) -> float:
    """Return a number in [0, 1) drawn from the seed and names, the same on every machine."""
    digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
