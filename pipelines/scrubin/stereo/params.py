"""The section ``stereo`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StereoParams:
    """What is released of a rig's calibration beside its numbers.

    Parameters
    ----------
    year
        Whether a released calibration says in which year it was made.
    """

    year: bool
