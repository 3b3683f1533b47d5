"""Label files of any format as our tables; a file that cannot be read does not hide the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pyarrow as pa

from scrubin.cli.validate.material import Material
from scrubin.labels import reader
from scrubin.labels.export import output, span_frames, timing
from scrubin.labels.formats.tables import files as table_files
from scrubin.labels.model import BOX, IDS, Collection, Labels, Layer
from scrubin.labels.registry import DatasetFormat, Format
from scrubin.tables.declare import Table
from scrubin.tables.phases import PHASES
from scrubin.tables.ratings import RATINGS
from scrubin.tables.splits import SPLITS
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS
from scrubin.validate.study import StoredTable, stored_table


def read(path: Path, name: str, options: reader.Options) -> Material:
    """Return the labels of a format as tables.

    Raises
    ------
    AnnotationError
        When there is no file of the format.
    """
    reading = reader.read_path(path, name, options)
    form, collection = reading.form, reading.collection
    made = Material(form.name, len(reading.paths), faults=[fault for fault in reading.faults if fault.severity == "error"])
    if reading.others:
        made.warnings.append(f"{len(reading.others)} other files in {path} are not of the format {form.name} and were not looked at")
    if form.by_hand.fps_unstated:
        made.warnings.append(f"{form.name}: no file states the rate; frames are taken as {form.by_hand.fps} per second")
    made.warnings += [fault.sentence for fault in reading.faults if fault.severity != "error"]
    made.unlabelled += [name for labels in collection.recordings for name in _unlabelled(labels)]
    _add_labels(made, [_by_frame(labels, form, options.first, made) for labels in collection.recordings], form)
    _add_scores(made, collection)
    return made


def _unlabelled(labels: Labels) -> list[str]:
    """Return the file, or the recording, of labels that say nothing of any frame."""
    layers = [layer for layer in (labels.instances, labels.phases) if layer is not None]
    spans = any(rows is not None and len(rows) > 0 for rows in (labels.segments, labels.spans))
    labelled = spans or any(len(layer.positions) for layer in layers)
    return [] if labelled else [layers[0].file if layers else labels.recording]


def _by_frame(labels: Labels, form: Format | DatasetFormat, first: int, made: Material) -> Labels:
    """Return labels by frame, where a format has spans of time: at the rate of its frames, else at 1 per second."""
    losses: Counter[str] = Counter()
    tables = output.writer_of("tables")
    if labels.spans is not None:
        labels = span_frames.with_frames(labels, tables, form.by_hand.fps, None, first, losses)
    if labels.segments is not None:
        labels = timing.retimed(labels, tables, None, None, losses)
    made.warnings += [f"{labels.recording}: not validated: {what}: {count}" for what, count in sorted(losses.items())]
    return labels


def _add_labels(made: Material, recordings: list[Labels], form: Format | DatasetFormat) -> None:
    made.vocabularies = {labels.vocabulary.name: labels.vocabulary for labels in recordings}
    source_s = 1 / (form.by_hand.fps or Fraction(1))
    made.period_s = {labels.recording: labels.clock.period_s or source_s for labels in recordings}
    for table, layers, rows_of in (
        (TRIPLETS, {one.recording: one.instances for one in recordings}, _triplets),
        (PHASES, {one.recording: one.phases for one in recordings}, _phases),
    ):
        parts = [rows_of(one, layer) for one in recordings if (layer := layers[one.recording]) is not None]
        if parts:
            made.tables[table.name] = _found(table, pd.concat(parts, ignore_index=True))
            made.file_of |= {(table.name, name): layer.file for name, layer in layers.items() if layer is not None}


def _triplets(labels: Labels, layer: Layer) -> pd.DataFrame:
    words, rows = labels.vocabulary, layer.rows
    rows = rows.assign(id=labels.recording, frame=rows["position"], vocabulary=words.name, instance=rows.groupby("position").cumcount())
    triplets = tuple(words.triplet_name(i) for i in range(len(words.triplets)))
    for column, names in zip(IDS, (words.instruments, words.verbs, words.targets, triplets), strict=True):
        rows[column.removesuffix("_id")] = _named(rows[column], names)
    return _cut(rows)[TRIPLETS.column_names]


def _cut(rows: pd.DataFrame) -> pd.DataFrame:
    """Return boxes cut to the image, as the pipeline does: what leaves it by more than the tolerance was refused while reading."""
    x, y, w, h = (rows[side].astype("float64") for side in BOX)
    left, top, right, bottom = x.clip(0), y.clip(0), (x + w).clip(upper=1), (y + h).clip(upper=1)
    outside = (x < 0) | (y < 0) | (x + w > 1) | (y + h > 1)
    return rows.assign(x=left, y=top, w=w.mask(outside, right - left), h=h.mask(outside, bottom - top))


def _phases(labels: Labels, layer: Layer) -> pd.DataFrame:
    words, rows = labels.vocabulary, layer.rows
    named = _named(rows["phase_id"], words.phases)
    return rows.assign(id=labels.recording, frame=rows["position"], vocabulary=words.name, phase=named)[PHASES.column_names]


def _named(ids: pd.Series[int], names: tuple[str, ...]) -> pd.Series[str]:
    # An id that the vocabulary does not have gets no name, which a rule reports.
    return ids.map(dict(enumerate(names))).astype("str")


def _add_scores(made: Material, collection: Collection) -> None:
    scores = collection.scores
    if scores is None:
        return
    tables = {RATINGS: scores.ratings, ERRORS: scores.errors}
    if len(scores.skill):
        tables[table_files.declared("skill", list(map(str, scores.skill.columns)))] = scores.skill
    if "subset" in scores.facts:
        placed = scores.facts.loc[scores.facts["subset"].notna(), ["id", "subset"]].drop_duplicates()
        tables[SPLITS] = placed.assign(scheme="published", fold=0)
    for table, frame in tables.items():
        if len(frame):
            # A format need not say everything that our table has.
            said = replace(table, columns=tuple(column for column in table.columns if column.name in frame.columns))
            made.tables[table.name] = _found(said, frame)


def _found(table: Table, frame: pd.DataFrame) -> StoredTable:
    return stored_table(table, pa.Table.from_pandas(frame[table.column_names], schema=table.schema, preserve_index=False))
