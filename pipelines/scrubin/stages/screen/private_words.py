"""The study's own private words, which text in a picture is held against: people, sites, ids, dates, whatever else files are named by."""

from __future__ import annotations

import datetime
import re

import pandas as pd

from scrubin.media.networks.misreadings import WordFinder, fold

COLUMNS = ("participant", "site", "recording", "path")
# What files, folders and sessions are named by everywhere: it names nobody.
_EVERYWHERE = """\
aufnahme avi box cam camera case clip clinic copy course data device edited expert export exported file files final full hospital
kamera kopie left lab laparoscopic laparoscopy links mkv mono mov movie mp4 neu novice operation original part participant patient
procedure raw record recorded recording recordings rechts right robot room session site skills source stereo student study subject
surgery surgical task teil test trainee trainer training trial versuch video videos
"""
EVERYWHERE = frozenset(_EVERYWHERE.split())
LETTERS = 4
_WORD = re.compile(r"[^\W_]+")
_DATE = re.compile(r"(?<!\d)(?:(\d{4})[-_. ]?(\d{2})[-_. ]?(\d{2})|(\d{2})[-_. ](\d{2})[-_. ](\d{4}))(?!\d)")


def private_words(recordings: pd.DataFrame) -> WordFinder:
    """Return what finds the private words of the table `recordings` in text.

    Words of tasks, and words by which files are named everywhere, are not among them; single words have
    four letters or more, dates stand in four spellings.
    """
    harmless = EVERYWHERE | {fold(word) for task in recordings["task"].dropna() for word in (task, *_words(str(task)))}
    words: set[str] = set()
    for column in COLUMNS:
        for value in sorted(set(recordings[column].dropna().astype(str))):
            words |= {word for word in _words(value) if len(word) >= LETTERS}
            words |= {spelling for date in _dates(value) for spelling in _spellings(date)}
            if column in ("participant", "site"):
                words |= {value, " ".join(reversed(_words(value)))}
    return WordFinder(word for word in words if fold(word) not in harmless and not (word.isdecimal() and int(word) == 0))


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _dates(text: str) -> list[datetime.date]:
    dates = []
    for match in _DATE.finditer(text):
        year, month, day = match.group(1, 2, 3) if match[1] else match.group(6, 5, 4)
        try:
            dates.append(datetime.date(int(year), int(month), int(day)))
        except ValueError:
            continue  # 2023-17-40 is a number
    return dates


def _spellings(date: datetime.date) -> set[str]:
    return {date.strftime(spelling) for spelling in ("%Y%m%d", "%d%m%Y", "%m%d%Y", "%d%m%y")}
