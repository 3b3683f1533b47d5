"""Endoscapes2023 ``all_metadata.csv``: what each annotator says of the three criteria of the critical view of safety.

A row per image: ``vid``, ``frame`` (at 25 fps) and ``cvs_annotator_1`` to ``_3``, the text of a list such as ``[1, 0, 0]``: what an
annotator says of C1, C2 and C3. Where nobody judged an image these are empty, and ``C1`` to ``C3`` are carried over from other images:
good for training, not for testing. So they are kept as they stand, and are no marks. Where somebody judged they are means. ``avg_cvs``,
``is_ds_keyframe``, ``mask_path`` and ``label_path`` are kept, too, and written back. The release, and those who read it in public, are
the source of this layout. In its folder the COCO files come first: name this file to get the single annotators.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error
from scrubin.base.text import csv_text
from scrubin.base.text.csv_rows import csv_of
from scrubin.labels import marks, registry
from scrubin.labels.marks import VIEW_OF_SAFETY
from scrubin.labels.model import SOURCE_FRAMES, Collection, FloatArray, LabelFiles, Labels, Layer, mark_rows
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NAME = "endoscapescvs"
FILE = "all_metadata.csv"
VIDEO, FRAME, KEY = "vid", "frame", "is_ds_keyframe"
ANNOTATOR = re.compile(r"cvs_annotator_([0-9]{1,3})")
CARRIED = (*VIEW_OF_SAFETY, "avg_cvs", KEY, "mask_path", "label_path")
COLUMNS = (VIDEO, FRAME, "avg_cvs", *VIEW_OF_SAFETY, KEY, *(f"cvs_annotator_{k}" for k in (1, 2, 3)), "mask_path", "label_path")
APART = 1e-3
"""Means may be rounded to three digits."""


@dataclass
class _Video:
    """Rows of a video so far: its marks, and the other cells as they stand, by frame."""

    rows: list[tuple[int, str, str, float]] = field(default_factory=list)
    cells: dict[int, dict[str, str]] = field(default_factory=dict)
    has_points: bool = False


def _has_annotators(path: Path) -> bool:
    return any(map(ANNOTATOR.fullmatch, registry.columns_of(path)))


@dataset_format(
    NAME,
    pattern=re.escape(FILE),
    expected=FILE,
    title="Endoscapes metadata: criteria of the critical view of safety by each annotator; frames at 25 fps",
    by_hand=ByHand(vocabulary="endoscapes", fps=Fraction(25), evidence=_has_annotators),
)
def read(source: LabelFiles) -> Collection:
    """Return the marks of each video; all faults are in ``Collection.faults``, and a file with an error gives nothing."""
    faults = Faults()
    videos: dict[str, _Video] = {}
    columns: list[str] = []
    for file, data in sorted(source.files.items()):
        sheet = csv_text.read(file, data, (VIDEO, FRAME))
        faults.extend(sheet.faults)
        raters = {name: match[1] for name in sheet.columns if (match := ANNOTATOR.fullmatch(name))}
        if sheet.columns and not raters and not sheet.faults:
            what = "has no column of an annotator, such as cvs_annotator_1"
            faults.error(file, "column-missing", what, "take the file of the release", place=f"line {sheet.header_line}")
        for row in sheet.rows if raters else ():
            _read_row(Where(faults, file, row.place), row, raters, videos)
        columns = [name for name in sheet.columns if name in (VIDEO, FRAME, *CARRIED, *raters)]
        faults.extend(fields.unkept(file, [name for name in sheet.columns if name not in columns]))
    if faults.errors():
        return Collection(faults=faults.all())
    return Collection(tuple(_labels(source, name, of, columns) for name, of in sorted(videos.items())), faults=faults.all())


def _read_row(where: Where, row: csv_text.CsvRow, raters: Mapping[str, str], videos: dict[str, _Video]) -> None:
    video, frame = (documents.frame_number(row.cells[name]) for name in (VIDEO, FRAME))
    if video is None or frame is None:
        wrong = VIDEO if video is None else FRAME
        where.error("value-type", f"{wrong} is '{csv_text.shown(row.cells[wrong])}', no whole number from 0", "correct it")
        return
    of_video = videos.setdefault(str(video), _Video())
    if frame in of_video.cells:
        where.error("frame-repeated", f"frame {frame} of video {video} stands twice", "keep one of the rows")
        return
    of_video.cells[frame] = {name: cell for name, cell in row.cells.items() if name in CARRIED}
    said = {raters[name]: _judged(where, name, row.cells[name]) for name in raters if not csv_text.is_missing(row.cells[name])}
    of_video.has_points |= any("." in row.cells[name] for name in raters)
    if all(said.values()):
        _check_carried(where, row, list(said.values()))
        for rater, values in said.items():
            of_video.rows += [(frame, name, rater, value) for name, value in zip(VIEW_OF_SAFETY, values, strict=True)]


def _judged(where: Where, name: str, cell: str) -> list[float]:
    """Return what an annotator says of each criterion; an empty list after noting what is wrong."""
    values = _list_of(cell)
    if not isinstance(values, list):
        where.error("value-type", f"{name} is '{csv_text.shown(cell)}', no list", "write one such as [1, 0, 0]")
    elif len(values) != len(VIEW_OF_SAFETY):
        what = f"{name} has {len(values)} values for the {len(VIEW_OF_SAFETY)} criteria {', '.join(VIEW_OF_SAFETY)}"
        where.error("row-length", what, "give one for each")
    elif wrong := [one for one in values if isinstance(one, bool) or one not in (0, 1)]:
        where.error("value-type", f"{name} has {documents.shown(wrong[0])}", "a criterion is met (1) or not (0)")
    else:
        return [float(one) for one in values]
    return []


@lru_cache(maxsize=1024)
def _list_of(cell: str) -> Any:
    """Return what a cell holds, None for what is no JSON: of three criteria there are only eight lists."""
    try:
        return strangers.json_value(cell.encode())
    except ValueError:
        return None


def _check_carried(where: Where, row: csv_text.CsvRow, said: Sequence[Sequence[float]]) -> None:
    """Note means that are not those of the annotators, and images that are said to be judged, or not to be, against what they have."""
    key = row.cells.get(KEY, "").casefold()
    if key in ("true", "false") and (key == "true") != bool(said):
        what = f"{KEY} is {row.cells[KEY]}, and {'some' if said else 'no'} annotator judged it"
        where.warning("judged", what, "what the annotators say counts")
    for name, values in zip(VIEW_OF_SAFETY, zip(*said, strict=True), strict=True) if said else ():
        stated = _number(row.cells.get(name, ""))
        if not math.isnan(stated) and abs(stated - math.fsum(values) / len(values)) > APART:
            where.warning(
                "mean-other", f"{name} is {stated:g}, the mean of its annotators {math.fsum(values) / len(values):.4g}", "theirs counts"
            )


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _labels(source: LabelFiles, name: str, of: _Video, columns: Sequence[str]) -> Labels:
    frames = pd.DataFrame([{"position": frame, **cells} for frame, cells in sorted(of.cells.items())])
    rows = mark_rows(sorted(of.rows, key=lambda row: row[0]))
    about = {NAME: {"columns": list(columns), "points": of.has_points}}
    layer = Layer(name, np.unique(rows["position"].to_numpy(np.int64)), rows)
    return Labels(name, NAME, source.vocabulary, SOURCE_FRAMES, marks=layer, frames=frames, about=about)


@writes(NAME, holds=("marks",), frames=CARRIED, fps=Fraction(25))
def write(collection: Collection, out: Output) -> None:
    """Write ``all_metadata.csv`` with its columns as they were read, or those of the release; videos and frames are sorted.

    Raises
    ------
    AnnotationError
        For a video whose name is no number, and where no annotator is named.
    """
    faults = Faults()
    recordings = [labels for labels in collection.recordings if labels.marks is not None]
    for labels in recordings:
        if not labels.recording.isdigit():
            faults.extend([error(labels.recording, "video-name", f"{NAME} numbers its videos", "call the video by a number")])
    known = {rater for labels in recordings if labels.marks is not None for rater in marks.raters_of(labels.marks) if rater}
    if not known and not any(labels.about.get(NAME) for labels in recordings):
        what = f"{NAME} needs what each annotator says, and here is only their mean"
        faults.extend([error("", "no-annotators", what, "give labels of single annotators")])
    AnnotationError.raise_any(faults)
    columns = next((list(one.about[NAME]["columns"]) for one in recordings if NAME in one.about), list(COLUMNS))
    ordered = sorted(recordings, key=lambda labels: int(labels.recording))
    out.files[FILE] = csv_of([columns, *(cells for labels in ordered for cells in _rows(labels, sorted(known), columns, out))]).encode()


def _rows(labels: Labels, raters: Sequence[str], columns: Sequence[str], out: Output) -> list[list[str]]:
    """Return the cells of a video, frame by frame."""
    layer = labels.marks
    assert layer is not None
    own = labels.about.get(NAME, {})
    named = [name for name in columns if ANNOTATOR.fullmatch(name)]
    # Annotators of other formats take the columns in order.
    column_of = dict(zip(raters, named, strict=False))
    unwritten = ~layer.rows["rater"].isin(list(column_of)) | ~layer.rows["mark"].isin(VIEW_OF_SAFETY)
    out.lose("marks without a column of an annotator", int(unwritten.sum()), rows_of="mark")
    said = marks.by_rater(layer, VIEW_OF_SAFETY, list(column_of))
    carried: Mapping[Any, Mapping[Any, Any]] = {} if labels.frames is None else labels.frames.set_index("position").to_dict("index")
    judged = dict(zip(layer.positions.tolist(), said, strict=True))
    rows = []
    for position in sorted({*judged, *carried}):
        cells = {name: "" if pd.isna(cell) else str(cell) for name, cell in carried.get(position, {}).items()}
        values = judged.get(position)
        if values is not None:
            cells = _means(values) | cells
            for k, column in enumerate(column_of.values()):
                lacks = np.isnan(values[:, k])
                if lacks.any() and not lacks.all():
                    out.lose("annotators who did not judge all three criteria")
                    out.unwritten["mark"] += int((~lacks).sum())
                cells[column] = "" if lacks.any() else _list(values[:, k], points=bool(own.get("points")))
        cells |= {VIDEO: str(int(labels.recording)), FRAME: str(position)}
        rows.append([cells.get(name, "") for name in columns])
    return rows


def _means(values: FloatArray) -> dict[str, str]:
    means = marks.mean_of_raters(values)
    return {KEY: "True"} | {name: repr(mean) for name, mean in zip(VIEW_OF_SAFETY, means.tolist(), strict=True) if not math.isnan(mean)}


def _list(values: FloatArray, *, points: bool) -> str:
    return f"[{', '.join(repr(one) if points else str(int(one)) for one in values.tolist())}]"
