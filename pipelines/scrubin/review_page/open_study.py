"""A study that was read: its recordings, the times of its frames, its pictures, and what was shown of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.core import params
from scrubin.review.coverage import Run, lens_seen, unseen_seconds
from scrubin.review.desk import Desk
from scrubin.review.ledger import Line
from scrubin.review.progress import Progress
from scrubin.review.views import RecordingSummary, RecordingView
from scrubin.review_page.served import FileKey, Served
from scrubin.review_page.stills import Stills
from scrubin.screen.proposals import Numbers
from scrubin.video.source import Source


@dataclass(frozen=True)
class OpenStudy:
    """A study that was read, and what was shown of it.

    Parameters
    ----------
    edition
        Changes when a number may mean another file than before.
    generation
        How often the study was opened.
    """

    desk: Desk
    stills: Stills
    served: Served
    edition: str
    generation: int

    @property
    def head(self) -> str:
        """Changes with every line of the ledger, and with every run of the pipeline."""
        return f"{self.generation}-{self.desk.head}"

    def times_s(self, file: FileKey) -> Numbers:
        """Return the time of every frame of a file, then the end of the last; shape (n + 1,).

        Raises
        ------
        ReviewError
            When there is no such file.
        """
        self.desk.file(*file)
        return self.desk.boundaries_s(*file)

    def recordings(self) -> list[RecordingSummary]:
        """Return all recordings, by name."""
        return self.desk.recordings()

    def recording(self, number: int) -> RecordingView:
        """Return one recording."""
        return self.desk.recording(number)

    def mine(self, number: int) -> dict[str, Any]:
        """Return what the person at the page need not do again, also where a second person must.

        ``unseen``: seconds by camera that are still to be seen, by this person; ``seen`` and ``decided``: proposals, each as
        ``camera:key``, of which they saw the lens or decided about.
        """
        view, standing = self.recording(number), self.desk.standing
        unseen: dict[str, list[Run]] = {}
        seen: list[str] = []
        decided: list[str] = []
        for file in view.files:
            key = view.summary.name, file.camera
            my_seen = standing.seen.get(key, {}).get(self.desk.by)
            left = [unseen_seconds(file.interval_s, my_seen, file.duration_s), file.unseen]
            unseen[file.camera] = in_both(*left)
            about = {one.proposal for by, one in standing.decided.get(key, {}).values() if by == self.desk.by}
            proposals = [one for one in view.proposals if one.camera == file.camera]
            seen += [f"{one.camera}:{one.key}" for one in proposals if lens_seen(one.first, one.last, my_seen)]
            decided += [f"{one.camera}:{one.key}" for one in proposals if one.key in about]
        return {"unseen": unseen, "seen": seen, "decided": decided}

    def progress(self) -> Progress:
        """Return how far the review is."""
        return self.desk.progress()

    def note_seen(self, file: FileKey, view: str, frames: Sequence[int], nonce: str) -> Line | None:
        """Append that stills were seen."""
        return self.desk.seen(*file, view, frames, nonce)


def in_both(some: Sequence[Run], others: Sequence[Run]) -> list[Run]:
    """Return the runs of whole numbers ``(first, last)`` that are in both.

    >>> in_both([(0, 4), (8, 9)], [(3, 8)])
    [(3, 4), (8, 8)]
    """
    shared = ((max(a, c), min(b, d)) for a, b in some for c, d in others)
    return [(first, last) for first, last in shared if first <= last]


def open_source(folder: Path, by: str | None, generation: int) -> OpenStudy:
    """Return the study of a project as its raw files show it.

    Raises
    ------
    ReviewError
        When there is nothing to review yet.
    """
    desk = Desk.open(folder, by)
    keys = [(one.number, camera) for one in desk.recordings() for camera in one.cameras if (one.name, camera) in desk.reviewed.files]
    files = {key: file.source for key, file in ((key, desk.file(*key)) for key in keys)}
    stills = Stills(folder / params.raw_folder(folder / params.PARAMS_PATH), files)
    return OpenStudy(desk, stills, Served(), edition(desk, files), generation)


def edition(desk: Desk, files: Mapping[FileKey, Source]) -> str:
    """Return what stays as long as every number means the same recording and the same bytes."""
    names = [one.name for one in desk.recordings()]
    numbers = sorted((*key, file.sha256) for key, file in files.items())
    return hashlib.sha256(json.dumps([names, numbers]).encode()).hexdigest()[:16]
