"""How far the review of each recording is: what is unseen, undecided, disputed, by whom it was seen."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.audit.expected.plan import TEXT_KIND
from scrubin.stages.review.events import Box
from scrubin.stages.review.outcome import ACCEPTED, AUDIT, REJECTED, UNREVIEWED, Asked, Interval, Part, Proposed, without
from scrubin.stages.review.questions import Question
from scrubin.stages.review.standing import FileKey, Run, Standing, folded_seconds, lens_seen, stop_seen, true_runs, unseen_seconds
from scrubin.stages.review.study import Boundaries, ReviewedStudy, Stop


@dataclass(frozen=True)
class Judged:
    """A proposal, its frames ``[first, last]``, what was decided about its parts, who saw its lens, and how many answered a question."""

    proposal: Proposed
    first: int
    last: int
    parts: tuple[Part, ...]
    lens_seen_by: tuple[str, ...]
    answers: int = 0

    @property
    def decision(self) -> str:
        """``accepted`` or ``rejected`` when all of it is, ``mixed`` when its parts differ, else ``unreviewed``."""
        decisions = {part.decision for part in self.parts}
        if UNREVIEWED in decisions:
            return UNREVIEWED
        return decisions.pop() if len(decisions) == 1 else "mixed"

    @property
    def hidden(self) -> bool:
        """Whether any of it is hidden; a question hides nothing, only a span that is drawn for an answer does."""
        return self.proposal.source != AUDIT and any(part.decision in (ACCEPTED, UNREVIEWED) for part in self.parts)


@dataclass(frozen=True)
class FileStatus:
    """How far the review of one file is.

    Parameters
    ----------
    unseen
        Seconds of which nobody saw a still, and for which none stood, as runs; with several reviewers, those that too few saw.
    unseen_lenses
        Keys of proposals whose lens too few saw.
    undecided, disputed
        Keys of proposals of which a part is undecided; about which people decided differently.
    unseen_stops
        Stills at full size that too few looked at.
    required_s, lenses, stops
        How many seconds must be seen, of how many proposals the lens, and how many stops.
    lost
        How many lines of the ledger are about another file of that name.
    unlooked
        How many say that something was on a screen, but not that anybody looked at it.
    folded_s
        How many of the seconds too few saw, and are not among the unseen because a still stood for them.
    """

    key: FileKey
    required_s: int
    lenses: int
    unseen: tuple[Run, ...]
    unseen_lenses: tuple[str, ...]
    undecided: tuple[str, ...]
    disputed: tuple[str, ...]
    lost: int
    stops: int = 0
    unseen_stops: tuple[Stop, ...] = ()
    unlooked: int = 0
    folded_s: int = 0

    @property
    def unseen_s(self) -> int:
        """How many seconds are unseen."""
        return _seconds(self.unseen)

    @property
    def is_seen(self) -> bool:
        """Whether enough people saw all of it."""
        return not self.unseen and not self.unseen_lenses and not self.unseen_stops


LAG_S = 1.0
"""Samples of a second and a half tell that a rectangle stands: in a room it begins up to so long before that and ends so long after."""


def judged(
    study: ReviewedStudy, key: FileKey, standing: Standing, boundaries_s: Boundaries, unsaid: Container[Proposed] = ()
) -> list[Judged]:
    """Return what people are asked of a file with what was decided about each, in order of time; ``unsaid`` as `study.proposed` takes it.

    A rectangle in pictures that are hidden as a whole is no question of its own, also where it lasts up to `LAG_S` longer: it comes
    back when any of these pictures is rejected. It stays hidden all the while (`outcome.rows` holds every proposal).
    """
    done = []
    for proposal in study.proposed(key, standing, unsaid):
        known = study.frames.get((key, proposal.key))
        first, last = (known.first, known.last) if known else frames_on_screen(proposal.interval_s, boundaries_s[key])
        parts = tuple(study.judged(key, proposal, standing))
        done.append(Judged(proposal, first, last, parts, _lens_seen_by(standing, key, first, last)))
    whole = [part for one in done if one.proposal.box_xywh is None for part in one.parts]
    done = [one for one in done if not _is_within(one, whole)]
    for question in study.questions.get(key, ()):
        item = asked(question, boundaries_s[key])
        people = _lens_seen_by(standing, key, question.sight.first, question.sight.last)
        parts, answers = (study.answered(key, item, standing),), len(study.answers(key, item, standing))
        done.append(Judged(item, question.sight.first, question.sight.last, parts, people, answers))
    return sorted(done, key=lambda one: (one.first, one.last, one.proposal.key))


def _is_within(one: Judged, whole: Sequence[Part]) -> bool:
    """Whether it is a rectangle of which nobody decided anything, in pictures that are hidden as a whole."""
    is_open = {part.decision for part in one.parts} == {UNREVIEWED}
    hidden = ((part.interval_s, part.decision) for part in whole)
    return one.proposal.box_xywh is not None and is_open and lies_within(one.proposal.interval_s, hidden)


def lies_within(interval_s: Interval, whole: Iterable[tuple[Interval, str]]) -> bool:
    """Whether all of an interval, but for up to `LAG_S` at its ends, is of pictures that are hidden as a whole.

    Parameters
    ----------
    whole
        Parts of proposals of whole pictures: when, and what was decided.
    """
    start_s, end_s = interval_s
    during = [(part_s, decision) for part_s, decision in whole if part_s[0] < end_s and start_s < part_s[1]]
    if not during or any(decision == REJECTED for _, decision in during):
        return False
    over = without(interval_s, [part_s for part_s, _ in during])
    return all(b - a <= LAG_S and (a == start_s or b == end_s) for a, b in over)


def asked_inside(items: Iterable[Judged], kind: str, within: Run, box_xywh: Box | None, key: str) -> list[Judged]:
    """Return the other proposals of the same place that lie inside one in time: each is asked by itself.

    A smaller rectangle is of another place: what is said of it leaves the rest of the larger one open.

    Parameters
    ----------
    kind, within, box_xywh, key
        Of the one: its frames ``[first, last]``, its place, its name.
    """
    others = [one for one in items if one.proposal.kind == kind and one.proposal.key != key]
    same_place = [one for one in others if one.proposal.box_xywh == box_xywh and one.proposal.source != AUDIT]
    return [one for one in same_place if within[0] <= one.first and one.last <= within[1] and (one.first, one.last) != within]


def asked(question: Question, boundaries_s: npt.NDArray[np.float64]) -> Asked:
    """Return a question of the audit as a proposal, for exactly the frames and the rectangle in which it was seen."""
    sight = question.sight
    interval_s = float(boundaries_s[sight.first]), float(boundaries_s[sight.last + 1])
    kind, faces = ("text", None) if sight.kind == TEXT_KIND else ("out_of_body", 1)
    return Asked(kind, AUDIT, interval_s, sight.box_xywh, question.confidence, faces, question.read, sight.key)


def _lens_seen_by(standing: Standing, key: FileKey, first: int, last: int) -> tuple[str, ...]:
    return tuple(sorted(who for who, seen in standing.seen.get(key, {}).items() if lens_seen(first, last, seen)))


def frames_on_screen(interval_s: tuple[float, float], boundaries_s: npt.NDArray[np.float64]) -> tuple[int, int]:
    """Return the first and last frame that is on screen during an interval."""
    first = int(np.searchsorted(boundaries_s, interval_s[0] + 1e-6, side="right")) - 1
    end = int(np.searchsorted(boundaries_s, interval_s[1] - 1e-6, side="left"))
    count = len(boundaries_s) - 1
    first = min(max(first, 0), count - 1)
    return first, max(min(end, count) - 1, first)


ALONE_S = 1.0
"""So long before and after what is proposed or asked every second has a still of its own."""


def alone_seconds(intervals_s: Iterable[Interval]) -> frozenset[int]:
    """Return the seconds for which no other still can stand, by what is proposed or asked.

    >>> sorted(alone_seconds([(3.2, 4.0)]))
    [2, 3, 4]
    """
    return frozenset(
        second for start_s, end_s in intervals_s for second in range(math.floor(start_s - ALONE_S), math.ceil(end_s + ALONE_S))
    )


def file_status(study: ReviewedStudy, key: FileKey, standing: Standing, proposals: Sequence[Judged]) -> FileStatus:
    """Return how far the review of a file is, given its proposals."""
    file, seen = study.files[key], standing.seen.get(key, {})
    enough, stops = study.reviewers, study.stops.get(key, ())
    alone = alone_seconds(one.proposal.interval_s for one in proposals)
    unseen = [unseen_seconds(file.interval_s, one, file.duration_s, alone) for one in seen.values()]
    folded = [folded_seconds(file.interval_s, one, file.duration_s, alone) for one in seen.values()]
    required = unseen_seconds(file.interval_s, None, file.duration_s)
    return FileStatus(
        key=key,
        required_s=_seconds(required),
        lenses=len(proposals),
        unseen=tuple(_seen_by_too_few(unseen, required, enough)),
        unseen_lenses=tuple(one.proposal.key for one in proposals if len(one.lens_seen_by) < enough),
        undecided=tuple(one.proposal.key for one in proposals if one.decision == UNREVIEWED),
        disputed=tuple(one.proposal.key for one in proposals if any(part.disputed for part in one.parts)),
        lost=standing.lost.get(key, 0),
        stops=len(stops),
        unseen_stops=tuple(one for one in stops if sum(stop_seen(one.frame, one.kind, mine) for mine in seen.values()) < enough),
        unlooked=standing.unlooked.get(key, 0),
        folded_s=_seconds(_seen_by_too_few([[*a, *b] for a, b in zip(unseen, folded, strict=True)], required, enough))
        - _seconds(_seen_by_too_few(unseen, required, enough)),
    )


def _seconds(runs: Sequence[Run]) -> int:
    return sum(last - first + 1 for first, last in runs)


def _seen_by_too_few(unseen_by_person: Sequence[Sequence[Run]], required: Sequence[Run], enough: int) -> list[Run]:
    """Return the required seconds that fewer than ``enough`` people saw, as runs."""
    if not required:
        return []
    start, end = required[0][0], required[-1][1] + 1
    times_seen = np.full(end - start, len(unseen_by_person))
    for runs in unseen_by_person:
        for first, last in runs:
            times_seen[first - start : last + 1 - start] -= 1
    return [(first + start, last + start) for first, last in true_runs(times_seen < enough)]


def document(status: FileStatus, proposals: Sequence[Judged]) -> dict[str, Any]:
    """Return a file's status as plain values; of unseen lenses and disputed proposals where they begin, in seconds."""
    return {
        "recording": status.key[0],
        "camera": status.key[1],
        "required_s": status.required_s,
        "unseen_s": status.unseen_s,
        "unseen": [list(run) for run in status.unseen],
        "unseen_lenses": [one.proposal.interval_s[0] for one in proposals if one.proposal.key in status.unseen_lenses],
        "lenses": status.lenses,
        "undecided": len(status.undecided),
        "disputed": len(status.disputed),
        "disputed_at_s": [one.proposal.interval_s[0] for one in proposals if one.proposal.key in status.disputed],
        "lost": status.lost,
        "stops": status.stops,
        "unseen_stops": [one.time_s for one in status.unseen_stops],
        "unlooked": status.unlooked,
        "folded_s": status.folded_s,
    }
