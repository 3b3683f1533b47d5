"""Out-of-body spans, by what endoscopy looks like and by what this recording looks like.

Two witnesses: a network that was fitted on real endoscopy, rooms and people, and how unlike a
frame is to every other moment of the recording that looks like endoscopy. Neither alone is good
enough: a face close up is warm and red, and every new view of an operation is new. The sum of
both is followed in time: it begins where the sum is clear, and goes on while any doubt is left.

A recording whose scene the network does not know is proposed as a whole, unless its task is one
of which that is expected (`scrubin.screen.scenes`); `appearance` then looks at it as well.
"""

from __future__ import annotations

import numpy as np

from scrubin.screen import features, scene_scores
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.detectors.spans import spans
from scrubin.screen.novelty import novelty
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observer
from scrubin.screen.proposals import Flags, Numbers, Proposal, frames_s, runs
from scrubin.screen.scenes import SCENES

# Fitted on films of real sources that the network had not seen (benchmarks/screen_real.py): a frame that is as unlike the
# others as USUAL is neither more nor less likely to be outside.
USUAL, WEIGHT = 0.27, 12.0
LEAST, MOST = -2.0, 6.0
# Only frames that surely look like endoscopy speak for others.
SURELY_INSIDE = -1.0
# A span goes on while its log odds stay within so much below the limit.
DOUBT = 1.5


def observer(params: ScreenParams) -> Observer:
    """Return what measures the features of every frame."""
    return features.observer(params.thumbnail_height)


def scene_observer(_: ScreenParams) -> Observer:
    """Return what lets the fitted network judge every frame."""
    return scene_scores.OBSERVER


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the out-of-body spans in order of time."""
    measured = features.features(seen.observed[features.NAME])
    log_odds = scene_scores.scores(seen.observed[scene_scores.NAME])
    if not len(log_odds):
        return []
    dark = measured.brightest <= max(scene_scores.DARK_LUMA, params.black_level)
    if not scene_scores.looks_known(log_odds, dark, seen.scene):
        return [_whole(log_odds[~dark], seen)] if SCENES[seen.scene] else []
    odds = log_odds + evidence(novelty(measured.histograms, (log_odds < SURELY_INSIDE) & ~dark, seen.times_s))
    odds[dark] = -np.inf
    limit = float(np.log(params.outside_score / (1 - params.outside_score)))
    outside = _followed(odds >= limit, odds >= limit - DOUBT)
    return spans("scene", outside, 1 / (1 + np.exp(-odds)), params.clear_score, seen, params)


def evidence(far: Numbers) -> Numbers:
    """Return how much the distance to the other moments adds to the log odds; nothing where there are no others."""
    return np.nan_to_num(np.clip(WEIGHT * (far - USUAL), LEAST, MOST), nan=0.0)


def _followed(clear: Flags, doubtful: Flags) -> Flags:
    """Return the runs of doubtful frames that hold a clear one."""
    outside = np.zeros(len(clear), dtype=np.bool_)
    for first, last in runs(doubtful):
        outside[first : last + 1] = clear[first : last + 1].any()
    return outside


def _whole(log_odds: Numbers, seen: ObservedFile) -> Proposal:
    count = len(seen.times_s)
    score = round(float(1 / (1 + np.exp(-np.median(log_odds)))), 6)
    return Proposal("out_of_body", frames_s(0, count - 1, seen.boundaries_s), score, "unknown_scene", core=(0, count - 1))


SCENE = Detector(propose, (observer, scene_observer))
