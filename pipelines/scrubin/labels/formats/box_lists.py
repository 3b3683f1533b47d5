"""Boxes in the lists that ivtmetrics and ivtdmetrics take, one JSON file per video."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.core.faults import Faults
from scrubin.errors import AnnotationError, MetricsError
from scrubin.evaluation.ground_truth import part_of, triplet_words
from scrubin.labels import documents, fields, label_folder
from scrubin.labels.model import Clock, Labels, Layer, instance_rows
from scrubin.labels.rates import Numbering
from scrubin.vocabulary.vocabulary import Vocabulary

COLUMNS = {7: ("triplet", "instrument", "score", *"xywh"), 9: ("triplet", "instrument", "score", "verb", "target", *"xywh")}
TOLERANCE = 0.02
PREDICTED_TOLERANCE = 1.0
"""What is predicted may leave the image; what leaves it by more than its side is in pixels."""


def read(path: Path, name: str | None, fps: Fraction | None, *, strict: bool) -> list[tuple[Labels, Numbering | None]] | None:
    """Return the boxes of every video, or None when a path holds no such lists.

    Parameters
    ----------
    path
        A file, a folder of them, or a ground truth of ours with a folder ``detection``.
    name
        The vocabulary; None: that which the folder is named after, else that of CholecT50.
    fps
        Frames per second by which frames are numbered, where it is said.
    strict
        Whether instrument, verb and target must be those of the triplet: annotations are; a model may predict them apart.

    Raises
    ------
    ScrubinError
        Names file, frame and row of every fault; also for a vocabulary without triplets.
    """
    folder = part_of(path, "detection", name)
    files = [folder] if folder.is_file() else sorted(folder.glob("*.json")) if folder.is_dir() else []
    files = [file for file in files if not label_folder.is_note(file)]
    if not files or _lists(_document(files[0])) is None:
        return None
    words = triplet_words(folder, name)
    if not words.triplets:
        msg = f"{folder}: these rows name triplets, and the vocabulary '{words.name}' has none; name another by --vocabulary"
        raise MetricsError(msg)
    faults = Faults()
    found = [_labels(file, _document(file), words, faults, strict) for file in files]
    AnnotationError.raise_any(faults)
    numbering = None if fps is None else Numbering(fps)
    return [(one, numbering) for one in found if one is not None]


def _document(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return None


def _lists(document: Any) -> tuple[list[Any] | None, list[Any]] | None:
    """Return frame numbers, where they are given, and the rows of each frame."""
    if isinstance(document, Mapping) and isinstance(document.get("list"), list):
        frames = document.get("frame")
        return (frames if isinstance(frames, list) else None), document["list"]
    if isinstance(document, list) and document and all(isinstance(frame, list) for frame in document):
        return None, document
    return None


def _labels(file: Path, document: Any, words: Vocabulary, faults: Faults, strict: bool) -> Labels | None:
    lists = _lists(document)
    if lists is None:
        faults.error(file.name, "format", "holds no list of rows per frame", "give 'frame' and 'list', as in the other files")
        return None
    numbers, frames = lists
    positions = list(range(len(frames))) if numbers is None else numbers
    wrong = [one for one in positions if not fields.is_whole(one) or one < 0]
    if wrong or len(set(positions)) != len(positions) or len(positions) != len(frames):
        fault = f"{len(positions)} frame numbers for {len(frames)} frames" if len(positions) != len(frames) else "frame numbers repeat"
        faults.error(
            file.name,
            "format",
            f"{documents.shown(wrong[0])} is no frame number" if wrong else fault,
            "give every frame once, from 0",
            place="frame",
        )
        return None
    rows = []
    for position, frame in sorted(zip(positions, frames, strict=True)):
        if not isinstance(frame, list):
            faults.error(
                file.name,
                "format",
                f"expected a list of rows, but got {documents.shown(frame)}",
                "write [] for none",
                place=f"frame {position}",
            )
            continue
        for number, row in enumerate(frame):
            one = _row(file.name, f"frame {position}, row {number}", row, words, faults, strict)
            rows += [{"position": position, **one}] if one is not None else []
    layer = Layer(file.name, np.array(sorted(positions), np.int64), instance_rows(rows))
    return Labels(file.stem, "box lists", words, Clock(Fraction(1)), instances=layer)


def _row(file: str, place: str, row: Any, words: Vocabulary, faults: Faults, strict: bool) -> dict[str, Any] | None:
    if not isinstance(row, list) or len(row) not in COLUMNS or not all(fields.is_number(one) for one in row):
        faults.error(
            file,
            "format",
            f"expected 7 or 9 numbers, but got {documents.shown(row)}",
            "give triplet, instrument, score, x, y, w, h",
            place=place,
        )
        return None
    cells = dict(zip(COLUMNS[len(row)], row, strict=True))
    whole = {key: int(value) if float(value).is_integer() else value for key, value in cells.items()}
    triplet = fields.whole(file, place, whole, "triplet", faults, high=len(words.triplets) - 1)
    box = fields.share_box(file, place, row[-4:], TOLERANCE if strict else PREDICTED_TOLERANCE, cut=False, faults=faults)
    if triplet is None or box is None:
        return None
    ids = dict(zip(("instrument", "verb", "target"), words.triplets[triplet], strict=True))
    for key, names in (("instrument", words.instruments), ("verb", words.verbs), ("target", words.targets)):
        if key not in whole:
            continue
        told = fields.whole(file, place, whole, key, faults, high=len(names) - 1)
        if told is None:
            return None
        if strict and told != ids[key]:
            faults.error(
                file,
                "format",
                f"triplet {triplet} is {words.triplet_name(triplet)}, but the {key} is {told}",
                "correct one of them",
                place=place,
            )
            return None
        ids[key] = told
    named = {f"{key}_id": id_ for key, id_ in ids.items()}
    return {**named, "triplet_id": triplet, **dict(zip("xywh", box, strict=True)), "score": float(cells["score"])}
