"""What is dealt: participants in groups of alike ones, with the numbers that add up over their recordings.

Each measure is a count (or centred sum) per recording, so that a subset's value is the sum over its
recordings and its target is the subset's share of the total.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
RECORDINGS = "recordings"
"""Name of the measure that counts a task's recordings."""
FINE = 0.5
"""Measures of a smaller weight are parts of a distribution that other measures show, too."""


@dataclass(frozen=True)
class Measure:
    """One thing to balance.

    Parameters
    ----------
    task, name
        What it is.
    values
        Its value for each recording, in the order of the people.
    unit
        The deviation of a subset from its target counts as imbalance in units of
        ``max(1, share x unit)``: for counts the target itself, so that imbalance is relative,
        but never finer than one recording. For a mean the number of recordings that have a value,
        with values in standard deviations, so that imbalance is the shift of the mean in sd.
    whole
        Whether values are counts: then a target between two whole numbers cannot be met.
    weight
        How much its imbalance counts in the objective; a multiple of 1/16.
    """

    task: str
    name: str
    values: Floats
    unit: float
    whole: bool
    weight: float = 1.0

    @property
    def fine(self) -> bool:
        """Whether it is a part of a distribution that other measures show, too."""
        return self.weight < FINE

    @property
    def total(self) -> float:
        """The value of all recordings together."""
        return math.fsum(self.values)

    def scale(self, share: float) -> float:
        """Return the deviation that counts as imbalance 1."""
        return max(1.0, share * self.unit)


def count(task: str, name: str, values: npt.ArrayLike, weight: float = 1.0, unit: float | None = None) -> Measure:
    """Return the measure of a count per recording; without a unit its imbalance is relative to the count that is wanted."""
    counted = np.asarray(values, dtype=np.float64)
    return Measure(task, name, counted, math.fsum(counted) if unit is None else unit, whole=True, weight=weight)


def mean(task: str, name: str, values: Floats, weight: float = 1.0) -> Measure | None:
    """Return the measure of a mean, with NaN for recordings without a value; None when nothing varies."""
    defined = ~np.isnan(values)
    n = int(defined.sum())
    if n < 2 or np.ptp(values[defined]) == 0:
        return None
    centre = math.fsum(values[defined]) / n
    sd = math.sqrt(math.fsum((values[defined] - centre) ** 2) / (n - 1))
    return Measure(task, name, np.where(defined, (values - centre) / sd, 0.0), float(n), whole=False, weight=weight)


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
