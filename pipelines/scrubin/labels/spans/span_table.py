"""Triplets per frame to spans: runs of frames in which one instrument does one thing.

Instance numbers
----------------
Two instruments of a class in one frame need numbers that stay. Frame after frame, the instances
of a class are paired with the numbers of the frame before: nearest box centres first, without
boxes the same verb and target first, then the lower number. An instance left over takes the
lowest free number. A frame without a label, or without the class, ends all its numbers.
A number that the labels give is kept, and no other instance of its frame gets it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scrubin.labels.model import IntArray, Layer, span_rows
from scrubin.tables import io
from scrubin.tables.spans import SPANS

FAR = 2.0  # beyond any distance inside an image: pairs without boxes come last
_NAMES = {"start_frame": "start", "end_frame": "end"}


@dataclass(frozen=True)
class _Instance:
    action: tuple[tuple[str, Hashable], ...]
    centre: tuple[float, float] | None
    number: int | None = None


def from_triplets(triplets: pd.DataFrame, numbers: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the table ``spans`` of a table ``triplets``.

    A span is half open, ``[start_frame, end_frame)``, and has no frame without a label. Rows
    without an instrument belong to no span.

    Parameters
    ----------
    numbers
        Numbers of instances that the labels give: ``id``, ``frame``, ``instance`` of the table, ``number``.
    """
    rows: list[dict[str, Any]] = []
    named = triplets[triplets["instrument"].notna()]
    key = ["id", "frame", "instance"]
    named = named.assign(number=None) if numbers is None else named.merge(numbers[[*key, "number"]], on=key, how="left")
    for (recording, instrument), group in named.groupby(["id", "instrument"], sort=True):
        shared = {"id": recording, "instrument": instrument, "vocabulary": group["vocabulary"].iloc[0]}
        ordered = group.sort_values(["frame", "instance"])
        rows += [{**shared, **span} for span in _spans(_instances(ordered, "frame", ("verb", "target")))]
    return io.frame_of(SPANS, rows)


def of_layer(layer: Layer) -> pd.DataFrame:
    """Return the spans of instances by position, as ``SPAN_COLUMNS``, with a span for every run of positions without instance.

    Rows without an instrument belong to no span, and a position that has such a row is none without instance.

    Parameters
    ----------
    layer
        Of instances; a column ``number`` has the numbers that the labels give.
    """
    rows = layer.rows if "number" in layer.rows else layer.rows.assign(number=None)
    spans: list[dict[str, Any]] = []
    for instrument, group in rows[rows["instrument_id"].notna()].groupby("instrument_id", sort=True):
        ordered = group.sort_values("position", kind="stable")
        for span in _spans(_instances(ordered, "position", ("verb_id", "target_id", "triplet_id"))):
            spans.append({"instrument_id": instrument, **span})
    empty = np.setdiff1d(layer.positions, rows["position"].to_numpy(np.int64))
    spans += [{"start_frame": start, "end_frame": end} for start, end in runs(empty)]
    renamed = ({_NAMES.get(name, name): value for name, value in span.items()} for span in spans)
    return span_rows(sorted(renamed, key=lambda span: (span["start"], span.get("instrument_id", -1), span.get("instance", -1))))


def runs(positions: IntArray) -> list[list[int]]:
    """Return increasing numbers as half-open runs.

    >>> runs(np.array([0, 1, 2, 7]))
    [[0, 3], [7, 8]]
    """
    if len(positions) == 0:
        return []
    ends = np.flatnonzero(np.diff(positions) != 1)
    starts = np.concatenate([positions[:1], positions[ends + 1]])
    stops = np.concatenate([positions[ends], positions[-1:]]) + 1
    return [[int(start), int(stop)] for start, stop in zip(starts, stops, strict=True)]


def _instances(rows: pd.DataFrame, at: str, action: Sequence[str]) -> list[tuple[int, _Instance]]:
    """Return the instances of one instrument with their frames, in order; plain values, as frames are many."""
    columns = (*action, "number")
    values = (rows[name].astype(object).where(rows[name].notna(), None).tolist() for name in columns)
    boxes = rows[["x", "y", "w", "h"]].astype("float64").to_numpy().tolist()
    instances = []
    for frame, (x, y, w, h), *named in zip(rows[at].tolist(), boxes, *values, strict=True):
        *does, number = named
        centre = None if math.isnan(x) else (x + w / 2, y + h / 2)
        instances.append((frame, _Instance(tuple(zip(action, does, strict=True)), centre, number)))
    return instances


def _spans(instances: list[tuple[int, _Instance]]) -> Iterable[dict[str, Any]]:
    before: dict[int, _Instance] = {}
    open_spans: dict[int, dict[str, Any]] = {}
    last_frame: int | None = None
    for at, of_frame in itertools.groupby(instances, key=lambda one: one[0]):
        if last_frame is None or at != last_frame + 1:
            yield from open_spans.values()
            before, open_spans = {}, {}
        now = _number(before, [instance for _, instance in of_frame])
        for number in sorted(set(open_spans) - set(now)):
            yield open_spans.pop(number)
        for number, instance in sorted(now.items()):
            span = open_spans.get(number)
            if span is not None and all(span[name] == value for name, value in instance.action):
                span["end_frame"] = at + 1
                continue
            if span is not None:
                yield span
            open_spans[number] = {"instance": number, "start_frame": at, "end_frame": at + 1, **dict(instance.action)}
        before, last_frame = now, at
    yield from open_spans.values()


def _number(before: dict[int, _Instance], instances: list[_Instance]) -> dict[int, _Instance]:
    pairs = sorted(
        (_distance(old, new), old.action != new.action, number, i) for number, old in before.items() for i, new in enumerate(instances)
    )
    numbers = {i: instance.number for i, instance in enumerate(instances) if instance.number is not None}
    for _, _, number, i in pairs:
        if i not in numbers and number not in numbers.values():
            numbers[i] = number
    for i in range(len(instances)):
        if i not in numbers:
            numbers[i] = next(n for n in itertools.count() if n not in numbers.values())
    return {number: instances[i] for i, number in numbers.items()}


def _distance(a: _Instance, b: _Instance) -> float:
    return FAR if a.centre is None or b.centre is None else math.dist(a.centre, b.centre)
