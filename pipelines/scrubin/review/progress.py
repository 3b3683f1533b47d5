"""How much of a review is done, and how long the rest takes at the pace so far."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from scrubin.review.ledger import Line

PAUSE_S = 120.0
"""Two lines further apart than this had a pause between them."""


class Summarised(Protocol):
    """A recording, as far as progress needs it."""

    @property
    def done(self) -> bool:
        """Whether nothing of it is unseen or undecided."""

    @property
    def unseen_s(self) -> int:
        """How many of its seconds are unseen, over its cameras."""


@dataclass(frozen=True)
class Progress:
    """Recordings done and left; seconds of footage left, and of work at the pace so far (None: nothing was done yet)."""

    done: int
    left: int
    unseen_s: int
    seconds_left: float | None


def progress(recordings: Iterable[Summarised], lines: Sequence[Line]) -> Progress:
    """Return how far a review is."""
    items = list(recordings)
    unseen_s = sum(one.unseen_s for one in items)
    footage_s = sum(last - first + 1 for line in lines if line.event == "seen" for first, last in line.facts["seconds"])
    worked = worked_s(lines)
    pace = worked / footage_s if worked and footage_s else None
    return Progress(sum(one.done for one in items), sum(not one.done for one in items), unseen_s, None if pace is None else pace * unseen_s)


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
