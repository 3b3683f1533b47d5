"""What stands after all lines of the ledger: decisions, exclusions, acknowledgements, what was seen by whom, what is unseen.

Every second of the kept interval needs a still, every *stop* its own look at full size, and every
proposal its *lens*: both of its ends frame by frame, five frames to either side. Where stills may stand
for others (``review.folds``), seconds that were *folded* need none, and are never among those that were seen.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scrubin.stages.review import Line, attention
from scrubin.stages.review.events import REJECT, Acknowledged, Decided, Event, Excluded, Folded, Planted, Seen, Sheet, Withdrawn, event_of
from scrubin.stages.review.outcome import rejects

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
    folded
        Whole seconds for which a still stood that this person looked at, shape (s,).
    stills
        In any view, shape (n,).
    """

    seconds: Flags
    frames: Flags
    full: Flags
    folded: Flags
    stills: Flags

    @classmethod
    def nothing(cls, file: KnownFile) -> SeenBy:
        """Return what somebody saw who has not begun."""
        seconds, frames = math.ceil(file.duration_s), file.frame_count
        return cls(*(np.zeros(count, dtype=np.bool_) for count in (seconds, frames, frames, seconds, frames)))

    def mark_folded(self, event: Folded) -> None:
        """Note seconds for which stills stood, where this person looked at all of these stills by what counts today."""
        if not all(self.stills[one].all() for one in slices(event.stills)):
            return
        for first, last in event.seconds:
            self.folded[first : last + 1] = True


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
        By recording, the exclusions that stand; a later one takes the place of those before it that are about the same files.
    withdrawn
        By line that counts no longer, the line that withdrew it.
    restored
        By line that counts again, as it was taken back or overruled, the line that brought it back last.
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
        Of each ``redactions.csv`` that was imported or exported, by its hash: the decisions that stood by file when it last was.
    folds
        Parameter ``review.folds``: what was folded less strictly counts nothing.
    """

    files: Mapping[FileKey, KnownFile]
    lines: dict[int, tuple[Line, Event]] = field(default_factory=dict)
    decided: dict[FileKey, dict[int, tuple[str, Decided]]] = field(default_factory=dict)
    excluded: dict[str, dict[int, tuple[Line, Excluded]]] = field(default_factory=dict)
    withdrawn: dict[int, int] = field(default_factory=dict)
    restored: dict[int, int] = field(default_factory=dict)
    acknowledged: dict[tuple[str, str], tuple[Line, Acknowledged]] = field(default_factory=dict)
    seen: dict[FileKey, dict[str, SeenBy]] = field(default_factory=dict)
    lost: dict[FileKey, int] = field(default_factory=dict)
    unlooked: dict[FileKey, int] = field(default_factory=dict)
    looks: list[tuple[Line, Seen]] = field(default_factory=list)
    planted: list[tuple[Line, Planted]] = field(default_factory=list)
    sheets: dict[str, dict[FileKey, list[tuple[str, Decided]]]] = field(default_factory=dict)
    folds: float = 0.0

    def apply(self, lines: Iterable[Line]) -> None:
        """Take further lines into account, in their order."""
        for line in lines:
            event = event_of(line)
            if not isinstance(event, Seen | Folded | Planted):
                self.lines[line.number] = line, event
            if isinstance(event, Decided | Seen | Folded | Planted):
                self._about_file(line, event)
            elif isinstance(event, Withdrawn):
                self._withdraw(event.line, line.number)
            elif isinstance(event, Excluded):
                # Of each state of its files: whoever puts back what was excluded must not release it.
                others = self.excluded.get(event.recording, {}).items()
                kept = {number: entry for number, entry in others if entry[1].sha256 != event.sha256}
                self.excluded[event.recording] = {**kept, line.number: (line, event)}
            elif isinstance(event, Acknowledged):
                self.acknowledged[event.subject, event.key] = line, event
            elif isinstance(event, Sheet):
                self.sheets[event.sha256] = {key: list(decided.values()) for key, decided in self.decided.items()}

    def stands(self, number: int) -> bool:
        """Whether the decision, exclusion, acknowledgement or withdrawal of a line still counts."""
        entry = self.lines.get(number)
        if entry is None:
            return False
        line, event = entry
        if isinstance(event, Decided):
            return number in self.decided.get((event.recording, event.camera), {})
        if isinstance(event, Excluded):
            return number in self.excluded.get(event.recording, {})
        if isinstance(event, Acknowledged):
            return (event.subject, event.key) in self.acknowledged and self.acknowledged[event.subject, event.key][0] == line
        return isinstance(event, Withdrawn) and self.withdrawn.get(event.line) == number

    def about(self, number: int) -> Event:
        """Return what a line decides, or, where it withdraws, what that was about in the end."""
        _, event = self.lines[number]
        # Only what stands before a line can be withdrawn by it.
        while isinstance(event, Withdrawn) and event.line < number and event.line in self.lines:
            number = event.line
            _, event = self.lines[number]
        return event

    def excludes(self, recording: str) -> tuple[Line, Excluded] | None:
        """Return the exclusion of a recording, if there is one and its files are those that were excluded."""
        now = {camera: file.sha256 for (name, camera), file in self.files.items() if name == recording}
        entries = sorted(self.excluded.get(recording, {}).items(), reverse=True)
        about = (entry for _, entry in entries if all(entry[1].sha256.get(camera) == sha256 for camera, sha256 in now.items()))
        return next(about, None)

    def _about_file(self, line: Line, event: Decided | Seen | Folded | Planted) -> None:
        key = event.recording, event.camera
        file = self.files.get(key)
        if file is None or file.sha256 != event.sha256:
            self.lost[key] = self.lost.get(key, 0) + 1
        elif isinstance(event, Decided):
            self.decided.setdefault(key, {})[line.number] = line.by, event
        elif isinstance(event, Planted):
            self.planted.append((line, event))
        elif isinstance(event, Folded):
            if event.limit <= self.folds:
                self._of_person(key, line.by).mark_folded(event)
        elif event.view != "released" and not attention.counts(event):
            self.unlooked[key] = self.unlooked.get(key, 0) + 1
        elif event.view != "released" and self._see(self._of_person(key, line.by), event):
            # What is black in the release was not seen.
            self.looks.append((line, event))

    def _of_person(self, key: FileKey, person: str) -> SeenBy:
        by_person = self.seen.setdefault(key, {})
        if person not in by_person:
            by_person[person] = SeenBy.nothing(self.files[key])
        return by_person[person]

    def _see(self, mine: SeenBy, event: Seen) -> bool:
        """Note what a person saw, and return whether any of it is new."""
        shown = [(mine.seconds, slice(first, last + 1)) for first, last in event.seconds]
        stills = slices(event.stills)
        for one in stills:
            mine.stills[one] = True
        close = [(mine.frames, one) for one in stills] if event.view in CLOSE_VIEWS else []
        full = [(mine.full, one) for one in stills] if event.view == FULL_VIEW else []
        is_new = False
        for flags, places in (*shown, *close, *full):
            is_new |= not bool(flags[places].all())
            flags[places] = True
        return is_new

    def _withdraw(self, number: int, by_line: int) -> None:
        if not self.stands(number):
            return
        _, event = self.lines[number]
        if isinstance(event, Withdrawn):
            del self.withdrawn[event.line]
            self.restored[event.line] = by_line
            self._restore(event.line)
            return
        self.withdrawn[number] = by_line
        if isinstance(event, Decided):
            del self.decided[event.recording, event.camera][number]
            self._age_again(number, event, by_line)
        elif isinstance(event, Excluded):
            del self.excluded[event.recording][number]
        elif isinstance(event, Acknowledged):
            del self.acknowledged[event.subject, event.key]

    def _age_again(self, number: int, taken_back: Decided, by_line: int) -> None:
        """Let what a decision had overruled be as young as the line that takes that decision back."""
        rejected = [span for span in taken_back.spans if span.what == REJECT]
        for earlier, (_, said) in self.decided[taken_back.recording, taken_back.camera].items():
            if earlier < number and said.kind == taken_back.kind and rejects(taken_back, said.box_xywh):
                hidden = [span for span in said.spans if span.what != REJECT]
                if any(one.start_s < gone.end_s and gone.start_s < one.end_s for one in hidden for gone in rejected):
                    self.restored[earlier] = by_line

    def _restore(self, number: int) -> None:
        """Let a line count again, before those that were written later: the latest decision counts."""
        line, event = self.lines[number]
        if isinstance(event, Decided):
            others = self.decided[event.recording, event.camera]
            self.decided[event.recording, event.camera] = dict(sorted({**others, number: (line.by, event)}.items()))
        elif isinstance(event, Excluded):
            self.excluded[event.recording][number] = line, event
        elif isinstance(event, Acknowledged):
            self.acknowledged.setdefault((event.subject, event.key), (line, event))


AROUND_FRAMES = 5
Run = tuple[int, int]


def slices(stills: Iterable[tuple[int, int, int]]) -> list[slice]:
    """Return the frames that runs ``(first, step, count)`` of the ledger name."""
    return [slice(first, first + step * (count - 1) + 1, step) for first, step, count in stills]


def seconds_of(frames: Sequence[int], boundaries_s: npt.NDArray[np.float64]) -> list[Run]:
    """Return the whole seconds during which one of the frames is on screen, as runs ``(first, last)``.

    Parameters
    ----------
    frames
        Frame numbers, increasing.
    boundaries_s
        Presentation time of every frame, then the end of the last; shape (n + 1,).

    >>> seconds_of([0, 2], np.array([0, 0.5, 1.5, 3.0]))
    [(0, 2)]
    """
    seconds = np.zeros(math.ceil(boundaries_s[-1]) + 1, dtype=np.bool_)
    for frame in frames:
        seconds[int(boundaries_s[frame]) : max(math.ceil(boundaries_s[frame + 1]), int(boundaries_s[frame]) + 1)] = True
    return true_runs(seconds[: math.ceil(boundaries_s[-1])])


def true_runs(flags: Flags) -> list[Run]:
    """Return the runs of true flags as ``(first, last)``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]


def unseen_seconds(interval_s: tuple[float, float], seen: SeenBy | None, duration_s: float, alone: Collection[int] = ()) -> list[Run]:
    """Return the seconds of the kept interval of which no still was seen, and for which none stood, as runs.

    Parameters
    ----------
    alone
        Seconds for which no other still can stand.
    """
    required = _required(interval_s, duration_s)
    return true_runs(required & ~seen.seconds & ~_folded(seen, alone)) if seen is not None else true_runs(required)


def folded_seconds(interval_s: tuple[float, float], seen: SeenBy | None, duration_s: float, alone: Collection[int]) -> list[Run]:
    """Return the seconds of the kept interval of which no still was seen, but for which one stood, as runs."""
    return true_runs(_required(interval_s, duration_s) & ~seen.seconds & _folded(seen, alone)) if seen is not None else []


def _folded(seen: SeenBy, alone: Collection[int]) -> Flags:
    folded = seen.folded.copy()
    folded[[second for second in alone if 0 <= second < len(folded)]] = False
    return folded


def _required(interval_s: tuple[float, float], duration_s: float) -> Flags:
    required = np.zeros(math.ceil(duration_s), dtype=np.bool_)
    required[int(interval_s[0]) : math.ceil(interval_s[1])] = True
    return required


def lens_frames(first: int, last: int, frame_count: int) -> list[Run]:
    """Return the frames that the lens of a span ``[first, last]`` must show: around its beginning, and around its end.

    >>> lens_frames(3, 100, 104)
    [(0, 8), (95, 103)]
    """
    ends = [(max(edge - AROUND_FRAMES, 0), min(edge + AROUND_FRAMES, frame_count - 1)) for edge in (first, last)]
    return [(ends[0][0], ends[1][1])] if ends[1][0] <= ends[0][1] + 1 else ends


def lens_seen(first: int, last: int, seen: SeenBy | None) -> bool:
    """Whether somebody saw the lens of a span."""
    if seen is None:
        return False
    return all(bool(seen.frames[a : b + 1].all()) for a, b in lens_frames(first, last, len(seen.frames)))


def stop_seen(frame: int, kind: str, seen: SeenBy | None) -> bool:
    """Whether somebody looked at a stop: for a scene at full size, where small names can be read, for a jump in the lens at least."""
    return seen is not None and bool((seen.full if kind == "scene" else seen.frames)[frame])
