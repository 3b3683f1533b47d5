"""What was hidden in the released videos, and who proposed it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from scrubin.core.errors import VideoError
from scrubin.release.review_gate import command_at
from scrubin.report.raw_files import FileKey, Numbers
from scrubin.report.reported_study import ReportedStudy
from scrubin.review.status import frames_on_screen
from scrubin.tables.io import records


def redactions(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per kind and source: spans proposed and accepted, and the accepted and rejected seconds.

    Seconds are of video files that were to be rendered: a span of a stereo pair counts for both
    cameras, overlapping spans of a kind and source count once. ``rectangle_s`` are those in which
    only a part of the picture is hidden, ``undecided`` counts what is hidden because nobody has
    decided about it.
    """
    rows = []
    for (kind, source), group in study.redactions.groupby(["kind", "source"]):
        whole = group["x"].isna()
        accepted = group["accepted"]
        rows.append(
            {
                "kind": str(kind),
                "source": str(source),
                "files": len(group[["recording", "camera"]].drop_duplicates()),
                "proposed": len(group),
                "accepted": int(accepted.sum()),
                "hidden_s": covered_s(group[accepted & whole]),
                "rectangle_s": covered_s(group[accepted & ~whole]),
                "rejected_s": covered_s(group[~accepted]),
                "undecided": int((group["decision"] == "unreviewed").sum()),
            }
        )
    return rows


def spans(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return every span and rectangle of the source in the vocabulary of ``redactions.csv``, to copy from when deciding.

    ``pictures`` are its first, middle and last frame, by number and source time; none when the raw
    file cannot be read. ``command`` opens the page there. What was read is not among it: that
    stays in the private table.
    """
    ordered = study.redactions.sort_values(["recording", "start_s", "end_s", "camera"], kind="stable")
    columns = ["recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "score", "faces", "source", "decision", "accepted"]
    rows = records(ordered[columns])
    by_file: dict[FileKey, list[dict[str, Any]]] = {}
    for row in rows:
        by_file.setdefault((row["recording"], row["camera"]), []).append(row)
    for key, of_file in by_file.items():
        try:
            times_s = study.sources.times_s(key)
        except VideoError:
            times_s = None
        for row in of_file:
            row["pictures"] = [] if times_s is None else _pictures(row, times_s)
            row["command"] = command_at(row["recording"], row["start_s"])
    return rows


def _pictures(row: Mapping[str, Any], times_s: Numbers) -> list[dict[str, Any]]:
    first, last = frames_on_screen((row["start_s"], row["end_s"]), times_s)
    return [{"frame": number, "time_s": float(times_s[number])} for number in sorted({first, (first + last) // 2, last})]


def covered_s(spans: pd.DataFrame) -> float:
    """Return the seconds that spans cover, summed over video files."""
    # fsum: from Python 3.12 on, sum() adds floats in another way, which would give other bytes.
    return math.fsum(_union(zip(group["start_s"], group["end_s"], strict=True)) for _, group in spans.groupby(["recording", "camera"]))


def _union(spans: Iterable[tuple[float, float]]) -> float:
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
