"""Black spans: the lamp is off, the camera is unplugged, or an earlier tool has hidden something."""

from __future__ import annotations

from scrubin.screen import features
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.detectors.scene import observer
from scrubin.screen.params import ScreenParams
from scrubin.screen.proposals import SAME_S, Proposal, frames_s, joined, runs


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the black spans in order of time, without margin: the frames beside them hide nobody."""
    black = features.features(seen.observed["features"]).brightest <= params.black_level
    spans = [frames_s(first, last, seen.boundaries_s) for first, last in joined(runs(black), seen.times_s, params.min_span_s)]
    return [Proposal("black", span, 1.0, "black") for span in spans if span[1] - span[0] >= params.min_span_s - SAME_S]


BLACK = Detector(propose, (observer,))
