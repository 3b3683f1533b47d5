"""Spans on our frames, of phases, and of instances as they are or as windows of actions: a frame has a span when its instant is in it.

No label is moved to a near frame, as each frame's own instant is known: its source frame for spans
by source frame, its source time for spans by time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.instance_spans import detail_of, instances
from scrubin.labels.model import IDS, SOURCE_FRAMES, Clock, Detail, IntArray, Labels, span_rows
from scrubin.labels.rates import NANOSECONDS
from scrubin.labels.timing import laid_over, phases_at
from scrubin.stages.annotations.placing import TIE_NS, Alignment, PlacedLayer, Timeline, source_times_ns
from scrubin.stages.annotations.windows import Contact, Interval, Windows, of_contacts

ACTION = ["verb_id", "target_id", "triplet_id"]
_Ids = tuple[int | None, int | None, int | None]


def apply(spans: pd.DataFrame, vocabulary: Vocabulary, windows: Windows, source_ns: int) -> pd.DataFrame:
    """Return spans of actions for spans of contacts, both in nanoseconds.

    Spans with the null verb, or without verb, say when an instance is in view. An instance that has none
    is in view at times that are not known: it gets no null action, and its windows reach as far as defined,
    but not into spans that say that nothing is in view.

    Parameters
    ----------
    source_ns
        Length of the video, beyond which no window reaches.
    """
    momentary = momentary_ids(vocabulary, windows.momentary)
    empty = spans[spans["instrument_id"].isna()]
    nothing = [(int(a), int(b)) for a, b in empty[["start", "end"]].to_numpy(np.int64).tolist()]
    rows: list[dict[str, Any]] = [{"start": start, "end": end} for start, end in nothing]
    null_triplets = {vocabulary.triplets[triplet][0]: triplet for triplet in vocabulary.null_triplets}
    null_verbs = {vocabulary.triplets[triplet][1] for triplet in vocabulary.null_triplets}
    for _, group in spans[spans["instrument_id"].notna()].groupby(["instrument_id", "instance"], sort=True):
        instrument, instance = group[["instrument_id", "instance"]].to_numpy(np.int64)[0].tolist()
        in_view = group["verb_id"].isna() | group["verb_id"].isin(null_verbs)
        actions = group.loc[~in_view, ACTION].drop_duplicates().reset_index(drop=True)
        numbers = {(_plain(a), _plain(b), _plain(c)): i for i, (a, b, c) in enumerate(actions.itertuples(index=False))}
        contacts = [_contact(row, numbers, momentary) for row in group[~in_view].to_dict("records")]
        seen = [(int(a), int(b)) for a, b in group.loc[in_view, ["start", "end"]].to_numpy().tolist()]
        view = seen or (_without(nothing, source_ns) if nothing else None)
        for window in of_contacts(contacts, view, (0, source_ns), windows):
            if window.action is None and not seen:
                continue  # in view only as far as nothing says otherwise
            row: dict[str, Any] = {"instrument_id": instrument, "instance": instance, "start": window.start, "end": window.end}
            null = _null(null_triplets.get(instrument), vocabulary)
            rows.append(row | (null if window.action is None else dict(zip(ACTION, actions.iloc[window.action], strict=True))))
    return span_rows(sorted(rows, key=lambda row: (row["start"], row.get("instrument_id", -1), row.get("instance", -1))))


def momentary_ids(vocabulary: Vocabulary, names: tuple[str, ...]) -> frozenset[_Ids]:
    """Return what is momentary as ids of instrument, verb and target; a verb alone holds for every instrument and target.

    Raises
    ------
    AnnotationError
        For a name that is no verb and no triplet of the vocabulary.
    """
    ids: set[_Ids] = set()
    for name in names:
        try:
            ids.add(vocabulary.triplets[vocabulary.triplet_of(name)] if "," in name else (None, vocabulary.id_of("verb", name), None))
        except AnnotationError as error:
            raise AnnotationError(f"params.yaml: 'annotations.windows.momentary': {error}") from error
    return frozenset(ids)


def _contact(row: Mapping[Any, Any], numbers: Mapping[_Ids, int], momentary: frozenset[_Ids]) -> Contact:
    verb, target, triplet = (_plain(row[name]) for name in ACTION)
    is_momentary = not momentary.isdisjoint({(None, verb, None), (int(row["instrument_id"]), verb, target)})
    return Contact(int(row["start"]), int(row["end"]), numbers[verb, target, triplet], "momentary" if is_momentary else "continuous")


def _null(triplet: int | None, vocabulary: Vocabulary) -> dict[str, int]:
    # A vocabulary may have no null triplet of an instrument: then it is only known to be in view.
    return {} if triplet is None else dict(zip(IDS[1:], (*vocabulary.triplets[triplet][1:], triplet), strict=True))


def _plain(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def _without(intervals: list[Interval], length: int) -> list[Interval]:
    """Return what is left of a video without the intervals."""
    edges = [0, *(edge for interval in sorted(intervals) for edge in interval), length]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a]


def place(labels: Labels, spans: pd.DataFrame, line: Timeline, *, source_ns: int, windows: Windows | None) -> PlacedLayer:
    """Return spans on the frames of their recording; its alignment counts spans, and no frame is moved.

    Parameters
    ----------
    spans
        Of the labels.
    source_ns
        Length of the source video.
    windows
        How contacts become actions; None: the spans are actions.
    """
    if windows is not None:
        starts, ends = (source_times_ns(spans[name].to_numpy(np.int64), labels.clock, line) for name in ("start", "end"))
        timed = spans.assign(start=starts, end=ends)
        spans = apply(timed, labels.vocabulary, windows, source_ns)
    index, alignment = _index_of(spans, labels.clock if windows is None else NANOSECONDS, line)
    positions, rows = instances(spans, index)
    return _placed(labels, detail_of(spans), line, positions, rows, alignment)


def place_phases(labels: Labels, line: Timeline) -> tuple[PlacedLayer | None, int]:
    """Return spans of phases on the frames of their recording, and in how many frames two compete; None where there is no such span.

    The rule where they overlap is that of `timing.to_phases`, as of commands.
    """
    segments = labels.segments
    if segments is None or not (segments["kind"] == "phase").any():
        return None, 0
    phases = segments[segments["kind"] == "phase"]
    index, alignment = _index_of(phases, labels.segments_clock or labels.clock, line)
    rows, contested = phases_at(phases.assign(start=index[:, 0], end=index[:, 1]), range, laid_over(labels.vocabulary))
    return _placed(labels, labels.detail, line, rows["position"].to_numpy(np.int64), rows, alignment), contested


def _index_of(spans: pd.DataFrame, clock: Clock, line: Timeline) -> tuple[IntArray, Alignment]:
    """Return the first frame of each span and the first behind it, as places among the frames, shape (n, 2), and which spans hold none."""
    edges = spans[["start", "end"]].to_numpy(np.int64)
    if clock == SOURCE_FRAMES:
        index, cut = np.searchsorted(line.source_frames, edges), (line.start_source_frame, line.end_source_frame)
    else:
        edges = source_times_ns(edges.ravel(), clock, line).reshape(-1, 2)
        index, cut = np.searchsorted(line.times_ns, edges - TIE_NS), (line.start_ns, line.end_ns)
    return index.astype(np.int64), _counted(edges, index, cut)


def _placed(labels: Labels, detail: Detail, line: Timeline, positions: IntArray, rows: pd.DataFrame, alignment: Alignment) -> PlacedLayer:
    """Return rows at places among the frames as a layer; no frame is moved."""
    rows = rows.assign(frame=line.frames[rows["position"].to_numpy(np.int64)]).drop(columns="position")
    of_labels = (labels.format, labels.vocabulary, detail, SOURCE_FRAMES)
    return PlacedLayer(*of_labels, line.frames[positions], rows, alignment, labels.recording, line.source_frames[positions])


def _counted(edges: IntArray, index: IntArray, cut: tuple[int, int]) -> Alignment:
    unused = index[:, 1] <= index[:, 0]
    before, after = unused & (edges[:, 1] <= cut[0]), unused & (edges[:, 0] >= cut[1])
    none = np.empty(0, np.int64)
    return Alignment(none, none, int(before.sum()), int(after.sum()), int((unused & ~before & ~after).sum()))
