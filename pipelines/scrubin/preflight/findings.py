"""What a look at a study finds: what stops a run, what would be set aside, and what a curator may want to know."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scrubin.core.errors import ScrubinError
from scrubin.core.faults import Fault
from scrubin.core.ranges import count_text

MOST_ALIKE = 20
"""Of one cause, so many are written out."""
MOST_NAMES = 8


@dataclass
class Findings:
    """What was found so far.

    Parameters
    ----------
    errors
        What would stop a stage.
    set_aside
        What would keep a single recording out; the others go on.
    remarks
        What may be as it should, but looks as if something were missing.
    counts
        What was looked at, by noun.
    """

    errors: list[Fault] = field(default_factory=list)
    set_aside: list[Fault] = field(default_factory=list)
    remarks: list[Fault] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

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
        outcome = [count_text(len(self.errors), "error") if self.errors else "no error"]
        outcome += [f"{len(self.set_aside):,} to be set aside"] if self.set_aside else []
        outcome += [f"{len(self.remarks):,} to look at"] if self.remarks else []
        return f"{looked_at or 'parameters'}: {', '.join(outcome)}"


def names(of: Iterable[str]) -> str:
    """Return names for reading, the first ones of many.

    >>> names(["b", "a"])
    "'a', 'b'"
    """
    known = sorted(of)
    more = f" and {len(known) - MOST_NAMES:,} more" if len(known) > MOST_NAMES else ""
    return ", ".join(f"'{name}'" for name in known[:MOST_NAMES]) + more


def _lines(faults: Iterable[Fault]) -> Iterator[str]:
    """Yield one line per fault; of a cause that is met very often the first ones, and how many more there are."""
    every = list(dict.fromkeys(faults))
    met: Counter[tuple[str, ...]] = Counter()
    for fault in every:
        met[fault.cause] += 1
        if met[fault.cause] <= MOST_ALIKE:
            yield " ".join(fault.line(MOST_NAMES).splitlines())
    for cause, count in met.items():
        if count > MOST_ALIKE:
            first = next(fault for fault in every if fault.cause == cause)
            yield f"{first.file or 'params.yaml'}: and {count - MOST_ALIKE:,} more such as: {first.what}"
