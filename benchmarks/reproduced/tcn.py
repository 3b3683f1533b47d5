"""Predictions with their labels in colincsl/TemporalConvolutionalNetworks: 50 Salads, GTEA, and suturing of JIGSAWS."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import scoring
from scipy import io as matlab
from snapshot import Snapshot

COMMIT = "cccdf868ed4c7a56745b41d30fd9f1dc637eb3f3"
SETS = {
    "50 Salads, mid, ED-TCN": "50Salads/mid/mid_video_ED-TCN_L2_C15",
    "50 Salads, mid, dilated TCN": "50Salads/mid/mid_video_DilatedTCN_B3_L5",
    "50 Salads, mid, ST-CNN": "50Salads/mid/mid_video_tCNN_C36",
    "50 Salads, mid, spatial CNN": "50Salads/mid/mid_video_SVM",
    "50 Salads, eval, ED-TCN": "50Salads/eval/eval_video_ED-TCN_L2_C18",
    "50 Salads, eval, dilated TCN": "50Salads/eval/eval_video_DilatedTCN_L5_B2",
    "50 Salads, eval, ST-CNN": "50Salads/eval/eval_video_tCNN_C36",
    "50 Salads, eval, spatial CNN": "50Salads/eval/eval_video_SVM",
    "GTEA, ED-TCN": "GTEA/video_ED-TCN_L2_C25",
    "GTEA, spatial CNN": "GTEA/video_SVM",
    "JIGSAWS suturing, video, ED-TCN": "JIGSAWS/video_ED-TCN_L2_C20",
    "JIGSAWS suturing, kinematics, ED-TCN": "JIGSAWS/sensors_ED-TCN_L2_C15",
}


def write(snapshot: Snapshot, folder: str, out: Path) -> tuple[Path, Path]:
    """Write labels and predictions of all trials of all splits as CSV."""
    sides = out / "truth", out / "predictions"
    for side in sides:
        side.mkdir(parents=True)
    trial = 0
    for name in snapshot.names(f"predictions/{folder}"):
        variables = matlab.loadmat(io.BytesIO(snapshot.read(name) or b""))
        for pair in zip(variables["Y"][0], variables["P"][0], strict=True):
            trial += 1
            for side, ids in zip(sides, pair, strict=True):
                rows = "".join(f"{frame},{phase}\n" for frame, phase in enumerate(np.ravel(ids).astype(int).tolist()))
                (side / f"trial{trial:02d}.csv").write_text(f"frame,phase_id\n{rows}", encoding="utf-8")
    return sides


def measure(repository: Path, work: Path) -> dict[str, object]:
    """Score all sets of predictions."""
    snapshot = Snapshot(repository, COMMIT)
    figures = {}
    for number, (name, folder) in enumerate(SETS.items()):
        truth, predictions = write(snapshot, folder, work / str(number))
        found = scoring.score(truth, predictions, work / f"{number}.json", *scoring.PLAIN)
        figures[f"{name}, accuracy"] = 100 * found.value("phase recognition accuracy", statistic="mean")
    return {"figures": figures}
