"""Labels and scores as our own tables, parquet or CSV, with ``labels.json`` beside them."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from scrubin.labels.formats.tables import notes
from scrubin.labels.formats.tables.files import bytes_of, declared
from scrubin.labels.formats.tables.notes import NOTES
from scrubin.labels.model import BOX, IDS, Collection, Labels, Scores
from scrubin.labels.registry import Content, Output, writes
from scrubin.labels.spans import span_table
from scrubin.labels.spans.expansion import given_numbers
from scrubin.tables import io
from scrubin.tables.declare import Table
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
        triplets = _joined(TRIPLETS, [_triplets(labels) for labels in collection.recordings])
        tables = {TRIPLETS: triplets, PHASES: _joined(PHASES, [_phases(labels) for labels in collection.recordings])}
        runs = span_table.from_triplets(triplets, given_numbers(collection.recordings))
        for table, frame in {**tables, SPANS: runs}.items():
            out.files[f"{table.name}.{suffix}"] = bytes_of(table, frame, suffix)
        out.files[NOTES] = (json.dumps(notes.written(collection.recordings), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
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


def _joined(table: Table, parts: list[pd.DataFrame]) -> pd.DataFrame:
    rows = [part for part in parts if len(part)]
    return io.conform(table, pd.concat(rows)) if rows else io.frame_of(table, [])


def _triplets(labels: Labels) -> pd.DataFrame:
    words = labels.vocabulary
    if labels.instances is None:
        return io.frame_of(TRIPLETS, [])
    rows = labels.instances.rows
    names = {"instrument_id": words.instruments, "verb_id": words.verbs, "target_id": words.targets}
    full = tuple(words.triplet_name(i) for i in range(len(words.triplets)))
    named: dict[str, Any] = {column.removesuffix("_id"): _named(rows[column], {**names, "triplet_id": full}[column]) for column in IDS}
    numbered = rows.assign(id=labels.recording, vocabulary=words.name, instance=rows.groupby("position").cumcount(), **named)
    return io.conform(TRIPLETS, numbered.rename(columns={"position": "frame"})[TRIPLETS.column_names].pipe(_inside))


def _inside(rows: pd.DataFrame) -> pd.DataFrame:
    # Division leaves shares like 1.0000000000000002.
    return rows.assign(**{side: rows[side].astype("float64").clip(0, 1) for side in BOX})


def _named(ids: pd.Series[Any], names: tuple[str, ...]) -> list[str | None]:
    return [None if pd.isna(id_) else names[int(id_)] for id_ in ids]


def _phases(labels: Labels) -> pd.DataFrame:
    if labels.phases is None:
        return io.frame_of(PHASES, [])
    rows = labels.phases.rows
    names: Any = _named(rows["phase_id"], labels.vocabulary.phases)
    named = rows.assign(id=labels.recording, vocabulary=labels.vocabulary.name, phase=names)
    return io.conform(PHASES, named.rename(columns={"position": "frame"})[PHASES.column_names])
