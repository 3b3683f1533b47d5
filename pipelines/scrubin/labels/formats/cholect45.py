"""CholecT45 text: ``triplet/``, ``instrument/``, ``verb/``, ``target/``, each ``<recording>.txt``, one row per second.

A row is the frame, from 0, and one 0 or 1 per class, separated by commas, without a header. A 1 in
the triplet file is an instance. The other files must agree with it; an instrument that no triplet
of its frame has is an instance of which only the instrument is labelled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from scrubin.core.faults import Fault, Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence
from scrubin.labels.model import Clock, Collection, Detail, LabelFiles, Labels, Layer, by_position, instance_rows
from scrubin.labels.registry import ByHand, Output, label_format, writes
from scrubin.vocabulary.vocabulary import Component, Kind, Vocabulary

FOLDERS: tuple[Kind, ...] = ("instrument", "verb", "target")
MAPS = "# IVT, I, V, T, IV, IT\n"


@dataclass(frozen=True)
class _Rows:
    """One file: frames, and the classes that are 1 in each."""

    file: str
    classes: dict[int, list[int]]


def _is_matrix(path: Path) -> bool:
    return re.match(r"\d+(?:,[01])+\s*(?:\n|$)", evidence.head(path)) is not None


@label_format(
    "cholect45",
    pattern=r"(?P<kind>triplet|instrument|verb|target)/(?P<recording>[^/]+)\.txt",
    expected="triplet/<recording>.txt, and the same in instrument/, verb/, target/",
    title="CholecT45 txt: triplets, instruments, verbs, targets as columns of 0 and 1; a folder",
    by_hand=ByHand(vocabulary="cholect45", evidence=_is_matrix),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of the up to four files of a recording.

    Raises
    ------
    AnnotationError
        Names file, line and value of every fault.
    """
    faults = Faults()
    found: dict[str, _Rows] = {}
    for file in sorted(source.files):
        kind = PurePosixPath(file).parent.name
        text = documents.opened(documents.text, file, source.files[file], faults)
        if text is not None:
            found[kind] = _read(file, text, kind, source, faults)
    AnnotationError.raise_any(faults)
    base = found.get("triplet") or found.get("instrument")
    if base is None:
        raise AnnotationError(
            [
                Fault(
                    min(source.files),
                    "part-missing",
                    "verbs and targets alone are no instances",
                    "bring triplet/ or instrument/ of this recording",
                )
            ]
        )
    for rows in found.values():
        _check_frames(base, rows, faults)
    AnnotationError.raise_any(faults)
    unexplained = _check_parts(found, source.vocabulary, faults)
    AnnotationError.raise_any(faults)
    layer = Layer(
        base.file, np.array(sorted(base.classes), np.int64), instance_rows(_instances(found, source.vocabulary)), every_frame=True
    )
    detail: Detail = "triplet" if "triplet" in found else "instrument"
    what = f"{unexplained} verbs or targets belong to no triplet of their frame and were left out"
    unused = (warning(min(source.files), "triplet-parts", what, "correct the parts of these frames"),) if unexplained else ()
    clock = Clock(Fraction(1))
    return Labels(source.recording, "cholect45", source.vocabulary, clock, None, layer, detail=detail, faults=unused)


def _size(kind: str, words: Vocabulary) -> int:
    sizes = {"triplet": len(words.triplets), "instrument": len(words.instruments), "verb": len(words.verbs), "target": len(words.targets)}
    return sizes[kind]


def _read(file: str, text: str, kind: str, source: LabelFiles, faults: Faults) -> _Rows:
    size = _size(kind, source.vocabulary)
    before = len(faults)
    classes: dict[int, list[int]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        fields = [field.strip() for field in line.split(",")]
        if fields == [""]:
            continue
        if len(fields) != size + 1:
            hint = "the first column is the frame" if len(fields) == size else "separate them by commas, without a header"
            faults.error(file, "format", f"{len(fields)} values, expected the frame and {size} classes", hint, place=f"line {number}")
            break  # the rest would repeat it
        if documents.frame_number(fields[0]) is None:
            faults.error(
                file, "format", f"frame '{fields[0]}' is no frame number", "frames are whole numbers from 0", place=f"line {number}"
            )
        elif set(fields[1:]) - {"0", "1"}:
            column = next(i for i, value in enumerate(fields[1:]) if value not in ("0", "1"))
            faults.error(
                file, "format", f"class {column} is '{fields[1 + column]}', expected 0 or 1", "1 means present", place=f"line {number}"
            )
        elif int(fields[0]) in classes:
            faults.error(file, "format", f"frame {fields[0]} stands twice", "keep one of the rows", place=f"line {number}")
        else:
            classes[int(fields[0])] = [i for i, value in enumerate(fields[1:]) if value == "1"]
    if not classes and len(faults) == before:
        faults.error(file, "format", "has no rows", "remove the file, or export it again")
    return _Rows(file, classes)


def _check_frames(base: _Rows, rows: _Rows, faults: Faults) -> None:
    differing = sorted(set(base.classes) ^ set(rows.classes))
    if differing:
        fault = f"{len(rows.classes)} frames, but {base.file} has {len(base.classes)}; frame {differing[0]} is only in one of them"
        faults.error(rows.file, "format", fault, "export both again")


def _check_parts(found: Mapping[str, _Rows], words: Vocabulary, faults: Faults) -> int:
    """Note triplets whose parts are 0, and return how many verbs and targets no triplet explains."""
    if "triplet" not in found:
        return 0
    unexplained = 0
    for place, kind in enumerate(FOLDERS):
        if kind not in found:
            continue
        for frame, triplets in found["triplet"].classes.items():
            parts = {words.triplets[triplet][place] for triplet in triplets}
            missing = sorted(parts - set(found[kind].classes[frame]))
            if missing:
                fault = f"{words.names(kind)[missing[0]]} is 0, but a triplet of the frame in {found['triplet'].file} has it"
                faults.error(found[kind].file, "format", fault, "correct one of them", place=f"frame {frame}")
            if kind != "instrument":
                unexplained += len(set(found[kind].classes[frame]) - parts)
    return unexplained


def _instances(found: Mapping[str, _Rows], words: Vocabulary) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    triplets = found["triplet"].classes if "triplet" in found else {}
    instruments = found["instrument"].classes if "instrument" in found else {}
    for frame in sorted({*triplets, *instruments}):
        seen: set[int] = set()
        for triplet in triplets.get(frame, []):
            instrument, verb, target = words.triplets[triplet]
            seen.add(instrument)
            rows.append(
                {"position": frame, "instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": triplet, "score": 1.0}
            )
        rows += [{"position": frame, "instrument_id": one, "score": 1.0} for one in instruments.get(frame, []) if one not in seen]
    return rows


@writes(
    "cholect45",
    holds=("instances", "actions", "partial", "boxless", "empty frames"),
    fps=Fraction(1),
    vocabulary="cholect50",
    takes=lambda words: bool(words.triplets) and words.name != "cholectrack20",
)
def write(collection: Collection, out: Output) -> None:
    """Write the four files per recording, and ``dict/`` with names and components."""
    for labels in collection.recordings:
        if labels.instances is None:
            continue
        per_frame = by_position(labels.instances)
        for rows in per_frame.values():
            explained = {row["instrument_id"] for row in rows if row["triplet_id"] is not None}
            beside = [row for row in rows if row["triplet_id"] is None and row["instrument_id"] in explained]
            out.lose("instances without a triplet beside one of the same instrument", len(beside))
        kinds = ["instrument"] if labels.detail == "instrument" else ["triplet", *FOLDERS]
        for kind in kinds:
            size = _size(kind, labels.vocabulary)
            lines = [_line(position, rows, f"{kind}_id", size) for position, rows in sorted(per_frame.items())]
            out.files[f"{kind}/{labels.recording}.txt"] = "".join(lines).encode()
    for words in {labels.vocabulary.name: labels.vocabulary for labels in collection.recordings}.values():
        out.files |= _dictionaries(words)


def _line(position: int, rows: Sequence[Mapping[str, Any]], column: str, size: int) -> str:
    present = {row[column] for row in rows}
    return ",".join([str(position), *("1" if i in present else "0" for i in range(size))]) + "\n"


def _dictionaries(words: Vocabulary) -> dict[str, bytes]:
    lists = {kind: list(words.names(kind)) for kind in FOLDERS} | {"triplet": [words.triplet_name(i) for i in range(len(words.triplets))]}
    files = {f"dict/{kind}.txt": "".join(f"{i}:{name}\n" for i, name in enumerate(names)) for kind, names in lists.items()}
    components: tuple[Component, ...] = ("ivt", "i", "v", "t", "iv", "it")
    rows = zip(*(words.component(component) for component in components), strict=True)
    files["dict/maps.txt"] = MAPS + "".join(",".join(map(str, row)) + "\n" for row in rows)
    return {name: text.encode() for name, text in files.items()}
