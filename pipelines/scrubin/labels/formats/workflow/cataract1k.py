"""Cataract-1K phases: ``<video>_annotations_phases.csv``, a row per phase with its start and end in seconds.

The columns are ``caseId``, ``comment`` (the phase), ``frame``, ``endFrame``, ``sec`` and ``endSec``. What counts is ``sec`` and ``endSec``:
the frames are the same instants, at a rate that stands in another file, ``<video>_video.csv``. A phase ends before its ``endSec``.
What is in no row is idle, and not labelled. Times are kept to the millisecond, and it is said where that rounds them.
"""

from __future__ import annotations

from pathlib import Path

from scrubin.base import csv_text
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.model import LabelFiles, Labels, segment_rows
from scrubin.labels.parse import fields, timed_rows
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.timed_rows import MILLISECOND
from scrubin.labels.registry import ByHand, label_format

NAME = "cataract1k"
READ = ("sec", "endSec", "comment")
ELSEWHERE = {"caseId", "frame", "endFrame"}
"""Columns that say again what the name of the file and the times do."""


def _has_phases(path: Path) -> bool:
    return set(READ) <= set(registry.columns_of(path))


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)_annotations_phases\.csv",
    expected="<video>_annotations_phases.csv",
    title="Cataract-1K phases: a row per phase, in seconds; read only",
    by_hand=ByHand(vocabulary=NAME, evidence=_has_phases, holds=("phases", "segments")),
)
def read(source: LabelFiles) -> Labels:
    """Return the phases of a video as spans of time.

    Raises
    ------
    AnnotationError
        With every fault of the file, each with its line.
    """
    faults = Faults()
    first, *others = sorted(source.files)
    for other in others:
        faults.error(other, "file-repeated", f"the video is also in {first}", "keep one of them")
    where = Where(faults, first)
    sheet = csv_text.read(first, source.files[first], READ)
    faults.extend((*sheet.faults, *fields.unkept(first, set(sheet.columns) - {*READ, *ELSEWHERE})))
    if sheet.columns and not sheet.rows and not sheet.faults:
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    spans = [span for _, span in timed_rows.spans(where, sheet.rows, READ, source.vocabulary)]
    AnnotationError.raise_any(faults)
    return Labels(source.recording, NAME, source.vocabulary, MILLISECOND, segments=segment_rows(spans), faults=faults.all())
