"""All that is wrong with label files, collected, so that one run shows everything to mend."""

from __future__ import annotations

from collections.abc import Iterable

from scrubin.errors import AnnotationError

SHOWN = 20


class AnnotationProblems(AnnotationError):
    """One or more faults in label files; the message shows the first twenty.

    Parameters
    ----------
    problems
        One sentence each: file, place, what is wrong, the mend.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        shown = "\n  ".join(self.problems[:SHOWN])
        more = len(self.problems) - SHOWN
        tail = f"\n  ... and {more} more" if more > 0 else ""
        count = f"{len(self.problems)} problems in the label files:\n  " if len(self.problems) > 1 else ""
        super().__init__(f"{count}{shown}{tail}")

    def __reduce__(self) -> tuple[type[AnnotationProblems], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)


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
