"""Criteria in a plain table, as people write predictions: ``video``, ``frame`` and a column per criterion with values in 0..1; read only.

Without a column of videos a file is of one video, which is called like it. A value is a probability, or the share of annotators by whom
the criterion is met, with a decimal comma where no comma separates cells; an empty cell says nothing, and a column of C1 to C9 that is
empty throughout is a criterion that nobody judged. The columns are called as in the labels, such as C1, C2, C3 of the critical view of
safety: so such a table is known. Name the format where they are called otherwise.

A table may also have a row per judgement: ``frame``, ``mark``, ``rater``, ``value``, as our ground truth has them; without a rater it is a
value of nobody by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection as Names
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np

from scrubin.base.faults import Faults
from scrubin.base.text import csv_text, naming
from scrubin.base.vocabulary.vocabulary import fold
from scrubin.labels import marks, registry
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, mark_rows
from scrubin.labels.parse import columns, documents, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format

NAME = "mark-tables"
CRITERION = re.compile(r"(?i:cvs_)?[cC][1-9]")
OF_ANNOTATOR = re.compile(r"(?i:annotator|rater)")
"""In a name of a column, as data sets have them with a column per annotator: they are formats of their own."""
MARK, RATER, VALUE = "mark", "rater", "value"
NO_CRITERION = frozenset(
    (
        *("model", "method", "team", "run", "seed", "epoch", "checkpoint", "version", "split", "subset", "set", "fold", "fps"),
        *("rater", "annotator", "center", "centre", "comment", "comments", "note", "notes", "remark", "remarks"),
        *("file", "filename", "filepath", "path", "image", "imagename", "imagepath"),
    )
)
"""What people write beside criteria, folded; other numbers of a row, times and names of a video are told by their names, too."""
BESIDE: tuple[columns.Meaning, ...] = ("frame", "row", "seconds", "milliseconds", "video", "id")
"""What is no criterion, by the meaning of its name; what means a phase may be one, such as ``label``."""
_Rows = dict[int, dict[tuple[str, str], float]]
"""By frame, the value of each criterion by each rater."""


def _has_criteria(path: Path) -> bool:
    names = registry.columns_of(path)
    if {MARK, VALUE} <= set(names) and columns.first_of(names, "frame") is not None:
        return True
    beside = [name for name in names if name not in (columns.first_of(names, "frame"), columns.first_of(names, "video"))]
    # Beside criteria a model may write what else it knows; a table of phases may have probabilities of any name.
    at = columns.places(names)
    of_others = at["phase"] or at["phase id"] or any(map(OF_ANNOTATOR.search, beside))
    return columns.first_of(names, "frame") is not None and any(map(CRITERION.fullmatch, beside)) and not of_others


@dataset_format(
    NAME,
    pattern=r"(?!(?i:readme|licen[cs]e)\.)[^/]+\.(?i:csv|tsv)",
    expected="a CSV with the columns video, frame and one per criterion, such as C1, C2, C3; or frame, mark, rater, value",
    title="criteria in plain tables, values in 0..1 by frame; read only",
    by_hand=ByHand(vocabulary="endoscapes", fps=Fraction(1), fps_unstated=True, evidence=_has_criteria, holds=("marks",)),
)
def read(source: LabelFiles) -> Collection:
    """Return the values of the videos in files without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    names = video_files.names_of(source.files, faults)
    sheets = {file: csv_text.read(file, data) for file, data in sorted(source.files.items())}
    other = _no_criteria(sheets.values(), source.criteria)
    found: dict[str, tuple[str, _Rows]] = {}
    stated: set[str] = set()
    for file, sheet in sheets.items():
        of_file = Faults()
        for name, rows in _videos(Where(of_file, file), sheet, names[file], stated, other).items():
            if name in found:
                of_file.error(file, "file-repeated", f"the video {name} is also in {found[name][0]}", "give every video once")
            elif not of_file.errors():
                found[name] = file, rows
        faults.extend(of_file.all())
    clock, about = Clock(Fraction(1)), {marks.STATED: sorted(stated)}
    recordings = [Labels(name, NAME, source.vocabulary, clock, marks=_layer(*of), about=about) for name, of in sorted(found.items())]
    return Collection(tuple(recordings), faults=faults.all())


def _layer(file: str, rows: _Rows) -> Layer:
    every = [(frame, name, rater, value) for frame, values in sorted(rows.items()) for (name, rater), value in values.items()]
    return Layer(file, np.array(sorted(rows), np.int64), mark_rows(every))


def _videos(where: Where, sheet: csv_text.Sheet, own: str, stated: set[str], other: Names[str]) -> dict[str, _Rows]:
    """Return the values of a file by video, and add the criteria that it has a column or a row for; ``other`` columns are none."""
    where.faults.extend(sheet.faults)
    number, video = columns.first_of(sheet.columns, "frame"), columns.first_of(sheet.columns, "video")
    is_long = {MARK, VALUE} <= set(sheet.columns)
    criteria = [name for name in sheet.columns if name not in (number, video)]
    if not is_long and (left := [name for name in criteria if fold(name) in other]):
        where.warning("column-other", f"not read, as it is no criterion: {', '.join(map(csv_text.shown, left))}")
        criteria = [name for name in criteria if name not in left]
    if sheet.columns and not sheet.faults and (number is None or not criteria):
        what = f"has the columns {', '.join(map(csv_text.shown, sheet.columns[:6]))}"
        where.at(f"line {sheet.header_line}").error("column-missing", what, "name them video, frame and as the criteria of the labels")
    elif sheet.columns and not sheet.rows and not sheet.faults:
        where.error("no-labels", "has no rows", "give a row per frame, or leave the file out")
    if number is None:
        return {}
    # Any other column without a value may be for remarks.
    stated |= {row.cells[MARK] for row in sheet.rows} - {""} if is_long else {one for one in criteria if CRITERION.fullmatch(one)}
    sheet, unclear = csv_text.with_points(sheet, [number], shares=[VALUE] if is_long else criteria)
    where.faults.extend(unclear)
    refused = {fault.place for fault in unclear}
    videos: dict[str, _Rows] = {}
    raters: dict[str, str] = {}
    for row in (row for row in sheet.rows if row.place not in refused):
        at, frame, name = (
            where.at(row.place),
            documents.frame_number(documents.whole_text(row.cells[number])),
            own if video is None else columns.name_of_video(row.cells[video]),
        )
        if not name:
            at.error("cell-empty", f"the cell '{video}' is empty", "name the video of every row")
        elif not video_files.is_name(at, name):
            continue
        elif frame is None:
            at.error("frame-key", f"'{csv_text.shown(row.cells[number])}' is no frame number", "number frames from 0")
        elif is_long:
            _judge(at, row.cells, videos.setdefault(name, {}).setdefault(frame, {}), raters)
        elif frame in videos.setdefault(name, {}):
            at.error("frame-repeated", f"frame {frame} of video {name} stands twice", "keep one of the rows")
        else:
            cells = {one: row.cells[one] for one in criteria if not csv_text.is_missing(row.cells[one])}
            videos[name][frame] = {(one, ""): _value(at, one, cell) for one, cell in cells.items()}
    return videos


def _no_criteria(sheets: Names[csv_text.Sheet], known: Names[str] | None) -> frozenset[str]:
    """Return which columns are no criteria, folded: by their names, and in predictions by their values in all tables, too.

    The truth, ``known``, says which criteria there are: a predicted column beside one of them is no other if it has a value that none can
    have. In labels such a value is an error of a criterion.
    """
    of_truth = {fold(name) for name in known or ()}
    names = {name for sheet in sheets for name in sheet.columns}
    kept = {fold(name) for name in names if fold(name) in of_truth or CRITERION.fullmatch(name)}
    other = {fold(name) for name in names if fold(name) in NO_CRITERION or columns.first_of([name], *BESIDE)}
    if known is not None and kept:
        # By all tables: else half of one could be lost.
        other |= {fold(name) for sheet in sheets for name in _beyond_values(sheet)}
    return frozenset(other - kept)


def _beyond_values(sheet: csv_text.Sheet) -> set[str]:
    """Return which columns have a value that no criterion can have."""
    rows = csv_text.with_points(sheet, (), shares=sheet.columns)[0].rows
    return {name for row in rows for name, cell in row.cells.items() if not csv_text.is_missing(cell) and not _may_be_value(cell)}


def _may_be_value(cell: str) -> bool:
    try:
        return 0 <= csv_text.number(cell) <= 1
    except ValueError:
        return False


def _judge(where: Where, cells: Mapping[str, str], values: dict[tuple[str, str], float], raters: dict[str, str]) -> None:
    """Add what a row says to the values of its frame, and its rater to those of the file by spelling."""
    key = cells[MARK], "" if csv_text.is_missing(cells.get(RATER, "")) else cells[RATER]
    before = raters.setdefault(naming.spelling(key[1]), key[1])
    if naming.is_of_spreadsheet(key[1]):
        where.error("rater", f"the rater is '{csv_text.shown(key[1])}', an error or a formula of a spreadsheet", "write the name itself")
    elif before != key[1]:
        # As ASCII, because two forms of a letter, or two kinds of space, look the same.
        what = f"rater {key[1]!a} differs from {before!a} in {naming.SPELT} only"
        where.error("rater-spelt", what, "if they are one, write one name; if not, names that differ in more")
    elif not cells[MARK]:
        where.error("cell-empty", f"the cell '{MARK}' is empty", "name the criterion of every row")
    elif key in values:
        by = f" by {csv_text.shown(key[1])}" if key[1] else ""
        where.error("frame-repeated", f"{csv_text.shown(key[0])} is judged twice in the frame{by}", "keep one of the rows")
    elif not csv_text.is_missing(cells[VALUE]):
        values[key] = _value(where, key[0], cells[VALUE])


def _value(where: Where, name: str, cell: str) -> float:
    try:
        value = csv_text.number(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        fix = "give a share of annotators or a probability in 0..1, of logits their sigmoid; leave out a column that is no criterion"
        where.error("score-range", f"{name} is '{csv_text.shown(cell)}'", fix)
    return value
