"""Cells of annotation files: what a text means, and how we write a value.

Source: LASANA, section Data Records; and what pandas, R and spreadsheets make of such cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scrubin.core.csvtext import is_missing
from scrubin.lasana.csv_text import duration

LONGEST = 60
"""A number has at most so many characters; no message shows more of a cell."""
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CLOCK = re.compile(r"(?:(?P<days>\d+) days?,? )?(?P<h>\d+):(?P<m>[0-5]\d):(?P<s>[0-5]\d(?:\.\d+)?)")
TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class CellType:
    """What a cell holds, how it is read and how it is written; None is undefined."""

    expected: str
    read: Callable[[str], Any]
    show: Callable[[Any], str]


def number(text: str) -> float | None:
    """Return a number; None when missing.

    >>> number("3.0"), number("-1e-3"), number("NaN")
    (3.0, -0.001, None)
    """
    if is_missing(text):
        return None
    if len(text) > LONGEST or not DECIMAL.fullmatch(text) or not math.isfinite(float(text)):
        msg = f"{text[:LONGEST]!r} is no number"
        raise ValueError(msg)
    return float(text)


def whole_number(text: str) -> int | None:
    """Return a whole number, also from ``104.0``; None when missing."""
    value = number(text)
    if value is not None and (value != int(value) or not 0 <= value < 2**53):
        msg = f"{text!r} is no whole number"
        raise ValueError(msg)
    return None if value is None else int(value)


def truth(text: str) -> bool | None:
    """Return True or False; None when missing."""
    if is_missing(text):
        return None
    if text.lower() not in TRUTH:
        msg = f"{text!r} is neither True nor False"
        raise ValueError(msg)
    return TRUTH[text.lower()]


def seconds(text: str) -> float | None:
    """Return a duration in seconds; None when missing.

    >>> seconds("0:02:03"), seconds("0 days 00:02:03.5")
    (123.0, 123.5)
    """
    if is_missing(text):
        return None
    match = _CLOCK.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        msg = f"{text[:LONGEST]!r} is no duration"
        raise ValueError(msg)
    return int(match["days"] or 0) * 86400.0 + int(match["h"]) * 3600 + int(match["m"]) * 60 + float(match["s"])


def _or_empty(show: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "" if value is None else show(value)


# repr is the shortest text that reads back as the same number.
NUMBER = CellType("a number, or nothing where it is undefined", number, _or_empty(lambda value: repr(float(value))))
TRUTH_VALUE = CellType("True or False", truth, _or_empty(lambda value: str(bool(value))))
DURATION = CellType("a duration such as 0:02:03", seconds, _or_empty(duration))
COUNT = CellType("a whole number", whole_number, _or_empty(lambda value: str(int(value))))
