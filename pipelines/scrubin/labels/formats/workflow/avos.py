"""AVOS: a CSV with a row ``video_id``, ``start_seconds``, ``end_seconds``, ``label`` per action of open surgery; all videos in one file.

A span ends before its ``end_seconds``, where the next one of a video begins. The three actions and ``background`` are read as phases.
``abstain`` and ``none`` say that nobody decided: such a span is not labelled, and counted in a warning. What single annotators said, and
frames at 15 per second, stand beside it in some files and are not kept; files without ``label`` are of single annotators alone, and not
read. A CSV of boxes (``image_name``, ``x1`` ...) is not read either. Source: the authors' own files, egoodman92/semi-supervised-surgery
42f7af7 of 2021; loaders of two other repositories, which read the published ``open_surgery_temporal_annotations_Jan16.csv``.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from scrubin.base import csv_text
from scrubin.base.faults import Faults, count_text
from scrubin.labels import registry
from scrubin.labels.model import Collection, LabelFiles, Labels, segment_rows
from scrubin.labels.parse import fields, timed_rows
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.timed_rows import MILLISECOND, Span
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.labels.timing import BESIDE_PHASES

NAME = "avos"
FILE = "open_surgery_temporal_annotations.csv"
VIDEO, START, END, LABEL = COLUMNS = ("video_id", "start_seconds", "end_seconds", "label")
UNDECIDED = ("abstain", "none")


def _has_actions(path: Path) -> bool:
    header = registry.head(path).split("\n", 1)[0]
    return set(COLUMNS) <= {name.strip(' "\r') for name in header.split(",")}


@dataset_format(
    NAME,
    pattern=r"[^/]+\.csv",
    expected="a CSV with the columns video_id, start_seconds, end_seconds, label",
    title="AVOS: actions of open surgery in seconds, all videos in one file",
    by_hand=ByHand(vocabulary=NAME, evidence=_has_actions),
)
def read(source: LabelFiles) -> Collection:
    """Return the actions of the videos as spans of phases, none where there is an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    found: dict[str, list[Span]] = {}
    first, *others = sorted(source.files)
    for other in others:
        Where(faults, other).error("file-repeated", f"there is also {first}", "convert the files one by one")
    where = Where(faults, first)
    sheet = csv_text.read(first, source.files[first], COLUMNS)
    faults.extend((*sheet.faults, *fields.unkept(first, set(sheet.columns) - set(COLUMNS))))
    if sheet.columns and not sheet.rows and not sheet.faults:
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    decided = [row for row in sheet.rows if row.cells[LABEL].casefold() not in UNDECIDED]
    for row, span in timed_rows.spans(where, decided, (START, END, LABEL), source.vocabulary):
        if row.cells[VIDEO]:
            found.setdefault(row.cells[VIDEO], []).append(span)
        else:
            where.at(row.place).error("value-type", "there is no video", "name it")
    if undecided := len(sheet.rows) - len(decided):
        what = f"{count_text(undecided, 'row')} of which nobody decided ({', '.join(UNDECIDED)}) are not labelled"
        where.warning("undecided", what)
    if faults.errors():
        return Collection(faults=faults.all())
    labels = [Labels(video, NAME, source.vocabulary, MILLISECOND, segments=segment_rows(rows)) for video, rows in sorted(found.items())]
    return Collection(tuple(labels), faults=faults.all())


@writes(NAME, holds=("phases", "segments"), fps=Fraction(1000), vocabulary=NAME, phases_as_spans=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``open_surgery_temporal_annotations.csv``."""
    lines = [",".join(COLUMNS)]
    for labels in collection.recordings:
        for kind, start, end, id_ in () if labels.segments is None else labels.segments.itertuples(index=False):
            if kind in BESIDE_PHASES:
                out.lose(BESIDE_PHASES[kind])
            else:
                times = f"{timed_rows.seconds(start)},{timed_rows.seconds(end)}"
                lines.append(f"{labels.recording},{times},{labels.vocabulary.phases[id_]}")
    out.files[FILE] = "".join(f"{line}\n" for line in lines).encode()
