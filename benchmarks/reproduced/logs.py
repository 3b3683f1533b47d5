"""Logs of test videos of Cholec80 in csai-arc/cholec-layercam-spc-ssm: frame, predicted phase, seven scores, labelled phase, at 25 fps."""

from __future__ import annotations

from pathlib import Path

import scoring
from snapshot import Snapshot

COMMIT = "c1a1292df33b32eaf431345af47f3557906c08f0"
FOLDER = "spc_graph_inference/eval_logs_video_wise"
OPTIONS = (
    "--from",
    "phase-tables",
    "--predictions-from",
    "phase-tables",
    "--fps",
    "25",
    "--vocabulary",
    "cholec80",
    "--variant",
    "scope=frame-wise",
)


def measure(repository: Path, work: Path) -> dict[str, object]:
    """Score the logs whose content the copy has, frames of all videos pooled."""
    snapshot = Snapshot(repository, COMMIT)
    sides = work / "truth", work / "predictions"
    for side in sides:
        side.mkdir(parents=True)
    names = snapshot.names(FOLDER)
    missing = 0
    for name in names:
        data = snapshot.read(name)
        if data is None:
            missing += 1
            continue
        cells = [line.split() for line in data.decode().splitlines() if line.strip()]
        for side, column in zip(sides, (-1, 1), strict=True):
            rows = "".join(f"{frame},{row[column]}\n" for frame, row in enumerate(cells))
            (side / f"{Path(name).stem}.csv").write_text(f"frame,phase_id\n{rows}", encoding="utf-8")
    found = scoring.score(*sides, work / "scores.json", *OPTIONS)
    recall = found.one("phase recognition recall", statistic="mean")["classes"]
    figures = {f"recall of {phase}": float(value["value"]) for phase, value in recall.items()}
    return {"figures": figures, "videos": len(names) - missing, "files without content": missing}
