"""What of a column is balanced: by its kind, how often a value occurs, how much there is, or how values are distributed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.core.csvtext import is_missing
from scrubin.core.errors import SplitError
from scrubin.splits.measures import RECORDINGS, Floats, Measure, count, mean

BINS = ("low", "middle", "high")
"""Terciles of a task, in ascending order."""
PARTS = {3: 0.25, 5: 1.0, 10: 0.25}
"""Into so many parts of equal size a measurement is cut, each with the weight of one part."""
SMALL_MEAN = 2.0
"""Weight of the mean in a task that is cut into thirds alone: a subset of it may be one participant, whose thirds say little of how far
the mean is off; with 1, one error more or less in another subset outweighs half a standard deviation."""
RUNNING, UP_TO, MEAN, SPREAD = 5, 0.25, 0.5, 0.5
"""Recordings are also counted up to the end of each fifth. Weights of such a count, of the mean and of the spread."""
PART_HOLDS = 20
"""Parts hold at least so many recordings of a task, so that a subset of 10 % has 2; a task of fewer than five such parts is cut into
thirds alone."""
SIZE = 2.0
"""Weight of the number of recordings."""
KINDS = {
    "flag": "True or False: how often it is True",
    "number": "a measurement: its distribution (recordings in each third, fifth and tenth, and up to each fifth), mean and spread",
    "count": "a number of things: their total, and the recordings that have any",
    "category": "a word: recordings per word",
}
"""What is balanced of a column, by its kind."""
TRUE, FALSE = frozenset({"true", "1", "1.0", "yes"}), frozenset({"false", "0", "0.0", "no"})
LARGEST = 1e100
"""Sums of squares of larger numbers do not fit."""
MOST_CATEGORIES = 50
"""A column with more different texts than this names recordings rather than describes them."""


@dataclass(frozen=True)
class Column:
    """A column to balance; values in the order of the recordings, missing ones allowed.

    Parameters
    ----------
    name
        Its name.
    kind
        One of ``KINDS``.
    values
        Values: bool for a flag (None = unknown), float for a number or count, str for a category.
    """

    name: str
    kind: str
    values: pd.Series[Any]


def column(name: str, values: pd.Series[Any], kind: str | None = None) -> Column:
    """Return a column of text or plain values with its kind; None: the kind that its values have.

    True/False, 0/1 and yes/no are flags; whole numbers that are never negative, with zeros among them, are
    counts; other numbers are numbers; the rest are categories. Among flags and numbers, what `csvtext.MISSING` lists is
    missing; in a category only an empty cell is: ``none`` may be a word.

    Raises
    ------
    SplitError
        When the values do not fit the kind.

    >>> column("sutures", pd.Series(["0", "3", "12"])).kind
    'count'
    """
    texts = [None if pd.isna(value) or not str(value).strip() else str(value).strip() for value in values]
    kind = kind or _kind([text for text in texts if text is not None and not is_missing(text)])
    if kind == "flag":
        flags = [None if text is None or is_missing(text) else _flag(name, text) for text in texts]
        return Column(name, kind, pd.Series(flags, dtype=object))
    if kind in ("number", "count"):
        numbers = [math.nan if text is None or is_missing(text) else _number(name, text, kind) for text in texts]
        return Column(name, kind, pd.Series(numbers, dtype=float))
    present = [text for text in texts if text is not None]
    if len(set(present)) > MOST_CATEGORIES:
        msg = f"column '{name}' has {len(set(present))} different words, such as '{present[0]}': too many to balance; choose another column"
        raise SplitError(msg)
    return Column(name, "category", pd.Series(texts, dtype=object))


def measures(tasks: Sequence[str], columns: Sequence[Column]) -> list[Measure]:
    """Return the measures of all columns, per task, sorted by task: first the number of recordings.

    What does not vary within a task is left out.

    Parameters
    ----------
    tasks
        The task of each recording.
    columns
        The columns, in the order of the recordings.
    """
    of = np.asarray(tasks, dtype=object)
    all_measures: list[Measure] = []
    for task in sorted(set(tasks)):
        inside = of == task
        all_measures.append(count(task, RECORDINGS, inside, weight=SIZE))
        for one in columns:
            all_measures += MEASURES[one.kind](task, one, inside)
    return all_measures


def bins(values: Floats, parts: int = 3) -> npt.NDArray[np.int64]:
    """Return the part (0 = the lowest) of each defined value, -1 for undefined ones; by default its tercile.

    Edges are numpy's linear quantiles; a value on an edge belongs below it, so equal values
    share a part.

    >>> bins(np.array([1.0, 2.0, 3.0, 4.0, np.nan])).tolist()
    [0, 0, 1, 2, -1]
    """
    defined = ~np.isnan(values)
    bin_of = np.full(values.shape, -1, dtype=np.int64)
    if defined.any():
        edges = np.quantile(values[defined], np.arange(1, parts) / parts, method="linear")
        bin_of[defined] = np.searchsorted(edges, values[defined], side="left")
    return bin_of


def _flags(task: str, of: Column, inside: npt.NDArray[np.bool_]) -> Iterator[Measure]:
    marked = inside & of.values.map(lambda value: value is True).to_numpy(dtype=bool)
    if marked.any() and (marked != inside).any():
        yield count(task, of.name, marked)


def _numbers(task: str, of: Column, inside: npt.NDArray[np.bool_]) -> Iterator[Measure]:
    values = np.where(inside, of.values.to_numpy(dtype=float), np.nan)
    n = int((~np.isnan(values)).sum())
    if n < 2 or np.ptp(values[~np.isnan(values)]) == 0:
        return
    fine = n >= RUNNING * PART_HOLDS
    for parts, weight in PARTS.items() if fine else [(3, 1.0)]:
        if not fine or n >= parts * PART_HOLDS:
            part = bins(values, parts)
            yield from (count(task, f"{of.name} {i + 1}/{parts}", part == i, weight) for i in range(parts) if (part == i).any())
    if fine:
        part = bins(values, RUNNING)
        for i in range(RUNNING - 1):
            # Of all of them, as the distance of two distributions is; in units of one fifth.
            yield count(task, f"{of.name} up to {i + 1}/{RUNNING}", (part >= 0) & (part <= i), UP_TO, n / RUNNING)
    of_mean = mean(task, f"{of.name} mean", values, MEAN if fine else SMALL_MEAN)
    yield from filter(None, [of_mean, _spread(task, of, values) if fine else None])


def _spread(task: str, of: Column, values: Floats) -> Measure | None:
    """Return the measure of the squared distance from the mean: subsets alike in mean and in this are alike in their spread."""
    defined = ~np.isnan(values)
    centre = math.fsum(values[defined]) / int(defined.sum())
    return mean(task, f"{of.name} spread", (values - centre) ** 2, SPREAD)


def _counts(task: str, of: Column, inside: npt.NDArray[np.bool_]) -> Iterator[Measure]:
    values = np.where(inside, np.nan_to_num(of.values.to_numpy(dtype=float)), 0.0)
    if values.any():
        yield count(task, f"{of.name} total", values)
    if (values > 0).any() and ((values > 0) != inside).any():
        yield count(task, f"{of.name} any", values > 0)


def _categories(task: str, of: Column, inside: npt.NDArray[np.bool_]) -> Iterator[Measure]:
    values = of.values.to_numpy(dtype=object)
    present = sorted({str(text) for text in values[inside] if text is not None})
    if len(present) > 1:
        yield from (count(task, f"{of.name}={text}", inside & (values == text)) for text in present)


MEASURES = {"flag": _flags, "number": _numbers, "count": _counts, "category": _categories}


def _kind(present: Sequence[str]) -> str:
    if {text.lower() for text in present} <= TRUE | FALSE:
        return "flag"
    try:
        numbers = [float(text) for text in present]
    except ValueError:
        return "category"
    counts = all(number >= 0 and number.is_integer() for number in numbers) and 0.0 in numbers
    return "count" if counts else "number"


def _flag(name: str, text: str) -> bool:
    if text.lower() not in TRUE | FALSE:
        msg = f"column '{name}' holds '{text}' where True or False is expected; correct it, or balance it as another kind: {name}:category"
        raise SplitError(msg)
    return text.lower() in TRUE


def _number(name: str, text: str, kind: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST or (kind == "count" and (value < 0 or value % 1)):
        msg = f"column '{name}' holds '{text}', which is no {kind}; correct it, or leave the cell empty"
        raise SplitError(msg)
    return value
