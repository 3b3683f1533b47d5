"""The frame contract: which frames of a released video are extracted.

Frame k is the first decoded frame of the released video whose presentation time is at or
after k / fps. Nothing is counted and nothing is rounded, so a variable rate cannot drift.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction


def source_frames(times_s: Sequence[Fraction], fps: Fraction) -> list[int]:
    """Return the number, in the released video, of each extracted frame.

    Parameters
    ----------
    times_s
        Exact presentation time of every frame of the released video, increasing, from 0.
    fps
        Extracted frames per second.

    Returns
    -------
    One number per extracted frame k = 0, 1, ... up to the last k / fps that is not behind the
    last frame. Where the video has no frame for longer than 1 / fps, a frame stands for
    several k: what a viewer sees at that time.

    >>> source_frames([Fraction(n, 25) for n in range(60)], Fraction(1))
    [0, 25, 50]
    """
    if not times_s:
        return []
    count = int(times_s[-1] * fps) + 1
    return [bisect_left(times_s, k / fps) for k in range(count)]
