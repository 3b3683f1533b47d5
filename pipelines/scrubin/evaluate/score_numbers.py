"""The numbers of a score as tables: overall values, then values by class or by video, with dots of the latter."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.evaluate.metrics.result import Value
from scrubin.evaluate.score_document import DIGITS, ScoredResult, is_lone_deviation, shared_options


@dataclass(frozen=True)
class Said:
    """What was chosen and is to be said beside the numbers.

    Parameters
    ----------
    semantics, variant
        The definition, and the value of every choice.
    read
        As what each path was read.
    runs
        How many repeated runs; 1 for one, or for an ensemble.
    aids
        Sentences on numbers that look odd.
    """

    semantics: str
    variant: Mapping[str, str]
    read: Sequence[str] = ()
    runs: int = 1
    aids: Sequence[str] = ()


COLUMNS = 12
"""So many results stand beside each other; all are in the file of --out."""
DOTTED = 24
WIDTH = 100
PERCENT, TENTH = 100.0, 0.1
UNDEFINED = "undefined"


def shown(value: float | None) -> str:
    """Return a number for reading.

    >>> shown(0.25), shown(math.nan), shown(-math.inf)
    ('0.2500', 'undefined', '−infinity')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "infinity" if value > 0 else "−infinity"
    return f"{value:z.{DIGITS}f}".replace("-", "−")


def overall(scored: Sequence[ScoredResult]) -> list[dict[str, Any]]:
    """Return per metric what its numbers share, and a row for each: what distinguishes it, value, n, interval."""
    kept = [one for one in scored if not is_lone_deviation(one.result)]
    groups = []
    for metric, of_metric in _grouped(kept, lambda one: (one.result.variant.metric, one.result.variant.semantics)).items():
        shared = shared_options([one.result.variant.said for one in of_metric])
        rows = [
            {
                "options": _options(one, shared),
                "value": shown(one.result.overall.value),
                "n": one.result.overall.n,
                "low": None if one.interval is None else shown(one.interval.low.value),
                "high": None if one.interval is None else shown(one.interval.high.value),
                "draws": None if one.interval is None else one.interval.low.n,
            }
            for one in of_metric
        ]
        groups.append({"metric": metric[0], "semantics": metric[1], "shared": _text(shared), "rows": rows})
    return groups


def by_class(scored: Sequence[ScoredResult]) -> list[dict[str, Any]]:
    """Return tables of values by class: results of the same classes beside each other."""
    return _tables(scored, lambda one: one.result.classes, lambda one: one.class_names)


def by_video(scored: Sequence[ScoredResult]) -> list[dict[str, Any]]:
    """Return tables of values by video."""
    return _tables(scored, lambda one: one.result.videos, lambda _: {})


def with_values_by_video(scored: Sequence[ScoredResult]) -> list[ScoredResult]:
    """Return the results that have values by video, of repeated runs their means alone."""
    return [one for one in scored if one.result.videos and "SD" not in one.result.variant.options.get("runs", "")]


def dots(scored: Sequence[ScoredResult]) -> dict[str, Any]:
    """Return the strips of dots: one for each result with values by video, a dot for each video."""
    with_videos = with_values_by_video(scored)
    strips = [_strip(one) for one in with_videos[:DOTTED]]
    return {"strips": strips, "left_out": len(with_videos) - len(strips)}


def extremes(one: ScoredResult, most: int) -> dict[str, Any]:
    """Return the worst and best videos of a result, without overlap, and how many are undefined."""
    defined = sorted((value.value, name) for name, value in one.result.videos.items() if value.defined)
    half = min(most, len(defined) // 2) if len(defined) > 1 else len(defined)
    return {
        "what": f"{one.result.variant.metric}; {_text(one.result.variant.said)}",
        "worst": [{"name": name, "value": shown(value)} for value, name in defined[:half]],
        "best": [{"name": name, "value": shown(value)} for value, name in reversed(defined[len(defined) - half :])]
        if len(defined) > 1
        else [],
        "undefined": sum(not value.defined for value in one.result.videos.values()),
    }


def _strip(one: ScoredResult) -> dict[str, Any]:
    values = {name: value.value for name, value in one.result.videos.items()}
    finite = {name: value for name, value in values.items() if math.isfinite(value)}
    low, high = _axis(list(finite.values()))

    def at(value: float) -> float:
        return round(WIDTH * (min(max(value, low), high) - low) / (high - low), 2)

    return {
        "metric": one.result.variant.metric,
        "options": _text(one.result.variant.said),
        "low": f"{low:g}",
        "high": f"{high:g}",
        "dots": [{"x": at(value), "name": name, "value": shown(value)} for name, value in finite.items()],
        "mean": at(one.result.overall.value) if math.isfinite(one.result.overall.value) else None,
        "shown": shown(one.result.overall.value),
        "undefined": sum(math.isnan(value) for value in values.values()),
        "infinite": sum(math.isinf(value) for value in values.values()),
    }


def _axis(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis: of shares and percentages all of them, else of the values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low < 0 or high > PERCENT:
        # One whole number alone, such as -2, is no axis.
        return math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    return 0.0, 1.0 if high <= 1 else math.ceil(high) if high <= TENTH * PERCENT else PERCENT


def _tables(
    scored: Sequence[ScoredResult],
    values_of: Callable[[ScoredResult], Mapping[str, Value]],
    names_of: Callable[[ScoredResult], Mapping[str, str]],
) -> list[dict[str, Any]]:
    kept = [one for one in scored if values_of(one) and not is_lone_deviation(one.result)]
    tables = []
    for keys, group in _grouped(kept, lambda one: (_of(one), *values_of(one))).items():
        beside, names = group[:COLUMNS], names_of(group[0])
        shared = shared_options([one.result.variant.said for one in beside])
        rows = [
            {
                "key": key,
                "name": names.get(key, ""),
                "cells": [{"value": shown(value.value), "n": value.n} for one in beside for value in [values_of(one)[key]]],
            }
            for key in keys[1:]
        ]
        heads = [{"metric": one.result.variant.metric, "options": _options(one, shared)} for one in beside]
        tables.append({"of": keys[0], "shared": _text(shared), "heads": heads, "rows": rows, "left_out": len(group) - len(beside)})
    return tables


def _of(one: ScoredResult) -> str:
    return one.result.variant.options.get("component") or one.result.variant.options.get("task", "")


def _grouped(scored: Sequence[ScoredResult], key: Callable[[ScoredResult], tuple[str, ...]]) -> dict[tuple[str, ...], list[ScoredResult]]:
    groups: dict[tuple[str, ...], list[ScoredResult]] = {}
    for one in scored:
        groups.setdefault(key(one), []).append(one)
    return groups


def _options(one: ScoredResult, shared: Mapping[str, str]) -> str:
    return _text({key: value for key, value in one.result.variant.said.items() if key not in shared})


def _text(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in sorted(options.items()))
