"""When an action starts or ends, from the contacts of an instrument with its targets (ProstaTD, Chen et al., section 3.4).

The definitions
---------------
Continuous
    From the contact until 2 s after it: the action ends when the instrument has been away from the
    same target for more than 2 s, so contacts that are at most 2 s apart are one action.
Momentary
    From up to 2 s before the contact until up to 2 s after it.
Null
    The rest of the time in which the instrument is in view.

Our decisions, where the paper says nothing
-------------------------------------------
1. A contact is never shortened: what reaches beyond one ends where the next contact of the instance starts.
2. Between two contacts, windows of the same action that meet are one window.
3. Of windows of different actions that meet, a continuous one keeps its 2 s, as it is defined to last
   so long; the momentary one has "up to" 2 s, and gets the rest. Two momentary ones meet in the
   middle of what both reach (rounded down).
4. No window leaves the video. Where it is known when the instrument is in view, a window ends with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["continuous", "momentary"]
Interval = tuple[int, int]


@dataclass(frozen=True)
class Windows:
    """How far actions reach beyond contacts.

    Parameters
    ----------
    continuous_after_ns, momentary_before_ns, momentary_after_ns
        The paper has 2 s for each.
    momentary
        Verbs, or triplets ``instrument,verb,target``, that are momentary; all others are continuous.
    """

    continuous_after_ns: int
    momentary_before_ns: int
    momentary_after_ns: int
    momentary: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contact:
    """One contact [start, end) of an instance; ``action`` is what it does, and to what."""

    start: int
    end: int
    action: int
    kind: Kind


@dataclass(frozen=True)
class Window:
    """One window [start, end); without action it is the null action."""

    start: int
    end: int
    action: int | None


def of_contacts(contacts: Sequence[Contact], in_view: Sequence[Interval] | None, video: Interval, margins: Windows) -> list[Window]:
    """Return the windows of one instance, in order; they do not overlap.

    Parameters
    ----------
    contacts
        They do not overlap; in nanoseconds, like all instants here.
    in_view
        When the instrument is in view beside its contacts; None: not known, so no time is null
        action, and windows reach as far as they are defined to.
    video
        Start and end of the video: nothing is outside of it.
    margins
        How far windows reach.

    Raises
    ------
    ValueError
        When contacts overlap, or one ends before it starts.

    >>> margins = Windows(2, 2, 2)
    >>> windows = of_contacts([Contact(5, 8, 1, "continuous")], [(0, 20)], (0, 20), margins)
    >>> [(window.start, window.end, window.action) for window in windows]
    [(0, 5, None), (5, 10, 1), (10, 20, None)]
    """
    low, high = video
    met = (one for one in contacts if one.start < high and one.end > low)
    inside = sorted((replace(one, start=max(one.start, low), end=min(one.end, high)) for one in met), key=lambda one: one.start)
    if any(one.end <= one.start for one in contacts) or any(a.end > b.start for a, b in itertools.pairwise(inside)):
        raise ValueError("contacts of an instance end after they start, and do not overlap")
    visible = None if in_view is None else _union([*in_view, *((one.start, one.end) for one in inside)])
    windows: list[Window] = []
    ends: list[Contact | None] = [None, *inside, None]
    for left, right in itertools.pairwise(ends):
        windows += _between(left, right, (left.end if left else low, right.start if right else high), visible, margins)
        if right is not None:
            windows.append(Window(right.start, right.end, right.action))
    return _joined(windows)


def _between(
    left: Contact | None, right: Contact | None, gap: Interval, visible: Sequence[Interval] | None, margins: Windows
) -> list[Window]:
    """Return the windows between two contacts, or between a contact and an end of the video."""
    start, stop = gap
    # A piece of view that touches a contact contains it; what comes after a piece without view is another appearance.
    piece_end = next((b for a, b in visible if a <= start <= b), start) if visible is not None else stop
    piece_start = next((a for a, b in visible if a <= stop <= b), stop) if visible is not None else start
    left_to = start if left is None else min(start + _after(left, margins), stop, max(piece_end, start))
    right_from = stop if right is None else max(stop - _before(right, margins), start, min(piece_start, stop))
    if left is not None and right is not None and left_to > right_from and left.action != right.action:
        meeting = left_to if left.kind == "continuous" else (left_to + right_from) // 2
        left_to = right_from = meeting
    windows = [Window(start, left_to, left.action)] if left else []
    windows += [Window(a, b, None) for a, b in _clip(visible or (), (left_to, right_from))]
    return [window for window in [*windows, *([Window(right_from, stop, right.action)] if right else [])] if window.end > window.start]


def _after(contact: Contact, margins: Windows) -> int:
    return margins.continuous_after_ns if contact.kind == "continuous" else margins.momentary_after_ns


def _before(contact: Contact, margins: Windows) -> int:
    return 0 if contact.kind == "continuous" else margins.momentary_before_ns


def _joined(windows: Sequence[Window]) -> list[Window]:
    joined: list[Window] = []
    for window in windows:
        if joined and joined[-1].action == window.action and joined[-1].end >= window.start:
            joined[-1] = Window(joined[-1].start, max(joined[-1].end, window.end), window.action)
        else:
            joined.append(window)
    return joined


def _union(intervals: Sequence[Interval]) -> list[Interval]:
    union: list[Interval] = []
    for start, end in sorted(interval for interval in intervals if interval[1] > interval[0]):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return union


def _clip(intervals: Sequence[Interval], to: Interval) -> list[Interval]:
    return [(max(a, to[0]), min(b, to[1])) for a, b in intervals if a < to[1] and b > to[0]]
