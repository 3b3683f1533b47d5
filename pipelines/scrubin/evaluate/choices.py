"""What the organiser of a challenge can choose, with the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal, get_args

from scrubin.evaluate.metrics.recognition.triplet_videos import COMPONENTS
from scrubin.labels.tasks import Task

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
IOU = 0.5
PARTS: Mapping[Task, tuple[str, ...]] = {
    "recognition": COMPONENTS,
    "detection": ("i", "v", "t", "ivt"),
    "phases": ("accuracy", "precision", "recall", "f1", "jaccard"),
}
PRIMARY: Mapping[Task, str] = {"recognition": "ivt", "detection": "ivt", "phases": "accuracy"}
WORST = "worst"
Show = Literal["overall", "videos", "nothing"]
SHOWS: tuple[Show, ...] = get_args(Show)
NEVER = date(2099, 1, 1), date(2099, 12, 31)
"""When nobody says when a challenge opens, it does not."""
PLATFORMS = {"codabench": "CodaBench", "evalai": "EvalAI", "grand-challenge": "Grand Challenge"}
"""Who runs a challenge, by the name of the option."""
