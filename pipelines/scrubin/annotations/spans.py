"""Triplets per frame to spans: runs of frames in which one instrument does one thing.

Instance numbers
----------------
Two instruments of a class in one frame need numbers that stay. Frame after frame, the instances
of a class are paired with the numbers of the frame before: nearest box centres first, without
boxes the same verb and target first, then the lower number. An instance left over takes the
lowest free number. A frame without a label, or without the class, ends all its numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scrubin.tables import io
from scrubin.tables.spans import SPANS

FAR = 2.0  # beyond any distance inside an image: pairs without boxes come last


@dataclass(frozen=True)
class _Instance:
    action: tuple[Hashable, Hashable]
    centre: tuple[float, float] | None


def from_triplets(triplets: pd.DataFrame) -> pd.DataFrame:
    """Return the table ``spans`` of a table ``triplets``.

    A span is half open, ``[start_frame, end_frame)``, and has no frame without a label. Rows
    without an instrument belong to no span.
    """
    rows: list[dict[str, Any]] = []
    named = triplets[triplets["instrument"].notna()]
    for (recording, instrument), group in named.groupby(["id", "instrument"], sort=True):
        shared = {"id": recording, "instrument": instrument, "vocabulary": group["vocabulary"].iloc[0]}
        rows += [{**shared, **span} for span in _spans(_instances(group))]
    return io.frame_of(SPANS, rows)


def _instances(group: pd.DataFrame) -> list[tuple[int, _Instance]]:
    """Return the instances of one instrument with their frames, in order; plain values, as frames are many."""
    rows = group.sort_values(["frame", "instance"])
    texts = (rows[name].astype(object).where(rows[name].notna(), None).tolist() for name in ("verb", "target"))
    boxes = rows[["x", "y", "w", "h"]].astype("float64").to_numpy().tolist()
    found = []
    for frame, verb, target, (x, y, w, h) in zip(rows["frame"].tolist(), *texts, boxes, strict=True):
        found.append((frame, _Instance((verb, target), None if math.isnan(x) else (x + w / 2, y + h / 2))))
    return found


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
            if span is not None and (span["verb"], span["target"]) == instance.action:
                span["end_frame"] = at + 1
                continue
            if span is not None:
                yield span
            verb, target = instance.action
            open_spans[number] = {"instance": number, "start_frame": at, "end_frame": at + 1, "verb": verb, "target": target}
        before, last_frame = now, at
    yield from open_spans.values()


def _number(before: dict[int, _Instance], instances: list[_Instance]) -> dict[int, _Instance]:
    pairs = sorted(
        (_distance(old, new), old.action != new.action, number, i) for number, old in before.items() for i, new in enumerate(instances)
    )
    numbers: dict[int, int] = {}
    for _, _, number, i in pairs:
        if i not in numbers and number not in numbers.values():
            numbers[i] = number
    for i in range(len(instances)):
        if i not in numbers:
            numbers[i] = next(n for n in range(len(instances) + len(before)) if n not in numbers.values())
    return {number: instances[i] for i, number in numbers.items()}


def _distance(a: _Instance, b: _Instance) -> float:
    return FAR if a.centre is None or b.centre is None else math.dist(a.centre, b.centre)
