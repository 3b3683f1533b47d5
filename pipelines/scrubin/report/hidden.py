"""What was hidden in the released videos, and who proposed it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from scrubin.report.reported_study import ReportedStudy
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
    """Return every span and rectangle of the source in the words of ``redactions.csv``, to copy from when deciding.

    What was read is not among it: that stays in the private table.
    """
    ordered = study.redactions.sort_values(["recording", "start_s", "end_s", "camera"], kind="stable")
    columns = ["recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "score", "faces", "source", "decision", "accepted"]
    return records(ordered[columns])


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
