"""JSON read by orjson where it is installed, for texts in which it cannot differ from Python's own reader.

Whatever is doubtful is left to the slow reader, which names what is wrong: invalid text, keys that stand twice, long whole numbers.
"""

from __future__ import annotations

from typing import Any, Final

try:
    import orjson
except ImportError:  # it is quicker, and never needed
    orjson = None  # type: ignore[assignment]

DOUBTFUL: Final = object()
"""What is returned for a text that the slow reader has to judge."""
ALIKE = bytes.maketrans(b"123456789:[ \n\t\r-", b"000000000,,,,,,,")
LONG = b"," + 18 * b"0"
"""A whole number of so many digits, all digits and all signs before one written alike, may not fit into 64 bits."""
DEEPEST = 100


def value(data: bytes) -> Any:
    """Return what a JSON text says, or `DOUBTFUL`.

    Every pair of an object has a colon. So a text has no key twice when as many pairs were read as it has colons, those in texts included.

    >>> value(b'{"a": [{"b": 2}, 1]}') if orjson else {"a": [{"b": 2}, 1]}
    {'a': [{'b': 2}, 1]}
    >>> value(b'{"a": 1, "a": 1}') is DOUBTFUL, value(b'[NaN]') is DOUBTFUL
    (True, True)
    """
    if orjson is None or LONG in data.translate(ALIKE):
        return DOUBTFUL
    try:
        read = orjson.loads(data)
    except orjson.JSONDecodeError:
        return DOUBTFUL
    return read if type(read) in (dict, list) and _pairs(read) == data.count(b":") else DOUBTFUL


def _pairs(read: Any) -> int:
    """Return how many pairs the objects hold, at least; what lies behind a number in a list, or very deep, is not looked at."""
    count, level = 0, [read]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for one in level:
            if type(one) is dict:
                count += len(one)
                below += [inner for inner in one.values() if type(inner) is dict or type(inner) is list]
            elif one and type(one[0]) in (dict, list):
                below += [inner for inner in one if type(inner) is dict or type(inner) is list]
        if not below:
            break
        level = below
    return count
