"""The registry of label formats: a dict and a short decorator. A new format is one file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from scrubin.annotations.labels import LabelFiles, Labels

Reader = Callable[[LabelFiles], Labels]


@dataclass(frozen=True)
class Format:
    """One format.

    Parameters
    ----------
    name
        How ``params.yaml`` calls it.
    pattern
        What a file is called inside the format's folder; the group ``recording`` is the recording.
    expected
        The same in words, for messages.
    read
        Files of one recording to labels; pure.
    """

    name: str
    pattern: re.Pattern[str]
    expected: str
    read: Reader


FORMATS: dict[str, Format] = {}


def label_format(name: str, *, pattern: str, expected: str) -> Callable[[Reader], Reader]:
    """Register the decorated reader under a name that no other format has."""

    def register(read: Reader) -> Reader:
        if name in FORMATS:
            msg = f"label format '{name}' is registered twice"
            raise ValueError(msg)
        FORMATS[name] = Format(name, re.compile(pattern), expected, read)
        return read

    return register
