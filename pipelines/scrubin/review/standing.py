"""What stands after all lines of the ledger: decisions, exclusions, acknowledgements, and what was seen by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scrubin.review import attention
from scrubin.review.events import Acknowledged, Decided, Event, Excluded, Planted, Seen, Sheet, Withdrawn, event_of
from scrubin.review.ledger import Line

Flags = npt.NDArray[np.bool_]
FileKey = tuple[str, str]
"""Recording and camera."""
CLOSE_VIEWS = ("lens", "full")
FULL_VIEW = "full"


@dataclass(frozen=True)
class KnownFile:
    """A video file of the study, as far as coverage needs to know it."""

    sha256: str
    frame_count: int
    duration_s: float


@dataclass
class SeenBy:
    """What one person looked at of one file.

    Parameters
    ----------
    seconds
        Whole seconds, shape (s,).
    frames
        In the lens or at full size, shape (n,).
    full
        At full size, shape (n,).
    """

    seconds: Flags
    frames: Flags
    full: Flags


@dataclass(frozen=True)
class Standing:
    """The state of a study after all lines that were applied.

    Parameters
    ----------
    files
        Of the study as it is now.
    decided
        By file, the decisions that stand, in order, with the line and the person of each.
    excluded
        By recording.
    seen
        By file and person.
    lost
        By file, how many lines are about another file of that name: they count no longer.
    unlooked
        By file, how many lines say that something was on a screen, but not that anybody looked at it: they count nothing.
    looks
        Lines by which a person saw what they had not seen before, in order.
    planted
        Checks that were shown, in order.
    sheets
        Hashes of the ``redactions.csv`` that were imported or exported.
    """

    files: Mapping[FileKey, KnownFile]
    lines: dict[int, tuple[Line, Event]] = field(default_factory=dict)
    decided: dict[FileKey, dict[int, tuple[str, Decided]]] = field(default_factory=dict)
    excluded: dict[str, tuple[Line, Excluded]] = field(default_factory=dict)
    acknowledged: dict[tuple[str, str], tuple[Line, Acknowledged]] = field(default_factory=dict)
    seen: dict[FileKey, dict[str, SeenBy]] = field(default_factory=dict)
    lost: dict[FileKey, int] = field(default_factory=dict)
    unlooked: dict[FileKey, int] = field(default_factory=dict)
    looks: list[tuple[Line, Seen]] = field(default_factory=list)
    planted: list[tuple[Line, Planted]] = field(default_factory=list)
    sheets: set[str] = field(default_factory=set)

    def apply(self, lines: Iterable[Line]) -> None:
        """Take further lines into account, in their order."""
        for line in lines:
            event = event_of(line)
            if not isinstance(event, Seen | Planted):
                self.lines[line.number] = line, event
            if isinstance(event, Decided | Seen | Planted):
                self._about_file(line, event)
            elif isinstance(event, Withdrawn):
                self._withdraw(event.line)
            elif isinstance(event, Excluded):
                self.excluded[event.recording] = line, event
            elif isinstance(event, Acknowledged):
                self.acknowledged[event.subject, event.key] = line, event
            elif isinstance(event, Sheet):
                self.sheets.add(event.sha256)

    def stands(self, number: int) -> bool:
        """Whether the decision, exclusion or acknowledgement of a line still counts."""
        entry = self.lines.get(number)
        if entry is None:
            return False
        line, event = entry
        if isinstance(event, Decided):
            return number in self.decided.get((event.recording, event.camera), {})
        if isinstance(event, Excluded):
            return event.recording in self.excluded and self.excluded[event.recording][0] == line
        if isinstance(event, Acknowledged):
            return (event.subject, event.key) in self.acknowledged and self.acknowledged[event.subject, event.key][0] == line
        return False

    def excludes(self, recording: str) -> tuple[Line, Excluded] | None:
        """Return the exclusion of a recording, if there is one and its files are those that were excluded."""
        entry = self.excluded.get(recording)
        if entry is None:
            return None
        now = {camera: file.sha256 for (name, camera), file in self.files.items() if name == recording}
        return entry if all(entry[1].sha256.get(camera) == sha256 for camera, sha256 in now.items()) else None

    def _about_file(self, line: Line, event: Decided | Seen | Planted) -> None:
        key = event.recording, event.camera
        file = self.files.get(key)
        if file is None or file.sha256 != event.sha256:
            self.lost[key] = self.lost.get(key, 0) + 1
        elif isinstance(event, Decided):
            self.decided.setdefault(key, {})[line.number] = line.by, event
        elif isinstance(event, Planted):
            self.planted.append((line, event))
        elif event.view != "released" and not attention.counts(event):
            self.unlooked[key] = self.unlooked.get(key, 0) + 1
        elif event.view != "released" and self._see(file, self.seen.setdefault(key, {}), line.by, event):
            # What is black in the release was not seen.
            self.looks.append((line, event))

    def _see(self, file: KnownFile, by_person: dict[str, SeenBy], person: str, event: Seen) -> bool:
        """Note what a person saw, and return whether any of it is new."""
        if person not in by_person:
            seconds = np.zeros(int(np.ceil(file.duration_s)), dtype=np.bool_)
            by_person[person] = SeenBy(seconds, *(np.zeros(file.frame_count, dtype=np.bool_) for _ in range(2)))
        mine = by_person[person]
        shown = [(mine.seconds, slice(first, last + 1)) for first, last in event.seconds]
        stills = [slice(first, first + step * (count - 1) + 1, step) for first, step, count in event.stills]
        close = [(mine.frames, one) for one in stills] if event.view in CLOSE_VIEWS else []
        full = [(mine.full, one) for one in stills] if event.view == FULL_VIEW else []
        is_new = False
        for flags, places in (*shown, *close, *full):
            is_new |= not bool(flags[places].all())
            flags[places] = True
        return is_new

    def _withdraw(self, number: int) -> None:
        line, event = self.lines.get(number, (None, None))
        if line is None or not self.stands(number):
            return
        if isinstance(event, Decided):
            del self.decided[event.recording, event.camera][number]
        elif isinstance(event, Excluded):
            del self.excluded[event.recording]
        elif isinstance(event, Acknowledged):
            del self.acknowledged[event.subject, event.key]
