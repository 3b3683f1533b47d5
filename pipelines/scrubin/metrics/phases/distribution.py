"""How accuracy, precision, recall, F1 and Jaccard spread over videos: mean, deviation, quartiles, least and greatest.

A video's value is the mean over its phases, and over runs where there are several; the rates are those of section 3.2. Quartiles are
interpolated linearly between the videos, as by numpy's default.
"""

from __future__ import annotations

import math

import numpy as np

from scrubin.metrics.phases import rates
from scrubin.metrics.phases.averaging import Elements, mean_of, means, sd_of
from scrubin.metrics.phases.confusion import Confusions
from scrubin.metrics.phases.rates import Strategy
from scrubin.metrics.result import Result, Value

QUANTILES = {"least": 0.0, "lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75, "greatest": 1.0}


def results(confusions: Confusions, undefined: Strategy = "A", *, bessel: bool = True) -> list[Result]:
    """Return the statistics of every rate over videos; n is the number of videos where it is defined.

    Parameters
    ----------
    confusions
        Of videos (not pooled).
    undefined
        What becomes of undefined values of a phase, see `rates.settled`.
    bessel
        Whether the standard deviation divides by n - 1.
    """
    every = (rates.accuracy(confusions), *(rates.elements(confusions, rate, undefined) for rate in rates.RATES))
    return [result for elements in every for result in _of(elements, bessel)]


def _of(elements: Elements, bessel: bool) -> list[Result]:
    by_video = means(elements.macro().T)
    defined = sorted(by_video[~np.isnan(by_video)].tolist())
    options = {"averaged": "phases and runs of a video"}
    videos = {name: Value(value, int(not math.isnan(value))) for name, value in zip(elements.videos, by_video.tolist(), strict=True)}
    values = [Result(elements.variant(statistic="mean over videos", **options), mean_of(by_video), {}, videos)]
    spread = elements.variant(statistic="SD over videos", bessel="corrected" if bessel else "uncorrected", **options)
    values.append(Result(spread, sd_of(by_video, bessel)))
    for name, share in QUANTILES.items():
        value = float(np.quantile(defined, share)) if defined else math.nan
        values.append(Result(elements.variant(statistic=f"{name} over videos", **options), Value(value, len(defined))))
    return values
