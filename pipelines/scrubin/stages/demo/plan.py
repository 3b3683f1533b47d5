"""What the synthetic study is, before a single pixel is drawn: invented people, places, recordings.

Names are long and rare, so that finding one in a release is no accident.
"""

from __future__ import annotations

import csv
import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path

from scrubin.base.params import ranged


@dataclass(frozen=True)
class DemoParams:
    """How large the synthetic study is.

    Parameters
    ----------
    seed
        Of everything that is drawn at random.
    participants
        Of the training course, each recorded in three trials of two tasks.
    experts
        Recorded once per task.
    """

    seed: int = ranged(low=0)
    participants: int = ranged(low=2, high=30)
    experts: int = ranged(low=1, high=8)


NAMES_TABLE = Path(__file__).with_name("names.csv")
SITES = ("UniKlinikum Nordstadt", "St. Willehadus", "Skills-Lab Westhäfen")
DISTINCT_SITE_WORDS = ("UniKlinikum", "Nordstadt", "Willehadus", "Westhäfen")
COURSE_START = datetime.date(2023, 3, 6)


@dataclass(frozen=True)
class Person:
    """A name as a study writes it."""

    surname: str
    first_name: str

    @property
    def key(self) -> str:
        """Return the name as the manifest has it."""
        return f"{self.surname}_{self.first_name}"

    @property
    def short(self) -> str:
        """Return the name as a recorder burns it in."""
        return f"{self.surname} {self.first_name[0]}."


@cache
def people(role: str) -> tuple[Person, ...]:
    """Return everybody with the role participant, expert or patient, in a fixed order."""
    with NAMES_TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(Person(row["surname"], row["first_name"]) for row in csv.DictReader(file) if row["role"] == role)


def spellings(day: datetime.date) -> tuple[str, ...]:
    """Return a day as it may be written: 2023-03-06, 20230306, 06.03.2023.

    >>> spellings(datetime.date(2023, 3, 6))
    ('2023-03-06', '20230306', '06.03.2023')
    """
    return day.isoformat(), day.strftime("%Y%m%d"), day.strftime("%d.%m.%Y")


JITTER_TICKS = 601
DROPPED_TICKS = 117_000
TICKS_PER_S = 90_000
MS = 1000


@dataclass(frozen=True)
class Span:
    """A stretch of a recording that is planted on purpose.

    Parameters
    ----------
    kind
        out_of_body or black (to be hidden); drape (bright, but inside: not to be hidden);
        blur, smoke or dark (only worse to see).
    start_ms, end_ms
        In source time; the frames at start <= time < end belong to it.
    decision
        What the curator wrote about it in ``redactions.csv``: add, accept, reject or nothing.
    """

    kind: str
    start_ms: int
    end_ms: int
    decision: str = ""


@dataclass(frozen=True)
class Text:
    """Burned-in text with a running clock.

    Parameters
    ----------
    caption
        Name and date.
    clock_s
        Time of day at the first frame, in seconds.
    x, y
        Top left corner in px, even.
    cameras
        That show it.
    start_ms, end_ms
        When it is there; None: from the start, to the end.
    """

    caption: str
    clock_s: int
    x: int
    y: int
    cameras: tuple[str, ...]
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True)
class Recording:
    """One recording with one video file per camera.

    Parameters
    ----------
    key
        Seeds its random numbers; no other recording has it.
    paths
        Camera to file, relative to the raw folder.
    frame_count
        Of each file; ``loops`` times the frames that are drawn.
    start_ms, end_ms
        What the manifest says; None: nothing.
    skill
        0 to 1000, hidden behind the ratings, the speed and the steadiness.
    throws, drops
        How many throws of the knot are done; whether an object falls.
    labels
        Format of its annotations: cholect50, cholec80, coco or nothing.
    criteria
        Whether three annotators judged the critical view of safety.
    damage
        Camera to what happens to its file: missing, cut, no_moov, empty or text.
    """

    name: str
    participant: str
    trial: int | None
    site: str
    task: str
    date: datetime.date
    key: tuple[int, ...]
    width: int
    height: int
    fps: Fraction
    frame_count: int
    container: str
    paths: Mapping[str, str]
    start_ms: int | None = None
    end_ms: int | None = None
    exclude: str = ""
    rated: bool = False
    skill: int = 500
    throws: int = 3
    drops: bool = False
    loops: int = 1
    variable_rate: bool = False
    labels: str = ""
    criteria: bool = False
    phases: tuple[int, ...] = ()
    spans: tuple[Span, ...] = ()
    texts: tuple[Text, ...] = ()
    audio: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    chapters: tuple[str, ...] = ()
    damage: Mapping[str, str] = field(default_factory=dict)

    @property
    def drawn_count(self) -> int:
        """Number of frames that are drawn; the file repeats them ``loops`` times."""
        return self.frame_count // self.loops

    @property
    def dropped_from(self) -> int:
        """First frame after the stretch that a variable rate leaves out."""
        return self.frame_count * 3 // 5

    def time_of(self, frame: int) -> Fraction:
        """Return the time of a frame in the file, in seconds from the first; Matroska counts in ms."""
        if self.variable_rate:
            late = DROPPED_TICKS if frame >= self.dropped_from else 0
            return Fraction(frame * int(TICKS_PER_S / self.fps) + frame * frame * 79 % JITTER_TICKS + late, TICKS_PER_S)
        time = frame / self.fps
        if self.container == "mkv":
            return Fraction((time * MS * 2 + 1) // 2, MS)
        return time

    def first_frame_at(self, time: Fraction) -> int:
        """Return the first frame at or after this time (the frame contract of the design)."""
        guess = min(max(int((time - 2) * self.fps), 0), self.frame_count)
        while guess > 0 and self.time_of(guess) >= time:
            guess -= 1
        while guess < self.frame_count and self.time_of(guess) < time:
            guess += 1
        return guess

    def frame_of_each_second(self) -> list[int]:
        """Return the first frame at or after each whole second of the file."""
        return [self.first_frame_at(Fraction(second)) for second in range(int(self.time_of(self.frame_count - 1)) + 1)]

    @property
    def duration(self) -> Fraction:
        """From the first frame to the end of the last, in seconds."""
        return self.time_of(self.frame_count - 1) + 1 / self.fps

    def frames_of(self, span: Span) -> range:
        """Return the numbers of the frames of a span."""
        return range(self.first_frame_at(Fraction(span.start_ms, MS)), self.first_frame_at(Fraction(span.end_ms, MS)))
