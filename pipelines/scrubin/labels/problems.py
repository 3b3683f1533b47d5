"""All that is wrong with label files, collected, so that one run shows everything to mend."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from scrubin.errors import AnnotationError

SHOWN = 20
FILES_NAMED = 100
FILE = re.compile(r"(?P<file>.+?)(?:, [^:]+)?: ")
"""Where a sentence names its file: ``file, place: fault; mend``."""


class AnnotationProblems(AnnotationError):
    """One or more faults in label files; the message shows twenty, at least one of every file, and names the files beyond.

    Parameters
    ----------
    problems
        One sentence each: file, place, what is wrong, the mend.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        places, beyond = _shown(self.problems)
        shown = "\n  ".join(self.problems[i] for i in places)
        more = len(self.problems) - len(places)
        tail = ", ".join([*beyond[:FILES_NAMED], *([f"{len(beyond) - FILES_NAMED} more files"] if len(beyond) > FILES_NAMED else [])])
        also = f", also in {tail}" if beyond else ""
        tail = f"\n  ... and {more} more{also}" if more > 0 else ""
        count = f"{len(self.problems)} problems in the label files:\n  " if len(self.problems) > 1 else ""
        super().__init__(f"{count}{shown}{tail}")

    def __reduce__(self) -> tuple[type[AnnotationProblems], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)


def _file(sentence: str) -> str:
    match = FILE.match(sentence)
    return match["file"] if match else ""


def _shown(problems: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the places of the faults to show, in their order, and the files of which none is shown.

    The first fault of each file comes before the second one of any.
    """
    first: dict[str, int] = {}
    for i, sentence in enumerate(problems):
        first.setdefault(_file(sentence), i)
    leading = set(first.values())
    others = (i for i in range(len(problems)) if i not in leading)
    places = sorted(itertools.islice(itertools.chain(first.values(), others), SHOWN))
    return places, [file for file, i in first.items() if i not in set(places)]


class Problems:
    """The faults found so far."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, file: str, place: str, fault: str, mend: str) -> None:
        """Note a fault; ``place`` is a frame, line or shape, or "" for the whole file."""
        where = f"{file}, {place}" if place else file
        self._found.append(f"{where}: {fault}; {mend}")

    def include(self, error: AnnotationError) -> None:
        """Note everything that an error names."""
        self._found.extend(error.problems if isinstance(error, AnnotationProblems) else [str(error)])

    def include_text(self, sentence: str) -> None:
        """Note a sentence of another part of the library."""
        self._found.append(sentence)

    def raise_any(self) -> None:
        """Raise what was found.

        Raises
        ------
        AnnotationProblems
            When anything was found.
        """
        if self._found:
            raise AnnotationProblems(self._found)
