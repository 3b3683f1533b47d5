"""Cells of the lists that curators write by hand."""

from __future__ import annotations

import re

from scrubin.errors import RecordingError

# Stricter than float(), which takes "1_5" for 15.
SECONDS = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")


def seconds(place: str, column: str, cell: str) -> float | None:
    """Return a time in seconds; None for an empty cell.

    Raises
    ------
    RecordingError
        When it is no number of seconds; names the place.

    >>> seconds("line 2", "start_s", "12.5")
    12.5
    """
    text = cell.strip()
    if not text:
        return None
    if not SECONDS.fullmatch(text):
        raise RecordingError(place, f"{column} is '{cell}'", "give seconds from the first frame, such as 12.5")
    return float(text)
