"""Pictures inside the picture: rectangles with straight standing edges that may show what is outside the body.

A mixer puts the camera of the room into a corner of the endoscope's picture. The picture as a
whole still looks like endoscopy, so the scene is judged again in each such rectangle. What tells
a rectangle from tissue is that its edges are upright, level, straight and stay where they are
while what they enclose moves.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base.pixels import STRETCHED_COLOUR, STRETCHED_LUMA, Box, shared_px
from scrubin.media.networks import endoscopy
from scrubin.stages.screen.pass_over_file import DecodedPicture, Observed, Observer
from scrubin.stages.screen.proposals import SAME_S, Numbers

NAME = "insets"
EVERY_S = 0.25
# An edge stands when it is there in so many of the last samples, of 1.5 s.
SAMPLES, STANDING = 6, 4
EDGE_LEVELS = 12
# Shares of the picture's width and height.
LEAST_SHARE, MOST_SHARE = 0.12, 0.6
# So much of its sides must stand on average, and of each: beside a part of the other picture that is as bright an edge is lost.
SUPPORT, LEAST_SUPPORT = 0.75, 0.4
# And so much more than beside it, at so many points: where tissue is full of edges, any line holds some.
CONTRAST, BESIDE_PX = 0.25, (4, 5, 6)
MOST_LINES = 10
MOST_RECTANGLES = 6
SAME_SHARE = 0.8
# Flat or dark rectangles are panels without a picture.
LEAST_SPREAD, LEAST_BRIGHT = 12.0, 60
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]
Plane = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Inset:
    """A standing rectangle in frames ``first`` to ``last``, in points of the small picture, and its log odds in sixteenths."""

    first: int
    last: int
    box_xywh: Box
    size_px: tuple[int, int]
    log_odds: int


@dataclass(frozen=True)
class _Sample:
    number: int
    upright: Mask
    level: Mask
    planes: tuple[npt.NDArray[np.uint8], ...]


class _Looking:
    def __init__(self, times_s: Numbers) -> None:
        self._times_s = times_s
        self._next_s = 0.0
        self._samples: deque[_Sample] = deque(maxlen=SAMPLES)
        # In how many of the last samples there is an edge.
        self._upright: Plane = np.zeros((0, 0), np.uint8)
        self._level: Plane = np.zeros((0, 0), np.uint8)
        self._insets: list[Inset] = []

    def see(self, number: int, decoded: DecodedPicture) -> None:
        if self._times_s[number] < self._next_s - SAME_S:
            return
        self._next_s = float(self._times_s[number]) + EVERY_S
        planes = tuple(
            np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width].copy()
            for plane in decoded.small.planes
        )
        if self._upright.shape != planes[0].shape:
            self._samples.clear()
            self._upright, self._level = np.zeros_like(planes[0]), np.zeros_like(planes[0])
        self._add(_Sample(number, *edges(planes[0]), planes))
        if len(self._samples) == SAMPLES:
            self._insets += self._seen()

    def finish(self) -> Observed:
        self._samples.clear()
        return Observed({}, [asdict(inset) for inset in self._insets])

    def _add(self, sample: _Sample) -> None:
        """Count in how many of the last samples there is an edge."""
        if len(self._samples) == SAMPLES:
            gone = self._samples[0]
            self._upright -= gone.upright
            self._level -= gone.level
        self._samples.append(sample)
        self._upright += sample.upright
        self._level += sample.level

    def _seen(self) -> list[Inset]:
        upright = self._upright >= STANDING
        boxes = rectangles(upright, self._level >= STANDING)
        if not boxes:
            return []
        # The middle sample and the last one: what the rectangle shows may change.
        seen = [self._samples[place].planes for place in (SAMPLES // 2, -1)]
        boxes = [box for box in boxes if all(_holds_picture(planes[0], box) for planes in seen)]
        if not boxes:
            return []
        judged = endoscopy.log_odds(np.stack([_within(planes, box) for box in boxes for planes in seen])).reshape(len(boxes), -1)
        height, width = upright.shape
        first, last = self._samples[0].number, self._samples[-1].number
        return [Inset(first, last, box, (width, height), int(odds.min())) for box, odds in zip(boxes, judged, strict=True)]


def edges(luma: npt.NDArray[np.uint8]) -> tuple[Mask, Mask]:
    """Return where luma jumps from left to right, and from top to bottom; each of the picture's shape."""
    upright, level = np.zeros(luma.shape, np.bool_), np.zeros(luma.shape, np.bool_)
    # Over two points: an edge that falls between two of the frame is spread over both.
    upright[:, 1:-1] = cv2.absdiff(luma[:, 2:], luma[:, :-2]) >= EDGE_LEVELS
    level[1:-1] = cv2.absdiff(luma[2:], luma[:-2]) >= EDGE_LEVELS
    return upright, level


def rectangles(upright: Mask, level: Mask) -> list[Box]:
    """Return the rectangles whose edges stand, the best first; at most `MOST_RECTANGLES`, none much like a better one.

    An edge of the picture is an edge of whatever touches it; of the others one must be upright and one level.
    """
    height, width = upright.shape
    columns, rows = _lines(upright, round(LEAST_SHARE * height)), _lines(level.T, round(LEAST_SHARE * width))
    if not any(0 < x < width for x in columns) or not any(0 < y < height for y in rows):
        return []
    down, across = _summed(upright), _summed(level.T)
    candidates = []
    for left, right in combinations(sorted({0, width, *columns}), 2):
        if not LEAST_SHARE * width <= right - left <= MOST_SHARE * width:
            continue
        for top, bottom in combinations(sorted({0, height, *rows}), 2):
            if not LEAST_SHARE * height <= bottom - top <= MOST_SHARE * height:
                continue
            lines = [(down, x, top, bottom) for x in (left, right) if 0 < x < width]
            ends = [(across, y, left, right) for y in (top, bottom) if 0 < y < height]
            if not lines or not ends:
                continue
            support = [_share(*line) for line in (*lines, *ends)]
            if min(support) < LEAST_SUPPORT or math.fsum(support) < SUPPORT * len(support):
                continue
            if math.fsum(support) - math.fsum(_beside(*line) for line in (*lines, *ends)) >= CONTRAST * len(support):
                candidates.append((-(right - left) * (bottom - top) * math.fsum(support), (left, top, right - left, bottom - top)))
    return _different([box for _, box in sorted(candidates)])[:MOST_RECTANGLES]


def _lines(mask: Mask, shortest: int) -> list[int]:
    """Return the columns in which a standing edge runs for at least so many points, the longest `MOST_LINES` of them."""
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 1), np.uint8))
    if int(closed.sum(axis=0, dtype=np.uint16).max(initial=0)) < shortest:
        return []
    runs = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((shortest, 1), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    lengths = runs.sum(axis=0, dtype=np.int64)
    lines: list[int] = []
    for column in np.argsort(-lengths, kind="stable").tolist():
        if lengths[column] == 0 or len(lines) == MOST_LINES:
            break
        if all(abs(column - line) > 2 for line in lines):
            lines.append(column)
    return lines


def _summed(mask: Mask) -> Counts:
    """Return sums down the columns, shape (height + 1, width); an edge counts for its neighbours, too."""
    wide = cv2.dilate(mask.astype(np.uint8), np.ones((1, 3), np.uint8))
    return np.vstack([np.zeros((1, mask.shape[1]), np.int32), np.cumsum(wide, axis=0, dtype=np.int32)])


def _share(summed: Counts, column: int, first: int, end: int) -> float:
    return float(summed[end, column] - summed[first, column]) / (end - first)


def _beside(summed: Counts, column: int, first: int, end: int) -> float:
    """Return the mean share of the lines beside one, on both sides."""
    width = summed.shape[1]
    beside = [column + sign * away for away in BESIDE_PX for sign in (-1, 1)]
    shares = [_share(summed, one, first, end) for one in beside if 0 <= one < width]
    return math.fsum(shares) / len(shares)


def _different(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes without those that share most of their own area with a better one."""
    kept: list[Box] = []
    for box in boxes:
        if all(shared_px(box, other) < SAME_SHARE * box[2] * box[3] for other in kept):
            kept.append(box)
    return kept


def _holds_picture(luma: npt.NDArray[np.uint8], box: Box) -> bool:
    x, y, w, h = box
    points = luma[y + 1 : y + h - 1, x + 1 : x + w - 1]
    return bool(points.max() >= LEAST_BRIGHT and points.std() >= LEAST_SPREAD)


def _within(planes: tuple[npt.NDArray[np.uint8], ...], box: Box) -> npt.NDArray[np.uint8]:
    """Return what the network sees of a rectangle: shape (3, 48, 64)."""
    x, y, w, h = box
    parts = [planes[0][y + 2 : y + h - 2, x + 2 : x + w - 2]]
    parts += [plane[y // 2 + 1 : (y + h) // 2 - 1, x // 2 + 1 : (x + w) // 2 - 1] for plane in planes[1:]]
    tables = (STRETCHED_LUMA, STRETCHED_COLOUR, STRETCHED_COLOUR)
    return np.stack([table[endoscopy.reduced(part)] for table, part in zip(tables, parts, strict=True)])


OBSERVER = Observer(NAME, __name__, {}, _Looking)
"""Looks for pictures inside the picture in the one decode of a file."""


def insets(observed: Observed) -> list[Inset]:
    """Return the rectangles that `OBSERVER` noted, in order of time."""
    return [Inset(**{**one, "box_xywh": tuple(one["box_xywh"]), "size_px": tuple(one["size_px"])}) for one in observed.value or ()]
