"""Sheets that a curator writes: the manifest, the decisions, the calibrations of the stereo rigs.

Both cameras are parallel and have no distortion: what lies d px further left in the right picture is focal length times
baseline / d away.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from fractions import Fraction

from scrubin.stages.demo import footage
from scrubin.stages.demo.course import HEIGHT, WIDTH
from scrubin.stages.demo.plan import MS, SITES, Recording, Span

FOCAL_PX, BASELINE_MM = (300.0, 307.0, 292.0), (4.0, 4.3, 3.8)
"""By site."""
CALIBRATION_DATES = ("2023-02-27", "2023-02-28", "2023-03-01")
RIG_TEXT = """\
%YAML:1.0
---
image_width: {width}
image_height: {height}
unit: mm
convention: "X_right = R X_left + t"
date: "{date}"
K1: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ {matrix} ]
D1: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ 0., 0., 0., 0., 0. ]
K2: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ {matrix} ]
D2: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ 0., 0., 0., 0., 0. ]
R: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]
T: !!opencv-matrix
   rows: 3
   cols: 1
   dt: d
   data: [ {baseline}, 0., 0. ]
"""


def rig_name(recording: Recording) -> str:
    """Return with which rig it was recorded; "" for the experts, whose rig nobody noted, and for one camera."""
    return f"{recording.site} Turm 2" if recording.trial and "right" in recording.paths else ""


def calibrations(recordings: Iterable[Recording]) -> dict[str, str]:
    """Return the calibration of each rig that is named, by its name."""
    sites = {name: SITES.index(one.site) for one in recordings if (name := rig_name(one))}
    return {name: _text(number) for name, number in sorted(sites.items())}


def _text(number: int) -> str:
    focal = FOCAL_PX[number]
    matrix = f"{focal}, 0., {(WIDTH - 1) / 2}, 0., {focal}, {(HEIGHT - 1) / 2}, 0., 0., 1."
    return RIG_TEXT.format(width=WIDTH, height=HEIGHT, date=CALIBRATION_DATES[number], matrix=matrix, baseline=-BASELINE_MM[number])


MANIFEST_COLUMNS = ("recording", "participant", "trial", "site", "task", "camera", "path", "start_s", "end_s", "exclude", "rig")
REDACTION_COLUMNS = ("recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "decision")
# This study has nobody who withdrew, no known error, and its curator says nothing.
EMPTY = {"withdrawn.csv": "participant,recording,date,reason\n", "datasheet.yaml": "{}\n", "errata.yaml": "[]\n"}
REDACTED_AS = {"drape": "out_of_body"}
# A curator stops a clock by hand: the end of a span is known to a tenth of a second.
HAND_MS = 100


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Return rows as CSV text with a header and line feeds."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def manifest(recordings: Sequence[Recording]) -> str:
    """Return ``recordings.csv``: one row per video file."""
    rows = [
        (
            *(one.name, one.participant, one.trial or "", one.site, one.task, camera, one.paths[camera]),
            *(_seconds(one.start_ms), _seconds(one.end_ms), one.exclude, rig_name(one)),
        )
        for one in recordings
        for camera in sorted(one.paths)
    ]
    return table(MANIFEST_COLUMNS, rows)


def redactions(recordings: Sequence[Recording]) -> str:
    """Return ``redactions.csv``: what the curator decided by eye."""
    rows: list[tuple[object, ...]] = []
    for one in recordings:
        rows += [_span_row(one, span) for span in one.spans if span.decision]
        for text in one.texts:
            cameras = ("",) if set(text.cameras) == set(one.paths) else text.cameras
            times = _seconds(text.start_ms), _seconds(text.end_ms)
            rows += [(one.name, camera, "text", *times, *footage.text_box(text), "add") for camera in cameras]
    return table(REDACTION_COLUMNS, rows)


def _span_row(recording: Recording, span: Span) -> tuple[object, ...]:
    frames = recording.frames_of(span)
    first, end = recording.time_of(frames.start), recording.time_of(frames.stop)
    start_ms = int(first * MS) // HAND_MS * HAND_MS
    end_ms = -(-Fraction(end * MS) // HAND_MS) * HAND_MS
    kind = REDACTED_AS.get(span.kind, span.kind)
    return recording.name, "", kind, _seconds(start_ms), _seconds(int(end_ms)), "", "", "", "", span.decision


def _seconds(time_ms: int | None) -> str:
    """Return ms as seconds with three decimals, and nothing for None.

    >>> _seconds(2360), _seconds(None)
    ('2.360', '')
    """
    return "" if time_ms is None else f"{time_ms // MS}.{time_ms % MS:03d}"
