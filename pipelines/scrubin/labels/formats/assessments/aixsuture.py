"""AIxSuture: ``OSATS.xlsx``, one row per video per rater.

Columns STUDENT, GROUP, TIME, VIDEO, INVESTIGATOR, SUTURES, eight ``OSATS_*`` and ``GLOBA_RATING_SCORE``
(the published spelling). The recording is VIDEO, the rater INVESTIGATOR; the other columns are facts
of the row. An empty score is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults
from scrubin.base.text import csv_text, naming
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.model import Collection, LabelFiles, Scores, rating_rows
from scrubin.labels.parse import fields, sheet_xml, video_files, workbook
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

FACTS = vocabulary.facts("aixsuture")
COLUMNS: tuple[str, ...] = tuple(FACTS["columns"])
PREFIX: str = FACTS["aspect_prefix"]
TOTAL: str = FACTS["total"]
TASK = "Suturing"
KEYS = ("VIDEO", "INVESTIGATOR")
KEPT = ("STUDENT", "GROUP", "TIME", "SUTURES")
FILE = "OSATS.xlsx"
LEAST, MOST = 1, 5
"""Points of an item."""
ROUNDING = 1e-9
SEEN_AS_ONE = "dashes, apostrophes, blanks or what does not show"


workbook.declare("aixsuture", (*COLUMNS, TOTAL), KEYS, items=(PREFIX,))


def _may_have_ratings(path: Path) -> bool:
    """Return whether a workbook has columns of ratings, or cannot be read: then it is said why."""
    return workbook.has_signs(path, "aixsuture", unreadable=True)


@dataset_format(
    "aixsuture",
    pattern=r"[^/]+\.xlsx",
    expected="OSATS.xlsx",
    title="AIxSuture: OSATS.xlsx, ratings per video and rater",
    by_hand=ByHand(vocabulary="aixsuture", evidence=_may_have_ratings),
)
def read(source: LabelFiles) -> Collection:
    """Return the ratings of all videos.

    Raises
    ------
    AnnotationError
        With every fault, each with its row.
    """
    faults = Faults()
    where = video_files.only(source, faults, "name the one with the ratings", "there is also")
    AnnotationError.raise_any(faults)
    tab = _sheet(where, source.files[where.file])
    header = tab.rows[0][1]
    aspects = [name for name in header if name.startswith(PREFIX)]
    ratings: list[tuple[str, str, str, str, float | None, bool]] = []
    facts: list[dict[str, str]] = []
    spelt: dict[tuple[str, str], str] = {}
    seen: set[tuple[str, str]] = set()
    for number, row in _rows(where, tab, [TOTAL, *aspects]):
        at, key = where.at(tab.place(number)), (row["VIDEO"], row["INVESTIGATOR"])
        is_unsaid = workbook.note_unsaid(at, tab, number, header, needed=[*KEYS, TOTAL, *aspects], useful=KEPT)
        if is_unsaid or not _are_names(at, row, spelt):
            continue
        if key in seen:
            at.error("id-repeated", f"video '{key[0]}' was already rated by '{key[1]}'", "keep one of the rows")
            continue
        seen.add(key)
        facts.append({"id": key[0], "task": TASK, "rater": key[1], **_facts_of(tab, number, row)})
        points = {name: _points(at, name, row[name]) for name in (TOTAL, *aspects)}
        _check_points(at, points)
        for name, value in points.items():
            aspect = "GRS" if name == TOTAL else name.removeprefix(PREFIX)
            ratings.append((key[0], TASK, key[1], aspect, value, False))
    if len(tab.rows) == 1:
        where.error("no-labels", "has no ratings below its header", "export it again")
    AnnotationError.raise_any(faults)
    unkept = fields.unkept(where.file, (f"column '{name}'" for name in header if name not in (*COLUMNS, TOTAL, *aspects, "")))
    return Collection(scores=Scores(rating_rows(ratings), pd.DataFrame(facts).astype("str")), faults=(*faults.all(), *unkept))


def _sheet(where: Where, data: bytes) -> workbook.Tab:
    """Return the sheet with the ratings.

    Raises
    ------
    AnnotationError
        When there is none, or there are several.
    """
    tab = workbook.chosen(where, data, "aixsuture")
    if tab is None:
        raise AnnotationError([Fault(where.file, "file-empty", "no sheet has a cell", "the ratings must be there")])
    workbook.has_columns(where, tab, (*COLUMNS, f"{PREFIX}...", TOTAL))
    AnnotationError.raise_any(where.faults)
    return tab


def _rows(where: Where, tab: workbook.Tab, numeric: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Return rows with their numbers and cells by column, with decimal points for commas, as in every table of text.

    Left out are those with a number that can be read in two ways, which is noted.
    """
    (top, header), *below = tab.rows
    rows = [(number, dict(zip(header, [*cells, *[""] * len(header)], strict=False))) for number, cells in below]
    # What has a comma is a text: the point of a number is what it is.
    with_comma = [csv_text.CsvRow(number, {name: row[name] for name in numeric if "," in row[name]}, ()) for number, row in rows]
    sheet, unclear = csv_text.with_points(csv_text.Sheet(where.file, "\t", tuple(header), top, tuple(with_comma)), numeric)
    places = {row.place: row.line for row in with_comma}
    for fault in unclear:
        where.at(tab.place(places[fault.place])).error(fault.rule, fault.what, fault.fix)
    refused = {places[fault.place] for fault in unclear}
    return [(number, {**row, **found.cells}) for (number, row), found in zip(rows, sheet.rows, strict=True) if number not in refused]


def _facts_of(tab: workbook.Tab, number: int, row: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of a row; a truth value is the number that a spreadsheet stores, as a group may be."""
    header, number_of = tab.rows[0][1], {"TRUE": "1", "FALSE": "0"}
    return {name.lower(): number_of[row[name]] if (number, header.index(name)) in tab.truths else row[name] for name in KEPT}


def _are_names(where: Where, row: Mapping[str, str], spelt: dict[tuple[str, str], str]) -> bool:
    """Return whether video and rater are names, spelt as in earlier rows; what is wrong with them is noted."""
    count = len(where.faults)
    if not all(row[name] for name in KEYS):
        where.error("cell-empty", "VIDEO or INVESTIGATOR is empty", "name both")
        return False
    for name in KEYS:
        cell = row[name]
        # Recordings are told apart as in recordings.csv, where v1 and V01 are two; hardly two people are called so.
        same, in_what = (naming.look, SEEN_AS_ONE) if name == "VIDEO" else (naming.spelling, naming.SPELT)
        before = spelt.setdefault((name, same(cell)), cell)
        if naming.is_of_spreadsheet(cell):
            where.error("name", f"{name} is '{csv_text.shown(cell)}', an error or a formula of a spreadsheet", "write the name itself")
        elif held := naming.control(cell):
            where.error("name", f"{name} is {csv_text.shown(cell)!r}, which holds {held}", "write the name on one line")
        elif before != cell:
            # As ASCII, because two forms of a letter, or two kinds of space, look the same.
            what = f"{name} {cell!a} differs from {before!a} in {in_what} only"
            where.error("name-spelt", what, "if they are one, write one name; if not, names that differ in more")
    return len(where.faults) == count


def _check_points(where: Where, points: Mapping[str, float | None]) -> None:
    """Note points that are on no scale of an item, and a total that is not their sum, where all are given."""
    items = {name: value for name, value in points.items() if name != TOTAL and value is not None}
    for name, value in items.items():
        if not LEAST <= value <= MOST:
            where.warning("score-range", f"{name} is {value:g}, not {LEAST} to {MOST}", "correct it")
    total, of_items = points[TOTAL], math.fsum(items.values())
    if total is not None and len(items) == len(points) - 1 and abs(total - of_items) > ROUNDING:
        where.warning("sum-of-items", f"{TOTAL} is {total:g}, and its items add up to {of_items:g}", "correct one of them")


def _points(where: Where, name: str, text: str) -> float | None:
    if csv_text.is_missing(text):
        return None
    try:
        value = csv_text.number(text)
    except ValueError:
        value = float("nan")
    if value != value or abs(value) == float("inf"):
        where.error("value-type", f"{name} is '{csv_text.shown(text)}'", "give points, or leave it empty")
        return None
    return value


@writes("aixsuture", holds=("ratings", "facts"))
def write(collection: Collection, out: Output) -> None:
    """Write ``OSATS.xlsx``.

    Raises
    ------
    AnnotationError
        When the recordings are of several tasks, which it cannot tell apart.
    """
    scores = collection.scores
    if scores is None:
        return
    tasks = sorted(set(scores.ratings["task"]))
    if len(tasks) > 1:
        what = f"aixsuture has no column for the task, but there are {', '.join(tasks)}"
        raise AnnotationError([Fault("", "tasks-differ", what, "convert them one by one, or to lasana or tables")])
    kept = {"id", "task", "rater", *(name.lower() for name in KEPT)}
    for name in sorted(set(map(str, scores.facts.columns)) - kept):
        out.lose(f"'{name}' of recordings", int(scores.facts[name].notna().sum()))
    aspects = [name for name in dict.fromkeys(scores.ratings["aspect"]) if name != "GRS"]
    facts = _facts(scores.facts)
    header = [*COLUMNS, *(f"{PREFIX}{name}" for name in aspects), TOTAL]
    table: list[Sequence[str | float | None]] = [header]
    for (id_, rater), rows in scores.ratings.groupby(["id", "rater"], sort=False):
        points = rows.set_index("aspect")["score"].to_dict()
        out.lose("marks that a recording failed", int(rows["failed"].any()))
        of_row = facts.get((str(id_), str(rater)), {})
        values = {"VIDEO": str(id_), "INVESTIGATOR": str(rater), **{name: of_row.get(name.lower()) for name in KEPT}}
        table.append([*(_cell(values[name]) for name in COLUMNS), *(_cell(points.get(name)) for name in (*aspects, "GRS"))])
    out.files[FILE] = sheet_xml.workbook(table)


def _facts(facts: pd.DataFrame) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    if "rater" not in facts:
        return {}
    return {(str(row["id"]), str(row["rater"])): {str(name): value for name, value in row.items()} for row in facts.to_dict("records")}


def _cell(value: Any) -> str | float | None:
    if value is None or value == "" or pd.isna(value):
        return None
    if isinstance(value, str):
        return float(value) if value.isascii() and value.isdigit() and str(int(value)) == value else value
    return float(value)
