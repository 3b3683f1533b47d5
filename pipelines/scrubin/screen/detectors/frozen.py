"""Frozen spans: the picture stands still. They identify nobody; labels in them say little.

A scene in which nothing moves but a sensor's faint noise cannot be told from a frozen picture
that was encoded again; it is reported as well.
"""

from __future__ import annotations

import numpy as np

from scrubin.screen import features
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.detectors.scene import observer
from scrubin.screen.params import ScreenParams
from scrubin.screen.proposals import SAME_S, Proposal, frames_s


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
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


FROZEN = Detector(propose, (observer,))
