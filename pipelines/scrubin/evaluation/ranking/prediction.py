"""Labels and predictions side by side: what a measure takes."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.labels.formats.submission.content import IntArray
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.metrics.recognition.videos import ClassRows


@dataclass(frozen=True, eq=False)
class PredictedVideo:
    """Labels and predictions of one video in the order of its labelled frames; aligned once, cut into clips often.

    Parameters
    ----------
    frames
        How many there are.
    rows
        Recognition.
    true_boxes, predicted_boxes
        Detection, with frames counted from 0.
    true_phases, predicted_phases
        Phases.
    """

    frames: int
    rows: ClassRows | None = None
    true_boxes: Boxes | None = None
    predicted_boxes: Boxes | None = None
    true_phases: IntArray | None = None
    predicted_phases: IntArray | None = None
