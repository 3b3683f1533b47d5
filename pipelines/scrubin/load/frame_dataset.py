"""Frames with their labels, as a data set that ``len``, an index, a slice or a ``DataLoader`` takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.load.indexing import IndexedDataset, Item, Several
from scrubin.load.labels import Label
from scrubin.load.rows import FrameRows, IntArray
from scrubin.load.sources import PictureSource

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
        named = ", ".join(label.name for label in self.labels) or "none"
        left_out = ", ".join(f"{count} {why}" for why, count in self.left_out.items())
        return f"FrameDataset({len(self)} frames of {self.name}; labels: {named}; left out: {left_out})"

    @property
    def classes(self) -> dict[str, tuple[str, ...]]:
        """Names of the classes of each label, in the order of columns or ids."""
        return {label.name: label.classes for label in self.labels}

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
            msg = f"the data set has no label '{label}': name it in labels=[...]; it has {', '.join(by_name) or 'none'}"
            raise KeyError(msg)
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
