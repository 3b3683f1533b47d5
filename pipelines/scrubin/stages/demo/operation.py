"""The scene of a procedure: moving tissue, instruments that enter, work, leave, phase by phase."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from scrubin.stages.demo import canvas
from scrubin.stages.demo.canvas import BLACK, GREY, Image, Plane, Pose, ease, filled, generator, texture, textured, wave, yuv
from scrubin.stages.demo.plan import Recording

TRIPLETS_TABLE = Path(__file__).with_name("triplets.csv")

CHOLECT50_PHASES = (
    "preparation",
    "carlot-triangle-dissection",
    "clipping-and-cutting",
    "gallbladder-dissection",
    "gallbladder-packaging",
    "cleaning-and-coagulation",
    "gallbladder-extraction",
)
CHOLEC80_PHASES = (
    "Preparation",
    "CalotTriangleDissection",
    "ClippingCutting",
    "GallbladderDissection",
    "GallbladderPackaging",
    "CleaningCoagulation",
    "GallbladderRetraction",
)
CHOLEC80_TOOLS = ("Grasper", "Bipolar", "Hook", "Scissors", "Clipper", "Irrigator", "SpecimenBag")
DISSECTION = 1
"""Phase in which the view of safety is made."""
PACKAGING = 4
"""Phase in which the specimen bag is in view."""


@dataclass(frozen=True)
class Triplet:
    """An instrument that does something to something: ids and names as in CholecT50."""

    triplet: int
    instrument: int
    verb: int
    target: int
    instrument_name: str
    verb_name: str
    target_name: str

    @property
    def name(self) -> str:
        """Return instrument, verb and target, joined by commas."""
        return f"{self.instrument_name},{self.verb_name},{self.target_name}"


@cache
def triplets() -> dict[int, Triplet]:
    """Return the triplets of the demo by their id in CholecT50."""
    with TRIPLETS_TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    classes = [
        Triplet(
            int(row["triplet"]),
            int(row["instrument"]),
            int(row["verb"]),
            int(row["target"]),
            row["instrument_name"],
            row["verb_name"],
            row["target_name"],
        )
        for row in rows
    ]
    return {one.triplet: one for one in classes}


TISSUE, LIVER, GALLBLADDER = yuv(172, 74, 62), yuv(112, 44, 40), yuv(166, 158, 96)
VESSEL, FAT, BAG, BLOOD = yuv(140, 30, 34), yuv(206, 172, 96), yuv(196, 204, 214), yuv(110, 14, 18)
BORDER_PX = 40
MOVE_S = 0.5
# How long each phase takes, in percent, before the recording's own variation.
SHARES = (12, 18, 16, 20, 12, 13, 9)
ENTRIES = {"left": (-30, 206), "left_top": (-30, 40), "right": (456, 196), "right_top": (456, 30)}


@dataclass(frozen=True)
class Action:
    """What an instrument does in a share of a phase: where it enters and where it works."""

    triplet: int
    start: float
    end: float
    entry: str
    place: tuple[int, int]


ACTIONS: dict[int, tuple[Action, ...]] = {
    0: (Action(7, 0.08, 0.55, "left", (180, 110)), Action(19, 0.45, 1.0, "right_top", (250, 60))),
    1: (
        Action(17, 0.0, 1.0, "left_top", (150, 74)),
        Action(58, 0.06, 0.5, "right", (238, 140)),
        Action(96, 0.5, 0.62, "right", (268, 152)),
        Action(60, 0.62, 0.96, "right", (226, 118)),
    ),
    2: (
        Action(17, 0.0, 1.0, "left_top", (150, 74)),
        Action(79, 0.04, 0.34, "right", (232, 146)),
        Action(78, 0.38, 0.6, "right", (246, 128)),
        Action(69, 0.64, 0.8, "right", (232, 146)),
        Action(68, 0.83, 0.98, "right", (246, 128)),
    ),
    3: (
        Action(17, 0.0, 1.0, "left_top", (140, 66)),
        Action(60, 0.04, 0.52, "right", (222, 110)),
        Action(29, 0.57, 0.78, "right", (236, 70)),
        Action(60, 0.82, 0.98, "right", (212, 98)),
    ),
    4: (Action(12, 0.0, 1.0, "left", (170, 150)), Action(13, 0.12, 0.86, "right", (222, 136))),
    5: (
        Action(19, 0.0, 1.0, "left_top", (150, 60)),
        Action(82, 0.05, 0.42, "right", (240, 150)),
        Action(23, 0.47, 0.68, "right", (236, 84)),
        Action(88, 0.73, 0.98, "right", (260, 164)),
    ),
    6: (Action(12, 0.05, 0.84, "left", (190, 140)), Action(94, 0.1, 0.9, "right", (290, 160))),
}


@dataclass(frozen=True)
class Tool:
    """An instrument in view: what it does, where it is, and the box of its tip (x, y, w, h in px)."""

    triplet: Triplet
    pose: Pose
    box: tuple[int, int, int, int]


class Operation:
    """What happens when, and what the camera sees of it."""

    def __init__(self, recording: Recording) -> None:
        rng = generator(*recording.key, 4)
        self._size = recording.width, recording.height
        self._bounds = _bounds(recording, [SHARES[phase] * 10 + int(rng.integers(-20, 21)) for phase in recording.phases])
        self._drift = [int(rng.integers(0, 100)) / 100 for _ in range(4)]
        self._relief = texture(rng, self._size[0] + 2 * BORDER_PX, self._size[1] + 2 * BORDER_PX, (40, 12, 3))
        self._view = _scope_view(*self._size) if recording.key[-1] % 2 == 0 else np.ones(self._size[::-1], np.uint8)
        self._corners = filled(*self._size, (BLACK + 2, GREY, GREY))
        self._hidden = np.asarray(255 - 255 * self._view, np.uint8)
        self._worlds: dict[int, Image] = {}

    def phase_at(self, time_s: float) -> int:
        """Return the phase (id as in CholecT50) at a time in s."""
        return self._current(time_s)[0]

    def span_of(self, phase: int) -> tuple[float, float]:
        """Return when a phase begins and ends, in s."""
        return next((start_s, end_s) for number, start_s, end_s in self._bounds if number == phase)

    def tools_at(self, time_s: float) -> list[Tool]:
        """Return the instruments in view at a time in s."""
        in_view = []
        phase, start_s, end_s = self._current(time_s)
        for number, action in enumerate(ACTIONS[phase]):
            begin, end = (start_s + share * (end_s - start_s) for share in (action.start, action.end))
            if begin <= time_s < end:
                pose = self._pose(action, number, time_s, ease(min(time_s - begin, end - time_s) / MOVE_S))
                box = canvas.visible_box(pose, self._view)
                if box is not None:
                    in_view.append(Tool(triplets()[action.triplet], pose, box))
        return in_view

    def draw(self, time_s: float, tools: list[Tool] | None = None, cover: Image | None = None) -> Image:
        """Return the picture at a time in s; ``cover`` replaces the tissue below the instruments."""
        image = self._tissue(time_s) if cover is None else cover
        for tool in self.tools_at(time_s) if tools is None else tools:
            canvas.draw_instrument(image, tool.pose)
        cv2.copyTo(self._corners, self._hidden, image)
        return image

    def _current(self, time_s: float) -> tuple[int, float, float]:
        return next((bound for bound in reversed(self._bounds) if time_s >= bound[1]), self._bounds[0])

    def _tissue(self, time_s: float) -> Image:
        width, height = self._size
        x = BORDER_PX + int(26 * wave(0.041 * time_s + self._drift[0]) + 9 * wave(0.13 * time_s + self._drift[1]))
        # The patient breathes fourteen times a minute.
        y = BORDER_PX + int(18 * wave(0.053 * time_s + self._drift[2]) + 7 * wave(0.233 * time_s + self._drift[3]))
        phase = self.phase_at(time_s)
        if phase not in self._worlds:
            self._worlds[phase] = _paint(self._relief, phase)
        return self._worlds[phase][y : y + height, x : x + width].copy()

    def _pose(self, action: Action, number: int, time_s: float, reach: float) -> Pose:
        entry = ENTRIES[action.entry]
        slow, fast = 0.19 * time_s + self._drift[0] + 0.3 * number, 0.71 * time_s + self._drift[1]
        x = action.place[0] + 22 * wave(slow) + 7 * wave(fast)
        y = action.place[1] + 16 * wave(slow + 0.25) + 6 * wave(fast + 0.4)
        tip = (entry[0] + int((x - entry[0]) * reach), entry[1] + int((y - entry[1]) * reach))
        opened = int(1.3 * time_s + 0.5 * number) % 3 == 0
        return Pose(triplets()[action.triplet].instrument_name, entry, tip, opened)


def _bounds(recording: Recording, weights: list[int]) -> list[tuple[int, float, float]]:
    total, duration_s, done = sum(weights), float(recording.duration), 0
    bounds = []
    for phase, weight in zip(recording.phases, weights, strict=True):
        bounds.append((phase, duration_s * done / total, duration_s * (done + weight) / total))
        done += weight
    return bounds


def _paint(relief: np.ndarray[tuple[int, ...], np.dtype[np.int32]], phase: int) -> Image:
    world = textured(relief, TISSUE, 30)
    height, width = relief.shape
    liver, organ = textured(relief, LIVER, 24), textured(relief, GALLBLADDER, 20)
    mask = np.zeros((height, width), np.uint8)
    cv2.ellipse(mask, (width * 2 // 5, height // 8), (width // 2, height // 4), 0, 0, 360, 1, -1)
    if phase <= PACKAGING - 1:
        cv2.ellipse(mask, (width * 9 // 20, height * 9 // 20), (width // 7, height // 8), 24, 0, 360, 2, -1)
    for code, layer in ((1, liver), (2, organ)):
        world[mask == code] = layer[mask == code]
    for number in range(5):
        start = (width * (number + 1) // 6, height * 7 // 10 + 9 * (number % 2))
        middle, end = (start[0] + 24, start[1] + 30 - 12 * (number % 3)), (start[0] + 60, start[1] + 58)
        cv2.polylines(world, [np.array([start, middle, end], np.int32)], False, VESSEL, 2 + number % 2)
        cv2.circle(world, (start[0] + 40, height * 6 // 7 - 8 * number), 9 + number, FAT, -1)
    if phase == PACKAGING:
        cv2.ellipse(world, (width // 2, height * 11 // 20), (width // 7, height // 9), 0, 0, 360, BAG, -1)
    if phase > PACKAGING - 1:
        cv2.ellipse(world, (width * 11 // 20, height * 2 // 5), (width // 9, height // 16), 12, 0, 360, BLOOD, -1)
    return world


def _scope_view(width: int, height: int) -> Plane:
    # The round end of the scope leaves the corners of the picture dark: 0 there, 1 in the middle.
    view = np.zeros((height, width), np.uint8)
    cv2.circle(view, (width // 2, height // 2), width * 47 // 100, 1, -1)
    return view
