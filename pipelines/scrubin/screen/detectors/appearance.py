"""A detector of out-of-body spans that calibrates itself on the recording.

Most of a recording shows the inside of the body or of the box, so what looks unlike most of
its own frames is outside. It needs no weights, and it is honest about its limit: a recording
that is outside for more than half of its time is judged the wrong way round.
"""

from __future__ import annotations

import numpy as np

from scrubin.screen import features
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observer
from scrubin.screen.proposals import SAME_S, Flags, Numbers, Proposal, frames_s, joined, runs, widened
from scrubin.screen.typical_picture import distance

MAD_TO_SD = 1.4826


def observer(params: ScreenParams) -> Observer:
    """Return what must look at every frame."""
    return features.observer(params.thumbnail_height)


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the out-of-body spans in order of time."""
    measured = features.features(seen.observed["features"])
    if not len(measured.brightest):
        return []
    black = measured.brightest <= params.black_level
    far = distance(measured.histograms, black)
    outside = (far > _limit(far[~black], params)) & ~black
    return spans("appearance", outside, far, params.clear_distance, seen, params)


def spans(source: str, outside: Flags, score: Numbers, clear: float, seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
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


def _limit(far: Numbers, params: ScreenParams) -> float:
    if len(far) == 0:
        return 1.0
    middle = float(np.median(far))
    spread = float(np.median(np.abs(far - middle))) * MAD_TO_SD
    return max(params.outside_distance, middle + params.spread * spread)


APPEARANCE = Detector(propose, observer)
