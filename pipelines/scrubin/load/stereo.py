"""Pairs of frames: both pictures of one number, with the labels that hold for both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.load.frame_dataset import FrameDataset, Item


@dataclass(frozen=True, repr=False)
class StereoDataset:
    """Pairs of frames.

    Parameters
    ----------
    left, right
        Frames of each camera, in the same order.
    left_out
        How many pairs are not in it, by reason: ``hidden``, ``unpaired`` (frames without the other one).
    """

    left: FrameDataset
    right: FrameDataset
    left_out: Mapping[str, int]

    @classmethod
    def of(cls, left: FrameDataset, right: FrameDataset, *, include_hidden: bool) -> StereoDataset:
        """Return the pairs of two data sets, each of one camera."""
        keys = ["id", "frame"]
        numbered = [side.table.assign(place=np.arange(len(side)))[[*keys, "place", "hidden"]] for side in (left, right)]
        pairs = numbered[0].merge(numbered[1], on=keys, suffixes=("_left", "_right")).sort_values(keys)
        hidden = (pairs["hidden_left"] | pairs["hidden_right"]).to_numpy()
        kept = pairs[~hidden | include_hidden]
        left_out = {"hidden": len(pairs) - len(kept), "unpaired": len(left) + len(right) - 2 * len(pairs)}
        return cls(left[kept["place_left"].to_numpy()], right[kept["place_right"].to_numpy()], left_out)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.left)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice | list[int] | npt.NDArray[Any]) -> StereoDataset: ...
    def __getitem__(self, index: int | slice | list[int] | npt.NDArray[Any]) -> Item | StereoDataset:
        """Return a pair, or for a slice, a list or an array of indices a smaller data set.

        ``left`` and ``right`` are the pictures; everything else is of the left frame, which labels refer to.

        Raises
        ------
        IndexError
            When there is no such pair.
        ReleaseError
            When a picture is missing or damaged.
        """
        if isinstance(index, slice | list | np.ndarray) and np.ndim(index if not isinstance(index, slice) else [0]):
            return replace(self, left=self.left[index], right=self.right[index])
        one, other = self.left[int(index)], self.right[int(index)]  # type: ignore[arg-type]
        pair = {"left": one.pop("image"), "right": other["image"], **one, "hidden": one["hidden"] or other["hidden"]}
        del pair["camera"]
        return pair

    def __iter__(self) -> Iterator[Item]:
        """Yield all pairs in order."""
        for index in range(len(self)):
            yield self[index]

    def __repr__(self) -> str:
        left_out = ", ".join(f"{count} {why}" for why, count in self.left_out.items())
        return f"StereoDataset({len(self)} pairs of {self.left.name}; left out: {left_out})"

    @property
    def classes(self) -> dict[str, tuple[str, ...]]:
        """Names of the classes of each label, in the order of columns or ids."""
        return self.left.classes

    @property
    def table(self) -> pd.DataFrame:
        """Which frames these are, one row per pair; no picture is read."""
        return self.left.table.drop(columns="camera")
