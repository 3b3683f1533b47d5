"""Numbers of labels from one way of counting to another, by one rule.

The rule
--------
1. A label numbered n has the time ``(n - first) / per_second``: 25 per second from 0 (frames of
   Cholec80), 1 per second from 0 (CholecT50), 1000 per second (milliseconds), 1 per second from 1
   (the numbered PNG files of Cholec80, where N stands for frame (N - 1) * 25).
2. Towards fewer per second, number k takes the first label with a time in [k, k + 1) / per_second.
   Where every frame is labelled that is the first frame at or after k / per_second, our frame
   contract. The other labels have no number there.
3. Towards more per second, a label goes to the first number whose time is not before its own. The
   numbers between have no label; only a format that must label every frame repeats the last one.
4. A span [start, end) holds the numbers whose time is inside it: from the first that is not before
   its start, up to the last before its end. A span between two numbers holds none.
5. Times in files may be rounded: where all labels are frames of the other rate, but for how times are rounded, or all
   are but for decimals that are cut off, each is that frame. Otherwise 2 and 3 hold, and where no coarser unit has all
   times, one that is a number but for how it is rounded is that number. Only decimals that tell the frames apart say
   anything: 10 per second does not at 30.

Instants in files are frames, seconds or milliseconds, as the name of their column says: see ``instant``.
Times are fractions: nothing drifts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault
from scrubin.labels.model import SOURCE_FRAMES, Clock, IntArray, Labels
from scrubin.labels.registry import DATASET_FORMATS, FORMATS, AnyFormat

NONE = -1
NS = 10**9
NANOSECONDS = Clock(Fraction(1, NS))
Unit = Literal["frame", "s", "ms"]
UNITS: tuple[Unit, ...] = get_args(Unit)
LATEST_NS = 1000 * 3600 * NS  # no operation takes longer
LATEST_FRAME = 10**9
ROUNDED = Fraction(1, 50)
"""So far from a whole number of frames may a time be that was rounded when it was written."""
OPEN = 1.5
"""Times of few frames fit rates that are so many times apart, or more: they do not tell which."""
_NS_OF: Mapping[Unit, int] = {"s": NS, "ms": NS // 1000}
_DECIMAL = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,20})?")


@dataclass(frozen=True)
class Numbering:
    """How instants are counted.

    Parameters
    ----------
    per_second
        How many numbers a second has.
    first
        The number at time 0.
    rounded_s
        The unit of the last decimal, where numbers are times that may be rounded; None where they are exact.
    """

    per_second: Fraction
    first: int = 0
    rounded_s: Fraction | None = field(default=None, compare=False)

    @property
    def clock(self) -> Clock:
        """The same for labels numbered from 0."""
        return Clock(1 / self.per_second)


CHOLEC80_FRAMES = Numbering(Fraction(25))
CHOLEC80_PNG = Numbering(Fraction(1), first=1)
SECONDS = Numbering(Fraction(1))
MILLISECONDS = Numbering(Fraction(1000))
NTSC = tuple(rate * Fraction(1000, 1001) for rate in (15, 24, 30, 60))
"""Frames per second of films that are no whole number."""


def of_clock(clock: Clock, source_fps: Fraction | None) -> Numbering:
    """Return how a clock counts; source frames need the rate of their video.

    Raises
    ------
    AnnotationError
        When the rate is not known.
    """
    if clock.period_s is not None:
        return Numbering(1 / clock.period_s)
    if source_fps is None:
        what = "the labels are numbered by source frames of an unknown rate"
        raise AnnotationError([Fault("", "rate-unknown", what, "give the frames per second of the video")])
    return Numbering(source_fps)


def counted(labels: Labels, source_fps: Fraction | None) -> Numbering:
    """Return how labels are counted, with what their times are rounded to; errors as of `of_clock`."""
    return replace(of_clock(labels.clock, source_fps), rounded_s=labels.rounded_s)


def is_by_frame(labels: Labels) -> bool:
    """Return whether positions are frames whose rate no file says, so that it matters what somebody says; spans may have seconds."""
    return not labels.counts_time and (labels.spans is None or labels.clock.period_s is None)


def fits(labels: Labels, fps: Fraction | None) -> bool:
    """Return whether a rate that somebody says is what the file of labels states, but for how that is rounded: then it counts."""
    return fps is not None and any(low <= fps <= high for low, high in labels.fitting_fps)


def is_of_others(labels: Labels, recordings: Iterable[Labels], fps: Fraction | None) -> bool:
    """Return whether a rate that somebody says is for others of the recordings, which state none, as these labels state another one."""
    return bool(stated_otherwise(labels, fps)) and not is_by_frame(labels) and any(map(is_by_frame, recordings))


def kept_rates(recordings: Sequence[Labels], fps: Fraction | None) -> list[str]:
    """Return which files of recordings state another rate than somebody says for those that state none, and keep it."""
    return [f"{stated_otherwise(one, fps)}, and keeps them" for one in recordings if is_of_others(one, recordings, fps)]


def stated_otherwise(labels: Labels, fps: Fraction | None) -> str:
    """Return which rate the file of labels states, where it is another one than somebody says; "" where nothing contradicts."""
    stated = labels.source_fps or labels.program_fps
    if fps is None or stated == fps or fits(labels, fps):
        return ""
    if stated is None and labels.fitting_fps and labels.clock.period_s is not None:
        # Rows of frames, which a custom of their format numbers.
        about = f"say about {about_fps(labels)} per second" if about_fps(labels) else "go on at no steady rate"
        return f"the seconds beside the frames of {labels.recording} {about}"
    if stated is None:
        between = " or ".join(f"{low:.6g} to {high:.6g}" for low, high in labels.fitting_fps)
        return f"the file of {labels.recording} has times of {between} frames per second" if between else ""
    return f"the file of {labels.recording} states {stated} frames per second"


def stated_unasked(labels: Labels, custom: Fraction | None) -> str:
    """Return as of `stated_otherwise` what times beside frames contradict where nobody says a rate: the custom one of their format."""
    is_unstated = is_by_frame(labels) and labels.source_fps is None and labels.program_fps is None
    return stated_otherwise(labels, custom) if is_unstated else ""


def about_fps(labels: Labels) -> str:
    """Return in words the rate that times beside frames state, or which ones they leave open; "" where no rate fits."""
    low, high = next(iter(labels.fitting_fps), (1.0, 0.0))
    return likely_fps(labels) or (f"{low:.3g} to {high:.3g}" if low <= high else "")


def likely_fps(labels: Labels) -> str:
    """Return the rate that times beside frames state but for how they are rounded, for an option; "" where none fits, or many do."""
    low, high = next(iter(labels.fitting_fps), (1.0, 0.0))
    if not low <= high <= OPEN * low:
        return ""
    middle, digits = (low + high) / 2, range(3, 17)
    usual = [rate for rate in (Fraction(round(middle)), *NTSC) if rate and low <= rate <= high]
    texts = [str(min(usual, key=lambda rate: abs(rate - Fraction(middle))))] if usual else [f"{middle:.{count}g}" for count in digits]
    return next((text for text in texts if low <= Fraction(text) <= high), "")


def refused_fps(labels: Labels, option: str, or_else: str) -> str:
    """Return what to do about a rate that contradicts the file of labels: say another one by an option, or something else."""
    if not is_by_frame(labels):
        return or_else
    if labels.clock.period_s is None:
        return "say one that fits"
    if not about_fps(labels):
        return "correct the frames or the seconds, or leave the seconds out"
    return f"say {option} {likely_fps(labels)}" if likely_fps(labels) else f"say {option}, which few times leave open"


def first_of(labels: Labels) -> int | None:
    """Return the number that the format of labels gives to the first frame, which positions begin at; None where its files differ."""
    form = FORMATS.get(labels.format) or DATASET_FORMATS.get(labels.format)
    return None if form is None else form.by_hand.first


def numberings_of(recordings: Sequence[Labels], form: AnyFormat, fps: Fraction | None) -> list[Numbering | None]:
    """Return as of `numbering_of` how the frames of each are counted; a rate for those that state none is no rate of the others."""
    return [numbering_of(one, form, None if is_of_others(one, recordings, fps) else fps) for one in recordings]


def numbering_of(labels: Labels, form: AnyFormat, fps: Fraction | None) -> Numbering | None:
    """Return how the frames of labels are counted; None where that is only a custom of their format, and nobody says it.

    Parameters
    ----------
    fps
        Frames per second by which somebody says that they are numbered.

    Raises
    ------
    AnnotationError
        When the files count otherwise than is said, or the rate is not known.
    """
    if stated := stated_otherwise(labels, fps):
        fix = refused_fps(labels, "--fps, or --predictions-fps of predictions:", "leave --fps or --predictions-fps out")
        raise AnnotationError([Fault("", "rate-contradicted", f"{stated}, not {fps}", fix)])
    if fits(labels, fps):
        return of_clock(SOURCE_FRAMES, fps)
    if labels.counts_time:
        return counted(labels, None)
    if form.by_hand.fps_unstated:
        return None if fps is None else Numbering(fps)
    if labels.clock.period_s is None:
        return of_clock(labels.clock, fps or form.by_hand.fps)
    own = of_clock(labels.clock, None)
    if fps is not None and own.per_second != fps:
        what = f"{form.name} labels are numbered {own.per_second} per second by the files themselves, not {fps}"
        fix = "leave --fps or --predictions-fps out, or number them anew"
        raise AnnotationError([Fault(labels.recording, "rate-contradicted", what, fix)])
    return own


def clock_of(unit: Unit) -> Clock:
    """Return the clock in which instants of a unit are kept: source frames, or nanoseconds of the source."""
    return SOURCE_FRAMES if unit == "frame" else NANOSECONDS


def instant(text: str, unit: Unit) -> int:
    """Return an instant in units of ``clock_of(unit)``: frame n from 0, or nanoseconds from the first frame.

    Programs write seconds with all the decimals of a float. What is finer than a nanosecond is cut off: rounded up, 8.666666666666666,
    which is frame 260 of 30 a second, would be behind that frame.

    Raises
    ------
    AnnotationError
        For anything but a decimal number from 0, or a part of a frame.

    >>> instant("25", "frame"), instant("12.48", "s"), instant("40", "ms"), instant("8.666666666666666", "s")
    (25, 12480000000, 40000000, 8666666666)
    """
    value = Fraction(text) * _NS_OF.get(unit, 1) if _DECIMAL.fullmatch(text) else None
    expected = {"frame": "a frame number from 0", "s": "seconds from 0, such as 12.48", "ms": "milliseconds from 0, such as 12480"}[unit]
    if value is None or (unit == "frame" and value.denominator != 1):
        raise AnnotationError([Fault("", "instant", f"'{text}' is not {expected}", "correct it")])
    if value > (LATEST_FRAME if unit == "frame" else LATEST_NS):
        raise AnnotationError([Fault("", "instant", f"'{text}' is later than any video ends", f"expected {expected}")])
    return int(value)


def written(position: int, unit: Unit) -> str:
    """Return an instant as a file has it, the shortest text that ``instant`` reads as the same.

    >>> written(12_480_000_000, "s"), written(12_480_000_000, "ms"), written(7, "frame")
    ('12.48', '12480', '7')
    """
    whole, part = divmod(position, _NS_OF.get(unit, 1))
    digits = len(str(_NS_OF.get(unit, 1))) - 1
    return f"{whole}.{part:0{digits}d}".rstrip("0").rstrip(".") if part else str(whole)


def covered(start: int, end: int, of: Numbering, to: Numbering) -> tuple[int, int]:
    """Return the numbers of another way of counting that a span [start, end) holds, half open.

    >>> covered(12, 50, CHOLEC80_FRAMES, SECONDS)
    (1, 2)
    """
    ratio = to.per_second / of.per_second
    first, stop = (-(-(at - of.first) * ratio.numerator // ratio.denominator) + to.first for at in (start, end))
    return first, stop


def frames_at(numbers: IntArray, of: Numbering, to: Numbering) -> IntArray | None:
    """Return instants of time as frames; None unless each is one, but for how times are rounded, and each another one.

    >>> frames_at(np.array([0, 33, 67]), MILLISECONDS, Numbering(Fraction(30))).tolist()
    [0, 1, 2]
    """
    ratio = to.per_second / of.per_second
    exact = [(number - of.first) * ratio for number in numbers.tolist()]
    slack = _slack(of, to)
    # Rounded, else cut off: then a time is up to a unit before its frame, and never behind it.
    for before, behind in ((max(ROUNDED, slack), max(ROUNDED, slack)), (2 * slack, Fraction(0))):
        frames = [math.ceil(at - behind) for at in exact]
        is_frame = all(frame - before <= at for at, frame in zip(exact, frames, strict=True))
        if is_frame and len(set(frames)) == len(frames):
            return np.array(frames, np.int64) + to.first
    return None


def _slack(of: Numbering, to: Numbering) -> Fraction:
    """Return how far a rounded time may be from its frame, in frames; 0 where its decimals do not tell the frames apart.

    Whole seconds are labels of seconds: nobody writes frames so.
    """
    unit = (of.rounded_s or 0) * to.per_second
    return Fraction(unit) / 2 if unit < 1 and (of.rounded_s or 0) < 1 else Fraction(0)


def renumber(numbers: IntArray, of: Numbering, to: Numbering) -> IntArray:
    """Return the number of each label in another way of counting, -1 where it has none.

    Parameters
    ----------
    numbers
        Different whole numbers, increasing, shape (n,).

    Raises
    ------
    AnnotationError
        For a number before the first one: labels that count from 0 where 1 is the first.

    >>> renumber(np.array([0, 12, 25, 50]), CHOLEC80_FRAMES, SECONDS).tolist()
    [0, -1, 1, 2]
    >>> renumber(np.array([1, 26, 27]), CHOLEC80_FRAMES, SECONDS).tolist()
    [0, 1, -1]
    >>> renumber(np.array([1, 2, 3]), CHOLEC80_PNG, CHOLEC80_FRAMES).tolist()
    [0, 25, 50]
    >>> renumber(np.array([33, 133, 233]), Numbering(Fraction(1000), rounded_s=Fraction(1, 1000)), Numbering(Fraction(30))).tolist()
    [1, 4, 7]
    """
    numbers = np.asarray(numbers, np.int64)
    if len(numbers) and int(numbers.min()) < of.first:
        what = f"number {int(numbers.min())} is before the first one, {of.first}"
        raise AnnotationError([Fault("", "first-frame", what, f"they look numbered from {of.first - 1}")])
    if of.rounded_s is not None and (frames := frames_at(numbers, of, to)) is not None:
        return frames
    # Times with all their decimals in use are rounded; 0.04, 0.08, 0.12 are exact.
    ratio, slack = to.per_second / of.per_second, _slack(of, to) if of.rounded_s == 1 / of.per_second else Fraction(0)
    elapsed = [int(number) - of.first for number in numbers]
    if ratio >= 1:
        return np.array([math.ceil(n * ratio - slack) + to.first for n in elapsed], np.int64)
    served = np.array([math.floor(n * ratio + slack) for n in elapsed], np.int64)
    first = np.ones(len(served), bool)
    first[1:] = served[1:] != served[:-1]
    return np.where(first, served + to.first, NONE)
