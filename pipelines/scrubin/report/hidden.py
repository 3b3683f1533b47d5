"""What was hidden in the released videos, and who proposed it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from scrubin.core.errors import VideoError
from scrubin.release.review_gate import command_at
from scrubin.report.raw_files import FileKey, Numbers
from scrubin.report.reported_study import ReportedStudy
from scrubin.review.outcome import ACCEPTED, CURATOR, UNREVIEWED, without
from scrubin.review.status import frames_on_screen
from scrubin.tables.io import records


def redactions(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per kind and source: proposals, what became of them, and the hidden and rejected seconds.

    Seconds are of video files that were to be rendered: a span of a stereo pair counts for both
    cameras, overlapping spans of a kind and source count once. ``rectangle_s`` are those in which
    only a part of the picture is hidden, ``undecided`` counts what is hidden because nobody has
    decided about it. A proposal counts once, and as ``hidden`` and ``shown`` when its parts were
    decided differently; under ``curator`` stands what people hide by themselves.
    """
    rows = []
    for (kind, source), group in without_repeated(study.redactions).groupby(["kind", "source"]):
        whole = group["x"].isna()
        accepted = group["accepted"]
        rows.append(
            {
                "kind": str(kind),
                "source": str(source),
                "files": len(group[["recording", "camera"]].drop_duplicates()),
                **_counted(group, str(source)),
                "hidden_s": covered_s(group[accepted & whole]),
                "rectangle_s": covered_s(group[accepted & ~whole]),
                "rejected_s": covered_s(group[~accepted]),
            }
        )
    return rows


def _counted(group: pd.DataFrame, source: str) -> dict[str, int]:
    """Return how many proposals of a kind and source there are, and what became of them; parts that meet are of one proposal."""
    proposals: list[tuple[Any, float, set[bool], set[str]]] = []
    for row in sorted(records(group), key=lambda row: (*map(str, _what(row)), row["start_s"])):
        if not (proposals and proposals[-1][:2] == (_what(row), row["start_s"])):
            proposals.append((_what(row), row["end_s"], set(), set()))
        _, _, accepted, decisions = proposals.pop()
        proposals.append((_what(row), row["end_s"], accepted | {row["accepted"]}, decisions | {row["decision"]}))
    return {
        "proposed": 0 if source == CURATOR else len(proposals),
        "hidden": sum(True in accepted for _, _, accepted, _ in proposals),
        "undecided": sum(UNREVIEWED in decisions for _, _, _, decisions in proposals),
        "shown": sum(False in accepted for _, _, accepted, _ in proposals),
    }


def without_repeated(redactions: pd.DataFrame) -> pd.DataFrame:
    """Return the table ``redactions`` without the curator's rows that only say once more that a proposal was accepted."""
    accepted: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    rows = records(redactions[["recording", "camera", "kind", "x", "y", "w", "h", "start_s", "end_s", "source", "decision"]])
    for row in rows:
        if row["source"] != CURATOR and row["decision"] == ACCEPTED:
            accepted.setdefault(_what(row), []).append((row["start_s"], row["end_s"]))
    repeats = [row["source"] == CURATOR and not without((row["start_s"], row["end_s"]), accepted.get(_what(row), ())) for row in rows]
    return redactions[~np.array(repeats, dtype=np.bool_)]


def _what(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("recording", "camera", "kind", "x", "y", "w", "h"))


def spans(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return every span and rectangle of the source in the vocabulary of ``redactions.csv``, to copy from when deciding.

    ``pictures`` are its first, middle and last frame, by number and source time; none when the raw
    file cannot be read. ``command`` opens the page there. What was read is not among it: that
    stays in the private table.
    """
    ordered = without_repeated(study.redactions).sort_values(["recording", "start_s", "end_s", "camera"], kind="stable")
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
