"""What lies at a path as tables, in any format: whatever can be read, with what is wrong with the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pyarrow as pa

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, count_text, warning
from scrubin.base.tables import Table
from scrubin.base.tables.public import ERRORS, PHASES, RATINGS, SPLITS, TRIPLETS
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import instance_spans, timing
from scrubin.labels.files import output, reader
from scrubin.labels.files.detect import detected
from scrubin.labels.files.reader import Options, Reading
from scrubin.labels.files.verdict import Counts, verdict_of
from scrubin.labels.formats.tables import stored, table_files
from scrubin.labels.model import Labels, Scores
from scrubin.labels.parse.fields import AS_WRITTEN
from scrubin.labels.registry import DatasetFormat, Format, format_of
from scrubin.labels.rows import rows_of_phases, rows_of_triplets
from scrubin.stages.validate.study_tables import StoredTable, stored_table

OWN = "tables"
NOT_VALIDATED = "not-validated"
"""Rule of the warnings about what a file says and no rule looks at."""


@dataclass(frozen=True)
class TablesAtPath:
    """What was read.

    Parameters
    ----------
    form
        Name of the format; "tables" for our own.
    files
        How many files were looked at.
    line
        What was read, on one line.
    tables
        Tables by name.
    faults
        What is wrong with files, of all severities.
    recordings
        Which frames count, by recording; nothing of our own tables.
    unlabelled
        Label files that label nothing.
    file_of
        File by table and recording, or by table and "" where one file has the whole table.
    vocabularies, period_s, as_written
        As in ``scrubin.stages.validate.study_tables.Study``.
    """

    form: str
    files: int
    line: str
    tables: Mapping[str, StoredTable]
    faults: tuple[Fault, ...] = ()
    recordings: Mapping[str, Counts] = field(default_factory=dict)
    unlabelled: tuple[str, ...] = ()
    file_of: Mapping[tuple[str, str], str] = field(default_factory=dict)
    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    period_s: Mapping[str, Fraction] = field(default_factory=dict)
    as_written: frozenset[tuple[str, int]] = frozenset()


def read(path: Path, name: str | None, options: Options) -> TablesAtPath:
    """Return what lies at a path.

    Parameters
    ----------
    path
        A file or folder.
    name
        Of the format; None: by what the files look like.
    options
        How label files are read.

    Raises
    ------
    AnnotationError
        When there is nothing to validate, or nobody knows what it is.
    """
    form = format_of(name) if name is not None else detected(path)
    if form.name == OWN:
        return _own_tables(path, options)
    reading = reader.read_path(path, form, options)
    return _of_labels(path, reading, options.first)


def _own_tables(path: Path, options: Options) -> TablesAtPath:
    if options.vocabulary is not None:
        msg = f"the files of tables name their own vocabulary, so '{options.vocabulary.name}' cannot be chosen; leave it out"
        raise AnnotationError(msg)
    own = stored.read(path)
    return TablesAtPath(
        OWN,
        own.files,
        f"read as {OWN}: {count_text(own.files, 'file')}",
        {name: stored_table(table, arrow) for name, (table, arrow) in own.tables.items()},
        own.faults,
        file_of={(name, ""): file for name, file in own.file_of.items()},
        vocabularies={**{name: vocabulary.load(name) for name in vocabulary.known()}, **own.notes.vocabularies},
        period_s={name: 1 / note.fps for name, note in own.notes.recordings.items()},
    )


def _of_labels(path: Path, reading: Reading, first: int) -> TablesAtPath:
    form, recordings = reading.form, reading.collection.recordings
    warnings, as_written = tuple(_warnings(path, reading)), _as_written(reading)
    by_frame, losses = zip(*(_by_frame(labels, form, first) for labels in recordings), strict=True) if recordings else ((), ())
    tables = {**_label_tables(by_frame), **_score_tables(reading.collection.scores)}
    verdict = verdict_of(reading)
    source_s = 1 / (form.by_hand.fps or Fraction(1))
    return TablesAtPath(
        form.name,
        len(reading.paths),
        verdict.line,
        tables,
        (*reading.faults, *warnings, *(fault for some in losses for fault in some)),
        recordings=verdict.recordings,
        unlabelled=tuple(_place(labels) for labels in recordings if not _labels_anything(labels)),
        file_of=_files_of(by_frame),
        vocabularies={labels.vocabulary.name: labels.vocabulary for labels in recordings},
        period_s={labels.recording: labels.clock.period_s or source_s for labels in by_frame},
        as_written=as_written,
    )


def _as_written(reading: Reading) -> frozenset[tuple[str, int]]:
    frames = {fault.file: fault.frames for fault in reading.faults if fault.rule in AS_WRITTEN and fault.severity == "deviation"}
    layers = [(labels.recording, labels.instances) for labels in reading.collection.recordings if labels.instances is not None]
    return frozenset((recording, frame) for recording, layer in layers for frame in frames.get(layer.file, ()))


def _warnings(path: Path, reading: Reading) -> Iterator[Fault]:
    form = reading.form
    if reading.others:
        what = f"{len(reading.others)} other files in {path} are not of the format {form.name} and were not looked at"
        yield warning("", "other-files", what)
    if form.by_hand.fps_unstated and not all(labels.counts_time for labels in reading.collection.recordings):
        asked = "; `convert` and `score` ask for it by --fps" if form.by_hand.asks_fps else ""
        asked += f". {form.by_hand.rate_is}" if form.by_hand.rate_is else ""
        what = f"{form.name}: no file states the rate; frames are taken as {form.by_hand.fps or 1} per second{asked}"
        yield warning("", "rate-unstated", what)


def _place(labels: Labels) -> str:
    """Return the file of labels; their recording where no layer has one."""
    layers = [layer for layer in (labels.instances, labels.phases, labels.marks) if layer is not None]
    return layers[0].file if layers else labels.recording


def _labels_anything(labels: Labels) -> bool:
    layers = [layer for layer in (labels.instances, labels.phases, labels.marks) if layer is not None]
    spans = any(rows is not None and len(rows) > 0 for rows in (labels.segments, labels.spans))
    return spans or any(len(layer.positions) for layer in layers)


def _by_frame(labels: Labels, form: Format | DatasetFormat, first: int) -> tuple[Labels, list[Fault]]:
    """Return labels by frame, where a format has spans of time: at the rate of its frames, else at 1 per second; and what is lost."""
    losses: Counter[str] = Counter()
    tables = output.writer_of("tables")
    place = _place(labels)
    if labels.spans is not None:
        labels = instance_spans.with_frames(labels, tables, form.by_hand.fps, None, first, losses)
    if labels.segments is not None:
        kinds = Counter(labels.segments["kind"])
        losses.update({what: kinds[kind] for kind, what in timing.BESIDE_PHASES.items() if kinds[kind]})
        by_frame = reader.has_phases_by_frame(labels)
        labels = replace(labels, segments=None) if by_frame else timing.retimed(labels, tables, None, None, losses)
        losses.update({timing.BETWEEN_FRAMES: timing.between_frames(labels)})
    unlike = {what: losses.pop(what, 0) for what in (timing.BETWEEN_FRAMES, timing.OVERLAP)}
    lost = [replace(warning(place, NOT_VALIDATED, f"not validated: {what}"), count=count) for what, count in sorted(losses.items())]
    return labels, [*lost, *(warning(place, reader.LOST, f"{what}: {count}") for what, count in unlike.items() if count)]


def _label_tables(recordings: Sequence[Labels]) -> dict[str, StoredTable]:
    instances = [(one, one.instances.rows) for one in recordings if one.instances is not None]
    phases = [(one, one.phases.rows) for one in recordings if one.phases is not None]
    parts = {
        TRIPLETS: [rows_of_triplets(one.recording, one.vocabulary, rows) for one, rows in instances],
        PHASES: [rows_of_phases(one.recording, one.vocabulary, rows) for one, rows in phases],
    }
    return {table.name: _stored(table, pd.concat(rows, ignore_index=True)) for table, rows in parts.items() if rows}


def _files_of(recordings: Sequence[Labels]) -> dict[tuple[str, str], str]:
    instances = {(TRIPLETS.name, one.recording): one.instances.file for one in recordings if one.instances is not None}
    phases = {(PHASES.name, one.recording): one.phases.file for one in recordings if one.phases is not None}
    return instances | phases


def _score_tables(scores: Scores | None) -> dict[str, StoredTable]:
    if scores is None:
        return {}
    tables = {RATINGS: scores.ratings, ERRORS: scores.errors}
    if len(scores.skill):
        tables[table_files.declared("skill", list(map(str, scores.skill.columns)))] = scores.skill
    if "subset" in scores.facts:
        placed = scores.facts.loc[scores.facts["subset"].notna(), ["id", "subset"]].drop_duplicates()
        tables[SPLITS] = placed.assign(scheme="published", fold=0)
    return {table.name: _stored(_stated(table, rows), rows) for table, rows in tables.items() if len(rows)}


def _stated(table: Table, rows: pd.DataFrame) -> Table:
    # A format need not say everything that our table has.
    return replace(table, columns=tuple(column for column in table.columns if column.name in rows.columns))


def _stored(table: Table, rows: pd.DataFrame) -> StoredTable:
    return stored_table(table, pa.Table.from_pandas(rows[table.column_names], schema=table.schema, preserve_index=False))
