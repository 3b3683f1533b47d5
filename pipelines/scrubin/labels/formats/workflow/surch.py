"""Surch: ``segments.csv``, a row ``VideoID,StartTime,EndTime,labelID`` per segment; all videos in one file.

Times are seconds from the start of the video and may have decimals; they are kept to the millisecond, and it is said where that rounds
them. A segment ends before its ``EndTime``. The label of a segment is anatomy with action, ``etc`` is none of them: they are read as
phases. What is in no segment is not labelled. The tables of videos and labels beside it are not read: the labels have known ids.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from scrubin.base.faults import Faults
from scrubin.labels import registry
from scrubin.labels.model import Collection, LabelFiles
from scrubin.labels.parse import timed_rows, video_files
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NAME = "surch"
FILE = "segments.csv"
COLUMNS = ("VideoID", "StartTime", "EndTime", "labelID")


def _has_segments(path: Path) -> bool:
    return registry.columns_of(path) == COLUMNS


@dataset_format(
    NAME,
    pattern=r"segments\.csv",
    expected=FILE,
    title="Surch: segments in seconds, all videos in one file",
    by_hand=ByHand(vocabulary=NAME, evidence=_has_segments),
)
def read(source: LabelFiles) -> Collection:
    """Return the segments of the videos as spans of phases, none where there is an error; all faults are in ``Collection.faults``."""
    where = video_files.only(source, Faults(), "convert the folders one by one", "there is also")
    sheet = video_files.table(where, source.files[where.file], COLUMNS)
    found = timed_rows.by_video(where, sheet.rows, COLUMNS, source.vocabulary)
    return timed_rows.labels_of(where, NAME, found, source.vocabulary)


@writes(NAME, holds=("phases", "segments"), fps=Fraction(1000), vocabulary=NAME, phases_as_spans=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``segments.csv``."""
    out.files[FILE] = timed_rows.table(collection, COLUMNS, out)
