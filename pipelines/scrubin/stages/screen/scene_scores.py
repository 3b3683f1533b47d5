"""How much speaks for "outside the body" in every frame, by the fitted network."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.media.networks import endoscopy
from scrubin.stages.screen.pass_over_file import DecodedPicture, Observed, Observer
from scrubin.stages.screen.proposals import Flags, Numbers

SCENES = {
    "any": True,
    "laparoscopy": True,
    "robotic": True,
    "thoracoscopy": True,
    "colonoscopy": True,
    "gastroscopy": True,
    "laryngoscopy": True,
    "sinus_endoscopy": True,
    "fetoscopy": True,
    "cataract": True,
    "arthroscopy": False,
    "box_trainer": False,
    "dry_lab": False,
    "open_surgery": False,
    "other": False,
}
"""Whether a recording of this scene that looks like no endoscopy is a surprise, which is then proposed as a whole."""

NAME = "scene"
# A frame whose grid differs by less from the last one that was judged is not judged again: noise is averaged away in it.
SAME_LEVELS = 3.0
# What moves is judged every third frame, a cut at once: the margin of a span is wider than what may be late.
CUT_LEVELS = 10.0
EVERY_FRAMES = 3
BATCH = 32
# Nothing in a frame whose brightest point is darker shows who is there.
DARK_LUMA = 40
KNOWN_SHARE, SURELY_KNOWN_SHARE = 0.5, 0.8


class _Judging:
    def __init__(self, times_s: Numbers) -> None:
        self._judged_at = np.zeros(len(times_s), dtype=np.int64)
        self._log_odds = [np.zeros(0, dtype=np.int16)]
        self._judged = 0
        self._last: npt.NDArray[np.int16] | None = None
        self._last_number = 0
        self._waiting: list[npt.NDArray[np.uint8]] = []

    def see(self, number: int, decoded: DecodedPicture) -> None:
        if self._moved(decoded.grid) >= (SAME_LEVELS if number - self._last_number >= EVERY_FRAMES else CUT_LEVELS):
            self._last, self._last_number = decoded.grid, number
            self._waiting.append(endoscopy.planes(decoded.small))
            self._judged += 1
            if len(self._waiting) == BATCH:
                self._judge()
        self._judged_at[number] = self._judged - 1

    def finish(self) -> Observed:
        self._judge()
        judged = np.concatenate(self._log_odds)
        return Observed({"log_odds": judged[self._judged_at]}, {"judged": self._judged})

    def _moved(self, grid: npt.NDArray[np.int16]) -> float:
        """Return by how many levels the picture has changed since the last one that was judged."""
        return float("inf") if self._last is None else cv2.norm(grid, self._last, cv2.NORM_L1) / grid.size

    def _judge(self) -> None:
        if self._waiting:
            self._log_odds.append(endoscopy.log_odds(np.stack(self._waiting)))
            self._waiting = []


OBSERVER = Observer(NAME, __name__, {}, _Judging)
"""Judges the frames in the one decode of a file."""


def scores(observed: Observed) -> Numbers:
    """Return how much speaks for "outside the body" in every frame: log odds, shape (n,)."""
    odds: Numbers = observed.arrays["log_odds"].astype(np.float64) / endoscopy.UNIT
    return odds


def looks_known(log_odds: Numbers, dark: Flags, scene: str) -> bool:
    """Whether the network knows what a recording shows: it takes most of its bright frames for endoscopy.

    Of a scene that it was never fitted on, nearly all: then it is not what its task says.
    """
    bright = log_odds[~dark]
    share = float(np.count_nonzero(bright < 0)) / len(bright) if len(bright) else 1.0
    return share >= (KNOWN_SHARE if SCENES[scene] else SURELY_KNOWN_SHARE)
