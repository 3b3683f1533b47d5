"""Which camera labels refer to, where a recording has several: the left one, else the only one, else the right one."""

from __future__ import annotations

import pandas as pd

REFERENCE_CAMERAS = ("left", "mono", "right")
"""The first of these that a recording has is the one that labels refer to."""


def of_reference_camera(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the camera that labels refer to.

    Parameters
    ----------
    rows
        With the columns ``id`` and ``camera``, as in the tables ``videos`` and ``frames``.

    >>> of_reference_camera(pd.DataFrame({"id": ["a", "a", "b"], "camera": ["right", "left", "mono"]}))["camera"].tolist()
    ['left', 'mono']
    """
    order = rows["camera"].map({camera: place for place, camera in enumerate(REFERENCE_CAMERAS)})
    return rows[order == order.groupby(rows["id"]).transform("min")]
