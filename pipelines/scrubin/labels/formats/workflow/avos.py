"""AVOS: a CSV with a row ``video_id``, ``start_seconds``, ``end_seconds``, ``label`` per action of open surgery; all videos in one file.

A span ends before its ``end_seconds``, where the next one of a video begins. The three actions and ``background`` are read as phases.
``abstain`` and ``none`` say that nobody decided: such a span is not labelled, and counted in a warning. What single annotators said, and
frames at 15 per second, stand beside it in some files and are not kept; files without ``label`` are of single annotators alone, and not
read. A CSV of boxes (``image_name``, ``x1`` ...) is not read either. Source: the authors' own files, egoodman92/semi-supervised-surgery
42f7af7 of 2021; loaders of two other repositories, which read the published ``open_surgery_temporal_annotations_Jan16.csv``.
"""

from __future__ import annotations

from fractions import Fraction

from scrubin.base.faults import Faults, count_text
from scrubin.labels import registry
from scrubin.labels.model import Collection, LabelFiles
from scrubin.labels.parse import timed_rows, video_files
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NAME = "avos"
FILE = "open_surgery_temporal_annotations.csv"
*_, LABEL = COLUMNS = ("video_id", "start_seconds", "end_seconds", "label")
UNDECIDED = ("abstain", "none")


@dataset_format(
    NAME,
    pattern=r"[^/]+\.csv",
    expected="a CSV with the columns video_id, start_seconds, end_seconds, label",
    title="AVOS: actions of open surgery in seconds, all videos in one file",
    by_hand=ByHand(vocabulary=NAME, evidence=registry.has_columns(*COLUMNS)),
)
def read(source: LabelFiles) -> Collection:
    """Return the actions of the videos as spans of phases, none where there is an error; all faults are in ``Collection.faults``."""
    where = video_files.only(source, Faults(), "convert the files one by one", "there is also")
    sheet = video_files.table(where, source.files[where.file], COLUMNS)
    decided = [row for row in sheet.rows if row.cells[LABEL].casefold() not in UNDECIDED]
    found = timed_rows.by_video(where, decided, COLUMNS, source.vocabulary)
    if undecided := len(sheet.rows) - len(decided):
        what = f"{count_text(undecided, 'row')} of which nobody decided ({', '.join(UNDECIDED)}) are not labelled"
        where.warning("undecided", what)
    return timed_rows.labels_of(where, NAME, found, source.vocabulary)


@writes(NAME, holds=("phases", "segments"), fps=Fraction(1000), vocabulary=NAME, phases_as_spans=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``open_surgery_temporal_annotations.csv``."""
    out.files[FILE] = timed_rows.table(collection, COLUMNS, out)
