"""Which pictures of a recording are labelled: all that are released, or of these some, one by one.

Which some is told by the *source*: the first frame at or after each whole number of steps. The released video plays no part
in it, so that another trim asks for the same source frames.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scrubin.curate.label.events import About

NEAR_S = 1e-6
"""A frame that begins earlier than a step by less than this begins at it: times of frames are rounded."""


@dataclass(frozen=True)
class Pictures:
    """The pictures of a recording that are labelled: its source, how many frames it has, and how many of them a second has, about.

    Parameters
    ----------
    first, end
        The frames that are shown: the others are not released.
    sampled
        Those of them whose triplets are labelled, increasing; none where that is no layer.
    fps
        Frames per second of the source; None where the time between them varies.
    read_s
        Where that varies, returns `boundaries_s`, which it reads from a film: only who needs them is told that they cannot be read.
    """

    about: About
    frame_count: int
    per_second: float
    first: int
    end: int
    sampled: tuple[int, ...] = ()
    fps: Fraction | None = None
    read_s: Callable[[], npt.NDArray[np.float64]] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def boundaries_s(self) -> npt.NDArray[np.float64] | None:
        """When each frame of the source begins, from the first that is released, then the end of the last; shape (n + 1,).

        None where frames follow each other evenly.
        """
        return None if self.read_s is None else self.read_s()

    def length_s(self, first: int, end: int) -> float:
        """Return how long the frames ``[first, end)`` of the source last, in seconds."""
        if self.boundaries_s is None:
            return (end - first) / self.per_second
        return float(self.boundaries_s[end] - self.boundaries_s[first])

    @property
    def film(self) -> str:
        """Names what a frame number of the page means: another name, and the same number is another picture."""
        return hashlib.sha256(f"{self.about} {self.first} {self.end}".encode()).hexdigest()[:16]


def sampled(boundaries_s: npt.NDArray[np.float64], every_s: float) -> npt.NDArray[np.int64]:
    """Return the numbers of the sampled frames of a source, increasing.

    Parameters
    ----------
    boundaries_s
        When each frame of the source begins, from that of the first, then the end of the last; shape (n + 1,).
    every_s
        A step; 0: every frame.

    Examples
    --------
    >>> sampled(np.array([0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4]), 1.0).tolist()
    [0, 3, 5]
    """
    starts_s = boundaries_s[:-1]
    if every_s == 0:
        return np.arange(len(starts_s), dtype=np.int64)
    steps = np.floor((starts_s + NEAR_S) / every_s)
    is_first = np.diff(steps, prepend=-1.0) > 0
    return np.flatnonzero(is_first).astype(np.int64)
