"""Spans of instances on our frames: frame k has a span when its instant is inside it.

No label is moved to a near frame, as each frame's own instant is known: its source frame for spans
by source frame, its source time for spans by time.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from scrubin.annotations import windows_of_spans
from scrubin.annotations.alignment import TIE_NS, Alignment, Timeline, source_times_ns
from scrubin.annotations.placing import PlacedLayer
from scrubin.annotations.windows import Windows
from scrubin.labels.model import SOURCE_FRAMES, IntArray, Labels
from scrubin.labels.rates import NANOSECONDS
from scrubin.labels.spans.expansion import detail_of, instances


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
        spans = windows_of_spans.apply(timed, labels.vocabulary, windows, source_ns)
    clock = labels.clock if windows is None else NANOSECONDS
    edges = spans[["start", "end"]].to_numpy(np.int64)
    if clock == SOURCE_FRAMES:
        index, cut = np.searchsorted(line.source_frames, edges), (line.start_source_frame, line.end_source_frame)
    else:
        edges = source_times_ns(edges.ravel(), clock, line).reshape(-1, 2)
        index, cut = np.searchsorted(line.times_ns, edges - TIE_NS), (line.start_ns, line.end_ns)
    positions, rows = instances(spans, index.astype(np.int64))
    frames = line.frames[positions]
    rows = rows.assign(frame=line.frames[rows["position"].to_numpy(np.int64)]).drop(columns="position")
    return PlacedLayer(labels.format, labels.vocabulary, detail_of(spans), SOURCE_FRAMES, frames, rows, _counted(edges, index, cut))


def _counted(edges: IntArray, index: IntArray, cut: tuple[int, int]) -> Alignment:
    unused = index[:, 1] <= index[:, 0]
    before, after = unused & (edges[:, 1] <= cut[0]), unused & (edges[:, 0] >= cut[1])
    none = np.empty(0, np.int64)
    return Alignment(none, none, int(before.sum()), int(after.sum()), int((unused & ~before & ~after).sum()))
