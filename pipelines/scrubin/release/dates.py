"""Dates in names, and the spellings in which the same date could turn up elsewhere."""

from __future__ import annotations

import datetime
import re
from itertools import product

_YEARS = range(1990, 2090)  # so that two digits stand for one year only
_LONG = re.compile(r"(?<!\d)(\d{4})([-_./ ]?)(\d{1,2})\2(\d{1,2})(?!\d)")
_LONG_RUN = re.compile(r"(?<!\d)(\d{4})()(\d{2})(\d{2})(?:\d{4}|\d{6}|\d{9})?(?!\d)")
_LATE = re.compile(r"(?<!\d)(\d{1,2})([-_./ ]?)(\d{1,2})\2(\d{4})(?!\d)")
_SHORT = re.compile(r"(?<!\d)(\d{2})([-_./]?)(\d{2})\2(\d{2})(?!\d)")
_MONTHS = (
    ("january", "januar"),
    ("february", "februar"),
    ("march", "märz", "maerz"),
    ("april",),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august",),
    ("september",),
    ("october", "oktober"),
    ("november",),
    ("december", "dezember"),
)
_WORDY = re.compile(r"(?<!\d)(\d{1,2})?[-_./ ]*([^\W\d_]{3,9})[-_./ ,]*(\d{1,2})?[-_./ ,]*((?:19|20)\d{2})(?!\d)")
_SEPARATORS = ("-", "_", ".", "/", " ")


def found_in(text: str) -> frozenset[datetime.date]:
    """Return every date that a text can be read as; an ambiguous one gives all its readings.

    >>> sorted(map(str, found_in("20230417T143205_left")))
    ['2023-04-17']
    >>> sorted(map(str, found_in("04/05/2023")))
    ['2023-04-05', '2023-05-04']
    """
    readings: set[tuple[int, int, int]] = set()
    for pattern in (_LONG, _LONG_RUN):
        for year, _, a, b in pattern.findall(text):
            readings |= {(int(year), int(a), int(b)), (int(year), int(b), int(a))}
    for a, _, b, year in _LATE.findall(text):
        readings |= {(int(year), int(b), int(a)), (int(year), int(a), int(b))}
    for a, _, b, c in _SHORT.findall(text):
        readings |= {(_full(c), int(b), int(a)), (_full(c), int(a), int(b)), (_full(a), int(b), int(c))}
    for before, word, after, year in _WORDY.findall(text):
        readings |= {(int(year), month, int(day)) for month in _month(word) for day in (before, after) if day}
    return frozenset(date for reading in readings if (date := _date(*reading)) is not None)


def spellings(date: datetime.date) -> frozenset[str]:
    """Return the common spellings of a date, in lower case.

    The year alone and the month alone are no spelling: they stand in citations and licences.

    >>> {"2023-04-17", "20230417", "17.04.2023", "17/04/23", "230417", "17 april 2023"} <= spellings(datetime.date(2023, 4, 17))
    True
    """
    year, short = f"{date.year}", f"{date.year % 100:02d}"
    month, day = f"{date.month:02d}", f"{date.day:02d}"
    found = {year + month + day, day + month + year, month + day + year, short + month + day, day + month + short}
    for gap in _SEPARATORS:
        found |= {gap.join(parts) for parts in ((year, month, day), (day, month, year), (month, day, year))}
        found |= {gap.join((f"{date.day}", f"{date.month}", year)), gap.join((f"{date.month}", f"{date.day}", year))}
        if gap not in ". ":  # "2023.04" is also a number
            found.add(year + gap + month)
        if gap != " ":
            found |= {gap.join(parts) for parts in ((short, month, day), (day, month, short), (month, day, short))}
    return frozenset(found | _wordy(date))


def _wordy(date: datetime.date) -> set[str]:
    names = {name for full in _MONTHS[date.month - 1] for name in (full, full[:3])}
    found = set()
    for name, day in product(names, {f"{date.day}", f"{date.day:02d}"}):
        for gap in ("", " ", "-", "_", ". "):
            found.add(f"{day}{gap}{name}{gap.strip('.')}{date.year}")
        found |= {f"{name} {day}, {date.year}", f"{name} {day} {date.year}"}
    return found


def _month(word: str) -> list[int]:
    word = word.casefold()
    return [number for number, names in enumerate(_MONTHS, start=1) if any(word in (name, name[:3]) for name in names)]


def _full(year: str) -> int:
    return next(full for full in (1900 + int(year), 2000 + int(year)) if full >= _YEARS.start)


def _date(year: int, month: int, day: int) -> datetime.date | None:
    if year not in _YEARS:
        return None
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None
