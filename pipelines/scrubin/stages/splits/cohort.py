"""Who is dealt, in groups of alike participants, with what of them is balanced: columns per recording.

Each measure is a count (or centred sum) per recording, so that a subset's value is the sum over its
recordings and its target is the subset's share of the total.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import SplitError
from scrubin.base.text.csv_text import is_missing, number

Floats = npt.NDArray[np.float64]
RECORDINGS = "recordings"
"""Name of the measure that counts a task's recordings."""
FINE = 0.5
"""Measures of a smaller weight are parts of a distribution that other measures show, too."""


@dataclass(frozen=True)
class Measure:
    """One thing to balance.

    Parameters
    ----------
    task, name
        What it is.
    values
        Its value for each recording, in the order of the people.
    unit
        The deviation of a subset from its target counts as imbalance in units of
        ``max(1, share x unit)``: for counts the target itself, so that imbalance is relative,
        but never finer than one recording. For a mean the number of recordings that have a value,
        with values in standard deviations, so that imbalance is the shift of the mean in sd.
    whole
        Whether values are counts: then a target between two whole numbers cannot be met.
    weight
        How much its imbalance counts in the objective; a multiple of 1/16.
    """

    task: str
    name: str
    values: Floats
    unit: float
    whole: bool
    weight: float = 1.0

    @property
    def fine(self) -> bool:
        """Whether it is a part of a distribution that other measures show, too."""
        return self.weight < FINE

    @property
    def total(self) -> float:
        """The value of all recordings together."""
        return math.fsum(self.values)

    def scale(self, share: float) -> float:
        """Return the deviation that counts as imbalance 1."""
        return max(1.0, share * self.unit)


def count(task: str, name: str, values: npt.ArrayLike, weight: float = 1.0, unit: float | None = None) -> Measure:
    """Return the measure of a count per recording; without a unit its imbalance is relative to the count that is wanted."""
    counted = np.asarray(values, dtype=np.float64)
    return Measure(task, name, counted, math.fsum(counted) if unit is None else unit, whole=True, weight=weight)


def mean(task: str, name: str, values: Floats, weight: float = 1.0) -> Measure | None:
    """Return the measure of a mean, with NaN for recordings without a value; None when nothing varies."""
    defined = ~np.isnan(values)
    n = int(defined.sum())
    if n < 2 or np.ptp(values[defined]) == 0:
        return None
    centre = math.fsum(values[defined]) / n
    sd = math.sqrt(math.fsum((values[defined] - centre) ** 2) / (n - 1))
    return Measure(task, name, np.where(defined, (values - centre) / sd, 0.0), float(n), whole=False, weight=weight)


@dataclass(frozen=True)
class Group:
    """Participants with equal values in all measures: any of them may stand for any other.

    Parameters
    ----------
    members
        The released ids of each member's recordings, in the order in which members are dealt.
    values
        The sum over the recordings of one member, per measure.
    place
        Number of the subset that the members must be in; None when any will do.
    """

    members: tuple[tuple[str, ...], ...]
    values: Floats
    place: int | None

    @property
    def key(self) -> str:
        """The ids of the first member: tells groups apart."""
        return " ".join(self.members[0])


def groups(people: pd.DataFrame, measures: Sequence[Measure], place_of: Mapping[str, int], seed: int) -> list[Group]:
    """Return the groups, in an order that depends on the seed and the released ids only.

    Neither the order of rows nor a participant's name has an influence.

    Parameters
    ----------
    people
        One row per recording, in the order of the measures' values: id, participant.
    measures
        What is balanced.
    place_of
        Number of the subset by participant, for those who have a fixed place.
    seed
        Shuffles equal participants.
    """
    ids = people.id.to_numpy(dtype=object)
    matrix = np.stack([measure.values for measure in measures], axis=1)
    alike: dict[tuple[int | None, bytes], list[tuple[tuple[str, ...], Floats]]] = {}
    for participant, rows in people.groupby("participant").indices.items():
        # Sorted by id, so that sums of decimals do not depend on the order of rows.
        ordered = rows[np.argsort(ids[rows])]
        values = matrix[ordered].sum(axis=0) + 0.0  # no -0.0, whose bytes differ
        alike.setdefault((place_of.get(str(participant)), values.tobytes()), []).append((tuple(ids[ordered]), values))
    alike_groups = []
    for (place, _), members in alike.items():
        dealt = sorted((member for member, _ in members), key=lambda member: fraction(seed, *member))
        alike_groups.append(Group(tuple(dealt), members[0][1], place))
    return sorted(alike_groups, key=lambda group: fraction(seed, group.key))


def fraction(seed: int, *names: str) -> float:
    """Return a number in [0, 1) drawn from the seed and names, the same on every machine."""
    digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


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
        numbers = [number(text) for text in present]
    except ValueError:
        return "category"
    counts = all(one >= 0 and one.is_integer() for one in numbers) and 0.0 in numbers
    return "count" if counts else "number"


def _flag(name: str, text: str) -> bool:
    if text.lower() not in TRUE | FALSE:
        msg = f"column '{name}' holds '{text}' where True or False is expected; correct it, or balance it as another kind: {name}:category"
        raise SplitError(msg)
    return text.lower() in TRUE


def _number(name: str, text: str, kind: str) -> float:
    try:
        value = number(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST or (kind == "count" and (value < 0 or value % 1)):
        raise SplitError(f"column '{name}' holds '{text}', which is no {kind}; correct it, or leave the cell empty")
    return value


@dataclass(frozen=True)
class Cohort:
    """Recordings in an order that tells nothing: sorted by id.

    Parameters
    ----------
    people
        One row per recording: id, task, participant, pinned (bool: must be in the subset for training).
    columns
        What may be balanced or sorted by; values in the order of ``people``.
    """

    people: pd.DataFrame
    columns: tuple[Column, ...]

    @property
    def participants(self) -> list[str]:
        """Every participant once, sorted by the first of its released ids."""
        return [str(name) for name in self.people.drop_duplicates("participant").participant]

    def measures(self) -> list[Measure]:
        """Return what is balanced: the number of recordings, and all columns."""
        return measures(self.people.task.tolist(), self.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """Every feature: the first word of each column, as in ``balancing``."""
        return tuple(sorted({column.name.split(" ")[0] for column in self.columns}))

    def balancing(self, features: Sequence[str]) -> Cohort:
        """Return the cohort with the columns of some features only: those named ``<feature>`` or ``<feature> <what>``."""
        return Cohort(self.people, tuple(column for column in self.columns if column.name.split(" ")[0] in features))

    def column(self, name: str) -> Column:
        """Return a column by its name.

        Raises
        ------
        SplitError
            When there is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise SplitError(f"there is no column '{name}'; there are {', '.join(column.name for column in self.columns) or 'none'}")

    def only(self, keep: npt.NDArray[np.bool_]) -> Cohort:
        """Return the recordings for which ``keep`` is True."""
        columns = [Column(column.name, column.kind, column.values[keep].reset_index(drop=True)) for column in self.columns]
        return Cohort(self.people[keep].reset_index(drop=True), tuple(columns))

    def tasks(self) -> list[str]:
        """Return every task once, sorted."""
        return sorted(set(self.people.task))


def cohort(people: pd.DataFrame, columns: Sequence[Column]) -> Cohort:
    """Return a cohort; the order of rows and columns is irrelevant.

    Parameters
    ----------
    people
        One row per recording: id, task, participant, pinned.
    columns
        Columns in the order of ``people``.

    Raises
    ------
    SplitError
        Without recordings, or when an id stands twice.
    """
    if people.empty:
        raise SplitError("no recording is released: there is nothing to split")
    twice = people.id[people.id.duplicated()]
    if len(twice):
        raise SplitError(f"recording '{twice.iloc[0]}' stands twice; every recording is split once: remove one of the rows")
    order = np.argsort(people.id.to_numpy(dtype=object), kind="stable")
    ordered = [Column(one.name, one.kind, one.values.iloc[order].reset_index(drop=True)) for one in columns]
    rows = people.iloc[order].reset_index(drop=True).astype({"participant": "str", "task": "str", "id": "str"})
    return Cohort(rows, tuple(sorted(ordered, key=lambda one: one.name)))


@dataclass(frozen=True)
class Tables:
    """The tables that features are made of; ``sites`` has one row per recording: id, site (None = unknown)."""

    skill: pd.DataFrame
    errors: pd.DataFrame
    videos: pd.DataFrame
    triplets: pd.DataFrame
    phases: pd.DataFrame
    sites: pd.DataFrame


def columns(ids: pd.Series[str], tables: Tables) -> list[Column]:
    """Return every feature that the study has, in the order of the ids.

    A feature of several columns, such as one per error, names them ``<feature> <what>``.
    """
    return [column for feature in FEATURES.values() for column in feature(ids, tables)]


def _grs(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    yield _looked_up("GRS", "number", ids, tables.skill.set_index("id").GRS)


def _errors(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    for error, rows in tables.errors.groupby("error"):
        yield _looked_up(f"error {error}", "flag", ids, rows.set_index("id").occurred)


def _duration(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    first = tables.videos.sort_values(["id", "camera"]).drop_duplicates("id").set_index("id")
    yield _looked_up("duration", "number", ids, first.duration_s)


def _sites(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    sites = tables.sites.drop_duplicates("id").set_index("id").site
    yield _looked_up("site", "category", ids, sites)


def _frequencies(name: str, ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    labelled = (tables.phases if name == "phase" else tables.triplets).dropna(subset=name)
    for (vocabulary, label), of_label in labelled.groupby(["vocabulary", name]):
        counts = of_label.groupby("id").size()
        yield Column(f"{name} {vocabulary}: {label}", "count", ids.map(counts).fillna(0).astype(float).reset_index(drop=True))


def _looked_up(name: str, kind: str, ids: pd.Series[str], values: pd.Series[Any]) -> Column:
    by_row = ids.map(values).reset_index(drop=True)
    if kind == "number":
        return Column(name, kind, by_row.astype(float))
    plain = by_row.astype(object)
    if kind == "flag":
        return Column(name, kind, plain.map(lambda value: None if pd.isna(value) else bool(value)))
    return Column(name, kind, plain.where(plain.notna() & plain.ne(""), None))


FEATURES: dict[str, Callable[[pd.Series[str], Tables], Iterator[Column]]] = {
    "GRS": _grs,
    "error": _errors,
    "duration": _duration,
    "site": _sites,
    **{name: partial(_frequencies, name) for name in ("instrument", "triplet", "phase")},
}
"""Every feature by its name in ``balance``."""
