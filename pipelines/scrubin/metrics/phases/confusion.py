"""Confusion matrices: how many frames annotated as one phase are predicted as another, by video or pooled.

Source: section 3.2, C(v): rows are annotated, columns predicted phases; section 3.3.4: pooled over the videos hardly anything is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.metrics.bootstrap import drawn_names
from scrubin.metrics.phases.videos import IntArray, PhaseVideo, checked, named


@dataclass(frozen=True, eq=False)
class Confusions:
    """Confusion matrices of all runs and videos.

    They do not grow with the length of the videos.

    Parameters
    ----------
    counts
        (runs, videos, phases annotated, phases predicted), frames.
    videos
        Names of the videos; empty when the frames of all are pooled, the axis then has length 1.
    phases
        Names of the phases.
    """

    counts: IntArray
    videos: tuple[str, ...]
    phases: tuple[str, ...]

    @property
    def scope(self) -> str:
        """``video-wise`` or ``frame-wise``."""
        return "video-wise" if self.videos else "frame-wise"

    def take(self, draw: Sequence[int] | IntArray) -> Confusions:
        """Return the videos at these positions, which may repeat: a resample for the bootstrap.

        >>> two = Confusions(np.zeros((1, 2, 1, 1), np.int64), ("a", "b"), ("0",))
        >>> two.take([1, 1]).videos
        ('b#0', 'b#1')
        """
        positions = np.asarray(draw, dtype=np.int64)
        return Confusions(self.counts[:, positions], drawn_names(self.videos, positions), self.phases)


def of_videos(videos: Iterable[PhaseVideo], phases: int | Sequence[str]) -> Confusions:
    """Count all videos, one at a time.

    Parameters
    ----------
    videos
        Any iterable; only one video needs to be in memory.
    phases
        Their number or their names.

    Raises
    ------
    MetricsError
        As `videos.checked`.

    >>> of_videos([PhaseVideo("v", [0, 0, 1], [0, 1, 1])], 2).counts[0, 0].tolist()
    [[1, 1], [0, 1]]
    """
    names = named(phases)
    size = len(names)
    video_names: list[str] = []
    counts: list[IntArray] = []
    for video in checked(videos, size):
        cells = video.annotation * size + video.predictions
        runs = [np.bincount(row, minlength=size * size).reshape(size, size) for row in cells]
        counts.append(np.stack(runs).astype(np.int64, copy=False))
        video_names.append(video.name)
    return Confusions(np.stack(counts, axis=1), tuple(video_names), names)


def pool(confusions: Confusions) -> Confusions:
    """Return the confusion matrices summed over the videos, run by run.

    >>> pool(of_videos([PhaseVideo("v", [0, 1], [0, 1]), PhaseVideo("w", [0, 1], [0, 0])], 2)).counts[0, 0].tolist()
    [[2, 0], [1, 1]]
    """
    return Confusions(confusions.counts.sum(axis=1, keepdims=True), (), confusions.phases)
