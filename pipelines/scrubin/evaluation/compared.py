"""Truth and predictions side by side, as the metrics took them: what pictures of a score are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from scrubin.evaluation.series import IntArray
from scrubin.metrics.detection.rows import Scene
from scrubin.metrics.phases.videos import PhaseVideo
from scrubin.metrics.recognition.components import TripletMap
from scrubin.metrics.recognition.videos import TripletVideo


@dataclass(frozen=True, eq=False)
class ComparedClasses:
    """Labels and scores of classes by frame.

    Parameters
    ----------
    videos
        Matrices of both sides.
    frames
        By video, the number of each row.
    triplets
        What the columns are.
    """

    videos: Sequence[TripletVideo]
    frames: Mapping[str, IntArray]
    triplets: TripletMap


@dataclass(frozen=True, eq=False)
class ComparedBoxes:
    """Boxes of both sides.

    Parameters
    ----------
    scene
        All of them.
    frames
        By video, the number of each frame.
    threshold, interpolation
        Least IoU of a true detection, and how the area under a curve is taken.
    """

    scene: Scene
    frames: Mapping[str, IntArray]
    threshold: float
    interpolation: str


@dataclass(frozen=True, eq=False)
class ComparedPhases:
    """Phases by frame.

    Parameters
    ----------
    videos
        Annotation and the prediction of every run.
    frames
        By video, the number of each frame.
    phases
        Names, by id.
    """

    videos: Sequence[PhaseVideo]
    frames: Mapping[str, IntArray]
    phases: Sequence[str]


@dataclass(frozen=True, eq=False)
class ComparedSheets:
    """Values of recordings: index ``id``, the same columns on both sides, NaN where nothing is known.

    Parameters
    ----------
    task
        Its name.
    truth, predicted
        Both sides.
    """

    task: str
    truth: pd.DataFrame
    predicted: pd.DataFrame


Compared = ComparedClasses | ComparedBoxes | ComparedPhases | ComparedSheets
