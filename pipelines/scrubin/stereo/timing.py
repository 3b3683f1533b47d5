"""Whether both cameras ran in step: the lag between them, to a fraction of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.stereo.rectification import opencv
from scrubin.stereo.rig import Matrix

Picture = npt.NDArray[np.uint8]
ROWS = 24
MOST_LAG = 8
FEWEST_FRAMES = 2 * MOST_LAG + 6
LEAST_CORRELATION = 0.4
STILL_LEVELS = 0.02
"""Rows whose brightness changes by less than this from frame to frame, in grey levels, show no motion."""


@dataclass(frozen=True)
class Lag:
    """How far the right camera is behind.

    Parameters
    ----------
    frames
        What the left camera shows in frame k the right one shows in frame k + this; NaN when it cannot be told.
    spread
        Half of the range between the quartiles over all stretches.
    correlation
        Of both cameras at this lag; NaN as above.
    """

    frames: float
    spread: float
    correlation: float


def profile(picture: Picture) -> Matrix:
    """Return the mean brightness of strips of rows; both cameras see the same things in the same rows, nearly.

    Parameters
    ----------
    picture
        (height, width, 3), blue, green, red.
    """
    cv2 = opencv()
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float64)
    return np.asarray(cv2.resize(grey, (1, ROWS), interpolation=cv2.INTER_AREA), dtype=np.float64).ravel()


def lag(stretches: Sequence[tuple[Matrix, Matrix]]) -> Lag:
    """Return the lag of the right camera.

    Parameters
    ----------
    stretches
        Of consecutive frames: the profiles of the left and of the right camera, both of shape (frames, rows).
    """
    each = [one for one in (_of_stretch(*stretch) for stretch in stretches) if one is not None]
    if not each:
        return Lag(np.nan, np.nan, np.nan)
    lags = np.array([one[0] for one in each])
    low, middle, high = np.percentile(lags, [25, 50, 75])
    return Lag(float(middle), float(high - low) / 2, float(np.median([one[1] for one in each])))


def _of_stretch(left: Matrix, right: Matrix) -> tuple[float, float] | None:
    """Return lag and correlation of a stretch; None when nothing moves, or both do not move alike."""
    if min(len(left), len(right)) < FEWEST_FRAMES:
        return None
    a, b = (np.diff(one, axis=0) for one in (left, right))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    moving = np.minimum(a.std(axis=0), b.std(axis=0)) > STILL_LEVELS
    if not moving.any():
        return None
    lags = range(-MOST_LAG, MOST_LAG + 1)
    correlations = np.array([_correlation(a[:, moving], b[:, moving], by) for by in lags])
    best = int(np.argmax(correlations))
    if correlations[best] < LEAST_CORRELATION or best in (0, len(correlations) - 1):
        return None
    before, at, after = correlations[best - 1 : best + 2]
    bend = before - 2 * at + after
    return lags[best] + (0.0 if bend == 0 else float(0.5 * (before - after) / bend)), float(at)


def _correlation(a: Matrix, b: Matrix, by: int) -> float:
    """Return the correlation of both when the second one is ``by`` frames late."""
    one = a[max(0, -by) : len(a) - max(0, by)]
    other = b[max(0, by) : len(b) - max(0, -by)]
    return float((one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum()))
