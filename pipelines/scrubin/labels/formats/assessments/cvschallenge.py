"""SAGES CVS Challenge: what each of three surgeons says of the criteria of the critical view of safety, or what a program answers.

Surgeons: ``<video>/frame.csv``, a row per judged frame: ``frame_id``, from 0 at 30 fps (every 150th of clips of 90 s), and ``c1_rater1`` to
``c3_rater3``, each 0 or 1. An empty cell says that this one did not judge. ``video.csv`` beside it has one row for the clip as a whole: the
same columns, and ``confidence_rater1`` to ``_3``, how sure each was: a number in 0..1, in the published ones a quarter of it. It becomes
ratings of the recording, by rater and aspect, and is not written. Source: the challenge's own programs, SAIIL/CVS_challenge_code of 2024
(``datasets/cvs_datasets.py``), which show a table and read both files; the table of 700 videos that mojoe12/cvs b72e1c8 has made of them.

Answers (``cvschallenge-outputs``, read only): JSON with ``overall_outputs``, a list per second of three probabilities, C1 to C3. The
challenge's example program writes ``cvs-criteria.json`` for a clip of 90 s at one frame per second: frame k of the answer is second k,
which is frame 30 k of the labels. A file of that name is of the video that its folder is called like, any other is called like its video.
Source: SAIIL/CVS_challenge_code of 2025, the example of a submission.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error
from scrubin.base.text import csv_text
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import marks, registry
from scrubin.labels.marks import VIEW_OF_SAFETY
from scrubin.labels.model import SOURCE_FRAMES, Clock, Collection, LabelFiles, Labels, Layer, Scores, mark_rows, rating_rows
from scrubin.labels.parse import documents, fields, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NAME = "cvschallenge"
FILE = "frame.csv"
WHOLE = "video.csv"
FRAME = "frame_id"
CELL = re.compile(r"c([0-9]{1,2})_rater([0-9]{1,3})")
SURE = re.compile(r"confidence_rater([0-9]{1,3})")
CONFIDENCE = "confidence"
TASK = "Cholecystectomy"
VALUES = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0}
Rating = tuple[str, str, str, str, float | None, bool]
OUTPUTS = "cvschallenge-outputs"
OUTPUTS_KEY = "overall_outputs"
OUTPUTS_STEM = "cvs-criteria"


def _has_raters(path: Path) -> bool:
    return any(map(CELL.fullmatch, registry.columns_of(path)))


@dataset_format(
    NAME,
    pattern=r"[^/]+/(?:frame|video)\.csv",
    expected="<video>/frame.csv, with or without <video>/video.csv",
    title="CVS Challenge: criteria of the critical view of safety by three surgeons; frames at 30 fps",
    by_hand=ByHand(vocabulary="endoscapes", fps=Fraction(30), evidence=_has_raters, holds=("ratings",)),
)
def read(source: LabelFiles) -> Collection:
    """Return marks and ratings of the videos in files without an error; all faults are in ``Collection.faults``."""
    faults, recordings = Faults(), []
    ratings: list[Rating] = []
    file_of: dict[tuple[str, str], str] = {}
    for file, data in sorted(source.files.items()):
        of_file, path = Faults(), PurePosixPath(file)
        name, where = path.parent.name, Where(of_file, file)
        if file_of.setdefault((name, path.name), file) != file:
            where.error("file-repeated", f"the video {name} is also in {file_of[name, path.name]}", "convert the folders one by one")
        if path.name == WHOLE:
            of_video, layer = _ratings(where, data, name), None
        else:
            of_video, layer = [], _layer(where, data)
        faults.extend(of_file.all())
        if not of_file.errors():
            ratings += of_video
            recordings += [] if layer is None else [Labels(name, NAME, source.vocabulary, SOURCE_FRAMES, marks=layer)]
    recordings.sort(key=lambda labels: labels.recording)
    facts = pd.DataFrame({"id": sorted({row[0] for row in ratings}), "task": TASK}).astype("str")
    return Collection(tuple(recordings), Scores(rating_rows(ratings), facts) if ratings else None, faults.all())


def _ratings(where: Where, data: bytes, name: str) -> list[Rating]:
    """Return what each surgeon says of a whole video."""
    sheet = csv_text.read(where.file, data)
    where.faults.extend(sheet.faults)
    judged = {column: (match[2], f"C{int(match[1])}") for column in sheet.columns if (match := CELL.fullmatch(column))}
    judged |= {column: (match[1], CONFIDENCE) for column in sheet.columns if (match := SURE.fullmatch(column))}
    if sheet.columns and not sheet.faults:
        if not judged:
            _lacks_raters(where.at(f"line {sheet.header_line}"))
        elif len(sheet.rows) != 1:
            where.error("row-count", f"has {len(sheet.rows)} rows", "give one, for the video as a whole")
        where.faults.extend(fields.unkept(where.file, [column for column in sheet.columns if column not in judged]))
    ratings: list[Rating] = []
    for row in sheet.rows:
        at = where.at(row.place)
        for column, (rater, aspect) in judged.items():
            says = _share if aspect == CONFIDENCE else _value
            ratings.append((name, TASK, rater, aspect, says(at, column, row.cells[column]), False))
    return ratings


def _lacks_raters(where: Where) -> None:
    where.error("column-missing", "has no column such as c1_rater1", "take the file of the challenge")


def _layer(where: Where, data: bytes) -> Layer:
    sheet = csv_text.read(where.file, data, (FRAME,))
    where.faults.extend(sheet.faults)
    judged = {name: (f"C{int(match[1])}", match[2]) for name in sheet.columns if (match := CELL.fullmatch(name))}
    if sheet.columns and not sheet.faults:
        if not judged:
            _lacks_raters(where.at(f"line {sheet.header_line}"))
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


def _share(where: Where, name: str, cell: str) -> float | None:
    """Return how sure somebody is; None where nothing is said, and after noting what is no share."""
    if csv_text.is_missing(cell):
        return None
    try:
        value = csv_text.number(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        where.error("value-type", f"{name} is '{csv_text.shown(cell)}'", "give a number in 0..1; leave it empty where nobody said")
        return None
    return value


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
        out.lose("marks that are no criterion of a named annotator", int((~written).sum()), rows_of="mark")
        said = marks.by_rater(layer, names, raters).reshape(len(layer.positions), -1)
        lines = [",".join([FRAME, *(f"{name.lower()}_rater{k}" for name in names for k in range(1, len(raters) + 1))])]
        for position, values in zip(layer.positions.tolist(), said.tolist(), strict=True):
            lines.append(",".join([str(position), *("" if value != value else str(int(value)) for value in values)]))
        out.files[f"{labels.recording}/{FILE}"] = "".join(f"{line}\n" for line in lines).encode()
    AnnotationError.raise_any(faults)


@dataset_format(
    OUTPUTS,
    pattern=r"(?:[^/]+/)?[^/]+\.json",
    expected=f"<video>/{OUTPUTS_STEM}.json, or <video>.json",
    title="answers to the CVS Challenge: probabilities of three criteria per second; read only",
    by_hand=ByHand(vocabulary="endoscapes", fps=Fraction(1), evidence=registry.keys(OUTPUTS_KEY), holds=("marks",)),
)
def read_outputs(source: LabelFiles) -> Collection:
    """Return the probabilities of the videos in files without an error; all faults are in ``Collection.faults``."""
    paths = {file: PurePosixPath(file) for file in source.files}
    names = {file: path.parent.name if path.stem == OUTPUTS_STEM and path.parent.name else path.stem for file, path in paths.items()}
    return video_files.collection_of(source, names, partial(_labels_of_outputs, source.vocabulary))


def _labels_of_outputs(vocabulary: Vocabulary, where: Where, name: str, data: bytes) -> Labels:
    document = documents.opened(documents.json_object, where.file, data, where.faults)
    every = None if document is None else document.get(OUTPUTS_KEY)
    if document is not None and not isinstance(every, list):
        where.error("layout", f"'{OUTPUTS_KEY}' is {documents.shown(every)}", "give a list with the three probabilities of each second")
    rows: list[tuple[int, str, str, float]] = []
    for second, values in enumerate(every if isinstance(every, list) else ()):
        at = where.at_frame(second)
        if not isinstance(values, list) or len(values) != len(VIEW_OF_SAFETY):
            what = f"expected {len(VIEW_OF_SAFETY)} probabilities, but got {documents.shown(values)}"
            at.error("row-length", what, f"give one for each of {', '.join(VIEW_OF_SAFETY)}")
        elif wrong := [one for one in values if not fields.is_number(one) or not 0 <= one <= 1]:
            at.error(
                "score-range", f"{documents.shown(wrong[0])} is no probability", "give numbers in 0..1; apply a sigmoid to logits first"
            )
        else:
            rows += [(second, name, "", float(value)) for name, value in zip(VIEW_OF_SAFETY, values, strict=True)]
    if isinstance(every, list) and not every:
        where.error("no-labels", "has no second", "export it again")
    where.faults.extend(fields.unkept(where.file, [f"'{name}' of the file" for name in document or () if name != OUTPUTS_KEY]))
    layer = Layer(where.file, np.arange(len(rows) // len(VIEW_OF_SAFETY)), mark_rows(rows))
    return Labels(name, OUTPUTS, vocabulary, Clock(Fraction(1)), marks=layer)
