"""Labels of the rows of a data set as arrays: what is not labelled is masked, and never 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from scrubin.load.rows import BoolArray, IntArray

MASK = "_mask"
NO_PHASE = -100
"""What stands for a phase that is not labelled: torch's losses ignore it."""
Fields = dict[str, Any]


class Label(Protocol):
    """One kind of label of the rows of a data set."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names in the order of columns or ids."""

    @property
    def known(self) -> BoolArray:
        """(n,), whether anything of it is labelled, per row."""

    def of(self, row: int) -> Fields:
        """Return the values and the mask of a row."""

    def of_all(self, rows: IntArray) -> tuple[Any, npt.NDArray[np.bool_]]:
        """Return the values and the masks of several rows."""

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""


@dataclass(frozen=True)
class Matrix:
    """Numbers per row: several classes that occur or not, or scores; missing ones are NaN.

    Parameters
    ----------
    values
        (k, classes), as small as they can be kept.
    place
        (n,), row of ``values`` of each row of the data set; -1: not labelled.
    """

    name: str
    classes: tuple[str, ...]
    values: npt.NDArray[np.int8] | npt.NDArray[np.float32]
    place: IntArray
    missing = np.nan

    @property
    def of_recordings(self) -> bool:
        """Whether all rows of a recording have the same: they are scores, not classes that occur in a frame."""
        return self.values.dtype == np.float32

    @property
    def known(self) -> BoolArray:
        """(n,), whether any value is there."""
        some = np.isfinite(self.values).any(axis=1)
        return np.asarray((self.place >= 0) & np.append(some, False)[self.place])

    def of(self, row: int) -> Fields:
        """Return the values as float32, and the mask: of the frame, or of each score."""
        values, mask = self.of_all(np.array([row]))
        return {self.name: values[0], self.name + MASK: bool(mask[0]) if mask.ndim == 1 else mask[0]}

    def of_all(self, rows: IntArray) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Return values, (n, classes), and mask, (n,) of frames or (n, classes) of scores."""
        place = self.place[rows]
        values = np.full((len(rows), len(self.classes)), np.nan, np.float32)
        values[place >= 0] = self.values[place[place >= 0]]
        return values, np.isfinite(values) if self.of_recordings else np.asarray(place >= 0, np.bool_)

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""
        return replace(self, place=self.place[chosen])


@dataclass(frozen=True)
class Phase:
    """One id per row.

    Parameters
    ----------
    values
        (n,), id of the phase, or `NO_PHASE`.
    """

    name: str
    classes: tuple[str, ...]
    values: IntArray
    missing = NO_PHASE

    @property
    def known(self) -> BoolArray:
        """(n,), whether the phase is labelled."""
        return np.asarray(self.values != NO_PHASE, np.bool_)

    def of(self, row: int) -> Fields:
        """Return the id and the mask."""
        value = int(self.values[row])
        return {self.name: value, self.name + MASK: value != NO_PHASE}

    def of_all(self, rows: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
        """Return ids and masks, both (n,)."""
        values = self.values[rows]
        return values, values != NO_PHASE

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""
        return replace(self, values=self.values[chosen])


@dataclass(frozen=True)
class Boxes:
    """Any number of boxes per row.

    Parameters
    ----------
    boxes
        (m, 4), left, top, width and height in shares of the picture, of all rows one after the other.
    triplets, instruments
        (m,), their ids.
    first
        (k + 1,), where the boxes of each labelled frame begin.
    place
        (n,), which labelled frame each row is; -1: boxes are not labelled, or not all of them.
    """

    name: str
    classes: tuple[str, ...]
    boxes: npt.NDArray[np.float32]
    triplets: IntArray
    instruments: IntArray
    first: IntArray
    place: IntArray

    @property
    def known(self) -> BoolArray:
        """(n,), whether all boxes of the frame are labelled."""
        return self.place >= 0

    def of(self, row: int) -> Fields:
        """Return the boxes, the ids of their triplets and instruments, and the mask."""
        place = int(self.place[row])
        own = slice(self.first[place], self.first[place + 1]) if place >= 0 else slice(0, 0)
        return {
            self.name: self.boxes[own].copy(),
            f"{self.name}_triplets": self.triplets[own].copy(),
            f"{self.name}_instruments": self.instruments[own].copy(),
            self.name + MASK: place >= 0,
        }

    def of_all(self, rows: IntArray) -> tuple[list[npt.NDArray[np.float32]], npt.NDArray[np.bool_]]:
        """Return the boxes of each row, and masks, (n,)."""
        return [self.of(int(row))[self.name] for row in rows], self.known[rows]

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""
        return replace(self, place=self.place[chosen])
