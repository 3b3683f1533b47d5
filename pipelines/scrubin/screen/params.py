"""The section ``screen`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged


@dataclass(frozen=True)
class ScreenParams:
    """Limits of the detector, and from which score its spans are hidden.

    Parameters
    ----------
    thumbnail_height
        Height in pixels at which frames are judged.
    outside_distance
        Hellinger distance from the recording's own colours, 0 to 1, above which a frame is outside.
    spread
        How many robust standard deviations above the usual distance it must be as well.
    min_span_s
        Shorter spans are not reported; shorter gaps between two spans are filled.
    margin_s
        Hidden before and after each detected span.
    black_level
        Luma, 0 to 255, that no pixel of a black frame exceeds.
    accept_above
        Detected spans with at least this score are hidden unless the curator rejects them.
    """

    thumbnail_height: int = ranged(low=16, high=256)
    outside_distance: float = ranged(low=0, high=1)
    spread: float = ranged(low=0, high=100)
    min_span_s: float = ranged(low=0, high=60)
    margin_s: float = ranged(low=0, high=60)
    black_level: int = ranged(low=0, high=255)
    accept_above: float = ranged(low=0, high=1)
