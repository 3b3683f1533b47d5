"""How well screening finds what must be hidden, measured on the demo's truth, segment by segment.

Run after `make repro`:  .venv/bin/python benchmarks/screen_quality.py
A segment is found when any of it is detected; missed seconds are what of it stays visible.
Curator rows are left out: this is the detector alone, accepted or not.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from scrubin.tables import io
from scrubin.tables.recordings import RECORDINGS
from scrubin.tables.redactions import REDACTIONS

KINDS = ("out_of_body", "black")


def overlap_s(a: tuple[float, float], b: tuple[float, float]) -> float:
    return max(0.0, min(a[1], b[1]) - max(a[0], b[0]))


def measure(truth: pd.DataFrame, found: pd.DataFrame) -> dict[str, float]:
    """Return per-segment recall and precision and the seconds that were missed or hidden needlessly."""
    hits = missed_s = needless_s = right = 0.0
    for row in truth.itertuples():
        same = found[(found.recording == row.recording) & (found.camera == row.camera)]
        parts = [overlap_s((row.start_s, row.end_s), (a, b)) for a, b in zip(same.start_s, same.end_s, strict=True)]
        hits += sum(parts) > 0
        missed_s += row.end_s - row.start_s - sum(parts)
    for row in found.itertuples():
        same = truth[(truth.recording == row.recording) & (truth.camera == row.camera)]
        parts = [overlap_s((row.start_s, row.end_s), (a, b)) for a, b in zip(same.start_s, same.end_s, strict=True)]
        right += sum(parts) > 0
        needless_s += row.end_s - row.start_s - sum(parts)
    return {
        "segments": len(truth),
        "recall": hits / len(truth) if len(truth) else float("nan"),
        "precision": right / len(found) if len(found) else float("nan"),
        "missed_s": missed_s,
        "needless_s": needless_s,
    }


def main() -> None:
    recordings = io.read(RECORDINGS, Path("data/interim/recordings.parquet"))
    kept = set(recordings[recordings.status == "kept"].recording)
    spans = pd.DataFrame(json.loads(Path("data/demo_truth/spans.json").read_text(encoding="utf-8")))
    redactions = io.read(REDACTIONS, Path("data/interim/redactions.parquet"))
    detected = redactions[redactions.source == "detector"]
    rows = []
    for kind in KINDS:
        truth = spans[(spans.kind == kind) & spans.hide & spans.recording.isin(kept)]
        for name, found in (("all proposals", detected), ("accepted", detected[detected.accepted])):
            rows.append({"kind": kind, "counted": name, **measure(truth, found[found.kind == kind])})
    print(pd.DataFrame(rows).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
