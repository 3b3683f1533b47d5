"""How far the review of each recording is: what is unseen, undecided, disputed, and by whom it was seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.review.coverage import Run, lens_seen, true_runs, unseen_seconds
from scrubin.review.outcome import ACCEPTED, UNREVIEWED, Part, Proposed
from scrubin.review.standing import FileKey, Standing
from scrubin.review.study import ReviewedStudy

Boundaries = Callable[[FileKey], npt.NDArray[np.float64]]
"""Presentation times of a file, shape (n + 1,)."""


@dataclass(frozen=True)
class Judged:
    """A proposal, its frames ``[first, last]``, what was decided about its parts, and who saw its lens."""

    proposal: Proposed
    first: int
    last: int
    parts: tuple[Part, ...]
    lens_seen_by: tuple[str, ...]

    @property
    def decision(self) -> str:
        """``accepted`` or ``rejected`` when all of it is, ``mixed`` when its parts differ, else ``unreviewed``."""
        decisions = {part.decision for part in self.parts}
        if UNREVIEWED in decisions:
            return UNREVIEWED
        return decisions.pop() if len(decisions) == 1 else "mixed"

    @property
    def hidden(self) -> bool:
        """Whether any of it is hidden."""
        return any(part.decision in (ACCEPTED, UNREVIEWED) for part in self.parts)


@dataclass(frozen=True)
class FileStatus:
    """How far the review of one file is.

    Parameters
    ----------
    unseen
        Seconds of which nobody saw a still, as runs; with several reviewers, those that too few saw.
    unseen_lenses
        Keys of proposals whose lens too few saw.
    undecided, disputed
        Keys of proposals of which a part is undecided; about which people decided differently.
    required_s, lenses
        How many seconds must be seen, and of how many proposals the lens.
    lost
        How many lines of the ledger are about another file of that name.
    """

    key: FileKey
    required_s: int
    lenses: int
    unseen: tuple[Run, ...]
    unseen_lenses: tuple[str, ...]
    undecided: tuple[str, ...]
    disputed: tuple[str, ...]
    lost: int

    @property
    def unseen_s(self) -> int:
        """How many seconds are unseen."""
        return sum(last - first + 1 for first, last in self.unseen)

    @property
    def is_seen(self) -> bool:
        """Whether enough people saw all of it."""
        return not self.unseen and not self.unseen_lenses


def judged(study: ReviewedStudy, key: FileKey, standing: Standing, boundaries_s: Boundaries) -> list[Judged]:
    """Return all proposals of a file with what was decided about each, in order of time."""
    done = []
    for proposal in study.proposed(key, standing):
        known = study.frames.get((key, proposal.key))
        first, last = (known.first, known.last) if known else frames_on_screen(proposal.interval_s, boundaries_s(key))
        parts = tuple(study.judged(key, proposal, standing))
        people = tuple(sorted(who for who, seen in standing.seen.get(key, {}).items() if lens_seen(first, last, seen)))
        done.append(Judged(proposal, first, last, parts, people))
    return sorted(done, key=lambda one: (one.first, one.last, one.proposal.key))


def frames_on_screen(interval_s: tuple[float, float], boundaries_s: npt.NDArray[np.float64]) -> tuple[int, int]:
    """Return the first and last frame that is on screen during an interval."""
    first = int(np.searchsorted(boundaries_s, interval_s[0] + 1e-6, side="right")) - 1
    end = int(np.searchsorted(boundaries_s, interval_s[1] - 1e-6, side="left"))
    count = len(boundaries_s) - 1
    first = min(max(first, 0), count - 1)
    return first, max(min(end, count) - 1, first)


def file_status(study: ReviewedStudy, key: FileKey, standing: Standing, proposals: Sequence[Judged]) -> FileStatus:
    """Return how far the review of a file is, given its proposals."""
    file, seen = study.files[key], standing.seen.get(key, {})
    enough = study.reviewers
    unseen = [unseen_seconds(file.interval_s, one, file.duration_s) for one in seen.values()]
    required = unseen_seconds(file.interval_s, None, file.duration_s)
    return FileStatus(
        key=key,
        required_s=sum(last - first + 1 for first, last in required),
        lenses=len(proposals),
        unseen=tuple(_seen_by_too_few(unseen, required, enough)),
        unseen_lenses=tuple(one.proposal.key for one in proposals if len(one.lens_seen_by) < enough),
        undecided=tuple(one.proposal.key for one in proposals if one.decision == UNREVIEWED),
        disputed=tuple(one.proposal.key for one in proposals if any(part.disputed for part in one.parts)),
        lost=standing.lost.get(key, 0),
    )


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
    }
