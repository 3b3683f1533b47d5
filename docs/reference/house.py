"""The picture of the house: which stage makes what, and the ways of a recording, a decision, a rating, a label and a split through it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import grimp
import yaml

from reference.api import first_line, packages
from reference.markdown import code, table

ROOT = Path(__file__).parents[2]
STEP_X, STEP_Y = 132, 92
BOX_W, BOX_H = 108, 44
LEFT, TOP = 14, 34
WIDTH, HEIGHT = LEFT + 8 * STEP_X, TOP + 5 * STEP_Y + 6


@dataclass(frozen=True)
class Box:
    """A stage or a pile of files at a place of the picture: column, row, and the lines written on it."""

    column: float
    row: float
    lines: tuple[str, ...]
    role: str = "stage"


BOXES: Mapping[str, Box] = {
    "raw recordings": Box(0, 0, ("raw", "recordings"), "files"),
    "rater sheets": Box(0, 2, ("rater", "sheets"), "files"),
    "label files": Box(0, 3, ("label", "files"), "files"),
    "withdrawals": Box(1, 1, ("withdrawals", "who left")),
    "ingest": Box(1, 0, ("ingest", "what is kept")),
    "pseudonymize": Box(2, 1, ("pseudonymize", "made-up names")),
    "screen": Box(2, 0, ("screen", "what identifies")),
    "people": Box(2, 2, ("people", "look and decide"), "files"),
    "decisions": Box(3, 1, ("decisions", "the ledger")),
    "review": Box(3, 0, ("review", "what is hidden")),
    "render": Box(4, 0, ("render", "cut, hide, strip")),
    "frames": Box(5, 1, ("frames", "one per second")),
    "stereo": Box(5, 0, ("stereo", "rigs, both cameras")),
    "scores": Box(3, 2, ("scores", "skill, errors")),
    "annotations": Box(3, 3, ("annotations", "labels on frames")),
    "splits": Box(5, 2, ("splits", "who trains")),
    "groundtruth": Box(6, 3, ("groundtruth", "what metrics take")),
    "validate": Box(6, 2, ("validate", "every rule")),
    "report": Box(6, 4, ("report", "for the curator")),
    "release": Box(7, 1, ("release", "and its audit")),
    "data/release": Box(7, 0, ("data/release", "whole, or not there"), "files"),
}
WAYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "recording": (
        ("raw recordings", "ingest", "screen", "review", "render", "frames", "release", "data/release"),
        ("ingest", "pseudonymize", "render"),
        ("render", "stereo", "release"),
    ),
    "decision": (("people", "decisions", "review", "release"), ("withdrawals", "ingest")),
    "rating": (("rater sheets", "scores", "splits"),),
    "label": (("label files", "annotations", "groundtruth", "release"),),
    "split": (("splits", "validate", "release"), ("splits", "groundtruth")),
}


def picture() -> str:
    """Return the picture as SVG inside a page; raises ``ValueError`` when a stage of dvc.yaml is not in it."""
    stages = {*_pipeline()} - {"demo"}
    drawn = {name for name, box in BOXES.items() if box.role == "stage"}
    if drawn != stages:
        msg = f"docs/reference/house.py draws {sorted(drawn)}, but the stages are {sorted(stages)}"
        raise ValueError(msg)
    marks = "".join(
        f'<marker id="to-{way}" class="{way}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 10 5 0 10z"/></marker>'
        for way in WAYS
    )
    drawing = [_wall(), *_arrows(), *(_box(box) for box in BOXES.values()), *_legend()]
    label = (
        "Stages of the pipeline, and the ways of a recording, a decision, a rating, a label and a split from the raw study to the release"
    )
    opening = f'<svg class="house" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
    return f"```{{raw}} html\n{opening}<defs>{marks}</defs>{''.join(drawing)}</svg>\n```\n"


def wings() -> str:
    """Return every wing of the library, lowest first, what a person finds there, and which packages of an extra it imports."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    packages_of_extras = {name for contract in contracts if contract["type"] == "protected" for name in contract["protected_modules"]}
    graph = grimp.build_graph("scrubin", include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None)
    rows = []
    for layer in reversed(layers):
        for name in layer.split(" | "):
            if name != "__main__":
                package = f"scrubin.{name}"
                own = {package, *graph.find_descendants(package)}
                used = sorted(name for name in packages_of_extras & graph.modules if own & graph.find_modules_that_directly_import(name))
                rows.append((code(name), first_line(package), ", ".join(map(code, used))))
    return table(("wing", "what you find there", "packages of extras that it, or a room of it, imports"), rows)


def rooms() -> str:
    """Return every package, what a person finds there, and which stages run again when it changes."""
    rows = []
    for package, _ in packages():
        if package.count(".") in (1, 2):
            again = [stage for stage, of in _pipeline().items() if _uses(of, package)]
            rows.append((f"[`{package.removeprefix('scrubin.')}`](#{package})", first_line(package), ", ".join(map(code, again))))
    return table(("folder", "what you find there", "stages that run again when it changes"), rows)


def _pipeline() -> Mapping[str, Mapping[str, Any]]:
    stages: Mapping[str, Mapping[str, Any]] = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    return stages


def _uses(stage: Mapping[str, Any], package: str) -> bool:
    folder = package.replace("scrubin", "${lib}", 1).replace(".", "/")
    return any(f"{dep}/".startswith(f"{folder}/") or folder.startswith(f"{dep}/") for dep in stage["deps"])


def _middle(box: Box) -> tuple[float, float]:
    return LEFT + box.column * STEP_X + BOX_W / 2, TOP + box.row * STEP_Y + BOX_H / 2


def _box(box: Box) -> str:
    x, y = _middle(box)
    first, second = box.lines
    corner = 16 if box.role == "files" else 4
    frame = f'<rect x="{x - BOX_W / 2:g}" y="{y - BOX_H / 2:g}" width="{BOX_W}" height="{BOX_H}" rx="{corner}"/>'
    lettering = f'<text x="{x:g}" y="{y - 3:g}">{first}</text><text class="small" x="{x:g}" y="{y + 13:g}">{second}</text>'
    return f'<g class="{box.role}">{frame}{lettering}</g>'


def _arrows() -> Iterator[str]:
    for way, chains in WAYS.items():
        for chain in chains:
            for start, end in pairwise(chain):
                (x0, y0), (x1, y1) = _edge(BOXES[start], BOXES[end]), _edge(BOXES[end], BOXES[start])
                yield f'<path class="{way}" marker-end="url(#to-{way})" d="M{x0:g} {y0:g} L{x1:g} {y1:g}"/>'


def _edge(box: Box, towards: Box) -> tuple[float, float]:
    """Return where the line between the middles of two boxes leaves the first one."""
    (x, y), (to_x, to_y) = _middle(box), _middle(towards)
    dx, dy = to_x - x, to_y - y
    share = min(BOX_W / 2 / abs(dx) if dx else 9, BOX_H / 2 / abs(dy) if dy else 9)
    return round(x + dx * share, 1), round(y + dy * share, 1)


def _wall() -> str:
    x = LEFT + 7 * STEP_X - (STEP_X - BOX_W) / 2
    path = f"M{x:g} 6 V{TOP + 2 * STEP_Y:g}"
    return f'<path class="wall" d="{path}"/><text class="small wall-name" x="{x - 6:g}" y="16">the wall</text>'


def _legend() -> Iterator[str]:
    for number, way in enumerate(WAYS):
        x, y = LEFT + number * 150, HEIGHT - 10
        yield f'<path class="{way}" d="M{x} {y - 4} h34"/><text class="small left" x="{x + 42}" y="{y}">a {way}</text>'
