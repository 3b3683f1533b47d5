"""Frames with their labels, as a data set that ``len``, an index, a slice or a ``DataLoader`` takes."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.data.load.labelling import Label
from scrubin.data.load.rows import FrameRows, IntArray
from scrubin.data.load.sources import PictureSource


def collate(items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a batch: the values of all items by name.

    Numbers and arrays of one shape become one array with a first axis for the items, tensors one tensor; texts, and what
    differs in shape, as boxes do, become a list.

    >>> batch = collate([{"id": "a", "frame": 1, "x": np.zeros(2)}, {"id": "b", "frame": 4, "x": np.ones(2)}])
    >>> batch["id"], batch["frame"].tolist(), batch["x"].shape
    (['a', 'b'], [1, 4], (2, 2))
    """
    return {name: _together([item[name] for item in items]) for name in items[0]} if items else {}


def _together(values: list[Any]) -> Any:
    first = values[0]
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(first, torch.Tensor)
    if is_tensor or isinstance(first, np.ndarray):
        if any(value.shape != first.shape for value in values):
            return values
        return torch.stack(values) if torch is not None and is_tensor else np.stack(values)  # noqa: PD013  no table
    return np.array(values) if isinstance(first, bool | int | float | np.generic) else values


Item = dict[str, Any]
Several = slice | list[int] | npt.NDArray[Any]


class IndexedDataset(ABC):
    """A data set in map style: ``torch.utils.data.DataLoader`` takes it as it is."""

    labels: tuple[Label, ...]
    left_out: Mapping[str, int]

    @property
    def classes(self) -> dict[str, tuple[str, ...]]:
        """Names of the classes of each label, in the order of columns or ids."""
        return {label.name: label.classes for label in self.labels}

    @property
    def _of_labels(self) -> str:
        named = ", ".join(label.name for label in self.labels) or "none"
        return f"labels: {named}; left out: {', '.join(f'{count} {why}' for why, count in self.left_out.items())}"

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


Transform = Callable[[Any], Any]


@dataclass(frozen=True, repr=False)
class FrameDataset(IndexedDataset):
    """Frames of some recordings.

    It has no open file: it may be pickled, and processes may be forked from it.

    Parameters
    ----------
    name
        What it is of.
    rows
        Frames that can be asked for.
    labels
        Labels of these rows.
    source
        Where pictures come from.
    left_out
        How many frames are not in it, by reason: ``hidden``, ``dropped``, ``unlabelled``.
    transform
        Called with each picture; None leaves it as it is.
    order
        (n,), which of the rows, in which order.
    """

    name: str
    rows: FrameRows
    labels: tuple[Label, ...]
    source: PictureSource
    left_out: Mapping[str, int]
    transform: Transform | None
    order: IntArray = field(repr=False)

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.order)

    def item(self, index: int) -> Item:
        """Return a frame: its picture, what it is of, and its labels."""
        row = int(self.order[index])
        return {"image": self._picture(row), **self.describe(row)}

    def part(self, several: Several) -> FrameDataset:
        """Return some of the frames."""
        return replace(self, order=self.order[several])

    def __repr__(self) -> str:
        return f"FrameDataset({len(self)} frames of {self.name}; {self._of_labels})"

    @property
    def table(self) -> pd.DataFrame:
        """Which frames these are, one row each: to count them, or to draw them with weights. No picture is read."""
        rows = self.rows
        columns = {
            "id": np.array(rows.ids, dtype=object)[rows.recording[self.order]],
            "task": np.array(rows.tasks, dtype=object)[rows.recording[self.order]],
            "camera": rows.camera.to_pandas().to_numpy(dtype=object)[self.order],
        }
        numbers = {"frame": rows.frame, "source_frame": rows.source_frame, "time_s": rows.time_s, "hidden": rows.hidden}
        texts = {name: pd.Series(values, dtype="str") for name, values in columns.items()}
        return pd.DataFrame(texts | {name: values[self.order] for name, values in numbers.items()})

    def targets(self, label: str) -> tuple[Any, npt.NDArray[np.bool_]]:
        """Return the values and masks of one label of all frames, without reading a picture.

        Raises
        ------
        KeyError
            When the data set was made without this label.
        """
        by_name = {one.name: one for one in self.labels}
        if label not in by_name:
            raise KeyError(f"the data set has no label '{label}': name it in labels=[...]; it has {', '.join(by_name) or 'none'}")
        return by_name[label].of_all(self.order)

    def describe(self, row: int) -> Item:
        """Return everything of a row but its picture."""
        rows = self.rows
        recording = int(rows.recording[row])
        item: Item = {
            "id": rows.ids[recording],
            "task": rows.tasks[recording],
            "camera": rows.camera[row].as_py(),
            "frame": int(rows.frame[row]),
            "time_s": float(rows.time_s[row]),
            "hidden": bool(rows.hidden[row]),
        }
        for label in self.labels:
            item.update(label.of(row))
        return item

    def _picture(self, row: int) -> Any:
        picture = self.source.picture(row, self.rows)
        return picture if self.transform is None else self.transform(picture)
