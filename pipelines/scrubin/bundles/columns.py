"""Names for the numbers of a score: a short key for the platforms' files, a title for people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scrubin.bundles.challenge import Column
from scrubin.core.errors import MetricsError
from scrubin.core.suggest import hint
from scrubin.evaluation.reading_aids import is_lone_deviation
from scrubin.labels.tasks import Task
from scrubin.metrics.result import Result

LEFT_OUT = ("classes", "phases", "bessel")
"""Options that tell nothing which the others do not."""


def keys(results: Sequence[Result]) -> dict[str, Result]:
    """Return results by key, in their order: metric and what distinguishes it from the others of its name.

    Standard deviations of one video are undefined by definition and left out. They count for the names: which of them are defined
    depends on a submission, and a key must be the same for all submissions.
    """
    named: dict[str, Result] = {}
    for result in results:
        alike = [one.variant.options for one in results if one.variant.metric == result.variant.metric]
        apart = [name for name in sorted({name for options in alike for name in options}) if len({_text(one, name) for one in alike}) > 1]
        options = result.variant.options
        parts = [f"{_text(options, name)}" for name in apart if name not in LEFT_OUT and name in options]
        key = _slug(" ".join([result.variant.metric, *parts]))
        if key in named:
            key = _slug(" ".join([result.variant.metric, *(f"{name} {_text(options, name)}" for name in apart)]))
        named[key] = result
    if len(named) != len(results):
        msg = "two numbers of this score have the same name; choose one by --variant"
        raise MetricsError(msg)
    return {key: result for key, result in named.items() if not is_lone_deviation(result)}


def leaderboard(task: Task, named: Mapping[str, Result], rank_by: str | None) -> tuple[Column, ...]:
    """Return the columns of a leaderboard, the one that ranks first.

    Raises
    ------
    MetricsError
        When ``rank_by`` is none of them.
    """
    chosen = {key: Column(key, _title(result)) for key, result in named.items() if _is_main(task, result)}
    if not chosen:
        chosen = {key: Column(key, _title(result)) for key, result in named.items()}
    first = rank_by or next((key for key, result in named.items() if key in chosen and _ranks(task, result)), next(iter(chosen)))
    if first not in chosen:
        msg = f"--rank-by {first}: it is no column; {hint(first, sorted(chosen))}"
        raise MetricsError(msg)
    return (chosen[first], *(column for key, column in chosen.items() if key != first))


def _is_main(task: Task, result: Result) -> bool:
    """Return whether people compare this number: one scope, no deviations, and more is better."""
    options = result.variant.options
    if options.get("scope", "video-wise") != "video-wise" or options.get("statistic", "mean").startswith("SD"):
        return False
    if task == "recognition":
        return options.get("null", "counted") == "counted"
    if task == "detection":
        return options.get("component") in ("i", "ivt")
    return "relaxed" not in result.variant.metric and "harmonic" not in result.variant.metric


def _ranks(task: Task, result: Result) -> bool:
    metric, options = result.variant.metric, result.variant.options
    if task == "phases":
        return metric.endswith("jaccard")
    return metric.endswith("AP") and options.get("component") == "ivt"


def _title(result: Result) -> str:
    options = result.variant.options
    shown = [f"{value}" if name == "component" else f"{name} {value}" for name, value in sorted(options.items()) if name in _NAMED]
    return " ".join([result.variant.metric, *shown])


_NAMED = ("component", "iou", "k", "null", "statistic")


def _text(options: Mapping[str, str], name: str) -> str:
    return options.get(name, "")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")
