"""The study as its tables are now: opened anew when the pipeline has written them anew."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import params
from scrubin.core.errors import ReviewError, ScrubinError
from scrubin.review.desk import Desk
from scrubin.review_page.served import FileKey, Served
from scrubin.review_page.stills import SourceFile, Stills

TABLES = ("recordings.parquet", "proposals.parquet", "quarantine_ingest.parquet", "quarantine_screen.parquet")
INTERIM = Path("data/interim")
RUNNING = "the pipeline is running and its tables are being rewritten; trying again"
Identity = tuple[tuple[int, int, int], ...] | None


class RewrittenError(Exception):
    """The tables cannot be read at the moment; the sentence says why."""


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

    def frame_count(self, file: FileKey) -> int:
        """Return how many frames a file has."""
        self.desk.file(*file)
        return len(self.desk.boundaries_s(*file)) - 1


class StudyNow:
    """Opens the study, and opens it again when its tables have changed.

    Parameters
    ----------
    folder
        The project.
    by
        Who reviews.

    Raises
    ------
    ReviewError
        When there is nothing to review yet.
    """

    def __init__(self, folder: Path, by: str | None) -> None:
        self._folder, self._by = folder, by
        self._lock = threading.Lock()
        self._identity = self._seen_now()
        self._study = self._opened(0)

    def get(self) -> OpenStudy:
        """Return the study.

        Raises
        ------
        RewrittenError
            While its tables are missing or do not belong together.
        """
        with self._lock:
            identity = self._seen_now()
            if identity is None:
                raise RewrittenError(RUNNING)
            if identity != self._identity:
                try:
                    renewed = self._opened(self._study.generation + 1)
                except (ScrubinError, OSError) as error:
                    raise RewrittenError(f"{error}; trying again" if isinstance(error, ReviewError) else RUNNING) from error
                self._study.stills.close()
                self._study, self._identity = renewed, identity
            return self._study

    def close(self) -> None:
        """Close all files."""
        self._study.stills.close()

    def _opened(self, generation: int) -> OpenStudy:
        desk = Desk.open(self._folder, self._by)
        files = source_files(desk)
        stills = Stills(self._folder / params.raw_folder(self._folder / params.PARAMS_PATH), files)
        stills.prepare_in_background()
        names = [(one.number, one.name) for one in desk.recordings()]
        edition = hashlib.sha256(json.dumps([names, sorted((*key, file.sha256) for key, file in files.items())]).encode()).hexdigest()[:16]
        return OpenStudy(desk, stills, Served(), edition, generation)

    def _seen_now(self) -> Identity:
        """Return what tells the tables from other ones; None while one is missing."""
        try:
            statuses = [(self._folder / INTERIM / name).stat() for name in TABLES]
        except OSError:
            return None
        return tuple((status.st_ino, status.st_size, status.st_mtime_ns) for status in statuses)


def source_files(desk: Desk) -> dict[FileKey, SourceFile]:
    """Return the files that can be reviewed."""
    files = {}
    for one in desk.recordings():
        for camera in one.cameras:
            if (one.name, camera) in desk.reviewed.files:
                file = desk.file(one.number, camera)
                files[one.number, camera] = SourceFile(file.path, file.sha256)
    return files
