"""CholecT45 text: ``triplet/``, ``instrument/``, ``verb/``, ``target/``, each ``<recording>.txt``, one row per second.

A row is the frame, from 0, and one 0 or 1 per class, separated by commas, without a header. A 1 in
the triplet file is an instance. The other files must agree with it; an instrument that no triplet
of its frame has is an instance of which only the instrument is labelled. ``dict/`` beside the folders
names the classes, ``id:name``; without it they are those of CholecT45.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import PARTS, Component, Vocabulary
from scrubin.labels import registry
from scrubin.labels.model import Clock, Collection, Detail, LabelFiles, Labels, Layer, by_position, instance_rows
from scrubin.labels.parse import documents
from scrubin.labels.parse.columns import one_vocabulary
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, label_format, writes

LISTS = ("triplet", *PARTS)
NAMES = "dict"
MAPS = "# IVT, I, V, T, IV, IT\n"


@dataclass(frozen=True)
class _Rows:
    """One file: frames, and the classes that are 1 in each."""

    file: str
    classes: dict[int, list[int]]


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that ``dict/`` names: a known one with the same lists, or one of its own; None without whole lists."""
    lists: dict[str, list[str]] = {}
    for file, data in files.items():
        path = PurePosixPath(file)
        if path.parent.name == NAMES and path.stem in LISTS:
            lines = [line.split(":", 1) for line in documents.text(file, data).splitlines() if line.strip()]
            if [line[0].strip() for line in lines] != [str(i) for i in range(len(lines))] or any(len(line) < 2 for line in lines):
                return None
            lists[path.stem] = [line[1].strip() for line in lines]
    return own_categories.known_or_own(min(files), lists) if set(lists) == set(LISTS) else None


def _is_matrix(path: Path) -> bool:
    return re.match(r"\d+(?:,[01])+\s*(?:\n|$)", registry.head(path)) is not None


@label_format(
    "cholect45",
    pattern=rf"(?:(?:triplet|instrument|verb|target)/(?P<recording>[^/]+)|{NAMES}/(?:triplet|instrument|verb|target|maps))\.txt",
    expected="triplet/<recording>.txt, and the same in instrument/, verb/, target/; names of the classes in dict/",
    title="CholecT45 txt: triplets, instruments, verbs, targets as columns of 0 and 1; a folder",
    by_hand=ByHand(vocabulary="cholect45", vocabulary_of=vocabulary_of, evidence=_is_matrix, beside=r"phase/[^/]+\.txt"),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of the up to four files of a recording.

    Raises
    ------
    AnnotationError
        With every fault of the files, and then of how they agree.
    """
    faults = Faults()
    files = {PurePosixPath(file).parent.name: file for file in sorted(source.files)}
    rows = {part: _read(Where(faults, file), source.files[file], part, source.vocabulary) for part, file in files.items() if part in LISTS}
    AnnotationError.raise_any(faults)
    base = rows.get("triplet") or rows.get("instrument")
    if base is None:
        fix = "bring triplet/ or instrument/ of this recording"
        faults.error(min(source.files), "part-missing", "verbs and targets alone are no instances", fix)
    AnnotationError.raise_any(faults)
    assert base is not None
    for one in rows.values():
        _check_frames(base, one, faults)
    AnnotationError.raise_any(faults)
    _check_parts(rows, source.vocabulary, faults)
    AnnotationError.raise_any(faults)
    positions = np.array(sorted(base.classes), np.int64)
    layer = Layer(base.file, positions, instance_rows(_instances(rows, source.vocabulary)), every_frame=True)
    detail: Detail = "triplet" if "triplet" in rows else "instrument"
    return Labels(source.recording, "cholect45", source.vocabulary, Clock(Fraction(1)), instances=layer, detail=detail, faults=faults.all())


def _size(part: str, vocabulary: Vocabulary) -> int:
    sizes: dict[str, int] = {"triplet": len(vocabulary.triplets), **{naming: len(vocabulary.names(naming)) for naming in PARTS}}
    return sizes[part]


def _read(where: Where, data: bytes, part: str, vocabulary: Vocabulary) -> _Rows:
    text = documents.opened(documents.text, where.file, data, where.faults)
    size, wrong = _size(part, vocabulary), text is None
    classes: dict[int, list[int]] = {}
    for number, line in enumerate((text or "").splitlines(), start=1):
        fields, at = [field.strip() for field in line.split(",")], where.at(f"line {number}")
        if fields == [""]:
            continue
        if len(fields) != size + 1:
            fix = "the first column is the frame" if len(fields) == size else "separate them by commas, without a header"
            at.error("row-length", f"{len(fields)} values, expected the frame and {size} classes", fix)
            return _Rows(where.file, classes)  # the rest would repeat it
        wrong |= not _is_row(at, fields, classes)
        if not wrong:
            classes[int(fields[0])] = [i for i, value in enumerate(fields[1:]) if value == "1"]
    if not classes and not wrong:
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    return _Rows(where.file, classes)


def _is_row(at: Where, fields: Sequence[str], before: Mapping[int, Any]) -> bool:
    """Return whether a row is a new frame and 0 or 1 per class."""
    if documents.frame_number(fields[0]) is None:
        at.error("frame-key", f"frame '{fields[0]}' is no frame number", "frames are whole numbers from 0")
    elif set(fields[1:]) - {"0", "1"}:
        column = next(i for i, value in enumerate(fields[1:]) if value not in ("0", "1"))
        at.error("zero-or-one", f"class {column} is '{fields[1 + column]}', expected 0 or 1", "1 means present")
    elif int(fields[0]) in before:
        at.error("frame-repeated", f"frame {fields[0]} stands twice", "keep one of the rows")
    else:
        return True
    return False


def _check_frames(base: _Rows, rows: _Rows, faults: Faults) -> None:
    differing = sorted(set(base.classes) ^ set(rows.classes))
    if differing:
        what = f"{len(rows.classes)} frames, but {base.file} has {len(base.classes)}; frame {differing[0]} is only in one of them"
        faults.error(rows.file, "frame-count", what, "export both again")


def _check_parts(rows: Mapping[str, _Rows], vocabulary: Vocabulary, faults: Faults) -> None:
    """Note triplets whose parts are 0, and verbs and targets that no triplet explains."""
    if "triplet" not in rows:
        return
    unexplained: set[int] = set()
    count = 0
    for i, part in enumerate(PARTS):
        for frame, triplets in rows["triplet"].classes.items() if part in rows else ():
            parts, labelled = {vocabulary.triplets[triplet][i] for triplet in triplets}, set(rows[part].classes[frame])
            for missing in sorted(parts - labelled)[:1]:
                what = f"{vocabulary.names(part)[missing]} is 0, but a triplet of the frame in {rows['triplet'].file} has it"
                faults.error(rows[part].file, "triplet-parts", what, "correct one of them", frames=(frame,))
            if part != "instrument" and labelled - parts:
                count += len(labelled - parts)
                unexplained.add(frame)
    if unexplained:
        what = f"{count} verbs or targets belong to no triplet of their frame and were left out"
        faults.warning(rows["triplet"].file, "triplet-parts", what, "correct the parts of these frames")


def _instances(rows: Mapping[str, _Rows], vocabulary: Vocabulary) -> list[dict[str, Any]]:
    instances: list[dict[str, Any]] = []
    triplets = rows["triplet"].classes if "triplet" in rows else {}
    instruments = rows["instrument"].classes if "instrument" in rows else {}
    for frame in sorted({*triplets, *instruments}):
        seen: set[int] = set()
        for triplet in triplets.get(frame, []):
            instrument, verb, target = vocabulary.triplets[triplet]
            seen.add(instrument)
            ids = {"instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": triplet}
            instances.append({"position": frame, **ids, "score": 1.0})
        instances += [{"position": frame, "instrument_id": one, "score": 1.0} for one in instruments.get(frame, []) if one not in seen]
    return instances


@writes(
    "cholect45",
    holds=("instances", "actions", "partial", "boxless", "empty frames"),
    fps=Fraction(1),
    vocabulary="cholect50",
    takes=lambda vocabulary: bool(vocabulary.triplets) and vocabulary.name != "cholectrack20",
)
def write(collection: Collection, out: Output) -> None:
    """Write the four files per recording, and ``dict/`` with names and components.

    Raises
    ------
    AnnotationError
        When the recordings have different vocabularies: one folder has one list of classes.
    """
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    shared = one_vocabulary(labelled)
    for labels in labelled:
        per_frame = by_position(labels.instances)
        for rows in per_frame.values():
            explained = {row["instrument_id"] for row in rows if row["triplet_id"] is not None}
            beside = [row for row in rows if row["triplet_id"] is None and row["instrument_id"] in explained]
            out.lose("instances without a triplet beside one of the same instrument", len(beside), rows_of="instance")
        for part in ("instrument",) if labels.detail == "instrument" else LISTS:
            size = _size(part, shared)
            lines = [_line(position, rows, f"{part}_id", size) for position, rows in sorted(per_frame.items())]
            out.files[f"{part}/{labels.recording}.txt"] = "".join(lines).encode()
    out.files |= _dictionaries(shared)


def _line(position: int, rows: Sequence[Mapping[str, Any]], column: str, size: int) -> str:
    present = {row[column] for row in rows}
    return ",".join([str(position), *("1" if i in present else "0" for i in range(size))]) + "\n"


def _dictionaries(shared: Vocabulary) -> dict[str, bytes]:
    lists = {part: list(shared.names(part)) for part in PARTS} | {"triplet": [shared.triplet_name(i) for i in range(len(shared.triplets))]}
    files = {f"{NAMES}/{part}.txt": "".join(f"{i}:{name}\n" for i, name in enumerate(names)) for part, names in lists.items()}
    order: tuple[Component, ...] = ("ivt", "i", "v", "t", "iv", "it")
    rows = zip(*(shared.component(component) for component in order), strict=True)
    files[f"{NAMES}/maps.txt"] = MAPS + "".join(",".join(map(str, row)) + "\n" for row in rows)
    return {name: text.encode() for name, text in files.items()}
