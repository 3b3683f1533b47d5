"""What a submission is held against: the videos, their frames, and what is labelled in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from scrubin.labels.formats.submission.content import BoolArray, IntArray
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.labels.verdict import Verdict
from scrubin.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TrueVideo:
    """The labels of one video; what is not labelled, or not known, is None.

    Parameters
    ----------
    name
        Its id: submitted files are named after it.
    frames
        Frames to be predicted, increasing; None when the video has no triplet labels.
    targets
        (frames, triplets), whether a triplet occurs.
    boxed_frames
        The frames that detection can be scored on, increasing.
    boxes
        Their boxes.
    phase_frames
        Frames whose phase is to be predicted, increasing.
    phases
        (phase_frames,), phase ids; None when only the frames are known.
    per_second
        How many frames a second has, where the labels or the custom of their format say it.
    """

    name: str
    frames: IntArray | None
    targets: BoolArray | None = None
    boxed_frames: IntArray | None = None
    boxes: Boxes | None = None
    phase_frames: IntArray | None = None
    phases: IntArray | None = None
    per_second: Fraction | None = None


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """The videos of a challenge.

    Parameters
    ----------
    vocabulary
        Names and ids.
    videos
        By name, in order of names.
    verdict
        On the label files; None where frames are known from elsewhere.
    """

    vocabulary: Vocabulary
    videos: Mapping[str, TrueVideo]
    verdict: Verdict | None = None
