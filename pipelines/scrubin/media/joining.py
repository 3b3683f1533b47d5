"""The timeline of several files: parts follow each other, what is missing between two of them stays missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from scrubin.base.errors import VideoError
from scrubin.media.probe import Probe

FINEST = 2**31 - 1
"""FFmpeg's clocks have no more ticks per second."""
FIX = "export all parts with the same settings, or name them as recordings of their own"


@dataclass(frozen=True)
class JoinedPart:
    """A part of a recording.

    Parameters
    ----------
    path
        Names it in messages.
    probe
        What it holds.
    first
        Its first frame that counts.
    gap_s
        How much is missing before it.
    """

    path: str
    probe: Probe
    first: int
    gap_s: Fraction

    @property
    def length_s(self) -> Fraction:
        """Return for how long its frames are shown."""
        if self.probe.variable_rate:
            return self.probe.end_s - (self.probe.pts[self.first] - self.probe.pts[0]) * self.probe.time_base
        # Counted, because Matroska rounds times: rounding must not add up from part to part.
        return (self.probe.frame_count - self.first) / self.probe.fps


def joined(parts: Sequence[JoinedPart]) -> Probe:
    """Return what all parts hold together, on one clock that counts from the first frame.

    A constant rate stays one when all parts have it and nothing is missing between them.

    Raises
    ------
    VideoError
        When parts differ in size or rotation, have no frame left, or no common clock.
    """
    if len(parts) == 1:
        return parts[0].probe
    _refuse_different(parts)
    starts = start_times_s(parts)
    base = _common([*(part.probe.time_base for part in parts), *starts])
    if base.denominator > FINEST:
        raise VideoError(parts[0].path, "its parts have clocks without a common tick", FIX)
    pts: list[int] = []
    for part, start_s in zip(parts, starts, strict=True):
        own, step, begin = part.probe.pts, part.probe.time_base / base, start_s / base
        pts += [int(begin + (tick - own[part.first]) * step) for tick in own[part.first :]]
    if any(later <= earlier for earlier, later in pairwise(pts)):
        raise VideoError(parts[0].path, "the times of its parts overlap", FIX)
    end_s = starts[-1] + parts[-1].length_s
    fps = {part.probe.fps for part in parts}
    variable = len(fps) > 1 or any(part.probe.variable_rate for part in parts) or any(part.gap_s for part in parts)
    average = Fraction(len(pts) - 1) / ((pts[-1] - pts[0]) * base) if len(pts) > 1 else next(iter(fps))
    return replace(
        parts[0].probe,
        fps=average.limit_denominator(1001) if variable else fps.pop(),
        variable_rate=variable,
        pts=tuple(pts),
        time_base=base,
        end_s=end_s,
        has_audio=any(part.probe.has_audio for part in parts),
    )


def start_times_s(parts: Sequence[JoinedPart]) -> list[Fraction]:
    """Return when the first frame that counts of each part is shown, from the first frame of the recording."""
    starts, end_s = [], Fraction(0)
    for part in parts:
        starts.append(end_s + part.gap_s)
        end_s = starts[-1] + part.length_s
    return starts


def _refuse_different(parts: Sequence[JoinedPart]) -> None:
    first = parts[0].probe
    for part in parts:
        probe = part.probe
        if part.first >= probe.frame_count:
            raise VideoError(part.path, "all of its frames stand in the part before as well", "remove its row from recordings.csv")
        if (probe.width, probe.height) != (first.width, first.height):
            reason = f"it is {probe.width}x{probe.height}, part 1 ({parts[0].path}) {first.width}x{first.height}"
            raise VideoError(part.path, reason, FIX)
        if probe.rotation_deg != first.rotation_deg:
            raise VideoError(part.path, f"it is rotated by {probe.rotation_deg} degrees, part 1 by {first.rotation_deg}", FIX)


def _common(values: Sequence[Fraction]) -> Fraction:
    """Return the largest tick of which all values are whole multiples.

    >>> _common([Fraction(1, 1000), Fraction(1, 90000), Fraction(0), Fraction(7, 30)])
    Fraction(1, 90000)
    """
    denominator = math.lcm(*(value.denominator for value in values))
    numerator = math.gcd(*(int(value * denominator) for value in values))
    return Fraction(numerator, denominator)
