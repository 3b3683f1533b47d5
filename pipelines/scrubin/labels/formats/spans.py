"""Spans as CSV: ``<recording>.csv``, a row for what one instance of an instrument does from a start up to an end.

The idea is that of SurgLabel, whose own files are not published; the columns are those of our table ``spans``:
``instrument``, ``instance``, ``start_…``, ``end_…``, ``verb`` (or ``action``) and ``target``. Spans are half open. The names
of the two instants say what they count: ``start_frame``, ``end_frame`` source frames from 0, ``start_s``, ``end_s`` seconds
and ``start_ms``, ``end_ms`` milliseconds from the first frame of the source. ``instance`` is the number among the
instruments of its class, from 0; where it is empty, the lowest free one is taken. A row without verb and target says only
that the instrument is there, one without instrument that nothing is. What is in no row is not labelled.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core.faults import Fault, Faults
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence, fields
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, span_rows
from scrubin.labels.rates import NANOSECONDS, NS, UNITS, Unit, clock_of, instant, written
from scrubin.labels.registry import ByHand, Output, label_format, writes
from scrubin.labels.spans import numbers, span_table
from scrubin.labels.spans.expansion import detail_of
from scrubin.labels.spans.numbers import Row
from scrubin.vocabulary.vocabulary import Kind, Vocabulary

KINDS: tuple[Kind, ...] = ("instrument", "verb", "target")
ALIASES = {"action": "verb"}
OF_TABLE = ("id", "vocabulary")
EXPECTED = "instrument,instance,start_s,end_s,verb,target, or start_frame,end_frame or start_ms,end_ms"


@dataclass
class _Reading:
    file: str
    source: LabelFiles
    unit: Unit = "frame"
    faults: Faults = field(default_factory=Faults)
    merged: Counter[tuple[str, str]] = field(default_factory=Counter)


def _has_instants(path: Path) -> bool:
    header = [cell.strip(' "').casefold() for cell in re.split("[,;\\t]", evidence.head(path).split("\n", 1)[0])]
    return "instrument" in header and any(cell.startswith("start_") for cell in header)


@label_format(
    "spans",
    pattern=r"(?P<recording>[^/]+)\.csv",
    expected="<recording>.csv",
    title="spans as CSV, SurgLabel's idea: instance, start, end, verb, target; a file per recording",
    by_hand=ByHand(vocabulary="prostatd", fps=Fraction(1), fps_unstated=True, evidence=_has_instants),
)
def read(source: LabelFiles) -> Labels:
    """Return the spans of a recording.

    Raises
    ------
    AnnotationError
        Names file, line and value of every fault; of overlapping spans both lines.
    """
    ((file, data),) = source.files.items()
    reading = _Reading(file, source)
    lines, unknown = _cells(reading, documents.text(file, data))
    rows = [row for line, cells in lines if (row := _row(reading, f"line {line}", line, cells)) is not None]
    if not lines and not len(reading.faults):
        reading.faults.error(file, "format", "has no rows", "remove the file, or export it again")
    stated = [row for row in rows if row.instrument is None or row.instance is not None]
    overlapping = numbers.overlaps(stated)
    rows = rows if overlapping else numbers.numbered(rows)
    for a, b in overlapping or numbers.overlaps(rows):
        what, fix = _overlap(a, b, reading)
        reading.faults.error(file, "span-overlap", what, fix, place=f"lines {a.line} and {b.line}")
    AnnotationError.raise_any(reading.faults)
    table = span_rows([{"instrument_id": r.instrument, "instance": r.instance, "start": r.start, "end": r.end, **r.ids} for r in rows])
    return Labels(
        source.recording,
        "spans",
        source.vocabulary,
        clock_of(reading.unit),
        detail=detail_of(table),
        faults=fields.unkept(file, unknown),
        spans=table,
        merged=reading.merged,
        about={"spans": {"unit": reading.unit}},
    )


def _cells(reading: _Reading, text: str) -> tuple[list[tuple[int, dict[str, str]]], list[str]]:
    """Return the rows by column, with their lines, and the columns that are not kept."""
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header, unknown = _header(reading, next(table, []))
        if not header:
            return [], []
        rows = []
        for cells in table:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                reading.faults.error(
                    reading.file, "format", f"{len(cells)} values, expected {len(header)}", "fill the row", place=f"line {table.line_num}"
                )
                continue
            rows.append((table.line_num, {name: cell.strip() for name, cell in zip(header, cells, strict=True)}))
    except csv.Error as error:
        raise AnnotationError(
            [Fault(reading.file, "format", f"not CSV: {error}", "save it as CSV again", place=f"line {table.line_num}")]
        ) from error
    return rows, unknown


def _header(reading: _Reading, cells: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the name of each column, and those that are not kept; no names when a column is missing."""
    given = [ALIASES.get(cell.strip().lower(), cell.strip().lower()) for cell in cells]
    units = [unit for unit in UNITS if f"start_{unit}" in given or f"end_{unit}" in given]
    reading.unit = units[0] if units else reading.unit
    instants = ["start_s", "end_s"] if not units else [f"{edge}_{unit}" for unit in units for edge in ("start", "end")]
    wanted = ["instrument", *instants, *(("verb", "target") if {"verb", "target"} & set(given) else ())]
    twice = [name for name, count in Counter(given).items() if count > 1]
    missing = [name for name in wanted if name not in given]
    if twice or missing or len(units) > 1:
        fault = f"there is no column {missing[0]}" if missing else "there are instants of two kinds"
        fault = f"the column {twice[0]} stands twice" if twice else fault
        near = difflib.get_close_matches(missing[0], given, n=1) if missing else []
        hint = f", but '{near[0]}'" if near and near[0] not in wanted else ""
        reading.faults.error(reading.file, "format", fault + hint, f"expected {EXPECTED}", place="line 1")
        return [], []
    names = [name.removesuffix(f"_{reading.unit}") if name in wanted else name for name in given]
    return names, [name for name in given if name not in (*wanted, "instance", *OF_TABLE)]


def _row(reading: _Reading, place: str, line: int, cells: Mapping[str, str]) -> Row | None:
    faults, file = reading.faults, reading.file
    before = len(faults)
    edges = []
    for edge in ("start", "end"):
        try:
            edges.append(instant(cells[edge], reading.unit))
        except AnnotationError as error:
            faults.error(file, "format", f"{edge}_{reading.unit}: {error}", "correct it", place=place)
    if len(edges) == 2 and edges[1] <= edges[0]:
        fault = f"it ends at {cells['end']}, but starts at {cells['start']}"
        faults.error(file, "format", fault, "give the end after the start; the end itself is outside of the span", place=place)
    _check_table(reading, place, cells)
    number = cells.get("instance", "")
    instance = documents.frame_number(number) if number else None
    if number and instance is None:
        faults.error(
            file,
            "format",
            f"instance is '{number}', expected a whole number from 0",
            "number the instances of each instrument",
            place=place,
        )
    ids = _ids(reading, place, cells)
    if len(faults) > before or ids is None:
        return None
    instrument = ids.pop("instrument_id", None)
    return Row(line, edges[0], edges[1], instrument, instance, ids)


def _check_table(reading: _Reading, place: str, cells: Mapping[str, str]) -> None:
    """Refuse rows of another recording or vocabulary, as a table of several has them."""
    for name, wanted in zip(OF_TABLE, (reading.source.recording, reading.source.vocabulary.name), strict=True):
        if cells.get(name, wanted) not in (wanted, ""):
            mend = "write one file per recording, named like it" if name == "id" else "read the file with this vocabulary"
            reading.faults.error(
                reading.file, "format", f"{name} is '{cells[name]}', but the file is read as '{wanted}'", mend, place=place
            )


def _ids(reading: _Reading, place: str, cells: Mapping[str, str]) -> dict[str, int | None] | None:
    """Return the ids of a row; None after a fault."""
    names = [cells.get(kind, "") for kind in KINDS]
    words, file, faults = reading.source.vocabulary, reading.file, reading.faults
    if not names[0]:
        if any(names[1:]) or cells.get("instance"):
            faults.error(
                file,
                "format",
                "verb, target or instance without an instrument",
                "name the instrument, or leave all of them empty",
                place=place,
            )
        return {}
    if bool(names[1]) != bool(names[2]):
        missing = KINDS[1] if names[2] else KINDS[2]
        faults.error(file, "format", f"there is no {missing}", f"name it, or leave {KINDS[1]} and {KINDS[2]} empty", place=place)
        return None
    given = ",".join(names)
    if names[1] and reading.source.label_map is not None:
        names = list(reading.source.label_map.merged((names[0], names[1], names[2])))
    ids: list[int] = []
    for kind, name in zip(KINDS, names, strict=True):
        try:
            ids += [words.id_of(kind, name)] if name else []
        except AnnotationError as error:
            faults.error(
                file,
                "format",
                f"{kind}: {error}",
                "correct it, or choose another vocabulary (in params.yaml, by hand --vocabulary)",
                place=place,
            )
            return None
    if len(ids) == 1:
        return {"instrument_id": ids[0]}
    triplet = words.triplet_id(ids[0], ids[1], ids[2])
    if triplet is None:
        faults.error(file, "format", f"'{','.join(names)}' is no triplet of '{words.name}'", "correct one of the three", place=place)
        return None
    if given != ",".join(names):
        reading.merged[given, ",".join(names)] += 1
    return {"instrument_id": ids[0], "verb_id": ids[1], "target_id": ids[2], "triplet_id": triplet}


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
        table, unit = labels.spans, _unit(labels)
        if table is None and labels.instances is not None:
            rows = labels.instances.rows
            out.lose("instances without an instrument", int(rows["instrument_id"].isna().sum()))
            table = span_table.of_layer(labels.instances)
            if labels.clock != SOURCE_FRAMES:
                # Rounded down: the first frame at or after the written instant is the same one.
                period_ns = Fraction(NS) * (labels.clock.period_s or 0)
                table = table.assign(**{edge: [int(at * period_ns) for at in table[edge].tolist()] for edge in ("start", "end")})
        if table is not None and len(table):
            out.files[f"{labels.recording}.csv"] = _text(table, unit, labels.vocabulary).encode()


def _unit(labels: Labels) -> Unit:
    if labels.clock == SOURCE_FRAMES:
        return "frame"
    unit = labels.about.get("spans", {}).get("unit")
    return "ms" if labels.clock == NANOSECONDS and unit == "ms" else "s"


def _text(spans_table: pd.DataFrame, unit: Unit, words: Vocabulary) -> str:
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["instrument", "instance", f"start_{unit}", f"end_{unit}", "verb", "target"])
    for row in spans_table.to_dict("records"):
        names = [_name(row[f"{kind}_id"], words.names(kind)) for kind in KINDS]
        instance = "" if pd.isna(row["instance"]) else str(int(row["instance"]))
        table.writerow([names[0], instance, written(int(row["start"]), unit), written(int(row["end"]), unit), *names[1:]])
    return text.getvalue()


def _name(id_: Any, names: Sequence[str]) -> str:
    return "" if pd.isna(id_) else names[int(id_)]
