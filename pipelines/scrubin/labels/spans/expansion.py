"""Spans of instances to labels by number: what is labelled from a start to an end holds for every frame between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from scrubin.labels.model import BOX, IDS, INSTANCE_COLUMNS, INSTANCE_DTYPES, Clock, Detail, IntArray, Labels, Layer
from scrubin.labels.rates import Numbering, covered

NUMBER = "number"
"""The column of instances with the number of an instance that the labels give."""


def expanded(labels: Labels, of: Numbering, to: Numbering) -> tuple[Labels, int]:
    """Return labels with instances by number instead of spans, and how many spans hold no number.

    Numbers inside no span are not labelled.

    Parameters
    ----------
    of, to
        How the instants of the spans are counted, and the wanted way.
    """
    spans = labels.spans
    if spans is None:
        return labels, 0
    ranges = [covered(start, end, of, to) for start, end in zip(spans["start"].tolist(), spans["end"].tolist(), strict=True)]
    positions, rows = instances(spans, np.array(ranges, np.int64).reshape(-1, 2))
    missed = len([stop for first, stop in ranges if stop <= first])
    layer = Layer(labels.recording, positions, rows)
    return replace(labels, spans=None, instances=layer, detail=detail_of(spans), clock=Clock(1 / to.per_second)), missed


def instances(spans: pd.DataFrame, ranges: IntArray) -> tuple[IntArray, pd.DataFrame]:
    """Return every labelled position, and the instances at each, by instrument and number.

    Parameters
    ----------
    ranges
        The positions of each span, half open, shape (n, 2).
    """
    lengths = np.maximum(ranges[:, 1] - ranges[:, 0], 0)
    which = np.repeat(np.arange(len(spans)), lengths)
    ends = np.cumsum(lengths)
    at = np.arange(len(which)) - np.repeat(ends - lengths, lengths) + np.repeat(ranges[:, 0], lengths)
    rows = spans.iloc[which].reset_index(drop=True).assign(position=at, score=1.0, **dict.fromkeys(BOX, np.nan))
    rows = rows.rename(columns={"instance": NUMBER})[[*INSTANCE_COLUMNS, NUMBER]].astype({**INSTANCE_DTYPES, NUMBER: "Int64"})
    named = rows[rows["instrument_id"].notna()].sort_values(["position", "instrument_id", NUMBER], kind="stable", ignore_index=True)
    return np.unique(at).astype(np.int64), named


def detail_of(spans: pd.DataFrame) -> Detail:
    """Return what the spans say of an instance: the whole triplet, or the instrument only."""
    named = spans["instrument_id"].notna()
    return "triplet" if not named.any() or bool(spans.loc[named, list(IDS[1:3])].notna().any(axis=None)) else "instrument"


def instance_numbers(recordings: Sequence[Labels]) -> pd.DataFrame | None:
    """Return the numbers that labels give their instances, by recording, position and place in the position; None without any."""
    parts = [numbers_of(one.recording, one.instances.rows, "position") for one in recordings if one.instances is not None]
    present = [part for part in parts if part is not None]
    return pd.concat(present) if present else None


def numbers_of(id_: str, rows: pd.DataFrame, at: str) -> pd.DataFrame | None:
    """Return the numbers of one recording by the key of the table ``triplets``; ``at`` is the column of the frame."""
    if NUMBER not in rows:
        return None
    return pd.DataFrame({"id": id_, "frame": rows[at], "instance": rows.groupby(at).cumcount(), NUMBER: rows[NUMBER]})
