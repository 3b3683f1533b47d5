"""The parameters of the stage groundtruth: none, as every layout is set by the metric that takes it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GroundtruthParams:
    """The section ``groundtruth``."""
