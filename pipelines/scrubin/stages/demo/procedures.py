"""Six procedures, each with dirt of its own; three files that are no video."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from fractions import Fraction

from scrubin.stages.demo.plan import MS, SITES, Recording, Span, Text, people

TASK = "Cholecystectomy"
WIDTH, HEIGHT = 426, 240
PAL, NTSC, PHONE = Fraction(25), Fraction(30000, 1001), Fraction(30)
FIRST_DAY = datetime.date(2023, 9, 4)
ROW = 900
"""Procedures are numbered from here."""
PHASES = (0, 1, 2, 3, 4, 5, 6)
CLEANED_FIRST = (0, 1, 2, 3, 5, 4, 6)


@dataclass(frozen=True)
class Case:
    """What differs between procedures; seconds of the source."""

    fps: Fraction
    container: str
    long_s: int
    labels: str
    start_ms: int | None = None
    end_ms: int | None = None
    phases: tuple[int, ...] = PHASES
    spans: tuple[Span, ...] = ()
    text: tuple[int, int, int | None, int | None] | None = None
    sound: bool = False
    tags: tuple[str, ...] = ()
    chapters: bool = False
    damage: str = ""
    criteria: bool = False


CASES = (
    Case(
        *(PAL, "mp4", 58, "cholect50", 2360, 55_110),
        spans=(
            Span("blur", 6000, 7500),
            Span("out_of_body", 21_440, 27_440, "add"),
            Span("black", 40_000, 42_000),
            Span("smoke", 45_000, 48_000),
        ),
        sound=True,
        tags=("title", "artist", "comment", "date", "creation_time"),
        criteria=True,
    ),
    Case(
        *(NTSC, "mkv", 52, "cholect50", 1500, None),
        spans=(Span("out_of_body", 5300, 5700), Span("out_of_body", 33_300, 35_800), Span("dark", 41_000, 44_000)),
        text=(10, 8, None, None),
    ),
    Case(
        *(PHONE, "mp4", 50, "cholect50", None, 49_020),
        spans=(Span("out_of_body", 8100, 9100), Span("smoke", 38_000, 41_000)),
        tags=("comment", "creation_time"),
    ),
    Case(
        *(PAL, "mkv", 84, "cholec80", None, None),
        spans=(Span("black", 7000, 7500), Span("out_of_body", 34_200, 54_200, "accept"), Span("blur", 66_000, 68_000)),
        chapters=True,
        tags=("title",),
    ),
    Case(
        *(NTSC, "mp4", 64, "cholec80", 3033, 61_700),
        phases=CLEANED_FIRST,
        spans=(Span("smoke", 20_000, 24_000), Span("out_of_body", 52_040, 52_440, "add")),
        text=(180, 214, 10_000, 30_000),
        sound=True,
    ),
    Case(
        *(PAL, "mkv", 60, "cholec80", 700, 58_640),
        spans=(Span("drape", 15_000, 18_000, "reject"), Span("out_of_body", 37_000, 38_000), Span("dark", 47_000, 49_000)),
    ),
    Case(*(PAL, "mp4", 5, ""), damage="no_moov"),
    Case(*(PAL, "mkv", 5, ""), damage="empty"),
    Case(*(PAL, "mp4", 5, ""), damage="text"),
)


def procedures(seed: int, longest_s: int | None = None) -> list[Recording]:
    """Return all procedures; with ``longest_s`` they are cut to that length and later spans left out."""
    return [_procedure(seed, number, case, longest_s) for number, case in enumerate(CASES)]


def _procedure(seed: int, number: int, case: Case, longest_s: int | None) -> Recording:
    person, site = people("patient")[number], SITES[number % len(SITES)]
    day = FIRST_DAY + datetime.timedelta(days=9 * number)
    name = f"OP_{day.isoformat()}_{person.key}_CHE{number + 1:02d}"
    long_s = min(case.long_s, longest_s) if longest_s is not None else case.long_s
    end_ms = case.end_ms if case.end_ms is not None and case.end_ms < long_s * MS else None
    tags = {
        "title": name,
        "artist": f"Dr. {person.surname}",
        "comment": f"{site} Saal 3, {day.strftime('%d.%m.%Y')}",
        "date": day.isoformat(),
        "creation_time": f"{day.isoformat()}T10:1{number}:00Z",
    }
    texts: tuple[Text, ...] = ()
    if case.text is not None:
        x, y, start_ms, until_ms = case.text
        texts = (Text(f"{person.short} {day.isoformat()}", 40_000 + 777 * number, x, y, ("mono",), start_ms, until_ms),)
    return Recording(
        name=name,
        participant=person.key,
        trial=None,
        site=site,
        task=TASK,
        date=day,
        key=(seed, ROW + number, 0, number),
        width=WIDTH,
        height=HEIGHT,
        fps=case.fps,
        frame_count=int(long_s * case.fps),
        container=case.container,
        paths={"mono": f"videos/OP-Saal/{day.strftime('%Y%m%d')} {person.surname} ({site}) {number + 1}.{case.container}"},
        start_ms=case.start_ms,
        end_ms=end_ms,
        variable_rate=case.fps == PHONE,
        labels=case.labels,
        criteria=case.criteria,
        phases=case.phases,
        spans=tuple(span for span in case.spans if span.end_ms <= (long_s - 1) * MS),
        texts=texts,
        audio=("mono",) if case.sound else (),
        tags={tag: tags[tag] for tag in case.tags},
        chapters=(f"{person.surname} Beginn", f"{person.surname} Ende") if case.chapters else (),
        damage={"mono": case.damage} if case.damage else {},
    )
