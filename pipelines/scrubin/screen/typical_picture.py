"""How far every frame is from the recording's typical picture."""

from __future__ import annotations

import numpy as np

from scrubin.screen.histograms import GROUPS, Histograms
from scrubin.screen.proposals import Flags, Numbers

# The typical picture is that of at most so many, evenly spread; the others are compared in blocks: memory stays small for hours.
TYPICAL_FRAMES = 10_000
BLOCK_FRAMES = 4096


def distance(histograms: Histograms, black: Flags) -> Numbers:
    """Return the Hellinger distance of every frame to the recording's typical picture, 0 to 1, shape (n,).

    Parameters
    ----------
    histograms
        Of every frame, shape (n, 88), n > 0.
    black
        Frames that do not count for what is typical, shape (n,).
    """
    inside = np.flatnonzero(~black) if not black.all() else np.arange(len(black))
    chosen = inside[np.linspace(0, len(inside) - 1, min(len(inside), TYPICAL_FRAMES)).astype(np.int64)]
    typical_groups = [_typical(histograms[chosen, group]) for group in GROUPS]
    blocks = [histograms[at : at + BLOCK_FRAMES] for at in range(0, len(black), BLOCK_FRAMES)]
    apart: Numbers = np.concatenate([_apart(block, typical_groups) for block in blocks])
    return apart


def _typical(histograms: Histograms) -> Numbers:
    middle = np.median(histograms, axis=0)
    share: Numbers = middle / max(float(middle.sum()), 1e-12)
    return share


def _apart(histograms: Histograms, typical_groups: list[Numbers]) -> Numbers:
    apart = np.zeros(len(histograms))
    # Colour, brightness and texture count alike: a room changes all three; moving instruments hardly change any.
    for group, typical in zip(GROUPS, typical_groups, strict=True):
        counts = histograms[:, group].astype(np.float64)
        overlap = np.sqrt(counts / counts.sum(axis=1, keepdims=True) * typical).sum(axis=1)
        apart += (1.0 - np.minimum(overlap, 1.0)) / len(GROUPS)
    far: Numbers = np.sqrt(apart)
    return far
