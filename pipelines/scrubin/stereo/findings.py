"""What a check measured of a recording, and what follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

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
        Two half-sentences, as of `scrubin.core.faults.Fault`.
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
    "baseline": "the distance of the cameras, or of what they see, is not that of an endoscope or microscope",
    "centre": "the optical centre is far from the middle of the picture",
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
        As `scrubin.stereo.epipolar.Fit`.
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


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None
