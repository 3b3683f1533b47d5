"""Spans of instances: from labels by frame, back to them, each with the number of its instance.

Instance numbers
----------------
Two instruments of a class in one frame need numbers that stay. Frame after frame, the instances
of a class are paired with the numbers of the frame before: nearest box centres first, without
boxes the same verb and target first, then the lower number. An instance left over takes the
lowest free number. A frame without a label, or without the class, ends all its numbers.
A number that the labels give is kept, and no other instance of its frame gets it.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.tables import io
from scrubin.base.tables.public import SPANS
from scrubin.labels.keyframes import runs_of
from scrubin.labels.model import BOX, IDS, INSTANCE_COLUMNS, INSTANCE_DTYPES, Clock, Detail, IntArray, Labels, Layer, span_rows
from scrubin.labels.rates import NANOSECONDS, Numbering, covered, of_clock
from scrubin.labels.registry import WRITERS, Writer
from scrubin.labels.timing import BETWEEN_FRAMES, EXACT_EDGES, add, from_first, inexact, layer_at

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
    segments_clock = labels.segments_clock or (None if labels.segments is None else Clock(1 / of.per_second))
    by_number = replace(labels, spans=None, instances=layer, detail=detail_of(spans), clock=Clock(1 / to.per_second))
    return replace(by_number, segments_clock=segments_clock), missed


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


@dataclass(frozen=True)
class Row:
    """One span of a file: its line, instants in units of the file's clock, and ids; without instrument nothing is in view."""

    line: int
    start: int
    end: int
    instrument: int | None
    instance: int | None
    ids: Mapping[str, Any]


def numbered_table(rows: Sequence[Row]) -> tuple[pd.DataFrame, list[tuple[Row, Row]]]:
    """Return spans as `numbered` numbers them, as a data frame, and the pairs that contradict each other, as of `overlaps`."""
    stated = [row for row in rows if row.instrument is None or row.instance is not None]
    pairs = overlaps(stated)
    rows = rows if pairs else numbered(rows)
    table = span_rows([{"instrument_id": r.instrument, "instance": r.instance, "start": r.start, "end": r.end, **r.ids} for r in rows])
    return table, pairs or overlaps(rows)


def numbered(rows: Sequence[Row]) -> list[Row]:
    """Return rows with a number for every instance, in the same order.

    By start, each row without a number takes the lowest one of its instrument that does nothing else meanwhile.

    Parameters
    ----------
    rows
        Those with a number do not overlap.
    """
    taken: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        if row.instrument is not None and row.instance is not None:
            bisect.insort(taken[row.instrument, row.instance], (row.start, row.end))
    with_numbers = list(rows)
    for at in sorted(range(len(rows)), key=lambda i: (rows[i].start, i)):
        row = rows[at]
        if row.instrument is None or row.instance is not None:
            continue
        number = 0
        while not _is_free(taken[row.instrument, number], row.start, row.end):
            number += 1
        bisect.insort(taken[row.instrument, number], (row.start, row.end))
        with_numbers[at] = replace(row, instance=number)
    return with_numbers


def overlaps(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return the pairs of rows that contradict each other, by line: one instance twice, or an instrument where nothing is in view."""
    pairs = []
    groups: dict[tuple[int | None, int | None], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.instrument, row.instance].append(row)
    for group in groups.values():
        pairs += _overlaps(group, group)
    empty = [row for row in rows if row.instrument is None]
    pairs += _overlaps(empty, [row for row in rows if row.instrument is not None]) if empty else []
    by_line = {(min(a.line, b.line), max(a.line, b.line)): (a, b) if a.line < b.line else (b, a) for a, b in pairs}
    return [pair for _, pair in sorted(by_line.items())]


def _overlaps(these: Sequence[Row], others: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return each row with the first other one, by start, that it overlaps; of a group with itself, each pair of neighbours."""
    pairs: list[tuple[Row, Row]] = []
    furthest: dict[bool, Row] = {}
    same = these is others
    marked = [(row, True) for row in these] + ([] if same else [(row, False) for row in others])
    for row, ours in sorted(marked, key=lambda one: (one[0].start, one[0].line)):
        before = furthest.get(ours if same else not ours)
        if before is not None and before.end > row.start:
            pairs.append((before, row))
        if ours not in furthest or row.end > furthest[ours].end:
            furthest[ours] = row
    return pairs


def _is_free(taken: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    at = bisect.bisect_left(taken, (start, end))
    return (at == len(taken) or taken[at][0] >= end) and (at == 0 or taken[at - 1][1] <= start)


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


def of_layer(layer: Layer, step: int = 1) -> pd.DataFrame:
    """Return the spans of instances by position, as ``SPAN_COLUMNS``, with a span for every run of positions without instance.

    Rows without an instrument belong to no span, and a position that has such a row is none without instance.

    Parameters
    ----------
    layer
        Of instances; a column ``number`` has the numbers that the labels give.
    step
        How far two positions are apart that follow each other: so long each says what is in view.
    """
    rows = layer.rows if "number" in layer.rows else layer.rows.assign(number=None)
    spans: list[dict[str, Any]] = []
    for instrument, group in rows[rows["instrument_id"].notna()].groupby("instrument_id", sort=True):
        ordered = group.sort_values("position", kind="stable")
        for span in _spans(_instances(ordered, "position", ("verb_id", "target_id", "triplet_id")), step):
            spans.append({"instrument_id": instrument, **span})
    empty = np.setdiff1d(layer.positions, rows["position"].to_numpy(np.int64))
    spans += [{"start_frame": start, "end_frame": end} for start, end in runs_of(empty, step)]
    renamed = ({_NAMES.get(name, name): value for name, value in span.items()} for span in spans)
    return span_rows(sorted(renamed, key=lambda span: (span["start"], span.get("instrument_id", -1), span.get("instance", -1))))


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


def _spans(instances: list[tuple[int, _Instance]], step: int = 1) -> Iterable[dict[str, Any]]:
    before: dict[int, _Instance] = {}
    open_spans: dict[int, dict[str, Any]] = {}
    last_frame: int | None = None
    for at, of_frame in itertools.groupby(instances, key=lambda one: one[0]):
        if last_frame is None or at != last_frame + step:
            yield from open_spans.values()
            before, open_spans = {}, {}
        now = _number(before, [instance for _, instance in of_frame])
        for number in sorted(set(open_spans) - set(now)):
            yield open_spans.pop(number)
        for number, instance in sorted(now.items()):
            span = open_spans.get(number)
            if span is not None and all(span[name] == value for name, value in instance.action):
                span["end_frame"] = at + step
                continue
            if span is not None:
                yield span
            open_spans[number] = {"instance": number, "start_frame": at, "end_frame": at + step, **dict(instance.action)}
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


def by_frame(labels: Labels, source_fps: Fraction | None, losses: Counter[str]) -> Labels:
    """Return labels with instances by frame instead of spans: at the rate of the frames by which these count, else 1 per second.

    Parameters
    ----------
    source_fps
        As of `with_frames`.
    losses
        Takes what no frame has.
    """
    return labels if labels.spans is None else with_frames(labels, WRITERS["tables"], source_fps, None, 0, losses)


def with_frames(
    labels: Labels, writer: Writer, source_fps: Fraction | None, wanted: Fraction | None, first: int, losses: Counter[str]
) -> Labels:
    """Return labels with instances by frame, at the rate of the writer, the wanted one, that of the spans' frames, or 1 per second.

    Parameters
    ----------
    source_fps
        Frames per second of the source, by which the spans may be numbered.
    first
        The number of the first frame in what was read; instants in seconds start at 0.
    """
    by_frame = "frame" in labels.about.get("spans", {}).values() or labels.phases is not None
    of = of_clock(labels.clock, source_fps)
    own = of.per_second if by_frame and (of.per_second.denominator == 1 or not writer.whole_fps) else Fraction(1)
    to = Numbering(writer.fps or wanted or own)
    of = replace(of, first=0 if labels.clock == NANOSECONDS else first)
    if labels.segments is not None and labels.segments_clock is None:
        labels = replace(labels, segments=from_first(labels.segments, of.first))
    changed, missed = expanded(labels, of, to)
    if labels.spans is not None and (labels.phases is not None or labels.marks is not None):
        what = "labelled frames between those of the other rate"
        phases, marks = (layer_at(getattr(labels, name), of, to, losses, f"{what}: {name}") for name in ("phases", "marks"))
        changed = replace(changed, phases=phases, marks=marks)
    add(losses, BETWEEN_FRAMES, missed)
    if labels.spans is not None:
        add(losses, EXACT_EDGES, inexact(labels.spans, to.per_second / of.per_second))
    return changed
