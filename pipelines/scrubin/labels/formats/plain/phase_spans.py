"""Spans of phases as plain tables: a row for each phase, from a start to an end, whoever made the table; read only.

The names of the two columns say what they count: ``start_s`` and ``end_s``, ``start_ms`` and ``end_ms``, or ``start_frame`` and
``end_frame``, also as ``Start (s)`` or ``EndFrame``. Without a unit they must be clock times, ``mm:ss`` or ``h:mm:ss``: of plain numbers
nobody knows whether they are seconds or frames. Ends are the first instant behind a phase. Those of frames may also be the last one of it:
where they reach to the next start, or to one before it, is told by the rows themselves, else by the name of the column
(``end_frame_exclusive``, ``last_frame``), or by the other files. Times that end a second before the next start are refused. A column of the
video makes several recordings. Phases are names, of any vocabulary or of none. What is in no row is not labelled; rows of a video that lie
over each other are refused.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.base.vocabulary import own_categories, vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.plain import phase_tables
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.formats.programs.named_spans import NamedSpan
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, phase_rows, segment_rows
from scrubin.labels.parse import columns, documents, fields, row_spans, timed_rows, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.row_spans import Edge
from scrubin.labels.rates import NANOSECONDS, NS, Unit
from scrubin.labels.registry import ByHand, dataset_format

NAME = "phase-spans"
PREFERRED = "cholec80"
"""The vocabulary of names that several have, as of `phase_tables`."""
CALL = "call them start_s and end_s, start_ms and end_ms, or start_frame and end_frame"
SHORTEST_FRAME_NS, LONGEST_FRAME_NS, ROUNDED_NS = 16 * NS // 1000, NS // 4, NS // 100
"""How long a frame of a film is, of 4 to 60 a second, and how much that differs where times are rounded."""
_PERHAPS_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")


class _Row(NamedTuple):
    """Line, start and end as written, in nanoseconds or frames, and the phase."""

    line: int
    start: int
    end: int
    phase: str


@dataclass(frozen=True)
class _File:
    """A file before its phases are looked up: where its faults are noted, and the rows of each video in order.

    ``edges`` are the columns of starts and ends; None where no row could be read. ``header`` is where their names stand.
    """

    where: Where
    header: Where
    edges: tuple[Edge, Edge] | None = None
    videos: Mapping[str, Sequence[_Row]] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        """What starts and ends count; a clock counts seconds."""
        return "s" if self.edges is None else self.edges[0].unit or "s"

    def rows(self, videos: frozenset[str] | None = None) -> list[_Row]:
        """Return the rows of some videos; None: of all."""
        return [row for video, rows in self.videos.items() if videos is None or video in videos for row in rows]

    def gaps(self) -> list[int]:
        """Return how far it is from each end to the next start."""
        return [later.start - row.end for rows in self.videos.values() for row, later in itertools.pairwise(rows)]


def vocabulary_of(file: str, phases: Iterable[str]) -> Vocabulary:
    """Return the vocabulary that has all phases, first `PREFERRED`, else one of these phases in their order.

    Raises
    ------
    AnnotationError
        When two phases could be one.
    """
    spans = [NamedSpan("phase", "phase", phase, 0, 1) for phase in phases]
    preferred = vocabulary.load(PREFERRED)
    is_preferred = all(preferred.find("phase", span.label) is not None for span in spans)
    return preferred if is_preferred else named_spans.vocabulary_of(file, spans) or preferred


def are_of_names(form: str) -> bool:
    """Return whether phases of files of a format may be just those that are written, in no known order."""
    return form in (NAME, phase_tables.NAME)


def are_named_alone(form: str, files: Iterable[str | Path]) -> bool:
    """Return whether nothing but the names of phases says of which vocabulary files of a format are, where nobody names it."""
    return are_of_names(form) and not phase_tables.are_of_cholec80(files)


def has_spans(path: Path) -> bool:
    """Return whether a file is a table of spans by its columns: see `row_spans.says_spans`."""
    return row_spans.says_spans(path.name, registry.head(path))


@dataset_format(
    NAME,
    pattern=r"(?!(?i:readme|licen[cs]e)\.)[^/]+\.(?i:csv|tsv|txt)",
    expected="<video>.csv, .tsv or .txt with a start, an end and a phase: start_s,end_s,phase",
    title="spans of phases as plain tables, a row from a start to an end; read only",
    by_hand=ByHand(fps_unstated=True, evidence=has_spans, holds=("phases", "segments"), precedence=2),
)
def read(source: LabelFiles) -> Collection:
    """Return the phases of the videos without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    names = video_files.names_of(source.files, faults)
    known = source.vocabulary if source.vocabulary.name else None
    labelled = source.labelled_videos
    files = [_file(Where(Faults(), file), data, names[file], known, labelled) for file, data in sorted(source.files.items())]
    _note_repeated(files)
    # What has no label does not count, so its ends and phases may be any.
    counted = [replace(file, videos={video: rows for video, rows in file.videos.items() if _counts(video, labelled)}) for file in files]
    for file in counted:
        _note_last_times(file)
    are_last = _are_last_of(counted)
    phases = None
    try:
        phases = _phases(source, files, known)
    except AnnotationError as error:
        faults.extend(error.faults)
    found: dict[str, Labels] = {}
    for file in files:
        of_file = dict[str, Labels]()
        for video, rows in file.videos.items() if phases is not None else ():
            counts = _counts(video, labelled)
            where = file.where if counts else Where(Faults(), file.where.file)
            labels = _labels(where, video, rows, file.unit, phases or source.vocabulary, behind=int(bool(are_last.get(file.where.file))))
            if counts or not where.faults.errors():
                of_file[video] = labels
        found |= {} if file.where.faults.errors() else of_file
        faults.extend(file.where.faults.all())
    return Collection(tuple(labels for _, labels in sorted(found.items())), faults=faults.all())


def _counts(video: str, labelled: frozenset[str] | None) -> bool:
    return labelled is None or video in labelled


def _phases(source: LabelFiles, files: Sequence[_File], known: Vocabulary | None) -> Vocabulary:
    """Return the vocabulary of what is written: the chosen one, or that of the labels with what predictions have beside it."""
    phases = known or vocabulary_of(min(source.files, default=""), dict.fromkeys(row.phase for file in files for row in file.rows()))
    if not source.may_have_further:
        return phases
    counted = {row.phase for file in files for row in file.rows(source.labelled_videos)}
    further = phase_tables.further_of(phases, counted)
    return own_categories.vocabulary_of({"phase": [*phases.phases, *further]}) if further else phases


def _note_repeated(files: Sequence[_File]) -> None:
    """Note videos that stand in several files, in each of these."""
    of_videos: dict[str, list[Where]] = {}
    for file in files:
        for video in file.videos:
            of_videos.setdefault(video, []).append(file.where)
    for video, places in of_videos.items():
        for where in places if len(places) > 1 else ():
            other = next(one.file for one in places if one is not where)
            where.error("file-repeated", f"the video {video} is also in {other}", "keep one of them")


def _file(where: Where, data: bytes, name: str, known: Vocabulary | None, labelled: frozenset[str] | None) -> _File:
    """Return the rows of each video of a file; what is wrong is noted, in rows only of videos that are labelled."""
    sheet = csv_text.read(where.file, data)
    header = where.at(f"line {sheet.header_line}")
    starts, ends = (row_spans.edges_of(sheet.columns, words) for words in (row_spans.STARTS, row_spans.ENDS))
    sheet, unclear = csv_text.with_points(sheet, [edge.name for edge in (*starts, *ends)])
    where.faults.extend((*sheet.faults, *unclear))
    if not sheet.columns:
        return _File(where, header)
    at = {meaning: [sheet.columns[place] for place in places] for meaning, places in columns.places(sheet.columns).items()}
    phases, of_videos = at["phase"], at["video"]
    if len(starts) != 1 or len(ends) != 1 or not phases:
        what = f"the columns are {', '.join(map(csv_text.shown, sheet.columns))}: expected one of starts, one of ends and 'phase'"
        header.error("header", what, _how_to_call(sheet.columns, bool(at["phase id"])))
        return _File(where, header)
    several = next((of for of in (phases, of_videos) if len(of) > 1), [])
    if several:
        columns.note_several(header, several, "keep one column of phases and one of videos")
        return _File(where, header)
    edges, phase, video = (starts[0], ends[0]), phases[0], of_videos[0] if of_videos else None
    columns.note_truth(header, sheet.columns, phase)
    if not _are_clear(header, sheet, edges):
        return _File(where, header)
    of_truth = {column for column in sheet.columns if columns.names_truth(column, phase)}
    where.faults.extend(fields.unkept(where.file, set(sheet.columns) - {edges[0].name, edges[1].name, phase, video, *of_truth}))
    rows: dict[str, list[_Row]] = {}
    for row in sheet.rows:
        place, of_video = where.at(row.place), name if video is None else columns.name_of_video(row.cells[video])
        of_row = place if _counts(of_video, labelled) else Where(Faults(), where.file)
        if (video is None or video_files.is_name(place, of_video)) and (one := _row(of_row, row, edges, phase, known)) is not None:
            rows.setdefault(of_video, []).append(one)
    if not sheet.rows and not sheet.faults:
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    for of_one in rows.values():
        of_one.sort(key=lambda one: (one.start, one.end))
    return _File(where, header, edges, rows)


def _how_to_call(header: Sequence[str], has_ids: bool) -> str:
    """Return how to mend the columns of a table that lacks one, or has too many."""
    if len(header) == 1 and " " in header[0].strip():
        return "separate the cells by commas, semicolons or tabs, not by blanks"
    return "write the name of each phase in a column 'phase': ids have no known meaning here" if has_ids else CALL


def _are_clear(header: Where, sheet: csv_text.Sheet, edges: tuple[Edge, Edge]) -> bool:
    """Return whether starts and ends say what they count, and count the same."""
    named = " and ".join(f"'{csv_text.shown(edge.name)}'" for edge in edges)
    if edges[0].unit != edges[1].unit:
        header.error("time-unit", f"{named} do not count the same", CALL)
        return False
    cells = [row.cells[edge.name] for row in sheet.rows for edge in edges]
    if edges[0].unit is not None:
        with_points = [cell for cell in cells if "." in cell]
        if edges[0].unit != "s" and with_points and all(map(_PERHAPS_THOUSANDS.fullmatch, with_points)):
            what = f"{named} are numbers such as '{with_points[0]}': a decimal separator, or one of thousands?"
            header.error("number-separator", what, "write them without a point")
            return False
        return True
    if not all(":" in cell for cell in cells):
        header.error("time-unit", f"{named} do not say what they count: seconds, milliseconds or frames?", CALL)
        return False
    if any(cell.count(":") == 1 for cell in cells):
        header.warning("time-unit", "times of two numbers, such as 02:30, are read as minutes and seconds", "write 0:02:30")
    return True


def _row(at: Where, row: csv_text.CsvRow, edges: tuple[Edge, Edge], phase: str, known: Vocabulary | None) -> _Row | None:
    """Return what a row says; None after noting what is wrong."""
    start, end = (_instant(at, row.cells[edge.name], edge) for edge in edges)
    name = documents.whole_text(row.cells[phase])
    is_known = bool(name) and known is not None and known.find("phase", name) is not None
    if not is_known and (phase_tables.is_number(name) or phase_tables.is_nothing(name)):
        what = f"the phase is '{csv_text.shown(row.cells[phase])}'"
        at.error("phase-form", what, "write the name of a phase: numbers, and words for an empty cell, have no known meaning here")
        return None
    if start is None or end is None:
        return None
    if end < start or (end == start and edges[0].unit != "frame"):
        what = f"it ends at {row.cells[edges[1].name]}, but starts at {row.cells[edges[0].name]}"
        at.error("span-order", what, "give the end after the start, or remove the row")
        return None
    return _Row(row.line, start, end, name)


def _instant(at: Where, cell: str, edge: Edge) -> int | None:
    """Return a frame, or a time in nanoseconds; None after noting what is none."""
    if edge.unit in ("s", None) and ":" in cell and (time := columns.nanoseconds(cell, minutes=True)) is not None:
        return time
    text = documents.whole_text(cell) if edge.unit == "frame" else cell
    return timed_rows.instant_of(at, text, edge.unit or "s", csv_text.shown(edge.name))


def _are_last(one: _File) -> bool | None:
    """Return whether ends of frames are the last ones of their phases; None where its column and rows do not tell."""
    gaps = one.gaps()
    if one.edges is not None and one.edges[1].is_last is not None:
        return one.edges[1].is_last
    # A gap of a frame may be one; where each ends a frame before the next one, nearly all are.
    if 0 in gaps:
        return None if 1 in gaps else False
    return True if 1 in gaps and 2 * gaps.count(1) >= len(gaps) else None


def _are_last_of(files: Sequence[_File]) -> dict[str, bool | None]:
    """Return of files with frames whether ends are last ones; other files with the same columns tell it of one that does not."""
    of_frames = [file for file in files if file.videos and file.unit == "frame"]
    told = {file.where.file: _are_last(file) for file in of_frames}
    found = dict(told)
    for file in (file for file in of_frames if told[file.where.file] is None):
        gaps = file.gaps()
        others = {told[other.where.file] for other in of_frames if other.edges == file.edges} - {None}
        if len(others) == 1 and not {0, 1} & set(gaps):
            found[file.where.file] = others.pop()
            continue
        how = f"{gaps.count(0)} reach to the next start, {gaps.count(1)} to the frame before it"
        name = "" if file.edges is None else csv_text.shown(file.edges[1].name)
        what = f"nothing tells whether '{name}' is the last frame of a phase or the first one behind it ({how})"
        file.header.error("end-unclear", what, "call it last_frame, or end_frame_exclusive")
    return found


def _note_last_times(one: _File) -> None:
    """Note times that are the last second, frame or millisecond of a phase: what lies from there to the next start would have no label.

    The column is called so; or most end a whole second before a whole next one, or all by as much as a frame of a film.
    """
    if one.edges is None or one.unit == "frame" or one.edges[1].is_last is False:
        return
    end, gaps = csv_text.shown(one.edges[1].name), one.gaps()
    if one.edges[1].is_last:
        what = f"'{end}' is called the last instant of a phase, and times have none"
        one.header.error("end-unclear", what, "give the start of the next phase, and call it end_s or end_ms")
        return
    ends = [row.end for rows in one.videos.values() for row in rows[:-1]]
    are_frames = bool(gaps) and min(gaps) >= SHORTEST_FRAME_NS and max(gaps) <= min(LONGEST_FRAME_NS, min(gaps) + ROUNDED_NS)
    for name, unit_ns in {"second": NS, **({"millisecond": NS // 1000} if one.unit == "ms" else {}), "frame": 0}.items():
        whole = unit_ns and sum(gap == unit_ns and not time % unit_ns for gap, time in zip(gaps, ends, strict=True))
        met = whole if unit_ns else len(gaps) * are_frames
        if met and 2 * met >= len(gaps):
            what = f"{met} of {len(gaps)} phases end a {name} before the next one starts, as if '{end}' were their last {name}"
            called = "end_exclusive" if one.edges[1].unit is None else f"end_{one.unit}_exclusive"
            one.header.error("end-unclear", what, f"give the start of the next phase as the end, or call it {called}")
            return


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
    return Labels(video, NAME, phases, NANOSECONDS, segments=segment_rows(spans), counts_time=True, file=where.file)
