"""What every platform's writer is told and tells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

from scrubin.bundles.challenge import Challenge
from scrubin.bundles.hidden_truth import HiddenTruth


@dataclass(frozen=True)
class Opening:
    """When a challenge is open, and the container image in which it is scored."""

    starts: date
    ends: date
    image: str


@dataclass(frozen=True)
class Layout:
    """What was written.

    Parameters
    ----------
    upload
        What the organiser uploads, or builds from.
    private
        Files and folders that have hidden labels, relative to the bundle; a trailing ``/`` is a folder.
    steps
        What the organiser does next.
    """

    upload: str
    private: tuple[str, ...]
    steps: tuple[str, ...]


class Platform(Protocol):
    """What the module of a platform has."""

    NAME: str

    def write(self, challenge: Challenge, truth: HiddenTruth, kit: Path, opening: Opening, folder: Path, /) -> Layout:
        """Write what the platform takes into a folder, and what only its participants need into the starting kit."""
