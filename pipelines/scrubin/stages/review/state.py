"""A study with its ledger as they are at the moment, read again whenever somebody appended to it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.base import params
from scrubin.base.errors import ReviewError, TableError
from scrubin.base.layout import RECORDINGS_PATH
from scrubin.base.params import ranged
from scrubin.base.tables import io
from scrubin.base.tables.private import RECORDINGS
from scrubin.stages.review import FIRST, LEDGER_PATH, Ledger, questions, study
from scrubin.stages.review.attention import Work
from scrubin.stages.review.events import has_ended
from scrubin.stages.review.status import FileStatus, Judged, file_status, judged


@dataclass(frozen=True)
class DecisionsParams:
    """The stage decisions has no parameters."""


@dataclass(frozen=True)
class ReviewParams:
    """How people's decisions count.

    Parameters
    ----------
    reviewers
        So many people must each see all of a recording. With one, the latest decision counts,
        whoever made it. With more, each person's latest one does: what anybody accepts is
        hidden, and only what so many reject is shown.
    checks
        Share of the stills that are shown with a person or a name planted in them, to know how
        many the reviewers notice; at least one in a recording of a minute. 0: none.
    folds
        How unlike each other the pictures of some seconds may be, as a Hellinger distance of colours,
        brightness and texture, 0 to 1, for one still to stand for them. 0: each second has its own.
    """

    reviewers: int = ranged(low=1, high=9)
    checks: float = ranged(low=0.0, high=0.2)
    folds: float = dataclasses.field(default=0.0, metadata={"low": 0.0, "high": 0.2, "choices": None, "added_later": True})


Rows = Mapping[str, Sequence[Mapping[str, Any]]]


class State:
    """What stands, and how far the review of each recording is; not for several threads at once.

    Parameters
    ----------
    of
        What is reviewed.
    ledger
        What people decided and saw.
    raw
        Folder of the raw study.
    rows
        Of the table `recordings`, by recording.
    """

    def __init__(self, of: study.ReviewedStudy, ledger: Ledger, raw: Path, rows: Rows) -> None:
        self.study, self.ledger, self.raw, self.rows = of, ledger, raw, rows
        self.names = list(rows)
        self.standing, self.work = of.standing(), Work()
        self.times_s = study.FrameTimes(raw, of.files)
        self._applied, self._head = 0, FIRST
        self._statuses: dict[str, list[tuple[FileStatus, list[Judged]]]] = {}

    @classmethod
    def load(cls, folder: Path) -> State:
        """Return the state of a project.

        Raises
        ------
        ReviewError
            When there is nothing to review yet, or the ledger's chain is broken.
        """
        path = folder / params.PARAMS_PATH
        of_review = params.load("review", ReviewParams, path)
        margin_s = float(params.read(path).get("screen", {}).get("margin_s", 0))
        raw = folder / params.raw_folder(path)
        of = study.load(of_review.reviewers, margin_s, raw, folder, folds=of_review.folds).asking(questions.load(folder))
        state = cls(of, Ledger(folder / LEDGER_PATH), raw, _rows(folder))
        state.update()
        return state

    def update(self) -> None:
        """Take in what was appended since."""
        lines = self.ledger.lines()
        if [line.sha256 for line in lines[: self._applied][-1:]] != [self._head] * bool(self._applied):
            # Another ledger under this name.
            self.standing, self.work, self._applied = self.study.standing(), Work(), 0
            self._statuses.clear()
        new = lines[self._applied :]
        self.standing.apply(new)
        self.work.take(new)
        for line in new:
            self._statuses.pop(str(line.facts.get("recording", "")), None)
            # What a sheet asks in all files follows from its import.
            if line.event in ("withdrawn", "imported", "exported"):
                self._statuses.clear()
        self._applied, self._head = len(lines), self.ledger.head

    def statuses(self, name: str) -> list[tuple[FileStatus, list[Judged]]]:
        """Return for each file of a recording how far its review is, and its proposals."""
        if name not in self._statuses:
            done = []
            for key in self.study.cameras(name):
                items = judged(self.study, key, self.standing, self.times_s)
                done.append((file_status(self.study, key, self.standing, items), items))
            self._statuses[name] = done
        return self._statuses[name]

    def name(self, number: int) -> str:
        """Return the name of a recording by its number in the list.

        Raises
        ------
        ReviewError
            When there is none.
        """
        if not 0 <= number < len(self.names):
            raise ReviewError("there is no such recording")
        return self.names[number]

    def acknowledged(self, subject: str, key: str) -> dict[str, Any] | None:
        """Return who acknowledged something, why, until when, and whether that has ended; None when nobody did."""
        entry = self.standing.acknowledged.get((subject, key))
        if entry is None:
            return None
        line, said = entry
        return {"by": line.by, "why": said.why, "until": said.until, "ended": has_ended(said.until, self.ledger.today)}


def _rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    try:
        rows = io.records(io.read(RECORDINGS, folder / RECORDINGS_PATH))
    except TableError as error:
        raise ReviewError(str(error)) from error
    done: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: (row["recording"], row["camera"])):
        done.setdefault(row["recording"], []).append(row)
    return done
