"""Out-of-body spans, by what endoscopy looks like and by what this recording looks like.

Two witnesses: a network that was fitted on real endoscopy, rooms and people, and how unlike a
frame is to every other moment of the recording that looks like endoscopy. Neither alone is good
enough: a face close up is warm and red, and every new view of an operation is new. The sum of
both is followed in time: it begins where the sum is clear, and goes on while any doubt is left.

A recording whose scene the network does not know is proposed as a whole, unless its task is one
of which that is expected (`scrubin.screen.scenes`); `appearance` then looks at it as well. In one
that it knows, a picture inside the picture that shows the outside is proposed as a rectangle.
"""

from __future__ import annotations

import numpy as np

from scrubin.core.pixels import Box, shared_px
from scrubin.networks import endoscopy
from scrubin.screen import features, insets, scene_scores
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.detectors.spans import spans
from scrubin.screen.novelty import novelty
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observer
from scrubin.screen.proposals import Flags, Numbers, Proposal, frames_s, runs, widened
from scrubin.screen.scenes import SCENES

# Fitted on films of real sources that the network had not seen (benchmarks/screen_real.py): a frame that is as unlike the
# others as USUAL is neither more nor less likely to be outside.
USUAL, WEIGHT = 0.27, 12.0
LEAST, MOST = -2.0, 6.0
# Only frames that surely look like endoscopy speak for others.
SURELY_INSIDE = -1.0
# A span goes on while its log odds stay within so much below the limit.
DOUBT = 1.5
# Two rectangles are one inset when they share so much of the smaller one; it is hidden with so many points of the small picture around.
SAME_INSET, AROUND_PX = 0.5, 3
# An inset that is not recognised for so long has gone.
LASTS_S = 6.0
# What was seen in one sample only is the chance of a moment.
LEAST_SAMPLES = 2
RECENT = 16
STRAY = 0.1


def observer(params: ScreenParams) -> Observer:
    """Return what measures the features of every frame."""
    return features.observer(params.thumbnail_height)


def scene_observer(_: ScreenParams) -> Observer:
    """Return what lets the fitted network judge every frame."""
    return scene_scores.OBSERVER


def inset_observer(_: ScreenParams) -> Observer:
    """Return what looks for pictures inside the picture."""
    return insets.OBSERVER


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
    proposals = spans("scene", outside, 1 / (1 + np.exp(-odds)), params.clear_score, seen, params)
    return [*proposals, *_insets(insets.insets(seen.observed[insets.NAME]), limit, seen, params)]


def evidence(far: Numbers) -> Numbers:
    """Return how much the distance to the other moments adds to the log odds; nothing where there are no others."""
    return np.nan_to_num(np.clip(WEIGHT * (far - USUAL), LEAST, MOST), nan=0.0)


def _followed(clear: Flags, doubtful: Flags) -> Flags:
    """Return the runs of doubtful frames that hold a clear one."""
    outside = np.zeros(len(clear), dtype=np.bool_)
    for first, last in runs(doubtful):
        outside[first : last + 1] = clear[first : last + 1].any()
    return outside


def _insets(found: list[insets.Inset], limit: float, seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the rectangles that show the outside, each for as long as it stands."""
    groups: list[list[insets.Inset]] = []
    for inset in found:
        if inset.log_odds / endoscopy.UNIT < limit:
            continue
        mine = [group for group in groups if any(_continues(one, inset, seen.times_s) for one in group[-RECENT:])]
        if mine:
            mine[0].append(inset)
        else:
            groups.append([inset])
    return [_inset_proposal(group, seen, params) for group in groups if len({inset.last for inset in group}) >= LEAST_SAMPLES]


def _continues(earlier: insets.Inset, later: insets.Inset, times_s: Numbers) -> bool:
    _, _, w, h = earlier.box_xywh
    _, _, wide, high = later.box_xywh
    alike = shared_px(earlier.box_xywh, later.box_xywh) >= SAME_INSET * min(w * h, wide * high)
    return alike and times_s[later.first] - times_s[earlier.last] < LASTS_S


def _inset_proposal(group: list[insets.Inset], seen: ObservedFile, params: ScreenParams) -> Proposal:
    first, last = group[0].first, max(inset.last for inset in group)
    # It was not there in the sample before, and not in the one after; where it came and went between them nobody saw.
    interval_s = frames_s(*widened(first, last, seen.times_s, insets.EVERY_S + params.margin_s), seen.boundaries_s)
    typical = float(np.median([inset.log_odds for inset in group])) / endoscopy.UNIT
    return Proposal("other", interval_s, round(float(1 / (1 + np.exp(-typical))), 6), "inset", _enclosing(group, seen.size_px))


def _enclosing(group: list[insets.Inset], displayed_px: tuple[int, int]) -> Box:
    """Return the rectangle around a group, but for what sticks out of it now and then, in pixels of the picture as displayed."""
    edges = np.array([(x, y, x + w, y + h) for x, y, w, h in (inset.box_xywh for inset in group)])
    left, top = np.quantile(edges[:, :2], STRAY, axis=0, method="lower") - AROUND_PX
    right, bottom = np.quantile(edges[:, 2:], 1 - STRAY, axis=0, method="higher") + AROUND_PX
    across, down = (side / small for side, small in zip(displayed_px, group[0].size_px, strict=True))
    x, y = max(int(left * across), 0), max(int(top * down), 0)
    return x, y, min(int(np.ceil(right * across)), displayed_px[0]) - x, min(int(np.ceil(bottom * down)), displayed_px[1]) - y


def _whole(log_odds: Numbers, seen: ObservedFile) -> Proposal:
    count = len(seen.times_s)
    score = round(float(1 / (1 + np.exp(-np.median(log_odds)))), 6)
    return Proposal("out_of_body", frames_s(0, count - 1, seen.boundaries_s), score, "unknown_scene", core=(0, count - 1))


SCENE = Detector(propose, (observer, scene_observer, inset_observer))
