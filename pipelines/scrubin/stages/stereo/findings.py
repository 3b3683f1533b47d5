"""What a check measured of one recording or of a whole study, what follows from it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Severity = Literal["error", "warning", "undecided"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "undecided")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or could be.

    Parameters
    ----------
    rule
        A key of `RULES`.
    severity
        ``error``: pairs of this recording are not to be used with this rig; ``warning``: look at it; ``undecided``: its pictures
        do not say whether this is right.
    what, fix
        Two half-sentences, as of `scrubin.base.faults.Fault`.
    """

    rule: str
    severity: Severity
    what: str
    fix: str

    def as_json(self) -> dict[str, str]:
        """Return it as JSON values."""
        return {"rule": self.rule, "severity": self.severity, "what": self.what, "fix": self.fix}


RULES = {
    "unmatched": "too few points are seen by both cameras",
    "same": "both cameras show the same pictures",
    "order": "the cameras are exchanged, or both flipped",
    "flipped": "the pictures of one camera are flipped",
    "offset": "rows do not agree after rectification",
    "spread": "rows agree in the middle, but not everywhere",
    "lag": "the cameras are out of step",
    "length": "the cameras have different numbers of frames, or rates",
    "instants": "pairs as a release takes them are of two instants",
    "baseline": "the distance of the cameras, or of what they see, is not that of an endoscope or microscope",
    "centre": "the optical centre is far from the middle of the picture",
    "folds": "a lens model has no inverse in the last corners of the picture",
    "alpha": "rectified pictures were made with another alpha, or from another rig",
    "drift": "the offset changes over the study",
    "apart": "a recording is unlike the others of its rig",
}
"""What is checked."""


@dataclass(frozen=True)
class Measured:
    """What was measured of a recording; NaN is not known.

    Parameters
    ----------
    offset_px, p95_px, ahead_share, depth_mm, match_count
        As `scrubin.stages.stereo.fit.Fit`.
    lag_frames, lag_error
        How far the right camera is behind, and how well that is known.
    """

    offset_px: float
    p95_px: float
    ahead_share: float
    depth_mm: float
    match_count: int
    lag_frames: float
    lag_error: float

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values; what is not known is null."""
        return {name: _finite(value) for name, value in vars(self).items()}


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def of_instants(what: str) -> Finding:
    """Return the finding that some pairs are of two instants; ``what`` says how many."""
    return Finding("instants", "warning", what, "export both cameras again with one clock; who loads the release gets its other pairs")


UNKNOWN = Measured(math.nan, math.nan, math.nan, math.nan, 0, math.nan, math.nan)
"""Of a recording nothing of which was measured."""


@dataclass(frozen=True)
class Checked:
    """A recording and what was said of it."""

    name: str
    rig: str
    measured: Measured
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """``error``, ``warning``, ``undecided`` or ``sound``."""
        severities = {finding.severity for finding in self.findings}
        return next((one for one in SEVERITIES if one in severities), "sound")

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "recording": self.name,
            "rig": self.rig,
            "verdict": self.verdict,
            "measured": self.measured.as_json(),
            "findings": [finding.as_json() for finding in self.findings],
        }


FEWEST = 6
LEAST_CHANGE_PX, MOST_CHANCE = 0.7, 0.01
LEAST_JUMP_PX = 1.0


@dataclass(frozen=True)
class Drift:
    """How the offset of a rig changes.

    Parameters
    ----------
    change_px
        From the first recording to the last one, by the median of all slopes (Theil and Sen).
    chance
        How often a rig that does not change looks like this or worse (Kendall's test, normal approximation).
    apart
        Places of the recordings that lie more than 1 px off the rig's median.
    """

    change_px: float
    chance: float
    apart: tuple[int, ...]

    @property
    def is_one(self) -> bool:
        """Whether there is a drift."""
        return abs(self.change_px) >= LEAST_CHANGE_PX and self.chance <= MOST_CHANCE


def drift(offsets_px: Sequence[float]) -> Drift | None:
    """Return the drift over recordings in the order of the study, NaN where nothing could be measured; None for fewer than six."""
    places = [place for place, value in enumerate(offsets_px) if math.isfinite(value)]
    if len(places) < FEWEST:
        return None
    values = np.array([offsets_px[place] for place in places])
    steps = [(b - a, values[j] - values[i]) for (i, a), (j, b) in itertools.combinations(enumerate(places), 2)]
    slope = float(np.median([rise / run for run, rise in steps]))
    concordant = int(np.sum(np.sign([rise for _, rise in steps])))
    count = len(places)
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    score = max(0, abs(concordant) - 1) / deviation
    off = np.abs(values - np.median(values))
    apart = tuple(place for place, value in zip(places, off, strict=True) if value > LEAST_JUMP_PX)
    return Drift(slope * (places[-1] - places[0]), math.erfc(score / math.sqrt(2)), apart)
