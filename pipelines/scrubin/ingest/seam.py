"""What the pictures on both sides of a seam between two files say: frames that stand in both, or another scene."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from scrubin.core import store
from scrubin.core.code_of import code_of
from scrubin.ingest import seam_pictures
from scrubin.ingest.overlap import longest_overlap, overlap
from scrubin.ingest.seam_pictures import Thumbnails
from scrubin.video.probe_cache import stored_probe
from scrubin.video.raw_file import proven
from scrubin.video.source import FilePart

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
    key = store.key_of("seam", code_of(__name__), {"before": before.sha256, "after": part.sha256})

    def work(_: Path) -> list[int]:
        with proven(raw / before.path, before.path, before.sha256), proven(raw / part.path, part.path, part.sha256):
            seam = _seen(raw, before, part)
        return [seam.doubled, int(seam.changes_scene)]

    entry, _ = store.make(key, work)
    doubled, other_scene = entry.value
    return Seam(int(doubled), bool(other_scene))


def _seen(raw: Path, before: FilePart, part: FilePart) -> Seam:
    """Look at a seam; of most the second file's first frame says that nothing is doubled, and no other is decoded."""
    first, second = (stored_probe(raw / one.path, one.path, one.sha256) for one in (before, part))
    ending = seam_pictures.ending(raw, before, first)
    following = seam_pictures.beginning(raw, part, second)
    beginning = np.stack(list(islice(following, 1)))
    while longest_overlap(ending, beginning) >= len(beginning) and (more := list(islice(following, len(beginning)))):
        beginning = np.concatenate([beginning, more])
    doubled = overlap(ending, beginning)
    if jump(ending, beginning[doubled:]) > OTHER_SCENE_LEVEL:
        beginning = np.stack([*beginning, *following])
    return Seam(doubled, changes_scene(ending, beginning[doubled:]))


def changes_scene(ending: Thumbnails, beginning: Thumbnails) -> bool:
    """Return whether a file begins with another scene than the one with which the file before ended.

    Parameters
    ----------
    ending, beginning
        (n, h, w, 3), the last and the first frames that count.
    """
    steps = [float(np.abs(np.diff(side, axis=0)).mean(axis=(1, 2, 3)).max(initial=0.0)) for side in (ending, beginning)]
    return jump(ending, beginning) > max(OTHER_SCENE_LEVEL, USUAL_STEPS * max(steps))


def jump(ending: Thumbnails, beginning: Thumbnails) -> float:
    """Return by how much, of 255, the first picture of a file differs from the last one before it; 0 where there is none."""
    if not len(ending) or not len(beginning):
        return 0.0
    return float(np.abs(ending[-1] - beginning[0]).mean())
