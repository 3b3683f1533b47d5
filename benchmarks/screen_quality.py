"""How well screening finds what must be hidden, segment by segment.

Run after `make repro`, from the repository root:  .venv/bin/python benchmarks/screen_quality.py

Measured are the detectors alone, without the curator's list, with the section `screen` of
params.yaml: on the synthetic study, as the stage screen left it, against its truth, and on films spliced from real footage. A
segment is found when any of it is proposed (text: when its rectangle is covered by nine tenths);
missed seconds are what of it no proposal hides, needless seconds are hidden although nothing is there.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import spliced

from scrubin.base import params
from scrubin.base.pixels import Box, shared_px
from scrubin.base.tables import io
from scrubin.base.tables.io import records
from scrubin.base.tables.private import PROPOSALS, RECORDINGS
from scrubin.stages.screen import screening
from scrubin.stages.screen.detector import ScreenParams
from scrubin.stages.screen.proposals import Proposal

TRUTH = Path("data/demo_truth")
LENGTHS_S = ((0.0, 0.5), (0.5, 2.0), (2.0, float("inf")))
BURSTS = (1, 2, 5, 10, 25)
COVERED = 0.9
ENCODERS = {
    "x264 crf 18": ("-c:v", "libx264", "-crf", "18", "-g", "250"),
    "x264 crf 28": ("-c:v", "libx264", "-crf", "28", "-preset", "veryfast", "-g", "25"),
    "x264 crf 35": ("-c:v", "libx264", "-crf", "35", "-preset", "ultrafast", "-g", "25"),
    "x264 400 kbit/s": ("-c:v", "libx264", "-b:v", "400k", "-g", "25"),
    "MPEG-4": ("-c:v", "mpeg4", "-q:v", "8", "-g", "12"),
}


@dataclass(frozen=True)
class Segment:
    """What must be hidden, or what is proposed: half open, in seconds."""

    file: str
    start_s: float
    end_s: float
    box_xywh: Box | None = None


def shared_s(a: Segment, b: Segment) -> float:
    """Seconds that a proposal hides of a segment."""
    if a.file != b.file:
        return 0.0
    if (
        a.box_xywh
        and b.box_xywh
        and shared_px(a.box_xywh, b.box_xywh) < COVERED * min(a.box_xywh[2] * a.box_xywh[3], b.box_xywh[2] * b.box_xywh[3])
    ):
        return 0.0
    return max(0.0, min(a.end_s, b.end_s) - max(a.start_s, b.start_s))


def measure(truth: list[Segment], found: list[Segment]) -> dict[str, float]:
    """Per-segment recall and precision, and the seconds that were missed or hidden needlessly."""
    hidden = [sum(shared_s(one, other) for other in found) for one in truth]
    meant = [sum(shared_s(one, other) for other in truth) for one in found]
    return {
        "segments": len(truth),
        "recall": sum(seconds > 0 for seconds in hidden) / len(truth) if truth else float("nan"),
        "proposals": len(found),
        "precision": sum(seconds > 0 for seconds in meant) / len(found) if found else float("nan"),
        "missed_s": sum(max(0.0, one.end_s - one.start_s - seconds) for one, seconds in zip(truth, hidden, strict=True)),
        "needless_s": sum(max(0.0, one.end_s - one.start_s - seconds) for one, seconds in zip(found, meant, strict=True)),
    }


def segments(file: str, proposals: Iterable[Proposal], kind: str) -> list[Segment]:
    return [Segment(file, *one.interval_s, one.box_xywh) for one in proposals if one.kind == kind]


def demo_truth() -> dict[str, list[Segment]]:
    spans = [one for one in json.loads((TRUTH / "spans.json").read_text(encoding="utf-8")) if one["hide"]]
    texts = json.loads((TRUTH / "text.json").read_text(encoding="utf-8"))
    truth = {
        kind: [Segment(f"{one['recording']}/{one['camera']}", one["start_s"], one["end_s"]) for one in spans if one["kind"] == kind]
        for kind in ("out_of_body", "black")
    }
    truth["text"] = [Segment(f"{one['recording']}/{one['camera']}", one["start_s"], one["end_s"], tuple(one["xywh"])) for one in texts]
    return truth | {"frozen": []}


def demo() -> None:
    recordings = io.read(RECORDINGS, Path("data/interim/recordings.parquet"))
    files = {f"{row.recording}/{row.camera}" for row in recordings[recordings.status == "kept"].itertuples()}
    # As the stage proposed it: which scene a task shows is known there.
    proposed: dict[str, list[Segment]] = {}
    for row in records(io.read(PROPOSALS, Path("data/interim/proposals.parquet"))):
        box = None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])
        proposed.setdefault(row["kind"], []).append(Segment(f"{row['recording']}/{row['camera']}", row["start_s"], row["end_s"], box))
    rows, by_length = [], []
    for kind, every in demo_truth().items():
        truth = [one for one in every if one.file in files]
        found = proposed.get(kind, [])
        rows.append({"kind": kind, **measure(truth, found)})
        for low, high in LENGTHS_S:
            some = [one for one in truth if low <= one.end_s - one.start_s < high]
            if some:
                measured = measure(some, found)
                by_length.append(
                    {"kind": kind, "from_s": low, "below_s": high} | {k: measured[k] for k in ("segments", "recall", "missed_s")}
                )
    show(f"the synthetic study, {len(files)} files", rows)
    show("the same by length of the segment", by_length)


def bursts(p: ScreenParams, folder: Path) -> None:
    """Show how bursts of a man in a car and of a street are found between other pictures."""
    rows = []
    pairs = [("bigbuckbunny", "carphone_pristine"), ("bigbuckbunny", "bikes"), ("carphone_pristine", "bikes")]
    for inside, outside in pairs:
        for length in BURSTS:
            frames, truth = spliced.with_bursts(
                *(spliced.pictures(spliced.REAL[name], (352, 288)) for name in (inside, outside)), (length,) * 3
            )
            proposals = screening.proposals(spliced.film(folder / "a.mkv", frames), p)
            meant = [Segment("a", first / spliced.FPS, end / spliced.FPS) for first, end in truth]
            measured = measure(meant, segments("a", proposals, "out_of_body"))
            faces = sum((one.faces or 0) > 0 for one in proposals)
            rows.append({"inside": inside, "outside": outside, "frames": length, **measured, "with_faces": faces})
    show("bursts of real footage in other real footage (0.2 s of margin on both sides are needless)", rows)


def burned_in(p: ScreenParams, folder: Path) -> None:
    rows = []
    sizes = {"bikes": (960, 408), "bigbuckbunny": (1280, 720), "carphone_pristine": (704, 576)}
    for height_px, opacity in itertools.product((10, 14, 20, 32), (0.35, 0.6, 1.0)):
        found = right = needless = 0
        for k, (name, size) in enumerate(sizes.items()):
            font, at = spliced.FONTS[k % len(spliced.FONTS)], (12, height_px + 12 if k % 2 else size[1] - 12)
            frames = spliced.written(spliced.pictures(spliced.REAL[name], size), "Brenner 4711 {clock}", height_px, opacity, font, at)
            texts = [one for one in screening.proposals(spliced.film(folder / "a.mkv", frames), p) if one.kind == "text"]
            mine = [one for one in texts if one.box_xywh and abs(one.box_xywh[1] + one.box_xywh[3] / 2 - at[1] + height_px / 2) < height_px]
            found += bool(mine)
            right += any("Brenner" in (one.text or "") for one in mine)
            needless += len(texts) - len(mine)
        rows.append(
            {"height_px": height_px, "opacity": opacity, "films": len(sizes), "found": found, "name_read": right, "elsewhere": needless}
        )
    show("a name and a running clock burned into real footage", rows)
    plain = [
        {"film": name, "texts": sum(one.kind == "text" for one in screening.proposals(path, p))} for name, path in spliced.REAL.items()
    ]
    show("the same footage without it", plain)


def frozen(p: ScreenParams, folder: Path) -> None:
    rows = []
    for name, encoder in ENCODERS.items():
        path = spliced.frozen(spliced.REAL["bikes"], folder / "frozen.mkv", 100, 5.0, encoder)
        truth = [Segment("a", 99 / spliced.FPS, 99 / spliced.FPS + 5.04)]
        rows.append({"encoder": name, **measure(truth, segments("a", screening.proposals(path, p), "frozen"))})
    show("a picture that stands still for 5 s after 4 s of real footage", rows)


def show(title: str, rows: list[dict[str, object]]) -> None:
    print(f"\n{title}\n{pd.DataFrame(rows).round(3).to_string(index=False)}")


def main() -> None:
    p = params.load("screen", ScreenParams)
    demo()
    with tempfile.TemporaryDirectory() as folder:
        bursts(p, Path(folder))
        frozen(p, Path(folder))
        burned_in(p, Path(folder))


if __name__ == "__main__":
    main()
