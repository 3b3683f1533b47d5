"""Spans of instances as instances by frame, for formats that have no spans."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from scrubin.labels.model import Labels
from scrubin.labels.rates import Numbering, of_clock
from scrubin.labels.registry import Writer
from scrubin.labels.spans.expansion import expanded


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
    by_frame = "frame" in labels.about.get("spans", {}).values()
    of = of_clock(labels.clock, source_fps)
    own = of.per_second if by_frame and (of.per_second.denominator == 1 or not writer.whole_fps) else Fraction(1)
    to = Numbering(writer.fps or wanted or own)
    changed, missed = expanded(labels, replace(of, first=first if by_frame else 0), to)
    if missed:
        losses["spans between two frames of the other rate"] += missed
    if labels.spans is not None:
        ratio = to.per_second / of.per_second
        edges = zip(labels.spans["start"].tolist(), labels.spans["end"].tolist(), strict=True)
        between = sum(any((edge * ratio).denominator > 1 for edge in span) for span in edges)
        if between:
            losses["exact start or end of spans, which is between two frames here"] += between
    return changed
