"""What follows from the alpha of rectified pictures."""

from __future__ import annotations

from collections.abc import Iterable

from scrubin.stereo.alpha import LEAST_CORRELATION, AlphaFit
from scrubin.stereo.findings import Finding

MOST_APART_PX = 1.0


def of_fit(fit: AlphaFit) -> Iterable[Finding]:
    """Yield what is wrong with rectified pictures."""
    if fit.nearest_correlation < LEAST_CORRELATION:
        what = f"rectified pictures are unlike what this rig gives with any alpha (correlation {fit.nearest_correlation:.2f} at best)"
        yield Finding("alpha", "error", what, "rectify again with this rig")
    elif fit.apart_px > MOST_APART_PX:
        what = f"they were rectified with an alpha of about {fit.nearest:g} and not {fit.stated:g}: up to {fit.apart_px:.0f} px off"
        yield Finding("alpha", "error", what, "state the alpha with which they were made, or rectify again")
