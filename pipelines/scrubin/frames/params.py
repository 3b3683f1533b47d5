"""The section ``frames`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from scrubin.core.params import ranged


@dataclass(frozen=True)
class FramesParams:
    """How many frames per second, an exact fraction, and the quality of the JPEG files."""

    fps: Fraction = ranged(low=0.001, high=1000)
    quality: int = ranged(low=1, high=100)
