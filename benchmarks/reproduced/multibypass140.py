"""MultiBypass140: the spans of its labels read by us, beside the authors' own frames once per second.

The repository has phases in milliseconds (`labels_by70/*.json`) and, for training, one phase per second (`1fps_*.pickle`). The
labels go through `scrubin convert`, once per second by each of its two rules, and are compared second by second: as they are, where
`out_of_body` lies over the phases and counts, and without it, as the authors' frames are.
"""

from __future__ import annotations

import csv
import io
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from snapshot import Snapshot

COMMIT = "d3ace464d04ec3f4661f2f992276554e9a5b5af6"
SITES = ("bern", "strasbourg")


class Data(pickle.Unpickler):
    """Reads dictionaries, lists, text and numbers, and no program."""

    def find_class(self, module: str, name: str) -> Any:
        """Refuse everything that is not plain data."""
        msg = f"{module}.{name} in a file of labels"
        raise pickle.UnpicklingError(msg)


def frames_of(snapshot: Snapshot, site: str) -> tuple[dict[str, list[tuple[int, int]]], int]:
    """Return second and phase of all frames by video, and how many files the copy has no content of."""
    videos: dict[str, list[tuple[int, int]]] = {}
    missing = 0
    for name in snapshot.names(f"labels/{site}/labels_by70_splits/labels"):
        if not name.endswith(".pickle") or "with_iae" in name:
            continue
        data = snapshot.read(name)
        if data is None:
            missing += 1
            continue
        for video, rows in Data(io.BytesIO(data)).load().items():
            frames = [(row["Original_frame_id"], row["Phase_gt"]) for row in rows]
            if videos.setdefault(video, frames) != frames:
                msg = f"{video} has other frames in {name}"
                raise SystemExit(msg)
    return videos, missing


def without_out_of_body(source: Path, out: Path) -> Path:
    """Write the labels without the spans that lie over the phases."""
    out.mkdir()
    for path in sorted(source.iterdir()):
        document = json.loads(path.read_text(encoding="utf-8"))
        document["phases"] = [span for span in document["phases"] if span["label_name"] != "out_of_body"]
        (out / path.name).write_text(json.dumps(document), encoding="utf-8")
    return out


def converted(labels: Path, instant: str, out: Path) -> dict[str, dict[int, int]]:
    """Return the phase at each second by video, as `scrubin convert` writes it."""
    program = Path(sys.executable).with_name("scrubin")
    words = ["--from", "multibypass140", "--to", "tables-csv", "--to-fps", "1", "--instant", instant, "--out", out]
    done = subprocess.run([program, "convert", labels, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    videos: dict[str, dict[int, int]] = {}
    with (out / "phases.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            videos.setdefault(row["id"], {})[int(row["frame"])] = int(row["phase_id"])
    return videos


def differences(ours: dict[int, int], theirs: dict[int, int]) -> dict[str, int]:
    """Return how many seconds both have, on how many of these the phases differ, and how many only one has."""
    shared = ours.keys() & theirs.keys()
    return {
        "seconds": len(shared),
        "different": sum(ours[second] != theirs[second] for second in shared),
        "only ours": len(ours.keys() - shared),
        "only theirs": len(theirs.keys() - shared),
        "only ours, after their last": sum(second > max(theirs) for second in ours.keys() - shared),
    }


def measure(repository: Path, work: Path) -> dict[str, object]:
    """Count the seconds that differ, by both rules for which instant of a second decides."""
    snapshot = Snapshot(repository, COMMIT)
    found: dict[str, dict[str, int]] = {}
    missing = 0
    for site in SITES:
        videos, without = frames_of(snapshot, site)
        missing += without
        labels = work / site / "labels"
        snapshot.write(f"labels/{site}/labels_by70", labels)
        bare = without_out_of_body(labels, work / site / "bare")
        for name, folder, instant in (
            ("as they are", labels, "end"),
            ("without out_of_body", bare, "end"),
            ("without out_of_body, start", bare, "start"),
        ):
            ours = converted(folder, instant, work / site / name)
            of_site = [differences(ours[video], dict(frames)) | {"videos": 1} for video, frames in sorted(videos.items())]
            found[f"{site}, {name}"] = {key: sum(one[key] for one in of_site) for key in of_site[0]}
    return {"counts": found, "files without content": missing}
