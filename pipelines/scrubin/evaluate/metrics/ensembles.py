"""Predictions of several models combined into one.

Source: CholecTriplet2021 challenge, section 4.4, Figure 7 a to c.

Average precision ranks by these means, so equal ones must be equal to the last bit: 0.2, 0.2, 0.2 and 0, 0.1, 0.5 have the same mean, and
sums of floating-point numbers differ. Scores of up to 12 decimals, as files have them, are therefore summed as whole numbers. Others, such
as float32 in an array, are summed as they are: no rounding makes two of them equal that are not.

>>> models = [np.array([[0.9, 0.2]]), np.array([[0.8, 0.4]]), np.array([[0.1, 0.3]])]
>>> mean(models).round(2).tolist(), weighted(models, [2, 1, 1]).round(3).tolist(), soft_vote(models).tolist()
([[0.6, 0.3]], [[0.675, 0.275]], [[0.9, 0.2]])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.inputs import unmasked

FloatArray = npt.NDArray[np.float64]
DECIMALS, FEWER_DECIMALS = 12, 9
"""Of scores that are summed as whole numbers; fewer where weights are large numbers."""
DECIMALS_OF_WEIGHTS = 6
LARGEST_SUM = 2.0**62
"""Whole numbers up to it are summed without loss."""


def mean(predictions: Sequence[npt.ArrayLike]) -> FloatArray:
    """Return the mean of the models' scores (Figure 7a).

    Parameters
    ----------
    predictions
        One array of any shape per model, such as (frames, classes), all of one shape, in [0, 1].

    Raises
    ------
    MetricsError
        When there is no model, shapes differ, or a score is undefined or not in [0, 1]; names the model and the place.
    """
    models = _stacked(predictions)
    # Sorted, so that the order of the models changes no digit.
    added = np.sum(np.sort(models, axis=0), axis=0) / len(models)
    return _between(_exact(models, np.ones(len(models)), added), models)


def weighted(predictions: Sequence[npt.ArrayLike], weights: npt.ArrayLike) -> FloatArray:
    """Return the weighted mean of the models' scores (Figure 7b).

    Parameters
    ----------
    predictions
        As for `mean`.
    weights
        (models,), or (models, classes) for weights per class (the last axis of the predictions). Any numbers from 0, such as each model's
        mAP: they are divided by their sum over the models, "the performance ratio of each model against the others".

    Raises
    ------
    MetricsError
        As `mean`; also when weights have another shape, are negative or not finite, or sum to 0.
    """
    models = _stacked(predictions)
    try:
        ratios = np.asarray(unmasked(weights, "the weights"), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise MetricsError(f"the weights are not all numbers; give one per model ({len(models)}), or one per model and class") from error
    per_class = ratios.ndim == 2 and models.ndim >= 2 and ratios.shape == (len(models), models.shape[-1])
    if ratios.shape != (len(models),) and not per_class:
        raise MetricsError(f"the weights have the shape {ratios.shape}; give one per model ({len(models)}), or one per model and class")
    if not np.isfinite(ratios).all() or (ratios < 0).any() or (np.max(ratios, axis=0) <= 0).any():
        msg = "weights must be finite, not negative, and not all 0; give for instance the mean average precision of each model"
        raise MetricsError(msg)
    middle = (1,) * (models.ndim - (2 if per_class else 1))
    # By the largest first: shares are the same, and no sum overflows.
    parts = ratios / np.max(ratios, axis=0)
    share = (parts / np.sum(np.sort(parts, axis=0), axis=0)).reshape(len(models), *middle, *ratios.shape[1:])
    added = np.sum(np.sort(models * share, axis=0), axis=0)
    return _between(_exact(models, ratios, added), models)


def soft_vote(predictions: Sequence[npt.ArrayLike], threshold: float = 0.5) -> FloatArray:
    """Return the majority soft vote (Figure 7c): the highest score of all models where most vote for presence, else the lowest.

    The paper leaves open what a score at the threshold votes, and what a draw of an even number of models means: here such a score votes
    for presence, and a draw is no majority, so it means absence.

    Parameters
    ----------
    predictions
        As for `mean`.
    threshold
        A model votes for presence with a score of at least this.

    Raises
    ------
    MetricsError
        As `mean`; also when the threshold is not in [0, 1].
    """
    if not 0 <= threshold <= 1:
        raise MetricsError(f"the threshold is {threshold}; it must lie in [0, 1], as the scores do")
    models = _stacked(predictions)
    present = 2 * np.count_nonzero(models >= threshold, axis=0) > len(models)
    voted: FloatArray = np.where(present, models.max(axis=0), models.min(axis=0))
    return voted


def _exact(models: FloatArray, weights: FloatArray, added: FloatArray) -> FloatArray:
    """Return the weighted mean, rounded once, where scores and ratios of weights are decimal fractions; elsewhere what was added up.

    Parameters
    ----------
    models
        (models, ...), in [0, 1].
    weights
        (models,), or (models, classes).
    added
        The same mean with the rounding of each step.
    """
    if weights.ndim > 1:
        of_classes = added.copy()
        for at in range(weights.shape[1]):
            of_classes[..., at] = _exact(models[..., at], weights[:, at], added[..., at])
        return of_classes
    models = models[weights > 0]
    whole = _whole(weights[weights > 0])
    if whole is None:
        return added
    most = float(whole.sum(dtype=np.float64))
    digits = next((digits for digits in (DECIMALS, FEWER_DECIMALS) if most * 10.0**digits < LARGEST_SUM), None)
    if digits is None:
        return added
    units = np.rint(models * 10.0**digits)
    # The very number that a file with so many decimals gives; anything else keeps its digits.
    is_decimal = (units / 10.0**digits == models).all(axis=0)
    sums = (units.astype(np.int64) * whole.reshape(-1, *(1,) * (models.ndim - 1))).sum(axis=0)
    exact: FloatArray = np.where(is_decimal, sums / (whole.sum() * 10.0**digits), added)
    return exact


def _whole(weights: FloatArray) -> npt.NDArray[np.int64] | None:
    """Return weights above 0 as the smallest whole numbers of their ratios; None where these are no decimal fractions, or too large."""
    with np.errstate(over="ignore"):
        # Such as thirds: of the smallest one they may be whole.
        for ratios in (weights, weights / weights.min()):
            for digits in range(DECIMALS_OF_WEIGHTS + 1):
                units = np.rint(ratios * 10.0**digits)
                if (units < LARGEST_SUM).all() and (units / 10.0**digits == ratios).all():
                    whole = units.astype(np.int64)
                    return np.asarray(whole // np.gcd.reduce(whole))
    return None


def _stacked(predictions: Sequence[npt.ArrayLike]) -> FloatArray:
    arrays: list[npt.NDArray[Any]] = []
    for number, one in enumerate(predictions):
        try:
            array = np.asarray(unmasked(one, f"the predictions of model {number}"))
        except ValueError as error:
            msg = f"the predictions of model {number} have rows of different lengths; give one row per frame, one column per class"
            raise MetricsError(msg) from error
        if array.dtype.kind not in "biuf" or array.ndim == 0:
            msg = f"the predictions of model {number} are of type {array.dtype} and shape {array.shape}; give an array of numbers"
            raise MetricsError(msg)
        if array.shape != np.shape(arrays[0] if arrays else array):
            msg = (
                f"the predictions of model {number} have the shape {array.shape}, those of model 0 {arrays[0].shape}; "
                "every model must predict the same frames and classes"
            )
            raise MetricsError(msg)
        # The negation catches NaN.
        wrong = ~((array >= 0) & (array <= 1))
        if wrong.any():
            place = tuple(int(at) for at in np.argwhere(wrong)[0])
            msg = (
                f"the score of model {number} at {place} is {array[place]}; scores must lie in [0, 1]: pass logits through a sigmoid first"
            )
            raise MetricsError(msg)
        arrays.append(array.astype(np.float64))
    if not arrays:
        raise MetricsError("no predictions are given; at least one model is needed")
    return np.stack(arrays)


def _between(combined: FloatArray, models: FloatArray) -> FloatArray:
    # A mean lies between its parts; rounding must not push it out of [0, 1].
    return np.clip(combined, models.min(axis=0), models.max(axis=0))
