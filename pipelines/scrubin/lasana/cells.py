"""Cells of annotation files: what a text means, and how we write a value.

Source: LASANA, section Data Records; and what pandas, R and spreadsheets make of such cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scrubin.lasana.csv_text import duration

LONGEST = 60
"""A number has at most so many characters; no message shows more of a cell."""
MISSING = frozenset({"", "nan", "na", "n/a", "<na>", "none", "null"})
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
CLOCK = re.compile(r"(?:(?P<days>\d+) days?,? )?(?P<h>\d+):(?P<m>[0-5]\d):(?P<s>[0-5]\d(?:\.\d+)?)")
TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class Kind:
    """One kind of cell; None is undefined."""

    expected: str
    read: Callable[[str], Any]
    show: Callable[[Any], str]


def number(text: str) -> float | None:
    """Return a number; None when missing.

    >>> number("3.0"), number("-1e-3"), number("NaN")
    (3.0, -0.001, None)
    """
    if text.lower() in MISSING:
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
    if text.lower() in MISSING:
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
    if text.lower() in MISSING:
        return None
    found = CLOCK.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        msg = f"{text[:LONGEST]!r} is no duration"
        raise ValueError(msg)
    return int(found["days"] or 0) * 86400.0 + int(found["h"]) * 3600 + int(found["m"]) * 60 + float(found["s"])


def _or_empty(show: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "" if value is None else show(value)


# repr is the shortest text that reads back as the same number.
NUMBER = Kind("a number, or nothing where it is undefined", number, _or_empty(lambda value: repr(float(value))))
POINTS = Kind(NUMBER.expected, number, _or_empty(lambda value: str(int(value)) if value == int(value) else repr(float(value))))
TRUTH_VALUE = Kind("True or False", truth, _or_empty(lambda value: str(bool(value))))
DURATION = Kind("a duration such as 0:02:03", seconds, _or_empty(duration))
COUNT = Kind("a whole number", whole_number, _or_empty(lambda value: str(int(value))))
TEXT = Kind("text", str, _or_empty(str))
