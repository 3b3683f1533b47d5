"""Findings of the audit: data, which an error, a table or JSON can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Finding:
    """One broken rule.

    Parameters
    ----------
    file
        Relative to the release folder; "" for the folder as a whole.
    place
        Where in the file: an element, a column, a frame.
    rule
        Name of the rule, for counting and for tests.
    message
        What is wrong and the fix, in one sentence.
    """

    file: str
    place: str
    rule: str
    message: str

    @property
    def where(self) -> str:
        """File and place."""
        return ", ".join(part for part in (self.file, self.place) if part)

    def __str__(self) -> str:
        """Return one line for people."""
        return f"{self.where}: [{self.rule}] {self.message}"


@dataclass(frozen=True)
class Fault:
    """A finding of a reader, which knows the place but not the name of its file."""

    rule: str
    place: str
    message: str


@dataclass(frozen=True)
class Text:
    """Readable text inside a file.

    ``structured`` texts (tables, JSON) hold many bare numbers, so a short number that happens
    to stand among them says nothing.
    """

    place: str
    text: str
    structured: bool = False


@dataclass(frozen=True)
class Contents:
    """What a reader found in a file: faults, every text for the search, and in a video the number of its pictures."""

    faults: Sequence[Fault] = ()
    texts: Sequence[Text] = ()
    pictures: int | None = None
