"""Cholec80-CVS: a workbook with a row per interval of a video of Cholec80, and 0, 1 or 2 points for each criterion; read only.

``video``, ``initial_minute``, ``initial_second``, ``final_minute``, ``final_second``, and ``two_structures``, ``cystic_plate``,
``hepatocystic_triangle``: Endoscapes calls these C1, C3 and C2, and so they are called here. ``Total`` is their sum, and
``critical_view`` is 1 from five points on: both are checked, and not kept.

Instants are whole seconds, and both ends belong to an interval: so there is a label per second, which is what the authors' program
(``data_preprocessing/annotations_2_labels.py`` of ManuelRios18/CHOLEC80-CVS-PUBLIC 19ab5e1, 2023-04-18) says of frame 25 k at 25 fps. Read
as that program does: where intervals overlap, the last row with any point counts; a row that ends before it starts says nothing. Its
loader takes one point for "met", as a mean of 0.5 is. Unlike there, a second in no row is not labelled: that program takes it for 0 before
the first clip, and this file does not say when that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from scrubin.base.faults import Faults, count_text, ranges_text
from scrubin.base.text import csv_text
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, mark_rows
from scrubin.labels.parse import documents, fields, video_files, workbook
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format

NAME = "cholec80cvs"
VIDEO = "video"
TIMES = ("initial_minute", "initial_second", "final_minute", "final_second")
CRITERIA = {"two_structures": "C1", "hepatocystic_triangle": "C2", "cystic_plate": "C3"}
"""By column, as the protocol of Endoscapes numbers them (Mascagni et al. 2025, Scientific Data 12, figure 5)."""
TOTAL, ACHIEVED = "Total", "critical_view"
NEEDED = (VIDEO, *TIMES, *CRITERIA)
MOST_POINTS = 2
ACHIEVED_FROM = 5
TRUTH = {"TRUE": "1", "FALSE": "0"}
LONGEST_MINUTES = 24 * 60
Points = tuple[int, ...]


@dataclass
class _Video:
    """Points of each criterion by second so far, and the seconds of which rows say different things, with the numbers of these rows."""

    points: dict[int, Points] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)
    disputed: set[int] = field(default_factory=set)
    disputing: set[int] = field(default_factory=set)

    def add(self, row: int, seconds: range, points: Points) -> None:
        for second in seconds:
            before = self.points.setdefault(second, points)
            if before != points:
                self.disputed.add(second)
                self.disputing |= {row, self.rows[second]}
            if any(points) or second not in self.rows:
                self.points[second], self.rows[second] = points, row


def _is_whole(cell: str) -> bool:
    return documents.frame_number(cell) is not None


workbook.declare(NAME, NEEDED, (VIDEO, *TIMES), items=tuple(CRITERIA), may_be_key=_is_whole)


def _has_criteria(path: Path) -> bool:
    return workbook.has_signs(path, NAME, unreadable=False)


@dataset_format(
    NAME,
    pattern=r"[^/]+\.xlsx",
    expected="cholec80-CVS.xlsx, which its authors' program calls surgeons_annotations.xlsx",
    title="Cholec80-CVS: criteria of the critical view of safety by intervals of a video; read only",
    by_hand=ByHand(vocabulary="endoscapes", evidence=_has_criteria, holds=("marks",)),
)
def read(source: LabelFiles) -> Collection:
    """Return the marks of each video, one per second, none where there is an error; all faults are in ``Collection.faults``.

    Raises
    ------
    AnnotationError
        When a file is no workbook.
    """
    faults = Faults()
    videos: dict[str, _Video] = {}
    where = video_files.only(source, faults, "name the one with the criteria", "there is also")
    tab = workbook.chosen(where, source.files[where.file], NAME)
    for number, header, cells in _rows(where, tab):
        at = where.at(tab.place(number)) if tab else where
        if tab is None or not workbook.note_unsaid(at, tab, number, header, needed=NEEDED):
            _read_row(at, number, cells, videos)
    if faults.errors():
        return Collection(faults=faults.all())
    for name, video in sorted(videos.items()):
        if video.disputed:
            seconds = f"{count_text(len(video.disputed), 'second')} ({ranges_text(sorted(video.disputed), 3)})"
            what = f"rows {ranges_text(sorted(video.disputing), 5)} give {seconds} of {name} different points"
            where.warning("overlap", what, "the last of them with any point counts, as for the data set's authors")
    what = "0, 1 and 2 points are read as 0, 0.5 and 1; seconds that are in no row are not labelled"
    where.warning("read-as", what, "their authors take these for 0 before the first clip")
    return Collection(tuple(_labels(source, where.file, name, video) for name, video in sorted(videos.items())), faults=faults.all())


def _rows(where: Where, tab: workbook.Tab | None) -> list[tuple[int, list[str], dict[str, str]]]:
    """Return number, columns and cells by column of each row; notes what is wrong with the header."""
    if tab is None:
        where.error("file-empty", "no sheet has a cell", "take the workbook of the data set")
        return []
    if not workbook.has_columns(where, tab, NEEDED):
        return []
    (_, header), *below = tab.rows
    if not below:
        where.error("no-labels", "has no rows below its header", "take the workbook of the data set")
    known = (*NEEDED, TOTAL, ACHIEVED, "")
    where.faults.extend(fields.unkept(where.file, [f"column '{name}'" for name in header if name not in known]))
    return [(row, header, dict(zip(header, [*cells, *[""] * len(header)], strict=False))) for row, cells in below]


def _read_row(where: Where, number: int, cells: Mapping[str, str], videos: dict[str, _Video]) -> None:
    if not any(cells[name] for name in (*TIMES, *CRITERIA)):
        of = f" of '{csv_text.shown(cells[VIDEO])}'" if cells[VIDEO] else ""
        where.error("cell-empty", f"it has none of the times and points{of}", "remove the row if it is a note or a sum, else fill it in")
        return
    video = _whole(where, VIDEO, cells[VIDEO], 10**documents.LONGEST_DIGITS)
    times = [_whole(where, name, cells[name], LONGEST_MINUTES if name.endswith("minute") else 59) for name in TIMES]
    points = [_whole(where, name, cells[name], MOST_POINTS) for name in CRITERIA]
    known = [one for one in times if one is not None]
    given = tuple(one for one in points if one is not None)
    if video is None or len(known) < len(times) or len(given) < len(points):
        return
    start_s, end_s = (60 * minute + second for minute, second in (known[:2], known[2:]))
    for name, right in ((TOTAL, sum(given)), (ACHIEVED, int(sum(given) >= ACHIEVED_FROM))):
        # A spreadsheet may hold the last as a truth value.
        if TRUTH.get(cells.get(name, ""), cells.get(name, "")) not in ("", str(right)):
            where.warning("sum-other", f"{name} is {csv_text.shown(cells[name])}, by the points {right}", "the points count")
    of_video = videos.setdefault(f"video{video:02d}", _Video())
    if end_s < start_s:
        what = f"it ends at {_time(end_s)}, before it starts at {_time(start_s)}"
        where.warning("not-kept", what, "it is left out, as by the data set's authors; correct one of the times to have it")
    of_video.add(number, range(start_s, end_s + 1), given)


def _whole(where: Where, name: str, cell: str, most: int) -> int | None:
    value = documents.frame_number(cell)
    if value is None or value > most:
        of_video = name == VIDEO
        expected = "the number of a video of Cholec80" if of_video else f"a whole number in 0..{most}"
        where.error("value-type", f"{name} is '{csv_text.shown(cell)}', expected {expected}", "correct it")
        return None
    return value


def _time(second: int) -> str:
    return f"{second // 60}:{second % 60:02d}"


def _labels(source: LabelFiles, file: str, name: str, video: _Video) -> Labels:
    rows = [
        (second, mark, "", points / MOST_POINTS)
        for second, of_second in sorted(video.points.items())
        for mark, points in zip(CRITERIA.values(), of_second, strict=True)
    ]
    layer = Layer(file, np.array(sorted(video.points), np.int64), mark_rows(rows))
    return Labels(name, NAME, source.vocabulary, Clock(Fraction(1)), marks=layer)
