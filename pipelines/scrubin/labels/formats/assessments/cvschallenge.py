"""SAGES CVS Challenge: ``<video>/frame.csv``, what each of three surgeons says of the criteria of the critical view of safety.

A row per judged frame: ``frame_id``, from 0 at 30 fps (every 150th of clips of 90 s), and ``c1_rater1`` to ``c3_rater3``, each 0 or 1. An
empty cell says that this one did not judge. ``video.csv`` beside it, with one row for the clip as a whole and the confidence of the
three, is not read. Source: the challenge's own programs, SAIIL/CVS_challenge_code of 2024, which show a table and read both files.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path, PurePosixPath

import numpy as np

from scrubin.base import csv_text
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error
from scrubin.labels import marks, registry
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, mark_rows
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NAME = "cvschallenge"
FILE = "frame.csv"
FRAME = "frame_id"
CELL = re.compile(r"c([0-9]{1,2})_rater([0-9]{1,3})")
VALUES = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0}


def _has_raters(path: Path) -> bool:
    return any(CELL.fullmatch(name.strip(' "\r')) for name in registry.head(path).split("\n", 1)[0].split(","))


@dataset_format(
    NAME,
    pattern=r"[^/]+/frame\.csv",
    expected="<video>/frame.csv",
    title="CVS Challenge: criteria of the critical view of safety by three surgeons; frames at 30 fps",
    by_hand=ByHand(vocabulary="endoscapes", fps=Fraction(30), evidence=_has_raters),
)
def read(source: LabelFiles) -> Collection:
    """Return the marks of the videos in files without an error; all faults are in ``Collection.faults``."""
    faults, recordings = Faults(), []
    file_of: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        of_file, name = Faults(), PurePosixPath(file).parent.name
        if file_of.setdefault(name, file) != file:
            of_file.error(file, "file-repeated", f"the video {name} is also in {file_of[name]}", "convert the folders one by one")
        layer = _layer(Where(of_file, file), data)
        faults.extend(of_file.all())
        if not of_file.errors():
            recordings.append(Labels(name, NAME, source.vocabulary, SOURCE_FRAMES, marks=layer))
    return Collection(tuple(sorted(recordings, key=lambda labels: labels.recording)), faults=faults.all())


def _layer(where: Where, data: bytes) -> Layer:
    sheet = csv_text.read(where.file, data, (FRAME,))
    where.faults.extend(sheet.faults)
    judged = {name: (f"C{int(match[1])}", match[2]) for name in sheet.columns if (match := CELL.fullmatch(name))}
    if sheet.columns and not sheet.faults:
        if not judged:
            where.at(f"line {sheet.header_line}").error(
                "column-missing", "has no column such as c1_rater1", "take the file of the challenge"
            )
        elif not sheet.rows:
            where.error("no-labels", "has no rows", "remove the file, or export it again")
        where.faults.extend(fields.unkept(where.file, [name for name in sheet.columns if name not in (FRAME, *judged)]))
    rows: list[tuple[int, str, str, float]] = []
    seen: set[int] = set()
    for row in sheet.rows:
        at, frame = where.at(row.place), documents.frame_number(row.cells[FRAME])
        if frame is None:
            at.error("frame-key", f"'{csv_text.shown(row.cells[FRAME])}' is no frame number", "number frames from 0")
        elif frame in seen:
            at.error("frame-repeated", f"frame {frame} stands twice", "keep one of the rows")
        else:
            seen.add(frame)
            rows += [(frame, *judged[name], value) for name in judged if (value := _value(at, name, row.cells[name])) is not None]
    return Layer(where.file, np.array(sorted(seen), np.int64), mark_rows(sorted(rows, key=lambda one: one[0])))


def _value(where: Where, name: str, cell: str) -> float | None:
    """Return what somebody says; None where nothing, and after noting what is neither 0 nor 1."""
    if csv_text.is_missing(cell):
        return None
    if cell not in VALUES:
        where.error("value-type", f"{name} is '{csv_text.shown(cell)}'", "a criterion is met (1) or not (0); leave it empty for not judged")
    return VALUES.get(cell)


@writes(NAME, holds=("marks",), fps=Fraction(30))
def write(collection: Collection, out: Output) -> None:
    """Write ``<video>/frame.csv``; annotators are numbered in their order, and criteria must be called C1, C2 ...

    Raises
    ------
    AnnotationError
        Where no annotator is named.
    """
    faults = Faults()
    for labels in collection.recordings:
        layer = labels.marks
        if layer is None:
            continue
        raters = [name for name in marks.raters_of(layer) if name]
        names = [name for name in marks.names_of(layer) if CELL.fullmatch(f"{name.lower()}_rater1")]
        if not raters and len(layer.rows):
            what = f"{NAME} needs what each annotator says, and here is only their mean"
            faults.extend([error(labels.recording, "no-annotators", what, "give labels of single annotators")])
            continue
        written = layer.rows["mark"].isin(names) & layer.rows["rater"].isin(raters)
        out.lose("marks that are no criterion of a named annotator", int((~written).sum()))
        said = marks.by_rater(layer, names, raters).reshape(len(layer.positions), -1)
        lines = [",".join([FRAME, *(f"{name.lower()}_rater{k}" for name in names for k in range(1, len(raters) + 1))])]
        for position, values in zip(layer.positions.tolist(), said.tolist(), strict=True):
            lines.append(",".join([str(position), *("" if value != value else str(int(value)) for value in values)]))
        out.files[f"{labels.recording}/{FILE}"] = "".join(f"{line}\n" for line in lines).encode()
    AnnotationError.raise_any(faults)
