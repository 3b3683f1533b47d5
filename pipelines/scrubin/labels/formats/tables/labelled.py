"""The table labelled beside the others: held to their rows, or made of them where there is none."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from scrubin.core.faults import Faults
from scrubin.tables import io
from scrubin.tables.labelled import LABELLED, LayerName

TABLE_OF: Mapping[LayerName, str] = {"instances": "triplets", "phases": "phases"}
ADD = "add them to the table labelled, or take the rows away"


def check(files: Mapping[str, str], rows: Mapping[str, pd.DataFrame], id_: str, faults: Faults) -> None:
    """Note rows of frames that nobody labelled, labelled frames without a phase, and details that differ.

    Parameters
    ----------
    files, rows
        Name of the file, and rows of this recording, by table.
    """
    file = files[LABELLED.name]
    for layer, table in TABLE_OF.items():
        labelled = rows[LABELLED.name][rows[LABELLED.name]["layer"] == layer]
        looked_at, with_rows = (np.unique(of["frame"].to_numpy(np.int64)) for of in (labelled, rows[table]))
        if len(outside := np.setdiff1d(with_rows, looked_at)):
            what = "has rows for frames that the table labelled does not name"
            faults.error(files.get(table, ""), "frame-unlabelled", what, ADD, place=id_, frames=outside.tolist())
        if layer == "phases" and len(without := np.setdiff1d(looked_at, with_rows)):
            what = "the phase was labelled, but there is none"
            faults.error(file, "phase-missing", what, "add it to the table phases", place=id_, frames=without.tolist())
        details = labelled["detail"].drop_duplicates()
        if len(details) > 1 or details.notna().any() != (layer == "instances" and len(details) > 0):
            what = f"{layer} have the details {', '.join(sorted(map(str, details.fillna('none'))))}"
            fix = "instances of a recording have one, triplet or instrument; phases have none"
            faults.error(file, "detail-form", what, fix, place=id_)


def of_rows(id_: str, rows: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the table of one recording of which nobody said it: frames with rows are the labelled ones."""
    parts = []
    for layer, table in TABLE_OF.items():
        of_table = rows[table]
        if len(of_table):
            whole = layer == "instances" and bool(of_table["verb_id"].notna().any())
            detail = None if layer == "phases" else "triplet" if whole else "instrument"
            frames = of_table[["frame", "vocabulary"]].drop_duplicates("frame")
            parts.append(frames.assign(id=id_, layer=layer, detail=detail))
    return io.conform(LABELLED, pd.concat(parts)) if parts else io.frame_of(LABELLED, [])
