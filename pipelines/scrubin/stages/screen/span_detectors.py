"""Spans in which no operation is seen: out of the body, black, frozen, with a face.

Two witnesses: a network that was fitted on real endoscopy, rooms and people, and how unlike a
frame is to every other moment of the recording that looks like endoscopy. Neither alone is good
enough: a face close up is warm and red, and every new view of an operation is new. The sum of
both is followed in time: it begins where the sum is clear, and goes on while any doubt is left.

A recording whose scene the network does not know is proposed as a whole, unless its task is one
of which that is expected (`scrubin.stages.screen.scene_scores`); `appearance` then looks at it as well. In one
that it knows, a picture inside the picture that shows the outside is proposed as a rectangle.

Most of a recording shows the inside of the box, so what looks unlike its usual pictures is
outside. It needs no weights, and it is honest about its limits: a recording that is outside for
more than half of its time is judged the wrong way round, and one that changes much hides nothing.

The whole picture is proposed, not only the face: where a face is to be seen, so is the room. It
is proposed for as long as the picture stays alike before and after the look, but not for much longer
than until the next looks, and between two looks that soon follow each other.

A scene in which nothing moves but a sensor's faint noise cannot be told from a frozen picture
that was encoded again; it is reported as well.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from scrubin.base.pixels import Box, shared_px
from scrubin.media.networks import endoscopy
from scrubin.stages.screen import face_looks, features, insets, scene_scores
from scrubin.stages.screen.detector import Detector, ObservedFile, ScreenParams
from scrubin.stages.screen.face_looks import WITHIN_S, Look
from scrubin.stages.screen.features import Histograms
from scrubin.stages.screen.pass_over_file import Observer
from scrubin.stages.screen.proposals import SAME_S, Flags, Numbers, Proposal, frames_s, joined, runs, widened
from scrubin.stages.screen.scene_scores import SCENES
from scrubin.stages.screen.unlikeness import alike_run, distance_from_typical, novelty


def outside_spans(source: str, outside: Flags, score: Numbers, clear: float, seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return runs of outside frames as proposals: gaps filled, short ones only when they are clear, margins added.

    Parameters
    ----------
    outside, score
        Of every frame, shape (n,); the score is 0 to 1.
    clear
        From this score on a frame is clear.
    """
    times_s = seen.times_s
    proposals = []
    for first, last in joined(runs(outside), times_s, params.min_span_s + 2 * params.margin_s):
        lasts_s = seen.boundaries_s[last + 1] - times_s[first]
        if lasts_s < params.min_span_s - SAME_S and score[first : last + 1].max() < clear:
            continue
        interval_s = frames_s(*widened(first, last, times_s, params.margin_s), seen.boundaries_s)
        # Six digits: the score goes into a table, and the last bits differ between processors.
        typical = round(float(np.median(score[first : last + 1][outside[first : last + 1]])), 6)
        proposals.append(Proposal("out_of_body", interval_s, typical, source, core=(first, last)))
    return proposals


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


def features_observer(params: ScreenParams) -> Observer:
    """Return what measures the features of every frame."""
    return features.observer(params.thumbnail_height)


def scene_observer(_: ScreenParams) -> Observer:
    """Return what lets the fitted network judge every frame."""
    return scene_scores.OBSERVER


def inset_observer(_: ScreenParams) -> Observer:
    """Return what looks for pictures inside the picture."""
    return insets.OBSERVER


def propose_by_scene(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
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
    proposals = outside_spans("scene", outside, 1 / (1 + np.exp(-odds)), params.clear_score, seen, params)
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


SCENE = Detector(propose_by_scene, (features_observer, scene_observer, inset_observer))

MAD_TO_SD = 1.4826
OUTSIDE_DISTANCE = 0.3
"""Hellinger distance from the recording's usual pictures that counts as outside,"""
SPREAD = 6.0
"""and so many robust standard deviations above the usual distance."""
CLEAR_DISTANCE = 0.35


def propose_by_appearance(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the out-of-body spans in order of time."""
    measured = features.features(seen.observed["features"])
    if not len(measured.brightest) or _known(seen, measured, params):
        return []
    black = measured.brightest <= params.black_level
    far = distance_from_typical(measured.histograms, black)
    outside = (far > _limit(far[~black])) & ~black
    return outside_spans("appearance", outside, far, CLEAR_DISTANCE, seen, params)


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


APPEARANCE = Detector(propose_by_appearance, (features_observer,))

REACH_S, REACH_FRAMES = 3 * face_looks.EVERY_S, 3 * face_looks.EVERY_FRAMES
"""A face that is still there then has been seen again; tissue that was taken for one may look alike for long."""


def face_observer(_: ScreenParams) -> Observer:
    """Return what looks for faces."""
    return face_looks.OBSERVER


def propose_faces(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the spans in which faces are seen, in order of time."""
    histograms = features.features(seen.observed[features.NAME]).histograms
    looks = [look for look in face_looks.looks(seen.observed[face_looks.NAME]) if look.faces]
    between = [(one.number, two.number) for one, two in pairwise(looks) if seen.times_s[two.number] - seen.times_s[one.number] <= WITHIN_S]
    extents = sorted([*(_around(look.number, histograms, seen.times_s) for look in looks), *between])
    joints = joined(extents, seen.times_s, params.min_span_s + 2 * params.margin_s)
    return [_span(first, last, looks, seen, params) for first, last in joints]


def _around(number: int, histograms: Histograms, times_s: Numbers) -> tuple[int, int]:
    """Return the first and last frame around a look that all resemble it, as far as `REACH_S` or, if that is more, `REACH_FRAMES`."""
    first, last = alike_run(histograms, number)
    start, end = widened(number, number, times_s, REACH_S)
    return max(first, min(start, number - REACH_FRAMES)), min(last, max(end, number + REACH_FRAMES))


def _span(first: int, last: int, looks: list[Look], seen: ObservedFile, params: ScreenParams) -> Proposal:
    mine = [look for look in looks if first <= look.number <= last]
    interval_s = frames_s(*widened(first, last, seen.times_s, params.margin_s), seen.boundaries_s)
    score, count = max(look.sure for look in mine), max(look.faces for look in mine)
    return Proposal("out_of_body", interval_s, score, "face", faces=count, core=(first, last))


FACE = Detector(propose_faces, (features_observer, face_observer))


def propose_black(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the black spans in order of time, without margin: the frames beside them hide nobody."""
    black = features.features(seen.observed["features"]).brightest <= params.black_level
    spans = [frames_s(first, last, seen.boundaries_s) for first, last in joined(runs(black), seen.times_s, params.min_span_s)]
    return [Proposal("black", span, 1.0, "black") for span in spans if span[1] - span[0] >= params.min_span_s - SAME_S]


BLACK = Detector(propose_black, (features_observer,))


def propose_frozen(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the frozen spans in order of time; black ones are not among them."""
    measured = features.features(seen.observed["features"])
    firsts = np.unique(measured.still_since)
    lasts = np.append(firsts[1:], len(measured.still_since))
    spans = []
    for first, end in zip(firsts.tolist(), lasts.tolist(), strict=True):
        span = frames_s(first, end - 1, seen.boundaries_s) if first < end else (0.0, 0.0)
        if span[1] - span[0] >= params.frozen_s - SAME_S and measured.brightest[first] > params.black_level:
            spans.append(Proposal("frozen", span, 1.0, "frozen"))
    return spans


FROZEN = Detector(propose_frozen, (features_observer,))
