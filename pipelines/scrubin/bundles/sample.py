"""A sample submission: well formed and without any knowledge, so that it can be public."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrubin.bundles.challenge import Challenge
from scrubin.core import files

UNSURE = 0.5


def write(challenge: Challenge, folder: Path) -> None:
    """Write one file per video: every class equally likely, nothing detected, always the first phase."""
    for video in sorted(challenge.frames or {}):
        value = document(challenge, video)
        if challenge.task == "phases":
            rows = [f"{frame},{phase}" for frame, phase in value.items()]
            files.write_text(folder / f"{video}.csv", "\n".join(["frame,phase_id", *rows]) + "\n")
        else:
            files.write_text(folder / f"{video}.json", json.dumps(value) + "\n")


def document(challenge: Challenge, video: str) -> dict[str, Any]:
    """Return the predictions of one video, as its file or its entry in ``submission.json`` has them."""
    classes = len(challenge.expected.vocabulary.triplets)
    of_frame: dict[str, Any] = {"recognition": {"recognition": [UNSURE] * classes}, "detection": {"detection": []}, "phases": 0}
    return {str(frame): of_frame[challenge.task] for frame in (challenge.frames or {})[video]}
