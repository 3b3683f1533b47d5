"""How people look: when something counts as looked at, how much of a review is done, at what pace.

One look (fixation) takes about a quarter of a second and covers a few degrees of the field of
view. At 60 cm a still of 160 x 90 px is about 4 degrees wide: one look holds it. Of scenes in
pictures of 32 x 32 pixels people still say what they are (Torralba, Fergus and Freeman, IEEE PAMI
2008); a person in one of 90 px height is found. Therefore every still of the sheet needs its own
quarter of a second, and a screen of n new stills n of them. In the lens neighbouring frames, a
25th of a second apart, stand side by side at half that width: one look holds two. A picture at
full size fills the field of view: six looks, one at each corner, where recorders write names, and
two in the middle.

Who searches for what is rare misses more of it: 7 % where half of the pictures hold a target, 30 %
where one in a hundred does (Wolfe, Horowitz and Kenner, Nature 435:439, 2005). Time alone proves
no attention; therefore some stills are checks (`review.checks`), as in the screening of
luggage (threat image projection).
"""

from __future__ import annotations

import datetime
import math
import statistics
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from scrubin.base.errors import ReviewError
from scrubin.stages.review import Line
from scrubin.stages.review.events import PERSON, Folded, Planted, Seen, event_of

LOOK_S = 0.25
"""One fixation."""
NEEDED_S = {"sheet": LOOK_S, "released": LOOK_S, "lens": LOOK_S / 2, "full": 6 * LOOK_S}
"""Attention for each still, by view."""
LEAST_HEIGHT_PX = {"sheet": 90, "released": 90, "lens": 64, "full": 90}
"""So high a still must be displayed, by view."""
IDLE_S = 10.0
"""Whoever has touched neither key nor pointer for so long is not there."""
ROUNDING_S = 0.01
MOST_GAPS = 1000
CHECKED_KINDS = ("person", "name")


@dataclass(frozen=True)
class Look:
    """What a page measured while stills were on the screen.

    Parameters
    ----------
    looked_s
        Attention that they got: the page visible and focused, nothing before it, the person there.
    inputs
        Keys and acts of the pointer in that time; the last one passed the stills.
    height_px
        Displayed height of the smallest still, in CSS pixels.
    sheet
        Whether a screen of the sheet begins with this line; another camera of the same screen goes on with it.
    """

    looked_s: float
    inputs: int
    height_px: int
    sheet: bool = False


def needed_s(view: str, stills: int) -> float:
    """Return how much attention so many stills need.

    >>> needed_s("sheet", 24)
    6.0
    """
    return NEEDED_S[view] * stills


def why_not(view: str, stills: int, look: Look) -> str:
    """Return why stills do not count as looked at, as a sentence; "" when they do."""
    least_px, left_s = LEAST_HEIGHT_PX[view], needed_s(view, stills) - look.looked_s
    if look.height_px < least_px:
        return f"stills of {look.height_px} px are too small to count: at least {least_px} px"
    if left_s > ROUNDING_S:
        return f"{left_s:.1f} s more for these {stills} stills: each needs {NEEDED_S[view]:g} s"
    return "" if look.inputs > 0 else "nothing counts as seen before a person goes on from it, by a key or by the pointer"


def of_seen(event: Seen) -> Look | None:
    """Return what was measured for a line of the ledger; None for one of before it was measured."""
    if event.looked_s is None or event.inputs is None or event.height_px is None:
        return None
    return Look(event.looked_s, event.inputs, event.height_px, bool(event.sheet))


def counts(event: Seen) -> bool:
    """Whether a line proves that its stills were looked at."""
    look = of_seen(event)
    return look is not None and not why_not(event.view, _stills(event), look)


class Clock:
    """The time that one person can have spent, over all pages and sessions: no moment is spent twice.

    Parameters
    ----------
    now_s
        A clock that nobody sets.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.now_s = now_s
        self._free: list[tuple[float, float]] = []
        self._until_s = now_s()
        self._lock = threading.Lock()

    def spend(self, looked_s: float, since_s: float) -> None:
        """Take so much of the time since an instant, the latest first.

        Raises
        ------
        ReviewError
            When so much has not passed: nothing is taken then.
        """
        with self._lock:
            self._go_on()
            passed_s = math.fsum(max(0.0, end - max(start, since_s)) for start, end in self._free)
            if looked_s > passed_s + ROUNDING_S:
                raise ReviewError(f"only {passed_s:.1f} s have passed in which these stills can have been looked at, not {looked_s:.1f} s")
            self._take(looked_s, since_s)

    def take(self, looked_s: float) -> None:
        """Take what the same person spent in another session."""
        with self._lock:
            self._go_on()
            self._take(looked_s, float("-inf"))

    def _go_on(self) -> None:
        now_s = self.now_s()
        self._free = [*self._free[-MOST_GAPS:], (self._until_s, now_s)]
        self._until_s = now_s

    def _take(self, looked_s: float, since_s: float) -> None:
        left: list[tuple[float, float]] = []
        for start, end in reversed(self._free):
            taken = min(looked_s, max(0.0, end - max(start, since_s)))
            looked_s -= taken
            if start < end - taken:
                left.append((start, end - taken))
        self._free = left[::-1]


def summary(looks: Sequence[tuple[Line, Seen]], planted: Sequence[Planted], share: float) -> dict[str, Any]:
    """Return how attentive a review was, from lines of the ledger that newly covered something.

    Parameters
    ----------
    looks
        Those lines, in order.
    planted
        All checks that were shown.
    share
        Of the stills that are to be checks.
    """
    sheets: list[float] = []
    begun: set[tuple[str, str]] = set()
    for line, event in looks:
        who = line.by, line.session
        if event.view != "sheet":
            continue
        if event.sheet or who not in begun or not sheets:
            sheets.append(0.0)
            begun.add(who)
        sheets[-1] += event.looked_s or 0.0
    heights = [event.height_px for _, event in looks if event.view == "sheet" and event.height_px is not None]
    return {
        "looked_s": round(math.fsum(event.looked_s or 0.0 for _, event in looks), 3),
        "sheets": len(sheets),
        "median_sheet_s": round(statistics.median(sheets), 3) if sheets else None,
        "still_height_px": min(heights, default=None),
        "least_still_s": NEEDED_S["sheet"],
        "least_height_px": LEAST_HEIGHT_PX["sheet"],
        "checks": {kind: _noticed([one for one in planted if one.kind == kind]) for kind in CHECKED_KINDS},
        "checks_share": share,
    }


def _noticed(planted: Sequence[Planted]) -> dict[str, int]:
    return {"shown": len(planted), "noticed": sum(one.outcome == "noticed" for one in planted)}


PAUSE_S = 120.0
"""Two lines further apart than this had a pause between them."""
USUAL_PACE, USUAL_S = 2.0, 300.0
"""A review takes so many times the attention that its stills need; so much of it stands for what is usual."""
USUAL_STILLS = 60
"""So many stills that stand for one second each are reckoned before anything was seen."""
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
    """Recordings done and left; seconds of footage left, and of work at the pace of one person so far (None: they have none yet).

    ``attention_s`` is what the stills that are left need at least; None where nobody reckons it.
    """

    done: int
    left: int
    unseen_s: int
    seconds_left: float | None
    attention_s: float | None = None


@dataclass
class Hours:
    """For how long people worked: from line to line of each session, without pauses."""

    worked_s: float = 0.0
    last: dict[str, datetime.datetime] = field(default_factory=dict)

    def take(self, line: Line) -> None:
        """Take in the next line of the ledger."""
        at = datetime.datetime.fromisoformat(line.at)
        gap_s = (at - self.last[line.session]).total_seconds() if line.session in self.last else 0.0
        # A clock that was set back counts nothing.
        self.worked_s += gap_s if 0 < gap_s <= PAUSE_S else 0.0
        self.last[line.session] = at


@dataclass
class Work:
    """What people did, counted line by line: who asks how far a review is does not read its ledger from the beginning.

    Parameters
    ----------
    hours
        By person for how long they worked.
    stills
        By person and view how many stills count as looked at.
    folded
        By limit how many seconds were folded.
    looked_s
        By person and session their attention, exactly, also that of looks that do not count.
    """

    hours: dict[str, Hours] = field(default_factory=lambda: defaultdict(Hours))
    stills: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    folded: Counter[float] = field(default_factory=Counter)
    looked_s: dict[tuple[str, str], Fraction] = field(default_factory=dict)

    def take(self, lines: Iterable[Line]) -> None:
        """Take in further lines of the ledger, in their order."""
        for line in lines:
            self.hours[line.by].take(line)
            event = event_of(line) if line.event in ("seen", "folded") else None
            if isinstance(event, Seen):
                key = line.by, line.session
                self.looked_s[key] = self.looked_s.get(key, Fraction(0)) + Fraction(event.looked_s or 0)
                if counts(event) and line.by != PERSON:
                    self.stills[line.by][event.view] += _stills(event)
            elif isinstance(event, Folded):
                self.folded[event.limit] += sum(last + 1 - first for first, last in event.seconds)

    def elsewhere_s(self, by: str, session: str) -> float:
        """Return how much attention a person spent in other sessions than this one."""
        spent_s = Fraction(0)
        for (person, of), looked_s in self.looked_s.items():
            spent_s += looked_s if person == by and of != session else 0
        return float(spent_s)


def progress(recordings: Iterable[Summarised], work: Work, by: str, folds: float = 0.0) -> Progress:
    """Return how far a review is, and how long the rest takes one person.

    What is left takes at least the attention that its stills need. How many times that it takes
    is measured over all that this person did, beginning from what is usual, so that one long look or one
    pause changes little; never less than once. So is for how many seconds one still of the sheet
    stood, for whomever (`folds`, the parameter ``review.folds``). What a program wrote has no pace.
    """
    items, own = list(recordings), work.stills.get(by, Counter[str]())
    unseen_s = sum(one.unseen_s for one in items)
    left_s = needed_s("sheet", 1) * unseen_s * _shown_share(work, folds) + math.fsum(
        needed_s("lens", one.lenses_missing * LENS_FRAMES) + needed_s("full", one.stops_missing) for one in items
    )
    done_s = math.fsum(needed_s(view, stills) for view, stills in own.items())
    worked_s = work.hours[by].worked_s if by in work.hours else 0.0
    pace = max(1.0, (USUAL_PACE * USUAL_S + worked_s) / (USUAL_S + done_s))
    done = sum(one.done for one in items)
    return Progress(done, len(items) - done, unseen_s, pace * left_s if done_s else None, left_s)


def _shown_share(work: Work, folds: float) -> float:
    """Return which share of the seconds had a still of their own, 0 to 1; those count that were folded as strictly as now."""
    shown = USUAL_STILLS + sum(stills["sheet"] for stills in work.stills.values())
    return shown / (shown + sum(seconds for limit, seconds in work.folded.items() if limit <= folds))


def _stills(event: Seen) -> int:
    return sum(count for _, _, count in event.stills)


def worked_s(lines: Sequence[Line]) -> float:
    """Return for how long people worked: from line to line of each session, without pauses."""
    hours = Hours()
    for line in lines:
        hours.take(line)
    return hours.worked_s
