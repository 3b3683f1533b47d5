"""Which wrong predictions are accepted near the boundaries of an annotated segment.

Source: section 3.3.5, Figure 3. The crosses there are transitions that the workflow allows and the published script does not consider.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from scrubin.errors import MetricsError
from scrubin.metrics.phases.videos import BoolArray

XCells = Literal["left out", "accepted"]

# Phase ids of Cholec80: 0 preparation, 1 Calot triangle dissection, 2 clipping and cutting, 3 gallbladder dissection, 4 packaging,
# 5 cleaning and coagulation, 6 retraction.
CHOLEC80_CONSIDERED = ((0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (4, 6), (5, 6))
CHOLEC80_CROSSES = ((5, 4), (6, 5))


@dataclass(frozen=True, eq=False)
class Tolerance:
    """The matrices of accepted predictions.

    Parameters
    ----------
    name
        For the name of a variant.
    start
        (phases annotated, phases predicted): accepted within the first omega frames of a segment, as a late transition.
    end
        The same within the last omega frames, as an early transition.
    """

    name: str
    start: BoolArray
    end: BoolArray

    def __post_init__(self) -> None:
        shape = self.start.shape
        if len(shape) != 2 or shape[0] != shape[1] or shape != self.end.shape or {self.start.dtype, self.end.dtype} != {np.dtype(bool)}:
            msg = f"tolerance {self.name}: the matrices are {shape} and {self.end.shape}; give two of phases by phases, of bool"
            raise MetricsError(msg)

    @property
    def phases(self) -> int:
        """How many phases."""
        return len(self.start)

    @property
    def described(self) -> str:
        """The name, with the cells of the matrices unless they are those of `cholec80`, so that no two tolerances share a description."""
        for known in (cholec80(x_cells) for x_cells in get_args(XCells)):
            if self.name == known.name and np.array_equal(self.start, known.start) and np.array_equal(self.end, known.end):
                return self.name
        cells = [" ".join(f"{phase}:{other}" for phase, other in np.argwhere(matrix)) or "none" for matrix in (self.start, self.end)]
        return f"{self.name} (start {cells[0]}, end {cells[1]}; {self.phases} phases)"


def from_transitions(name: str, phases: int, transitions: Iterable[tuple[int, int]]) -> Tolerance:
    """Return the matrices that follow from the phases that may come right after another.

    Parameters
    ----------
    name
        For the name of a variant.
    phases
        How many there are.
    transitions
        Pairs (before, after): before is accepted at the start of after, and after at the end of before.

    Raises
    ------
    MetricsError
        When a pair names a phase that does not exist, or one phase twice.
    """
    start, end = np.zeros((phases, phases), dtype=bool), np.zeros((phases, phases), dtype=bool)
    for before, after in transitions:
        if not (0 <= before < phases and 0 <= after < phases) or before == after:
            msg = f"tolerance {name}: the transition from {before} to {after} is none between two of {phases} phases, which count from 0"
            raise MetricsError(msg)
        start[after, before] = end[before, after] = True
    return Tolerance(name, start, end)


def cholec80(x_cells: XCells = "left out") -> Tolerance:
    """Return the matrices of Figure 3, with its crosses left out as in the published script, or accepted.

    >>> [int((cholec80("accepted").start & ~cholec80().start).sum()), int((cholec80("accepted").end & ~cholec80().end).sum())]
    [2, 2]
    """
    if x_cells not in {"left out", "accepted"}:
        msg = f"the x cells can be 'left out' or 'accepted', not {x_cells!r}"
        raise MetricsError(msg)
    crosses = CHOLEC80_CROSSES if x_cells == "accepted" else ()
    return from_transitions(f"Cholec80, x cells {x_cells}", 7, (*CHOLEC80_CONSIDERED, *crosses))
