"""Scores as JSON, CSV and a table to read."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scrubin.core import files
from scrubin.metrics.bootstrap import Interval
from scrubin.metrics.result import Result, Value

COLUMNS = ("metric", "semantics", "options", "level", "name", "value", "n", "low", "high")
DIGITS = 4
Scored = tuple[Result, Interval | None]


def document(metric: str, truth: Path, predictions: Sequence[Path], scored: Sequence[Scored], notes: Sequence[str]) -> dict[str, Any]:
    """Return everything as JSON: undefined is null, with its n; infinity is the text "Infinity".

    Files are named without their folders and by the SHA-256 of what they hold, so that the same input gives the same bytes.
    """
    return {
        "metric": metric,
        "ground_truth": source_of(truth),
        "predictions": [source_of(path) for path in predictions],
        "notes": list(notes),
        "results": [_result(result, interval) for result, interval in scored],
    }


def source_of(path: Path) -> dict[str, str]:
    """Return the name of a file or folder, and the SHA-256 of its content: of a folder, of the names and hashes of its files."""
    if path.is_file():
        return {"name": path.name, "sha256": files.sha256_of(path)}
    digest = hashlib.sha256()
    for file in sorted(one for one in path.rglob("*") if one.is_file()):
        digest.update(f"{files.sha256_of(file)}  {file.relative_to(path).as_posix()}\n".encode())
    return {"name": path.name, "sha256": digest.hexdigest()}


def text_of(document: Mapping[str, Any]) -> str:
    """Return the JSON text."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def sheet(scored: Sequence[Scored]) -> str:
    """Return CSV: one row per number; undefined is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result, interval in scored:
        variant = result.variant
        options = "; ".join(f"{key}={value}" for key, value in sorted(variant.options.items()))
        head = (variant.metric, variant.semantics, options)
        bounds = ("", "") if interval is None else (_cell(interval.low), _cell(interval.high))
        writer.writerow([*head, "overall", "", _cell(result.overall), result.overall.n, *bounds])
        for level, values in (("class", result.classes), ("video", result.videos)):
            for name, value in values.items():
                writer.writerow([*head, level, name, _cell(value), value.n, "", ""])
    return text.getvalue()


def table(scored: Sequence[Scored]) -> Iterator[str]:
    """Yield lines: per metric its name with the options that all its numbers share, then what distinguishes each, value, n, interval."""
    metrics = dict.fromkeys((result.variant.metric, result.variant.semantics) for result, _ in scored)
    for metric, semantics in metrics:
        own = [pair for pair in scored if (pair[0].variant.metric, pair[0].variant.semantics) == (metric, semantics)]
        shared = _shared([result.variant.options for result, _ in own])
        yield "; ".join([f"{metric} ({semantics})", *(f"{key}={value}" for key, value in sorted(shared.items()))])
        rows = [_row(result, interval, shared) for result, interval in own]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        for options, value, n, bounds in rows:
            yield f"  {options:<{widths[0]}}  {value:>{widths[1]}}  {n:<{widths[2]}}  {bounds}".rstrip()


def _row(result: Result, interval: Interval | None, shared: Mapping[str, str]) -> tuple[str, str, str, str]:
    options = "  ".join(f"{key}={value}" for key, value in sorted(result.variant.options.items()) if key not in shared)
    bounds = "" if interval is None else f"[{_shown(interval.low.value)}, {_shown(interval.high.value)}]"
    return options, _shown(result.overall.value), f"n={result.overall.n}", bounds


def _shared(options: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {key: value for key, value in options[0].items() if all(other.get(key) == value for other in options)}


def _result(result: Result, interval: Interval | None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "variant": result.variant.name,
        "metric": result.variant.metric,
        "semantics": result.variant.semantics,
        "options": dict(sorted(result.variant.options.items())),
        "overall": _value(result.overall),
        "classes": {name: _value(value) for name, value in result.classes.items()},
        "videos": {name: _value(value) for name, value in result.videos.items()},
    }
    if interval is not None:
        made["interval"] = {
            "variant": interval.variant.options["interval"],
            "low": _value(interval.low),
            "high": _value(interval.high),
        }
    return made


def _value(value: Value) -> dict[str, Any]:
    number = value.value
    if math.isinf(number):
        return {"value": "Infinity" if number > 0 else "-Infinity", "n": value.n}
    return {"value": None if math.isnan(number) else number, "n": value.n}


def _cell(value: Value) -> str:
    return repr(value.value) if value.defined else ""


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.{DIGITS}f}"
