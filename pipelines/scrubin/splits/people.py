"""Who is in which released recording: the only private table that splits need."""

from __future__ import annotations

import pandas as pd

from scrubin.core.errors import SplitError


def people(recordings: pd.DataFrame, linkage: pd.DataFrame, videos: pd.DataFrame) -> pd.DataFrame:
    """Return one row per released recording: id, task, participant, recording, site, sorted by id. Private.

    Parameters
    ----------
    recordings, linkage, videos
        The tables of these names; a procedure's participant is the patient.

    Raises
    ------
    SplitError
        When a released recording has no participant, or more than one.
    """
    released = videos[["id", "task"]].drop_duplicates()
    known = recordings[["recording", "participant", "site"]].drop_duplicates().merge(linkage, on="recording")
    known = known[["id", "participant", "recording", "site"]]
    both = released.merge(known, on="id", how="left").sort_values("id", ignore_index=True)
    twice = both[both.id.duplicated()]
    if len(twice):
        msg = f"released recording '{twice.id.iloc[0]}' has several participants, sites or tasks; its rows in recordings.csv must agree"
        raise SplitError(msg)
    lost = both[both.participant.isna()]
    if len(lost):
        msg = f"released recording '{lost.id.iloc[0]}' has no participant in the manifest; run 'dvc repro' from the stage ingest"
        raise SplitError(msg)
    return both
