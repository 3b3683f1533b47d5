"""How much of a review is done, and how long the rest takes at the pace so far."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from scrubin.review.attention import counts, needed_s
from scrubin.review.events import Seen, event_of
from scrubin.review.ledger import Line

PAUSE_S = 120.0
"""Two lines further apart than this had a pause between them."""
USUAL_PACE, USUAL_S = 2.0, 300.0
"""A review takes so many times the attention that its stills need; so much of it stands for what is usual."""
LENS_FRAMES = 22


class Summarised(Protocol):
    """A recording, as far as progress needs it."""

    @property
    def done(self) -> bool:
        """Whether nothing of it is unseen or undecided."""

    @property
    def unseen_s(self) -> int:
        """How many of its seconds are unseen, over its cameras."""

    @property
    def lenses_missing(self) -> int:
        """Of how many proposals the ends are unseen."""

    @property
    def stops_missing(self) -> int:
        """How many stills at full size are unseen."""


@dataclass(frozen=True)
class Progress:
    """Recordings done and left; seconds of footage left, and of work at the pace so far (None: nothing was done yet)."""

    done: int
    left: int
    unseen_s: int
    seconds_left: float | None


def progress(recordings: Iterable[Summarised], lines: Sequence[Line]) -> Progress:
    """Return how far a review is.

    What is left takes at least the attention that its stills need. How many times that it takes
    is measured over all that was done, beginning from what is usual, so that one long look or one
    pause changes little.
    """
    items = list(recordings)
    left_s = math.fsum(
        needed_s("sheet", one.unseen_s) + needed_s("lens", one.lenses_missing * LENS_FRAMES) + needed_s("full", one.stops_missing)
        for one in items
    )
    done_s = math.fsum(needed_s(event.view, _stills(event)) for event in map(event_of, lines) if isinstance(event, Seen) and counts(event))
    pace = (USUAL_PACE * USUAL_S + worked_s(lines)) / (USUAL_S + done_s)
    unseen_s = sum(one.unseen_s for one in items)
    return Progress(sum(one.done for one in items), sum(not one.done for one in items), unseen_s, pace * left_s if done_s else None)


def _stills(event: Seen) -> int:
    return sum(count for _, _, count in event.stills)


def worked_s(lines: Sequence[Line]) -> float:
    """Return for how long people worked: from line to line of each session, without pauses."""
    total, last = 0.0, dict[str, datetime.datetime]()
    for line in lines:
        at = datetime.datetime.fromisoformat(line.at)
        gap_s = (at - last[line.session]).total_seconds() if line.session in last else 0.0
        # A clock that was set back counts nothing.
        total += gap_s if 0 < gap_s <= PAUSE_S else 0.0
        last[line.session] = at
    return total
