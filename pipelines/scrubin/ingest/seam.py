"""What the pictures on both sides of a seam between two files say: frames that stand in both, or another scene."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scrubin.core import store
from scrubin.ingest import seam_pictures
from scrubin.ingest.overlap import overlap
from scrubin.ingest.seam_pictures import Thumbnails
from scrubin.video.probe_cache import stored_probe
from scrubin.video.raw_file import proven
from scrubin.video.source import FilePart

CODE = ("ingest/overlap.py", "ingest/seam.py", "ingest/seam_pictures.py", "video")
PACKAGES = ("av", "numpy", "opencv-python-headless")
OTHER_SCENE_LEVEL = 20.0
"""Mean difference, of 255, of two thumbnails. Frames of two operations differ by 27 to 30 at least in 99 of 100 pairs (CholecT50's
videos 68 and 70, and Endoscapes), frames 0.08 s apart in a moving laparoscopy by 13 at most in 99 of 100."""
USUAL_STEPS = 2.0
"""A change of scene is so many times larger than the largest step between frames near the seam."""


@dataclass(frozen=True)
class Seam:
    """Where one file ends and the next begins.

    Parameters
    ----------
    doubled
        So many frames at the start of the second file are those that end the first.
    changes_scene
        Whether the picture changes there as between two scenes.
    """

    doubled: int
    changes_scene: bool


def stored_seam(raw: Path, before: FilePart, part: FilePart) -> Seam:
    """Return what the pictures at a seam say.

    Raises
    ------
    VideoError
        When one of them cannot be decoded.
    """
    key = store.key_of("seam", store.code_version(CODE, PACKAGES), {"before": before.sha256, "after": part.sha256})

    def work(_: Path) -> list[int]:
        with proven(raw / before.path, before.path, before.sha256), proven(raw / part.path, part.path, part.sha256):
            first, second = (stored_probe(raw / one.path, one.path, one.sha256) for one in (before, part))
            ending, beginning = seam_pictures.ending(raw, before, first), seam_pictures.beginning(raw, part, second)
        doubled = overlap(ending, beginning)
        return [doubled, int(changes_scene(ending, beginning[doubled:]))]

    entry, _ = store.make(key, work)
    doubled, other_scene = entry.value
    return Seam(int(doubled), bool(other_scene))


def changes_scene(ending: Thumbnails, beginning: Thumbnails) -> bool:
    """Return whether a file begins with another scene than the one with which the file before ended.

    Parameters
    ----------
    ending, beginning
        (n, h, w), brightness of the last and of the first frames that count.
    """
    if not len(ending) or not len(beginning):
        return False
    steps = [float(np.abs(np.diff(side, axis=0)).mean(axis=(1, 2)).max(initial=0.0)) for side in (ending, beginning)]
    change = float(np.abs(ending[-1] - beginning[0]).mean())
    return change > max(OTHER_SCENE_LEVEL, USUAL_STEPS * max(steps))
