"""What is planted where: decided from a seed, before a single pixel is drawn."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np

from scrubin.base.pixels import Box
from scrubin.stages.demo.canvas import generator
from scrubin.stages.demo.plan import SITES, Person, people

PAL, NTSC, FILM = Fraction(25), Fraction(30000, 1001), Fraction(24)
RATES = (PAL, PAL, NTSC, PAL, FILM, PAL)
CONTAINERS = ("mp4", "mp4", "mkv", "mov", "mkv", "mp4")
GOPS = (250, 250, 120, 250, 50, 25)
# Lengths of out-of-body spans: whole numbers are frames, fractions are seconds. Each operation takes the next four.
LENGTHS: tuple[int | Fraction, ...] = (
    *(1, Fraction(1), 5, Fraction(3)),
    *(2, 12, Fraction(20), 3),
    *(Fraction(2), 8, Fraction(5), 1),
    *(Fraction(1, 2), Fraction(10), 6, Fraction(3, 2)),
    *(4, Fraction(2), 1, Fraction(3)),
    *(2, Fraction(1), 16, Fraction(5)),
)
SPANS_EACH = 4
MOST_OUTSIDE = Fraction(11, 20)
"""No more of a recording is outside the body; the longest span is shortened."""
HEIGHTS_PX = (10, 20, 14, 32)
LOOKS = ("boxed", "plain", "faint")
MOTIONS = ("still", "clock", "moving")
TEXT_S = (Fraction(1, 2), Fraction(10), Fraction(2), None, Fraction(1), Fraction(5))
TEXTS_EACH = 4
REFLECTION_S = (Fraction(1), Fraction(3))
FIRST_DAY = datetime.date(2023, 9, 4)
SECOND_OF_DAY = 36_000


@dataclass(frozen=True)
class Span:
    """Frames [first, end) outside the body. ``place`` says how they lie among key frames; ``cut``: the operation goes on elsewhere."""

    first: int
    end: int
    place: str
    cut: bool
    cameras: str


@dataclass(frozen=True)
class Text:
    """A burned-in text. ``{clock}`` is the time of day; ``height_px`` is that of a capital; ``x_share`` is where it stands, 0 to 1."""

    ranges: tuple[tuple[int, int], ...]
    says: str
    height_px: int
    look: str
    motion: str
    lane: int
    x_share: float


@dataclass(frozen=True)
class Reflection:
    """A face over the operation, in frames [first, end), with so many percent of its own light."""

    ranges: tuple[tuple[int, int], ...]
    box: Box
    percent: int


@dataclass(frozen=True)
class Identity:
    """Who and when a recording gives away; ``number(n)`` is different for every n and every recording."""

    patient: Person
    surgeon: Person
    site: str
    day: datetime.date
    start: int

    def number(self, which: int) -> str:
        """Return a number of seven digits that stands nowhere else."""
        return str(self.start + 7 * which)


@dataclass(frozen=True)
class RecordingPlan:
    """One recording before it is drawn."""

    index: int
    name: str
    file: str
    container: str
    fps: Fraction
    frame_count: int
    width: int
    height: int
    gop: int
    pair: str
    camera: str
    who: Identity
    spans: tuple[Span, ...]
    texts: tuple[Text, ...]
    reflections: tuple[Reflection, ...]
    speech: tuple[tuple[Fraction, str], ...]
    second_stream: bool


def plan(seed: int, recordings: int, length_s: int, width: int, height: int) -> list[RecordingPlan]:
    """Return what is planted in each recording.

    Parameters
    ----------
    recordings
        How many; the first two are the cameras of one operation.
    length_s
        Of each, in seconds; at least 4.
    width, height
        Of the picture in px, even.
    """
    names = [f"r{index + 1:02d}" for index in range(recordings)]
    return [_recording(seed, index, names, length_s, width, height) for index in range(recordings)]


def _recording(seed: int, index: int, names: Sequence[str], length_s: int, width: int, height: int) -> RecordingPlan:
    paired = index < 2 and len(names) > 1
    operation = max(index - 1, 0) if len(names) > 1 else index
    fps, gop, container = RATES[index % len(RATES)], GOPS[index % len(GOPS)], CONTAINERS[index % len(CONTAINERS)]
    frame_count = int(length_s * fps)
    spans = _spans(generator(seed, 61, operation), operation, frame_count, fps, gop, paired=paired)
    if paired and index == 1:
        spans = tuple(span for span in spans if span.cameras == "both")
    rng = generator(seed, 62, index)
    who = _identity(rng, index)
    camera = "right" if paired and index == 1 else "left" if paired else "mono"
    return RecordingPlan(
        index=index,
        name=names[index],
        file=_file(who, index, camera, container),
        container=container,
        fps=fps,
        frame_count=frame_count,
        width=width,
        height=height,
        gop=gop,
        pair=names[1 - index] if paired else "",
        camera=camera,
        who=who,
        spans=spans,
        texts=_texts(rng, index, who, spans, frame_count, fps, height),
        reflections=_reflections(rng, index, spans, frame_count, fps, width, height),
        speech=_speech(who, length_s) if index % 2 == 0 else (),
        second_stream=index % 6 == 3,
    )


def _identity(rng: np.random.Generator, index: int) -> Identity:
    patients, surgeons = people("patient"), people("expert")
    return Identity(
        patients[index % len(patients)],
        surgeons[(3 * index + 1) % len(surgeons)],
        SITES[index % len(SITES)],
        FIRST_DAY + datetime.timedelta(days=9 * index + int(rng.integers(0, 5))),
        # Blocks of 1,000 numbers a recording, so that no two are alike.
        2_000_000 + 10_000 * index + int(rng.integers(0, 1000)),
    )


def _file(who: Identity, index: int, camera: str, container: str) -> str:
    person = f"{who.patient.surname} {who.patient.first_name}"
    return f"{who.site}/{who.day:%Y%m%d} {person} {index + 1}{camera[0].upper()}.{container}"


def _spans(rng: np.random.Generator, operation: int, frame_count: int, fps: Fraction, gop: int, *, paired: bool) -> tuple[Span, ...]:
    start = SPANS_EACH * operation % len(LENGTHS)
    lengths = [_frames(length, fps) for length in LENGTHS[start : start + SPANS_EACH]]
    while sum(lengths) > MOST_OUTSIDE * frame_count:
        longest = max(range(len(lengths)), key=lengths.__getitem__)
        lengths[longest] = lengths[longest] * 9 // 10
    lengths = [lengths[place] for place in rng.permutation(len(lengths))]
    free = frame_count - sum(lengths)
    # The first recording of all begins, and the third one ends outside the body, as cameras do.
    gaps = [0 if operation == 2 else free // (SPANS_EACH + 1), *[free // (SPANS_EACH + 1)] * (SPANS_EACH - 1)]
    if operation == 3:
        gaps = [free // SPANS_EACH + (free % SPANS_EACH if number == 0 else 0) for number in range(SPANS_EACH)]
    firsts = [gap + before for gap, before in zip(accumulate(gaps), [0, *accumulate(lengths)], strict=False)]
    spans = []
    for number, (first, length) in enumerate(zip(firsts, lengths, strict=True)):
        low, high = max(gaps[number] // 3, 0), free // (SPANS_EACH + 1) // 3
        moved = (
            first if first in (0, frame_count - length) else _placed(first, length, gop, (first - low, first + high), number + operation)
        )
        cameras = "one" if paired and number == 1 else "both" if paired else "only"
        spans.append(Span(moved, moved + length, _place(moved, moved + length, frame_count, gop), (number + operation) % 3 == 0, cameras))
    return tuple(spans)


def _frames(length: int | Fraction, fps: Fraction) -> int:
    return length if isinstance(length, int) else max(1, int(length * fps))


def _placed(first: int, length: int, gop: int, bounds: tuple[int, int], turn: int) -> int:
    """Return a start within the bounds that lies as this turn wants it among key frames, where one does."""
    wanted = ("at_key_frame", "across_groups", "within_group")[turn % 3]
    near = sorted(range(bounds[0], bounds[1] + 1), key=lambda start: abs(start - first))
    return next((start for start in near if _among_key_frames(start, start + length, gop) == wanted), first)


def _place(first: int, end: int, frame_count: int, gop: int) -> str:
    return "at_start" if first == 0 else "at_end" if end == frame_count else _among_key_frames(first, end, gop)


def _among_key_frames(first: int, end: int, gop: int) -> str:
    if first % gop == 0:
        return "at_key_frame"
    return "across_groups" if first // gop != (end - 1) // gop else "within_group"


def _texts(
    rng: np.random.Generator, index: int, who: Identity, spans: Sequence[Span], frame_count: int, fps: Fraction, height: int
) -> tuple[Text, ...]:
    texts = []
    for lane in range(TEXTS_EACH):
        turn = TEXTS_EACH * index + lane
        motion = MOTIONS[(turn + turn // 3) % len(MOTIONS)]
        long_s = TEXT_S[turn % len(TEXT_S)]
        long = frame_count if long_s is None else min(frame_count, _frames(long_s, fps))
        ranges = _visible(rng, spans, frame_count, long)
        # In a small picture large letters would leave no room for the others.
        height_px = min(HEIGHTS_PX[(turn + turn // 4) % len(HEIGHTS_PX)], height // 11)
        says = _says(who, turn, motion, large=height_px > height // 20)
        texts.append(Text(ranges, says, height_px, LOOKS[(turn + turn // 6) % len(LOOKS)], motion, lane, int(rng.integers(0, 100)) / 100))
    return tuple(texts)


def _says(who: Identity, turn: int, motion: str, *, large: bool) -> str:
    number = who.number(turn % TEXTS_EACH)
    if motion == "clock":
        return "{clock}" if large else f"{who.day:%d.%m.%Y} {{clock}}"
    if large:
        return (who.patient.surname, number)[turn % 2]
    return (
        f"{who.patient.surname}, {who.patient.first_name}",
        f"ID {number} {who.patient.short}",
        f"Dr. {who.surgeon.surname} {who.day.isoformat()}",
    )[turn % 3]


def _reflections(
    rng: np.random.Generator, index: int, spans: Sequence[Span], frame_count: int, fps: Fraction, width: int, height: int
) -> tuple[Reflection, ...]:
    planted = []
    for number, long_s in enumerate(REFLECTION_S):
        long = min(_frames(long_s, fps), frame_count // 4)
        ranges = _visible(rng, spans, frame_count, long)
        side = height * (24 + 6 * number) // 100 // 2 * 2
        x = int(rng.integers(width // 8, width * 7 // 8 - side)) // 2 * 2
        # The middle of the picture; the texts stand above and below.
        planted.append(Reflection(ranges, (x, (height - side) // 4 * 2, side, side), 35 + 15 * ((index + number) % 3)))
    return tuple(planted)


def _visible(rng: np.random.Generator, spans: Sequence[Span], frame_count: int, long: int) -> tuple[tuple[int, int], ...]:
    """Return so many frames from some start on, without those outside the body; in one piece where there is room."""
    whole = [first for low, high in without(spans, 0, frame_count) for first in range(low, high - long + 1)]
    if whole:
        first = whole[int(rng.integers(0, len(whole)))]
        return ((first, first + long),)
    free = [first for low, high in without(spans, 0, frame_count) for first in range(low, high)]
    first = min(free[int(rng.integers(0, len(free)))], frame_count - long)
    return without(spans, first, first + long) or without(spans, 0, frame_count)


def without(spans: Sequence[Span], first: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return [first, end) without the frames outside the body, as half-open ranges."""
    ranges, start = [], first
    for span in spans:
        if span.first > start:
            ranges.append((start, min(span.first, end)))
        start = max(start, span.end)
    ranges.append((start, end))
    return tuple((low, min(high, end)) for low, high in ranges if low < min(high, end))


def _speech(who: Identity, length_s: int) -> tuple[tuple[Fraction, str], ...]:
    says = (f"{who.patient.first_name} {who.patient.surname}", f"doctor {who.surgeon.surname} {who.number(90)}")
    return tuple((Fraction(length_s * (2 * number + 1), 5), text) for number, text in enumerate(says))
