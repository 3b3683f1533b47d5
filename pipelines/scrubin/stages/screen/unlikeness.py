"""How unlike each other the frames of a recording are: the strange ones, the cuts, the stills that somebody must look at.

A *jump* is a frame that looks unlike the one before it, far more than frames beside it do: a cut,
or a picture that comes and goes. Of what lies between two jumps less than a second apart the sheet
may show nothing, so one of its frames is a stop. A picture that fades in or out has no jump: where a
frame is unlike the stills of the sheet beside it and every stop between them, twice as far as such stills
usually are from each other, it is a stop as well.
A *scene* lasts from jump to jump, a second or longer. Burned-in names stay on the screen through a
scene and are too small for the sheet, so each scene has a frame that is looked at as large as it is,
and a long one has another every five minutes. Pictures that look like a scene that had its stop a short while before need none.
Only what is kept of a recording counts, and is looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from scrubin.stages.screen.features import GROUPS, Histograms
from scrubin.stages.screen.proposals import SAME_S, Flags, Interval, Numbers, runs

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


def stops(histograms: Histograms, times_s: Numbers, kept_s: Interval = (0.0, np.inf), hidden_s: Iterable[Interval] = ()) -> list[Stop]:
    """Return the stops of one file that lie in what is kept of it, in order.

    They are chosen as if all were kept, so that another trim moves none at which somebody has looked already. Then whatever has lost its
    stop by the trim gets another one that is kept, and a scene whose stops all lie in what is hidden one that is shown.

    Parameters
    ----------
    histograms
        Of every frame, shape (n, 88).
    times_s
        Presentation times, shape (n,), increasing.
    kept_s
        What is kept, in source seconds from the first frame, half open.
    hidden_s
        When whole pictures are proposed to be hidden, alike.
    """
    if not len(times_s):
        return []
    roots = _roots(histograms)
    scenes = list(pairwise([0, *np.flatnonzero(jumps(roots)).tolist(), len(times_s)]))
    done = _chosen(roots, times_s, scenes, (0, len(times_s)), {}, closing=False)
    first, end = np.searchsorted(times_s, np.array(kept_s) - SAME_S).tolist()
    known = {frame: kind for frame, kind in done.items() if first <= frame < end}
    done = _chosen(roots, times_s, scenes, (first, end), known, closing=True)
    shown = _shown(times_s, (first, end), hidden_s)
    done |= dict.fromkeys(_scene_frames(roots, times_s, scenes, shown, _of_scenes(done)), SCENE)
    return [Stop(frame, kind) for frame, kind in sorted(done.items())]


def _shown(times_s: Numbers, within: tuple[int, int], hidden_s: Iterable[Interval]) -> Flags:
    """Return which frames of a stretch ``[first, end)`` are on no screen during what is hidden; shape (n,).

    What hides all of the stretch says nothing: either nothing is shown, or that is rejected.
    """
    shown = np.zeros(len(times_s), dtype=np.bool_)
    shown[slice(*within)] = True
    for start_s, end_s in hidden_s:
        first = max(int(np.searchsorted(times_s, start_s + SAME_S, side="right")) - 1, 0)
        end = int(np.searchsorted(times_s, end_s - SAME_S))
        if first > within[0] or end < within[1]:
            shown[first:end] = False
    return shown


def _of_scenes(known: Mapping[int, str]) -> list[int]:
    return sorted(frame for frame, kind in known.items() if kind == SCENE)


def _chosen(
    roots: Numbers, times_s: Numbers, scenes: Sequence[tuple[int, int]], within: tuple[int, int], known: Mapping[int, str], *, closing: bool
) -> dict[int, str]:
    """Return the known stops of a stretch ``[first, end)`` of a file, and what it needs beside them: frames and kinds.

    Parameters
    ----------
    scenes
        First frame and end of what lies between jumps, over the whole file.
    closing
        As in `_stills`.
    """
    inside = _shown(times_s, within, ())
    done = {**known, **dict.fromkeys(_scene_frames(roots, times_s, scenes, inside, _of_scenes(known)), SCENE)}
    kept = slice(*within)
    if not inside.any():
        return done
    looked_at = sorted({*known, *(within[0] + _stills(times_s[kept], closing=closing)[:-1]).tolist()})
    for first, end in scenes:
        part = max(first, within[0]), min(end, within[1])
        if part[0] < part[1] and not _is_scene(times_s, (first, end), inside) and not _of(looked_at, *part):
            done[sum(part) // 2] = JUMP
    for frame in _between_stills(roots[kept], times_s[kept], [frame - within[0] for frame in sorted(done)], closing=closing):
        done.setdefault(within[0] + frame, JUMP)
    return done


def _scene_frames(roots: Numbers, times_s: Numbers, scenes: Sequence[tuple[int, int]], inside: Flags, known: Sequence[int]) -> list[int]:
    """Return the frames at which scenes are looked at: one of every five minutes of each, where no earlier one looks like it.

    Parameters
    ----------
    inside
        Which frames may be chosen; what has none of them needs none. Shape (n,).
    known
        Frames that are looked at anyway, increasing.
    """
    done: list[tuple[float, int]] = []
    for first, end in scenes:
        if not _is_scene(times_s, (first, end), inside):
            continue
        start_s, end_s = _lasts(times_s, first, end)
        parts_s = np.arange(start_s, max(end_s, start_s + SHORT_S), EVERY_S)
        ends = [*np.searchsorted(times_s, parts_s[1:]).tolist(), end]
        for part_s, part in zip(parts_s.tolist(), pairwise([first, *ends]), strict=True):
            frame = _after_half_a_second(times_s, part_s, end_s, (first, end))
            mine = [one for one in _of(known, *part) if inside[one]]
            # Where footage is missing, half a second later may be behind it, or behind the trim.
            if mine or not (part[0] <= frame < part[1] and inside[frame]):
                frame = mine[0] if mine else _in_longest_run(times_s, inside, part)
            if frame < 0:
                continue
            alike = (part_s - at_s < EVERY_S and _distance(roots[frame], roots[other]) < UNLIKE for at_s, other in done)
            if mine or not any(alike):
                done.append((part_s, frame))
    return [frame for _, frame in done]


def _is_scene(times_s: Numbers, stretch: tuple[int, int], inside: Flags) -> bool:
    """Whether what lies between two jumps lasts for long enough, or is all there is."""
    start_s, end_s = _lasts(times_s, *stretch)
    return end_s - start_s >= SHORT_S or np.count_nonzero(inside[slice(*stretch)]) == np.count_nonzero(inside)


def _lasts(times_s: Numbers, first: int, end: int) -> Interval:
    return float(times_s[first]), float(times_s[end] if end < len(times_s) else times_s[-1])


def _after_half_a_second(times_s: Numbers, start_s: float, end_s: float, frames: tuple[int, int]) -> int:
    """Return the frame half a second after the beginning of a part, or in its middle."""
    frame = int(np.searchsorted(times_s, min(start_s + SHORT_S / 2, (start_s + end_s) / 2)))
    return min(max(frame, frames[0]), frames[1] - 1)


def _in_longest_run(times_s: Numbers, inside: Flags, part: tuple[int, int]) -> int:
    """Return the frame of a part that is looked at where only some of its frames may be; -1 where none may."""
    found = [(part[0] + first, part[0] + last) for first, last in runs(inside[slice(*part)])]
    if not found:
        return -1
    first, last = max(found, key=lambda run: float(times_s[run[1]] - times_s[run[0]]))
    return _after_half_a_second(times_s, float(times_s[first]), float(times_s[last]), (first, last + 1))


def _of(frames: Sequence[int], first: int, end: int) -> Sequence[int]:
    """Return those of increasing frames that lie in ``[first, end)``."""
    return frames[bisect_left(frames, first) : bisect_left(frames, end)]


def _firsts(times_s: Numbers) -> npt.NDArray[np.int64]:
    return np.flatnonzero(np.diff(np.floor(times_s + SAME_S), prepend=-1))


def _stills(times_s: Numbers, *, closing: bool) -> npt.NDArray[np.int64]:
    """Return the stills of the sheet: the first frame that appears in each second, and the last frame.

    Parameters
    ----------
    closing
        Whether the last frame stands for its second, as on the sheet, so that the first one of that is not shown.
    """
    firsts = _firsts(times_s)
    return np.append(firsts[:-1] if closing else firsts, len(times_s) - 1)


def _between_stills(roots: Numbers, times_s: Numbers, known: Sequence[int], *, closing: bool) -> list[int]:
    """Return frames unlike both stills of the sheet beside them, far more than stills usually are, and unlike the known stops between them.

    Of each second the one that is furthest from what is shown.
    """
    firsts, stills = _firsts(times_s), _stills(times_s, closing=closing)
    ends = np.append(firsts[1:], len(times_s) - 1)
    places = np.maximum(np.searchsorted(stills, firsts, side="right") - 1, 0)
    before, after = stills[places], stills[np.minimum(places + 1, len(stills) - 1)]
    steps = _distances(roots[before], roots[after])
    place_of = np.searchsorted(firsts, np.arange(len(times_s)), side="right") - 1
    far = np.zeros(len(times_s))
    for at in range(0, len(times_s), BLOCK_FRAMES):
        block, of = slice(at, at + BLOCK_FRAMES), place_of[at : at + BLOCK_FRAMES]
        far[block] = np.minimum(_distances(roots[block], roots[before[of]]), _distances(roots[block], roots[after[of]]))
    done: list[int] = []
    for place in np.unique(place_of[far >= UNLIKE]).tolist():
        first, end = int(firsts[place]), int(ends[place])
        usual = float(np.median(steps[max(place - AROUND_STILLS, 0) : place + AROUND_STILLS + 1]))
        between = known[bisect_left(known, int(before[place])) : bisect_right(known, int(after[place]))]
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
