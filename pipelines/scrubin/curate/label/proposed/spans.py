"""Phases, steps and actions that a program predicts, as spans of released frames."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import PARTS, Naming
from scrubin.curate.label.events import Span
from scrubin.curate.label.params import LabelParams
from scrubin.curate.label.proposed.clock import LEAST_SCORE, Times, frame_of, named, step_of
from scrubin.labels import instance_spans
from scrubin.labels.model import Clock, Labels, Layer

LAYER_OF: Mapping[str, str] = {"phase": "phases", "step": "steps"}


def of_labels(labels: Labels, p: LabelParams, times_s: Times) -> Iterator[tuple[str, Span]]:
    """Yield the spans of all layers that are labelled, each with its layer."""
    if labels.phases is not None and "phases" in p.layers:
        for start, end, id_ in _runs(labels.phases):
            yield from _placed("phases", labels.clock, (start, end), named(labels, p, {"phase": id_}), times_s)
    for kind, start, end, id_ in () if labels.segments is None else labels.segments.itertuples(index=False):
        layer = LAYER_OF.get(kind, "")
        if layer in p.layers and not (layer == "phases" and labels.phases is not None):
            yield from _placed(layer, labels.segments_clock or labels.clock, (start, end), named(labels, p, {kind: id_}), times_s)
    if "actions" not in p.layers:
        return
    for start, end, ids in of_instances(labels):
        if ids:
            yield from _placed("actions", labels.clock, (start, end), named(labels, p, ids), times_s)


def of_instances(labels: Labels) -> Iterator[tuple[int, int, dict[Naming, int]]]:
    """Yield from when to when instruments do what, by the clock, with ids of instrument, verb and target; none: nothing is in view."""
    actions = labels.spans if labels.spans is not None else None if labels.instances is None else _of_likely(labels.instances)
    for row in [] if actions is None else actions.to_dict("records"):
        ids: dict[Naming, int] = {part: int(row[f"{part}_id"]) for part in PARTS if pd.notna(row[f"{part}_id"])}
        yield int(row["start"]), int(row["end"]), ids if "instrument" in ids else {}


def _of_likely(layer: Layer) -> pd.DataFrame:
    """Return spans of the instances that are likely enough; of predictions of every fifth frame each says what is so in five."""
    likely = layer.rows[~(layer.rows["score"] < LEAST_SCORE)]
    return instance_spans.of_layer(replace(layer, rows=likely), step_of(layer.positions))


def _runs(layer: Layer) -> Iterator[tuple[int, int, int]]:
    """Yield first position, end and phase of each run of labelled positions that follow each other."""
    positions, ids = layer.rows["position"].tolist(), layer.rows["phase_id"].tolist()
    step = step_of(layer.rows["position"].to_numpy(np.int64))
    breaks = {at for at in range(1, len(ids)) if ids[at] != ids[at - 1] or positions[at] - positions[at - 1] != step}
    for first, end in itertools.pairwise(sorted({0, *breaks, len(ids)})):
        yield positions[first], positions[end - 1] + step, int(ids[first])


def _placed(layer: str, clock: Clock, edges: tuple[int, int], names: Sequence[str], times_s: Times) -> Iterator[tuple[str, Span]]:
    first, end = (frame_of(edge, clock, times_s) for edge in edges)
    first, end = max(first, 0), min(end, len(times_s) - 1)
    if first < end:
        yield layer, Span(first, end, *names)
