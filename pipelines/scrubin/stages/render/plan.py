"""The render plan: which frames are kept, which of them are hidden, before anything is written.

The trim is a whole number of frames, drawn evenly from 0 to the most that is allowed, by the
private number ``draw`` of the table ``linkage``: an HMAC of the recording's name under the study's
key, the same on every run and unguessable without it. Both cameras of a recording share draw, rate
and interval. It comes before the render plan: labels, counts and tables follow it by themselves.

A floor keeps short recordings useful: at most half of the kept interval is trimmed, and never its
last two frames.

All intervals are half open, ``[start_s, end_s)`` in source seconds from the first frame. A frame
is kept when its presentation time lies in the kept interval. It is hidden when any of the time
for which it is on screen is redacted: what a viewer could see then must be gone.

Frames of a pair of cameras that show one instant are one, though containers round times: kept when
they are by the clocks of both, and hidden when they are by either. They are those of one number where
the cameras keep step, nowhere half a frame apart as pairs of one instant are everywhere
(`scrubin.media.rigs.rig.apart`); rates that `ingest` takes for one do. Where a camera lost frames they
are the nearest ones, less than half a frame apart. A frame that the other camera does not have goes by
its own clock, and is left out before the first and behind the last that both have.

Behind the end of the film its last frame stays on screen; that of a camera which ends before the other
one does not: what is redacted behind its end hides no frame of the pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scrubin.media.probe import Probe
from scrubin.media.source import View
from scrubin.media.structure import Structure

DRAWS = 2**63
MOST = Fraction(1, 2)
FLOOR_FRAMES = 2
# Times this close are the same, as in the render plan.
SAME_TRIM_S = Fraction(1, 10**6)


def trim_s(interval_s: tuple[float, float], fps: Fraction, draw: int, jitter_s: float) -> Fraction:
    """Return how much is trimmed off the end of a kept interval, in exact seconds.

    Parameters
    ----------
    interval_s
        Kept interval in source seconds, ``[start_s, end_s)``.
    fps
        Frames per second of the recording; the average where the rate varies.
    draw
        Uniform number of the recording, 0 to 2^63 - 1.
    jitter_s
        The most that is trimmed; 0 trims nothing.

    Raises
    ------
    ValueError
        For a draw or a time out of range.

    >>> [float(trim_s((0.0, 60.0), Fraction(25), share * 2**61, 10.0)) for share in range(4)]
    [0.0, 2.48, 5.0, 7.52]
    >>> trim_s((0.0, 60.0), Fraction(25), 2**62, 0.0)
    Fraction(0, 1)
    """
    if not 0 <= draw < DRAWS or jitter_s < 0 or fps <= 0:
        msg = f"expected a draw from 0 to 2^63 - 1, a positive rate and a time of at least 0 s, but got {draw}, {fps} and {jitter_s}"
        raise ValueError(msg)
    length_s = Fraction(interval_s[1]) - Fraction(interval_s[0])
    most_s = min(Fraction(jitter_s), MOST * length_s, length_s - FLOOR_FRAMES / fps)
    choices = max(0, int((most_s + SAME_TRIM_S) * fps)) + 1
    return draw * choices // DRAWS / fps


def trimmed_end_s(interval_s: tuple[float, float], fps: Fraction, draw: int, jitter_s: float) -> float:
    """Return the end of a kept interval after its trim, in source seconds; see ``trim_s``.

    >>> trimmed_end_s((0.0, 60.0), Fraction(25), 2**62, 10.0)
    55.0
    """
    trimmed_s = trim_s(interval_s, fps, draw, jitter_s)
    return float(Fraction(interval_s[1]) - trimmed_s) if trimmed_s else interval_s[1]


Box = tuple[int, int, int, int]
Times = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
# Times this close are the same: 0.1 + 0.2 in somebody's script means the frame at 0.3 s.
SAME_S = 1e-6
HALF_A_FRAME = 0.5


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
        return clock_s(self.ticks, self.time_base)


def plan(
    pts: Sequence[int],
    time_base: Fraction,
    source_end_s: Fraction,
    interval_s: tuple[float, float],
    redactions: Iterable[Redaction],
    size_px: tuple[int, int],
    partner_s: Sequence[float] = (),
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
    partner_s
        Of a pair, when each frame of the other camera is shown and the last one ends, in seconds from its first.

    Raises
    ------
    ValueError
        When no frame lies in the interval.

    >>> plan(range(0, 1000, 50), Fraction(1, 1000), Fraction(1), (0.1, 0.3), [], (4, 3)).times_s
    (Fraction(0, 1), Fraction(1, 20), Fraction(1, 10), Fraction(3, 20))
    """
    # Compared as floats, because 0.1 in a manifest means the frame at exactly 1/10 s.
    clock = np.array((*clock_s(pts, time_base), float(source_end_s)))
    other = np.array(partner_s) if len(partner_s) else clock
    own, its = _of_both(clock, other)
    shown_s, gone_s = _on_screen(clock, other, own, its)
    gone_s[own] = np.maximum(gone_s[own], _on_screen(other, clock, its, own)[1][its])
    kept = own[(shown_s[own] >= interval_s[0] - SAME_S) & (np.maximum(clock[own], other[its]) < interval_s[1] - SAME_S)]
    if not len(kept):
        raise ValueError(f"no frame lies between {interval_s[0]:g} and {interval_s[1]:g} s")
    first, end = int(kept[0]), int(kept[-1]) + 1
    width, height = (side - side % 2 for side in size_px)
    hidden: set[Hidden] = set()
    for redaction in redactions:
        box = _even(redaction.box_xywh, width, height)
        if redaction.start_s < redaction.end_s and (redaction.box_xywh is None or box is not None):
            seen = (shown_s < redaction.end_s - SAME_S) & (gone_s > redaction.start_s + SAME_S)
            edges = np.flatnonzero(np.diff(seen[first:end], prepend=False, append=False)).tolist()
            hidden.update(Hidden(a, b - 1, box) for a, b in zip(edges[::2], edges[1::2], strict=True))
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


def clock_s(pts: Sequence[int], time_base: Fraction) -> tuple[float, ...]:
    """Return when each frame is shown, in seconds from the first."""
    # Division of whole numbers rounds once, as float(Fraction) does.
    return tuple((tick - pts[0]) * time_base.numerator / time_base.denominator for tick in pts)


def _of_both(clock: Times, other: Times) -> tuple[Numbers, Numbers]:
    """Return the frames of one camera that the other has, too, and which these are there; a clock's last time is its end."""
    count = min(len(clock), len(other)) - 1
    half_s = HALF_A_FRAME * max(np.median(np.diff(times)) for times in (clock, other))
    if np.abs(clock[:count] - other[:count]).max() < half_s:
        return np.arange(count), np.arange(count)
    its = _nearest(clock[:-1], other[:-1])
    own = np.flatnonzero((np.abs(clock[:-1] - other[its]) < half_s) & (_nearest(other[:-1], clock[:-1])[its] == np.arange(len(its))))
    return own, its[own]


def _nearest(times_s: Times, frames_s: Times) -> Numbers:
    behind: Numbers = np.searchsorted(frames_s, times_s).clip(1, len(frames_s) - 1)
    return np.where(times_s - frames_s[behind - 1] < frames_s[behind] - times_s, behind - 1, behind)


def _on_screen(clock: Times, other: Times, own: Numbers, its: Numbers) -> tuple[Times, Times]:
    """Return from when and until when each frame is shown, by the clock of either camera."""
    shown_s, gone_s = clock.copy(), clock.copy()
    shown_s[own], gone_s[own] = np.minimum(clock[own], other[its]), np.maximum(clock[own], other[its])
    gone_s[-1] = np.inf if clock[-1] >= other[-1] else clock[-1]
    return shown_s[:-1], gone_s[1:]


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


@dataclass(frozen=True)
class SourceFile:
    """A file; frame n of it is frame ``n - first + before`` of the recording.

    Parameters
    ----------
    path, name
        Where it lies, and what the curator calls it, for messages.
    probe, structure
        What it holds.
    first
        Its first frame that counts.
    before
        Number of frames of the recording before it.
    view
        The part of its picture that is released; None: all of it.
    """

    path: Path
    name: str
    probe: Probe
    structure: Structure
    first: int = 0
    before: int = 0
    view: View | None = None

    @property
    def frame_count(self) -> int:
        """Number of its frames that count."""
        return self.probe.frame_count - self.first

    def own_plan(self, plan: Plan) -> tuple[int, Plan] | None:
        """Return the first released frame that comes from this file, and the plan of these frames alone; None when there are none.

        The plan counts frames as this file does.
        """
        start = max(plan.first_source_frame, self.before)
        end = min(plan.first_source_frame + plan.frame_count, self.before + self.frame_count)
        if start >= end:
            return None
        shift = start - plan.first_source_frame
        hidden = tuple(
            Hidden(max(item.first - shift, 0), min(item.last - shift, end - start - 1), item.box_xywh)
            for item in plan.hidden
            if item.last >= shift and item.first < shift + end - start
        )
        own = replace(plan, first_source_frame=start - self.before + self.first, frame_count=end - start, hidden=hidden)
        return shift, replace(own, ticks=plan.ticks[shift : shift + end - start])


def files_of(
    paths: Sequence[tuple[Path, str]],
    probes: Sequence[Probe],
    structures: Sequence[Structure],
    firsts: Sequence[int],
    view: View | None = None,
) -> tuple[SourceFile, ...]:
    """Return the files of a recording in order.

    Parameters
    ----------
    paths
        Where each lies, and what the curator calls it.
    firsts
        The first frame of each that counts.
    view
        The part of their pictures that is released.
    """
    files: list[SourceFile] = []
    before = 0
    for (path, name), probe, structure, first in zip(paths, probes, structures, firsts, strict=True):
        files.append(SourceFile(path, name, probe, structure, first, before, view))
        before += files[-1].frame_count
    return tuple(files)
