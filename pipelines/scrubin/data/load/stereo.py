"""Pairs of frames: both pictures of one number, as they were recorded or rectified."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import ReleaseError
from scrubin.data.load.frames import FrameDataset, IndexedDataset, Item, Several
from scrubin.data.load.rows import FrameRows
from scrubin.data.load.sources import Picture, PictureSource
from scrubin.media.rigs import rig_file
from scrubin.media.rigs.rig import Rig, Side, rectification, rectified


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


MOST_MAPS = 16


@dataclass(frozen=True)
class RectifiedSource:
    """Pictures of another source, rectified.

    Parameters
    ----------
    source
        Of the pictures as they were recorded.
    rigs
        By id of the recording.
    alpha
        0: no black border; 1: no pixel is lost.
    """

    source: PictureSource
    rigs: Mapping[str, Rig]
    alpha: float

    def picture(self, row: int, rows: FrameRows) -> Picture:
        """Return the picture, rectified at its own size.

        Raises
        ------
        ReleaseError
            When the picture is of another shape than the calibration.
        """
        picture = self.source.picture(row, rows)
        id_, side = rows.ids[rows.recording[row]], "left" if rows.camera[row].as_py() == "left" else "right"
        height, width = picture.shape[:2]
        try:
            maps = _maps(self.rigs[id_], self.alpha, side, width, height)
        except ValueError as error:
            raise ReleaseError(f"recording '{id_}': its calibration does not fit its pictures: {error}") from error
        return rectified(picture, maps)


def rectified_pairs(pairs: StereoDataset, folder: Path, alpha: float) -> StereoDataset:
    """Return the pairs of calibrated recordings, rectified; others are counted as ``uncalibrated``.

    Raises
    ------
    ReleaseError
        When the release has no calibration.
    ValueError
        When ``alpha`` is not from 0 to 1.
    """
    # True is 1, and no alpha that somebody chose.
    if isinstance(alpha, bool) or not isinstance(alpha, numbers.Real) or not 0 <= alpha <= 1:
        raise ValueError(f"rectified={alpha!r}: it is alpha, from 0 (no black border) to 1 (no pixel lost)")
    rigs = rig_file.rigs(folder)
    if not rigs:
        msg = f"{folder}: the release has no calibration of its cameras ({rig_file.FOLDER}/), so its pairs cannot be rectified"
        raise ReleaseError(msg)
    known = np.flatnonzero(pairs.table["id"].isin(list(rigs)).to_numpy())
    part = pairs[known]
    left, right = (replace(side, source=RectifiedSource(side.source, rigs, float(alpha))) for side in (part.left, part.right))
    return replace(part, left=left, right=right, left_out={**pairs.left_out, "uncalibrated": len(pairs) - len(known)})


@lru_cache(maxsize=MOST_MAPS)
def _maps(rig: Rig, alpha: float, side: Side, width: int, height: int) -> Any:
    """Return the maps of one camera for pictures of a size; a rig is told from others by what it is, not by what it says."""
    return rectification(rig.scaled(width, height), alpha).maps(side)
