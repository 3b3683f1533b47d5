"""Bytes of a submitted file to text or JSON by frame; what is wrong with them is noted, not raised."""

from __future__ import annotations

import json
import re
from typing import Any

from scrubin.base.faults import Faults, count_text

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


PLAIN = re.compile(r"0|[1-9][0-9]{0,14}")
PADDED = re.compile(r"0[0-9]{1,14}")
# What else is surely one frame: spaces around, a decimal point, content before, an image's suffix.
GUESSED = re.compile(r"\s*(?:[A-Za-z_/ .-]*[A-Za-z_/ .])?\+?0*([0-9]{1,15})(?:\.0*|\.[A-Za-z]{3,4})?\s*", re.ASCII)
NEGATIVE = re.compile(r"-[1-9][0-9]{0,14}")
LAYOUT = 'write an object of frames: {"0": {"recognition": [...], "detection": [...]}, "1": ...}'
SHOWN = 20
LONGEST_KEY = 64


def frames_of(file: str, video: str, document: Any, faults: Faults) -> dict[int, Any]:
    """Return the values of a document by frame number.

    Parameters
    ----------
    file
        What messages call it.
    video
        Whose frames: a document of several videos is searched for it.
    document
        JSON value.
    faults
        Takes what is wrong with document and keys.
    """
    if not isinstance(document, dict):
        what = shown(document)
        if isinstance(document, list):
            what = f"a list of {count_text(len(document), 'item')}" if document else "an empty list"
        faults.error(file, "file-layout", f"holds {what} instead of an object of frames", LAYOUT)
        return {}
    if not document:
        faults.error(file, "file-layout", "has no frames", "predict every frame of the video")
        return {}
    inner = _too_deep(video, document)
    if inner is not None:
        faults.error(file, "file-layout", f"the frames stand one level too deep, under {shown(inner)}", "move them up to the top")
        document = document[inner]
    return _by_number(file, document, faults)


def _by_number(file: str, document: dict[str, Any], faults: Faults) -> dict[int, Any]:
    frames: dict[int, Any] = {}
    unknown = []
    for key, value in document.items():
        frame = _frame(file, key, faults)
        if frame is None:
            unknown.append(key)
        elif frame in frames:
            what = "the frame stands under two keys"
            faults.error(file, "key-repeated", what, "keep one of them", frames=[frame], example=f"the second is {shown(key)}")
        else:
            frames[frame] = value
    below = [int(key) for key in unknown if NEGATIVE.fullmatch(key)]
    if below:
        fix = f"count frames from 0; if all are shifted, add {-min(below)} to every frame number"
        faults.error(file, "key-negative", f"frame numbers below 0, down to {min(below)}", fix, count=len(below))
        unknown = [key for key in unknown if not NEGATIVE.fullmatch(key)]
    if unknown:
        names = ", ".join(shown(key) for key in unknown[:SHOWN]) + (f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else "")
        faults.error(file, "key-unknown", f"no frame number: {names}", "keys are frame numbers such as 0 and 12", count=len(unknown))
    for key in document.repeated if isinstance(document, RepeatedKeys) else ():
        frame = number(key)
        faults.error(
            file,
            "key-repeated",
            "the key stands in the file more than once, and all but the last would be lost",
            "keep one of them",
            frames=[] if frame is None else [frame],
        )
    return frames


def number(key: str) -> int | None:
    """Return the frame that a key means, in whatever spelling.

    >>> [number(key) for key in ("12", "00012", " 12", "12.0", "frame_000012", "000012.png", "-1", "1e3", "12.5")]
    [12, 12, 12, 12, 12, 12, None, None, None]
    """
    # Nobody numbers frames by longer keys, and the pattern takes long for them.
    match = GUESSED.fullmatch(key) if len(key) <= LONGEST_KEY else None
    return int(match[1]) if match else None


def _frame(file: str, key: str, faults: Faults) -> int | None:
    if PLAIN.fullmatch(key):
        return int(key)
    if PADDED.fullmatch(key):
        faults.deviation(file, "key-padded", "the key is padded with zeros", "write 12, not 00012", frames=[int(key)])
        return int(key)
    frame = number(key)
    if frame is not None:
        what, fix = "the key is no plain whole number", "write 12, without spaces, letters or a decimal point"
        faults.error(file, "key-malformed", what, fix, frames=[frame], example=f"such as {shown(key)}")
    return frame


def _too_deep(video: str, document: dict[str, Any]) -> str | None:
    """Return the key below which the frames are, when they are not at the top."""
    if any(PLAIN.fullmatch(key) or PADDED.fullmatch(key) for key in document):
        return None
    inside = [key for key, value in document.items() if isinstance(value, dict) and any(number(one) is not None for one in value)]
    return video if video in inside else next(iter(inside), None)
