"""Bytes of a submitted file to text or JSON; what is wrong with them is noted, not raised."""

from __future__ import annotations

import json
from typing import Any

from scrubin.core import quick_json
from scrubin.core.faults import Faults

AGAIN = "export it again and compare its size with the original"
UTF8_MARK = b"\xef\xbb\xbf"
FOREIGN: dict[bytes, tuple[str, str]] = {
    b"\xff\xfe": ("is UTF-16 text", "save it as UTF-8"),
    b"\xfe\xff": ("is UTF-16 text", "save it as UTF-8"),
    b"PK\x03\x04": ("is a zip archive", "unpack it"),
    b"\x1f\x8b": ("is gzip data", "unpack it"),
}
BASE_BYTES = 1 << 26
# A probability with all its digits is 22 characters; four times as many leave room for indentation.
BYTES_PER_VALUE = 100
LONGEST, SHOWN_ITEMS = 40, 8


class RepeatedKeys(dict[str, Any]):
    """A JSON object with a key that stands in it more than once; the last value counts.

    Parameters
    ----------
    pairs
        Everything that stands in it.
    """

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        seen: set[str] = set()
        self.repeated: tuple[str, ...] = tuple(dict.fromkeys(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]


def most_bytes(values: int) -> int:
    """Return how large a file with so many probabilities can reasonably be, in bytes."""
    return BASE_BYTES + BYTES_PER_VALUE * values


def text(file: str, data: bytes, faults: Faults) -> str | None:
    """Return the UTF-8 text of a file, None when there is none."""
    if not data.strip():
        faults.error(file, "file-empty", f"is empty ({len(data)} bytes)", AGAIN)
        return None
    for start, (what, fix) in FOREIGN.items():
        if data.startswith(start):
            faults.error(file, "file-encoding", what, fix)
            return None
    if b"\x00" in data[:4]:
        faults.error(file, "file-encoding", "is UTF-16 or UTF-32 text, or no text at all", "save it as UTF-8")
        return None
    if data.startswith(UTF8_MARK):
        faults.deviation(file, "file-byte-order-mark", "starts with a byte order mark", "save it as UTF-8 without one")
        data = data.removeprefix(UTF8_MARK)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        faults.error(file, "file-encoding", f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8", "save it as UTF-8")
        return None


def json_value(file: str, data: bytes, faults: Faults) -> Any | None:
    """Return what JSON text says, None when it cannot be read; objects with repeated keys are `RepeatedKeys`."""
    content = text(file, data, faults)
    if content is None:
        return None
    if (quick := quick_json.value(data)) is not quick_json.DOUBTFUL and quick is not None:
        return quick
    try:
        value = json.loads(content, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        cut = not content[error.pos :].strip() or error.msg.startswith("Unterminated")
        what = "is cut off" if cut else f"is not JSON: {error.msg}"
        faults.error(file, "file-json", f"{what} at line {error.lineno}, column {error.colno}", AGAIN)
        return None
    except RecursionError:
        faults.error(file, "file-json", "is nested too deeply", "write an object of frames with recognition and detection")
        return None
    except ValueError:
        # Python refuses to convert so many digits.
        faults.error(file, "file-json", "holds a whole number of thousands of digits", AGAIN)
        return None
    if value is None:
        faults.error(file, "file-layout", "says null", "write an object of frames")
    return value


def shown(value: Any) -> str:
    """Return a JSON value as a message shows it: short, on one line.

    >>> shown([1, "a"]), shown({"a": 1}), shown([[0.5] * 100] * 100)
    ('[1, "a"]', '{"a"}', '[[...], [...], [...], [...], [...], [....')
    """
    if isinstance(value, dict):
        line = "{" + _some([_scalar(key) for key in list(value)[:SHOWN_ITEMS]], len(value)) + "}"
    elif isinstance(value, list):
        line = "[" + _some([_scalar(one) for one in value[:SHOWN_ITEMS]], len(value)) + "]"
    else:
        line = _scalar(value)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


def _scalar(value: Any) -> str:
    # What lies deeper is not written out: it can be large, or nested without end.
    if isinstance(value, (list, dict)):
        return "[...]" if isinstance(value, list) else "{...}"
    if isinstance(value, int) and abs(value) >= 10**LONGEST:
        return "a number of many digits"
    return json.dumps(value[:LONGEST] if isinstance(value, str) else value, ensure_ascii=False)


def _some(items: list[str], count: int) -> str:
    return ", ".join([*items, "..."] if count > len(items) else items)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else RepeatedKeys(pairs)
