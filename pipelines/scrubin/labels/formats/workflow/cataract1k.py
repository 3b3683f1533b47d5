"""Cataract-1K phases: ``<video>_annotations_phases.csv``, a row per phase with its start and end in seconds.

The columns are ``caseId``, ``comment`` (the phase), ``frame``, ``endFrame``, ``sec`` and ``endSec``. What counts is ``sec`` and ``endSec``:
the frames are the same instants, at a rate that stands in another file, ``<video>_video.csv``. A phase ends before its ``endSec``.
What is in no row is idle, and not labelled. ``caseId`` must be one, and that of the file where this is called as published. Times are
kept to the millisecond, and it is said where that rounds them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.labels import registry
from scrubin.labels.model import LabelFiles, Labels, segment_rows
from scrubin.labels.parse import timed_rows, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.timed_rows import MILLISECOND
from scrubin.labels.registry import ByHand, label_format

NAME = "cataract1k"
READ = ("sec", "endSec", "comment")
CASE = "caseId"
ELSEWHERE = {CASE, "frame", "endFrame"}
"""Columns that say again what the name of the file and the times do."""
PUBLISHED = re.compile(r"case_(?P<case>[0-9]+)")
"""How the authors call their videos."""


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)_annotations_phases\.csv",
    expected="<video>_annotations_phases.csv",
    title="Cataract-1K phases: a row per phase, in seconds; read only",
    by_hand=ByHand(vocabulary=NAME, evidence=registry.has_columns(*READ), holds=("phases", "segments"), beside=r"[^/]+_video\.csv"),
)
def read(source: LabelFiles) -> Labels:
    """Return the phases of a video as spans of time.

    Raises
    ------
    AnnotationError
        With every fault of the file, each with its line.
    """
    faults = Faults()
    where = video_files.only(source, faults)
    sheet = video_files.table(where, source.files[where.file], READ, ELSEWHERE)
    _check_case(where, sheet.rows, source.recording)
    spans = [span for _, span in timed_rows.spans(where, sheet.rows, READ, source.vocabulary)]
    once = list(dict.fromkeys(spans))
    if repeated := len(spans) - len(once):
        where.warning("row-repeated", f"rows that stand twice, which count once: {repeated}", "remove them")
    AnnotationError.raise_any(faults)
    return Labels(source.recording, NAME, source.vocabulary, MILLISECOND, segments=segment_rows(once), faults=faults.all())


def _check_case(where: Where, rows: Sequence[csv_text.CsvRow], recording: str) -> None:
    """Note rows of another case than the first one's, or than the name of the file says, where it is one of the authors'."""
    stated = [(row, row.cells[CASE]) for row in rows if row.cells.get(CASE)]
    named = PUBLISHED.fullmatch(recording)
    expected = named["case"] if named else stated[0][1] if stated else ""
    for row, case in stated:
        if case != expected and not (case.isdigit() and expected.isdigit() and int(case) == int(expected)):
            of = "the file is" if named else f"line {stated[0][0].line} is"
            what = f"{CASE} is '{csv_text.shown(case)}', and {of} of {csv_text.shown(expected)}"
            where.at(row.place).error("video-name", what, "keep one video in a file, named after it")
            return
