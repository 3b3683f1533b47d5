"""Tracks that are labelled at key frames: where somebody said a place, and what lies between, which nobody said.

A track is of one label. Places are shares of the picture, to a millionth: a box has left, top, width and height, a point x and y. Between
two key frames that have a place it moves in a straight line, at a steady speed by frame; it stays where it was until a key frame that says
that it is outside of the picture. Before the first key frame and after the last one there is nothing.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SIDES = {"boxes": 4, "points": 2}
"""By layer, how many numbers say a place."""
SEEN, HIDDEN, OUTSIDE = STATES = ("seen", "hidden", "outside")
"""Of a point, hidden is labelled where nobody sees it. Outside has no place."""
DIGITS = 6
UNITS = 10**DIGITS
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, order=True)
class KeyFrame:
    """What a track is in one frame.

    Parameters
    ----------
    place
        Shares of the picture; empty where the track is outside of it.
    state
        One of `STATES`.
    computed
        Whether nobody said this place: it is the mean of what several people said, or a track was cut here.
    """

    frame: int
    label: str
    place: tuple[float, ...] = ()
    state: str = SEEN
    computed: bool = False


@dataclass(frozen=True, order=True)
class Track:
    """An instrument, or a point of one, through time.

    Parameters
    ----------
    keys
        In order of time, each frame once.
    name
        Tells it from others; it says nothing.
    """

    keys: tuple[KeyFrame, ...]
    name: str

    @property
    def label(self) -> str:
        """What it is."""
        return self.keys[0].label


@dataclass(frozen=True)
class Places:
    """Where a track is, frame by frame.

    Parameters
    ----------
    frames
        Increasing, (n,); only those in which it has a place.
    places
        Shares of the picture, (n, sides).
    is_said
        Whether somebody said this place; otherwise it is interpolated or computed, (n,).
    is_hidden
        As of a key frame or the one before, (n,).
    """

    frames: IntArray
    places: FloatArray
    is_said: npt.NDArray[np.bool_]
    is_hidden: npt.NDArray[np.bool_]


def expanded(track: Track) -> Places:
    """Return where a track is in every frame: exactly the places of its key frames, and those between to the nearest float.

    >>> track = Track((KeyFrame(0, "hook", (0.1, 0.2)), KeyFrame(4, "hook", (0.3, 0.2))), "a")
    >>> expanded(track).places[:, 0].tolist()
    [0.1, 0.15, 0.2, 0.25, 0.3]
    """
    parts = [_between(one, other) for one, other in itertools.pairwise(track.keys)]
    parts += [_between(track.keys[-1], None)]
    with_place = [one for one in parts if one is not None]
    if not with_place:
        nothing = np.zeros(0, np.bool_)
        return Places(np.zeros(0, np.int64), np.zeros((0, 0)), nothing, nothing)
    return Places(*(np.concatenate([getattr(one, name) for one in with_place]) for name in ("frames", "places", "is_said", "is_hidden")))


def cut(track: Track, first: int, end: int) -> Track | None:
    """Return a track in frames ``[first, end)`` alone: where it is cut, the places are computed; None where it has none there."""
    frames = [key.frame for key in track.keys]
    # Only the key frames around count, so that a short part of a long track is cut at once.
    around = track.keys[max(bisect_right(frames, first) - 1, 0) : bisect_left(frames, end) + 1]
    if not around:
        return None
    track = Track(around, track.name)
    places = expanded(track)
    said = {key.frame: key for key in track.keys}
    inside = (places.frames >= first) & (places.frames < end)
    keys: dict[int, KeyFrame] = {}
    for run_first, run_end in runs_of(places.frames[inside]):
        at = {run_first, run_end - 1, *(frame for frame in said if run_first <= frame < run_end)}
        for frame in sorted(at):
            keys[frame] = said.get(frame) or at_frame(track, places, frame)
        if run_end < end:
            keys[run_end] = KeyFrame(run_end, track.label, (), OUTSIDE, computed=run_end not in said)
    while keys and keys[max(keys)].state == OUTSIDE:
        del keys[max(keys)]
    return Track(tuple(keys[frame] for frame in sorted(keys)), track.name) if keys else None


def at_frame(track: Track, places: Places, frame: int) -> KeyFrame:
    """Return a frame in which nobody said anything as a key frame that is computed."""
    at = int(np.searchsorted(places.frames, frame))
    state = HIDDEN if places.is_hidden[at] else SEEN
    return KeyFrame(frame, track.label, rounded(places.places[at].tolist()), state, computed=True)


def fewest(frames: IntArray, places: FloatArray, within: float) -> list[int]:
    """Return which of these places are to be key frames, so that the straight lines between them pass all others closely.

    Each goes as far as a line can: few are left, and the first and the last are among them.

    Parameters
    ----------
    frames
        Increasing, (n,).
    places
        Shares of the picture, (n, sides).
    within
        No edge of a box, and no point, is further from its line than this, as a share of that side of the picture.

    Examples
    --------
    >>> fewest(np.arange(5), np.array([[0.1, 0], [0.2, 0], [0.3, 0], [0.3, 0], [0.3, 0]]), 0.01)
    [0, 2, 4]
    """
    edges = places.copy()
    if edges.shape[1] == SIDES["boxes"]:
        edges[:, 2:] += edges[:, :2]
    at_s, of_edges = frames.tolist(), edges.tolist()
    kept = [0] if len(frames) else []
    while kept and kept[-1] < len(frames) - 1:
        start = kept[-1]
        reach = start + 1
        low, high = [-np.inf] * edges.shape[1], [np.inf] * edges.shape[1]
        for at in range(start + 1, len(frames)):
            apart = at_s[at] - at_s[start]
            slopes = [(now - before) / apart for now, before in zip(of_edges[at], of_edges[start], strict=True)]
            if all(a <= slope <= b for a, slope, b in zip(low, slopes, high, strict=True)):
                reach = at
            # Steeper or flatter lines from here would miss this place.
            low = [max(a, slope - within / apart) for a, slope in zip(low, slopes, strict=True)]
            high = [min(b, slope + within / apart) for b, slope in zip(high, slopes, strict=True)]
            if any(a > b for a, b in zip(low, high, strict=True)):
                break
        kept.append(reach)
    return kept


def rounded(place: Sequence[float]) -> tuple[float, ...]:
    """Return a place to a millionth of the picture."""
    return tuple(round(float(side), DIGITS) + 0.0 for side in place)


def runs_of(frames: IntArray, step: int = 1) -> list[tuple[int, int]]:
    """Return the runs of increasing frames that are ``step`` apart, half open.

    >>> runs_of(np.array([3, 4, 5, 9])), runs_of(np.array([0, 5, 20]), 5)
    ([(3, 6), (9, 10)], [(0, 10), (20, 25)])
    """
    breaks = np.flatnonzero(np.diff(frames) != step)
    firsts, lasts = (np.concatenate(parts) for parts in ((frames[:1], frames[breaks + 1]), (frames[breaks], frames[-1:])))
    return [(int(first), int(last) + step) for first, last in zip(firsts, lasts, strict=True)]


def _between(one: KeyFrame, other: KeyFrame | None) -> Places | None:
    """Return the places from a key frame on, before the next one."""
    if one.state == OUTSIDE:
        return None
    count = 1 if other is None else other.frame - one.frame
    steps = np.arange(count)
    start = np.array([round(side * UNITS) for side in one.place], np.int64)
    end = start if other is None or other.state == OUTSIDE else np.array([round(side * UNITS) for side in other.place], np.int64)
    # Whole numbers that floats hold exactly, so that one division rounds once: a key frame comes out as it was said.
    sums = start[None] * (count - steps)[:, None] + end[None] * steps[:, None]
    is_first = steps == 0
    return Places(one.frame + steps, sums / (count * UNITS), is_first & (not one.computed), np.full(count, one.state == HIDDEN))
