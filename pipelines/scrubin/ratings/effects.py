"""What errors have to do with skill: Cohen's d.

Source: LASANA, section Statistical analysis, equation 3 and footnote 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scrubin.statistics import moments


def cohens_d(without: Sequence[float], with_error: Sequence[float]) -> dict[str, float]:
    """Return the effect of an error on a score: positive when recordings with it are worse.

    Undefined (NaN) when a group has fewer than two recordings, as its variance is undefined
    then, or when the pooled standard deviation is 0. The pooled standard deviation takes the
    squares of such a group as 0.

    Parameters
    ----------
    without, with_error
        Defined scores of the recordings without (F) and with (T) the error.

    Returns
    -------
    dict
        n_without, n_with, mean_without, mean_with, pooled_sd, d.

    >>> cohens_d([1.0, 2.0, 3.0], [0.0, 0.5, 1.0])["d"]
    1.8973665961010275
    """
    n_f, n_t = len(without), len(with_error)
    mean_f, mean_t = moments.mean(without), moments.mean(with_error)
    pooled_sd = d = math.nan
    if n_f >= 1 and n_t >= 1 and n_f + n_t > 2:
        pooled_sd = math.sqrt((moments.squares(without) + moments.squares(with_error)) / (n_f + n_t - 2))
    if n_f >= 2 and n_t >= 2 and pooled_sd > 0:
        d = (mean_f - mean_t) / pooled_sd
    return {"n_without": n_f, "n_with": n_t, "mean_without": mean_f, "mean_with": mean_t, "pooled_sd": pooled_sd, "d": d}
