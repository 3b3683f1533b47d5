"""Random clips of consecutive frames, on which teams are compared (CholecTriplet2021, section 6.4).

The paper draws N = 30 random batches of 100 consecutive frames "to simulate a video clip evaluation" and says no more. Here every
clip of that length in any video is as likely as every other one, none is drawn twice, and all teams are compared on the same clips.
Clips may share frames. A clip in which the metric is undefined, because nothing that counts is labelled in it, is never drawn.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.evaluation.ranking.measures import Measure
from scrubin.evaluation.submission.truth import GroundTruth

CLIPS = 30
CLIP_FRAMES = 100


@dataclass(frozen=True, order=True)
class Clip:
    """Consecutive scored frames of one video.

    Parameters
    ----------
    video
        Its name.
    start, stop
        Places among the scored frames of the video, half open.
    """

    video: str
    start: int
    stop: int


def draw(truth: GroundTruth, measure: Measure, *, clips: int = CLIPS, length: int = CLIP_FRAMES, seed: int = 0) -> tuple[Clip, ...]:
    """Return clips in order of videos and frames; fewer than asked for when there are no more.

    Parameters
    ----------
    truth
        Decides which clips there are: never a submission.
    measure
        Decides in which of them something is defined.
    clips
        How many.
    length
        Of each, in frames.
    seed
        Clips are taken in the order of a hash of seed, video and place, so that they are the same everywhere.
    """
    candidates: list[tuple[bytes, Clip]] = []
    for name, video in truth.videos.items():
        counted = np.concatenate([[0], np.cumsum(measure.relevant(video))])
        for start in np.flatnonzero(counted[length:] > counted[:-length]).tolist() if len(counted) > length else []:
            key = hashlib.sha256(f"{seed}\0{name}\0{start}".encode()).digest()
            candidates.append((key, Clip(name, start, start + length)))
    return tuple(sorted(clip for _, clip in sorted(candidates)[:clips]))


def overlapping(clips: Sequence[Clip]) -> int:
    """Return how many of sorted clips share frames with another one.

    >>> overlapping([Clip("a", 0, 100), Clip("a", 50, 150), Clip("a", 150, 250), Clip("b", 50, 150)])
    2
    """
    shared = {
        clip for one, other in itertools.pairwise(clips) if one.video == other.video and other.start < one.stop for clip in (one, other)
    }
    return len(shared)
