"""Labels and scores as our own tables, parquet or CSV, with ``labels.json`` beside them."""

from __future__ import annotations

import json

from scrubin.labels.formats.tables import notes
from scrubin.labels.formats.tables.files import bytes_of, declared
from scrubin.labels.formats.tables.notes import NOTES
from scrubin.labels.model import Collection, Scores
from scrubin.labels.registry import Content, Output, writes
from scrubin.labels.rows import phases_table, triplets_table
from scrubin.labels.spans import span_table
from scrubin.labels.spans.expansion import given_numbers
from scrubin.tables.phases import PHASES
from scrubin.tables.ratings import RATINGS
from scrubin.tables.spans import SPANS
from scrubin.tables.task_errors import ERRORS
from scrubin.tables.triplets import TRIPLETS

HOLDS: tuple[Content, ...] = (
    "phases",
    "instances",
    "actions",
    "boxes",
    "boxless",
    "partial",
    "repeats",
    "scores",
    "numbers",
    "empty frames",
    "ratings",
    "errors",
    "skill",
)


@writes("tables", holds=HOLDS, whole_fps=True)
def write(collection: Collection, out: Output) -> None:
    """Write the tables as parquet, and ``labels.json``."""
    _write(collection, out, "parquet")


@writes("tables-csv", holds=HOLDS, whole_fps=True)
def write_csv(collection: Collection, out: Output) -> None:
    """Write the tables as CSV, and ``labels.json``."""
    _write(collection, out, "csv")


def _write(collection: Collection, out: Output, suffix: str) -> None:
    if collection.recordings:
        recordings = collection.recordings
        triplets, phases = triplets_table(recordings), phases_table(recordings)
        spans = span_table.from_triplets(triplets, given_numbers(recordings))
        for table, frame in ((TRIPLETS, triplets), (PHASES, phases), (SPANS, spans)):
            out.files[f"{table.name}.{suffix}"] = bytes_of(table, frame, suffix)
        out.files[NOTES] = (json.dumps(notes.written(recordings), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    if collection.scores is not None:
        _write_scores(collection.scores, out, suffix)


def _write_scores(scores: Scores, out: Output, suffix: str) -> None:
    undefined = scores.ratings["score"].isna() & ~scores.ratings["failed"]
    out.lose("ratings without a score that are not marked as failed", int(undefined.sum()))
    for table, frame in ((RATINGS, scores.ratings[~undefined]), (ERRORS, scores.errors)):
        if len(frame):
            out.files[f"{table.name}.{suffix}"] = bytes_of(table, frame, suffix)
    if len(scores.skill):
        table = declared("skill", list(scores.skill.columns))
        if set(table.column_names) <= set(scores.skill.columns):
            out.files[f"skill.{suffix}"] = bytes_of(table, scores.skill, suffix)
        else:
            out.lose("rows of skill, which say nothing of the number of ratings and of disagreement", len(scores.skill))
