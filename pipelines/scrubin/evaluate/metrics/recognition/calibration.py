"""Calibration of probabilities: expected calibration error by stated bins, the Brier score.

Every class is a yes or no of every frame, as labels of recognition are (several at a time, or none): its probability is held against
whether it is there. All frames count, of all videos, and all classes that take part, also those that never occur. A class that takes no
part is nowhere there: its own error is added to theirs before that is divided by how many take part, so that to predict it never helps.

- **ECE** (Guo et al., *On Calibration of Modern Neural Networks*, ICML 2017, equation 3): frames are put into bins by their probability;
  over the bins, weighted by how many frames they hold, the mean distance of mean probability and share of frames where the class is.
  ``equal width``: bin m of M holds probabilities above (m - 1) / M up to m / M, and 0 is in the first. ``equal mass`` (Nixon et al.,
  *Measuring Calibration in Deep Learning*, CVPR workshops 2019, the adaptive bins): bins hold as equally many frames as ties allow, since
  equal probabilities stay in one bin. Guo's text is of the most probable of exclusive classes; of labels it is taken for each class, and
  summarised over classes (Nixon's class-wise errors) or over all labels as if they were one class.
- **Brier score** (Brier, *Verification of forecasts expressed in terms of probability*, 1950, for one yes or no): mean squared distance.

>>> labels, probabilities = np.array([0, 0, 1, 1]), np.array([0.1, 0.3, 0.6, 0.8])
>>> round(expected_error(labels, probabilities, 2, "equal width"), 4), round(brier(labels, probabilities), 4)
(0.25, 0.075)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scrubin.base import statistics
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.inputs import unmasked
from scrubin.evaluate.metrics.recognition import ClassRows, Grouping, IntArray, TripletMap, TripletVideo, checked, part
from scrubin.evaluate.metrics.registry import declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, taking_part
from scrubin.evaluate.metrics.variants import BINS, Component

Binning = Literal["equal width", "equal mass"]
BINNINGS: tuple[Binning, ...] = get_args(Binning)
MOST_BINS = 10_000
"""More would hold a frame each, if any, and take for ever."""

ECE = declare(
    "triplet recognition ECE",
    task="recognition",
    kinds=["calibration"],
    says="expected calibration error, with bins of equal width or equal mass",
    source="Guo et al. 2017, equation 3; Nixon et al. 2019",
    less_is_better=True,
)
BRIER = declare(
    "triplet recognition Brier score",
    task="recognition",
    kinds=["calibration"],
    says="mean squared distance of a probability from what is so",
    source="Brier 1950",
    less_is_better=True,
)
Probabilities = npt.NDArray[np.float64]


def expected_error(labels: npt.ArrayLike, probabilities: npt.ArrayLike, bins: int, binning: Binning) -> float:
    """Return the expected calibration error of one class; NaN without frames.

    Parameters
    ----------
    labels
        (frames,), 0 or 1.
    probabilities
        (frames,), in [0, 1].
    bins
        How many at most; those without frames count nothing.
    binning
        How they are cut.

    Raises
    ------
    MetricsError
        When shapes differ, a label is neither 0 nor 1, a probability is outside 0..1, or there are no such bins.
    """
    if binning not in BINNINGS:
        raise MetricsError(f"there are no bins of {binning!r}; choose one of {', '.join(BINNINGS)}")
    _check_bins(bins)
    values, there = _sorted(labels, probabilities)
    if not len(values):
        return math.nan
    edges = np.arange(1, bins) / bins if binning == "equal width" else values[-(-np.arange(1, bins) * len(values) // bins) - 1]
    # Equal to an edge is below it; edges of equal mass may be one and the same.
    cuts = np.unique(np.concatenate([[0], np.searchsorted(values, edges, side="right")]))
    starts = cuts[cuts < len(values)]
    apart = np.abs(np.add.reduceat(values, starts) - np.add.reduceat(there, starts))
    return math.fsum(apart.tolist()) / len(values)


def brier(labels: npt.ArrayLike, probabilities: npt.ArrayLike) -> float:
    """Return the Brier score of one class; NaN without frames. Parameters and errors as `expected_error`."""
    values, there = _sorted(labels, probabilities)
    if not len(values):
        return math.nan
    # Sorted sums: the order of frames and videos does not change a bit.
    right, wrong = (1 - np.sort(values[there == 1])) ** 2, np.sort(values[there == 0]) ** 2
    return (float(right.sum()) + float(wrong.sum())) / len(values)


def _sorted(labels: npt.ArrayLike, probabilities: npt.ArrayLike) -> tuple[Probabilities, Probabilities]:
    values, there = _numbers(probabilities, "probabilities"), _numbers(labels, "labels")
    if values.shape != there.shape:
        raise MetricsError(f"the labels have the shape {there.shape} and the probabilities {values.shape}; give one of each per frame")
    values, there = values.ravel(), there.ravel()
    # The negations catch NaN.
    for of, wrong, fix in (
        (values, ~((values >= 0) & (values <= 1)), "a probability is in 0..1: apply a sigmoid to logits first"),
        (there, ~((there == 0) | (there == 1)), "labels are 0 or 1"),
    ):
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise MetricsError(f"the {'probability' if of is values else 'label'} of row {at} is {float(of[at])!r}; {fix}")
    order = np.argsort(values, kind="stable")
    return values[order], there[order]


def _numbers(values: npt.ArrayLike, what: str) -> Probabilities:
    try:
        array = np.asarray(unmasked(values, f"the {what}"))
        is_text = array.dtype.kind == "O" and any(isinstance(one, str | bytes) for one in array.flat)
        if (array.dtype.kind in "biufO" and not is_text) or not array.size:
            return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise MetricsError(f"the {what} are not all numbers; give one per frame")


def _check_bins(bins: int) -> None:
    is_whole = isinstance(bins, int | np.integer) and not isinstance(bins, bool)
    if not is_whole or not 1 <= bins <= MOST_BINS:
        raise MetricsError(f"{bins} bins; give a whole number from 1 to {MOST_BINS}")


class Calibration:
    """Labels and probabilities of all videos, of which draws can be taken.

    Parameters
    ----------
    videos
        Labels and probabilities of triplets.
    triplets
        Their parts: the probability of a part is the largest of its triplets.
    bins
        How many.

    Raises
    ------
    MetricsError
        As `videos.checked`; also for a score outside 0..1, or a number of bins below 1 or above `MOST_BINS`.
    """

    def __init__(self, videos: Sequence[TripletVideo], triplets: TripletMap, bins: int = BINS) -> None:
        _check_bins(bins)
        self._rows = dict(checked(videos, len(triplets)))
        self._triplets, self._bins = triplets, bins
        for name, rows in self._rows.items():
            wrong = np.argwhere((rows.scores < 0) | (rows.scores > 1))
            if len(wrong):
                column, frame = wrong[0].tolist()
                which = f"video {name}: the score of row {frame}, class {column} is {rows.scores[column, frame]:g}"
                raise MetricsError(f"{which}; calibration is of probabilities in 0..1: apply a sigmoid to logits first")

    def results(self, component: Component, *, ignore_null: bool = False, draw: IntArray | None = None) -> list[Result]:
        """Return ECE by both kinds of bins, and the Brier score: over classes, and over all labels together.

        Parameters
        ----------
        component
            Of the triplet.
        ignore_null
            Leave out the null triplets.
        draw
            Positions of videos, which may repeat; None: all.
        """
        grouping, every_class = self._triplets.grouping(component), self._triplets.kept(component, ignore_null)
        is_there = np.broadcast_to(self._triplets.takes_part(component), len(grouping.ids))[every_class]
        kept, others = every_class[is_there], every_class[~is_there]
        every = list(self._rows.values())
        drawn = every if draw is None else [every[at] for at in draw.tolist()]
        labels, scores = (np.concatenate(matrices, axis=1) for matrices in zip(*(_of(rows, grouping, kept) for rows in drawn), strict=True))
        false = np.concatenate([_of(rows, grouping, others)[1] for rows in drawn], axis=1)
        # Of what is nowhere there, every bin errs by its mean probability.
        share = len(others) / max(1, len(kept)) if false.size and false.any() else 0.0
        ids = [str(int(grouping.ids[at])) for at in kept.tolist()]
        shared = {"component": component, "null": _null(component, ignore_null=ignore_null), "scope": "global"}
        stated = taking_part([int(id_) for id_ in ids], len(every_class))
        results = []
        for binning in BINNINGS:
            options = {**shared, "bins": f"{self._bins} of {binning}"}
            values = [expected_error(one, other, self._bins, binning) for one, other in zip(labels, scores, strict=True)]
            together = expected_error(labels, scores, self._bins, binning)
            results += _both(ECE, (options, stated), values, together, ids, labels.shape, share and share * float(false.mean()))
        values = [brier(one, other) for one, other in zip(labels, scores, strict=True)]
        added = share and share * float((false**2).mean())
        return [*results, *_both(BRIER, (shared, stated), values, brier(labels, scores), ids, labels.shape, added)]


def _of(rows: ClassRows, grouping: Grouping, kept: IntArray) -> tuple[Probabilities, Probabilities]:
    of_part = part(rows, grouping)
    return of_part.labels[kept].astype(np.float64), of_part.scores[kept].astype(np.float64)


def _null(component: Component, *, ignore_null: bool) -> str:
    return "left out" if component == "ivt" and ignore_null else "counted"


def _both(
    metric: str,
    of: tuple[dict[str, str], dict[str, str]],
    values: Sequence[float],
    together: float,
    ids: Sequence[str],
    shape: tuple[int, ...],
    added: float,
) -> list[Result]:
    (options, stated), (classes, frames) = of, shape
    by_class = {id_: Value(value, frames) for id_, value in zip(ids, values, strict=True)}
    overall = Value(statistics.mean([value for value in values if not math.isnan(value)]) + added, classes if frames else 0)
    return [
        Result(Variant(metric, "paper", {**options, "averaged": "over classes"}, stated), overall, by_class),
        Result(Variant(metric, "paper", {**options, "averaged": "all labels together"}, stated), Value(together + added, classes * frames)),
    ]
