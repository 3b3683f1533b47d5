"""What is wrong with a submission, as data: text, JSON and the reasons of a ranking are views of one list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["error", "deviation"]


@dataclass(frozen=True)
class Problem:
    """One fault of one file, with every frame that has it.

    Parameters
    ----------
    file
        Relative to the submission; "" for the submission as a whole.
    rule
        Short name of what was broken, for machines.
    severity
        ``error``: cannot be scored. ``deviation``: not as specified, but it can mean one thing only; a ranking reads it so.
    fault, mend
        What is wrong, and what to do about it.
    frames
        Increasing; empty where no frame can be named.
    occurrences
        How often it was found; at least once per frame.
    """

    file: str
    rule: str
    severity: Severity
    fault: str
    mend: str
    frames: tuple[int, ...] = ()
    occurrences: int = 1

    @property
    def sentence(self) -> str:
        """The problem on one line: file, frames, fault, mend."""
        word = "frame" if len(self.frames) == 1 else "frames"
        place = ", ".join(part for part in (self.file, f"{word} {spans(self.frames)}" if self.frames else "") if part)
        count = f" ({self._count()})" if max(len(self.frames), self.occurrences) > 1 else ""
        told = f"{self.fault}{count}; {self.mend}"
        return f"{place}: {told}" if place else told

    def plain(self) -> dict[str, Any]:
        """Return the problem as JSON values; frames as pairs of first and last."""
        return {
            "file": self.file,
            "rule": self.rule,
            "severity": self.severity,
            "fault": self.fault,
            "mend": self.mend,
            "frames": [list(pair) for pair in runs(self.frames)],
            "occurrences": self.occurrences,
            "sentence": self.sentence,
        }

    def _count(self) -> str:
        if not self.frames:
            return f"{self.occurrences} times"
        frames = f"{len(self.frames)} frame{'s' if len(self.frames) > 1 else ''}"
        return frames if self.occurrences <= len(self.frames) else f"{frames}, {self.occurrences} times"


@dataclass
class _Group:
    severity: Severity
    example: str
    frames: set[int] = field(default_factory=set)
    occurrences: int = 0


class Findings:
    """Problems so far; what is the same but for its frame is one problem."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str, str], _Group] = {}

    def error(self, file: str, rule: str, fault: str, mend: str, *, frames: Iterable[int] = (), example: str = "", times: int = 1) -> None:
        """Note what cannot be scored.

        Parameters
        ----------
        file, rule, fault, mend
            As of `Problem`.
        frames
            Where.
        example
            Of the first place: it stands behind the fault, in brackets.
        times
            How often.
        """
        self._note("error", (file, rule, fault, mend), frames, example, times)

    def deviation(self, file: str, rule: str, fault: str, mend: str, *, frames: Iterable[int] = (), times: int = 1) -> None:
        """Note what is not as specified but clear; parameters as `error`."""
        self._note("deviation", (file, rule, fault, mend), frames, "", times)

    def problems(self) -> tuple[Problem, ...]:
        """Return all, by file and in the order found."""
        made = [
            Problem(file, rule, one.severity, _with_example(fault, one.example), mend, tuple(sorted(one.frames)), one.occurrences)
            for (file, rule, fault, mend), one in self._groups.items()
        ]
        return tuple(sorted(made, key=lambda problem: problem.file))

    def _note(self, severity: Severity, key: tuple[str, str, str, str], frames: Iterable[int], example: str, times: int) -> None:
        file, rule, fault, mend = key
        told = (printable(file), rule, printable(fault), printable(mend))
        group = self._groups.setdefault(told, _Group(severity, printable(example)))
        group.frames.update(frames)
        group.occurrences += times


def printable(text: str) -> str:
    r"""Return text on one line that every terminal takes: what cannot be printed is escaped.

    >>> print(printable("a\nb \ud800 ü"))
    a\nb \ud800 ü
    """
    return text if text.isprintable() else "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def runs(frames: Sequence[int]) -> list[tuple[int, int]]:
    """Return increasing frames as pairs of first and last.

    >>> runs([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    found: list[tuple[int, int]] = []
    for frame in frames:
        if found and frame == found[-1][1] + 1:
            found[-1] = (found[-1][0], frame)
        else:
            found.append((frame, frame))
    return found


def spans(frames: Sequence[int]) -> str:
    """Return increasing frames for reading, none left out.

    >>> spans([3, 4, 5, 9])
    '3-5, 9'
    """
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs(frames))


def counted(number: int, noun: str) -> str:
    """Return a number of things for reading.

    >>> counted(1, "frame"), counted(1200, "frame")
    ('1 frame', '1,200 frames')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _with_example(fault: str, example: str) -> str:
    return f"{fault} ({example})" if example else fault
