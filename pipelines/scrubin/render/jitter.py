"""Trimmed ends: a random, keyed time off the end of a recording, so that its length is in no log.

The trim is a whole number of frames, drawn evenly from 0 to the most that is allowed, by the
private number ``draw`` of the table ``linkage``: an HMAC of the recording's name under the study's
key, the same on every run and unguessable without it. Both cameras of a recording share draw, rate
and interval, so they are trimmed alike. It comes before the render plan: labels, counts and tables
follow it by themselves.

A floor keeps short recordings useful: at most half of the kept interval is trimmed, and never its
last two frames.
"""

from __future__ import annotations

from fractions import Fraction

DRAWS = 2**63
MOST = Fraction(1, 2)
FLOOR_FRAMES = 2
# Times this close are the same, as in the render plan.
SAME_S = Fraction(1, 10**6)


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
    choices = max(0, int((most_s + SAME_S) * fps)) + 1
    return draw * choices // DRAWS / fps


def trimmed_end_s(interval_s: tuple[float, float], fps: Fraction, draw: int, jitter_s: float) -> float:
    """Return the end of a kept interval after its trim, in source seconds; see ``trim_s``.

    >>> trimmed_end_s((0.0, 60.0), Fraction(25), 2**62, 10.0)
    55.0
    """
    trimmed_s = trim_s(interval_s, fps, draw, jitter_s)
    return float(Fraction(interval_s[1]) - trimmed_s) if trimmed_s else interval_s[1]
