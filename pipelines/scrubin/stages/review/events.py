"""What a line of the ledger can say: one class per event, how it is written, how it is read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.base.errors import ReviewError
from scrubin.stages.review import Line

Box = tuple[int, int, int, int]
KINDS = ("out_of_body", "black", "frozen", "text", "other")
"""What a span or a rectangle shows; the values of the column ``kind`` of the table `redactions`."""
ACCEPT, REJECT, ADD = "accept", "reject", "add"
VIEWS = ("sheet", "lens", "full", "released")
SUBJECTS = ("quarantine", "warning", "near-duplicate")
CLEAN, FINDING = "clean", "finding"
NOTICED, MISSED = "noticed", "missed"
MEASURED = ("looked_s", "inputs", "height_px", "sheet")
"""What a line `seen` says of how it was looked at; those of earlier editions say nothing of it."""
UNDOABLE = ("undoable",)
"""What a line `withdrawn` says of why it was written; those of earlier editions say nothing of it."""
HIDES_NOTHING = ("seen", "folded", "planted", "sampled", "checked")
"""Events that change nothing of what is hidden."""
ASKED = "audit:"
"""Begins the key of a proposal that is a question of the audit, see `scrubin.stages.review.questions`."""


@dataclass(frozen=True)
class DecidedSpan:
    """Frames ``[first, last]`` of the source, the seconds for which they are on screen, and what was decided about them."""

    what: str
    first: int
    last: int
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Decided:
    """Spans or a rectangle of one video file, accepted, rejected or added.

    Parameters
    ----------
    sha256
        Of the video file: another file is another decision.
    spans
        Several when the ends of a span were changed: the new span, and what is left over.
    box_xywh
        In pixels of the picture as displayed; None: the whole frame.
    proposal
        Key of what was decided about; "" for what nobody had proposed.
    detectors
        Version of the detectors that proposed.
    """

    recording: str
    camera: str
    sha256: str
    kind: str
    spans: tuple[DecidedSpan, ...]
    box_xywh: Box | None
    why: str
    proposal: str
    detectors: str

    @property
    def lets_through(self) -> bool:
        """Whether it only tells the audit that something may be seen; of what is proposed it shows nothing."""
        return self.proposal.startswith(ASKED) and all(span.what == REJECT for span in self.spans)


@dataclass(frozen=True)
class Withdrawn:
    """An earlier line counts no longer; where that is a withdrawal itself, what it withdrew counts again, in its old place.

    Parameters
    ----------
    undoable
        Whether a person wanted it, so that they may want it back. What only undoes is not undone itself, nor are lines
        of earlier editions, which do not say which of both they are.
    """

    line: int
    why: str
    undoable: bool = False


@dataclass(frozen=True)
class Seen:
    """Stills of one video file that somebody looked at, and what was measured while they did.

    Lines of before it was measured have none of the last four fields: they say that stills were on
    a screen for 0.2 s, and count as nothing seen.

    Parameters
    ----------
    view
        sheet, lens, full (size), or released: stills of the released video, by the numbers of their source frames.
    stills
        Runs ``(first, step, count)`` of frame numbers.
    seconds
        Runs ``(first, last)`` of whole seconds during which one of the stills is on screen.
    looked_s, inputs, height_px, sheet
        See `scrubin.stages.review.attention.Look`.
    """

    recording: str
    camera: str
    sha256: str
    view: str
    stills: tuple[tuple[int, int, int], ...]
    seconds: tuple[tuple[int, int], ...]
    looked_s: float | None = None
    inputs: int | None = None
    height_px: int | None = None
    sheet: bool | None = None


@dataclass(frozen=True)
class Folded:
    """Seconds of one video file that nobody looked at: stills that are like every picture of them stood for them.

    Parameters
    ----------
    stills
        Runs ``(first, step, count)`` of the frames that stood for them; that these were looked at is a line of its own.
    seconds
        Runs ``(first, last)`` of the whole seconds for which they stood.
    limit
        How unlike the pictures may have been, the parameter ``review.folds`` of then.
    """

    recording: str
    camera: str
    sha256: str
    stills: tuple[tuple[int, int, int], ...]
    seconds: tuple[tuple[int, int], ...]
    limit: float


@dataclass(frozen=True)
class Planted:
    """A still was shown with something in it that is not in the recording, to know whether the person would notice.

    Parameters
    ----------
    kind
        person or name.
    size
        Height of what was planted, as a share of the picture's.
    outcome
        noticed or missed.
    """

    recording: str
    camera: str
    sha256: str
    frame: int
    kind: str
    size: float
    outcome: str


@dataclass(frozen=True)
class Excluded:
    """A recording is not to be released. ``sha256`` are those of its files, by camera."""

    recording: str
    sha256: Mapping[str, str]
    why: str


@dataclass(frozen=True)
class Acknowledged:
    """Somebody knows of a quarantined recording, a warning or a near-duplicate, until a date (UTC, None: for good)."""

    subject: str
    key: str
    why: str
    until: str | None


def names_acknowledged(subject: str, key: str) -> tuple[str, ...]:
    """Return what an acknowledgement is about: the two released ids of a near-duplicate, else its key as it is.

    The name of a recording may hold a comma.

    >>> names_acknowledged("near-duplicate", "blorkfamp,glimst"), names_acknowledged("quarantine", "peg, 2")
    (('blorkfamp', 'glimst'), ('peg, 2',))
    """
    return tuple(key.split(",")) if subject == "near-duplicate" else (key,)


def has_ended(until: str | None, today: str) -> bool:
    """Whether an acknowledgement counts no longer: its last day is over.

    >>> has_ended("2026-11-01", "2026-11-01"), has_ended("2026-11-01", "2026-11-02"), has_ended(None, "2026-11-02")
    (False, True, False)
    """
    return until is not None and until < today


def warnings_of(outcomes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rules of a validation that warned, each with the ``key`` by which it is acknowledged."""
    failed = [one for one in outcomes if one["result"] == "failed" and one["severity"] == "warning"]
    return [{"key": f"{one['table']}.{one['rule']}", "says": one["says"], "count": one["count"]} for one in failed]


@dataclass(frozen=True)
class Sheet:
    """A ``redactions.csv`` that was imported or exported: its hash, and how many rows of it were new."""

    sha256: str
    rows: int


@dataclass(frozen=True, order=True)
class Clip:
    """Seconds ``[start_s, end_s)`` of a released recording, all its cameras; ``id`` is its released id."""

    id: str
    recording: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Sampled:
    """Clips of the released videos that were drawn for somebody to look at.

    Parameters
    ----------
    videos
        Which videos: see `scrubin.stages.review.sample.videos_sha256`.
    seed, population
        From what the draw follows, and of how many clips it is.
    clips
        In the order in which they were drawn.
    """

    videos: str
    seed: int
    population: int
    clips: tuple[Clip, ...]


@dataclass(frozen=True)
class Checked:
    """Somebody looked at a clip of the released videos: clean, or a finding and what it shows."""

    videos: str
    clip: Clip
    outcome: str
    why: str


@dataclass(frozen=True)
class Forgotten:
    """Lines about recordings that were withdrawn are gone: a new chain begins here.

    Parameters
    ----------
    lines
        How many were taken out.
    changed
        From how many others a name was taken.
    of, head
        How many lines there had been, and the hash of the last one.
    sessions
        How many were taken out of each session.
    """

    lines: int
    changed: int
    of: int
    head: str
    sessions: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Renamed:
    """A recording got another name: a new chain begins here, in which all lines about it say so.

    Parameters
    ----------
    changed
        How many lines those are.
    of, head
        How many lines there had been, and the hash of the last one.
    """

    changed: int
    of: int
    head: str


ADDED_LATER = {"seen": MEASURED, "withdrawn": UNDOABLE, "forgotten": ("sessions",)}
"""By event, what lines of earlier editions have not."""
PERSON = "nobody (synthetic study)"
"""Who decides in the synthetic study: nobody is in it, so a program stands in for people."""
NOBODYS = ("forgotten", "renamed")
"""Events at the head of a chain that was written anew: no person's."""
Event = Decided | Withdrawn | Seen | Folded | Planted | Excluded | Acknowledged | Sheet | Sampled | Checked | Forgotten | Renamed
EVENTS: dict[str, type[Any]] = {
    "decided": Decided,
    "withdrawn": Withdrawn,
    "seen": Seen,
    "folded": Folded,
    "planted": Planted,
    "excluded": Excluded,
    "acknowledged": Acknowledged,
    "imported": Sheet,
    "exported": Sheet,
    "sampled": Sampled,
    "checked": Checked,
    "forgotten": Forgotten,
    "renamed": Renamed,
}


def facts(event: Event) -> dict[str, Any]:
    """Return an event as plain JSON values."""
    return dataclasses.asdict(event)


def event_of(line: Line) -> Event:
    """Return what a line says.

    Raises
    ------
    ReviewError
        When another edition of the program wrote it and this one does not know it.
    """
    declared = EVENTS.get(line.event)
    names = {field.name for field in dataclasses.fields(declared)} if declared else set()
    said, later = set(line.facts), set(ADDED_LATER.get(line.event, ()))
    said |= later if not later & said else set()
    if declared is None or names != said:
        msg = f"decisions.jsonl, line {line.number}: this edition knows no such event '{line.event}'; use the edition that wrote it"
        raise ReviewError(msg)
    values = dict(line.facts)
    if declared is Decided:
        values["spans"] = tuple(DecidedSpan(**span) for span in values["spans"])
        values["box_xywh"] = tuple(values["box_xywh"]) if values["box_xywh"] is not None else None
    if declared in (Seen, Folded):
        values |= {name: tuple(map(tuple, values[name])) for name in ("stills", "seconds")}
    if declared is Sampled:
        values["clips"] = tuple(Clip(**clip) for clip in values["clips"])
    if declared is Checked:
        values["clip"] = Clip(**values["clip"])
    event: Event = declared(**values)
    return event


def withdrawn_lines(lines: Iterable[Line]) -> set[int]:
    """Return the numbers of the lines that count no longer; who withdraws a withdrawal lets count again what it withdrew."""
    gone: dict[int, int] = {}
    withdraws: dict[int, int] = {}
    for line in lines:
        if line.event != "withdrawn":
            continue
        target = line.facts["line"]
        if target not in withdraws:
            gone.setdefault(target, line.number)
        elif gone.get(withdraws[target]) == target:
            del gone[withdraws[target]]
        withdraws[line.number] = target
    return set(gone)


def runs(numbers: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    """Return increasing numbers as runs ``(first, step, count)``.

    >>> runs([0, 25, 50, 51])
    ((0, 25, 3), (51, 1, 1))
    """
    done: list[tuple[int, int, int]] = []
    for number in numbers:
        if done:
            first, step, count = done[-1]
            gap = number - (first + step * (count - 1))
            if count == 1 or gap == step:
                done[-1] = (first, gap, count + 1)
                continue
        done.append((number, 1, 1))
    return tuple(done)


CLIP_S = 5
