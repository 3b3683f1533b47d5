"""The extracted frames: their quality, their labels, their stereo pairs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pandas as pd

from scrubin.base.tables.io import records
from scrubin.base.tables.public import of_reference_camera
from scrubin.stages.release.gates import command_at
from scrubin.stages.report import ReportedStudy

WORST = {
    "sharpness": ("least sharp", True),
    "brightness": ("darkest", True),
    "contrast": ("least contrast", True),
    "saturated_share": ("most saturated", False),
}
"""What is worst of each measure, and whether that is the low end."""
MEASURES = tuple(WORST)
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


def worst_frames(study: ReportedStudy, count: int) -> list[dict[str, Any]]:
    """Return the worst visible frames, as many of each measure as fit, at most one per video and measure.

    A frame that is worst in several ways is shown once, for the first of them. A dropped frame
    has no picture to show. ``time_s`` is released time; ``source`` says where the frame stands in
    its recording, in source time, as the review wants it.
    """
    frames = visible(study)
    frames = frames[frames["path"].notna()]
    shown: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, (measure, (what, low)) in enumerate(WORST.items()):
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


def dropped_frames(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and measure how many frames were dropped, and their share of the visible frames."""
    rows = []
    for task, group in visible(study).groupby("task"):
        measures = group["dropped_why"].dropna().str.split(" ").str[0]
        for measure, count in measures.value_counts().sort_index().items():
            rows.append({"task": str(task), "measure": str(measure), "n": int(count), "share": int(count) / len(group)})
    return rows


def label_totals(study: ReportedStudy) -> dict[str, Any]:
    """Return how many recordings have labels, and by layer the frames, the rows, and the labels that lie outside the cut."""
    recordings = set(study.labelled["id"])
    counts = {
        "recordings": len(recordings),
        "without_labels": len(set(study.videos["id"]) - recordings),
        "left_out_recordings": study.annotations["left_out_recordings"],
    }
    frames = of_reference_camera(study.frames[["id", "camera"]])["id"]
    for layer, rows in (("phases", study.phases), ("instances", study.triplets)):
        labelled = study.labelled.loc[study.labelled["layer"] == layer, "id"]
        counts[f"{layer}_labelled_frames"] = len(labelled)
        counts[f"{layer}_unlabelled_frames"] = int(frames.isin(labelled).sum()) - len(labelled)
        counts[f"{layer}_rows"] = len(rows)
        counts |= {f"{layer}_labels_{side}": count for side, count in study.annotations["outside_cut"][layer].items()}
    return counts


def phases(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return frames and recordings per phase, in the order of the vocabulary."""
    return _counts(study.phases, ["vocabulary", "phase_id", "phase"])


def triplets(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return instances, frames and recordings per triplet, the most frequent first; null triplets of the vocabulary included."""
    rows = study.triplets.dropna(subset="triplet")
    counted = _counts(rows, ["vocabulary", "triplet_id", "triplet"])
    return sorted(counted, key=lambda row: (-row["rows"], row["vocabulary"], row["triplet_id"]))


def changed_labels(study: ReportedStudy) -> dict[str, Any]:
    """Return what label maps merged and how windows made actions of contacts; nothing where no label was changed."""
    return {name: study.annotations[name] for name in ("label_maps", "windows", "missing_sources") if name in study.annotations}


def annotators(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return who labelled each recording, by number, and with which help, where the labels say so."""
    stated = study.annotations.get("provenance", {})
    unsaid = dict.fromkeys(("changed", "refused"))  # by files of earlier versions
    return [{"id": id_, "recording": study.names()[id_], **unsaid, **said} for id_, said in sorted(stated.items())]


def interpolated(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return of how many boxes and points of each recording nobody said where they are, where the labels tell."""
    stated = study.annotations.get("interpolated", {})
    return [{"id": id_, "recording": study.names()[id_], **said} for id_, said in sorted(stated.items())]


def without_triplet(study: ReportedStudy) -> int:
    """Return how many instances are no triplet of their vocabulary."""
    return int(study.triplets["triplet"].isna().sum())


def _counts(rows: pd.DataFrame, key: list[str]) -> list[dict[str, Any]]:
    return [
        {
            **dict(zip(key, (part.item() if hasattr(part, "item") else part for part in parts), strict=True)),
            "rows": len(group),
            "frames": len(group[["id", "frame"]].drop_duplicates()),
            "recordings": int(group["id"].nunique()),
        }
        for parts, group in rows.groupby(key)
    ]


SAYS = ("error", "warning", "undecided")


def stereo(study: ReportedStudy) -> dict[str, Any]:
    """Return the pairs by rig, and those of which something is to be said, the most severe first."""
    table = study.stereo.assign(rig=study.stereo.rig.astype(object).where(study.stereo.rig.notna(), ""))
    names = study.names()
    told = [row for row in records(table) if any(row[name] for name in SAYS)]
    told.sort(key=lambda row: (next(place for place, name in enumerate(SAYS) if row[name]), row["id"]))
    return {
        "pairs": len(table),
        "rigs": [_rig(str(name), rows) for name, rows in table.groupby("rig", sort=True)],
        "wrong": sum(bool(row["error"] or row["warning"]) for row in told),
        "undecided": sum(bool(row["undecided"]) for row in told),
        "told": [{**row, "recording": names.get(row["id"], "")} for row in told],
    }


def _rig(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    silent = rows[list(SAYS)].isna().all(axis=1)
    return {
        "rig": name,
        "recordings": len(rows),
        "sound": int(silent.sum()),
        **{f"{kind}s": int(rows[kind].notna().sum()) for kind in ("error", "warning")},
        "undecided": int(rows["undecided"].notna().sum()),
        "offset_px": _number(rows["offset_px"].median()),
        "p95_px": _number(rows["p95_px"].median()),
        "lag_frames": _number(rows["lag_frames"].abs().max()),
        "depth_mm": _number(rows["depth_mm"].median()),
    }


def _number(value: Any) -> float | None:
    return None if pd.isna(value) else round(float(value), 3)
