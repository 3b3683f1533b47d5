"""AIxSuture: ``OSATS.xlsx``, one row per video and rater.

Columns STUDENT, GROUP, TIME, VIDEO, INVESTIGATOR, SUTURES, eight ``OSATS_*`` and ``GLOBA_RATING_SCORE``
(the published spelling). The recording is VIDEO, the rater INVESTIGATOR; the other columns are facts
of the row. An empty score is undefined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scrubin.core.faults import Fault, Faults
from scrubin.errors import AnnotationError
from scrubin.labels import evidence, fields, workbook
from scrubin.labels.model import Collection, LabelFiles, Scores, rating_rows
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.vocabulary import vocabulary

FACTS = vocabulary.facts("aixsuture")
COLUMNS: tuple[str, ...] = tuple(FACTS["columns"])
PREFIX: str = FACTS["aspect_prefix"]
TOTAL: str = FACTS["total"]
TASK = "Suturing"
KEPT = ("STUDENT", "GROUP", "TIME", "SUTURES")
FILE = "OSATS.xlsx"


@dataset_format(
    "aixsuture",
    pattern=r"[^/]+\.xlsx",
    expected="OSATS.xlsx",
    title="AIxSuture: OSATS.xlsx, ratings per video and rater",
    by_hand=ByHand(vocabulary="aixsuture", evidence=evidence.named),
)
def read(source: LabelFiles) -> Collection:
    """Return the ratings of all videos.

    Raises
    ------
    AnnotationError
        Names file, row and value of every fault.
    """
    if len(source.files) != 1:
        raise AnnotationError(
            [Fault(sorted(source.files)[1], "format", f"there are {len(source.files)} workbooks", "name the one with the ratings")]
        )
    ((file, data),) = source.files.items()
    rows = workbook.rows(file, data)
    faults = Faults()
    if not rows:
        raise AnnotationError([Fault(file, "format", "the first sheet is empty", "the ratings must be there")])
    header = rows[0][1]
    aspects = [name for name in header if name.startswith(PREFIX)]
    missing = [name for name in (*COLUMNS, TOTAL) if name not in header]
    if missing or not aspects or len(set(header)) < len(header):
        fault = f"column {', '.join(missing)} missing" if missing else "the columns are not those of OSATS.xlsx"
        raise AnnotationError(
            [Fault(file, "format", f"{fault}", f"expected {', '.join(COLUMNS)}, {PREFIX}..., {TOTAL}", place=f"row {rows[0][0]}")]
        )
    ratings: list[tuple[str, str, str, str, float | None, bool]] = []
    facts: list[dict[str, str]] = []
    seen: set[tuple[str, str]] = set()
    for number, cells in rows[1:]:
        row = dict(zip(header, [*cells, *[""] * len(header)], strict=False))
        key = (row["VIDEO"], row["INVESTIGATOR"])
        if not all(key):
            faults.error(file, "format", "VIDEO or INVESTIGATOR is empty", "name both", place=f"row {number}")
            continue
        if key in seen:
            faults.error(file, "format", f"video '{key[0]}' was already rated by '{key[1]}'", "keep one of the rows", place=f"row {number}")
            continue
        seen.add(key)
        facts.append({"id": key[0], "task": TASK, "rater": key[1], **{name.lower(): row[name] for name in KEPT}})
        for name in (TOTAL, *aspects):
            value = _points(file, number, name, row[name], faults)
            ratings.append((key[0], TASK, key[1], "GRS" if name == TOTAL else name.removeprefix(PREFIX), value, False))
    AnnotationError.raise_any(faults)
    if not facts:
        raise AnnotationError([Fault(file, "format", "has no ratings below its header", "export it again")])
    others = fields.unkept(file, (f"column '{name}'" for name in header if name not in (*COLUMNS, TOTAL, *aspects, "")))
    return Collection(scores=Scores(rating_rows(ratings), pd.DataFrame(facts).astype("str")), faults=others)


def _points(file: str, number: int, name: str, text: str, faults: Faults) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value != value or abs(value) == float("inf"):
        faults.error(file, "format", f"{name} is '{text}'", "give points, or leave it empty", place=f"row {number}")
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
        msg = f"aixsuture has no column for the task, but there are {', '.join(tasks)}; convert them one by one, or to lasana or tables"
        raise AnnotationError(msg)
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
        told = {"VIDEO": str(id_), "INVESTIGATOR": str(rater), **{name: of_row.get(name.lower()) for name in KEPT}}
        table.append([*(_cell(told[name]) for name in COLUMNS), *(_cell(points.get(name)) for name in (*aspects, "GRS"))])
    out.files[FILE] = workbook.workbook(table)


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
