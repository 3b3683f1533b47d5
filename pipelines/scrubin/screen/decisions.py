"""The curator's decisions, ``redactions.csv``: what to hide, what to accept, what to reject."""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from scrubin.core.cells import seconds
from scrubin.errors import ManifestError, RecordingError

NAME = "redactions.csv"
COLUMNS = ("recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "decision")
KINDS = ("out_of_body", "black", "frozen", "text", "other")
DECISIONS = ("add", "accept", "reject")
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
    """All usable rows, and the error of each recording whose rows are not."""

    rows: list[Decision]
    errors: dict[str, RecordingError]


def parse(data: bytes, cameras: Mapping[str, tuple[str, ...]], set_aside: Collection[str] = ()) -> Decisions:
    """Return the decisions, one per camera that a row holds for.

    Parameters
    ----------
    data
        The file's bytes.
    cameras
        The cameras of every recording in the manifest.
    set_aside
        Recordings whose rows in the manifest cannot be used: nothing of them is released.

    Raises
    ------
    ManifestError
        When the file is no such list, or names a recording that the manifest does not: what
        was meant to be hidden must never be passed over.
    """
    rows: list[Decision] = []
    errors: dict[str, RecordingError] = {}
    for line, cells in _cells(data):
        recording = cells["recording"].strip()
        if recording not in cameras and recording in set_aside:
            continue
        if recording not in cameras:
            near = difflib.get_close_matches(recording, cameras, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            msg = f"{NAME}, line {line}: '{recording}' is no recording of recordings.csv{hint}"
            raise ManifestError(msg)
        try:
            rows += _decisions(line, cells | {"recording": recording}, cameras[recording])
        except RecordingError as error:
            errors[recording] = error
    return Decisions([row for row in rows if row.recording not in errors], errors)


def _cells(data: bytes) -> list[tuple[int, dict[str, str]]]:
    try:
        reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        header = next(reader, [])
        if sorted(header) != sorted(COLUMNS):
            msg = f"{NAME}, line 1: the columns must be {','.join(COLUMNS)}, but are {','.join(header)}"
            raise ManifestError(msg)
        rows = []
        for cells in reader:
            if len(cells) not in (0, len(header)):
                msg = f"{NAME}, line {reader.line_num}: it has {len(cells)} cells, the header has {len(header)}"
                raise ManifestError(msg)
            if any(cells):
                rows.append((reader.line_num, dict(zip(header, cells, strict=True))))
    except (UnicodeDecodeError, csv.Error) as error:
        msg = f"{NAME}: it is no UTF-8 CSV ({error}); save it as 'CSV UTF-8'"
        raise ManifestError(msg) from error
    return rows


def _decisions(line: int, cells: dict[str, str], cameras: tuple[str, ...]) -> list[Decision]:
    place = f"{NAME}, line {line}"
    for column, known in (("kind", KINDS), ("decision", DECISIONS), ("camera", ("", *cameras))):
        if cells[column] not in known:
            names = ", ".join(name or "(empty)" for name in known)
            raise RecordingError(place, f"{column} is '{cells[column]}'", f"use one of {names}")
    start_s, end_s = seconds(place, "start_s", cells["start_s"]), seconds(place, "end_s", cells["end_s"])
    if (start_s or 0.0) >= (end_s if end_s is not None else float("inf")):
        raise RecordingError(place, f"start_s {start_s or 0.0:g} is not before end_s {end_s:g}", "correct the interval")
    box_xywh = _box_xywh(place, cells)
    decision = cells["decision"]
    if start_s is None and end_s is None and box_xywh is None and decision != "reject":
        raise RecordingError(place, "it would hide the whole recording", "give an interval or a rectangle, or exclude the recording")
    if cells["kind"] == "text" and box_xywh is None and decision == "accept":
        raise RecordingError(place, "it accepts text without a rectangle", "give its x,y,w,h; the report lists them")
    if cells["kind"] != "text" and box_xywh is not None and decision == "reject":
        reason = f"'{cells['kind']}' is found in whole frames, so no rectangle of it can be rejected"
        raise RecordingError(place, reason, "leave x,y,w,h empty, or remove the row that adds the rectangle")
    held = (cells["camera"],) if cells["camera"] else cameras
    return [Decision(line, cells["recording"], camera, cells["kind"], start_s, end_s, box_xywh, decision) for camera in held]


def _box_xywh(place: str, cells: dict[str, str]) -> tuple[int, int, int, int] | None:
    given = [cells[name].strip() for name in "xywh"]
    if not any(given):
        return None
    if not all(PIXELS.fullmatch(cell) for cell in given) or 0 in map(int, given[2:]):
        raise RecordingError(place, f"the rectangle is {','.join(given)}", "give x,y,w,h in whole pixels, or leave all four empty")
    x, y, w, h = (int(cell) for cell in given)
    return x, y, w, h
