"""Spans of phases as plain tables: a row for each phase, from a start to an end, whoever made the table; read only.

The names of the two columns say what they count: ``start_s`` and ``end_s``, ``start_ms`` and ``end_ms``, or ``start_frame`` and
``end_frame``, also as ``Start (s)`` or ``EndFrame``. Without a unit they must be clock times, ``mm:ss`` or ``h:mm:ss``: of plain numbers
nobody knows whether they are seconds or frames. Ends are the first instant behind a phase. Those of frames may also be the last one of it:
where they reach to the next start, or to one before it, is told by the rows themselves, else by the name of the column
(``end_frame_exclusive``, ``last_frame``). A column of the video makes several recordings. Phases are names, of any vocabulary or of none.
What is in no row is not labelled; rows of a video that lie over each other are refused.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.formats.programs.named_spans import NamedSpan
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, phase_rows, segment_rows
from scrubin.labels.parse import columns, documents, fields, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import NANOSECONDS, NS, Unit, instant
from scrubin.labels.registry import ByHand, dataset_format

NAME = "phase-spans"
PREFERRED = "cholec80"
"""The vocabulary of names that several have, as of `phase_tables`."""
STARTS, ENDS = ("start", "starts", "begin", "from", "onset"), ("end", "ends", "stop", "to", "until", "finish", "offset", "last")
UNITS: Mapping[str, Unit] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("frame", "frames"), "frame"),
}
FILLERS = frozenset(("time", "timestamp", "in", "at", "phase", "number", "no", "nr", "index", "idx", "id", "inclusive", "exclusive"))
CALL = "call them start_s and end_s, start_ms and end_ms, or start_frame and end_frame"
_JOINED = re.compile(r"(start|begin|end|stop)(time|frame|sec)")
_CLOCK = re.compile(r"(?:([0-9]{1,2}):)?([0-5]?[0-9]):([0-5][0-9](?:\.[0-9]{1,9})?)")


@dataclass(frozen=True)
class _Edge:
    """A column of starts or of ends: its name, what it counts (None: a clock), whether its frames are the last ones (None: unsaid)."""

    name: str
    unit: Unit | None
    is_last: bool | None = None


class _Row(NamedTuple):
    """Line, start and end as written, in nanoseconds or frames, and the phase."""

    line: int
    start: int
    end: int
    phase: str


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that has all phases, first `PREFERRED`, else one of these phases; None where there is none."""
    spans = []
    for file, data in sorted(files.items()):
        sheet = csv_text.read(file, data)
        phase = columns.first_of(sheet.columns, "phase")
        spans += [NamedSpan("phase", "phase", row.cells[phase], 0, 1) for row in sheet.rows if phase is not None]
    preferred = vocabulary.load(PREFERRED)
    is_preferred = bool(spans) and all(preferred.find("phase", span.label) is not None for span in spans)
    return preferred if is_preferred else named_spans.vocabulary_of(min(files), spans)


def has_spans(path: Path) -> bool:
    """Return whether columns, or clock times in the first row, say what starts and ends count, and no other column numbers the rows."""
    sheet = csv_text.read(path.name, "\n".join(registry.head(path).splitlines()[:2]).encode())
    edges = [[edge for name in sheet.columns if (edge := _edge(name, words)) is not None] for words in (STARTS, ENDS)]
    if columns.first_of(sheet.columns, "phase") is None or columns.first_of(sheet.columns, "frame", "seconds", "milliseconds") is not None:
        return False
    cells = [row.cells[edge.name] for row in sheet.rows for of in edges for edge in of]
    are_clocks = bool(cells) and all(":" in cell for cell in cells)
    return all(len(of) == 1 and (of[0].unit is not None or are_clocks) for of in edges)


@dataset_format(
    NAME,
    pattern=r"(?!(?i:readme|licen[cs]e)\.)[^/]+\.(?i:csv|tsv|txt)",
    expected="<video>.csv, .tsv or .txt with a start, an end and a phase: start_s,end_s,phase",
    title="spans of phases as plain tables, a row from a start to an end; read only",
    by_hand=ByHand(
        vocabulary=PREFERRED, vocabulary_of=vocabulary_of, fps_unstated=True, evidence=has_spans, holds=("phases", "segments"), precedence=2
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the phases of the videos without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    names = video_files.names_of(source.files, faults)
    found: dict[str, Labels] = {}
    first: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        where = Where(Faults(), file)
        for video, labels in _videos(where, data, names[file], source.vocabulary).items():
            if first.setdefault(video, file) != file:
                where.error("file-repeated", f"the video {video} is also in {first[video]}", "keep one of them")
            found[video] = labels
        if where.faults.errors():
            found = {video: labels for video, labels in found.items() if first[video] != file}
        faults.extend(where.faults.all())
    return Collection(tuple(labels for _, labels in sorted(found.items())), faults=faults.all())


def _videos(where: Where, data: bytes, name: str, phases: Vocabulary) -> dict[str, Labels]:
    """Return the labels of each video of a file; what is wrong is noted."""
    sheet = csv_text.read(where.file, data)
    starts, ends = ([edge for column in sheet.columns if (edge := _edge(column, words)) is not None] for words in (STARTS, ENDS))
    sheet, unclear = csv_text.with_points(sheet, [edge.name for edge in (*starts, *ends)])
    where.faults.extend((*sheet.faults, *unclear))
    if not sheet.columns:
        return {}
    phase, video = columns.first_of(sheet.columns, "phase"), columns.first_of(sheet.columns, "video")
    header = where.at(f"line {sheet.header_line}")
    if len(starts) != 1 or len(ends) != 1 or phase is None:
        what = f"the columns are {', '.join(map(csv_text.shown, sheet.columns))}: expected one of starts, one of ends and 'phase'"
        header.error("header", what, CALL)
        return {}
    edges = (starts[0], ends[0])
    if not _are_clear(header, sheet, edges):
        return {}
    where.faults.extend(fields.unkept(where.file, set(sheet.columns) - {edges[0].name, edges[1].name, phase, video}))
    rows: dict[str, list[_Row]] = {}
    for row in sheet.rows:
        at, of_video = where.at(row.place), name if video is None else columns.name_of_video(row.cells[video])
        if not of_video or "/" in of_video or "\\" in of_video:
            at.error("video-name", f"'{csv_text.shown(of_video)}' is no name of a video", "name the video of every row, without '/'")
        elif (one := _row(at, row, edges, phase)) is not None:
            rows.setdefault(of_video, []).append(one)
    if not sheet.rows and not sheet.faults:
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    for of_one in rows.values():
        of_one.sort(key=lambda one: (one.start, one.end))
    is_last = edges[0].unit == "frame" and _are_last(header, rows.values(), edges[1])
    unit = edges[0].unit or "s"
    return {video: _labels(where, video, of_one, unit, phases, behind=int(bool(is_last))) for video, of_one in rows.items()}


def _edge(name: str, words: Sequence[str]) -> _Edge | None:
    """Return what a column says of starts, or of ends; None of one that is called otherwise."""
    apart = _JOINED.sub(r"\1 \2", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold())
    tokens = re.findall(r"[^\W_]+", apart)
    units = {UNITS[token] for token in tokens if token in UNITS}
    if sum(token in words for token in tokens) != 1 or len(units) > 1 or not set(tokens) <= {*words, *UNITS, *FILLERS}:
        return None
    is_last = True if {"last", "inclusive"} & set(tokens) else False if {"until", "exclusive"} & set(tokens) else None
    return _Edge(name, next(iter(units), None), is_last)


def _are_clear(header: Where, sheet: csv_text.Sheet, edges: tuple[_Edge, _Edge]) -> bool:
    """Return whether starts and ends say what they count, and count the same."""
    named = " and ".join(f"'{csv_text.shown(edge.name)}'" for edge in edges)
    if edges[0].unit != edges[1].unit:
        header.error("time-unit", f"{named} do not count the same", CALL)
        return False
    if edges[0].unit is not None:
        return True
    cells = [row.cells[edge.name] for row in sheet.rows for edge in edges]
    if not all(":" in cell for cell in cells):
        header.error("time-unit", f"{named} do not say what they count: seconds, milliseconds or frames?", CALL)
        return False
    if any(cell.count(":") == 1 for cell in cells):
        header.warning("time-unit", "times of two numbers, such as 02:30, are read as minutes and seconds", "write 0:02:30")
    return True


def _row(at: Where, row: csv_text.CsvRow, edges: tuple[_Edge, _Edge], phase: str) -> _Row | None:
    """Return what a row says; None after noting what is wrong."""
    start, end = (_instant(at, row.cells[edge.name], edge) for edge in edges)
    name = row.cells[phase]
    if not name or documents.frame_number(name) is not None:
        at.error("phase-form", f"the phase is '{csv_text.shown(name)}'", "write the name of a phase: numbers have no known meaning here")
        return None
    if start is None or end is None:
        return None
    if end < start or (end == start and edges[0].unit != "frame"):
        what = f"it ends at {row.cells[edges[1].name]}, but starts at {row.cells[edges[0].name]}"
        at.error("span-order", what, "give the end after the start, or remove the row")
        return None
    return _Row(row.line, start, end, name)


def _instant(at: Where, cell: str, edge: _Edge) -> int | None:
    """Return a frame, or a time in nanoseconds; None after noting what is none."""
    if edge.unit in ("s", None) and (match := _CLOCK.fullmatch(cell)) is not None:
        return int((int(match[1] or 0) * 3600 + int(match[2]) * 60 + Fraction(match[3])) * NS)
    try:
        return instant(documents.whole_text(cell) if edge.unit == "frame" else cell, edge.unit or "s")
    except AnnotationError as error:
        for fault in error.faults:
            at.error(fault.rule, f"{csv_text.shown(edge.name)}: {fault.what}", fault.fix)
        return None


def _are_last(header: Where, videos: Iterable[Sequence[_Row]], end: _Edge) -> bool | None:
    """Return whether ends of frames are the last ones of their phases; None after noting that nothing tells."""
    gaps = [later.start - row.end for rows in videos for row, later in itertools.pairwise(rows)]
    reach, one_before = gaps.count(0), gaps.count(1)
    if end.is_last is not None or bool(reach) != bool(one_before):
        return bool(one_before) if end.is_last is None else end.is_last
    how = f"{reach} reach to the next start, {one_before} to the frame before it"
    what = f"nothing tells whether '{csv_text.shown(end.name)}' is the last frame of a phase or the first one behind it ({how})"
    header.error("end-unclear", what, "call it last_frame, or end_frame_exclusive")
    return None


def _labels(where: Where, video: str, rows: Sequence[_Row], unit: Unit, phases: Vocabulary, behind: int) -> Labels:
    """Return the labels of a video; ``behind`` is how far its ends are from what is written."""
    spans = []
    for row, later in itertools.zip_longest(rows, rows[1:]):
        at, end = where.at(f"line {row.line}"), row.end + behind
        if later is not None and later.start < end:
            both = where.at(f"lines {row.line} and {later.line}")
            both.error("span-overlap", f"the phases '{row.phase}' and '{later.phase}' lie over each other", "end one before the other")
        elif end == row.start:
            at.error(
                "span-order", f"it starts and ends at frame {row.start}", "give the first frame behind it as its end, or remove the row"
            )
        if (id_ := at.id_of(phases, "phase", row.phase, "choose another vocabulary")) is not None:
            spans.append(("phase", row.start, end, id_))
    if unit == "frame":
        frames = [frame for _, start, end, _ in spans for frame in range(start, end)]
        ids = [id_ for _, start, end, id_ in spans for _ in range(start, end)]
        layer = Layer(where.file, np.array(frames, np.int64), phase_rows(frames, ids))
        return Labels(video, NAME, phases, SOURCE_FRAMES, phases=layer)
    return Labels(video, NAME, phases, NANOSECONDS, segments=segment_rows(spans), counts_time=True)
