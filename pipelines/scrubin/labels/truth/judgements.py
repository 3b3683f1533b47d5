"""Marks of annotators in labelled frames, such as criteria of the critical view of safety: what each of them said."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from scrubin.base.errors import TableError
from scrubin.base.tables.public import of_reference_camera
from scrubin.labels.truth import AGAIN

COLUMNS = ("frame", "mark", "rater", "value")


@dataclass(frozen=True)
class Judgements:
    """The marks of a recording.

    Parameters
    ----------
    frames
        Frames that somebody judged and that have a picture, increasing.
    rows
        Rows of the table ``marks`` in these frames; without a rater it is a value of nobody by name.
    dropped_frames
        Judged frames that are left out because they were dropped as unusable.
    """

    id: str
    frames: np.typing.NDArray[np.int64]
    rows: pd.DataFrame
    dropped_frames: int


def of_tables(labelled: pd.DataFrame, marks: pd.DataFrame, frames: pd.DataFrame) -> list[Judgements]:
    """Return the recordings that were judged, sorted by id; parameters are the tables of the same name.

    Raises
    ------
    TableError
        When a mark is in a frame that nobody judged: the tables are not of one run.
    """
    own = labelled[labelled["layer"] == "marks"]
    known = pd.MultiIndex.from_frame(own[["id", "frame"]])
    outside = marks[~pd.MultiIndex.from_frame(marks[["id", "frame"]]).isin(known)]
    for row in outside.head(1).to_dict("records"):
        raise TableError(f"table 'labelled': {row['id']}, frame {row['frame']} has a row in 'marks', but is not labelled; {AGAIN}")
    seen = of_reference_camera(frames)
    shown = {str(id_): set(group["frame"].tolist()) for id_, group in seen[seen["path"].notna()].groupby("id")}
    places, found = marks.groupby("id").indices, []
    for id_, group in own.groupby("id", sort=True):
        judged = np.sort(group["frame"].to_numpy(np.int64))
        kept = judged[np.isin(judged, sorted(shown.get(str(id_), ())))]
        mine = marks.iloc[places.get(id_, [])]
        rows = mine[mine["frame"].isin(kept)].sort_values(["frame", "mark", "rater"], ignore_index=True)
        found.append(Judgements(str(id_), kept, rows, len(judged) - len(kept)))
    return found


def sheet(one: Judgements) -> str:
    """Return ``frame,mark,rater,value`` as CSV text; the cell of a rater who is nobody by name is empty."""
    return one.rows[list(COLUMNS)].to_csv(index=False, lineterminator="\n")
