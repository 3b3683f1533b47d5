"""Pairs of frames: both pictures of one number, with the labels that hold for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from scrubin.load.frame_dataset import FrameDataset
from scrubin.load.indexing import IndexedDataset, Item, Several


@dataclass(frozen=True, repr=False)
class StereoDataset(IndexedDataset):
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

    def item(self, index: int) -> Item:
        """Return a pair: ``left`` and ``right`` are the pictures; everything else is of the left frame, which labels refer to."""
        one, other = self.left[index], self.right[index]
        pair = {"left": one.pop("image"), "right": other["image"], **one, "hidden": one["hidden"] or other["hidden"]}
        del pair["camera"]
        return pair

    def part(self, several: Several) -> StereoDataset:
        """Return some of the pairs."""
        return replace(self, left=self.left[several], right=self.right[several])

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
