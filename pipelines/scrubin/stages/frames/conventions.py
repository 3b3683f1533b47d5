"""Which frames of a video are extracted: the section ``frames`` of params.yaml, what each convention picks.

ffmpeg's conventions are stated by its sources (libavfilter/vf_fps.c: a frame's time is rounded to
the new clock, and the last frame that is not after an output instant is shown;
fftools/ffmpeg_filter.c, video_sync_process: ``-r`` drops and doubles frames as they come) and
held to the program itself in the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from scrubin.media.released.frame_files import source_frames

IntArray = npt.NDArray[np.int64]
OURS, NEAR, DOWN, UP, OUTPUT_RATE, EVERY_NTH, SHIFTED = "ours", "fps", "fps-round-down", "fps-round-up", "r", "every-nth", "shifted"
# Thresholds of ffmpeg's video_sync_process for a constant output rate.
DROP_BELOW, DOUBLE_ABOVE, BEFORE, OFF_MIDPOINT = -1.1, 1.1, 0.6, 2.0**-17


@dataclass(frozen=True)
class Timeline:
    """When the frames of a video are shown.

    Parameters
    ----------
    ticks, durations
        Of every frame, in units of ``time_base`` seconds; ticks are counted from the first frame.
    time_base
        Seconds.
    lead
        Ticks from the start of the file (of its first stream) to the first frame: ffmpeg counts from there.
    """

    ticks: IntArray
    durations: IntArray
    time_base: Fraction
    lead: int = 0

    @property
    def times_s(self) -> npt.NDArray[np.float64]:
        """Seconds from the first frame."""
        return self.ticks.astype(np.float64) * float(self.time_base)

    @property
    def frame_s(self) -> float:
        """The median distance of frames, in seconds."""
        steps = np.diff(self.ticks) if len(self.ticks) > 1 else self.durations
        return max(float(np.median(steps)), 1.0) * float(self.time_base)


@dataclass(frozen=True)
class Convention:
    """A way to pick frames.

    Parameters
    ----------
    name
        As in JSON.
    rate
        Pictures per second; None for every n-th frame.
    every, first
        For every n-th frame: n, and the first one taken.
    shift_s
        For a shifted grid: picture k shows the first frame at or after k / rate + shift.
    """

    name: str
    rate: Fraction | None
    every: int = 0
    first: int = 0
    shift_s: Fraction = Fraction(0)

    @property
    def description(self) -> str:
        """The convention as a curator would write it."""
        if self.name == OURS:
            return f"first frame at or after k/{_over(self.rate)} s (this project)"
        if self.name == SHIFTED:
            return f"first frame at or after k/{_over(self.rate)} s {float(self.shift_s):+.3f} s"
        if self.name == EVERY_NTH:
            return f"every {self.every}th frame" + (f" from frame {self.first}" if self.first else "")
        if self.name == OUTPUT_RATE:
            return f"ffmpeg -r {self.rate}"
        return f"ffmpeg -vf fps={self.rate}" + {NEAR: "", DOWN: ":round=down", UP: ":round=up"}[self.name]

    def frames(self, line: Timeline) -> IntArray:
        """Return the number, in the video, of picture k = 0, 1, ..."""
        if self.name == EVERY_NTH:
            return np.arange(self.first, len(line.ticks), self.every)
        rate = self.rate or Fraction(0)
        if self.name == OURS:
            return np.array(source_frames([int(tick) * line.time_base for tick in line.ticks], rate), np.int64)
        if self.name == SHIFTED:
            return _shifted(line, rate, self.shift_s)
        return _output_rate(line, rate) if self.name == OUTPUT_RATE else _fps_filter(line, rate, self.name)


def conventions_at_rate(rate: Fraction) -> list[Convention]:
    """Return ours and ffmpeg's conventions at a rate."""
    return [Convention(name, rate) for name in (OURS, NEAR, DOWN, UP, OUTPUT_RATE)]


def _over(rate: Fraction | None) -> str:
    return str(rate) if rate is None or rate.denominator == 1 else f"({rate})"


def _shifted(line: Timeline, rate: Fraction, shift_s: Fraction) -> IntArray:
    """Return the first frames at or after k / rate + shift; before the video begins, its first frame."""
    step, start = 1 / (rate * line.time_base), shift_s / line.time_base
    count = max(0, int((int(line.ticks[-1]) - start) / step) + 1)
    instants = [-(-(start + k * step).numerator // (start + k * step).denominator) for k in range(count)]
    return np.searchsorted(line.ticks, np.array(instants, np.int64))


def _fps_filter(line: Timeline, rate: Fraction, name: str) -> IntArray:
    scale = line.time_base * rate
    up, down = scale.numerator, scale.denominator

    def rounded(ticks: IntArray) -> IntArray:
        scaled = (ticks + line.lead) * up
        if name == DOWN:
            return scaled // down
        return -(-scaled // down) if name == UP else (2 * scaled + down) // (2 * down)

    instants = rounded(line.ticks)
    end = int(rounded(line.ticks[-1:] + line.durations[-1:])[0])
    # The first one also stands for the outputs before it, because image files get a constant rate.
    outputs = np.arange(end).clip(min=int(instants[0]))
    return np.searchsorted(instants, outputs, side="right") - 1


def _output_rate(line: Timeline, rate: Fraction) -> IntArray:
    scale = float(line.time_base * rate)
    picked: list[int] = []
    for number, (tick, duration) in enumerate(zip((line.ticks + line.lead).tolist(), line.durations.tolist(), strict=True)):
        instant = tick * scale
        ahead = instant + (OFF_MIDPOINT if instant != round(instant) else 0.0) - len(picked)
        lasts = duration * scale
        if ahead < 0 < ahead + lasts:
            ahead, lasts = 0.0, lasts + ahead
        reach = ahead + lasts
        count, of_previous = 1, 0
        if reach < DROP_BELOW:
            count = 0
        elif reach > DOUBLE_ABOVE:
            count = round(reach)
            of_previous = round(ahead - BEFORE) if ahead > DOUBLE_ABOVE else 0
        picked += [max(0, number - 1)] * of_previous + [number] * (count - of_previous)
    return np.array(picked, np.int64)


def every_nth(every: int, first: int = 0) -> Convention:
    """Return the convention of every n-th frame."""
    return Convention(EVERY_NTH, None, every, first)


def simplest_rates(near: float, tolerance: float, most: int) -> Sequence[Fraction]:
    """Return the simplest rates within a share of ``tolerance`` of ``near``, the simplest first; at least one.

    >>> [str(rate) for rate in simplest_rates(1.0, 0.002, 2)]
    ['1', '1000/1001']
    """
    plain = {Fraction(a, b) for b in range(1, 61) for a in range(max(1, int(near * b)), int(near * b) + 2)}
    plain.add(Fraction(1, max(1, round(1 / near))))
    rates = plain | {rate * Fraction(1000, 1001) for rate in plain if rate.denominator == 1 or rate == Fraction(1, rate.denominator)}
    close = [rate for rate in rates if abs(float(rate) / near - 1) <= tolerance]
    ordered = sorted(close, key=lambda rate: (rate.denominator % 1001 == 0, rate.numerator + rate.denominator, rate))
    return ordered[:most] or [Fraction(near).limit_denominator(100_000)]
