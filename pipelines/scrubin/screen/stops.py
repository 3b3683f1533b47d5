"""Stills that a person must look at by themselves: what a still of every second may not show, and one of every scene.

A *jump* is a frame that looks unlike the one before it, far more than frames beside it do: a cut,
or a picture that comes and goes. Of what lies between two jumps less than a second apart the sheet
may show nothing, so one of its frames is a stop. A *scene* lasts from jump to jump, a second or
longer. Burned-in names stay on the screen through a scene and are too small for the sheet, so each
scene has a frame that is looked at as large as it is, and a long one has another every five
minutes. Pictures that look like a scene that had its stop a short while before need none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from scrubin.screen.histograms import GROUPS, Histograms
from scrubin.screen.proposals import Flags, Numbers

JUMP, SCENE = "jump", "scene"
SHORT_S = 1.0
"""The step of the sheet: a shorter stretch may have no still of its own."""
EVERY_S = 300.0
UNLIKE = 0.25
"""Hellinger distance of two pictures of which one is not the view of the other (see `scrubin.screen.novelty`)."""
TIMES_USUAL = 4.0
"""A jump is so many times as far as the frames around it usually are from their neighbours."""
AROUND_FRAMES = 12
BLOCK_FRAMES = 4096


@dataclass(frozen=True)
class Stop:
    """A frame to be looked at, and why: ``jump`` or ``scene``."""

    frame: int
    kind: str


def stops(histograms: Histograms, times_s: Numbers) -> list[Stop]:
    """Return the stops of one file, in order.

    Parameters
    ----------
    histograms
        Of every frame, shape (n, 88).
    times_s
        Presentation times, shape (n,), increasing.
    """
    if not len(times_s):
        return []
    roots = _roots(histograms)
    edges = [0, *np.flatnonzero(jumps(roots)).tolist(), len(times_s)]
    done: dict[int, str] = {}
    shown: list[tuple[float, int]] = []
    for first, end in pairwise(edges):
        start_s, end_s = float(times_s[first]), float(times_s[end] if end < len(times_s) else times_s[-1])
        if end_s - start_s < SHORT_S and end - first < len(times_s):
            if not _has_still(times_s[first:end]):
                done.setdefault((first + end) // 2, JUMP)
            continue
        for part_s in np.arange(start_s, max(end_s, start_s + SHORT_S), EVERY_S):
            frame = int(np.searchsorted(times_s, min(part_s + SHORT_S / 2, (part_s + end_s) / 2)))
            frame = min(max(frame, first), end - 1)
            if not any(part_s - at_s < EVERY_S and _distance(roots[frame], roots[other]) < UNLIKE for at_s, other in shown):
                done[frame] = SCENE
                shown.append((float(part_s), frame))
    return [Stop(frame, kind) for frame, kind in sorted(done.items())]


def jumps(roots: Numbers) -> Flags:
    """Return the frames that look unlike the one before, far more than is usual around them; shape (n,).

    Parameters
    ----------
    roots
        Square roots of each frame's shares, shape (n, 88).
    """
    moved = np.zeros(len(roots))
    for at in range(1, len(roots), BLOCK_FRAMES):
        block = slice(at, min(at + BLOCK_FRAMES, len(roots)))
        moved[block] = _distances(roots[block], roots[at - 1 : block.stop - 1])
    padded = np.pad(moved, AROUND_FRAMES, mode="reflect") if len(moved) > AROUND_FRAMES else moved
    usual = np.zeros(len(moved))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * AROUND_FRAMES + 1) if len(padded) > len(moved) else None
    for at in range(0, len(moved), BLOCK_FRAMES):
        usual[at : at + BLOCK_FRAMES] = np.median(windows[at : at + BLOCK_FRAMES] if windows is not None else moved[None], axis=1)
    found: Flags = (moved >= UNLIKE) & (moved >= TIMES_USUAL * usual)
    return found


def _has_still(times_s: Numbers) -> bool:
    """Whether the sheet has a still of a stretch: the first frame that appears in a second."""
    return bool(len(times_s)) and bool(np.any(np.floor(times_s) > np.floor(times_s[0] - 1e-6)))


def _roots(histograms: Histograms) -> Numbers:
    roots = np.zeros(histograms.shape, dtype=np.float64)
    for group in GROUPS:
        counts = histograms[:, group].astype(np.float64)
        roots[:, group] = np.sqrt(counts / (len(GROUPS) * np.maximum(counts.sum(axis=1, keepdims=True), 1)))
    return roots


def _distances(some: Numbers, others: Numbers) -> Numbers:
    """Return the Hellinger distance of each row to the other, 0 to 1."""
    far: Numbers = np.sqrt(np.maximum(1 - np.einsum("ij,ij->i", some, others), 0))
    return far


def _distance(one: Numbers, other: Numbers) -> float:
    return float(_distances(one[None], other[None])[0])
