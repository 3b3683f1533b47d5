"""Quality of the extracted frames: how it is distributed, and the worst ones."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pandas as pd

from scrubin.release.review_gate import command_at
from scrubin.report.reported_study import ReportedStudy

MEASURES = ("sharpness", "brightness", "contrast", "saturated_share")
WORST = {
    "sharpness": ("least sharp", True),
    "brightness": ("darkest", True),
    "contrast": ("least contrast", True),
    "saturated_share": ("most saturated", False),
}
"""What is worst of each measure, and whether that is the low end."""
QUANTILES = {"p05": 0.05, "median": 0.5, "p95": 0.95}


def visible(study: ReportedStudy) -> pd.DataFrame:
    """Return the frames that are not hidden, with their task. A black frame says nothing about the camera."""
    tasks = study.videos.drop_duplicates("id").set_index("id")["task"]
    frames = study.frames[~study.frames["redacted"]]
    return frames.assign(task=frames["id"].map(tasks).astype("str"))


def distributions(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and measure the number of visible frames and the quantiles (linear interpolation)."""
    rows = []
    for task, group in visible(study).groupby("task"):
        for measure in MEASURES:
            quantiles = {name: float(group[measure].quantile(share)) for name, share in QUANTILES.items()}
            rows.append({"task": str(task), "measure": measure, "n": len(group), **quantiles})
    return rows


def worst(study: ReportedStudy, count: int) -> list[dict[str, Any]]:
    """Return the worst visible frames, as many of each measure as fit, at most one per video and measure.

    A frame that is worst in several ways is shown once, for the first of them. A dropped frame
    has no picture to show. ``time_s`` is released time; ``source`` says where the frame stands in
    its recording, in source time, as the review wants it.
    """
    frames = visible(study)
    frames = frames[frames["path"].notna()]
    shown: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, measure in enumerate(MEASURES):
        what, low = WORST[measure]
        room = (count * (number + 1)) // len(MEASURES) - len(shown)
        ranked = frames.sort_values([measure, "id", "camera", "frame"], ascending=[low, True, True, True]).drop_duplicates(["id", "camera"])
        for row in ranked[~ranked["path"].isin(seen)].head(room).to_dict("records"):
            seen.add(row["path"])
            place = {name: row[name] for name in ("id", "camera", "frame", "task", "path")}
            worst = {"measure": measure, "what": what, "value": float(row[measure])}
            shown.append({**place, "time_s": float(row["time_s"]), **worst, "source": _source(study, row)})
    return shown


def _source(study: ReportedStudy, row: Mapping[Any, Any]) -> dict[str, Any]:
    cut = study.cuts[(study.cuts["id"] == row["id"]) & (study.cuts["camera"] == row["camera"])].iloc[0]
    time_s = float(Fraction(cut["offset_s"])) + float(row["time_s"])
    frame = int(cut["first_source_frame"]) + int(row["source_frame"])
    return {"recording": cut["recording"], "frame": frame, "time_s": time_s, "command": command_at(cut["recording"], time_s)}


def dropped(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and measure how many frames were dropped, and their share of the visible frames."""
    rows = []
    for task, group in visible(study).groupby("task"):
        measures = group["dropped_why"].dropna().str.split(" ").str[0]
        for measure, count in measures.value_counts().sort_index().items():
            rows.append({"task": str(task), "measure": str(measure), "n": int(count), "share": int(count) / len(group)})
    return rows
