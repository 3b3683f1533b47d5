"""Where media, splits and ground truth wait for the release: a private folder of which nothing is ever pushed."""

from __future__ import annotations

from pathlib import Path

from scrubin.core.files import fresh_folder

UNRELEASED = Path("data/unreleased")
PARTS = ("calibration", "frames", "groundtruth", "splits", "videos")
"""The folders in it, each written by one stage; in a release they have the same names."""
PRIVATE_MODE = 0o700


def fresh_part(name: str) -> Path:
    """Return one of the folders, empty; nobody else may look into what lies around it."""
    UNRELEASED.mkdir(parents=True, exist_ok=True)
    # Also where DVC has made it.
    UNRELEASED.chmod(PRIVATE_MODE)
    return fresh_folder(UNRELEASED / name)
