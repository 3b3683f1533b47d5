"""What is taken of a long recording to check it: matches at some instants, tracks through stretches of frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.pixels import Box
from scrubin.media.rigs.rig import Matrix, Rectification, Side, opencv
from scrubin.stages.stereo.footage import Footage, alone_first, numbers_apart, partners

Picture = npt.NDArray[np.uint8]
MOST_FEATURES = 1200
CONTRAST = 0.02
RATIO = 0.75
"""A match is taken when its features are this much nearer than the next best ones."""


@dataclass(frozen=True, eq=False)
class Matches:
    """Points of both pictures of some pairs.

    Parameters
    ----------
    left, right
        (n, 2), column and row in the recorded pictures.
    """

    left: Matrix
    right: Matrix

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self.left)

    def swapped(self) -> Matches:
        """Return the matches as if both cameras were exchanged."""
        return Matches(self.right, self.left)

    def flipped(self, size: tuple[int, int], *, across: bool, down: bool, left: bool = True, right: bool = True) -> Matches:
        """Return the matches as if pictures had not been flipped, left to right or top to bottom."""
        far = np.array(size, dtype=np.float64) - 1
        flips = np.array([across, down])

        def back(points: Matrix) -> Matrix:
            return np.where(flips, far - points, points)

        return Matches(back(self.left) if left else self.left, back(self.right) if right else self.right)

    @classmethod
    def of_all(cls, parts: list[Matches]) -> Matches:
        """Return all matches of some pairs as one."""
        if not parts:
            return cls(np.zeros((0, 2)), np.zeros((0, 2)))
        return cls(np.concatenate([one.left for one in parts]), np.concatenate([one.right for one in parts]))


@dataclass(frozen=True, eq=False)
class Features:
    """Points of a picture, (n, 2), and what each looks like."""

    points: Matrix
    looks: npt.NDArray[np.float32]


def features(picture: Picture) -> Features:
    """Return the features of a picture of shape (height, width, 3)."""
    cv2 = opencv()
    finder = cv2.SIFT_create(nfeatures=MOST_FEATURES, contrastThreshold=CONTRAST)
    keys, looks = finder.detectAndCompute(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), None)
    return Features(np.array([key.pt for key in keys], dtype=np.float64).reshape(-1, 2), looks)


def matches(left: Features, right: Features) -> Matches:
    """Return points that both pictures of a pair show."""
    if min(len(left.points), len(right.points)) < 2:
        return Matches(np.zeros((0, 2)), np.zeros((0, 2)))
    matcher = opencv().BFMatcher(opencv().NORM_L2)
    there = {one.queryIdx: one.trainIdx for one in _clear(matcher.knnMatch(left.looks, right.looks, k=2))}
    back = {one.queryIdx: one.trainIdx for one in _clear(matcher.knnMatch(right.looks, left.looks, k=2))}
    mutual = sorted((a, b) for a, b in there.items() if back.get(b) == a)
    chosen = np.array(mutual, dtype=np.int64).reshape(-1, 2)
    return Matches(left.points[chosen[:, 0]], right.points[chosen[:, 1]])


def _clear(pairs: Any) -> list[Any]:
    return [one[0] for one in pairs if len(one) == 2 and one[0].distance < RATIO * one[1].distance]


Paths = npt.NDArray[np.float64]
ENOUGH_POINTS, MOST_POINTS = 120, 200
WINDOW, LEVELS = (15, 15), 3
MOST_DIFFERENCE = 14.0
"""Mean difference of grey levels beyond which a point is not the one that was followed."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Where points lie in consecutive frames.

    Parameters
    ----------
    left, right
        (points, frames, 2), column and row in rectified pictures of each camera; NaN where a point is lost.
    """

    left: Paths
    right: Paths


def tracks(way: Rectification, greys: tuple[Sequence[Picture], Sequence[Picture]], own: Mapping[int, Matches]) -> Tracks:
    """Follow what both cameras see in some frames to the frames before and behind them, in each camera by itself.

    Parameters
    ----------
    greys
        Consecutive pictures of the left and of the right camera, (height, width).
    own
        Matches of some of these pictures, by their place; those of the middle are taken first, the others while points lack.
    """
    count, paths = len(greys[0]), [(np.zeros((0, len(greys[0]), 2)), np.zeros((0, len(greys[0]), 2)))]
    for start in sorted(own, key=lambda place: abs(2 * place - count)):
        have = sum(len(left) for left, _ in paths)
        if have < ENOUGH_POINTS:
            chosen = np.unique(np.linspace(0, len(own[start]) - 1, min(len(own[start]), MOST_POINTS)).astype(np.int64))
            left = _rectified(way, "left", _followed(greys[0], own[start].left[chosen], start))
            paths.append((left, _rectified(way, "right", _followed(greys[1], own[start].right[chosen], start))))
    return Tracks(np.concatenate([left for left, _ in paths]), np.concatenate([right for _, right in paths]))


def _rectified(way: Rectification, side: Side, paths: Paths) -> Paths:
    flat = paths.reshape(-1, 2)
    known = np.isfinite(flat).all(axis=1)
    flat[known] = way.points(flat[known], side)
    return flat.reshape(paths.shape)


def _followed(pictures: Sequence[Picture], points: npt.NDArray[np.float64], start: int) -> Paths:
    """Return the points in all pictures, each found by what it looks like in the first one: errors do not add up."""
    paths = np.full((len(points), len(pictures), 2), np.nan)
    if not len(points):
        return paths
    cv2 = opencv()
    paths[:, start] = points
    origin = points[:, None].astype(np.float32)
    for way in (range(start + 1, len(pictures)), range(start - 1, -1, -1)):
        last, alive = origin.copy(), np.ones(len(points), np.bool_)
        for number in way:
            found, kept, off = cv2.calcOpticalFlowPyrLK(
                pictures[start],
                pictures[number],
                origin,
                last.copy(),
                winSize=WINDOW,
                maxLevel=LEVELS,
                flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
            )
            alive &= (np.ravel(kept) == 1) & (np.ravel(off) <= MOST_DIFFERENCE)
            if not alive.any():
                break
            last = np.asarray(found, dtype=np.float32)
            paths[alive, number] = last.reshape(-1, 2)[alive]
    return paths


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
    numbered
        Of the pairs that clocks and numbers of frames do not put together alike, by their places: matches with the picture of the same
        number. Nobody knows which of both is of one instant.
    """

    pairs: list[Matches]
    flipped: dict[str, list[Matches]]
    stretches: list[Tracks]
    same_share: float
    numbered: Mapping[int, Matches] = field(default_factory=dict)

    @property
    def sure(self) -> list[Matches]:
        """Those of the pairs that are of one instant, by clocks and by numbers."""
        return [pair for place, pair in enumerate(self.pairs) if place not in self.numbered]

    @property
    def by_number(self) -> list[Matches]:
        """The pairs as numbers of frames, and not clocks, put them together."""
        return [self.numbered.get(place, pair) for place, pair in enumerate(self.pairs)]


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
    """Return what is looked at of a recording: frames of the left camera, and of the right one those that are nearest in time.

    What cannot be decoded raises as `Footage.picture` does.
    """
    others, in_doubt = partners(left, right), numbers_apart(left, right)
    numbered: dict[int, Matches] = {}
    pairs: list[Matches] = []
    flipped: dict[str, list[Matches]] = {name: [] for name in FLIPS}
    stretches: list[Tracks] = []
    same: list[bool] = []
    # A picture that is taken before the other camera begins has none of its instant.
    for start, end in spans(len(others), replace(choice, hidden=(*choice.hidden, (0, alone_first(left, right) - 1)))):
        greys: tuple[list[Picture], list[Picture]] = ([], [])
        own: dict[int, Matches] = {}
        for number in range(start, end):
            pictures = left.picture(number), right.picture(others[number])
            for of_side, picture in zip(greys, pictures, strict=True):
                of_side.append(opencv().cvtColor(picture, opencv().COLOR_BGR2GRAY))
            if number - start in PER_STRETCH:
                seen = features(pictures[0])
                own[number - start] = _outside(matches(seen, features(pictures[1])), choice)
                same.append(_same(own[number - start]))
                if in_doubt[number]:
                    numbered[len(same) - 1] = _outside(matches(seen, features(right.picture(number))), choice)
                if len(same) <= FLIP_TRIES:
                    _add_flipped(flipped, seen, pictures[1])
        pairs += own.values()
        followed = tracks(way, greys, own)
        # How far frames are apart in which clocks and numbers disagree is not known, so they say nothing of a lag.
        followed.right[:, in_doubt[start:end]] = np.nan
        stretches.append(followed)
    return Sample(pairs, flipped, stretches, float(np.mean(same)) if same else 0.0, numbered)


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
