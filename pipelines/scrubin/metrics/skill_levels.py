"""Skill scores as ranks and as levels: Kendall's tau-b, and Cohen's kappa with quadratic weights.

- **Kendall's tau-b** (Kendall 1945, *The treatment of ties in ranking problems*): concordant minus discordant pairs over the geometric mean
  of the pairs that are not tied on either side. Values that differ by rounding only are ties.
- **Quadratic weighted kappa** (Cohen 1968, *Weighted kappa*): one minus the mean squared difference over the one that is expected when
  both sides are paired at random. It is of levels: whole numbers, such as the points of OSATS. How many levels the scale has does not
  matter, as only squared differences count. Continuous scores have no levels and are refused: how to round them is not ours to say.

>>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]), 4), quadratic_kappa([1, 2, 3], [1, 2, 3])
(0.6667, 1.0)
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from scrubin.core.errors import MetricsError
from scrubin.metrics.inputs import FloatArray
from scrubin.metrics.result import Result, Value, Variant
from scrubin.metrics.skill import paired
from scrubin.statistics.moments import ROUNDING

TAU, KAPPA = "skill Kendall tau-b", "skill quadratic kappa"


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return tau-b of paired values; NaN with fewer than two, and when either side is constant."""
    orders = [_order(np.asarray(values, np.float64)) for values in (x, y)]
    first, second = (order[np.triu_indices(len(order), 1)] for order in orders)
    untied = math.sqrt(int(np.count_nonzero(first)) * int(np.count_nonzero(second)))
    return int((first * second).sum()) / untied if untied else math.nan


def _order(values: FloatArray) -> npt.NDArray[np.int64]:
    """Return for each pair of values which is larger: 1, -1, or 0 for a tie, (values, values)."""
    apart = values[:, None] - values
    scale = np.maximum(1.0, np.maximum(np.abs(values[:, None]), np.abs(values)))
    return np.where(np.abs(apart) <= ROUNDING * scale, 0, np.sign(apart)).astype(np.int64)


def quadratic_kappa(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return kappa with quadratic weights of paired levels; NaN without values, and when both sides are one and the same level."""
    levels, others = np.asarray(x, np.int64), np.asarray(y, np.int64)
    if not len(levels):
        return math.nan
    # In whole numbers: the sum over all pairs of (a - b) squared is n sum(a a) - 2 sum(a) sum(b) + n sum(b b).
    n = len(levels)
    observed = n * int(((levels - others) ** 2).sum())
    expected = n * int((levels**2).sum()) - 2 * int(levels.sum()) * int(others.sum()) + n * int((others**2).sum())
    return 1 - observed / expected if expected else math.nan


def tau(ratings: npt.ArrayLike, predictions: npt.ArrayLike) -> Result:
    """Return tau-b of predictions with the ratings that are defined; errors as of `skill.score`."""
    x, y = paired(ratings, predictions)
    return Result(Variant(TAU, "paper", {"ties": "tau-b"}), Value(kendall(x, y), len(x)))


def kappa(ratings: npt.ArrayLike, predictions: npt.ArrayLike) -> Result:
    """Return quadratic kappa of predictions with the ratings that are defined.

    Raises
    ------
    MetricsError
        As of `skill.score`; also for a value that is no whole number.
    """
    x, y = paired(ratings, predictions)
    for values, what in ((x, "rating"), (y, "prediction")):
        if not is_level(values):
            wrong = values[values != np.floor(values)][0]
            msg = (
                f"the {what} {wrong:g} is no level; quadratic kappa needs whole numbers, such as points of OSATS: round by a rule of yours"
            )
            raise MetricsError(msg)
    return Result(Variant(KAPPA, "paper", {"weights": "quadratic"}), Value(quadratic_kappa(x, y), len(x)))


def is_level(values: FloatArray) -> bool:
    """Return whether all defined values are whole numbers."""
    defined = values[~np.isnan(values)]
    return bool((defined == np.floor(defined)).all())
