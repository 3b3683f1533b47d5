"""How well pictures fit a rig: rows after rectification, which camera is which, with which alpha they were rectified."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.media.rigs.rig import Matrix, Rectification, Rig, opencv, rectification, rectified, seen
from scrubin.stages.stereo.findings import Finding
from scrubin.stages.stereo.samples import Matches

GATE_SHARE = 15 / 540
"""A match that lies this share of the height off the median row is a wrong match."""
NEAR_PX = 0.5
MAD_SIGMAS, MEDIAN_SIGMAS = 1.4826, 1.2533
FEWEST_TO_BEND, TRIMS = 40, 4
EXCHANGES = ("swapped", "both mirrored", "both turned by half", "both upside down")


@dataclass(frozen=True)
class Fit:
    """How some matches fit.

    Parameters
    ----------
    offset_px
        Median of the row in the right picture less the row in the left one, after rectification with alpha 0; NaN: no matches.
    p95_px
        95th percentile of its size.
    ahead_share
        Share of the matches that lie before the cameras and not behind them.
    depth_mm
        Median distance of what was matched; NaN when nothing lies before the cameras.
    count
        Of the matches that are not wrong ones.
    offset_error_px
        Standard error of the offset, as if every pair showed the same points.
    bend_px
        95th percentile of what a smooth function of the place and the disparity explains of the rows, less the offset.
    bent_times
        How much less rows scatter once this is taken off: 1 for wrong matches, which follow no function.
    disparity_px
        Median column of the left picture less that of the right one.
    """

    offset_px: float
    p95_px: float
    ahead_share: float
    depth_mm: float
    count: int
    offset_error_px: float = np.nan
    bend_px: float = np.nan
    bent_times: float = np.nan
    disparity_px: float = np.nan


def fit(way: Rectification, matches: Matches, pair_count: int = 1) -> Fit:
    """Return how matches of some pairs fit a rig."""
    if not len(matches):
        return Fit(np.nan, np.nan, np.nan, np.nan, 0)
    left, right = way.points(matches.left, "left"), way.points(matches.right, "right")
    known = np.isfinite(left).all(axis=1) & np.isfinite(right).all(axis=1)
    if not known.any():
        return Fit(np.nan, np.nan, np.nan, np.nan, 0)
    left, right = left[known], right[known]
    down = right[:, 1] - left[:, 1]
    kept = np.abs(down - _mode(down, way.rig.height)) <= GATE_SHARE * way.rig.height
    down, disparity = down[kept], (left[:, 0] - right[:, 0])[kept]
    near = disparity[disparity > NEAR_PX]
    length = way.rig.baseline_mm * way.focal_px
    depth = float(np.median(length / near)) if len(near) else np.nan
    p95 = float(np.percentile(np.abs(down), 95))
    offset = float(np.median(down))
    scatter = MAD_SIGMAS * float(np.median(np.abs(down - offset)))
    offset_error = MEDIAN_SIGMAS * scatter / np.sqrt(max(1.0, len(down) / pair_count))
    bend_px, bent_times = _bend(way, left[kept], disparity, down - offset)
    share = float((disparity > 0).mean())
    middle = float(np.median(disparity))
    return Fit(offset, p95, share, depth, int(kept.sum()), offset_error, bend_px, bent_times, middle)


def _bend(way: Rectification, left: Matrix, disparity: Matrix, down: Matrix) -> tuple[float, float]:
    """Return how far rows are off by a smooth function of the place, and how much less they scatter without it."""
    x, y = (left / np.array(way.rig.size) - 0.5).T
    near = disparity / way.rig.width
    design = np.column_stack([np.ones(len(x)), x, y, near, x * y, x * x, y * y, x * near, y * near])
    if len(x) < FEWEST_TO_BEND:
        return np.nan, np.nan
    kept = np.ones(len(down), np.bool_)
    smooth = np.zeros(len(down))
    for _ in range(TRIMS):
        smooth = design @ np.linalg.lstsq(design[kept], down[kept], rcond=None)[0]
        off = np.abs(down - smooth)
        kept = off <= 3 * MAD_SIGMAS * np.median(off) + 1e-9
    before, behind = (float(np.median(np.abs(one))) for one in (down, down - smooth))
    return float(np.percentile(np.abs(smooth[kept]), 95)), before / max(behind, 1e-9)


def _mode(down: np.ndarray[tuple[int, ...], np.dtype[np.float64]], height: int) -> float:
    """Return where most rows lie: the median of what is left around the densest place."""
    width = GATE_SHARE * height
    ordered = np.sort(down)
    ends = np.searchsorted(ordered, ordered + width, side="right")
    start = int(np.argmax(ends - np.arange(len(ordered))))
    return float(np.median(ordered[start : ends[start]]))


def exchanged(way: Rectification, matches: Matches) -> dict[str, Fit]:
    """Return how matches would fit if the recordings were exchanged or flipped in one of `EXCHANGES`."""
    size = way.rig.size
    changed = (
        matches.swapped(),
        matches.flipped(size, across=True, down=False),
        matches.flipped(size, across=True, down=True),
        matches.flipped(size, across=False, down=True),
    )
    return {name: fit(way, one) for name, one in zip(EXCHANGES, changed, strict=True)}


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


def alpha_fit(rig: Rig, recorded: Picture, made: Picture, stated: float) -> AlphaFit:
    """Return how well a rectified picture of the left camera fits the recorded one; both of shape (height, width, 3)."""
    grid = np.round(np.arange(0, 1 + STEP / 2, STEP), 2)
    fits = {float(alpha): _correlation(rig, recorded, made, float(alpha)) for alpha in grid}
    fits[stated] = _correlation(rig, recorded, made, stated)
    nearest = max(fits, key=lambda alpha: fits[alpha])
    return AlphaFit(stated, nearest, fits[stated], fits[nearest], _apart_px(rig, stated, nearest))


def _correlation(rig: Rig, recorded: Picture, made: Picture, alpha: float) -> float:
    cv2 = opencv()
    maps = rectification(rig, alpha).maps("left")
    one, other = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (rectified(recorded, maps), made))
    inside = seen(maps)
    if other.shape != inside.shape or one[inside].std() == 0 or other[inside].std() == 0:
        return 0.0
    return float(np.corrcoef(one[inside], other[inside])[0, 1])


def _apart_px(rig: Rig, one: float, other: float) -> float:
    far = np.array(rig.size, dtype=np.float64) - 1
    corners = np.array([[0, 0], [far[0], 0], [0, far[1]], far, far / 2]) * 0.8 + 0.1 * far
    moved = [rectification(rig, alpha).points(corners, "left") for alpha in (one, other)]
    return float(np.abs(moved[0] - moved[1]).max())


MOST_APART_PX = 1.0


def of_fit(fit: AlphaFit) -> Iterable[Finding]:
    """Yield what is wrong with rectified pictures."""
    if fit.nearest_correlation < LEAST_CORRELATION:
        what = f"rectified pictures are unlike what this rig gives with any alpha (correlation {fit.nearest_correlation:.2f} at best)"
        yield Finding("alpha", "error", what, "rectify again with this rig")
    elif fit.apart_px > MOST_APART_PX:
        what = f"they were rectified with an alpha of about {fit.nearest:g} and not {fit.stated:g}: up to {fit.apart_px:.0f} px off"
        yield Finding("alpha", "error", what, "state the alpha with which they were made, or rectify again")
