"""Spans as CSV: ``<recording>.csv``, a row for what one instance of an instrument does from a start up to an end.

The idea is that of SurgLabel, whose own files are not published; the columns are those of our table ``spans``:
``instrument``, ``instance``, ``start_…``, ``end_…``, ``verb`` (or ``action``) and ``target``. Spans are half open. The names
of the two instants say what they count: ``start_frame``, ``end_frame`` source frames from 0, ``start_s``, ``end_s`` seconds
and ``start_ms``, ``end_ms`` milliseconds from the first frame of the source. ``instance`` is the number among the
instruments of its class, from 0; where it is empty, the lowest free one is taken. A row without verb and target says only
that the instrument is there, one without instrument that nothing is. What is in no row is not labelled. A column ``vocabulary``
names that of the row; without it names are ProstaTD's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, near
from scrubin.base.text import csv_text
from scrubin.base.text.csv_rows import csv_of
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import PARTS, Naming, Vocabulary
from scrubin.labels import instance_spans, registry
from scrubin.labels.instance_spans import Row, detail_of
from scrubin.labels.model import SOURCE_FRAMES, Clock, Collection, LabelFiles, Labels
from scrubin.labels.parse import documents, fields, timed_rows
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import NANOSECONDS, NS, UNITS, Unit, clock_of, written
from scrubin.labels.registry import ByHand, Output, label_format, writes

DEFAULT = "prostatd"
ALIASES = {"action": "verb"}
OF_TABLE = ("id", "vocabulary")
EXPECTED = "instrument,instance,start_s,end_s,verb,target, or start_frame,end_frame or start_ms,end_ms"
OTHER_VOCABULARY = "choose another vocabulary (in params.yaml, by hand --vocabulary)"


@dataclass
class _Reading:
    where: Where
    source: LabelFiles
    unit: Unit = "frame"
    merged: Counter[tuple[str, str]] = field(default_factory=Counter)


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that the first row names; one of its own is made of the names in all rows."""
    ((file, data),) = files.items()
    rows = csv_text.read(file, data).rows
    name = rows[0].cells.get("vocabulary", "") if rows else ""
    if not name.startswith(own_categories.PREFIX):
        return own_categories.of_reference(file, name) if name else None
    parts: dict[Naming | str, list[str]] = {
        part: list(dict.fromkeys(row.cells[part] for row in rows if row.cells.get(part))) for part in PARTS
    }
    triplets = (tuple(row.cells.get(part, "") for part in PARTS) for row in rows)
    joined = dict.fromkeys(",".join(names) for names in triplets if all(names))
    return own_categories.of_categories(file, {**parts, "triplet": list(joined)})


def _has_instants(path: Path) -> bool:
    header = [cell.strip(' "').casefold() for cell in re.split("[,;\\t]", registry.head(path).split("\n", 1)[0])]
    return "instrument" in header and any(cell.startswith("start_") for cell in header)


@label_format(
    "spans",
    pattern=r"(?P<recording>[^/]+)\.csv",
    expected="<recording>.csv",
    title="spans as CSV, SurgLabel's idea: instance, start, end, verb, target; a file per recording",
    by_hand=ByHand(vocabulary=DEFAULT, vocabulary_of=vocabulary_of, fps=Fraction(1), fps_unstated=True, evidence=_has_instants),
)
def read(source: LabelFiles) -> Labels:
    """Return the spans of a recording.

    Raises
    ------
    AnnotationError
        With every fault, each with its line; of overlapping spans both lines.
    """
    ((file, data),) = source.files.items()
    reading = _Reading(Where(Faults(), file), source)
    sheet = csv_text.read(file, data)
    sheet, unclear = csv_text.with_points(sheet, [name for name in sheet.columns if name.lower().startswith(("start_", "end_"))])
    reading.where.faults.extend((*sheet.faults, *unclear))
    names, unknown = _header(reading, sheet)
    lines = [(row.line, dict(zip(names, row.cells.values(), strict=True))) for row in sheet.rows] if names else []
    rows = [row for line, cells in lines if (row := _row(reading, line, cells)) is not None]
    if names and not sheet.rows and not sheet.faults:
        reading.where.error("no-labels", "has no rows", "remove the file, or export it again")
    table, overlapping = instance_spans.numbered_table(rows)
    for a, b in overlapping:
        reading.where.at(f"lines {a.line} and {b.line}").error("span-overlap", *_overlap(a, b, reading))
    reading.where.faults.extend(fields.unkept(file, unknown))
    AnnotationError.raise_any(reading.where.faults)
    return Labels(
        source.recording,
        "spans",
        source.vocabulary,
        clock_of(reading.unit),
        detail=detail_of(table),
        faults=reading.where.faults.all(),
        spans=table,
        merged=reading.merged,
        about={"spans": {"unit": reading.unit}},
    )


def _header(reading: _Reading, sheet: csv_text.Sheet) -> tuple[list[str], list[str]]:
    """Return the name of each column, and those that are not kept; no names when a column is missing."""
    if not sheet.columns:
        return [], []
    stated = [ALIASES.get(name.lower(), name.lower()) for name in sheet.columns]
    units = [unit for unit in UNITS if f"start_{unit}" in stated or f"end_{unit}" in stated]
    reading.unit = units[0] if units else reading.unit
    instants = ["start_s", "end_s"] if not units else [f"{edge}_{unit}" for unit in units for edge in ("start", "end")]
    wanted = ["instrument", *instants, *(("verb", "target") if {"verb", "target"} & set(stated) else ())]
    twice = [name for name, count in Counter(stated).items() if count > 1]
    missing = [name for name in wanted if name not in stated]
    where = reading.where.at(f"line {sheet.header_line}")
    if twice:
        where.error("column-repeated", f"the column {twice[0]} stands twice", f"expected {EXPECTED}")
    elif missing:
        close = near(missing[0], [name for name in stated if name not in wanted])
        what = f"there is no column {missing[0]}" + (f", but '{close}'" if close else "")
        where.error("column-missing", what, f"expected {EXPECTED}")
    elif len(units) > 1:
        where.error("column-repeated", "there are instants of two kinds", f"expected {EXPECTED}")
    else:
        names = [name.removesuffix(f"_{reading.unit}") if name in wanted else name for name in stated]
        return names, [name for name in stated if name not in (*wanted, "instance", *OF_TABLE)]
    return [], []


def _row(reading: _Reading, line: int, cells: Mapping[str, str]) -> Row | None:
    """Return a row of a file; None after a fault."""
    where = reading.where.at(f"line {line}")
    start, end = (timed_rows.instant_of(where, cells[edge], reading.unit, f"{edge}_{reading.unit}") for edge in ("start", "end"))
    if start is not None and end is not None and end <= start:
        what = f"it ends at {cells['end']}, but starts at {cells['start']}"
        where.error("span-order", what, "give the end after the start; the end itself is outside of the span")
        start = None
    is_of_file = _is_of_file(reading, where, cells)
    number = cells.get("instance", "")
    instance = documents.frame_number(number) if number else None
    if number and instance is None:
        what = f"instance is '{number}', expected a whole number from 0"
        where.error("instance-number", what, "number the instances of each instrument")
    ids = _ids(reading, where, cells)
    if start is None or end is None or ids is None or not is_of_file or (number and instance is None):
        return None
    instrument = ids.pop("instrument_id", None)
    return Row(line, start, end, instrument, instance, ids)


def _is_of_file(reading: _Reading, where: Where, cells: Mapping[str, str]) -> bool:
    """Return whether a row is of the recording and vocabulary of its file; a table of several has others."""
    recording, vocabulary = cells.get("id", ""), cells.get("vocabulary", "")
    wanted = reading.source.vocabulary.name
    if recording not in ("", reading.source.recording):
        what = f"id is '{recording}', but the file is read as '{reading.source.recording}'"
        where.error("recording", what, "write one file per recording, named like it")
        return False
    is_own = vocabulary.startswith(own_categories.PREFIX) and wanted.startswith(own_categories.PREFIX)
    if vocabulary not in ("", wanted) and not is_own:
        what = f"vocabulary is '{vocabulary}', but the file is read as '{wanted}'"
        where.error("vocabularies-differ", what, "read the file with this vocabulary")
        return False
    return True


def _ids(reading: _Reading, where: Where, cells: Mapping[str, str]) -> dict[str, int] | None:
    """Return the ids of a row; None after a fault."""
    stated = tuple(cells.get(part, "") for part in PARTS)
    vocabulary, label_map = reading.source.vocabulary, reading.source.label_map
    if not stated[0]:
        if any(stated[1:]) or cells.get("instance"):
            what = "verb, target or instance without an instrument"
            where.error("instrument-missing", what, "name the instrument, or leave all of them empty")
        return {}
    if bool(stated[1]) != bool(stated[2]):
        missing = "verb" if stated[2] else "target"
        where.error("cell-empty", f"there is no {missing}", "name it, or leave verb and target empty")
        return None
    names = label_map.merged((stated[0], stated[1], stated[2])) if stated[1] and label_map is not None else stated
    of_instance = where.ids_of_names(vocabulary, [name for name in names if name], OTHER_VOCABULARY)
    if of_instance is not None and stated != names:
        reading.merged[",".join(stated), ",".join(names)] += 1
    return of_instance


def _overlap(a: Row, b: Row, reading: _Reading) -> tuple[str, str]:
    since, until = (written(at, reading.unit) for at in (max(a.start, b.start), min(a.end, b.end)))
    when = f"from {since} to {until} {reading.unit}"
    instrument = next((row.instrument for row in (a, b) if row.instrument is not None), None)
    if a.instrument != b.instrument:
        name = reading.source.vocabulary.instruments[instrument or 0]
        return f"{when} one says that nothing is in view, the other names {name}", "end one before the other"
    who = "nothing" if instrument is None else f"{reading.source.vocabulary.instruments[instrument]} {a.instance}"
    return f"{who} is labelled twice {when}", "end one before the other, or give the other instance another number"


@writes("spans", holds=("instances", "actions", "boxless", "partial", "repeats", "empty frames", "spans"))
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.csv``: the spans as they were read, or the runs of frames in which an instance does one thing."""
    for labels in collection.recordings:
        table = labels.spans
        if table is None and labels.instances is not None:
            rows = labels.instances.rows
            out.lose("instances without an instrument", int(rows["instrument_id"].isna().sum()), rows_of="instance")
            table = instance_spans.of_layer(labels.instances)
        if table is not None and len(table):
            out.files[f"{labels.recording}.csv"] = _table(_as_written(table, labels.clock), _unit(labels), labels.vocabulary)


def _as_written(table: pd.DataFrame, clock: Clock) -> pd.DataFrame:
    """Return spans with their instants as `written` takes them: source frames of an unknown rate as they are, all others in nanoseconds."""
    if clock.period_s is None:
        return table
    # Rounded down: the first frame at or after the written instant is the same one.
    period_ns = NS * clock.period_s
    return table.assign(**{edge: [int(at * period_ns) for at in table[edge].tolist()] for edge in ("start", "end")})


def _unit(labels: Labels) -> Unit:
    if labels.clock == SOURCE_FRAMES:
        return "frame"
    unit = labels.about.get("spans", {}).get("unit")
    return "ms" if labels.clock == NANOSECONDS and unit == "ms" else "s"


def _table(spans_table: pd.DataFrame, unit: Unit, vocabulary: Vocabulary) -> bytes:
    named = [] if vocabulary.name == DEFAULT else [vocabulary.name]
    rows: list[Sequence[str]] = [
        ["instrument", "instance", f"start_{unit}", f"end_{unit}", "verb", "target", *(["vocabulary"] if named else [])]
    ]
    for row in spans_table.to_dict("records"):
        names = [_name(row[f"{part}_id"], vocabulary.names(part)) for part in PARTS]
        instance = "" if pd.isna(row["instance"]) else str(int(row["instance"]))
        rows.append([names[0], instance, written(int(row["start"]), unit), written(int(row["end"]), unit), *names[1:], *named])
    return csv_of(rows).encode()


def _name(id_: Any, names: Sequence[str]) -> str:
    return "" if pd.isna(id_) else names[int(id_)]
