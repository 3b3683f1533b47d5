"""What ``len``, an index, a slice and a loop give of the data sets of this package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

Item = dict[str, Any]
Several = slice | list[int] | npt.NDArray[Any]


class IndexedDataset(ABC):
    """A data set in map style: ``torch.utils.data.DataLoader`` takes it as it is."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of items."""

    @abstractmethod
    def item(self, index: int) -> Item:
        """Return one item.

        Raises
        ------
        IndexError
            When there is no such item.
        ReleaseError
            When its picture or video is missing or damaged.
        """

    @abstractmethod
    def part(self, several: Several) -> Self:
        """Return the data set of some of the items, in the order of a slice, of indices, or of a mask."""

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: Several) -> Self: ...
    def __getitem__(self, index: int | Several) -> Item | Self:
        """Return an item; for a slice, a list or an array of indices a smaller data set."""
        if isinstance(index, slice | list) or (isinstance(index, np.ndarray) and index.ndim):
            return self.part(index)
        return self.item(int(index))  # numpy and torch have integers of their own

    def __iter__(self) -> Iterator[Item]:
        """Yield all items in order."""
        for index in range(len(self)):
            yield self[index]
