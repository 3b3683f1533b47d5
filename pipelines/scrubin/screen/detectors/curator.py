"""What the curator adds or accepts in ``redactions.csv``: decided, so it has no score."""

from __future__ import annotations

from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.params import ScreenParams
from scrubin.screen.proposals import Proposal


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return what the curator adds, and what they accept, for exactly the interval they name."""
    last_s = float(seen.boundaries_s[-1])
    return [Proposal(row.kind, row.interval_s(last_s), None, "curator", row.box_xywh) for row in seen.decided if row.decision != "reject"]


CURATOR = Detector(propose)
