"""Ids of tracks among the details of instances: whether each box has one, once in its frame, and of one class in the video."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import Vocabulary

ONLY = "track"
"""The detail of formats that know one kind of track only."""
ONE_BOX = "a track has one box in a frame; correct the id, or remove a box"
SHOWN = 3
"""So many ids are named."""


def written_column(rows: pd.DataFrame) -> str:
    """Return the detail of instances that a format with one id of a track writes: the first that they have; "" where they have none."""
    return next((name for name in (ONLY, "intraoperative_track") if name in rows), "")


def ids_of(rows: pd.DataFrame, column: str) -> pd.Series[Any]:
    """Return the ids in a column of instances, null where there is none: a format leaves out a column that no instance has."""
    return rows[column] if column in rows else pd.Series(pd.NA, index=rows.index, dtype="Int64")


def rows_of(id_: str, instances: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the ids of tracks as rows of the table ``tracks``.

    Parameters
    ----------
    id_
        Of the recording.
    instances
        With ``frame``, ``instance`` (its number in the frame), and the details that end in ``track``.
    """
    for kind in sorted(str(name) for name in instances.columns if str(name).endswith(ONLY)):
        known = instances[instances[kind].notna()]
        for frame, instance, track in zip(known["frame"].tolist(), known["instance"].tolist(), known[kind].tolist(), strict=True):
            yield {"id": id_, "frame": frame, "instance": instance, "kind": kind, "track": int(track)}


def without_track(rows: pd.DataFrame, column: str) -> npt.NDArray[np.int64]:
    """Return the frames of boxes that are in no track: their id is missing, or below 0, as detections have it.

    Parameters
    ----------
    rows
        Instances with ``position`` and box.
    column
        Of the ids.
    """
    ids = ids_of(rows, column)
    is_without = (ids.isna() | (ids < 0).fillna(value=True)) & rows["x"].notna()
    return rows["position"][is_without.astype(bool)].to_numpy(np.int64)


def repeated(rows: pd.DataFrame, column: str) -> Iterator[tuple[int, list[int]]]:
    """Yield each id that two boxes of a frame have, with these frames, increasing; parameters as `without_track`."""
    ids = ids_of(rows, column)
    known = pd.DataFrame({"position": rows["position"], "id": ids})[(ids.notna() & (ids >= 0).fillna(value=False)).astype(bool)]
    again = known[known.duplicated(["position", "id"])]
    for id_, of_id in again.groupby("id", sort=True):
        yield int(str(id_)), sorted(set(of_id["position"].tolist()))


def note(file: str, column: str, rows: pd.DataFrame, vocabulary: Vocabulary, faults: Faults) -> None:
    """Refuse ids that two boxes of a frame have, as TrackEval does, and warn of those that boxes of several instruments have.

    Parameters
    ----------
    column
        Of the ids.
    rows
        Instances of one video.
    """
    if column not in rows:
        return
    for id_, frames in repeated(rows, column):
        faults.error(file, "track-repeated", f"{column} {id_} stands twice in a frame", ONE_BOX, frames=frames)
    known = rows[(rows[column].notna() & rows["instrument_id"].notna() & (rows[column] >= 0).fillna(value=False)).astype(bool)]
    instruments = {str(id_): sorted(set(of)) for id_, of in known.groupby(column, sort=True)["instrument_id"]}
    several = {id_: of for id_, of in instruments.items() if len(of) > 1}
    if several:
        shown = [f"{id_} ({' and '.join(vocabulary.instruments[one] for one in of)})" for id_, of in list(several.items())[:SHOWN]]
        what = f"ids in {column} have several instruments: {', '.join(shown)}{' ...' if len(several) > SHOWN else ''}"
        faults.warning(file, "track-class", what, "give another instrument another id", count=len(several))
