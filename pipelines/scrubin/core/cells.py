"""Times in seconds from the cells of lists that curators write by hand."""

from __future__ import annotations

import re

from scrubin.core.csvtext import Row
from scrubin.core.errors import RecordingError

# Stricter than float(), which takes "1_5" for 15.
SECONDS = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")


def seconds(file: str, row: Row, column: str) -> float | None:
    """Return a time in seconds; None for an empty cell.

    What else may say that a value is missing, such as ``nan``, is refused: a wrong interval would show what
    should be hidden.

    Raises
    ------
    RecordingError
        When it is no number of seconds; names file and line.

    >>> seconds("redactions.csv", Row(2, {"start_s": "12.5"}, ("12.5",)), "start_s")
    12.5
    """
    text = row.cells[column]
    if not text:
        return None
    if not SECONDS.fullmatch(text):
        raise RecordingError(file, f"{column} is '{text}'", "give seconds from the first frame, such as 12.5", row.place)
    return float(text)
