"""The verdict on a path: its format, the frames that count, every fault. Every command says the same of the same path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from scrubin.base.faults import Fault, count_text
from scrubin.labels.files.reader import Reading
from scrubin.labels.model import Labels, Layer
from scrubin.labels.rows import boxed_layer, counts_for_detection, detected_classes


@dataclass(frozen=True)
class Counts:
    """Which frames of one recording, or of all, count for what.

    Parameters
    ----------
    recognition
        Frames whose instances are labelled, also as "nothing there".
    detection
        Those of them on which boxes can be scored: no instance lacks its box or its class.
    phases
        Frames with a phase.
    spans
        Spans of time, of which frames are made at the rate that a command needs.
    marks
        Frames that somebody judged by marks, such as criteria.
    """

    recognition: int = 0
    detection: int = 0
    phases: int = 0
    spans: int = 0
    marks: int = 0


@dataclass(frozen=True)
class Verdict:
    """What was read at a path.

    Parameters
    ----------
    format
        Its name.
    files
        How many files were read.
    recordings
        What counts, by recording without an error.
    rated
        How many recordings have scores or error labels as a whole.
    faults
        Of all severities.
    scored
        How many frames have a predicted score for each class.
    """

    format: str
    files: int
    recordings: Mapping[str, Counts]
    rated: int
    faults: tuple[Fault, ...]
    scored: int = 0

    @property
    def line(self) -> str:
        """The verdict on one line, without faults."""
        total = Counts(*map(sum, zip(*map(astuple, self.recordings.values()), strict=True)))
        counted = {"recognition": total.recognition, "detection": total.detection, "phases": total.phases, "criteria": total.marks}
        frames = ", ".join(f"{count:,} for {task}" for task, count in counted.items() if count)
        counts = f"; frames that count: {frames or 'none'}" if frames or not total.spans else ""
        spans = f"; {total.spans:,} spans of time" if total.spans else ""
        read = f"read as {self.format}: {count_text(self.files, 'file')}, {count_text(len(self.recordings), 'recording')}"
        rated = f"; {count_text(self.rated, 'rated recording')}" if self.rated else ""
        scored = f"; {count_text(self.scored, 'frame')} with scores of classes" if self.scored else ""
        return f"{read}{counts}{scored}{spans}{rated}"

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as JSON values."""
        return {
            "format": self.format,
            "files": self.files,
            "recordings": {name: vars(counts) for name, counts in sorted(self.recordings.items())},
            "rated": self.rated,
            "scored": self.scored,
            "faults": [fault.as_json() for fault in self.faults],
        }


def verdict_of(reading: Reading) -> Verdict:
    """Return the verdict on what was read."""
    counts = {labels.recording: counts_of(labels) for labels in reading.collection.recordings}
    scores = reading.collection.scores
    tables = () if scores is None else (scores.ratings, scores.skill, scores.errors)
    rated = {id_ for rows in tables for id_ in rows["id"]}
    scored = sum(len(labels.recognition.positions) for labels in reading.collection.recordings if labels.recognition is not None)
    return Verdict(reading.form.name, len(reading.paths), counts, len(rated), reading.faults, scored)


def counts_of(labels: Labels) -> Counts:
    """Return which frames of a recording count."""
    spans = sum(len(rows) for rows in (labels.segments, labels.spans) if rows is not None)
    phases = 0 if labels.phases is None else len(labels.phases.rows)
    return Counts(_length(labels.instances), _detection(labels), phases, spans, _length(labels.marks))


def _detection(labels: Labels) -> int:
    layer = labels.instances
    if layer is None or not counts_for_detection(layer):
        return 0
    return len(boxed_layer(layer, detected_classes(labels)).positions)


def _length(layer: Layer | None) -> int:
    return 0 if layer is None else len(layer.positions)
