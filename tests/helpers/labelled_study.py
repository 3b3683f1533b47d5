"""A study whose released videos are labelled: the sampled release, three annotators, an adjudicator."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import clips
import sampled_release
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS
from scrubin.base.tables.public import VIDEOS
from scrubin.curate.label import people
from scrubin.curate.label.events import Answer, Change, Sheet, Span
from scrubin.curate.label.params import LabelParams
from scrubin.curate.label.people import Person
from scrubin.curate.label.workbench import Workbench

SECTION = """
label:
  layers: [phases, actions, quality, ratings]
  vocabulary: cholect50
  tasks: []
  annotators: "2"
  overlap: 1.0
  order: mixed
  seed: 0
  settle: third
  edge_s: 0.1
  score_points: 1.0
  shortest_s: 0.2
  quality: [smoke, blurred]
  proposals: null
  anchors: {depth_perception: {"1": "misses often", "5": "exact"}}
"""
SCORES = """
scores:
  aspects: [depth_perception, efficiency]
  lowest: 1
  highest: 5
  step: 1
  failed_mark: null
  not_rated: not rated
  failed_grs: -2.5
  min_ratings: 2
  strong_percentile: 95
  error_rule: majority
  reviewer: "3"
  complementary_raters: []
  errors: {Task: [object_dropped]}
  failure_rules: {}
"""
PARAMS = LabelParams(
    vocabulary="cholect50",
    tasks=(),
    annotators="2",
    quality=(),
    anchors={},
    proposals=None,
    layers=("phases",),
    overlap=1.0,
    order="mixed",
    seed=0,
    settle="third",
    edge_s=1.0,
    score_points=1.0,
    shortest_s=1.0,
)
"""Of tests without files."""
NAMES = ("Ann Weber", "Ben Krüger", "Cem Öz")
FIRST = sampled_release.FIRST


def project(folder: Path, section: str = SECTION) -> Path:
    """Make a checkout with a finished release and what is labelled of it."""
    sampled_release.project(folder)
    params = folder / "params.yaml"
    params.write_text(params.read_text(encoding="utf-8") + SCORES + section, encoding="utf-8")
    return folder


def staffed(folder: Path) -> dict[int, str]:
    """Let three annotators and an adjudicator come in; return their tokens by number."""
    tokens = {}
    for name in NAMES:
        person, token = people.add(name, "annotator", folder / people.PATH)
        tokens[person.number] = token
    person, token = people.add("Dora", "adjudicator", folder / people.PATH)
    return {**tokens, person.number: token}


def person(folder: Path, number: int) -> Person:
    """Return somebody by number."""
    return next(one for one in people.load(folder / people.PATH) if one.number == number)


def put(key: str, first: int, end: int, label: str, layer: str = "phases", **parts: str) -> Change:
    """Return the change that says a span."""
    return Change(layer, key, Span(first, end, label, **parts))


def rate(failed: bool = False, errors: dict[str, bool] | None = None, **scores: float) -> Change:
    """Return the change that rates a recording."""
    return Change("ratings", "sheet", Sheet(scores, failed, errors or {}))


def settle(bench: Workbench, who: Person, id_: str, layer: str, frames: tuple[int, int], answer: Sequence[Answer], nonce: str) -> None:
    """Let somebody settle what the page shows them at present."""
    at = (layer, *frames)
    shown = {(one["layer"], one["first"], one["end"]): one["seen"] for one in bench.view(who, id_).get("disputes", ())}
    bench.settle(who, id_, layer, frames, answer, nonce, shown.get(at, ""))


def opened(folder: Path, **options: Any) -> Workbench:
    """Open the study."""
    bench = Workbench.open(folder)
    for name, value in options.items():
        setattr(bench, name, value)
    return bench


def trim(folder: Path, frames: int) -> None:
    """Let the released video of the single recording begin so many frames later."""
    for table, path in ((CUTS, "data/interim/cuts.parquet"), (VIDEOS, "data/tables/videos.parquet")):
        rows = io.read(table, folder / path)
        single = rows["id"] == sampled_release.IDS["single"]
        rows.loc[single, "frame_count"] -= frames
        if "first_source_frame" in rows:
            rows.loc[single, "first_source_frame"] += frames
        io.write(table, rows, folder / path)


def widen(folder: Path, pixel_aspect: Fraction) -> None:
    """Let the pixels of the released video of the single recording be so wide to their height."""
    videos = io.read(VIDEOS, folder / "data/tables/videos.parquet")
    at = videos.index[videos["id"] == sampled_release.IDS["single"]][0]
    path = folder / "data/release" / videos.loc[at, "path"]
    clips.numbered(path, sampled_release.SINGLE_FRAMES, fps=sampled_release.FPS, levels=61, pixel_aspect=pixel_aspect)
    videos.loc[at, "sha256"] = sha256_of(path)
    io.write(VIDEOS, videos, folder / "data/tables/videos.parquet")
