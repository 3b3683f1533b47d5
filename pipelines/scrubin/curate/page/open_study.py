"""A study that was read: its recordings, the times of its frames, what was shown of it; opened anew when its tables are written anew."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scrubin.base import params
from scrubin.base.errors import ReviewError, ScrubinError
from scrubin.base.layout import CUTS_PATH, INTERIM, VIDEOS_PATH
from scrubin.curate.page.folds import MOST_S, Likeness, Looks, first_frames
from scrubin.curate.page.planted import NAME, WIDEST_MARK_S, Plant, Plants, eligible
from scrubin.curate.page.stills import FileKey, Picture, Served, Stills
from scrubin.media.source import Source
from scrubin.stages.review import Line, attention
from scrubin.stages.review.attention import Look, Progress
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.events import Box
from scrubin.stages.review.outcome import ACCEPTED, UNREVIEWED, answer_of
from scrubin.stages.review.standing import Run, folded_seconds, lens_seen, stop_seen, unseen_seconds
from scrubin.stages.review.state import ReviewParams
from scrubin.stages.review.status import alone_seconds
from scrubin.stages.review.views import RecordingSummary, RecordingView
from scrubin.stages.screen.detector import ScreenParams
from scrubin.stages.screen.proposals import SAME_S, Numbers

# Pictures of people for the checks: of detectors that look for them.
PEOPLE_SOURCES = ("scene", "face", "onnx")
MOST_PEOPLE = 12


@dataclass(frozen=True)
class OpenStudy:
    """A study that was read, and what was shown of it.

    Parameters
    ----------
    edition
        Changes when a number may mean another file than before.
    generation
        How often the study was opened.
    plants
        Stills that are shown with something planted in them.
    likeness
        Which of its stills fold; None: of what is released none does.
    """

    desk: Desk
    stills: Stills
    served: Served
    edition: str
    generation: int
    plants: Plants = field(default_factory=lambda: Plants(0.0), kw_only=True)
    likeness: Likeness | None = field(default=None, kw_only=True)

    @property
    def head(self) -> str:
        """Changes with every line of the ledger, and with every run of the pipeline."""
        return f"{self.generation}-{self.desk.head}"

    def going_on(self, before: OpenStudy) -> OpenStudy:
        """Return this study with what was shown of it before it was opened anew."""
        if self.edition != before.edition:
            return self
        # The files are the same, so what the page shows of them was sent.
        return replace(self, served=before.served, plants=before.plants)

    def times_s(self, file: FileKey) -> Numbers:
        """Return the time of every frame of a file, then the end of the last; shape (n + 1,).

        Raises
        ------
        ReviewError
            When there is no such file.
        """
        self.desk.file(*file)
        return self.desk.boundaries_s(*file)

    def looks(self, number: int) -> Looks:
        """Return what folds in a recording, and in which order its seconds are unusual."""
        return Looks() if self.likeness is None else self.likeness.of(number)

    def recordings(self) -> list[RecordingSummary]:
        """Return all recordings, by name."""
        return self.desk.recordings()

    def recording(self, number: int) -> RecordingView:
        """Return one recording."""
        return self.desk.recording(number)

    def hidden(self, file: FileKey, time_s: float) -> list[Box | None]:
        """Return the rectangles that the release will blacken in the frame of a time; None: the whole frame."""
        return self.desk.hidden(*file, time_s)

    def mine(self, number: int) -> dict[str, Any]:
        """Return what the person at the page need not do again, also where a second person must.

        ``unseen``: seconds by camera that are still to be seen, by this person; ``folded``: seconds that they did not see because a
        still stood for them; ``stops``: stills by camera that they are still to
        look at by themselves, as frame and kind; ``seen``: proposals, each as ``camera:key``, of which they saw the lens; ``decided``:
        those about which they decided, and how: accepted, rejected or mixed.
        """
        view, standing = self.recording(number), self.desk.standing
        unseen: dict[str, list[Run]] = {}
        folded: dict[str, list[Run]] = {}
        stops: dict[str, list[tuple[int, str]]] = {}
        seen: list[str] = []
        decided: dict[str, str] = {}
        for file in view.files:
            key = view.summary.name, file.camera
            my_seen = standing.seen.get(key, {}).get(self.desk.by)
            proposals = [one for one in view.proposals if one.camera == file.camera]
            alone = alone_seconds((one.start_s, one.end_s) for one in proposals)
            unseen[file.camera] = in_both(unseen_seconds(file.interval_s, my_seen, file.duration_s, alone), file.unseen)
            folded[file.camera] = folded_seconds(file.interval_s, my_seen, file.duration_s, alone)
            open_stops = [one for one in file.stops if one.frame in file.unseen_stops]
            stops[file.camera] = [(one.frame, one.kind) for one in open_stops if not stop_seen(one.frame, one.kind, my_seen)]
            about = {one.proposal: answer_of(one) for by, one in standing.decided.get(key, {}).values() if by == self.desk.by}
            seen += [f"{one.camera}:{one.key}" for one in proposals if lens_seen(one.first, one.last, my_seen)]
            decided |= {f"{one.camera}:{one.key}": about[one.key] for one in proposals if one.key in about}
        return {"unseen": unseen, "folded": folded, "stops": stops, "seen": seen, "decided": decided}

    def progress(self) -> Progress:
        """Return how far the review is."""
        return self.desk.progress()

    def looked(
        self,
        number: int,
        view: str,
        stills: Mapping[str, Sequence[int]],
        look: Look,
        nonce: str,
        folding: Mapping[str, Sequence[int]] | None = None,
    ) -> Line | None:
        """Append that stills of one screen were looked at, by camera; return the last line.

        Parameters
        ----------
        folding
            Those of the stills that stood for others when they were looked at, by camera.

        Raises
        ------
        ReviewError
            When they were never sent in this size, or only now, were looked at too shortly, stand for none, or less time has passed than
            was claimed.
        """
        folded = self._folded(number, view, stills, folding or {})
        if (line := self.desk.written(f"{nonce}-{max(stills)}")) is not None:
            # The page asks again, because it had no answer. A check among the stills was settled then, and its still is true now.
            return line
        planted = {camera: self.plants.open_in((number, camera), frames) for camera, frames in stills.items()}
        true = {camera: sorted(set(frames) - {one.frame for one in planted[camera]}) for camera, frames in stills.items()}
        for camera, frames in true.items():
            if unseeable := self.served.unseeable((number, camera), view, frames):
                msg = f"frame {unseeable[0]} was never sent in this size, or only now, so nobody can have seen it; look at it again"
                raise ReviewError(msg)
        every = sum(len(frames) for frames in stills.values())
        if reason := attention.why_not(view, every, look):
            raise ReviewError(reason)
        self.served.clock.take(self.desk.newly_elsewhere_s())
        sent_s = [self.served.since_s((number, camera), view, frames) for camera, frames in true.items() if frames]
        self.served.clock.spend(look.looked_s, min(sent_s, default=0.0))
        for camera, plants in sorted(planted.items()):
            # At full size a person planted in the sheet is looked at closely: what comes of it is said on the sheet.
            for plant in plants:
                if view != "full" or plant.kind == NAME:
                    line = self._settle((number, camera), plant, noticed=False)
        cameras = sorted(camera for camera, frames in true.items() if frames)
        for camera in cameras:
            frames = true[camera]
            share = replace(look, looked_s=round(look.looked_s * len(frames) / every, 3), sheet=look.sheet and camera == cameras[0])
            line = self.note_seen((number, camera), view, frames, share, f"{nonce}-{camera}")
            stood = {frame: folded[camera, frame] for frame in frames if (camera, frame) in folded}
            if stood and self.likeness is not None:
                line = self.desk.folded(number, camera, stood, self.likeness.limit, f"{nonce}-{camera}-folded")
        return line

    def _folded(
        self, number: int, view: str, stills: Mapping[str, Sequence[int]], folding: Mapping[str, Sequence[int]]
    ) -> dict[tuple[str, int], list[Run]]:
        """Return the seconds for which stills stood, by camera and frame."""
        done: dict[tuple[str, int], list[Run]] = {}
        for camera, frames in folding.items():
            for frame in frames:
                fold = self.likeness.fold_of((number, camera), frame) if self.likeness is not None else None
                if fold is None or view != "sheet" or frame not in stills.get(camera, ()):
                    raise ReviewError(f"frame {frame} stands for no others")
                done[camera, frame] = fold.others
        return done

    def choose_plants(self, file: FileKey) -> None:
        """Choose which stills of a file are checks, once in a session."""
        if self.plants.knows(file):
            return
        number, camera = file
        view, mine = self.recording(number), self.mine(number)
        (of,) = [one for one in view.files if one.camera == camera]
        times_s = self.times_s(file)[:-1]
        hidden = [part[:2] for one in view.proposals if one.box_xywh is None for part in one.parts if one.camera == camera]
        hidden += [(one.start_s, one.end_s) for one in view.drawn if one.box_xywh is None and one.camera == camera]
        seconds = [second for first, last in mine["unseen"][camera] for second in range(first, last + 1)]
        # As the sheet shows it.
        shown = first_frames(times_s, max(seconds, default=-1) + 1)
        first_of = {second: int(shown[second]) for second in seconds if shown[second] >= 0}
        stops = [frame for frame, kind in mine["stops"][camera] if kind == "scene"]
        # A still for which another one stands is not shown: a check in it would say nothing.
        behind = {second for fold in self.looks(number).folds for second in range(fold.first, fold.last + 1) if second != fold.shown}
        second_of = {frame: second for second, frame in first_of.items()}
        stills = [frame for frame in eligible(first_of, hidden, of.interval_s) if frame not in stops and second_of[frame] not in behind]
        self.plants.choose(file, stills, stops, of.duration_s)

    def draw(self, number: int, camera: str, first: int, last: int, box: Box | None, nonce: str, hide: Callable[[], Line]) -> Line:
        """Note the checks at which a person points who draws a span or a rectangle, and hide what they drew.

        Only where they mark the one frame of a check there is nothing to hide: what they saw in it is not in the recording. All other
        frames are theirs to hide, whatever was planted among them.

        Parameters
        ----------
        hide
            Appends the decision; before anything is noted, because it may be refused.

        Raises
        ------
        ReviewError
            When the decision is refused.
        """
        if (line := self.desk.written(nonce)) is not None:
            return line
        plants = self._pointed_at(number, camera, first, last, box)
        file = number, camera
        if Plants.is_alone(plants, first, last):
            return [self._settle(file, plant, noticed=True, nonce=nonce) for plant in plants][-1]
        line = hide()
        for plant in plants:
            self._settle(file, plant, noticed=True)
        return line

    def _pointed_at(self, number: int, camera: str, first: int, last: int, box: Box | None) -> list[Plant]:
        if not self.plants.open_in((number, camera), range(first, last + 1)):
            return []
        file = self.desk.file(number, camera)
        times_s = self.times_s((number, camera))
        # Who drags over a still that stands for others, and the one beside it, points at all of them.
        widest_s = 2 * MOST_S + 1 if self.looks(number).folds else WIDEST_MARK_S
        if box is None and not (0 <= first <= last < len(times_s) - 1 and times_s[last + 1] - times_s[first] <= widest_s + SAME_S):
            return []
        return self.plants.pointed_at((number, camera), first, last, box, file.size_px)

    def marked(self, number: int, camera: str, frame: int, nonce: str) -> Line | None:
        """Note that a person says that something is in a still; None when it is no check."""
        if (line := self.desk.written(nonce)) is not None:
            return line
        plants = self.plants.open_in((number, camera), [frame])
        lines = [self._settle((number, camera), plant, noticed=True, nonce=nonce) for plant in plants]
        return lines[-1] if lines else None

    def _settle(self, file: FileKey, plant: Plant, *, noticed: bool, nonce: str = "") -> Line:
        outcome = self.plants.settle(file, plant, noticed=noticed)
        return self.desk.planted(*file, plant.frame, plant.kind, plant.size, outcome, nonce)

    def note_seen(self, file: FileKey, view: str, frames: Sequence[int], look: Look, nonce: str) -> Line | None:
        """Append that stills of one camera were looked at."""
        return self.desk.seen(*file, view, frames, look, nonce)


def in_both(some: Sequence[Run], others: Sequence[Run]) -> list[Run]:
    """Return the runs of whole numbers ``(first, last)`` that are in both.

    >>> in_both([(0, 4), (8, 9)], [(3, 8)])
    [(3, 4), (8, 8)]
    """
    shared = ((max(a, c), min(b, d)) for a, b in some for c, d in others)
    return [(first, last) for first, last in shared if first <= last]


def open_source(folder: Path, by: str | None, generation: int, now_s: Callable[[], float] = time.monotonic) -> OpenStudy:
    """Return the study of a project as its raw files show it; ``now_s`` is a clock that nobody sets.

    Raises
    ------
    ReviewError
        When there is nothing to review yet.
    """
    desk = Desk.open(folder, by)
    keys = [(one.number, camera) for one in desk.recordings() for camera in one.cameras if (one.name, camera) in desk.reviewed.files]
    files = {key: file.source for key, file in ((key, desk.file(*key)) for key in keys)}
    stills = Stills(folder / params.raw_folder(folder / params.PARAMS_PATH), files)
    path = folder / params.PARAMS_PATH
    of_review, of_screen = params.load("review", ReviewParams, path), params.load("screen", ScreenParams, path)
    plants = Plants(of_review.checks, _people(desk, stills, files) if of_review.checks else ())
    likeness = Likeness(desk, of_review.folds, of_screen.thumbnail_height, of_screen.black_level)
    return OpenStudy(desk, stills, Served(now_s), edition(desk, files), generation, plants=plants, likeness=likeness)


def _people(desk: Desk, stills: Stills, files: Mapping[FileKey, Source]) -> list[Picture]:
    """Return small pictures from outside the body, of spans that are proposed and that nobody rejected."""
    done: list[Picture] = []
    for number, camera in sorted(files):
        for one in desk.recording(number).proposals:
            if len(done) == MOST_PEOPLE:
                return done
            is_person = one.kind == "out_of_body" and one.source in PEOPLE_SOURCES and one.box_xywh is None
            if is_person and one.camera == camera and one.decision in (ACCEPTED, UNREVIEWED):
                picture = stills.small((number, camera), (one.first + one.last) // 2)
                done += [picture] if picture is not None else []
    return done


def edition(desk: Desk, files: Mapping[FileKey, Source]) -> str:
    """Return what stays as long as every number means the same recording and the same bytes."""
    names = [one.name for one in desk.recordings()]
    numbers = sorted((*key, file.sha256) for key, file in files.items())
    return hashlib.sha256(json.dumps([names, numbers]).encode()).hexdigest()[:16]


TABLES = tuple(INTERIM / f"{name}.parquet" for name in ("recordings", "proposals", "stops", "quarantine_ingest", "quarantine_screen"))
RELEASED_TABLES = (*TABLES, CUTS_PATH, VIDEOS_PATH)
RUNNING = "the pipeline is running and its tables are being rewritten; trying again"
Identity = tuple[tuple[int, ...], ...] | None


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
    others
        What else it reads, which need not be there: what the audit asks, who withdrew.

    Raises
    ------
    ReviewError
        When there is nothing to review yet.
    """

    def __init__(self, opener: Callable[[int], OpenStudy], tables: tuple[Path, ...], *others: Path) -> None:
        self._opener, self._tables, self._others = opener, tables, others
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
                self._study, self._identity = renewed.going_on(self._study), identity
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
            tables = [_identity(path) for path in self._tables]
        except OSError:
            return None
        return (*tables, *map(_identity_if_there, self._others))


def _identity(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _identity_if_there(path: Path) -> tuple[int, ...]:
    try:
        return _identity(path)
    except FileNotFoundError:
        return ()
