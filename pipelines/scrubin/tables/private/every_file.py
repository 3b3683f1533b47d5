"""The table ``recordings`` with a row for each file of a recording that has several."""

from __future__ import annotations

import pandas as pd


def every_file(recordings: pd.DataFrame, parts: pd.DataFrame) -> pd.DataFrame:
    """Return the table `recordings` with a row for each file: every name of a raw file is private.

    Parameters
    ----------
    recordings, parts
        The tables of these names.
    """
    later = parts.loc[parts["part"] > 1, ["recording", "camera", "path"]]
    rows = recordings.drop(columns="path").merge(later, on=["recording", "camera"])
    return pd.concat([recordings, rows[recordings.columns]], ignore_index=True) if len(rows) else recordings
