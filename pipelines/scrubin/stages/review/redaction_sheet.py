"""The curator's decisions, ``redactions.csv``: what to hide, what to accept, what to reject."""

from __future__ import annotations

import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scrubin.base.errors import ManifestError, RecordingError
from scrubin.base.faults import Fault, meant
from scrubin.base.text import csv_text
from scrubin.base.text.csv_text import seconds
from scrubin.stages.review.events import ACCEPT, ADD, KINDS, REJECT

NAME = "redactions.csv"
COLUMNS = ("recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "decision")
DECISIONS = (ADD, ACCEPT, REJECT)
WHOLE = ("black", "frozen")
"""Kinds that detectors find in whole frames only; a row without a rectangle also rejects what the other camera of a pair proposes here."""
PIXELS = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True)
class Decision:
    """One row: an interval in source seconds (None: to that end) and a rectangle (None: whole frame)."""

    line: int
    recording: str
    camera: str
    kind: str
    start_s: float | None
    end_s: float | None
    box_xywh: tuple[int, int, int, int] | None
    decision: str

    def interval_s(self, last_s: float) -> tuple[float, float]:
        """Return the interval within a video that ends at ``last_s``."""
        return self.start_s or 0.0, min(self.end_s, last_s) if self.end_s is not None else last_s


@dataclass(frozen=True)
class Decisions:
    """All usable rows; of the others the first error by recording, and all faults; how many rows are of recordings not reviewed."""

    rows: list[Decision]
    errors: dict[str, RecordingError]
    passed_over: Mapping[str, int]
    faults: tuple[Fault, ...] = ()


def parse(
    data: bytes,
    cameras: Mapping[str, tuple[str, ...]],
    set_aside: Container[str] = (),
    withdrawn: Container[str] = (),
    listed: Container[str] = (),
) -> Decisions:
    """Return the decisions, one per camera that a row holds for.

    Parameters
    ----------
    data
        The file's bytes.
    cameras
        The cameras of every recording in the manifest.
    set_aside
        Recordings whose rows in the manifest cannot be used: nothing of them is released.
    withdrawn
        Recordings that were withdrawn: their rows are passed over.
    listed
        Recordings that the manifest names, whether a run has read them or not.

    Raises
    ------
    ManifestError
        When the file is no such list, or names a recording that the manifest does not: what
        was meant to be hidden must never be passed over.
    """
    rows: list[Decision] = []
    errors: dict[str, RecordingError] = {}
    passed_over: Counter[str] = Counter()
    of_rows: list[Fault] = []
    sheet = csv_text.read(NAME, data, COLUMNS, (), keep_rows=True)
    wrong = list(sheet.faults)
    if missing := set(COLUMNS) - set(sheet.columns):
        # What cannot be known of a row is not said to be wrong with it.
        sheet = replace(sheet, rows=() if missing - {"x", "y", "w", "h", "camera"} else tuple(_filled(row) for row in sheet.rows))
    sheet, unclear = csv_text.with_points(sheet, ("start_s", "end_s"))
    unclear_cells: dict[str, list[RecordingError]] = defaultdict(list)
    for fault in unclear:
        unclear_cells[fault.place].append(RecordingError(NAME, fault.what, fault.fix, fault.place))
    for row in sheet.rows:
        recording = row.cells["recording"]
        if recording not in cameras:
            if recording in set_aside or recording in withdrawn:
                passed_over[recording] += 1
            else:
                wrong.append(_unread(row) if recording in listed else _unknown(row, cameras))
            continue
        errors_of_row = _errors(row, cameras[recording], unclear_cells[row.place])
        if errors_of_row:
            of_rows += (fault for error in errors_of_row for fault in error.faults)
            errors.setdefault(recording, errors_of_row[0])
        else:
            rows += _decisions(row, cameras[recording])
    if wrong:
        raise ManifestError([*wrong, *of_rows])
    return Decisions([row for row in rows if row.recording not in errors], errors, passed_over, tuple(of_rows))


def _filled(row: csv_text.CsvRow) -> csv_text.CsvRow:
    return replace(row, cells=dict.fromkeys(COLUMNS, "") | dict(row.cells))


def _unknown(row: csv_text.CsvRow, cameras: Collection[str]) -> Fault:
    name = row.cells["recording"]
    fix = meant(name, cameras, "correct its name, or remove the row")
    return Fault(NAME, "recording-unknown", f"'{name}' is no recording of recordings.csv", fix, row.place)


def _unread(row: csv_text.CsvRow) -> Fault:
    what = f"'{row.cells['recording']}' stands in recordings.csv, but no run has read it since"
    return Fault(NAME, "recording-unread", what, "run: make repro, then import the sheet again", row.place)


def _errors(row: csv_text.CsvRow, cameras: tuple[str, ...], unclear: Sequence[RecordingError]) -> list[RecordingError]:
    """Return everything that is wrong with a row; what is wrong between cells only where each of them can be read."""
    cells, place = row.cells, row.place
    wrong = list(unclear)
    for column, known in (("kind", KINDS), ("decision", DECISIONS), ("camera", ("", *cameras))):
        if cells[column] not in known:
            names = ", ".join(name or "(empty)" for name in known)
            wrong.append(RecordingError(NAME, f"{column} is '{cells[column]}'", f"use one of {names}", place))
    times: list[float | None] = []
    for column in ("start_s", "end_s") if not unclear else ():
        with _noted(wrong):
            times.append(seconds(NAME, row, column))
    if len(times) == 2 and (times[0] or 0.0) >= (times[1] if times[1] is not None else float("inf")):
        what = f"start_s {times[0] or 0.0:g} is not before end_s {times[1]:g}"
        wrong.append(RecordingError(NAME, what, "correct the interval", place))
    with _noted(wrong):
        _box_xywh(row)
    return wrong or _errors_between(row)


def _errors_between(row: csv_text.CsvRow) -> list[RecordingError]:
    """Return what cells say against each other, of which each can be read."""
    cells, place, decision = row.cells, row.place, row.cells["decision"]
    box_xywh, wrong = _box_xywh(row), []
    if not cells["start_s"] and not cells["end_s"] and box_xywh is None and decision != "reject":
        fix = "give an interval or a rectangle, or exclude the recording"
        wrong.append(RecordingError(NAME, "it would hide the whole recording", fix, place))
    if cells["kind"] == "text" and box_xywh is None and decision == "accept":
        wrong.append(RecordingError(NAME, "it accepts text without a rectangle", "give its x,y,w,h; the report lists them", place))
    if cells["kind"] in WHOLE and box_xywh is not None and decision == "reject":
        reason = f"'{cells['kind']}' is found in whole frames, so no rectangle of it can be rejected"
        wrong.append(RecordingError(NAME, reason, "leave x,y,w,h empty, or remove the row that adds the rectangle", place))
    return wrong


@contextlib.contextmanager
def _noted(wrong: list[RecordingError]) -> Iterator[None]:
    try:
        yield
    except RecordingError as error:
        wrong.append(error)


def _decisions(row: csv_text.CsvRow, cameras: tuple[str, ...]) -> list[Decision]:
    """Return what a row without errors decides, for each camera that it holds for."""
    cells, box_xywh = row.cells, _box_xywh(row)
    start_s, end_s = seconds(NAME, row, "start_s"), seconds(NAME, row, "end_s")
    held = (cells["camera"],) if cells["camera"] else cameras
    decision = cells["decision"]
    return [Decision(row.line, cells["recording"], camera, cells["kind"], start_s, end_s, box_xywh, decision) for camera in held]


def _box_xywh(row: csv_text.CsvRow) -> tuple[int, int, int, int] | None:
    texts = [row.cells[name] for name in "xywh"]
    if not any(texts):
        return None
    if not all(PIXELS.fullmatch(text) for text in texts) or 0 in map(int, texts[2:]):
        fix = "give x,y,w,h in whole pixels, or leave all four empty"
        raise RecordingError(NAME, f"the rectangle is {','.join(texts)}", fix, row.place)
    x, y, w, h = (int(text) for text in texts)
    return x, y, w, h
