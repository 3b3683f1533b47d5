"""CholecT50 JSON, written: as Python's ``json`` spells it, which is how the published files are spelled."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

from scrubin.errors import AnnotationError
from scrubin.labels.collection import Collection
from scrubin.labels.formats.cholect50 import NULL
from scrubin.labels.model import BOX, Labels, by_position, phase_of
from scrubin.labels.registry import Output, writes
from scrubin.vocabulary import own
from scrubin.vocabulary.vocabulary import Vocabulary

NUMBERED = re.compile(r"(?i:vid(?:eo)?)?_?(?P<number>[0-9]{1,15})")
"""Recordings that are numbered videos; no number is made up for others."""
UNLABELLED = "frames whose instruments are not labelled, which look as if there were none"
KINDS = ("instrument", "verb", "target", "phase", "triplet")


@writes(
    "cholect50",
    holds=("phases", "instances", "actions", "boxes", "boxless", "partial", "repeats", "scores", "details", "empty frames"),
    whole_fps=True,
    vocabulary="cholect50",
    takes=lambda words: bool(words.triplets) and words.name != "cholectrack20",
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.json`` per recording; what an earlier file said of itself is kept.

    Raises
    ------
    AnnotationError
        For a rate that is no whole number, which the format cannot state.
    """
    for labels in collection.recordings:
        annotations = {str(position): vectors for position, vectors in _vectors(labels, out).items()}
        document = {**_about(labels, len(annotations)), "annotations": annotations}
        out.files[f"{labels.recording}.json"] = json.dumps(document, allow_nan=False).encode()


def _about(labels: Labels, n_frames: int) -> dict[str, Any]:
    rate = Fraction(1) if labels.clock.period_s is None else 1 / labels.clock.period_s
    if rate.denominator != 1:
        msg = f"{labels.recording}: cholect50 states a whole number of labels per second, but these are {rate}; give --to-fps, such as 1"
        raise AnnotationError(msg)
    fps = int(rate)
    given = dict(labels.about.get("cholect50", {}))
    if given and given.get("fps", 1) == fps:
        return given
    number = NUMBERED.fullmatch(labels.recording)
    video = {"video": int(number["number"])} if number else {}
    return {"categories": _categories(labels.vocabulary), **video, "fps": fps, "num_frames": n_frames}


def _categories(words: Vocabulary) -> dict[str, dict[str, str]]:
    lists = own.as_categories(words)
    return {kind: {str(i): name for i, name in enumerate(lists.get(kind, []))} for kind in KINDS}


def _vectors(labels: Labels, out: Output) -> dict[int, list[list[Any]]]:
    instances, phases = by_position(labels.instances), phase_of(labels.phases)
    found: dict[int, list[list[Any]]] = {}
    out.lose(UNLABELLED, len(set(phases) - set(instances)))
    for position in sorted({*instances, *phases}):
        phase = phases.get(position, NULL)
        rows = instances.get(position, [])
        known = {"target_score", "target_x", "target_y", "target_w", "target_h"}
        for row in rows:
            out.lose("details of instances, such as tracks", len({name for name in row if row[name] is not None} - known - _OURS))
        found[position] = [_vector(row, phase) for row in rows]
        if not rows and phase != NULL:
            found[position] = [_vector({}, phase)]
    return found


_OURS = {"position", "instrument_id", "verb_id", "target_id", "triplet_id", *BOX, "score"}


def _vector(row: dict[str, Any], phase: int) -> list[Any]:
    def number(name: str) -> float:
        return float(NULL if row.get(name) is None else row[name])

    def id_(name: str) -> int:
        return int(NULL if row.get(name) is None else row[name])

    tool = [id_("triplet_id"), id_("instrument_id"), number("score"), *(number(side) for side in BOX)]
    target = [number(name) for name in ("target_score", "target_x", "target_y", "target_w", "target_h")]
    return [*tool, id_("verb_id"), id_("target_id"), *target, phase]
