"""How unlike each other the frames of a recording are: the strange ones, the cuts, the stills that somebody must look at.

A *jump* is a frame that looks unlike the one before it, far more than frames beside it do: a cut,
or a picture that comes and goes. Of what lies between two jumps less than a second apart the sheet
may show nothing, so one of its frames is a stop. A picture that fades in or out has no jump: where a
frame is unlike the stills of the sheet beside it and every stop between them, twice as far as such stills
usually are from each other, it is a stop as well.
A *scene* lasts from jump to jump, a second or longer. Burned-in names stay on the screen through a
scene and are too small for the sheet, so each scene has a frame that is looked at as large as it is,
and a long one has another every five minutes. Pictures that look like a scene that had its stop a short while before need none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from scrubin.stages.screen.features import GROUPS, Histograms
from scrubin.stages.screen.proposals import SAME_S, Flags, Numbers

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
    moments, moments_s = vectors(histograms[places]), times_s[places]
    for at in range(0, len(times_s), BLOCK_FRAMES):
        block = slice(at, at + BLOCK_FRAMES)
        alike = vectors(histograms[block]) @ moments.T
        alike[np.abs(times_s[block, None] - moments_s) < APART_S] = -1
        best = alike.max(axis=1, initial=-1).astype(np.float64)
        far[block] = np.where(best < 0, np.nan, np.sqrt(np.maximum(1 - best / WHOLE**2, 0)))
    return far


def alike_run(histograms: Histograms, number: int) -> tuple[int, int]:
    """Return the first and last frame of those around a frame that all look like it."""
    one = vectors(histograms[number : number + 1])[0]
    return _end(histograms, number, one, -1), _end(histograms, number, one, 1)


def _end(histograms: Histograms, number: int, one: Vectors, step: int) -> int:
    while 0 <= number + step < len(histograms):
        block = histograms[max(number - BLOCK_FRAMES, 0) : number][::-1] if step < 0 else histograms[number + 1 :][:BLOCK_FRAMES]
        unlike = np.flatnonzero(vectors(block) @ one < ALIKE)
        if len(unlike):
            return number + step * int(unlike[0])
        number += step * len(block)
    return number


def vectors(histograms: Histograms) -> Vectors:
    """Return square roots of shares, colour, brightness and texture alike, as whole numbers; shape (n, 88)."""
    return np.rint(_roots(histograms) * WHOLE).astype(np.float32)


# The typical picture is that of at most so many, evenly spread; the others are compared in blocks: memory stays small for hours.
TYPICAL_FRAMES = 10_000


def distance_from_typical(histograms: Histograms, black: Flags) -> Numbers:
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


JUMP, SCENE = "jump", "scene"
SHORT_S = 1.0
"""The step of the sheet: a shorter stretch may have no still of its own."""
EVERY_S = 300.0
UNLIKE = 0.25
"""Hellinger distance of two pictures of which one is not the view of the other (see `scrubin.stages.screen.unlikeness`)."""
TIMES_USUAL = 4.0
"""A jump is so many times as far as the frames around it usually are from their neighbours."""
AROUND_FRAMES = 12
TIMES_USUAL_STEP = 2.0
"""A frame between two stills is so many times as far from both as stills around it usually are from the next."""
AROUND_STILLS = 15


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
    for frame in _between_stills(roots, times_s, sorted(done)):
        done.setdefault(frame, JUMP)
    return [Stop(frame, kind) for frame, kind in sorted(done.items())]


def _between_stills(roots: Numbers, times_s: Numbers, known: Sequence[int]) -> list[int]:
    """Return frames unlike both stills of the sheet beside them, far more than stills usually are, and unlike the known stops between them.

    Of each second the one that is furthest from what is shown.
    """
    stills = np.flatnonzero(np.diff(np.floor(times_s + SAME_S), prepend=-1))
    ends = np.append(stills[1:], len(times_s) - 1)
    steps = _distances(roots[stills], roots[ends])
    place_of = np.searchsorted(stills, np.arange(len(times_s)), side="right") - 1
    far = np.zeros(len(times_s))
    for at in range(0, len(times_s), BLOCK_FRAMES):
        block, places = slice(at, at + BLOCK_FRAMES), place_of[at : at + BLOCK_FRAMES]
        far[block] = np.minimum(_distances(roots[block], roots[stills[places]]), _distances(roots[block], roots[ends[places]]))
    done: list[int] = []
    for place in np.unique(place_of[far >= UNLIKE]).tolist():
        first, end = int(stills[place]), int(ends[place])
        usual = float(np.median(steps[max(place - AROUND_STILLS, 0) : place + AROUND_STILLS + 1]))
        between = known[bisect_left(known, first) : bisect_right(known, end)]
        furthest = np.min([far[first:end], *(_distances(roots[first:end], roots[one][None]) for one in between)], axis=0)
        if furthest.max(initial=0) >= max(UNLIKE, TIMES_USUAL_STEP * usual):
            done.append(first + int(np.argmax(furthest)))
    return done


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
