"""With which alpha rectified pictures were made: compared with the recorded ones, rectified here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.stereo.rectification import Side, opencv, rectification, rectified, seen
from scrubin.stereo.rig import Rig

Picture = npt.NDArray[np.uint8]
STEP = 0.05
LEAST_CORRELATION = 0.9


@dataclass(frozen=True)
class AlphaFit:
    """What rectified pictures say of themselves.

    Parameters
    ----------
    stated, nearest
        The alpha that somebody states, and the one with which they fit best, to 0.05.
    correlation, nearest_correlation
        Of the pictures with those that are rectified here, with the one and with the other.
    apart_px
        How far a point of the picture lies off at most when one alpha is taken for the other.
    """

    stated: float
    nearest: float
    correlation: float
    nearest_correlation: float
    apart_px: float


def alpha_fit(rig: Rig, recorded: Picture, made: Picture, side: Side, stated: float) -> AlphaFit:
    """Return how well a rectified picture fits the recorded one; both of shape (height, width, 3)."""
    grid = np.round(np.arange(0, 1 + STEP / 2, STEP), 2)
    fits = {float(alpha): _correlation(rig, recorded, made, side, float(alpha)) for alpha in grid}
    fits[stated] = _correlation(rig, recorded, made, side, stated)
    nearest = max(fits, key=lambda alpha: fits[alpha])
    return AlphaFit(stated, nearest, fits[stated], fits[nearest], _apart_px(rig, side, stated, nearest))


def _correlation(rig: Rig, recorded: Picture, made: Picture, side: Side, alpha: float) -> float:
    cv2 = opencv()
    maps = rectification(rig, alpha).maps(side)
    one, other = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (rectified(recorded, maps), made))
    inside = seen(maps)
    if other.shape != inside.shape or one[inside].std() == 0 or other[inside].std() == 0:
        return 0.0
    return float(np.corrcoef(one[inside], other[inside])[0, 1])


def _apart_px(rig: Rig, side: Side, one: float, other: float) -> float:
    far = np.array(rig.size, dtype=np.float64) - 1
    corners = np.array([[0, 0], [far[0], 0], [0, far[1]], far, far / 2]) * 0.8 + 0.1 * far
    ways = [rectification(rig, alpha) for alpha in (one, other)]
    return float(np.abs(ways[0].points(corners, side) - ways[1].points(corners, side)).max())
