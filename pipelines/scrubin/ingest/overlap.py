"""Frames that end one file and begin the next: recorders that cut a recording sometimes write both sides of the seam."""

from __future__ import annotations

import numpy as np

from scrubin.ingest.seam_pictures import Thumbnails

SAME_LEVEL = 3.0
"""Mean difference, of 255, of two thumbnails of one picture that was encoded twice; other pictures differ by more."""
MOVING = 4.0
"""By so many times more than copies differ must pictures that follow each other differ, so that a place can be told from its neighbours."""
LEAST_NOISE = 0.05


def overlap(ending: Thumbnails, beginning: Thumbnails) -> int:
    """Return the n for which the last n pictures of one file are best the first n of the next; 0 when there is none.

    Pictures that do not move fit at any place. There nothing is dropped: a doubled still picture harms nobody, a lost one does.

    Parameters
    ----------
    ending, beginning
        (n, h, w, 3), the last and the first frames.
    """
    apart = [_apart(ending[-n:], beginning[:n]) for n in range(1, min(len(ending), len(beginning)) + 1)]
    best = min(range(len(apart)), key=lambda place: (apart[place], -place), default=0)
    if not apart or apart[best] > SAME_LEVEL:
        return 0
    n = best + 1
    # Where pictures hardly move, other places fit as well.
    return n if _motion(beginning[: n + 1]) >= MOVING * max(apart[best], LEAST_NOISE) else 0


def longest_overlap(ending: Thumbnails, beginning: Thumbnails) -> int:
    """Return how many frames two files can share at most, as far as the second was read; 0: none.

    Parameters
    ----------
    ending
        (n, h, w, 3), the last frames of the first file.
    beginning
        (m, h, w, 3), the first frames of the second file, at least one.
    """
    alike = len(ending) - np.flatnonzero(np.abs(ending - beginning[0]).mean(axis=(1, 2, 3)) <= SAME_LEVEL)
    return next((int(n) for n in alike if _apart(ending[len(ending) - n :][: len(beginning)], beginning[:n]) <= SAME_LEVEL), 0)


def _apart(some: Thumbnails, others: Thumbnails) -> float:
    return float(np.abs(some - others).mean(axis=(1, 2, 3)).max())


def _motion(pictures: Thumbnails) -> float:
    if len(pictures) < 2:
        return 0.0
    return float(np.abs(np.diff(pictures, axis=0)).mean(axis=(1, 2, 3)).max())
