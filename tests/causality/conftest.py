"""Two tiny videos, and programs that are really run on them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from scrubin.evaluate.causality.clips import write
from scrubin.evaluate.causality.sandbox import Limits
from scrubin.evaluate.causality.trial import TrialRequest, tried

PROGRAM = Path(__file__).parent / "programs/program.py"
collect_ignore = ["programs"]
"""They are run by path, each in a process of its own."""
FAST = (sys.executable, "-S", "-E")


@pytest.fixture(scope="session")
def videos(tmp_path_factory):
    """Two videos of 16 frames, each frame another grey."""
    folder = tmp_path_factory.mktemp("videos")
    for video in range(2):
        rng = np.random.default_rng(video)
        (folder / f"video{video}").mkdir()
        for frame in range(16):
            grey = int(rng.integers(20, 200))
            write(folder / f"video{video}/{frame:06d}.png", rng.integers(grey, grey + 40, (4, 6, 3), np.uint8))
    return folder


@pytest.fixture
def trial(videos):
    """Tries a kind of program; further arguments are those of a request."""

    def of(kind, *, runs=8, folder=videos, wall_s=20.0, **more):
        command = more.pop("command", (*FAST, str(PROGRAM), kind, "{input}", "{output}"))
        return tried(TrialRequest(folder, command, runs=runs, limits=Limits(wall_s=wall_s), **more))

    return of
