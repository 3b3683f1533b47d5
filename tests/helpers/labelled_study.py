"""A study whose released videos are labelled: the sampled release, three annotators, an adjudicator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import clips
import review_study
import sampled_release
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS
from scrubin.base.tables.public import VIDEOS
from scrubin.curate.label import people, progress, written
from scrubin.curate.label.events import Answer, Change, Sheet, Span
from scrubin.curate.label.params import LabelParams
from scrubin.curate.label.people import Person
from scrubin.curate.label.standing import OfPerson
from scrubin.curate.label.workbench import Workbench
from scrubin.labels.files import reader
from scrubin.labels.formats.plain import label_files
from scrubin.labels.model import Labels
from scrubin.labels.registry import FORMATS
from scrubin.stages.review import Line

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
SINGLE, PAIR = sampled_release.IDS["single"], sampled_release.IDS["pair"]
NONCES = (f"nonce-{number:06d}" for number in range(10**6))


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


def layers(folder: Path, named: str) -> None:
    """Let other layers be labelled than all; further parameters may follow them."""
    review_study.change_params(folder, "[phases, actions, quality, ratings]", named)


def proposing(folder: Path, files: Mapping[str, str], options: str = "format: null", path: str = "predictions") -> Workbench:
    """Open the study with predictions in the folder of this name; ``path`` may be one file of it."""
    (folder / "predictions").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "predictions" / name).write_text(text, encoding="utf-8")
    review_study.change_params(folder, "proposals: null", f"proposals: {{path: {path}, {options}}}")
    return opened(folder)


def person(folder: Path, number: int) -> Person:
    """Return somebody by number."""
    return next(one for one in people.load(folder / people.PATH) if one.number == number)


def put(key: str, first: int, end: int, label: str, layer: str = "phases", **parts: str) -> Change:
    """Return the change that says a span."""
    return Change(layer, key, Span(first, end, label, **parts))


def rate(failed: bool = False, errors: dict[str, bool] | None = None, **scores: float) -> Change:
    """Return the change that rates a recording."""
    return Change("ratings", "sheet", Sheet(scores, failed, errors or {}))


def annotator(bench: Workbench) -> Person:
    """Return the first of those who label the single recording."""
    return person(bench.folder, bench.standing().assigned["single"][0])


def say(bench: Workbench, who: Person, *changes: Change, id_: str = SINGLE) -> Line:
    """Let somebody change labels."""
    return bench.label(who, id_, list(changes), next(NONCES))


def done(bench: Workbench, *said: Sequence[Change], name: str = "single") -> None:
    """Let those who label a recording be done, after each of the first ones said something, if anything is given."""
    numbers = bench.standing().assigned[name]
    for number, changes in zip(numbers, said or [()] * len(numbers), strict=False):
        who, id_ = person(bench.folder, number), sampled_release.IDS[name]
        if changes:
            say(bench, who, *changes, id_=id_)
        bench.say_done(who, id_, next(NONCES), done=True)


def mine(bench: Workbench, who: Person) -> OfPerson:
    """Return what somebody says of the single recording."""
    return bench.standing().of(bench.recordings[SINGLE].about, who.number)


def exported(bench: Workbench) -> bytes:
    """Export, and return the file of the single recording."""
    progress.export(bench)
    return (bench.folder / "data/raw" / written.LABELS_FOLDER / f"single{label_files.SUFFIX}").read_bytes()


def read(data: bytes, name: str = "single") -> Labels:
    """Return what a label file says."""
    contents = {f"{name}{label_files.SUFFIX}": data}
    (labels,) = reader.read_contents(contents, FORMATS[label_files.NAME], reader.Options()).collection.recordings
    return labels


def settle(bench: Workbench, who: Person, layer: str, frames: tuple[int, int], answer: Sequence[Answer], id_: str = SINGLE) -> None:
    """Let somebody settle what the page shows them at present."""
    at = (layer, *frames)
    shown = {(one["layer"], one["first"], one["end"]): one["seen"] for one in bench.view(who, id_).get("disputes", ())}
    bench.settle(who, id_, layer, frames, answer, next(NONCES), shown.get(at, ""))


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
