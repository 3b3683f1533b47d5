"""Where a detector was nearly silent, or nearly spoke: what a person should look at twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core.errors import VideoError
from scrubin.release.review_gate import command_at
from scrubin.report.raw_files import FileKey, Numbers
from scrubin.report.reported_study import ReportedStudy
from scrubin.review.status import frames_on_screen

LEAST_SURE = 12


def least_sure(spans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the spans with the lowest scores, at most one per recording and detector.

    Parameters
    ----------
    spans
        What `hidden.spans` returns.
    """
    scored = [row for row in spans if row["score"] is not None and row["source"] != "pair"]
    ranked = sorted(scored, key=lambda row: (row["score"], row["recording"], row["camera"], row["start_s"], row["kind"]))
    lowest = {(row["recording"], row["source"]): dict(row) for row in reversed(ranked)}
    return sorted(lowest.values(), key=lambda row: (row["score"], row["recording"], row["source"]))[:LEAST_SURE]


def unlike(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return of each recording the frame least like the others that nobody proposed to hide; the most unlike first.

    ``distance`` is that of the detector ``appearance``, 0 to 1, in hundredths. Frames outside the
    kept interval and black ones are passed over, and so are recordings of which nothing is left,
    or that no detector compared with themselves.
    """
    rows: dict[str, dict[str, Any]] = {}
    for one in study.review["recordings"]:
        for file in one["files"] if one["excluded"] is None else ():
            row = _unlike(study, (file["recording"], file["camera"]))
            if row is not None and row["distance"] > rows.get(row["recording"], {"distance": -1.0})["distance"]:
                rows[row["recording"]] = row
    return sorted(rows.values(), key=lambda row: (-row["distance"], row["recording"]))


def _unlike(study: ReportedStudy, key: FileKey) -> dict[str, Any] | None:
    try:
        times_s, far = study.sources.times_s(key), study.sources.distance(key)
    except VideoError:
        return None  # quarantined since, or the file is away
    if far is None:
        return None
    # In hundredths: the last digits differ between processors.
    rounded = np.round(np.where(_unproposed(study, key, times_s), far, 0.0), 2)
    if not rounded.any():
        return None
    number = int(np.argmax(rounded))
    time_s = float(times_s[number])
    place = {"recording": key[0], "camera": key[1], "frame": number, "time_s": time_s}
    return {**place, "distance": float(rounded[number]), "command": command_at(key[0], time_s)}


def _unproposed(study: ReportedStudy, key: FileKey, times_s: Numbers) -> npt.NDArray[np.bool_]:
    """Return which frames of a file are kept and in no span, shape (n,)."""
    recordings, redactions = study.recordings, study.redactions
    kept = recordings[(recordings["recording"] == key[0]) & (recordings["camera"] == key[1])].iloc[0]
    free = (times_s[1:] > kept["start_s"]) & (times_s[:-1] < kept["end_s"])
    of_file = redactions[(redactions["recording"] == key[0]) & (redactions["camera"] == key[1]) & redactions["x"].isna()]
    for start_s, end_s in zip(of_file["start_s"], of_file["end_s"], strict=True):
        first, last = frames_on_screen((start_s, end_s), times_s)
        free[first : last + 1] = False
    return np.asarray(free, dtype=np.bool_)
