"""Extracted frames against the video they come from; how black what is hidden must be.

Whole frames decode to exactly 0 up to crf 24 when a group of pictures starts with them. At a coarser one they have one value of at
most 2, and other such ones in blocks in their first 16 px, from which all others are predicted; JPEG adds up to 1. A picture of one
value shows nothing. Predicted from a shown frame they keep up to 11, in a pattern, so anything else is refused. Beside the edge of a hidden
rectangle the codec mixes in up to 163 of what is shown beside it. 8 px inside, the reach of its
largest transform, up to 20 is left in single pixels and 0.5 on average. Faint text would be seen
in the average: its strokes cover a fifth of a rectangle, so at contrast 12 it adds 2.4.

A frame of another moment, of another recording or of the unredacted source is none. A frame may
be smaller than the video and is compressed, so both are reduced to a grey grid of cells of 8 px
or more. Measured on 19 videos of the synthetic study (JPEG of quality 1 to 100, half to one and
a half times the size, four ways of resizing), with ``step`` for the step in which the JPEG keeps
a block's mean (2 at quality 95, 16 at 50, 80 at 10): the mean difference of all cells stays
below 0.6, 0.9 and 2.9, that of a single cell at 5, 6 and 11. No other frame of the video is
closer than the right one by more than 0.02, 0.02 and 0.05. Where the frame before or after
stands in its place, the right one is closer by 0.12 or more in 9 of 10 cases at quality 95.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.audit.containers import archives, images
from scrubin.audit.expected import Fault
from scrubin.audit.expected.plan import Box, StillPlan

FRAME_MAX = 3
# A codec rounds brightness by 8 px and colour by 16: what is outside of a rectangle leaves a tint in those, of a level or two at crf 18
# and more at a coarser one. Deeper inside, real and drawn films of crf 18 to 35 had means of at most 1.75.
EDGE_PX, BLOCK_PX = 8, 16
INNER_MAX = 48
INNER_MEAN = 2.0
RECTANGLE_MEAN = 8.0
Picture = npt.NDArray[np.uint8]


def not_black(picture: Picture, box_xywh: Box | None) -> str:
    """Return how a picture breaks the promise to be black, "" when it keeps it.

    Parameters
    ----------
    picture
        Shape (height, width, 3), 0 to 255.
    box_xywh
        Hidden rectangle in px; None: the whole picture.
    """
    if box_xywh is None:
        brightest = int(picture.max(initial=0))
        if brightest > FRAME_MAX:
            return f"hidden, but its brightest value is {brightest}; render it again"
        rest = picture[:, BLOCK_PX:]
        low, high = (int(rest.min()), int(rest.max())) if rest.size else (0, 0)
        return f"hidden, but not of one value: {low} to {high}; render it again" if low != high else ""
    x, y, w, h = box_xywh
    hidden = picture[y : y + h, x : x + w]
    inner, middle = (hidden[px:-px, px:-px] for px in (EDGE_PX, BLOCK_PX))
    if hidden.size == 0:
        return ""
    values = (float(hidden.mean()), float(middle.mean()) if middle.size else 0.0, float(inner.max(initial=0)))
    limits = (RECTANGLE_MEAN, INNER_MEAN, INNER_MAX)
    if all(value <= limit for value, limit in zip(values, limits, strict=True)):
        return ""
    places = ("its mean", f"its mean {BLOCK_PX} px inside", f"its brightest value {EDGE_PX} px inside")
    broken = [
        f"{place} is {value:.1f} (limit {limit:.0f})" for place, value, limit in zip(places, values, limits, strict=True) if value > limit
    ]
    return f"rectangle {box_xywh} is hidden, but {', '.join(broken)}; render it again"


CELL_PX, CELLS = 8, 64
MEAN, MEAN_PER_STEP = 1.0, 0.05
CELL, CELL_PER_STEP = 8.0, 0.25
CLOSER, CLOSER_SHARE = 0.04, 0.03
RULE = "frame-picture"
Grid = npt.NDArray[np.int16]


class Show(Protocol):
    """Takes an extracted frame, and whether it is unlike its picture of the video."""

    def __call__(self, still: StillPlan, picture: Picture, /, *, unlike: bool) -> None:
        """Look at it."""


@dataclass
class _Open:
    """A frame under comparison: its cells, and how far it is from the pictures seen so far."""

    cells: Grid
    step: int
    picture: Picture
    mean: dict[int, float] = field(default_factory=dict)
    worst: float = 0.0


class Comparison:
    """Compares the extracted frames of one video with its pictures, which are seen one after the other.

    Parameters
    ----------
    folder
        The release; only None when there is nothing to compare.
    stills
        The extracted frames of the video.
    show
        Takes each extracted frame beside its picture of the video, and whether something in it is unlike that.
    """

    def __init__(self, folder: Path | None, stills: Sequence[StillPlan], show: Show | None = None) -> None:
        self._show = show
        self._stills = sorted(stills, key=lambda still: (still.source_frame, still.path))
        self._files = _Files(folder or Path())
        self._near: dict[int, list[int]] = {}
        self._left: dict[int, int] = {}
        for index, still in enumerate(self._stills):
            around = {other.source_frame for other in self._stills[max(0, index - 1) : index + 2]}
            numbers = around | {still.source_frame - 1, still.source_frame + 1}
            self._left[index] = max(numbers)
            for number in numbers:
                self._near.setdefault(number, []).append(index)
        self._open: dict[int, _Open | None] = {}
        self._faults: dict[str, list[Fault]] = {}
        self.compared = 0

    def wants(self, number: int) -> bool:
        """Whether a picture of the video is needed."""
        return number in self._near

    def see(self, number: int, picture: Picture) -> None:
        """Compare one picture of the video, shape (height, width, 3), blue first, with the frames that it could be."""
        grids: dict[tuple[int, ...], Grid] = {}
        for index in self._near.get(number, ()):
            if index not in self._open:
                self._open[index] = self._opened(self._stills[index], picture.shape[1], picture.shape[0])
            here = self._open[index]
            if here is not None:
                shape = here.cells.shape
                if shape not in grids:
                    grids[shape] = _cells(picture, (shape[1], shape[0]))
                apart = np.abs(here.cells - grids[shape])
                here.mean[number] = float(apart.mean())
                if number == self._stills[index].source_frame:
                    here.worst = float(apart.max())
                    if self._show is not None:
                        self._show(self._stills[index], here.picture, unlike=_unlike(here.picture, picture, here.step))
            if number == self._left[index]:
                self._judge(index)

    def faults(self) -> dict[str, list[Fault]]:
        """Return the faults of all frames, by path, when the video is over."""
        for index in list(self._open):
            self._judge(index)
        return {path: faults for path, faults in sorted(self._faults.items()) if faults}

    def _opened(self, still: StillPlan, width: int, height: int) -> _Open | None:
        """Return a frame ready for comparison; None, with its faults noted, when it is none."""
        data = self._files.read(still)
        if data is None:
            return None  # the audit says that it is missing
        faults = self._faults.setdefault(still.path, [])
        picture = decoded(data)
        if picture is None:
            faults.append(Fault("unreadable", "", "it cannot be decoded; extract it again"))
            return None
        high, wide = picture.shape[:2]
        if abs(wide * height - high * width) > 2 * max(width, height):
            message = f"{wide}x{high} px has not the shape of its video, {width}x{height} px; extract it again"
            faults.append(Fault(RULE, "picture", message))
            return None
        boxes = [None] if still.redacted else [_scaled(box, wide / width, high / height) for box in still.boxes]
        faults += [Fault("not-black", "picture", message) for box in boxes if (message := not_black(picture, box))]
        across = max(1, min(CELLS, min(wide, width) // CELL_PX))
        return _Open(_cells(picture, (across, max(1, across * height // width))), images.mean_step(data), picture)

    def _judge(self, index: int) -> None:
        here, still = self._open.pop(index), self._stills[index]
        self._open[index] = None
        if here is None or still.source_frame not in here.mean:
            return
        self.compared += 1
        mean = here.mean[still.source_frame]
        other = min(here.mean, key=lambda number: (here.mean[number], number))
        closer = here.mean[other] + CLOSER + CLOSER_SHARE * here.mean[other] < mean
        if closer:
            message = f"it is frame {other} of its video rather than frame {still.source_frame}; extract it again"
        elif mean > MEAN + MEAN_PER_STEP * here.step or here.worst > CELL + CELL_PER_STEP * here.step:
            message = f"it is not frame {still.source_frame} of its video (apart by {mean:.1f}, at most {here.worst:.0f}); extract it again"
        else:
            return
        self._faults[still.path].append(Fault(RULE, "picture", message))


class _Files:
    """The bytes of extracted frames, which lie there as files or in one archive per recording."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._members: dict[str, dict[str, archives.TarMember]] = {}

    def read(self, still: StillPlan) -> bytes | None:
        path = self._folder / still.file
        if not path.is_file():
            return None
        if not still.member:
            return path.read_bytes()
        if still.file not in self._members:
            self._members[still.file] = {member.name: member for member in _members(path)}
        member = self._members[still.file].get(still.member)
        if member is None:
            return None
        with path.open("rb", buffering=0) as file:
            return archives.read_member(file, member)


def _members(path: Path) -> list[archives.TarMember]:
    try:
        # Headers lie far apart: a buffer would read the pictures between them.
        with path.open("rb", buffering=0) as file:
            return [*archives.members(file)]
    except ValueError:  # the reader of archives says what is wrong with it
        return []


def decoded(data: bytes) -> Picture | None:
    """Return a picture as blue, green, red, shape (height, width, 3); None where the bytes are of none."""
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # an empty file, or impossible sizes
        return None
    return None if picture is None else picture.astype(np.uint8, copy=False)


def _unlike(still: Picture, picture: Picture, step: int) -> bool:
    """Whether a frame differs from a picture somewhere, in cells as small as what a JPEG compresses by itself."""
    size = (max(1, still.shape[1] // CELL_PX), max(1, still.shape[0] // CELL_PX))
    return float(np.abs(_cells(still, size) - _cells(picture, size)).max()) > CELL + CELL_PER_STEP * step


def _cells(picture: Picture, size: tuple[int, int]) -> Grid:
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.int16)


def _scaled(box_xywh: Box, across: float, down: float) -> Box:
    """Return a rectangle of the video in a frame of another size, without the px that its edge runs through."""
    if across == down == 1:
        return box_xywh
    x, y, w, h = box_xywh
    left, top = ceil(x * across) + 1, ceil(y * down) + 1
    return left, top, max(0, floor((x + w) * across) - 1 - left), max(0, floor((y + h) * down) - 1 - top)
