"""Phases: ``<video>.csv`` with ``frame`` and ``phase_id``, or the phase's name in ``phase``, or both."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core.faults import Faults
from scrubin.errors import AnnotationError
from scrubin.labels.formats.submission import documents
from scrubin.labels.formats.submission.documents import AGAIN, shown
from scrubin.labels.formats.submission.frame_keys import PADDED, PLAIN
from scrubin.vocabulary.vocabulary import Vocabulary

COLUMNS = ("phase_id", "phase")
LAYOUT = "begin with a line frame,phase_id and give one line per frame, separated by commas"


def phases_of(file: str, data: bytes, words: Vocabulary, faults: Faults) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
    """Return frames, increasing, and their phase ids; None when the sheet cannot be read.

    Parameters
    ----------
    words
        Names and ids of the phases.
    faults
        Takes what is wrong; such lines have the phase -1.
    """
    lines = documents.text(file, data, faults)
    if lines is None:
        return None
    try:
        rows = [row for row in csv.reader(io.StringIO(lines), strict=True) if row]
    except csv.Error as error:
        faults.error(file, "file-csv", f"is not CSV: {error}", AGAIN)
        return None
    header = [name.strip() for name in rows[0]] if rows else []
    if "frame" not in header or not set(COLUMNS) & set(header) or len(set(header)) < len(header):
        faults.error(file, "file-layout", f"has the columns {shown(header)}", LAYOUT)
        return None
    found: dict[int, int] = {}
    for line, row in enumerate(rows[1:], start=2):
        _take(file, line, dict(zip(header, row, strict=False)) if len(row) == len(header) else None, words, found, faults)
    if len(rows) == 1:
        faults.error(file, "file-layout", "has no frames", "give one line per frame")
    frames = sorted(found)
    return np.array(frames, np.int64), np.array([found[frame] for frame in frames], np.int64)


def _take(file: str, line: int, row: Mapping[str, str] | None, words: Vocabulary, found: dict[int, int], faults: Faults) -> None:
    if row is None:
        faults.error(file, "phase-columns", "a line has more or fewer values than the header", LAYOUT, example=f"first: line {line}")
        return
    key = row["frame"]
    if not (PLAIN.fullmatch(key) or PADDED.fullmatch(key)):
        mend = "write whole numbers from 0, such as 12"
        faults.error(file, "key-malformed", "a frame is no whole number", mend, example=f"first: line {line}, {shown(key)}")
        return
    frame = int(key)
    if not PLAIN.fullmatch(key):
        faults.deviation(file, "key-padded", "the frame number is padded with zeros", "write 12, not 00012", frames=[frame])
    if frame in found:
        faults.error(file, "key-repeated", "the frame stands in more than one line", "give one phase per frame", frames=[frame])
        return
    found[frame] = _phase(file, frame, row, words, faults)


def _phase(file: str, frame: int, row: Mapping[str, str], words: Vocabulary, faults: Faults) -> int:
    def refuse(rule: str, fault: str, mend: str, example: Any) -> int:
        faults.error(file, rule, fault, mend, frames=[frame], example=f"first: {shown(example)}")
        return -1

    last = len(words.phases) - 1
    given, name = row.get("phase_id"), row.get("phase")
    id_ = -1
    if given is not None:
        if not PLAIN.fullmatch(given.strip()) or int(given) > last:
            numbered = given.strip() == str(last + 1)
            mend = "ids are numbered from 0; these look numbered from 1" if numbered else f"give a whole number in 0..{last}"
            return refuse("phase-id", f"the phase is none of 0..{last}", mend, given)
        id_ = int(given)
    if name is None:
        return id_
    try:
        named = words.id_of("phase", name)
    except AnnotationError as error:
        return refuse("phase-name", error.faults[0].what, error.faults[0].fix, name)
    if given is not None and named != id_:
        return refuse("phase-name", f"the phase {id_} is not {name!r}", f"{name!r} is {named}; correct one of them", f"{given},{name}")
    return named
