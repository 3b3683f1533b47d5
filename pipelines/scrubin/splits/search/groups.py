"""Participants as the program sees them: alike ones together, in an order that names nobody."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
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
    place
        Number of the subset that the members must be in; None when any will do.
    """

    members: tuple[tuple[str, ...], ...]
    values: Floats
    place: int | None

    @property
    def key(self) -> str:
        """The ids of the first member: tells groups apart."""
        return " ".join(self.members[0])


def groups(people: pd.DataFrame, measures: Sequence[Measure], place_of: Mapping[str, int], seed: int) -> list[Group]:
    """Return the groups, in an order that depends on the seed and the released ids only.

    Neither the order of rows nor a participant's name has an influence.

    Parameters
    ----------
    people
        One row per recording, in the order of the measures' values: id, participant.
    measures
        What is balanced.
    place_of
        Number of the subset by participant, for those who have a fixed place.
    seed
        Shuffles equal participants.
    """
    ids = people.id.to_numpy(dtype=object)
    matrix = np.stack([measure.values for measure in measures], axis=1)
    alike: dict[tuple[int | None, bytes], list[tuple[tuple[str, ...], Floats]]] = {}
    for participant, rows in people.groupby("participant").indices.items():
        # Sorted by id, so that sums of decimals do not depend on the order of rows.
        ordered = rows[np.argsort(ids[rows])]
        values = matrix[ordered].sum(axis=0) + 0.0  # no -0.0, whose bytes differ
        alike.setdefault((place_of.get(str(participant)), values.tobytes()), []).append((tuple(ids[ordered]), values))
    alike_groups = []
    for (place, _), members in alike.items():
        dealt = sorted((member for member, _ in members), key=lambda member: fraction(seed, *member))
        alike_groups.append(Group(tuple(dealt), members[0][1], place))
    return sorted(alike_groups, key=lambda group: fraction(seed, group.key))


def fraction(seed: int, *names: str) -> float:
    """Return a number in [0, 1) drawn from the seed and names, the same on every machine."""
    digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
