"""The study as its tables are now: opened anew when the pipeline has written them anew."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from scrubin.core.errors import ReviewError, ScrubinError
from scrubin.review_page.open_study import OpenStudy

INTERIM = Path("data/interim")
TABLES = tuple(INTERIM / f"{name}.parquet" for name in ("recordings", "proposals", "stops", "quarantine_ingest", "quarantine_screen"))
RELEASED_TABLES = (*TABLES, INTERIM / "cuts.parquet", Path("data/tables/videos.parquet"))
RUNNING = "the pipeline is running and its tables are being rewritten; trying again"
Identity = tuple[tuple[int, int, int], ...] | None


class RewrittenError(Exception):
    """The tables cannot be read at the moment; the sentence says why."""


class StudyNow:
    """Opens the study, and opens it again when its tables have changed.

    Parameters
    ----------
    opener
        Reads the study; it takes how often that was done before.
    tables
        What it reads; without one of them nothing can be reviewed.
    questions
        What the audit asks, which need not be there.

    Raises
    ------
    ReviewError
        When there is nothing to review yet.
    """

    def __init__(self, opener: Callable[[int], OpenStudy], tables: tuple[Path, ...], questions: Path | None = None) -> None:
        self._opener, self._tables, self._questions = opener, tables, questions
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
                if renewed.edition == self._study.edition:
                    # The files are the same, so what the page shows of them was sent.
                    renewed = replace(renewed, served=self._study.served, plants=self._study.plants)
                self._study, self._identity = renewed, identity
            return self._study

    def close(self) -> None:
        """Close all files."""
        self._study.stills.close()

    def _opened(self, generation: int) -> OpenStudy:
        study = self._opener(generation)
        study.stills.prepare_in_background()
        return study

    def _seen_now(self) -> Identity:
        """Return what tells the tables from other ones; None while one is missing."""
        try:
            statuses = [path.stat() for path in self._tables]
        except OSError:
            return None
        if self._questions is not None:
            with suppress(FileNotFoundError):
                statuses.append(self._questions.stat())
        return tuple((status.st_ino, status.st_size, status.st_mtime_ns) for status in statuses)
