"""How unlike a frame is to every other moment of its recording that looks like endoscopy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scrubin.screen.histograms import GROUPS, Histograms
from scrubin.screen.proposals import Flags, Numbers

APART_S = 10.0
"""Other moments are at least so far away: what is cut in for some seconds must not speak for itself."""
MOST_MOMENTS = 2000
BLOCK_FRAMES = 4096
# Square roots of shares as whole numbers: their products stay below 2 to the power of 24, so that float32 holds every sum
# exactly, on every processor.
WHOLE = 2048
# Of two pictures of one view; a Hellinger distance of 0.25.
ALIKE = WHOLE**2 * (1 - 0.25**2)
Vectors = npt.NDArray[np.float32]


def novelty(histograms: Histograms, inside: Flags, times_s: Numbers) -> Numbers:
    """Return the Hellinger distance of each frame to the most alike one of the other moments, 0 to 1, shape (n,).

    NaN where there is no other moment, as in a short recording.

    Parameters
    ----------
    histograms
        Of every frame, shape (n, 88).
    inside
        Frames that look like endoscopy; only they count as other moments. Shape (n,).
    times_s
        Presentation times, shape (n,), increasing.
    """
    places = np.flatnonzero(inside)
    if len(places) > MOST_MOMENTS:
        places = places[np.linspace(0, len(places) - 1, MOST_MOMENTS).astype(np.int64)]
    far = np.full(len(times_s), np.nan)
    moments, moments_s = _vectors(histograms[places]), times_s[places]
    for at in range(0, len(times_s), BLOCK_FRAMES):
        block = slice(at, at + BLOCK_FRAMES)
        alike = _vectors(histograms[block]) @ moments.T
        alike[np.abs(times_s[block, None] - moments_s) < APART_S] = -1
        best = alike.max(axis=1, initial=-1).astype(np.float64)
        far[block] = np.where(best < 0, np.nan, np.sqrt(np.maximum(1 - best / WHOLE**2, 0)))
    return far


def alike_run(histograms: Histograms, number: int) -> tuple[int, int]:
    """Return the first and last frame of those around a frame that all look like it."""
    one = _vectors(histograms[number : number + 1])[0]
    return _end(histograms, number, one, -1), _end(histograms, number, one, 1)


def _end(histograms: Histograms, number: int, one: Vectors, step: int) -> int:
    while 0 <= number + step < len(histograms):
        block = histograms[max(number - BLOCK_FRAMES, 0) : number][::-1] if step < 0 else histograms[number + 1 :][:BLOCK_FRAMES]
        unlike = np.flatnonzero(_vectors(block) @ one < ALIKE)
        if len(unlike):
            return number + step * int(unlike[0])
        number += step * len(block)
    return number


def _vectors(histograms: Histograms) -> Vectors:
    """Return square roots of shares, colour, brightness and texture alike, as whole numbers; shape (n, 88)."""
    roots = np.zeros(histograms.shape, dtype=np.float32)
    for group in GROUPS:
        counts = histograms[:, group].astype(np.float64)
        shares = counts / (len(GROUPS) * np.maximum(counts.sum(axis=1, keepdims=True), 1))
        roots[:, group] = np.rint(np.sqrt(shares) * WHOLE)
    return roots
