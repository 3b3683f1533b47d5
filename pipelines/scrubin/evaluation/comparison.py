"""Two files of scores side by side: only numbers of the same variant and ground truth are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubin.core import strangers
from scrubin.core.errors import MetricsError
from scrubin.metrics.result import Result, Value, Variant, difference

Row = tuple[str, float, float, float]
Counted = Mapping[str, int | None]
NOWHERE = "not scored"


@dataclass(frozen=True)
class _File:
    """What a file of scores says: the hash of the ground truth, what counted, and results by variant."""

    truth: str
    counted: Sequence[Counted]
    results: Mapping[str, Result]


def compared(one: Path, other: Path) -> tuple[list[Row], list[str]]:
    """Return per variant both values and ``one - other``, and the variants that only one of the files has.

    Raises
    ------
    MetricsError
        When a file holds no scores, the ground truths differ, or no variant is in both: says how the nearest ones differ.
    """
    first, second = _read(one), _read(other)
    if first.truth != second.truth:
        msg = (
            f"{one} and {other} were scored against different ground truth ({first.truth[:12]}, {second.truth[:12]}); "
            "score both against the same"
        )
        raise MetricsError(msg)
    if first.counted != second.counted:
        msg = f"{one} and {other} were scored on different videos or frames{_apart(first.counted, second.counted)}; score both on the same"
        raise MetricsError(msg)
    shared = [name for name in first.results if name in second.results]
    if not shared:
        difference(next(iter(first.results.values())), next(iter(second.results.values())))
    rows = []
    for name in shared:
        left, right = first.results[name], second.results[name]
        rows.append((name, left.overall.value, right.overall.value, difference(left, right)))
    apart = sorted(set(first.results) ^ set(second.results))
    return rows, [f"only in {one.name if name in first.results else other.name}: {name}" for name in apart]


def _apart(one: Sequence[Counted], other: Sequence[Counted]) -> str:
    """Return the first video that is not the same in both, in brackets."""
    for left, right in zip(one, other, strict=False):
        for name in sorted({*left, *right}):
            if left.get(name, NOWHERE) != right.get(name, NOWHERE):
                shown = [NOWHERE if name not in side else f"{side[name]} frames" for side in (left, right)]
                return f" ({name}: {shown[0]}, {shown[1]})"
    return ""


def _read(path: Path) -> _File:
    try:
        document = strangers.read_json(path)
        results = {str(item["variant"]): _result(item) for item in document["results"]}
        truth = str(document["ground_truth"]["sha256"])
        counted = [dict(part["videos"]) for part in document["scored"]]
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}; name a file that 'scrubin score --out' wrote"
        raise MetricsError(msg) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path}: holds no scores ({type(error).__name__}: {error}); name a file that 'scrubin score --out' wrote"
        raise MetricsError(msg) from error
    if not results:
        msg = f"{path}: holds no scores; score again"
        raise MetricsError(msg)
    return _File(truth, counted, results)


def _result(item: Mapping[str, Any]) -> Result:
    value = item["overall"]["value"]
    number = math.nan if value is None else float(value)
    return Result(Variant(item["metric"], item["semantics"], dict(item["options"])), Value(number, int(item["overall"]["n"])))
