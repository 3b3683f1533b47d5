"""Out-of-body spans of recordings that no network knows, such as those of box trainers: the recording itself says what is usual.

Most of a recording shows the inside of the box, so what looks unlike its usual pictures is
outside. It needs no weights, and it is honest about its limits: a recording that is outside for
more than half of its time is judged the wrong way round, and one that changes much hides nothing.
"""

from __future__ import annotations

import numpy as np

from scrubin.screen import features, scene_scores
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.detectors.spans import spans
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observer
from scrubin.screen.proposals import Numbers, Proposal
from scrubin.screen.typical_picture import distance

MAD_TO_SD = 1.4826
OUTSIDE_DISTANCE = 0.3
"""Hellinger distance from the recording's usual pictures that counts as outside,"""
SPREAD = 6.0
"""and so many robust standard deviations above the usual distance."""
CLEAR_DISTANCE = 0.35


def observer(params: ScreenParams) -> Observer:
    """Return what must look at every frame."""
    return features.observer(params.thumbnail_height)


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the out-of-body spans in order of time."""
    measured = features.features(seen.observed["features"])
    if not len(measured.brightest) or _known(seen, measured, params):
        return []
    black = measured.brightest <= params.black_level
    far = distance(measured.histograms, black)
    outside = (far > _limit(far[~black])) & ~black
    return spans("appearance", outside, far, CLEAR_DISTANCE, seen, params)


def _known(seen: ObservedFile, measured: features.Features, params: ScreenParams) -> bool:
    """Whether the detector `scene` looked, and knows what the recording shows."""
    if scene_scores.NAME not in seen.observed:
        return False
    dark = measured.brightest <= max(scene_scores.DARK_LUMA, params.black_level)
    return scene_scores.looks_known(scene_scores.scores(seen.observed[scene_scores.NAME]), dark, seen.scene)


def _limit(far: Numbers) -> float:
    if len(far) == 0:
        return 1.0
    middle = float(np.median(far))
    spread = float(np.median(np.abs(far - middle))) * MAD_TO_SD
    return max(OUTSIDE_DISTANCE, middle + SPREAD * spread)


APPEARANCE = Detector(propose, (observer,))
