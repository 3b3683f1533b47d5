"""A study that was read: its recordings, the times of its frames, its pictures, and what was shown of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import params
from scrubin.review.desk import Desk
from scrubin.review.ledger import Line
from scrubin.review.progress import Progress
from scrubin.review.views import RecordingSummary, RecordingView
from scrubin.review_page.served import FileKey, Served
from scrubin.review_page.stills import SourceFile, Stills
from scrubin.screen.proposals import Numbers


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

    def progress(self) -> Progress:
        """Return how far the review is."""
        return self.desk.progress()

    def note_seen(self, file: FileKey, view: str, frames: Sequence[int], nonce: str) -> Line | None:
        """Append that stills were seen."""
        return self.desk.seen(*file, view, frames, nonce)


def open_source(folder: Path, by: str | None, generation: int) -> OpenStudy:
    """Return the study of a project as its raw files show it.

    Raises
    ------
    ReviewError
        When there is nothing to review yet.
    """
    desk = Desk.open(folder, by)
    keys = [(one.number, camera) for one in desk.recordings() for camera in one.cameras if (one.name, camera) in desk.reviewed.files]
    files = {key: SourceFile(file.path, file.sha256) for key, file in ((key, desk.file(*key)) for key in keys)}
    stills = Stills(folder / params.raw_folder(folder / params.PARAMS_PATH), files)
    return OpenStudy(desk, stills, Served(), edition(desk, files), generation)


def edition(desk: Desk, files: Mapping[FileKey, SourceFile]) -> str:
    """Return what stays as long as every number means the same recording and the same bytes."""
    names = [one.name for one in desk.recordings()]
    numbers = sorted((*key, file.sha256) for key, file in files.items())
    return hashlib.sha256(json.dumps([names, numbers]).encode()).hexdigest()[:16]
