"""The render plan: which frames are kept, and which of them are hidden, before anything is written.

All intervals are half open, ``[start_s, end_s)`` in source seconds from the first frame. A frame
is kept when its presentation time lies in the kept interval. It is hidden when any of the time
for which it is on screen is redacted: what a viewer could see then must be gone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

Box = tuple[int, int, int, int]
# Times this close are the same: 0.1 + 0.2 in somebody's script means the frame at 0.3 s.
SAME_S = 1e-6


@dataclass(frozen=True)
class Hidden:
    """Released frames ``[first, last]``, both included, that are black in ``box_xywh`` (None: everywhere)."""

    first: int
    last: int
    box_xywh: Box | None


@dataclass(frozen=True)
class Redaction:
    """What is to be hidden, in source seconds and source pixels."""

    start_s: float
    end_s: float
    box_xywh: Box | None


@dataclass(frozen=True)
class Plan:
    """What a released video will be.

    Parameters
    ----------
    first_source_frame, frame_count
        The kept frames: a run of source frames.
    offset_s
        Exact source time of the first kept frame, which becomes time 0.
    ticks, time_base
        Presentation time of each released frame on the source's clock, from 0.
    duration_s
        Exact time at which the last released frame ends.
    hidden
        What is black, in released frame numbers, without repetitions.
    width, height
        Of the released video: even, because 4:2:0 video is.
    """

    first_source_frame: int
    frame_count: int
    offset_s: Fraction
    ticks: tuple[int, ...]
    time_base: Fraction
    duration_s: Fraction
    hidden: tuple[Hidden, ...]
    width: int
    height: int

    @cached_property
    def times_s(self) -> tuple[Fraction, ...]:
        """Exact presentation time of each released frame, from 0."""
        return tuple(tick * self.time_base for tick in self.ticks)

    @cached_property
    def rounded_times_s(self) -> tuple[float, ...]:
        """The same, rounded: for an hour of frames exact fractions take their time."""
        return _rounded_s(self.ticks, self.time_base)


def plan(
    pts: Sequence[int],
    time_base: Fraction,
    source_end_s: Fraction,
    interval_s: tuple[float, float],
    redactions: Iterable[Redaction],
    size_px: tuple[int, int],
) -> Plan:
    """Return the plan for one video file.

    Parameters
    ----------
    pts, time_base
        The source's clock, one tick count per frame, increasing.
    source_end_s
        Exact end of the last source frame, from the first.
    interval_s
        Kept interval in source seconds.
    redactions
        What is to be hidden; parts outside the kept interval do not matter.
    size_px
        Width and height of the source as displayed. An odd last column or row is cut off.

    Raises
    ------
    ValueError
        When no frame lies in the interval.

    >>> plan(range(0, 1000, 50), Fraction(1, 1000), Fraction(1), (0.1, 0.3), [], (4, 3)).times_s
    (Fraction(0, 1), Fraction(1, 20), Fraction(1, 10), Fraction(3, 20))
    """
    # Compared as floats, because 0.1 in a manifest means the frame at exactly 1/10 s.
    source_s = _rounded_s([tick - pts[0] for tick in pts], time_base)
    first, end = _frames_in(source_s, *interval_s)
    if first >= end:
        msg = f"no frame lies between {interval_s[0]:g} and {interval_s[1]:g} s"
        raise ValueError(msg)
    width, height = (side - side % 2 for side in size_px)
    hidden = set()
    for redaction in redactions:
        a, b = _frames_seen(source_s, redaction.start_s, redaction.end_s)
        a, b = max(a, first), min(b, end)
        box = _even(redaction.box_xywh, width, height)
        if a < b and (redaction.box_xywh is None or box is not None):
            hidden.add(Hidden(a - first, b - 1 - first, box))
    offset_s = (pts[first] - pts[0]) * time_base
    behind_s = (pts[end] - pts[0]) * time_base if end < len(pts) else source_end_s
    return Plan(
        first_source_frame=first,
        frame_count=end - first,
        offset_s=offset_s,
        ticks=tuple(tick - pts[first] for tick in pts[first:end]),
        time_base=time_base,
        duration_s=behind_s - offset_s,
        hidden=_joined(hidden),
        width=width,
        height=height,
    )


def _rounded_s(ticks: Sequence[int], time_base: Fraction) -> tuple[float, ...]:
    # Division of whole numbers rounds once, as float(Fraction) does.
    return tuple(tick * time_base.numerator / time_base.denominator for tick in ticks)


def _frames_in(source_s: Sequence[float], start_s: float, end_s: float) -> tuple[int, int]:
    return bisect_left(source_s, start_s - SAME_S), bisect_left(source_s, end_s - SAME_S)


def _frames_seen(source_s: Sequence[float], start_s: float, end_s: float) -> tuple[int, int]:
    if start_s >= end_s:
        return 0, 0
    return max(0, bisect_right(source_s, start_s + SAME_S) - 1), bisect_left(source_s, end_s - SAME_S)


def _even(box_xywh: Box | None, width: int, height: int) -> Box | None:
    """Return the box grown to whole 4:2:0 colour samples inside the released picture; None when it lies outside."""
    if box_xywh is None:
        return None
    x, y, w, h = box_xywh
    left, top = x - x % 2, y - y % 2
    right, bottom = min(x + w + (x + w) % 2, width), min(y + h + (y + h) % 2, height)
    return (left, top, right - left, bottom - top) if left < right and top < bottom else None


def _joined(hidden: set[Hidden]) -> tuple[Hidden, ...]:
    """Return overlapping and touching spans of the same box as one, sorted."""
    joined: list[Hidden] = []
    for item in sorted(hidden, key=lambda item: (item.box_xywh or (), item.first, item.last)):
        before = joined[-1] if joined else None
        if before is not None and before.box_xywh == item.box_xywh and item.first <= before.last + 1:
            joined[-1] = Hidden(before.first, max(before.last, item.last), item.box_xywh)
        else:
            joined.append(item)
    return tuple(sorted(joined, key=lambda item: (item.first, item.last, item.box_xywh or ())))
