"""What became of the recordings: ready for the release, excluded or quarantined, which a person should look at."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.faults import count_text
from scrubin.base.tables.io import records
from scrubin.base.tables.private import of_recordings
from scrubin.stages.report import ReportedStudy, splits

FATES = ("ready", "excluded", "quarantined", "lost")
SECONDS_PER_HOUR = 3600


def overview(study: ReportedStudy) -> dict[str, Any]:
    """Return the numbers at the top of the report."""
    fates = _fate(study)
    return {
        "recordings": len(fates),
        **{name: int((fates["fate"] == name).sum()) for name in FATES},
        "participants": int(study.recordings["participant"].nunique()),
        "videos": len(study.videos),
        "hours": float(study.videos["duration_s"].sum()) / SECONDS_PER_HOUR,
        "frames": len(study.frames),
        "hidden_frames": int(study.frames["redacted"].sum()),
        "dropped_frames": int(study.frames["dropped"].sum()),
        "labelled_frames": len(study.labelled[["id", "frame"]].drop_duplicates()),
    }


def _fate(study: ReportedStudy) -> pd.DataFrame:
    """Return one row per recording: recording, task and fate.

    The fate is ready, excluded, quarantined, or lost: none of the three, which no stage
    explains and which the report must therefore show.
    """
    known = pd.concat([study.recordings[["recording", "task"]], of_recordings(study.quarantine)[["recording"]].assign(task="")])
    rows = known.drop_duplicates("recording").sort_values("recording", ignore_index=True)
    recordings = study.recordings.set_index("recording")["status"]
    quarantined = set(study.quarantine["recording"]) | set(recordings.index[recordings == "quarantined"])
    rendered = set(study.linkage.loc[study.linkage["id"].isin(study.videos["id"]), "recording"])
    name = rows["recording"]
    fates = np.select(
        [name.isin(rendered), name.isin(quarantined), name.isin({*recordings.index[recordings == "excluded"], *_excluded_by(study)})],
        ["ready", "quarantined", "excluded"],
        default="lost",
    )
    return rows.assign(fate=fates)


def by_task(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task the fates of its recordings and what is ready for the release; "" is a manifest row without a usable task."""
    fates = _fate(study)
    rows = []
    for task in sorted(set(fates["task"])):
        videos = study.videos[study.videos["task"] == task]
        counts = fates.loc[fates["task"] == task, "fate"].value_counts()
        rows.append(
            {
                "task": task,
                **{name: int(counts.get(name, 0)) for name in FATES},
                "videos": len(videos),
                "hours": float(videos["duration_s"].sum()) / SECONDS_PER_HOUR,
                "frames": int(study.frames["id"].isin(videos["id"]).sum()),
                "sizes": sorted({f"{width} × {height}" for width, height in zip(videos["width"], videos["height"], strict=True)}),
                "rates": sorted(set(videos["fps"])),
                "variable_rate": int(videos["variable_rate"].sum()),
            }
        )
    return rows


def quarantined(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return every quarantined file with its reason and the mend."""
    return records(study.quarantine.sort_values(["recording", "camera", "stage"]))


def excluded(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return every excluded recording with its files and the reason; a reviewer's exclusion says whose it is."""
    reasons = _excluded_by(study)
    rows = study.recordings[(study.recordings["status"] == "excluded") | study.recordings["recording"].isin(reasons)]
    return [
        {
            "recording": str(name),
            "task": group["task"].iloc[0],
            "paths": sorted(group["path"]),
            "reason": reasons.get(str(name), None if pd.isna(group["reason"].iloc[0]) else group["reason"].iloc[0]),
        }
        for name, group in rows.groupby("recording")
    ]


def _excluded_by(study: ReportedStudy) -> dict[str, str]:
    """Return by recording why a reviewer excluded it."""
    excluded = {one["recording"]: one["excluded"] for one in study.review["recordings"]}
    return {name: f"{one['why']} (reviewer: {one['by']})" for name, one in excluded.items() if one is not None}


def attention(study: ReportedStudy, much_hidden_share: float) -> list[dict[str, Any]]:
    """Return recording, released id (None when not released) and reasons, sorted by recording.

    Parameters
    ----------
    study
        The study.
    much_hidden_share
        More hidden frames than this share is a reason.
    """
    names, ids = study.names(), {name: id_ for id_, name in study.names().items()}
    reasons: dict[str, list[str]] = defaultdict(list)
    kept = study.recordings[study.recordings["status"] == "kept"]
    for name, group in kept.groupby("recording"):
        reasons[str(name)] += sorted(set(group["reason"].dropna()))
        if group["variable_rate"].fillna(value=False).any():
            reasons[str(name)].append("variable frame rate: times are exact, frame numbers are not evenly spaced")
    for name, group in study.redactions[~study.redactions["accepted"]].groupby("recording"):
        reasons[str(name)].append(f"{count_text(len(group), 'span')} shown, because rejected: can anybody be recognised?")
    for id_, share in study.frames.groupby("id")["redacted"].mean().items():
        if share > much_hidden_share:
            reasons[names[str(id_)]].append(f"{share:.0%} of its frames are hidden")
    released = splits.stays(study)
    for id_ in study.skill.loc[study.skill["strong_disagreement"].fillna(value=False), "id"]:
        where = f"it stays in {released[id_]}, where it was released" if id_ in released else "it may only be used for training"
        reasons[names[id_]].append(f"the raters disagree strongly: {where}")
    for id_ in study.skill.loc[study.skill["GRS"].isna(), "id"]:
        reasons[names[id_]].append("too few ratings for a GRS")
    for id_, notes in sorted(study.annotations["notes"].items()):
        reasons[names[id_]] += [f"labels: {sentence}" for sentence in notes]
    return [{"recording": name, "id": ids.get(name), "reasons": reasons[name]} for name in sorted(reasons) if reasons[name]]
