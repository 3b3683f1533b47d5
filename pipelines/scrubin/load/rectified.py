"""Rectified pairs: pictures of a release turned by the calibration that it carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.core.errors import ReleaseError
from scrubin.load.pictures import Picture
from scrubin.load.rows import FrameRows
from scrubin.load.sources import PictureSource
from scrubin.load.stereo import StereoDataset
from scrubin.stereo import released
from scrubin.stereo.rectification import Side, rectification, rectified
from scrubin.stereo.rig import Rig

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
            msg = f"recording '{id_}': its calibration does not fit its pictures: {error}"
            raise ReleaseError(msg) from error
        return rectified(picture, maps)


def of_pairs(pairs: StereoDataset, folder: Path, alpha: float) -> StereoDataset:
    """Return the pairs of calibrated recordings, rectified; others are counted as ``uncalibrated``.

    Raises
    ------
    ReleaseError
        When the release has no calibration.
    ValueError
        When ``alpha`` is not from 0 to 1.
    """
    if not 0 <= alpha <= 1:
        msg = f"rectified={alpha}: it is alpha, from 0 (no black border) to 1 (no pixel lost)"
        raise ValueError(msg)
    rigs = released.rigs(folder)
    if not rigs:
        msg = f"{folder}: the release has no calibration of its cameras ({released.FOLDER}/), so its pairs cannot be rectified"
        raise ReleaseError(msg)
    known = np.flatnonzero(pairs.table["id"].isin(list(rigs)).to_numpy())
    part = pairs[known]
    left, right = (replace(side, source=RectifiedSource(side.source, rigs, float(alpha))) for side in (part.left, part.right))
    return replace(part, left=left, right=right, left_out={**pairs.left_out, "uncalibrated": len(pairs) - len(known)})


@lru_cache(maxsize=MOST_MAPS)
def _maps(rig: Rig, alpha: float, side: Side, width: int, height: int) -> Any:
    """Return the maps of one camera for pictures of a size; a rig is told from others by what it is, not by what it says."""
    return rectification(rig.scaled(width, height), alpha).maps(side)
