"""Stereo pairs: how well both cameras fit their calibration, rig by rig, and the pairs that somebody should look at."""

from __future__ import annotations

from typing import Any

import pandas as pd

from scrubin.report.reported_study import ReportedStudy, records

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
