"""Labels or scores as our own tables, parquet or CSV, with ``labels.json`` beside them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pandas as pd

from scrubin.base.tables import io
from scrubin.base.tables.public import ERRORS, FACTS, LABELLED, PHASES, RATINGS, SEGMENTS, SPANS, TRIPLETS
from scrubin.labels import instance_spans
from scrubin.labels.formats.tables import beyond_boxes, table_files
from scrubin.labels.formats.tables.table_files import NOTES, bytes_of, declared
from scrubin.labels.instance_spans import instance_numbers
from scrubin.labels.model import Collection, Labels, Scores
from scrubin.labels.registry import Content, Output, writes
from scrubin.labels.rows import labelled_table, phases_table, triplets_table

HOLDS: tuple[Content, ...] = (
    "phases",
    "segments",
    "instances",
    "actions",
    "boxes",
    "boxless",
    "masks",
    "points",
    "tracks",
    "marks",
    "partial",
    "repeats",
    "scores",
    "numbers",
    "empty frames",
    "ratings",
    "facts",
    "errors",
    "skill",
)


@writes("tables", holds=HOLDS, whole_fps=True, nameless=True)
def write(collection: Collection, out: Output) -> None:
    """Write the tables as parquet, and ``labels.json``."""
    _write(collection, out, "parquet")


@writes("tables-csv", holds=HOLDS, whole_fps=True, nameless=True)
def write_csv(collection: Collection, out: Output) -> None:
    """Write the tables as CSV, and ``labels.json``."""
    _write(collection, out, "csv")


def _write(collection: Collection, out: Output, suffix: str) -> None:
    recordings = collection.recordings
    if recordings:
        triplets, phases = triplets_table(recordings), phases_table(recordings)
        spans = instance_spans.from_triplets(triplets, instance_numbers(recordings))
        for table, frame in ((LABELLED, labelled_table(recordings)), (TRIPLETS, triplets), (PHASES, phases), (SPANS, spans)):
            out.files[f"{table.name}.{suffix}"] = bytes_of(table, frame, suffix)
        for table, frame in beyond_boxes.written(recordings):
            out.files[f"{table.name}.{suffix}"] = bytes_of(table, frame, suffix)
        if segments := [row for labels in recordings for row in _segments(labels)]:
            out.files[f"{SEGMENTS.name}.{suffix}"] = bytes_of(SEGMENTS, io.frame_of(SEGMENTS, segments), suffix)
        out.files[NOTES] = (json.dumps(table_files.written(recordings), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    if collection.scores is not None:
        _write_scores(collection.scores, out, suffix)


def _segments(labels: Labels) -> list[dict[str, Any]]:
    """Return the spans of time of a recording as rows of the table ``segments``."""
    if labels.segments is None:
        return []
    period_s = (labels.segments_clock or labels.clock).period_s or Fraction(1)
    shared = {"id": labels.recording, "per_second": str(1 / period_s), "vocabulary": labels.vocabulary.name}
    return [
        {**shared, **row, "number": number, "label": labels.vocabulary.names(row["kind"])[row["label_id"]]}
        for number, row in enumerate(io.records(labels.segments))
    ]


def _write_scores(scores: Scores, out: Output, suffix: str) -> None:
    undefined = scores.ratings["score"].isna() & ~scores.ratings["failed"]
    out.lose("ratings without a score that are not marked as failed", int(undefined.sum()), rows_of="rating")
    facts = io.frame_of(FACTS, _facts(scores.facts))
    for table, frame in ((RATINGS, scores.ratings[~undefined]), (ERRORS, scores.errors), (FACTS, facts)):
        if len(frame):
            out.files[f"{table.name}.{suffix}"] = bytes_of(table, frame, suffix)
    if len(scores.skill):
        table = declared("skill", list(scores.skill.columns))
        if set(table.column_names) <= set(scores.skill.columns):
            out.files[f"skill.{suffix}"] = bytes_of(table, scores.skill, suffix)
        else:
            what = "rows of skill, which say nothing of the number of ratings and of disagreement"
            out.lose(what, len(scores.skill), rows_of="combined score")


def _facts(facts: pd.DataFrame) -> Sequence[dict[str, Any]]:
    """Return facts as rows of the table ``facts``, a row per fact; what is empty says nothing."""
    names = [str(name) for name in facts.columns if name not in ("id", "task", "rater")]
    rows = []
    for of in io.records(facts):
        key = {"id": of["id"], "task": of["task"], "rater": of.get("rater")}
        rows += [{**key, "fact": name, "value": _text(of[name])} for name in names if of[name] not in (None, "")]
    return rows


def _text(value: Any) -> str:
    """Return a value of a fact as text: whole numbers without a decimal point, others with all digits."""
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value == int(value) else repr(value)
    return str(value)
