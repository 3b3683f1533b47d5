"""Labels at another rate: positions by the one rule of ``annotations.rates``, spans and phases into each other."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd

from scrubin.errors import AnnotationError
from scrubin.labels.model import Clock, Labels, Layer, phase_rows, segment_rows
from scrubin.labels.rates import NONE, Numbering, of_clock, renumber
from scrubin.labels.registry import Writer
from scrubin.labels.spans.segments import of_phases, to_phases
from scrubin.vocabulary import vocabulary


def target_fps(labels: Labels, writer: Writer, source_fps: Fraction | None, wanted: Fraction | None) -> Fraction:
    """Return the rate at which a writer gets labels: its own, else the wanted one, else that of the labels.

    Formats that state a whole rate, and tables, take 1 per second of labels by source frames or spans.

    Raises
    ------
    AnnotationError
        When another rate is wanted than the only one of the writer.
    """
    if writer.fps is not None:
        if wanted not in (None, writer.fps):
            msg = f"--to-fps {wanted}: {writer.name} has {writer.fps} labels per second; leave --to-fps out"
            raise AnnotationError(msg)
        return writer.fps
    if wanted is not None:
        return wanted
    own = of_clock(labels.clock, source_fps).per_second
    if not writer.whole_fps:
        return own
    stated = labels.clock.period_s is not None and labels.segments is None
    return own if stated and own.denominator == 1 else Fraction(1)


def retimed(
    labels: Labels, writer: Writer, source_fps: Fraction | None, wanted: Fraction | None, losses: Counter[str], first: int = 0
) -> Labels:
    """Return labels at the rate of a writer, with phases as frames or as spans as it takes them.

    Parameters
    ----------
    source_fps
        Frames per second of the source, where labels are numbered by its frames.
    wanted
        Wanted rate; None for that of the writer or of the labels.
    first
        The number of the first frame in what was read, such as 1 for the PNG files of Cholec80.
    """
    of = replace(of_clock(labels.clock, source_fps), first=first)
    to = Numbering(target_fps(labels, writer, source_fps, wanted))
    if labels.segments is not None:
        labels = replace(labels, segments=_from_first(labels.segments, first))
    if "segments" in writer.holds:
        return _as_segments(labels, of, to)
    if labels.segments is not None:
        return _as_phases(labels, labels.segments, of, to, losses)
    # Frames of the source have a rate from here on, so that a writer can state it.
    if of == to:
        return replace(labels, clock=to.clock)
    return replace(
        labels,
        clock=to.clock,
        phases=_layer(labels.phases, of, to, losses, "labelled frames between those of the other rate: phases", repeat=writer.every_frame),
        instances=_layer(labels.instances, of, to, losses, "labelled frames between those of the other rate: instances"),
        frames=None if labels.frames is None else _renumbered(labels.frames, of, to),
        recognition=None,
    )


def _from_first(segments: pd.DataFrame, first: int) -> pd.DataFrame:
    """Return spans counted from 0."""
    if len(segments) and int(segments["start"].min()) < first:
        msg = f"a span starts at {int(segments['start'].min())}, before the first number, {first}; correct --first-frame"
        raise AnnotationError(msg)
    return segments.assign(start=segments["start"] - first, end=segments["end"] - first)


def _layer(layer: Layer | None, of: Numbering, to: Numbering, losses: Counter[str], what: str, *, repeat: bool = False) -> Layer | None:
    if layer is None:
        return None
    numbers = renumber(layer.positions, of, to)
    lost = int((numbers == NONE).sum())
    if lost:
        losses[what] += lost
    rows = _renumbered(layer.rows, of, to)
    if repeat and to.per_second > of.per_second:
        # The label of an instant holds until the next instant that could have one.
        following = renumber(layer.positions + 1, of, to)
        copies = [np.arange(a, b) for a, b in zip(numbers.tolist(), following.tolist(), strict=True)]
        ids = np.repeat(rows["phase_id"].to_numpy(np.int64), [len(copy) for copy in copies])
        positions = np.concatenate([np.empty(0, np.int64), *copies])
        return replace(layer, positions=positions, rows=phase_rows(positions.tolist(), ids.tolist()))
    return replace(layer, positions=numbers[numbers != NONE], rows=rows)


def _renumbered(rows: pd.DataFrame, of: Numbering, to: Numbering) -> pd.DataFrame:
    positions = np.unique(rows["position"].to_numpy(np.int64))
    numbers = dict(zip(positions.tolist(), renumber(positions, of, to).tolist(), strict=True))
    moved = rows.assign(position=rows["position"].map(numbers).astype("int64"))
    return moved[moved["position"] != NONE].reset_index(drop=True)


def _as_phases(labels: Labels, segments: pd.DataFrame, of: Numbering, to: Numbering, losses: Counter[str]) -> Labels:
    for kind, name in (("step", "spans of steps"), ("gesture", "spans of gestures")):
        lost = int((segments["kind"] == kind).sum())
        if lost:
            losses[name] += lost
    marks, over = _laid_over(labels)
    rows, contested = to_phases(segments, 1 / of.per_second, to.per_second, marks=marks, over=over)
    marked = int((segments["label_id"].isin(marks) & (segments["kind"] == "phase")).sum())
    if marked:
        losses["spans that mark something beside the phases"] += marked
    if contested:
        losses["frames in which two phases overlap, of which the later counts"] += contested
    phases = Layer(labels.recording, rows["position"].to_numpy(np.int64), rows) if len(rows) else None
    return replace(labels, clock=to.clock, segments=None, phases=phases)


def _laid_over(labels: Labels) -> tuple[list[int], list[int]]:
    words = labels.vocabulary
    facts = vocabulary.facts(words.name) if words.name in vocabulary.known() and words.name not in vocabulary.SAME_LISTS else {}
    return [words.id_of("phase", name) for name in facts.get("marks", [])], [words.id_of("phase", name) for name in facts.get("over", [])]


def _as_segments(labels: Labels, of: Numbering, to: Numbering) -> Labels:
    segments = labels.segments
    if segments is None and labels.phases is not None:
        rows = _renumbered(labels.phases.rows, of, replace(of, first=0))
        segments = of_phases(rows["position"].to_numpy(np.int64), rows["phase_id"].to_numpy(np.int64))
    if segments is None:
        return replace(labels, phases=None, clock=to.clock)
    scale = to.per_second / of.per_second
    scaled = [
        (kind, math.ceil(start * scale), math.ceil(end * scale), label) for kind, start, end, label in segments.itertuples(index=False)
    ]
    return replace(labels, clock=Clock(1 / to.per_second), phases=None, segments=segment_rows(scaled))
