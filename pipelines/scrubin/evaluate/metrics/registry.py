"""The registry of metrics: name, task, sentence, source, column of each, beside the function that computes it. A new metric is one file.

Documents, leaderboards and golden files follow from what is declared here; so does what `scrubin score` computes, where a metric is
computed alone.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.result import Result

Task = Literal["recognition", "detection", "tracks", "points", "phases", "criteria", "skill", "errors"]
Compute = TypeVar("Compute", bound=Callable[..., Result])


@dataclass(frozen=True)
class Metric:
    """What is declared of one metric.

    Parameters
    ----------
    name
        As results name it; ``{}`` stands for a number that is chosen.
    task, kinds
        Of `scrubin score`, and under which ``--variant kind=`` it is computed. Empty: the task has no kinds.
    says, source
        What it is, and who defined it; "" where no paper does.
    is_column
        Whether a leaderboard shows it as long as it shows anything else.
    less_is_better
        Whether the best has the least of it: how a leaderboard sorts it.
    ranks
        Whether a leaderboard is sorted by it when nobody says by what.
    compute
        What computes it alone. None: its task computes it together with others.
    takes
        Names of choices that ``compute`` takes by keyword.
    """

    name: str
    task: Task
    kinds: tuple[str, ...]
    says: str
    source: str = ""
    is_column: bool = True
    less_is_better: bool = False
    ranks: bool = False
    compute: Callable[..., Result] | None = None
    takes: tuple[str, ...] = field(default=())

    def of(self, *sides: object, choice: Mapping[str, str]) -> Result:
        """Return its result of both sides.

        Parameters
        ----------
        sides
            What metrics of its task take, see `metric`.
        choice
            The value of every choice.
        """
        assert self.compute is not None
        return self.compute(*sides, **{name: choice[name] for name in self.takes})


METRICS: dict[str, Metric] = {}
"""By name, those of the modules that are imported; `every` has all."""


def declare(
    name: str,
    *,
    task: Task,
    says: str,
    kinds: Sequence[str] = (),
    source: str = "",
    column: bool = True,
    less_is_better: bool = False,
    ranks: bool = False,
) -> str:
    """Declare a metric that its task computes together with others, and return its name.

    Raises
    ------
    MetricsError
        When there is one of that name.
    """
    return _register(Metric(name, task, tuple(kinds), says, source, column, less_is_better, ranks)).name


def metric(
    name: str,
    *,
    task: Task,
    says: str,
    kinds: Sequence[str] = (),
    source: str = "",
    column: bool = True,
    less_is_better: bool = False,
    takes: Sequence[str] = (),
) -> Callable[[Compute], Compute]:
    """Declare a metric with the function that computes it alone; `scrubin score` calls it, with no line elsewhere.

    It takes, by task: ``skill`` ratings and predictions, (videos,) each. ``errors`` both by name of the error, (videos,) each. ``phases``
    a sequence of `PhaseVideo` and the names of the phases. ``recognition`` a sequence of `TripletVideo` and the `TripletMap`. ``detection``
    a `Scene`. ``tracks`` a sequence of `TrackVideo` and the number of classes. ``points`` a `PointStudy`. ``criteria`` a sequence of
    `CriteriaVideo` and their names. Draws of videos are made before.

    Raises
    ------
    MetricsError
        When there is one of that name.
    """

    def register(compute: Compute) -> Compute:
        _register(Metric(name, task, tuple(kinds), says, source, column, less_is_better, compute=compute, takes=tuple(takes)))
        return compute

    return register


def _register(one: Metric) -> Metric:
    if one.name in METRICS:
        raise MetricsError(f"the metric '{one.name}' is declared twice; give one of them another name")
    METRICS[one.name] = one
    return one


@functools.cache
def every() -> Mapping[str, Metric]:
    """Return all metrics, in the order of their modules; each module of this package is imported."""
    package = __name__.rpartition(".")[0]
    for module in _modules(importlib.import_module(package).__path__, package):
        importlib.import_module(module)
    return METRICS


def _modules(paths: Sequence[str], package: str) -> Iterator[str]:
    for one in sorted(pkgutil.iter_modules(list(paths)), key=lambda one: one.name):
        name = f"{package}.{one.name}"
        yield name
        if one.ispkg:
            yield from _modules(importlib.import_module(name).__path__, name)


def named(name: str) -> Metric:
    """Return the metric of a result by its name; raises `MetricsError` where none is declared.

    >>> named("phase segments F1@25").name
    'phase segments F1@{}'
    """
    for declared, one in every().items():
        if re.fullmatch(re.escape(declared).replace(r"\{\}", r"[0-9]+"), name):
            return one
    raise MetricsError(f"there is no metric '{name}'; declare it beside its function, as `metrics.registry` says")


def alone(task: Task, kind: str = "") -> list[Metric]:
    """Return the metrics of a task and kind that are computed alone."""
    return [one for one in every().values() if one.task == task and one.compute is not None and (not kind or kind in one.kinds)]


def kinds(task: Task) -> list[str]:
    """Return the kinds of a task, sorted."""
    return sorted({kind for one in every().values() if one.task == task for kind in one.kinds})


Origin = Literal["definition", "choice", "bug"]


@dataclass(frozen=True)
class Quirk:
    """One difference, or one place where the paper is silent.

    Parameters
    ----------
    name
        For references.
    origin
        ``definition``: the paper or the package's documentation says so. ``choice``: the paper is silent, the package decides.
        ``bug``: contradicts the paper or the package's documentation.
    published
        What the published program does: ivtmetrics 0.1.5 of triplets, matlab-eval of TMRNet of phases,
        scikit-learn of errors, unless another is named.
    paper, compat
        What the semantics ``paper`` and ``compat`` do here.
    """

    name: str
    origin: Origin
    published: str
    paper: str
    compat: str
