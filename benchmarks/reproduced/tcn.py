"""Predictions with their labels in colincsl/TemporalConvolutionalNetworks: 50 Salads, GTEA, and suturing of JIGSAWS; its `metrics.py`.

Class 0 is the background of 50 Salads and GTEA, which edit score and F1 leave out. JIGSAWS has none.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import comparison
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
    "GTEA, dilated TCN": "GTEA/video_DilatedTCN_L5_B2",
    "GTEA, ST-CNN": "GTEA/video_tCNN_C30",
    "GTEA, spatial CNN": "GTEA/video_SVM",
    "JIGSAWS suturing, video, ED-TCN": "JIGSAWS/video_ED-TCN_L2_C20",
    "JIGSAWS suturing, kinematics, ED-TCN": "JIGSAWS/sensors_ED-TCN_L2_C15",
}


OVERLAPS = (10, 25, 50)
SHIMS = {
    "numba.py": "int64 = boolean = None\ndef jit(*_):\n    return lambda function: function\n",
    "matplotlib/pylab.py": "rcParams = {}\n",
    "matplotlib/__init__.py": "",
}
"""What `metrics.py` imports and does not need: speed and pictures."""
THEIRS = """\
import json, sys
import numpy as np
from scipy import io
np.float = float  # a name that NumPy had then
import metrics
out = {}
for name, files, background in json.load(sys.stdin):
    labels, predictions = ([np.ravel(ids).astype(int) for file in files for ids in io.loadmat(file)[side][0]] for side in "YP")
    classes = int(max(map(np.max, labels + predictions))) + 1
    out[name + ", accuracy"] = metrics.accuracy(predictions, labels)
    out[name + ", edit score"] = metrics.edit_score(predictions, labels, bg_class=background)
    for percent in (10, 25, 50):
        out[f"{name}, F1@{percent}"] = metrics.overlap_f1(predictions, labels, classes, background, overlap=percent / 100)
print(json.dumps(out))
"""


def background_of(name: str) -> int | None:
    """Return the class that does not count."""
    return None if name.startswith("JIGSAWS") else 0


def by_their_program(snapshot: Snapshot, work: Path) -> dict[str, float]:
    """Return what the functions of `metrics.py` return for all sets."""
    snapshot.write("code", work / "code")
    for file, text in SHIMS.items():
        path = work / "shims" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sets = [(name, sorted(map(str, snapshot.write(f"predictions/{at}", work / at))), background_of(name)) for name, at in SETS.items()]
    words = [sys.executable, "-W", "ignore", "-c", THEIRS]
    environment = {"PYTHONPATH": f"{work / 'shims'}:{work / 'code'}"}
    done = subprocess.run(words, input=json.dumps(sets), capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout)
    return found


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
    """Score all sets of predictions with our program and with theirs."""
    snapshot = Snapshot(repository, COMMIT)
    figures = {}
    for number, (name, folder) in enumerate(SETS.items()):
        sides = write(snapshot, folder, work / str(number))
        frames = scoring.score(*sides, work / f"{number}_frames.json", *scoring.PLAIN)
        background = "none" if background_of(name) is None else str(background_of(name))
        options = ("--variant", "kind=segments", f"background={background}")
        segments = scoring.score(*sides, work / f"{number}_segments.json", *scoring.PLAIN, *options)
        figures[f"{name}, accuracy"] = 100 * frames.value("phase recognition accuracy", statistic="mean")
        figures[f"{name}, edit score"] = 100 * segments.value("phase segments edit score", statistic="mean")
        for percent in OVERLAPS:
            figures[f"{name}, F1@{percent}"] = 100 * segments.value(f"phase segments F1@{percent}", statistic="mean")
    theirs = by_their_program(snapshot, work)
    agreement = comparison.agreement((figures[name], theirs[name]) for name in sorted(figures.keys() | theirs.keys()))
    return {"figures": figures, "program": agreement}
