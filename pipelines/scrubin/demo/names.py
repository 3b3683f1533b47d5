"""Invented people, places and days: what a raw study gives away and a release must not.

Names are long and rare, so that finding one in a release is no accident.
"""

from __future__ import annotations

import csv
import datetime
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("names.csv")
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
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(Person(row["surname"], row["first_name"]) for row in csv.DictReader(file) if row["role"] == role)


def spellings(day: datetime.date) -> tuple[str, ...]:
    """Return a day as it may be written: 2023-03-06, 20230306, 06.03.2023.

    >>> spellings(datetime.date(2023, 3, 6))
    ('2023-03-06', '20230306', '06.03.2023')
    """
    return day.isoformat(), day.strftime("%Y%m%d"), day.strftime("%d.%m.%Y")
