"""Checks: stills that are shown with a person or a name in them that is not in the recording, to know what reviewers miss.

Which stills these are follows from a key that is made fresh for each session and leaves it
nowhere, so nobody can know. They are drawn into the picture that is sent; they are never stored,
and a frame that was sent so counts as never sent: its true still must be looked at afterwards.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.curate.page.stills import FileKey
from scrubin.stages.review.events import MISSED, NOTICED, Box

PERSON, NAME = "person", "name"
LONG_S = 60.0
"""A recording of a minute has at least one check."""
NAMES_SHARE = 5.0
"""Stills at full size are few: so many times as many of them are checks."""
WIDEST_MARK_S = 10.0
"""Who marks a longer span has not pointed at a check."""
SIZES = {PERSON: (1.0, 0.55), NAME: (0.03, 0.045, 0.06)}
"""Heights of what is planted, as shares of the picture's; a name of 3 % is 13 px high on a picture of 430 px."""
SURNAMES = ("Kowalska", "Lindqvist", "Okafor", "Brandt", "Moreau", "Yamada", "Petrov", "Castellano")
FORENAMES = ("Anna", "Jonas", "Amara", "Elif", "Luc", "Kenji", "Vera", "Paolo")
FONT = cv2.FONT_HERSHEY_SIMPLEX
Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Plant:
    """What is planted in a frame; ``draw`` is a number that says which picture or which name, and where."""

    frame: int
    kind: str
    size: float
    draw: int


@dataclass(frozen=True)
class Outcome:
    """What came of a check, for the page."""

    camera: str
    frame: int
    kind: str
    outcome: str


@dataclass
class _OfFile:
    open: dict[int, Plant] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    done: dict[int, Plant] = field(default_factory=dict)


class Plants:
    """The checks of one session; for any number of threads.

    Parameters
    ----------
    share
        Of the stills that are checks; 0: none.
    people
        Small pictures of people outside the body, from this very study.
    key
        Fresh, but in tests.
    """

    def __init__(self, share: float, people: Sequence[Picture] = (), key: bytes | None = None) -> None:
        self.share, self._people = share, list(people) or [_drawn_person()]
        self._key = key or secrets.token_bytes(32)
        self._files: dict[FileKey, _OfFile] = {}
        self._news: dict[int, list[Outcome]] = {}
        self._lock = threading.Lock()

    def knows(self, file: FileKey) -> bool:
        """Whether the checks of a file were chosen."""
        return not self.share or file in self._files

    def choose(self, file: FileKey, stills: Sequence[int], stops: Sequence[int], duration_s: float) -> None:
        """Choose the checks among stills of the sheet, and among stills at full size, that nobody has seen yet."""
        by_chance = sorted(stills, key=lambda frame: self._number(file, frame, "which"))
        count = min(len(by_chance), max(int(duration_s >= LONG_S), round(self.share * len(by_chance))))
        names = [frame for frame in stops if self._number(file, frame, "name") / 2**64 < min(self.share * NAMES_SHARE, 0.5)]
        plants = [self._plant(file, frame, NAME) for frame in names] + [self._plant(file, frame, PERSON) for frame in by_chance[:count]]
        with self._lock:
            self._files.setdefault(file, _OfFile(open={plant.frame: plant for plant in plants}))

    def shown(self, file: FileKey, frames: Sequence[int], *, full: bool = False) -> dict[int, Plant]:
        """Return the checks among frames that are about to be sent; names are only in those at full size."""
        with self._lock:
            known = self._files.get(file, _OfFile())
            now = {frame: known.open[frame] for frame in frames if frame in known.open and (full or known.open[frame].kind == PERSON)}
            known.shown |= set(now)
            return now

    def drawn(self, plant: Plant, picture: Picture) -> Picture:
        """Return a picture with a check drawn into it."""
        if plant.kind == NAME:
            return _with_name(picture, plant)
        height, width = picture.shape[:2]
        x, y, w, h = _person_box(plant, width, height)
        changed = picture.copy()
        changed[y : y + h, x : x + w] = cv2.resize(self._people[plant.draw % len(self._people)], (w, h), interpolation=cv2.INTER_AREA)
        return changed

    def nothing_drawn(self, picture: Picture) -> Picture:
        """Take as long as `drawn`, and return the picture as it is."""
        self.drawn(Plant(0, PERSON, 1.0, 0), picture)
        return picture

    def open_in(self, file: FileKey, frames: Sequence[int]) -> list[Plant]:
        """Return the checks among frames that were shown, and of which nothing has come yet."""
        with self._lock:
            known = self._files.get(file, _OfFile())
            return [known.open[frame] for frame in frames if frame in known.shown and frame in known.open]

    def pointed_at(self, file: FileKey, first: int, last: int, box: Box | None, size_px: tuple[int, int]) -> list[Plant]:
        """Return the checks at which a person points who draws frames ``[first, last]``, or a rectangle in them."""
        plants = self.open_in(file, range(first, last + 1))
        if box is None:
            return [plant for plant in plants if plant.kind == PERSON]
        return [plant for plant in plants if plant.kind == NAME and _meet(box, name_box(plant, *size_px))]

    @staticmethod
    def is_alone(plants: Sequence[Plant], first: int, last: int) -> bool:
        """Whether frames ``[first, last]`` show nothing but a check: what else they show is to be hidden, whatever was planted in it."""
        return first == last and any(plant.frame == first for plant in plants)

    def settle(self, file: FileKey, plant: Plant, *, noticed: bool) -> str:
        """Note what came of a check; its true still is shown from now on."""
        outcome = NOTICED if noticed else MISSED
        with self._lock:
            known = self._files[file]
            known.done[plant.frame] = known.open.pop(plant.frame)
            self._news.setdefault(file[0], []).append(Outcome(file[1], plant.frame, plant.kind, outcome))
        return outcome

    def done(self, file: FileKey, frame: int) -> Plant | None:
        """Return a check of which something has come."""
        return self._files.get(file, _OfFile()).done.get(frame)

    def settled(self, number: int) -> list[tuple[str, int]]:
        """Return camera and frame of the checks in a recording of which something has come: every page shows their true stills."""
        with self._lock:
            return [(camera, frame) for (of, camera), known in self._files.items() if of == number for frame in known.done]

    def news(self, number: int) -> list[Outcome]:
        """Return what has come of checks in a recording since this was asked last."""
        with self._lock:
            return self._news.pop(number, [])

    def _plant(self, file: FileKey, frame: int, kind: str) -> Plant:
        draw = self._number(file, frame, "how")
        return Plant(frame, kind, SIZES[kind][draw % len(SIZES[kind])], draw // 64)

    def _number(self, file: FileKey, frame: int, about: str) -> int:
        digest = hmac.new(self._key, f"{file[0]}/{file[1]}/{frame}/{about}".encode(), hashlib.sha256).digest()
        return int.from_bytes(digest[:8], "big")


def eligible(unseen: Mapping[int, int], hidden: Sequence[tuple[float, float]], interval_s: tuple[float, float]) -> list[int]:
    """Return the stills of the sheet that may be checks: frames by the second that they stand for.

    Not at the ends of the recording, and not where something is to be hidden: a person is no surprise there.

    >>> eligible({0: 0, 1: 25, 2: 50, 3: 75}, [(1.5, 2.5)], (0.0, 10.0))
    [0, 75]
    """
    start_s, end_s = interval_s
    kept = [second for second in unseen if start_s <= second and second + 2 <= end_s]
    return [unseen[second] for second in kept if not any(a < second + 1 and second < b for a, b in hidden)]


def name_box(plant: Plant, width: int, height: int) -> Box:
    """Return where a name stands in a picture: x, y, width and height in pixels."""
    scale, thickness = _letters(plant, height)
    (w, h), base = cv2.getTextSize(_says(plant), FONT, scale, thickness)
    margin = height // 40
    x = margin if plant.draw % 2 else max(0, width - w - margin)
    y = margin if plant.draw // 2 % 2 else max(0, height - h - base - margin)
    return x, y, w, h + base


def _with_name(picture: Picture, plant: Plant) -> Picture:
    height, width = picture.shape[:2]
    x, y, _, h = name_box(plant, width, height)
    scale, thickness = _letters(plant, height)
    changed = picture.copy()
    at = x, y + round(h * 0.8)
    cv2.putText(changed, _says(plant), at, FONT, scale, (0, 0, 0), thickness + 2, cv2.LINE_AA)
    cv2.putText(changed, _says(plant), at, FONT, scale, (245, 245, 245), thickness, cv2.LINE_AA)
    return changed


def _says(plant: Plant) -> str:
    number = plant.draw // 8
    day, month, year = number % 28 + 1, number // 28 % 12 + 1, 1934 + number // 336 % 60
    return f"{SURNAMES[number % 8]}, {FORENAMES[number // 8 % 8]} {day:02d}.{month:02d}.{year}"


def _letters(plant: Plant, height: int) -> tuple[float, int]:
    """Return scale and thickness of letters of the plant's height."""
    scale = max(plant.size * height, 8.0) / cv2.getTextSize("A", FONT, 1.0, 1)[0][1]
    return scale, max(1, round(scale * 1.5))


def _person_box(plant: Plant, width: int, height: int) -> Box:
    w, h = max(1, round(width * plant.size)), max(1, round(height * plant.size))
    return (width - w if plant.draw % 2 else 0), (height - h if plant.draw // 2 % 2 else 0), w, h


def _meet(one: Box, other: Box) -> bool:
    return all(one[side] < other[side] + other[side + 2] and other[side] < one[side] + one[side + 2] for side in (0, 1))


def _drawn_person() -> Picture:
    """Return a person in scrubs before a wall, for studies in which no frame from outside is known."""
    picture = np.full((180, 320, 3), (176, 182, 178), np.uint8)
    cv2.rectangle(picture, (0, 130), (320, 180), (120, 126, 122), -1)
    cv2.ellipse(picture, (165, 190), (74, 78), 0, 180, 360, (150, 120, 62), -1)
    cv2.rectangle(picture, (150, 96), (182, 124), (140, 168, 205), -1)
    cv2.ellipse(picture, (166, 74), (32, 41), 0, 0, 360, (150, 178, 214), -1)
    cv2.ellipse(picture, (166, 52), (36, 26), 0, 180, 360, (52, 66, 84), -1)
    for x in (153, 179):
        cv2.ellipse(picture, (x, 70), (6, 4), 0, 0, 360, (240, 240, 240), -1)
        cv2.circle(picture, (x, 70), 3, (60, 50, 40), -1)
    cv2.line(picture, (166, 74), (163, 86), (120, 146, 182), 2)
    cv2.ellipse(picture, (166, 98), (12, 4), 0, 0, 180, (110, 96, 176), 2)
    return cv2.GaussianBlur(picture, (3, 3), 0).astype(np.uint8, copy=False)
