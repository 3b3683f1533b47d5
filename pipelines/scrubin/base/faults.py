"""What is wrong with an input, as data: sentences, JSON, reasons of a refusal are views of one list.

A reader notes every fault that it meets and goes on as far as it can. It never decides what follows: that is
the policy of the command or stage, by severity (``scrubin.labels.policy``).
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args


def ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return increasing numbers as pairs of first and last.

    >>> ranges([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    pairs: list[tuple[int, int]] = []
    for number in numbers:
        if pairs and number == pairs[-1][1] + 1:
            pairs[-1] = (pairs[-1][0], number)
        else:
            pairs.append((number, number))
    return pairs


def ranges_text(numbers: Iterable[int], most: int | None = None) -> str:
    """Return increasing numbers for reading.

    Parameters
    ----------
    most
        How many ranges are shown; None: all of them.

    >>> ranges_text([3, 4, 5, 9]), ranges_text([0, 2, 4], most=2)
    ('3-5, 9', '0, 2 ...')
    """
    pairs = ranges(numbers)
    text = ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in pairs[:most])
    return f"{text} ..." if most is not None and len(pairs) > most else text


def count_text(number: int, noun: str) -> str:
    """Return a number of things for reading.

    >>> count_text(1, "frame"), count_text(1200, "frame")
    ('1 frame', '1,200 frames')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def near(name: str, known: Iterable[str], similarity: float = 0.6) -> str | None:
    """Return the known name that is most like a name, small and capital letters alike; None when none is.

    Parameters
    ----------
    name, known
        What was written, and what could have been meant.
    similarity
        How like they must be, from 0 to 1: more where all names are alike, as ids are.

    >>> near("evry_s", ["every_s", "fps"]), near("grs", ["GRS"]), near("x", ["every_s"])
    ('every_s', 'GRS', None)
    """
    by_folded = {_composed(one).casefold(): one for one in sorted(known, reverse=True)}
    close = difflib.get_close_matches(_composed(name).casefold(), by_folded, n=1, cutoff=similarity)
    return by_folded[close[0]] if close else None


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def meant(name: str, known: Iterable[str], otherwise: str) -> str:
    r"""Return how to mend a name that nothing has: by the near miss, also where that looks the same, else as is said.

    >>> meant("op 3", ["op-3", "op-4"], "remove the row"), meant("x", ["op-3"], "remove the row")
    ("did you mean 'op-3'?", 'remove the row')
    >>> meant("u\N{COMBINING DIAERESIS}", ["\N{LATIN SMALL LETTER U WITH DIAERESIS}"], "").partition(" ")[2]
    'looks the same and is not: one of them writes letters and their marks apart; copy the name from there'
    """
    close = near(name, known)
    if close is None:
        return otherwise
    if close != name and _composed(close) == _composed(name):
        return f"'{close}' looks the same and is not: one of them writes letters and their marks apart; copy the name from there"
    return f"did you mean '{close}'?"


SHORTEST, LARGEST = 3, 4


def hint(name: str, known: Iterable[str]) -> str:
    """Return what to say of an unknown name: names that begin with it, or the near miss, else all names there are.

    >>> hint("evry_s", ["every_s", "fps"]), hint("x", ["every_s", "fps"])
    ("did you mean 'every_s'?", 'known are every_s, fps')
    >>> hint("cvat", ["cvat-images", "cvat-video", "vidat"])
    "did you mean 'cvat-images' or 'cvat-video'?"
    >>> hint("label", ["label-studio", "labels"])
    "did you mean 'labels' or 'label-studio'?"
    """
    names = list(known)
    if not names:
        return "there are none"
    close = near(name, names)
    # Who knows the family and not the member is told all of them, rather than what is spelt like it.
    family = [one for one in sorted(names) if len(name) >= SHORTEST and re.match(rf"{re.escape(name)}[^a-z]", one, re.IGNORECASE)]
    family = family if len(family) <= LARGEST else []
    # One alone is no family: what is spelt like the name is as likely.
    meant = family if len(family) > 1 or close in (None, *family) else [str(close), *family]
    return "did you mean " + " or ".join(f"'{one}'" for one in meant) + "?" if meant else f"known are {', '.join(names)}"


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts ``2`` before ``10`` and ``psiv7`` before ``psiv14``."""
    parts = [part for part in re.split(r"([0-9]+)", text) if part]
    return tuple((0, len(part.lstrip("0")), part.lstrip("0")) if part[0] in "0123456789" else (1, 0, part) for part in parts)


Severity = Literal["error", "deviation", "warning"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""``error``: the value cannot be used. ``deviation``: not as the format says, but it can mean one thing only, and is
read so. ``warning``: everything is possible, but something looks wrong."""
SHOWN = 20
RANGES_SHOWN = 10
FILES_SHOWN = 100
VIDEO = "video "
"""How a place begins that is a video of a file with several: its frames stand behind it, while other places are within a frame."""
_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\[\]]*\]|\([^()]*\)|-?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Fault:
    """One fault of one file, at one place or in several frames.

    Parameters
    ----------
    file
        Relative to what was named by the user; "" for that as a whole.
    rule
        Short name of what was broken, for machines.
    what, fix
        What is wrong, and what to do about it: two half-sentences without full stop.
    place
        Where in the file: a line, a frame, a shape, or a video (`VIDEO` and its name); "" for the whole file.
    severity
        See ``SEVERITIES``.
    frames
        Increasing; empty where no frame can be named.
    count
        How often it was met; at least once per frame.
    """

    file: str
    rule: str
    what: str
    fix: str
    place: str = ""
    severity: Severity = "error"
    frames: tuple[int, ...] = ()
    count: int = 1

    @property
    def sentence(self) -> str:
        """The fault on one line: file, frames, place (before its frames where it is a video), what is wrong, the fix."""
        return self.line()

    def line(self, most_ranges: int | None = None) -> str:
        """Return the sentence with so many ranges of frames only; None: all of them."""
        within = [self._frames(most_ranges), self.place]
        where = ", ".join(part for part in (self.file, *(reversed(within) if self.place.startswith(VIDEO) else within)) if part)
        number = f" ({self._number()})" if max(len(self.frames), self.count) > 1 else ""
        says = f"{self.what}{number}; {self.fix}" if self.fix else f"{self.what}{number}"
        return f"{where}: {says}" if where else says

    @property
    def cause(self) -> tuple[str, ...]:
        """What faults of one cause have in common: everything but the place and the value."""
        return (self.severity, self.rule, _VALUES.sub("*", self.what), _VALUES.sub("*", self.fix))

    def as_json(self) -> dict[str, Any]:
        """Return the fault as JSON values; frames as pairs of first and last."""
        return {
            "file": self.file,
            "place": self.place,
            "rule": self.rule,
            "severity": self.severity,
            "what": self.what,
            "fix": self.fix,
            "frames": [list(pair) for pair in ranges(self.frames)],
            "count": self.count,
            "sentence": self.sentence,
        }

    def _frames(self, most_ranges: int | None) -> str:
        return f"{'frame' if len(self.frames) == 1 else 'frames'} {ranges_text(self.frames, most_ranges)}" if self.frames else ""

    def _number(self) -> str:
        if not self.frames:
            return f"{self.count} times"
        frames = f"{len(self.frames)} frame{'s' if len(self.frames) > 1 else ''}"
        return frames if self.count <= len(self.frames) else f"{frames}, {self.count} times"


@dataclass
class _Group:
    severity: Severity
    example: str
    frames: set[int] = field(default_factory=set)
    count: int = 0


class Faults:
    """Faults so far; what is the same but for its frame is one fault."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str, str, str], _Group] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def error(
        self, file: str, rule: str, what: str, fix: str, *, place: str = "", frames: Iterable[int] = (), example: str = "", count: int = 1
    ) -> None:
        """Note what cannot be used.

        Parameters
        ----------
        file, rule, what, fix, place
            As of `Fault`.
        frames
            Where.
        example
            Of the first place: it stands behind ``what``, in brackets.
        count
            How often.
        """
        self._note("error", (file, rule, what, fix, place), frames, example, count)

    def deviation(self, file: str, rule: str, what: str, fix: str, *, place: str = "", frames: Iterable[int] = (), count: int = 1) -> None:
        """Note what is not as the format says but clear; parameters as `error`."""
        self._note("deviation", (file, rule, what, fix, place), frames, "", count)

    def warning(self, file: str, rule: str, what: str, fix: str, *, place: str = "", frames: Iterable[int] = (), count: int = 1) -> None:
        """Note what is possible but looks wrong; parameters as `error`."""
        self._note("warning", (file, rule, what, fix, place), frames, "", count)

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note faults that somebody else met, such as those of an error."""
        for one in faults:
            self._note(one.severity, (one.file, one.rule, one.what, one.fix, one.place), one.frames, "", one.count)

    def all(self) -> tuple[Fault, ...]:
        """Return all faults, by file and in the order in which they were met."""
        faults = [
            Fault(file, rule, _with_example(what, one.example), fix, place, one.severity, tuple(sorted(one.frames)), one.count)
            for (file, rule, what, fix, place), one in self._groups.items()
        ]
        return tuple(sorted(faults, key=lambda fault: fault.file))

    def errors(self) -> tuple[Fault, ...]:
        """Return the faults of severity ``error``."""
        return tuple(fault for fault in self.all() if fault.severity == "error")

    def _note(self, severity: Severity, key: tuple[str, str, str, str, str], frames: Iterable[int], example: str, count: int) -> None:
        file, rule, what, fix, place = key
        printed = (printable(file), rule, printable(what), printable(fix), printable(place))
        group = self._groups.setdefault(printed, _Group(severity, printable(example)))
        group.frames.update(frames)
        # At one place the same can be wrong only once; without a place it is counted.
        group.count = max(group.count, count) if place else group.count + count


def summary(faults: Sequence[Fault], most: int = SHOWN) -> list[str]:
    """Return faults for reading: those of one cause are one line, with a count.

    The first fault of each cause is written out; behind it stands at how many more places the same is wrong, and in
    which other files. Of many ranges of frames the first ones are shown.

    >>> summary([Fault("a.json", "id", f"id '{name}' is no number", "give numbers", f"image {i}") for i, name in enumerate("xyz")])
    ["a.json, image 0: id 'x' is no number; give numbers (and at 2 more places)"]
    """
    causes: dict[tuple[str, ...], list[Fault]] = {}
    for fault in faults:
        causes.setdefault(fault.cause, []).append(fault)
    lines = [_of_one_cause(alike) for alike in list(causes.values())[:most]]
    rest = list(causes.values())[most:]
    if rest:
        lines.append(f"... and {len(rest)} more causes, {sum(map(len, rest))} faults{_also({one.file for of in rest for one in of})}")
    return lines


def error(file: str, rule: str, what: str, fix: str, *, place: str = "") -> Fault:
    """Return a fault of severity ``error``; what cannot be printed is escaped."""
    return Fault(printable(file), rule, printable(what), printable(fix), printable(place))


def warning(file: str, rule: str, what: str, fix: str = "", *, place: str = "") -> Fault:
    """Return a fault of severity ``warning``."""
    return Fault(file, rule, what, fix, place, "warning")


def printable(text: str) -> str:
    r"""Return text on one line that every terminal takes: what cannot be printed is escaped.

    >>> print(printable("a\nb \ud800 ü"))
    a\nb \ud800 ü
    """
    return text if text.isprintable() else "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


_FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""How a formula begins in spreadsheets, also in wide letters."""
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?")


def sheet_cell(text: str) -> str:
    """Return text for a CSV that people open as a spreadsheet: what would be a formula there has an apostrophe before it.

    Not for tables that programs read: there the name would be another one.

    >>> sheet_cell("=1+1"), sheet_cell("+1"), sheet_cell("-0.5"), sheet_cell("a team")
    ("'=1+1", "'+1", '-0.5', 'a team')
    """
    return f"'{text}" if text.startswith(tuple(_FORMULA)) and not _NUMBER.fullmatch(text) else text


def within(faults: Iterable[Fault], file: str) -> tuple[Fault, ...]:
    """Return faults of a part as faults of a file: what named no file names it now."""
    return tuple(fault if fault.file else replace(fault, file=file) for fault in faults)


def _of_one_cause(alike: Sequence[Fault]) -> str:
    first, more = alike[0], len(alike) - 1
    if not more:
        return first.line(RANGES_SHOWN)
    others = {fault.file for fault in alike} - {first.file}
    return f"{first.line(RANGES_SHOWN)} (and at {more} more place{'s' if more > 1 else ''}{_also(others)})"


def _also(files: Iterable[str]) -> str:
    named = sorted(file for file in files if file)
    if not named:
        return ""
    more = [f"{len(named) - FILES_SHOWN} more files"] if len(named) > FILES_SHOWN else []
    return f", also in {', '.join([*named[:FILES_SHOWN], *more])}"


def _with_example(what: str, example: str) -> str:
    return f"{what} ({example})" if example else what
