"""Boxes in the lists that ivtmetrics or ivtdmetrics take: JSON, ``<video>.json``, rows of numbers frame by frame; read only.

``list`` has the rows of each frame and ``frame`` their numbers; a file with nothing but a list of frames counts them from 0. Another
list of the same length beside it is refused: it may hold the numbers.
A row is ``triplet, instrument, score, x, y, w, h``, or with ``verb, target`` behind the score. It may name another instrument,
verb or target than its triplet has, as models predict them apart: it is read as written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import PARTS, Vocabulary
from scrubin.labels import registry
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, instance_rows
from scrubin.labels.parse import columns, documents, fields, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format

COLUMNS = {7: ("triplet", "instrument", "score", *"xywh"), 9: ("triplet", "instrument", "score", "verb", "target", *"xywh")}
FEW = 10
"""So many rows fit the wrong numbering by chance."""


@dataclass
class _Reading:
    """One file so far: its instances, and how the instruments of its rows agree with their triplets."""

    where: Where
    source: LabelFiles
    rows: list[dict[str, Any]] = field(default_factory=list)
    apart: dict[int, int] = field(default_factory=dict)
    triplet_from_one: int = 0
    both_from_one: int = 0


def _has_lists(path: Path) -> bool:
    found = _lists(registry.document(path))
    rows = [row for frame in found[1] if isinstance(frame, list) for row in frame] if found is not None else []
    return found is not None and (not rows or any(isinstance(row, list) for row in rows))


def _lists(document: Any) -> tuple[list[Any] | None, list[Any]] | None:
    """Return frame numbers, where the file has them, and the rows of each frame."""
    if isinstance(document, Mapping) and isinstance(document.get("list"), list):
        frames = document.get(columns.first_of(document, "frame") or "")
        return (frames if isinstance(frames, list) else None), document["list"]
    if isinstance(document, list) and document and all(isinstance(frame, list) for frame in document):
        return None, document
    return None


@dataset_format(
    "box-lists",
    pattern=r"[^/]+\.json",
    expected="<video>.json, a list of rows of each frame",
    title="lists of ivtmetrics and ivtdmetrics: triplet, instrument, score and box in 0..1; read only",
    by_hand=ByHand(
        vocabulary="cholect50",
        named_by_folder=True,
        fps=Fraction(1),
        fps_unstated=True,
        evidence=_has_lists,
        holds=("instances", "actions", "boxes", "repeats", "scores", "empty frames"),
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the boxes of the videos without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    names = video_files.names_of(source.files, faults)
    return video_files.collection_of(source, names, partial(_labels, source), faults)


def _labels(source: LabelFiles, where: Where, name: str, data: bytes) -> Labels | None:
    layer = _layer(_Reading(where, source), data)
    return None if layer is None else Labels(name, "box-lists", source.vocabulary, Clock(Fraction(1)), instances=layer)


def _layer(reading: _Reading, data: bytes) -> Layer | None:
    where, vocabulary = reading.where, reading.source.vocabulary
    if not vocabulary.triplets:
        what = f"these rows name triplets, and the vocabulary '{vocabulary.name}' has none"
        where.error("vocabulary-without-triplets", what, "name another vocabulary")
        return None
    held = documents.opened(lambda *of: (documents.json_value(*of),), where.file, data, where.faults)
    if held is None:
        return None
    (document,) = held
    lists = _lists(document)
    if lists is None:
        where.error("layout", "holds no list of rows per frame", "give 'frame' and 'list', as in the other files")
        return None
    numbers, frames = lists
    beside = document.items() if numbers is None and isinstance(document, Mapping) else ()
    if unknown := [key for key, value in beside if key != "list" and isinstance(value, list) and len(value) == len(frames)]:
        columns.note_unused(where, unknown, "key")
        return None
    positions = list(range(len(frames))) if numbers is None else numbers
    if not _are_frames(where.at("frame"), positions, len(frames)):
        return None
    for position, rows in sorted(zip(positions, frames, strict=True), key=lambda pair: int(pair[0])):
        _read_frame(reading, position, rows)
    _check_numbering(reading)
    return Layer(where.file, np.array(sorted(positions), np.int64), instance_rows(reading.rows))


def _are_frames(where: Where, positions: list[Any], number_of_lists: int) -> bool:
    wrong = [one for one in positions if not fields.is_whole(one) or one < 0]
    if wrong:
        where.error("frame-key", f"{documents.shown(wrong[0])} is no frame number", "number frames from 0")
    elif len(positions) != number_of_lists:
        where.error("frame-key", f"{len(positions)} frame numbers for {number_of_lists} frames", "give one number per frame")
    elif len(set(positions)) != len(positions):
        where.error("frame-repeated", "frame numbers repeat", "give every frame once")
    else:
        return True
    return False


def _read_frame(reading: _Reading, position: int, rows: Any) -> None:
    where = reading.where.at_frame(position)
    if not isinstance(rows, list):
        where.error("value-type", f"expected a list of rows, but got {documents.shown(rows)}", "write [] for none")
        return
    for number, row in enumerate(rows):
        instance = _instance(reading, where.at(f"row {number}"), position, row)
        reading.rows += [] if instance is None else [{"position": position, **instance}]


def _instance(reading: _Reading, where: Where, position: int, row: Any) -> dict[str, Any] | None:
    if not isinstance(row, list) or len(row) not in COLUMNS or not all(fields.is_number(one) for one in row):
        what = f"expected 7 or 9 numbers, but got {documents.shown(row)}"
        where.error("row-length", what, "give triplet, instrument, score, x, y, w, h")
        return None
    cells = dict(zip(COLUMNS[len(row)], row, strict=True))
    # Arrays that were written as lists have whole numbers as floats.
    whole = {key: int(value) if float(value).is_integer() else value for key, value in cells.items()}
    vocabulary = reading.source.vocabulary
    triplet = fields.whole(where, whole, "triplet", high=len(vocabulary.triplets) - 1)
    box = fields.share_box(where, row[-4:], reading.source.box_tolerance)
    parts: dict[str, int | None] = {
        part: fields.whole(where, whole, part, high=len(vocabulary.names(part)) - 1) for part in PARTS if part in whole
    }
    if triplet is None or box is None or None in parts.values():
        return None
    ids = dict[str, int | None](zip(PARTS, vocabulary.triplets[triplet], strict=True)) | parts
    _compare(reading, position, triplet, ids, vocabulary)
    named = {f"{key}_id": id_ for key, id_ in ids.items()}
    return {**named, "triplet_id": triplet, **dict(zip("xywh", box, strict=True)), "score": float(cells["score"])}


def _compare(reading: _Reading, position: int, triplet: int, ids: Mapping[str, int | None], vocabulary: Vocabulary) -> None:
    instrument = ids["instrument"]
    before = vocabulary.triplets[triplet - 1][0] if triplet else None
    reading.triplet_from_one += before == instrument
    reading.both_from_one += before is not None and instrument is not None and before == instrument - 1
    if tuple(ids[key] for key in PARTS) != vocabulary.triplets[triplet]:
        reading.apart[position] = reading.apart.get(position, 0) + 1


def _check_numbering(reading: _Reading) -> None:
    """Note rows that disagree with their triplets; an error where all would agree if they were numbered from 1."""
    apart, count = sum(reading.apart.values()), len(reading.rows)
    if not apart:
        return
    what, frames = f"{apart} of {count} rows have another instrument, verb or target than their triplet", sorted(reading.apart)
    faults, file = reading.where.faults, reading.where.file
    if reading.triplet_from_one == count or reading.both_from_one == count >= FEW:
        fix = "the ids may be numbered from 1 instead of 0: subtract 1"
        faults.error(file, "id-from-one", what, fix, frames=frames, count=apart)
        return
    fix = "read as written: the triplet counts for ivt, the others for themselves"
    faults.deviation(file, "instrument-of-triplet", what, fix, frames=frames, count=apart)
