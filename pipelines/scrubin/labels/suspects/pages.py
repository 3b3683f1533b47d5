"""Where a suspect is on the page of `scrubin label`: what stands behind the ``#`` of its address, the released id and the frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from scrubin.labels.model import Clock
from scrubin.labels.suspects.suspect import Suspect

STAMP_S = Fraction(1, 1000)
"""By so much a time may be off that a file of video keeps in milliseconds."""


@dataclass(frozen=True)
class Shown:
    """A recording as the page shows it.

    Parameters
    ----------
    id
        The released one.
    first, frame_count
        The source frame that is the first one shown, and how many are.
    offset_s
        Its time in the source.
    fps
        Of the released video; None: of a variable rate.
    is_source
        Whether labels are of the source; otherwise of the released video.
    """

    id: str
    first: int
    frame_count: int
    offset_s: Fraction
    fps: Fraction | None
    is_source: bool


def page_of(id_: str, frame: int) -> str:
    """Return what stands behind the address of the page.

    >>> page_of("borunga", 60)
    '#borunga/60'
    """
    return f"#{id_}/{frame}"


def address(one: Suspect, clock: Clock, shown: Shown, first: int = 0) -> str:
    """Return where a suspect is on the page; "" where the page shows nothing of it, or nobody knows which frame has its time.

    Parameters
    ----------
    clock
        What the positions of its labels count.
    first
        The number of the first frame, at time 0.

    Examples
    --------
    >>> suspect = Suspect("op1", "phases", 30, 40, "a", "b", 0.5, ("flip",), "")
    >>> shown = Shown("borunga", 20, 100, Fraction(4, 5), Fraction(25), is_source=True)
    >>> address(suspect, Clock(None), shown), address(suspect, Clock(Fraction(1, 30)), shown)
    ('#borunga/10', '#borunga/5')
    """
    begins, ends = (_frame(position - first, clock, shown) for position in (one.first, one.end))
    if begins is None or ends is None or begins >= shown.frame_count or ends <= 0:
        return ""
    return page_of(shown.id, max(begins, 0))


def _frame(position: int, clock: Clock, shown: Shown) -> int | None:
    """Return the first shown frame at or after a position, counted from the first one shown."""
    if clock.period_s is None or (shown.fps is not None and clock.period_s * shown.fps == 1):
        return position - (shown.first if shown.is_source else 0)
    if shown.fps is None:
        return None
    begins_s = position * clock.period_s - (shown.offset_s if shown.is_source else 0)
    return math.ceil((begins_s - STAMP_S) * shown.fps)
