"""What an organiser can choose of a challenge or of a benchmark of de-identification, with the defaults."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal, get_args

TRUTHS = (
    "labels in any format that `scrubin convert` reads, our own ground truth (<vocabulary>/recognition/<video>.npz), "
    "images (<video>/000000.png) or a CSV with the columns video,frame"
)
DEFAULT_VOCABULARY = "cholect50"
CLIPS = 30
CLIP_FRAMES = 100
Test = Literal["videos", "clips"]
TESTS: tuple[Test, ...] = get_args(Test)
Correction = Literal["holm", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
ALPHA = 0.05
WORST = "worst"
Show = Literal["overall", "videos", "nothing"]
SHOWS: tuple[Show, ...] = get_args(Show)
NEVER = date(2099, 1, 1), date(2099, 12, 31)
"""When nobody says when a challenge opens, it does not."""
PLATFORMS = {"codabench": "CodaBench", "evalai": "EvalAI", "grand-challenge": "Grand Challenge"}
"""Who runs a challenge, by the name of the option."""


@dataclass(frozen=True)
class BenchmarkRequest:
    """What benchmark is wanted; without folders the synthetic study's operation and rooms are drawn."""

    recordings: int = 6
    seed: int = 0
    height: int = 360
    length_s: int = 40
    footage: Path | None = None
    outside: Path | None = None

    @property
    def width(self) -> int:
        """Of the picture in px: 16 to 9, even."""
        return self.height * 16 // 9 // 2 * 2


SMALLEST_HEIGHT_PX = 180
SHORTEST_S = 8
