"""Bytes of a label file to text or JSON, with errors that name the line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults

LONGEST_DIGITS = 15  # also numbers of milliseconds stay below 2**53
LONGEST_INTEGER = 18  # 64 bits hold every number of so many digits
TOO_LONG = re.compile(f"[0-9]{{{LONGEST_INTEGER + 1}}}")
AS_FLOAT = re.compile(r"-?[0-9]{1,40}\.[0-9]{0,40}(?:[eE][+-]?[0-9]{1,2})?")
"""With a point: 4e2 may be a name."""
SURROGATE = re.compile("[\ud800-\udfff]")
T = TypeVar("T")


def text(file: str, data: bytes) -> str:
    """Return the UTF-8 text of a file; a byte order mark is dropped.

    Raises
    ------
    AnnotationError
        When it is not UTF-8, with the line.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise AnnotationError([Fault(file, "encoding", what, "save the file as UTF-8", place=f"line {line}")]) from error


def json_object(file: str, data: bytes) -> dict[str, Any]:
    """Return the JSON object in a file; errors as of `json_value`, and for what is no object."""
    value = json_value(file, data)
    if not isinstance(value, dict):
        raise AnnotationError([Fault(file, "value-type", f"expected a JSON object, but got {shown(value)}", "export it again")])
    return value


def json_value(file: str, data: bytes) -> Any:
    """Return what a JSON file says; a key that stands twice is refused.

    Raises
    ------
    AnnotationError
        When it is not JSON, with line and column, or has a number beyond 64 bits.
    """
    content = text(file, data)
    if not content.strip():
        raise AnnotationError([Fault(file, "file-empty", "not JSON: the file is empty", "export it again, or remove it", place="line 1")])
    try:
        # Asked of every number, this takes as long as all the rest.
        integer = _integer if TOO_LONG.search(content) else None
        value = json.loads(content, object_pairs_hook=_unique, parse_int=integer)
    except (json.JSONDecodeError, _RepeatedKeyError, _LongNumberError, RecursionError) as error:
        raise AnnotationError([_unreadable(file, content, error)]) from error
    if "\\ud" in content.lower() and SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        what = "a text has half a character (\\ud8.. to \\udf..), which cannot be written"
        raise AnnotationError([Fault(file, "encoding", what, "correct it")])
    return value


def _unreadable(file: str, content: str, error: Exception) -> Fault:
    """Return why a text is no JSON that can be used."""
    if isinstance(error, json.JSONDecodeError):
        what = f"not JSON: {error.msg} at column {error.colno}"
        return Fault(file, "json-syntax", what, "the file may be cut off, export it again", place=f"line {error.lineno}")
    if isinstance(error, _RepeatedKeyError):
        return Fault(file, "key-repeated", f"the key '{error}' stands twice in one object", "keep one of them")
    if isinstance(error, _LongNumberError):
        line = content.count("\n", 0, content.index(error.digits)) + 1
        what = f"the number {error.digits[:20]}... has {len(error.digits)} digits"
        return Fault(file, "number-range", what, "no label is as large, correct it", place=f"line {line}")
    return Fault(file, "json-syntax", "nested too deeply for a label file", "export it again")


def peek(data: bytes) -> dict[str, Any]:
    """Return the JSON object in a file, for what it says of itself; an empty one where there is none."""
    try:
        value = strangers.json_value(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def opened(open_as: Callable[[str, bytes], T], file: str, data: bytes, faults: Faults) -> T | None:
    """Return what a function makes of a file; when it refuses it, that is noted, so that other files are read too."""
    try:
        return open_as(file, data)
    except AnnotationError as error:
        faults.extend(error.faults)
        return None


def frame_number(text: str) -> int | None:
    """Return a number of a frame, from 0; None for anything else, or one that no video has.

    >>> frame_number("000012"), frame_number("-1"), frame_number("1e3")
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_DIGITS else None


def whole_text(text: str) -> str:
    """Return a whole number that was written as a float as its digits, as numpy and pandas write it; anything else as it is.

    >>> whole_text("12.0"), whole_text("3.000000e+00"), whole_text("1.250000e+02"), whole_text("17.5"), whole_text("4e2")
    ('12', '3', '125', '17.5', '4e2')
    """
    if AS_FLOAT.fullmatch(text) is None:
        return text
    value = Fraction(text)
    return str(value) if value.denominator == 1 and abs(value) < 10**LONGEST_DIGITS else text


def shown(value: Any) -> str:
    """Return a value as a message shows it: short, on one line.

    >>> shown([1, "a"])
    '[1, "a"]'
    """
    line = SURROGATE.sub("\N{REPLACEMENT CHARACTER}", json.dumps(value, ensure_ascii=False))
    return line if len(line) <= 80 else f"{line[:77]}..."


class _RepeatedKeyError(Exception):
    pass


class _LongNumberError(Exception):
    def __init__(self, digits: str) -> None:
        super().__init__(digits)
        self.digits = digits


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > LONGEST_INTEGER:
        raise _LongNumberError(digits)
    return int(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(name for name in names if names.count(name) > 1))
    return value
