"""Two files of scores side by side: only numbers of the same variant and ground truth are compared."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrubin.errors import MetricsError
from scrubin.metrics.result import Result, Value, Variant, difference

Row = tuple[str, float, float, float]


def compared(one: Path, other: Path) -> tuple[list[Row], list[str]]:
    """Return per variant both values and ``one - other``, and the variants that only one of the files has.

    Raises
    ------
    MetricsError
        When a file holds no scores, the ground truths differ, or no variant is in both: says how the nearest ones differ.
    """
    first, second = _read(one), _read(other)
    if first[0] != second[0]:
        msg = (
            f"{one} and {other} were scored against different ground truth ({first[0][:12]}, {second[0][:12]}); score both against the same"
        )
        raise MetricsError(msg)
    shared = [name for name in first[1] if name in second[1]]
    if not shared:
        difference(next(iter(first[1].values())), next(iter(second[1].values())))
    rows = []
    for name in shared:
        left, right = first[1][name], second[1][name]
        rows.append((name, left.overall.value, right.overall.value, difference(left, right)))
    apart = sorted(set(first[1]) ^ set(second[1]))
    return rows, [f"only in {one.name if name in first[1] else other.name}: {name}" for name in apart]


def _read(path: Path) -> tuple[str, dict[str, Result]]:
    try:
        document = json.loads(path.read_bytes())
        results = {str(item["variant"]): _result(item) for item in document["results"]}
        truth = str(document["ground_truth"]["sha256"])
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}; name a file that 'scrubin score --out' wrote"
        raise MetricsError(msg) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        msg = f"{path}: holds no scores ({type(error).__name__}: {error}); name a file that 'scrubin score --out' wrote"
        raise MetricsError(msg) from error
    if not results:
        msg = f"{path}: holds no scores; score again"
        raise MetricsError(msg)
    return truth, results


def _result(item: Mapping[str, Any]) -> Result:
    value = item["overall"]["value"]
    number = math.nan if value is None else float(value)
    return Result(Variant(item["metric"], item["semantics"], dict(item["options"])), Value(number, int(item["overall"]["n"])))
