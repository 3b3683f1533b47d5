"""Labels at another rate: positions by the one rule of ``labels.rates``, spans to phases or back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault
from scrubin.base.vocabulary.vocabulary import SAME_LISTS, Vocabulary, facts, known
from scrubin.labels.choices import Instant
from scrubin.labels.model import Clock, IntArray, Labels, Layer, phase_rows, segment_rows
from scrubin.labels.rates import NANOSECONDS, NONE, Numbering, counted, of_clock, renumber
from scrubin.labels.registry import Writer

TELLING = Fraction(1, 4)
"""So many frames may a time be rounded by to tell frames apart."""


def to_phases(
    segments: pd.DataFrame, period_s: Fraction, fps: Fraction, *, over: Collection[int] = (), instant: Instant = "start"
) -> tuple[pd.DataFrame, int]:
    """Return one phase per frame, and the number of frames in which two phases compete.

    Frame k has the phase of the segment that holds its instant: ``start <= t < end``. Where several do, the later
    segment of the list counts. Where all edges are instants of frames but for their last decimal, they are these.

    Parameters
    ----------
    segments
        Rows ``start``, ``end`` in units of ``period_s``, ``label_id``; other kinds than phases are ignored.
    over
        Ids laid over the others: they count where they overlap, and do not compete.
    instant
        ``start``: t is k / fps. ``end``: t is one unit before (k + 1) / fps.
    """
    first_frame = _first_frames(segments[segments["kind"] == "phase"], period_s, fps, instant)
    return phases_at(segments, lambda start, end: range(first_frame(start), first_frame(end)), over)


def phases_at(segments: pd.DataFrame, frames_of: Callable[[int, int], Iterable[int]], over: Collection[int]) -> tuple[pd.DataFrame, int]:
    """Return one phase per frame, and the number of frames in which two compete; ``frames_of`` says which frames a span holds.

    The rule, and the other parameters, are those of `to_phases`.
    """
    phases = segments[segments["kind"] == "phase"]
    laid_over = phases["label_id"].isin(list(over))
    labels: dict[int, int] = {}
    contested: set[int] = set()
    for group, competes in ((phases[~laid_over], True), (phases[laid_over], False)):
        for start, end, label in zip(group["start"].tolist(), group["end"].tolist(), group["label_id"].tolist(), strict=True):
            for frame in frames_of(start, end):
                if competes and labels.get(frame, label) != label:
                    contested.add(frame)
                labels[frame] = label
    frames = sorted(labels)
    return phase_rows(frames, [labels[frame] for frame in frames]), len(contested)


def of_phases(positions: IntArray, phase_ids: IntArray, kind: str = "phase") -> pd.DataFrame:
    """Return runs of consecutive positions with the same phase, or label of another kind, as segments, half open.

    >>> of_phases(np.array([0, 1, 2, 5]), np.array([3, 3, 4, 4]))[["start", "end", "label_id"]].to_numpy().tolist()
    [[0, 2, 3], [2, 3, 4], [5, 6, 4]]
    """
    if len(positions) == 0:
        return segment_rows([])
    changes = np.flatnonzero((np.diff(positions) != 1) | (np.diff(phase_ids) != 0)) + 1
    starts = np.concatenate([[0], changes])
    ends = np.concatenate([changes, [len(positions)]]) - 1
    rows = [(kind, int(positions[a]), int(positions[b]) + 1, int(phase_ids[a])) for a, b in zip(starts, ends, strict=True)]
    return segment_rows(rows)


def _first_frames(spans: pd.DataFrame, period_s: Fraction, fps: Fraction, instant: Instant = "start") -> Callable[[int], int]:
    """Return what says the first frame whose instant is not before an edge of spans.

    Times may be rounded: where all edges are instants of frames but for their last decimal, and each of another frame, each is that frame.
    """
    scale, edges = period_s * fps, np.unique(spans[["start", "end"]].to_numpy(np.int64)).tolist()
    together = str(math.gcd(*edges))
    slack = 10 ** (len(together) - len(together.rstrip("0"))) * scale / 2
    nearest = {edge: round(edge * scale) for edge in edges}
    is_decimal = period_s.denominator >= 1000 and str(period_s.denominator).rstrip("0") == "1" and slack <= TELLING
    are_frames = len(set(nearest.values())) == len(edges) and all(abs(edge * scale - frame) <= slack for edge, frame in nearest.items())
    if instant == "start" and is_decimal and are_frames:
        return nearest.__getitem__
    return lambda edge: _first_frame(edge, scale, instant)


def _first_frame(position: int, frames_per_unit: Fraction, instant: Instant) -> int:
    """Return the first frame whose instant is not before a position."""
    if instant == "end":
        return max(-(-(position + 1) * frames_per_unit.numerator // frames_per_unit.denominator) - 1, 0)
    return -(-position * frames_per_unit.numerator // frames_per_unit.denominator)


BETWEEN_FRAMES = "spans between two frames of the other rate"
OVERLAP = "frames in which two phases overlap, of which the later counts"
EXACT_TIMES = "exact time of labelled frames, which is between two frames here (--to-fps can keep it)"
EXACT_EDGES = "exact start or end of spans, which is between two frames here"
BESIDE_PHASES = {"step": "spans of steps", "gesture": "spans of gestures", "mark": "spans that mark something beside the phases"}


def target_fps(labels: Labels, writer: Writer, source_fps: Fraction | None, wanted: Fraction | None) -> Fraction:
    """Return the rate at which a writer gets labels: its own, else the wanted one, else that of the labels.

    Formats that state a whole rate, and tables, take 1 per second of labels by source frames or of spans alone.

    Raises
    ------
    AnnotationError
        When another rate is wanted than the only one of the writer.
    """
    if writer.fps is not None:
        if wanted not in (None, writer.fps):
            what = f"--to-fps {wanted}: {writer.name} has {writer.fps} labels per second"
            raise AnnotationError([Fault("", "rate", what, "leave --to-fps out, or write a format of any rate, such as tables or elan")])
        return writer.fps
    if wanted is not None:
        return wanted
    own = of_clock(labels.clock, source_fps).per_second
    if labels.clock == NANOSECONDS and not writer.phases_as_spans:
        return Fraction(1)  # spans of time have no rate of their own
    if not writer.whole_fps:
        return own
    stated = labels.clock.period_s is not None and (labels.segments is None or labels.segments_clock is not None)
    return own if stated and own.denominator == 1 else Fraction(1)


def retimed(
    labels: Labels, writer: Writer, source_fps: Fraction | None, wanted: Fraction | None, losses: Counter[str], first: int = 0
) -> Labels:
    """Return labels at the rate of a writer, with phases as frames or as spans as it takes them.

    Where labels have phases both by frame and as spans, spans count, as they are exact, unless the rate stays.

    Parameters
    ----------
    source_fps
        Frames per second of the source, where labels are numbered by its frames.
    wanted
        Wanted rate; None for that of the writer or of the labels.
    first
        The number of the first frame in what was read, such as 1 for the PNG files of Cholec80.
    """
    of = replace(counted(labels, source_fps), first=first)
    to = Numbering(target_fps(labels, writer, source_fps, wanted))
    if labels.segments is not None and labels.segments_clock is None:
        labels = replace(labels, segments=from_first(labels.segments, first), segments_clock=Clock(1 / of.per_second))
    if writer.phases_as_spans:
        return _as_segments(labels, writer, of, to, losses, may_be_finer=wanted is None and writer.fps is None)
    if wanted is None:
        layers = [layer for layer in (labels.phases, labels.instances, labels.marks) if layer is not None]
        add(losses, EXACT_TIMES, sum(_moved(layer.positions, of, to) for layer in layers))
    keeps_phases = of == to or labels.phases is None
    labels = _renumbered_labels(labels, writer, of, to, losses)
    segments = labels.segments
    if segments is None:
        return labels
    if labels.phases is None or not keeps_phases:
        labels = _with_phases(labels, segments, to, losses)
        if "segments" not in writer.holds:
            add(losses, BETWEEN_FRAMES, between_frames(labels))
    if "segments" in writer.holds:
        return labels
    kinds = Counter(segments["kind"])
    for kind, what in BESIDE_PHASES.items():
        add(losses, what, kinds[kind])
    return replace(labels, segments=None, segments_clock=None)


def _renumbered_labels(labels: Labels, writer: Writer, of: Numbering, to: Numbering, losses: Counter[str]) -> Labels:
    # Frames of the source have a rate from here on, so that a writer can state it.
    if of == to:
        return replace(labels, clock=to.clock, rounded_s=None)
    between = "labelled frames between those of the other rate"
    return replace(
        labels,
        clock=to.clock,
        rounded_s=None,
        phases=layer_at(labels.phases, of, to, losses, f"{between}: phases", repeat=writer.every_frame),
        instances=layer_at(labels.instances, of, to, losses, f"{between}: instances"),
        frames=None if labels.frames is None else _renumbered(labels.frames, of, to),
        recognition=None,
        marks=layer_at(labels.marks, of, to, losses, f"{between}: marks"),
    )


def add(losses: Counter[str], what: str, count: int) -> None:
    """Count what is lost; 0 is nothing."""
    if count:
        losses[what] += count


def from_first(spans: pd.DataFrame, first: int) -> pd.DataFrame:
    """Return spans counted from 0, of segments or of instances; ``first`` is the number of the first frame in what was read.

    Raises
    ------
    AnnotationError
        For a span that starts before it.
    """
    if len(spans) and int(spans["start"].min()) < first:
        what = f"a span starts at {int(spans['start'].min())}, before the first number, {first}"
        raise AnnotationError([Fault("", "first-frame", what, "correct --first-frame")])
    return spans.assign(start=spans["start"] - first, end=spans["end"] - first)


def layer_at(layer: Layer | None, of: Numbering, to: Numbering, losses: Counter[str], what: str, *, repeat: bool = False) -> Layer | None:
    """Return a layer in other numbers; labels without a number there are counted as ``what``.

    Parameters
    ----------
    repeat
        Whether a phase is that of all numbers up to the next one.
    """
    if layer is None:
        return None
    numbers = renumber(layer.positions, of, to)
    lost = int((numbers == NONE).sum())
    add(losses, what, lost)
    rows = _renumbered(layer.rows, of, to)
    if repeat and to.per_second > of.per_second:
        # The label of an instant holds until the next instant that could have one.
        following = renumber(layer.positions + 1, of, to)
        copies = [np.arange(a, b) for a, b in zip(numbers.tolist(), following.tolist(), strict=True)]
        ids = np.repeat(rows["phase_id"].to_numpy(np.int64), [len(copy) for copy in copies])
        positions = np.concatenate([np.empty(0, np.int64), *copies])
        return replace(layer, positions=positions, rows=phase_rows(positions.tolist(), ids.tolist()))
    return replace(layer, positions=numbers[numbers != NONE], rows=rows)


def _moved(positions: IntArray, of: Numbering, to: Numbering) -> int:
    """Return how many labels are at another time when they have fewer numbers a second; times that were rounded say none exactly."""
    if of.rounded_s is not None or to.per_second >= of.per_second:
        return 0
    ratio = to.per_second / of.per_second
    pairs = zip(positions.tolist(), renumber(positions, of, to).tolist(), strict=True)
    return sum(number != NONE and (position - of.first) * ratio != number - to.first for position, number in pairs)


def _renumbered(rows: pd.DataFrame, of: Numbering, to: Numbering) -> pd.DataFrame:
    positions = np.unique(rows["position"].to_numpy(np.int64))
    numbers = dict(zip(positions.tolist(), renumber(positions, of, to).tolist(), strict=True))
    moved = rows.assign(position=rows["position"].map(numbers).astype("int64"))
    return moved[moved["position"] != NONE].reset_index(drop=True)


def _with_phases(labels: Labels, segments: pd.DataFrame, to: Numbering, losses: Counter[str]) -> Labels:
    """Return labels with one phase per frame, of the spans of phases; without any such span as they are."""
    if not (segments["kind"] == "phase").any():
        return labels
    period_s = _period_s(labels)
    rows, contested = to_phases(segments, period_s, to.per_second, over=laid_over(labels.vocabulary), instant=labels.instant)
    add(losses, OVERLAP, contested)
    phases = Layer(labels.recording, rows["position"].to_numpy(np.int64), rows) if len(rows) else None
    return replace(labels, phases=phases)


def between_frames(labels: Labels) -> int:
    """Return how many spans of phases hold the instant of no frame, where frames have a clock."""
    segments, period_s = labels.segments, labels.clock.period_s
    if segments is None or period_s is None:
        return 0
    phases = segments[segments["kind"] == "phase"]
    first_frame = _first_frames(phases, _period_s(labels), 1 / period_s, labels.instant)
    return sum(first_frame(start) >= first_frame(end) for start, end in zip(phases["start"].tolist(), phases["end"].tolist(), strict=True))


def _period_s(labels: Labels) -> Fraction:
    """Return the unit of spans."""
    return (labels.segments_clock or labels.clock).period_s or Fraction(1)


def laid_over(vocabulary: Vocabulary) -> list[int]:
    """Return the phases that are laid over the others."""
    is_known = vocabulary.name in known() and vocabulary.name not in SAME_LISTS
    return [vocabulary.id_of("phase", name) for name in facts(vocabulary.name).get("over", [])] if is_known else []


def _as_segments(labels: Labels, writer: Writer, of: Numbering, to: Numbering, losses: Counter[str], *, may_be_finer: bool) -> Labels:
    """Return labels with phases as spans of the other rate; a span that holds none of its frames is left out, and counted.

    Parameters
    ----------
    may_be_finer
        Whether spans keep a rate of their own, as neither the format nor anybody says one.
    """
    segments, own = labels.segments, 1 / _period_s(labels) if labels.segments is not None else of.per_second
    per_second = _common(to.per_second, own) if may_be_finer and segments is not None and len(segments) else to.per_second
    parts: list[tuple[pd.DataFrame, Fraction]] = [] if segments is None else [(segments, own)]
    if labels.phases is not None and (segments is None or not (segments["kind"] == "phase").any()):
        rows = _renumbered(labels.phases.rows, of, replace(of, first=0))
        of_frames = of_phases(rows["position"].to_numpy(np.int64), rows["phase_id"].to_numpy(np.int64))
        parts = [(of_frames, of.per_second), *parts]
    joined = pd.concat([_scaled(rows, rate, per_second) for rows, rate in parts], ignore_index=True) if parts else None
    if joined is not None:
        is_held = joined["start"] < joined["end"]
        add(losses, BETWEEN_FRAMES, int((~is_held).sum()))
        between = sum(inexact(rows, per_second / rate) for rows, rate in parts if rate > per_second)
        add(losses, EXACT_EDGES, max(between - int((~is_held).sum()), 0))
        joined = joined[is_held].reset_index(drop=True)
    finer = Clock(1 / per_second)
    labels = replace(labels, clock=finer, segments_clock=None, phases=None, segments=joined)
    # Instances are numbered by the clock of the labels.
    return replace(labels, clock=to.clock, segments_clock=finer) if "instances" in writer.holds and finer != to.clock else labels


def _common(one: Fraction, other: Fraction) -> Fraction:
    """Return the least rate at which the instants of two rates have numbers.

    >>> _common(Fraction(1), Fraction(1000)), _common(Fraction(30000, 1001), Fraction(25))
    (Fraction(1000, 1), Fraction(30000, 1))
    """
    return Fraction(math.lcm(one.numerator, other.numerator), math.gcd(one.denominator, other.denominator))


def inexact(rows: pd.DataFrame, scale: Fraction) -> int:
    """Return how many spans start or end between two numbers of others, of which there are so many times as many."""
    edges = zip(rows["start"].tolist(), rows["end"].tolist(), strict=True)
    return sum(any((edge * scale).denominator > 1 for edge in span) for span in edges)


def _scaled(segments: pd.DataFrame, of: Fraction, to: Fraction) -> pd.DataFrame:
    """Return spans at another rate: at a greater one rounded down, so that they hold the same numbers when they come back."""
    numbers = {kind: _first_frames(spans, 1 / of, to) for kind, spans in segments.groupby("kind")} if to <= of else {}
    rows = [(kind, numbers.get(kind, lambda edge: math.floor(edge * to / of)), *span) for kind, *span in segments.itertuples(index=False)]
    return segment_rows([(kind, number(start), number(end), label) for kind, number, start, end, label in rows])
