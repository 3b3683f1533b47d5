"""What is taken of a long recording to check it: matches at some instants, and stretches of frames for the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scrubin.core.pixels import Box
from scrubin.stereo.footage import Footage
from scrubin.stereo.matches import Features, Matches, features, matches
from scrubin.stereo.rectification import Rectification, opencv
from scrubin.stereo.tracks import Tracks, tracks

Picture = npt.NDArray[np.uint8]
STRETCHES, STRETCH_FRAMES = 6, 32
PER_STRETCH = (0, 14, 28)
FLIP_TRIES = 3
FLIPS = {"mirrored": (True, False), "turned by half": (True, True), "upside down": (False, True)}
FEWEST_SAME, SAME_PX, MOST_SAME_PX, SAME_PERCENT = 8, 0.5, 1.0, 75
BOX_MARGIN_PX = 12


@dataclass(frozen=True)
class Choice:
    """Which frames are looked at, and where in them.

    Parameters
    ----------
    stretches
        At most so many stretches of frames.
    hidden
        First and last frame of spans in which a camera is black: these frames are passed over.
    boxes
        Rectangles that are black in some frames of the left and of the right camera: their edges are no points of the scene.
    """

    stretches: int = STRETCHES
    hidden: tuple[tuple[int, int], ...] = ()
    boxes: tuple[tuple[Box, ...], tuple[Box, ...]] = field(default=((), ()))


EVERYTHING = Choice()


@dataclass(frozen=True, eq=False)
class Sample:
    """What a check looks at.

    Parameters
    ----------
    pairs
        Matches of some pairs.
    flipped
        Matches of a few of these pairs with the right picture flipped in one of `FLIPS`, as points of the recorded pictures.
    stretches
        How points that both cameras see move in consecutive frames.
    same_share
        Share of the pairs of which both pictures are the same.
    """

    pairs: list[Matches]
    flipped: dict[str, list[Matches]]
    stretches: list[Tracks]
    same_share: float


def spans(count: int, choice: Choice = EVERYTHING) -> list[tuple[int, int]]:
    """Return where stretches start and end, spread over the frames of a recording that are shown.

    >>> [start for start, _ in spans(1000)], spans(70), spans(50), spans(3)
    ([0, 193, 387, 580, 774, 968], [(0, 32), (38, 70)], [(0, 50)], [(0, 3)])
    >>> spans(100, Choice(hidden=((10, 49), (90, 99)))), spans(9, Choice(hidden=((0, 8),)))
    ([(50, 82)], [])
    """
    runs = _shown(count, choice.hidden)
    # Every place where a stretch may start; of a recording with short runs only, the longest run.
    places = np.concatenate([np.arange(start, end - STRETCH_FRAMES + 1) for start, end in runs] or [np.zeros(0, np.int64)])
    if not len(places):
        longest = max(runs, key=lambda run: run[1] - run[0], default=None)
        return [] if longest is None else [longest]
    many = max(1, min(choice.stretches, count // STRETCH_FRAMES))
    if many == 1 and len(runs) == 1 and count < 2 * STRETCH_FRAMES:
        return runs
    chosen = [int(places[int(place)]) for place in np.linspace(0, len(places) - 1, many)]
    apart = [start for before, start in zip([-STRETCH_FRAMES, *chosen], chosen, strict=False) if start >= before + STRETCH_FRAMES]
    return [(start, start + STRETCH_FRAMES) for start in apart]


def _shown(count: int, hidden: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the runs of frames that are shown: start, and the first one behind it."""
    runs, start = [], 0
    for first, last in sorted(hidden):
        if first > start:
            runs.append((start, min(first, count)))
        start = max(start, last + 1)
    return [*runs, (start, count)] if start < count else runs


def sample(way: Rectification, left: Footage, right: Footage, choice: Choice = EVERYTHING) -> Sample:
    """Return what is looked at of a recording; what cannot be decoded raises as `Footage.picture` does."""
    pairs: list[Matches] = []
    flipped: dict[str, list[Matches]] = {name: [] for name in FLIPS}
    stretches: list[Tracks] = []
    same: list[bool] = []
    for start, end in spans(min(left.count, right.count), choice):
        greys: tuple[list[Picture], list[Picture]] = ([], [])
        own: dict[int, Matches] = {}
        for number in range(start, end):
            pictures = left.picture(number), right.picture(number)
            for of_side, picture in zip(greys, pictures, strict=True):
                of_side.append(opencv().cvtColor(picture, opencv().COLOR_BGR2GRAY))
            if number - start in PER_STRETCH:
                seen = features(pictures[0])
                own[number - start] = _outside(matches(seen, features(pictures[1])), choice)
                same.append(_same(own[number - start]))
                if len(same) <= FLIP_TRIES:
                    _add_flipped(flipped, seen, pictures[1])
        pairs += own.values()
        stretches.append(tracks(way, greys, own))
    return Sample(pairs, flipped, stretches, float(np.mean(same)) if same else 0.0)


def _outside(own: Matches, choice: Choice) -> Matches:
    """Return the matches that lie in no black rectangle and at none's edge."""
    kept = np.ones(len(own), np.bool_)
    for points, boxes in zip((own.left, own.right), choice.boxes, strict=True):
        for x, y, width, height in boxes:
            low = np.array([x, y]) - BOX_MARGIN_PX
            high = np.array([x + width, y + height]) + BOX_MARGIN_PX
            kept &= ~((points >= low) & (points <= high)).all(axis=1)
    return Matches(own.left[kept], own.right[kept])


def _add_flipped(flipped: dict[str, list[Matches]], left: Features, right: Picture) -> None:
    height, width = right.shape[:2]
    for name, (across, down) in FLIPS.items():
        back = right[:: -1 if down else 1, :: -1 if across else 1]
        found = matches(left, features(np.ascontiguousarray(back)))
        flipped[name].append(found.flipped((width, height), across=across, down=down, left=False))


def _same(own: Matches) -> bool:
    """Return whether points lie at one place in both pictures: no two cameras see so."""
    if len(own) < FEWEST_SAME:
        return False
    half, most = np.percentile(np.abs(own.left - own.right).max(axis=1), [50, SAME_PERCENT])
    return bool(half < SAME_PX and most < MOST_SAME_PX)
