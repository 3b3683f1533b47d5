"""A metric of some videos that can be computed again of any draw of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pandas as pd

from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault
from scrubin.evaluate.metrics import bootstrap, registry
from scrubin.evaluate.metrics.bootstrap import Draw, Interval
from scrubin.evaluate.metrics.criteria import ROUNDING, CriteriaVideo
from scrubin.evaluate.metrics.detection import Scene
from scrubin.evaluate.metrics.inputs import BoolArray, FloatArray
from scrubin.evaluate.metrics.phases import PhaseVideo
from scrubin.evaluate.metrics.recognition import TripletMap, TripletVideo
from scrubin.evaluate.metrics.result import Result, over_runs
from scrubin.evaluate.metrics.tracks import TrackVideo
from scrubin.evaluate.metrics.variants import SCOPES, Choice
from scrubin.evaluate.released_truth import ReleasedTruth
from scrubin.evaluate.series import IntArray


@dataclass(frozen=True, eq=False)
class ComparedClasses:
    """Labels and scores of classes by frame.

    Parameters
    ----------
    videos
        Matrices of both sides.
    frames
        By video, the number of each row.
    triplets
        What the columns are.
    """

    videos: Sequence[TripletVideo]
    frames: Mapping[str, IntArray]
    triplets: TripletMap


@dataclass(frozen=True, eq=False)
class ComparedBoxes:
    """Boxes of both sides.

    Parameters
    ----------
    scene
        All of them.
    frames
        By video, the number of each frame.
    threshold, interpolation
        Least IoU of a true detection, and how the area under a curve is taken.
    """

    scene: Scene
    frames: Mapping[str, IntArray]
    threshold: float
    interpolation: str


@dataclass(frozen=True, eq=False)
class ComparedPhases:
    """Phases by frame.

    Parameters
    ----------
    videos
        Annotation and the prediction of every run.
    frames
        By video, the number of each frame.
    phases
        Names, by id.
    """

    videos: Sequence[PhaseVideo]
    frames: Mapping[str, IntArray]
    phases: Sequence[str]


@dataclass(frozen=True, eq=False)
class ComparedSheets:
    """Values of recordings: index ``id``, the same columns on both sides, NaN where nothing is known.

    Parameters
    ----------
    task
        Its name.
    truth, predicted
        Both sides.
    """

    task: str
    truth: pd.DataFrame
    predicted: pd.DataFrame


@dataclass(frozen=True, eq=False)
class ComparedMarks:
    """Criteria by frame.

    Parameters
    ----------
    videos
        What annotators say, and what is predicted.
    names
        Of the criteria.
    threshold
        Mean of annotators from which a criterion is met.
    """

    videos: Sequence[CriteriaVideo]
    names: Sequence[str]
    threshold: float

    def met(self, soft: FloatArray) -> BoolArray:
        """Return where a criterion is met by the mean of annotators."""
        return soft >= self.threshold - ROUNDING


Compared = ComparedClasses | ComparedBoxes | ComparedPhases | ComparedSheets | ComparedMarks

Computation = Callable[[Draw | None], list[Result]]


@dataclass(frozen=True, eq=False)
class Computed:
    """Results that belong together.

    Parameters
    ----------
    names
        The videos.
    results
        Takes positions of videos, with repetition, or None for all as they are; always returns the same variants.
    class_names
        By component, names of the classes that results number; empty where results name them.
    frames
        How many frames of each video count; empty where a recording is one row.
    vocabulary
        Whose classes they are; empty where there is none.
    compared
        Both sides side by side, for pictures; of repeated runs the first one, where it cannot hold them all.
    """

    names: tuple[str, ...]
    results: Computation
    class_names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    frames: Mapping[str, int] = field(default_factory=dict)
    vocabulary: str = ""
    compared: Compared | None = None


@dataclass(frozen=True, eq=False)
class Scoring:
    """What is to be computed of both sides, and what the user should know.

    Parameters
    ----------
    parts
        Results that belong together.
    faults
        Of the files of both sides, those that stop nothing.
    notes
        What was assumed or left out, one sentence each.
    read
        As what each path was read, a line each.
    release
        The one that the labels are of.
    """

    parts: Sequence[Computed]
    faults: Sequence[Fault] = ()
    notes: Sequence[str] = ()
    read: Sequence[str] = ()
    release: ReleasedTruth | None = None


def chosen(choices: Mapping[str, Choice], variant: Sequence[str], metric: str) -> dict[str, str]:
    """Return the value of every choice.

    Parameters
    ----------
    variant
        ``name=value``.

    Raises
    ------
    MetricsError
        For a name or value that is not known, or a name that comes twice.
    """
    values: dict[str, str] = {}
    for one in variant:
        name, equals, value = one.partition("=")
        if not equals or name not in choices or name in values:
            fault = "stands twice" if name in values else "is no choice"
            msg = (
                f"--variant {one}: '{name}' {fault} of {metric}; choose {', '.join(_shown(*item) for item in choices.items()) or 'nothing'}"
            )
            raise MetricsError(msg)
        if choices[name].values and value not in choices[name].values:
            raise MetricsError(f"--variant {one}: {name} can be {', '.join(choices[name].values)}")
        values[name] = value
    return {name: values.get(name, choice.default) for name, choice in choices.items()}


def number_of(name: str, text: str, is_allowed: Callable[[float], bool], give: str) -> float:
    """Return the number that a choice is; raises `MetricsError` that says what to give where it is none, or none that is allowed."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and is_allowed(value)):
        raise MetricsError(f"--variant {name}={text}: give {give}")
    return value


def scopes_of(choice: Mapping[str, str]) -> tuple[str, ...]:
    """Return the scopes that a choice names."""
    return SCOPES[1:] if choice["scope"] == "both" else (choice["scope"],)


def refuse_foreign(choice: Mapping[str, str], choices: Mapping[str, Choice], of_kind: Mapping[str, Sequence[str]]) -> None:
    """Refuse what was chosen and has no meaning for the kind of numbers, or the published program, that was chosen.

    Parameters
    ----------
    choice
        The value of every choice, with ``kind`` or ``program``.
    choices
        What there is to choose, with the defaults.
    of_kind
        By kind or program, the choices that belong to it.

    Raises
    ------
    MetricsError
        For the first value that is not the default and does not belong.
    """
    by = "kind" if "kind" in choice else "program"
    for name, value in choice.items():
        if name not in (by, *of_kind[choice[by]]) and value != choices[name].default:
            owners = ", ".join(f"{by}={other}" for other in choices[by].values if name in of_kind[other])
            raise MetricsError(f"--variant {name}={value} says nothing of {by}={choice[by]}; it belongs to {owners}: leave one of them out")


def with_alone(
    computation: Computation, task: registry.Task, choice: Mapping[str, str], sides: Callable[[Draw | None], tuple[Any, ...]]
) -> Computation:
    """Return a computation with the metrics of a task and kind that are computed alone, behind the others.

    Parameters
    ----------
    choice
        The value of every choice, with ``kind``.
    sides
        A draw to what these metrics take, see `registry.metric`.
    """
    metrics = registry.alone(task, choice["kind"])
    if not metrics:
        return computation

    def results(draw: Draw | None) -> list[Result]:
        drawn = sides(draw)
        return [*computation(draw), *(one.of(*drawn, choice=choice) for one in metrics)]

    return results


def stating(computation: Computation, stated: Mapping[str, str], *, unless: str = "") -> Computation:
    """Return a computation whose numbers state something more, see `Variant`.

    Parameters
    ----------
    unless
        A key: what a number already states under it is not stated once more.
    """
    if not stated:
        return computation

    def results(draw: Draw | None) -> list[Result]:
        found = []
        for one in computation(draw):
            own = one.variant.stated
            more = {key: value for key, value in stated.items() if value != own.get(unless)}
            found.append(replace(one, variant=replace(one.variant, stated={**own, **more})))
        return found

    return results


Named = TypeVar("Named", PhaseVideo, TripletVideo, TrackVideo, CriteriaVideo)


def drawn_videos(videos: Sequence[Named], draw: Draw | None) -> list[Named]:
    """Return the videos of a draw, each under a name of its own; without a draw all as they are."""
    if draw is None:
        return list(videos)
    return [replace(videos[at], name=f"{videos[at].name}, {number} of the draw") for number, at in enumerate(draw)]


def of_runs(runs: Sequence[Computed]) -> Computed:
    """Return mean and standard deviation over repeated runs of the same videos; one run stays as it is.

    Raises
    ------
    MetricsError
        When they are of other videos.
    """
    first = runs[0]
    if len(runs) == 1:
        return first
    if any((one.names, one.frames) != (first.names, first.frames) for one in runs):
        raise MetricsError("the runs are of different videos or frames; every run must predict the same")

    def results(draw: Draw | None) -> list[Result]:
        by_variant = zip(*(one.results(draw) for one in runs), strict=True)
        repeated = [over_runs(list(of_variant)) for of_variant in by_variant]
        return [result for one in repeated for result in (one.mean, one.sd)]

    return replace(first, results=results)


def intervals(computed: Computed, resamples: int, each: Callable[[], object]) -> list[Interval]:
    """Return one confidence interval per result over draws of videos; ``each`` is called after every draw."""

    def metrics(draw: Draw) -> list[Result]:
        results = computed.results(draw)
        each()
        return results

    return bootstrap.intervals(metrics, computed.names, resamples=resamples)


def _shown(name: str, choice: Choice) -> str:
    return f"{name}={'|'.join(choice.values) if choice.values else choice.default}"
