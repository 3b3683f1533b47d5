"""What a look at a study finds: what stops a run, what would be set aside, what a curator may want to know."""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from scrubin.base.errors import ScrubinError
from scrubin.base.faults import Fault, count_text, ranges_text

MOST_ALIKE = 20
"""Of one cause, so many are written out, where each names another file."""
MOST_PLACES = 5
"""The same for places of one file: behind them the places are enough."""
MOST_NAMES = 8
_LINE = re.compile(r"line (\d+)")


@dataclass
class Findings:
    """What was found so far.

    Parameters
    ----------
    errors
        What would stop a stage.
    set_aside
        What would keep a single recording out; the others go on.
    kept_out
        The recordings that it would keep out.
    excluded
        How many recordings the list leaves out, each with the curator's reason.
    remarks
        What may be as it should, but looks as if something were missing.
    counts
        What was looked at, by noun.
    study
        The folder of the raw study that was looked at; "" for none.
    """

    errors: list[Fault] = field(default_factory=list)
    set_aside: list[Fault] = field(default_factory=list)
    kept_out: set[str] = field(default_factory=set)
    excluded: int = 0
    remarks: list[Fault] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    study: str = ""

    @contextlib.contextmanager
    def noting(self) -> Iterator[None]:
        """Note what a reader refuses, and go on behind it."""
        try:
            yield
        except ScrubinError as error:
            self.errors += error.faults

    def remark(self, what: str, fix: str, file: str = "") -> None:
        """Note what looks odd, in two half-sentences."""
        self.remarks.append(Fault(file, "remark", what, fix, severity="warning"))

    def lines(self) -> list[str]:
        """Return everything for reading: what stops the run comes last, where a terminal shows it."""
        said = [f"to look at: {line}" for line in _lines(self.remarks)]
        said += [f"will be set aside: {line}" for line in _lines(self.set_aside)]
        return said + [f"error: {line}" for line in _lines(self.errors)]

    def sentence(self) -> str:
        """Return in one line what was looked at, and what came of it."""
        looked_at = ", ".join(count_text(number, noun) for noun, number in self.counts.items())
        outcome = [_count(self.errors, count_text(len(self.errors), "error")) if self.errors else "no error"]
        outcome += [f"{count_text(self.excluded, 'recording')} excluded by the list"] if self.excluded else []
        outcome += [f"{count_text(len(self.kept_out), 'recording')} to be set aside"] if self.kept_out else []
        outcome += [_count(self.remarks, f"{len(self.remarks):,} to look at")] if self.remarks else []
        where = f"{self.study}: " if self.study else ""
        return f"{where}{looked_at or 'parameters'}: {', '.join(outcome)}"


def names(of: Iterable[str]) -> str:
    """Return names for reading, the first ones of many.

    >>> names(["b", "a"])
    "'a', 'b'"
    """
    known = sorted(of)
    more = f" and {len(known) - MOST_NAMES:,} more" if len(known) > MOST_NAMES else ""
    return ", ".join(f"'{name}'" for name in known[:MOST_NAMES]) + more


def _count(faults: Sequence[Fault], said: str) -> str:
    """Return how many faults there are, as said; where they are told in fewer lines, also in how many."""
    told = sum(1 for _ in _lines(faults))
    return said if told == len(faults) else f"{said} in {count_text(told, 'line')}"


def _lines(faults: Iterable[Fault]) -> Iterator[str]:
    """Yield one line per fault, and one for the places at which the same is wrong; of a cause that is met very often the first ones."""
    by_cause: dict[tuple[str, ...], list[Fault]] = defaultdict(list)
    for fault in _places_joined(faults):
        by_cause[(fault.file, *fault.cause) if fault.place else fault.cause].append(fault)
    for alike in by_cause.values():
        most = MOST_PLACES if alike[0].place else MOST_ALIKE
        yield from ("\n    ".join(fault.line(MOST_NAMES).splitlines()) for fault in alike[:most])
        if rest := alike[most:]:
            where = f", {places([fault.place for fault in rest])}" if rest[0].place else ""
            yield f"{rest[0].file or 'params.yaml'}{where}: {len(rest):,} more such as: {rest[0].what}"


def _places_joined(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Yield faults; those that differ by their place only are one, in the order of the first of them."""
    same: dict[Fault, list[str]] = defaultdict(list)
    for fault in dict.fromkeys(faults):
        same[replace(fault, place="")].append(fault.place)
    for fault, at in same.items():
        yield replace(fault, place=places(at))


def places(of: Sequence[str]) -> str:
    """Return places of one file for reading, lines as ranges.

    >>> places(["line 2", "line 3", "line 7"]), places(["line 4"]), places(["frame 3", "header"])
    ('lines 2-3, 7', 'line 4', 'frame 3, header')
    """
    numbers = [int(match[1]) for place in of if (match := _LINE.fullmatch(place))]
    if len(numbers) < len(of) or len(of) < 2:
        return ", ".join(filter(None, of))
    return f"lines {ranges_text(sorted(set(numbers)))}"
