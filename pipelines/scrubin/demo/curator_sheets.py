"""CSV text: the manifest and the curator's decisions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from fractions import Fraction

from scrubin.demo import rigs
from scrubin.demo.plan import MS, Recording, Span
from scrubin.demo.scenes import overlay

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
            *(_seconds(one.start_ms), _seconds(one.end_ms), one.exclude, rigs.name_of(one)),
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
            rows += [(one.name, camera, "text", *times, *overlay.box(text), "add") for camera in cameras]
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
