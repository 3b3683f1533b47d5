"""How the worth of a ranking is computed, as the organiser chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from scrubin.evaluation.ranking import clips as clip_drawing
from scrubin.evaluation.ranking import significance
from scrubin.evaluation.ranking.significance import Correction
from scrubin.metrics import bootstrap

Test = Literal["videos", "clips"]
TESTS: tuple[Test, ...] = get_args(Test)


@dataclass(frozen=True)
class Settings:
    """How the worth of a ranking is computed.

    Parameters
    ----------
    clips, clip_frames
        See `clips.draw`; of tests over clips.
    resamples
        Of the videos.
    alpha
        Level of significance.
    seed
        Of clips and resamples.
    test
        What two teams are compared over: videos, which are independent of each other, or clips, as CholecTriplet2021 did.
    correction
        Of the p-values for the number of comparisons.
    """

    clips: int = clip_drawing.CLIPS
    clip_frames: int = clip_drawing.CLIP_FRAMES
    resamples: int = bootstrap.RESAMPLES
    alpha: float = significance.ALPHA
    seed: int = bootstrap.SEED
    test: Test = "videos"
    correction: Correction = "holm"
