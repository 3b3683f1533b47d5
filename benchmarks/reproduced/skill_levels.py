"""Predicted skill of windows of JIGSAWS in 5seoyoung/Surgical-Skill-JIGSAWS: novice, intermediate or expert, by groups of trials left out.

A group is written as one video, each of its windows as one frame: then accuracy and mean F1 of a video are those of the group.
"""

from __future__ import annotations

import csv
from pathlib import Path

import scoring
from snapshot import Snapshot

COMMIT = "c790da8af77ce827724caa20fbaac8320790b1e7"
FILES = {
    "XGBoost": "out/ml_skill_stride1_subjid_exp/preds_xgb.csv",
    "XGBoost, basic features": "out/ml_skill_stride1_subjid/preds_xgb.csv",
    "LSTM": "out/dl/lstm_skill_stride1_subjid_fixed/preds_lstm.csv",
}
OPTIONS = (*scoring.PLAIN, "--variant", "averaged=by-video")


def write(rows: list[dict[str, str]], out: Path) -> tuple[Path, Path]:
    """Write labels and predictions of all groups as tables of phases."""
    sides = out / "truth", out / "predictions"
    for side, column in zip(sides, ("true", "pred"), strict=True):
        side.mkdir(parents=True)
        for group in sorted({row["subject"] for row in rows}):
            levels = [row[column] for row in rows if row["subject"] == group]
            lines = "".join(f"{window},{level}\n" for window, level in enumerate(levels))
            (side / f"{group}.csv").write_text(f"frame,phase_id\n{lines}", encoding="utf-8")
    return sides


def measure(repository: Path, work: Path) -> dict[str, object]:
    """Compute accuracy and mean F1 of the three models, by group and over the groups."""
    snapshot = Snapshot(repository, COMMIT)
    figures = {}
    for number, (model, file) in enumerate(FILES.items()):
        rows = list(csv.DictReader((snapshot.read(file) or b"").decode().splitlines()))
        found = scoring.score(*write(rows, work / str(number)), work / f"{number}.json", *OPTIONS)
        for rate in ("accuracy", "f1"):
            result = found.one(f"phase recognition {rate}", statistic="mean")
            figures |= {f"{model}, {rate} of {group}": float(of["value"]) for group, of in result["videos"].items()}
            figures[f"{model}, {rate}"] = float(result["overall"]["value"])
    return {"figures": figures, "windows": len(rows)}
