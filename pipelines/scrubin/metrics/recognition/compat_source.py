"""Closed videos of the published accumulator that others are drawn from: what each gives is computed once for all draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from scrubin.metrics.recognition.components import Component
from scrubin.metrics.recognition.steps import Steps, average_precision, steps_of
from scrubin.metrics.recognition.videos import IntArray, Rows

Known = TypeVar("Known")


class Source:
    """The videos, and what is known of them.

    Parameters
    ----------
    videos
        Closed videos.
    """

    def __init__(self, videos: Sequence[Rows]) -> None:
        self._places = {rows: place for place, rows in enumerate(videos)}
        self._known: dict[tuple[Hashable, ...], Any] = {}

    def once(self, key: tuple[Hashable, ...], compute: Callable[[], Known]) -> Known:
        """Return what has that key, computed at the first call."""
        if key not in self._known:
            self._known[key] = compute()
        found: Known = self._known[key]
        return found

    def pooled(
        self, videos: Sequence[Rows], component: Component, part_of: Callable[[Rows, Component], Rows]
    ) -> tuple[npt.NDArray[np.float64], IntArray] | None:
        """Return average precision and positives of the pool of videos; None when one is none of the source, or makes the program fail."""
        if not all(rows in self._places and rows.frames and len(rows.labels) > 1 for rows in videos):
            return None
        steps: list[Steps] = self.once((component,), lambda: steps_of([part_of(rows, component) for rows in self._places]))
        return average_precision(steps, np.array([self._places[rows] for rows in videos], dtype=np.int64))
