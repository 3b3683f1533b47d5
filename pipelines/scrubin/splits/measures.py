"""What a balanced split balances: numbers that add up over recordings.

LASANA, section LASANA benchmark: subset sizes, the distribution of the total GRS and the error
frequencies are to agree. Each becomes a count (or centred sum) per recording, so that a subset's
value is the sum over its recordings and its target is the subset's share of the total.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
BINS = ("low", "middle", "high")
"""GRS terciles of a task, in ascending order."""


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
        but never finer than one recording. For the mean GRS the number of scored recordings,
        with values in standard deviations, so that imbalance is the shift of the mean in sd.
    whole
        Whether values are counts: then a target between two whole numbers cannot be met.
    """

    task: str
    name: str
    values: Floats
    unit: float
    whole: bool

    def target(self, share: float) -> float:
        """Return the value of a perfectly balanced subset."""
        return share * math.fsum(self.values)

    def scale(self, share: float) -> float:
        """Return the deviation that counts as imbalance 1."""
        return max(1.0, share * self.unit)

    def unavoidable(self, share: float) -> float:
        """Return the imbalance that is left when a count is as near to its target as it can be."""
        target = self.target(share)
        return abs(target - round(target)) / self.scale(share) if self.whole else 0.0


def measures(people: pd.DataFrame, skill: pd.DataFrame, errors: pd.DataFrame) -> list[Measure]:
    """Return all measures, sorted by task.

    Per task: the number of recordings, of recordings per GRS tercile, the GRS mean, and how often each
    error occurred. What does not vary is left out. A task without scores has its number of
    recordings only.

    Parameters
    ----------
    people
        One row per recording: id, task, participant.
    skill, errors
        The tables of these names.
    """
    grs = skill.set_index("id").GRS.reindex(people.id).to_numpy(dtype=float)
    occurred = errors[errors.occurred]
    found: list[Measure] = []
    for task in sorted(set(people.task)):
        inside = (people.task == task).to_numpy()
        found.append(_count(task, "recordings", inside))
        found += _skill(task, np.where(inside, grs, np.nan))
        for error in sorted(set(occurred[occurred.task == task].error)):
            ids = occurred[(occurred.task == task) & (occurred.error == error)].id
            found.append(_count(task, f"error {error}", inside & people.id.isin(ids).to_numpy()))
    return found


def bins(grs: Floats) -> npt.NDArray[np.int64]:
    """Return the tercile (0, 1, 2) of each defined score, -1 for undefined ones.

    Edges are numpy's linear quantiles; a score on an edge belongs below it, so equal scores
    share a bin.

    >>> bins(np.array([1.0, 2.0, 3.0, 4.0, np.nan])).tolist()
    [0, 0, 1, 2, -1]
    """
    defined = ~np.isnan(grs)
    found = np.full(grs.shape, -1, dtype=np.int64)
    if defined.any():
        edges = np.quantile(grs[defined], [1 / 3, 2 / 3], method="linear")
        found[defined] = np.searchsorted(edges, grs[defined], side="left")
    return found


def _skill(task: str, grs: Floats) -> list[Measure]:
    tercile = bins(grs)
    found = [_count(task, f"GRS {name}", tercile == i) for i, name in enumerate(BINS) if (tercile == i).any()]
    defined = ~np.isnan(grs)
    n = int(defined.sum())
    if n > 1 and np.ptp(grs[defined]) > 0:
        mean = math.fsum(grs[defined]) / n
        sd = math.sqrt(math.fsum((grs[defined] - mean) ** 2) / (n - 1))
        found.append(Measure(task, "GRS mean", np.where(defined, (grs - mean) / sd, 0.0), float(n), whole=False))
    return found


def _count(task: str, name: str, inside: npt.NDArray[np.bool_]) -> Measure:
    return Measure(task, name, inside.astype(np.float64), float(inside.sum()), whole=True)
