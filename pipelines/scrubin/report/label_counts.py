"""Labels: how many frames have which phase and which triplet."""

from __future__ import annotations

from typing import Any

import pandas as pd

from scrubin.report.reported_study import ReportedStudy
from scrubin.tables.cameras import of_reference_camera


def totals(study: ReportedStudy) -> dict[str, Any]:
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
    return _counts(study.phases, ["vocabulary", "phase_id", "phase"], ["vocabulary", "phase_id"])


def triplets(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return instances, frames and recordings per triplet, the most frequent first; null triplets of the vocabulary included."""
    rows = study.triplets.dropna(subset="triplet")
    counted = _counts(rows, ["vocabulary", "triplet_id", "triplet"], ["vocabulary", "triplet_id"])
    return sorted(counted, key=lambda row: (-row["rows"], row["vocabulary"], row["triplet_id"]))


def changed(study: ReportedStudy) -> dict[str, Any]:
    """Return what label maps merged and how windows made actions of contacts; nothing where no label was changed."""
    return {name: study.annotations[name] for name in ("label_maps", "windows") if name in study.annotations}


def without_triplet(study: ReportedStudy) -> int:
    """Return how many instances are no triplet of their vocabulary."""
    return int(study.triplets["triplet"].isna().sum())


def _counts(rows: pd.DataFrame, key: list[str], order: list[str]) -> list[dict[str, Any]]:
    counts = [
        {
            **dict(zip(key, (part.item() if hasattr(part, "item") else part for part in parts), strict=True)),
            "rows": len(group),
            "frames": len(group[["id", "frame"]].drop_duplicates()),
            "recordings": int(group["id"].nunique()),
        }
        for parts, group in rows.groupby(key)
    ]
    return sorted(counts, key=lambda row: tuple(row[name] for name in order))
