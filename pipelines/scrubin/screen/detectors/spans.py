"""Runs of outside frames as proposals."""

from __future__ import annotations

import numpy as np

from scrubin.screen.detectors.detector import ObservedFile
from scrubin.screen.params import ScreenParams
from scrubin.screen.proposals import SAME_S, Flags, Numbers, Proposal, frames_s, joined, runs, widened


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
