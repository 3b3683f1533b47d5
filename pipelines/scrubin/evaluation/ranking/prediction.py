"""Labels and predictions side by side: what a measure takes."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.labels.formats.submission.content import IntArray
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.metrics.recognition.videos import ClassRows


@dataclass(frozen=True, eq=False)
class Predicted:
    """Labels and predictions of one video in the order of its labelled frames; made once, cut into clips often.

    Parameters
    ----------
    frames
        How many there are.
    rows
        Recognition.
    truth, found
        Detection, with frames counted from 0.
    phases, predicted
        Phases.
    """

    frames: int
    rows: ClassRows | None = None
    truth: Boxes | None = None
    found: Boxes | None = None
    phases: IntArray | None = None
    predicted: IntArray | None = None
