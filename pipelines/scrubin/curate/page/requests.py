"""What a request of the page, or the option that opens it, says, read with care: numbers in range, texts of some length."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request

from scrubin.base.errors import ReviewError
from scrubin.base.faults import meant
from scrubin.stages.review.views import DRAWN, RecordingSummary, line_of

CAMERAS = ("left", "right", "mono")
VIEWS = ("sheet", "lens", "full")
NUMBERS = re.compile(r"[0-9]{1,8}(?:,[0-9]{1,8})*")
NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]")
"""Controls but tabs and line feeds; surrogates, which no file can hold."""
NONCE = re.compile(r"[A-Za-z0-9-]{8,64}")
MOST_STILLS = 256
MOST_SEEN = 20_000
HEIGHTS_PX = (16, 1080)
MOST_FRAMES = 10**8
TEXT_CHARACTERS = 2000
DAY_S = 86_400


class BadRequestError(Exception):
    """A request says something that the page never says; the sentence names what."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status


@dataclass(frozen=True)
class Sprite:
    """Which stills one picture shall hold, in rows of ``columns``, each ``height`` pixels high."""

    frames: tuple[int, ...]
    height: int
    columns: int


def sprite(query: QueryParams, frame_count: int) -> Sprite:
    """Return the stills that a query names.

    Raises
    ------
    BadRequestError
        When one of them is not in the file, or they are too many.
    """
    named = query.get("frames", "")
    if not NUMBERS.fullmatch(named):
        raise BadRequestError("'frames' must be frame numbers with commas between them")
    frames = tuple(map(int, named.split(",")))
    if len(frames) > MOST_STILLS:
        raise BadRequestError(f"at most {MOST_STILLS} stills at once")
    if max(frames) >= frame_count:
        raise BadRequestError(no_frame(max(frames), frame_count), 404)
    return Sprite(frames, _number(query, "height", *HEIGHTS_PX), _number(query, "columns", 1, MOST_STILLS))


def no_frame(frame: int, frame_count: int) -> str:
    """Return the sentence about a frame that a file does not have."""
    return f"there is no frame {frame}: the file has {frame_count}, counted from 0"


def _number(query: QueryParams, name: str, low: int, high: int) -> int:
    text = query.get(name, "")
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
    if not low <= value <= high:
        raise BadRequestError(f"'{name}' must be a number from {low} to {high}")
    return value


async def fields(request: Request, names: Sequence[str]) -> Fields:
    """Return the fields of a JSON body, which has exactly these.

    Raises
    ------
    BadRequestError
        When it is no JSON, or has other fields.
    """
    try:
        body = json.loads(await request.body(), parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BadRequestError("the body is no JSON") from error
    if not isinstance(body, dict) or set(body) != set(names):
        raise BadRequestError(f"the body must have exactly these fields: {', '.join(names)}")
    return Fields(body)


def _finite(text: str) -> float:
    """Return a number of JSON, which has neither NaN nor infinity; ValueError for one of them, and for one too large for a float."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


class Fields:
    """Fields of a body, each asked for by the type it must have."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def has(self, name: str) -> bool:
        """Return whether there is such a field."""
        return name in self._values

    def number(self, name: str, high: int = MOST_FRAMES) -> int:
        """Return a whole number from 0 to ``high``."""
        value = self._values[name]
        if type(value) is not int or not 0 <= value <= high:
            raise BadRequestError(f"'{name}' must be a whole number from 0")
        return value

    def any(self, name: str) -> Any:
        """Return a value as it is, for who reads it with care."""
        return self._values[name]

    def number_or_none(self, name: str) -> int | None:
        """Return a whole number, or None."""
        return None if self._values[name] is None else self.number(name)

    def text(self, name: str) -> str:
        """Return a text without control characters and halves of characters, at most 2,000 characters."""
        value = self._values[name]
        if not isinstance(value, str) or len(value) > TEXT_CHARACTERS or NO_TEXT.search(value):
            raise BadRequestError(f"'{name}' must be a text of at most {TEXT_CHARACTERS} characters")
        return value.strip()

    def proposal(self, name: str) -> str:
        """Return the key of a proposal, of something drawn, or "" for neither."""
        value = self.text(name)
        if value.startswith(DRAWN) and line_of(value) is None:
            raise BadRequestError(f"'{name}' names no span that anybody drew")
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return one of the choices."""
        value = self._values[name]
        if value not in choices:
            raise BadRequestError(f"'{name}' must be one of {', '.join(choices)}")
        return str(value)

    def nonce(self) -> str:
        """Return what tells this request from its own repetition."""
        value = self._values["nonce"]
        if not isinstance(value, str) or not NONCE.fullmatch(value):
            raise BadRequestError("'nonce' must be 8 to 64 letters, digits or hyphens")
        return value

    def box(self, name: str) -> tuple[int, int, int, int] | None:
        """Return x, y, width and height in pixels, or None for the whole frame."""
        value = self._values[name]
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 4 or any(type(one) is not int or not 0 <= one <= 65535 for one in value):
            raise BadRequestError(f"'{name}' must be x, y, width and height in pixels, or null")
        x, y, width, height = value
        return x, y, width, height

    def seconds(self, name: str) -> float:
        """Return a time in seconds, from 0 to a day."""
        value = self._values[name]
        if type(value) not in (int, float) or not 0 <= value <= DAY_S:
            raise BadRequestError(f"'{name}' must be seconds, from 0 to {DAY_S}")
        return float(value)

    def cameras(self, name: str) -> list[str]:
        """Return the cameras of which frames are named, in order."""
        value = self._values[name]
        if not isinstance(value, dict) or not value or not set(value) <= set(CAMERAS):
            raise BadRequestError(f"'{name}' must hold frame numbers by camera: {', '.join(CAMERAS)}")
        return sorted(value)

    def frames_of(self, name: str, camera: str, frame_count: int) -> list[int]:
        """Return frame numbers of a camera, sorted, each once."""
        value = self._values[name][camera]
        if not isinstance(value, list) or not 0 < len(value) <= MOST_SEEN or any(type(one) is not int or one < 0 for one in value):
            raise BadRequestError(f"'{name}' must hold 1 to {MOST_SEEN} frame numbers of a camera")
        if max(value) >= frame_count:
            raise BadRequestError(no_frame(max(value), frame_count), 404)
        return sorted(set(value))

    def day_or_none(self, name: str) -> str | None:
        """Return a day such as 2026-12-31, or None."""
        if self._values[name] is None:
            return None
        try:
            return date.fromisoformat(self.text(name)).isoformat()
        except ValueError as error:
            raise BadRequestError(f"'{name}' must be a day such as 2026-12-31, or null") from error


@dataclass(frozen=True)
class Place:
    """Where the page opens: a recording by its number, and a time in source seconds."""

    recording: int
    time_s: float


def place_of(text: str, recordings: list[RecordingSummary]) -> Place:
    """Return the place that ``RECORDING:TIME`` names; without a time it is the beginning.

    Raises
    ------
    ReviewError
        When there is no such recording, or the time is none.
    """
    # Names may hold colons, and times do: the longest name that the text begins with is meant.
    named = [one for one in recordings if text == one.name or text.startswith(f"{one.name}:")]
    if not named:
        name = text.partition(":")[0]
        fix = meant(name, [one.name for one in recordings], "the page lists all of them")
        raise ReviewError(f"--at {text}: there is no recording '{name}'; {fix}")
    one = max(named, key=lambda recording: len(recording.name))
    return Place(one.number, seconds_of(text[len(one.name) + 1 :] or "0", text))


def seconds_of(time: str, text: str) -> float:
    """Return the seconds of 12.5, 3:20 or 1:02:03; ``text`` is what was typed, for the message.

    Raises
    ------
    ReviewError
        When it is no time.

    >>> seconds_of("1:02:03.5", "")
    3723.5
    """
    parts = time.split(":")
    try:
        values = [float(part) for part in parts]
    except ValueError:
        values = []
    if not 1 <= len(values) <= 3 or not all(0 <= value < float("inf") for value in values):
        raise ReviewError(f"--at {text}: '{time}' is no time such as 12.5, 3:20 or 1:02:03")
    total = 0.0
    for value in values:
        total = total * 60 + value
    return total
