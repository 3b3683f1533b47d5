"""The error tree: everything that a user can fix is a ``ScrubinError``.

ScrubinError
├── ArgumentsError      what a command was asked for cannot be, whatever is in the files: nothing was looked at
├── ParamsError         params.yaml: unknown key, wrong type, value out of range
├── PlatformError       this system cannot do it, another one or a container can
├── FileError          a file that somebody else made cannot be opened, or needs more than it may
├── ManifestError       recordings.csv as a whole cannot be used
├── RecordingError      one recording cannot be used: it is quarantined, the others go on
│   └── VideoError      … because of what its video file holds
├── TableError          a table breaks its declaration
├── RatingsError        a rater sheet breaks its contract
├── AnnotationError     a label file breaks its format
├── SplitError          a split is impossible or breaks its constraints
├── PrivacyError        something private is, or would be, in the release
├── ReviewError         decisions.jsonl is damaged, or a decision is not possible
├── ReleaseError        the release is not complete or not allowed
└── StageError          a stage did not complete; DVC must not commit it

Wrong arguments to a pure function are plain ``ValueError``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from scrubin.base.faults import Fault, Faults, error, summary


class ScrubinError(Exception):
    """Base of all errors that name what is wrong, where, and the fix.

    Parameters
    ----------
    says
        One sentence, or faults. Whoever needs facts takes ``faults``: nobody parses the sentence.
    """

    def __init__(self, says: str | Iterable[Fault]) -> None:
        self.faults = (Fault("", "", says, ""),) if isinstance(says, str) else tuple(says)
        super().__init__(says if isinstance(says, str) else _text(self.faults))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.faults,)

    @classmethod
    def raise_any(cls, faults: Faults | Iterable[Fault]) -> None:
        """Raise all faults when one of them is an error; the others are told with it."""
        noted = faults.all() if isinstance(faults, Faults) else tuple(faults)
        if any(fault.severity == "error" for fault in noted):
            raise cls(noted)

    @classmethod
    @contextlib.contextmanager
    def noted(cls, wrong: list[Fault]) -> Iterator[None]:
        """Note what is wrong with one of several things, and go on behind it; `raise_any` says everything at once."""
        try:
            yield
        except cls as error:
            # Each has its own rule: two sentences are never one line with a count, because each is of another thing.
            wrong += [replace(fault, rule=fault.rule or fault.what) for fault in error.faults]


class ArgumentsError(ScrubinError):
    """A command line cannot be used: an option has a value that it may not have, or does not go together with another one."""


class ParamsError(ScrubinError):
    """``params.yaml`` holds something that no stage understands."""


class PlatformError(ScrubinError):
    """The system lacks what a command needs."""


class FileError(ScrubinError, OSError, ValueError):
    """A file that somebody else made cannot be used: no plain file, outside of its folder, too large, or not what it should be.

    Who reads many files and notes what is wrong with each catches ``OSError`` and ``ValueError``: it is both.

    Parameters
    ----------
    path
        The file.
    says
        What is wrong, and what to do about it, without the file.
    """

    strerror: str

    def __init__(self, path: object, says: str) -> None:
        file = str(path)
        super().__init__([error(file, "file-unreadable", says, "")])
        self.filename, self.strerror = file, says

    def __str__(self) -> str:
        """Return the sentence, where ``OSError`` would write its number."""
        return _text(self.faults)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.filename, self.strerror)


class ManifestError(ScrubinError):
    """The manifest ``recordings.csv`` cannot be used at all."""


class RecordingError(ScrubinError):
    """One recording cannot be used.

    Parameters
    ----------
    file
        The file as the curator knows it: relative to the raw folder.
    reason
        What is wrong, in one sentence without a full stop.
    fix
        What the curator can do about it.
    place
        Where in the file, if it is a list: its line.
    """

    def __init__(self, file: str, reason: str, fix: str, place: str = "") -> None:
        super().__init__([Fault(file, "recording", reason, fix, place)])
        self.file = file
        self.reason = reason
        self.fix = fix
        self.place = place

    @property
    def where(self) -> str:
        """File and place, as a table names them."""
        return f"{self.file}, {self.place}" if self.place else self.file

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.file, self.reason, self.fix, self.place)


class VideoError(RecordingError):
    """A video file cannot be read, or not as far as it should."""

    @property
    def is_for_lack_of_memory(self) -> bool:
        """Whether memory was short, which says nothing of the file: there may be enough next time."""
        cause: BaseException | None = self
        while cause is not None and not isinstance(cause, MemoryError):
            cause = cause.__cause__
        return cause is not None


class TableError(ScrubinError):
    """A table breaks its declaration."""


class RatingsError(ScrubinError):
    """A rater sheet breaks its contract."""


class AnnotationError(ScrubinError):
    """A label file breaks its format."""


class CalibrationError(ScrubinError):
    """The calibration of a stereo rig cannot be used, or pictures do not give one."""


class SplitError(ScrubinError):
    """A split is impossible, or breaks one of its constraints."""


class MetricsError(ScrubinError):
    """Predictions or ground truth do not fit a metric, or two results are not comparable."""


class PrivacyError(ScrubinError):
    """Something private is, or would be, in the release."""


class ReviewError(ScrubinError):
    """The ledger of decisions is damaged, or what somebody wants to decide is not possible."""


class ReleaseError(ScrubinError):
    """The release is incomplete, or not allowed."""


class StageError(ScrubinError):
    """A stage did not complete: its outputs must not be committed."""


def _text(faults: tuple[Fault, ...]) -> str:
    lines, causes = summary(faults), len({fault.cause for fault in faults})
    if len(faults) < 2:
        return "\n  ".join(lines)
    # One line is one cause.
    of_causes = "" if causes == len(faults) else f" of {causes} cause{'s' if causes > 1 else ''}"
    return "\n  ".join([f"{len(faults)} faults{of_causes}:", *lines])
