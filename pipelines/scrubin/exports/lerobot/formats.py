"""Which recordings go into one data set: those of a task whose videos are alike, because a LeRobot data set has one rate and one size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

VARIABLE = "recordings whose frame rate varies: a LeRobot data set has one rate"
UNLIKE = "recordings whose cameras differ in size or rate"


@dataclass(frozen=True, order=True)
class Format:
    """What the videos of one data set have in common; ``rate`` is the exact number of frames per second."""

    task: str
    cameras: tuple[str, ...]
    width: int
    height: int
    rate: Fraction

    @property
    def folder(self) -> str:
        """Its folder.

        >>> Format("PegTransfer", ("left", "right"), 960, 540, Fraction(30000, 1001)).folder
        'PegTransfer_left-right_960x540_30000-1001fps'
        """
        rate = str(self.rate).replace("/", "-")
        return f"{self.task}_{'-'.join(self.cameras)}_{self.width}x{self.height}_{rate}fps"


def formats(videos: pd.DataFrame) -> tuple[dict[Format, list[str]], Mapping[str, list[str]]]:
    """Return the recordings of each format, sorted, and those that fit none, by reason.

    Parameters
    ----------
    videos
        The table ``videos``.
    """
    of_format: dict[Format, list[str]] = {}
    left_out: dict[str, list[str]] = {}
    for id_, own in videos.sort_values(["id", "camera"]).groupby("id", sort=True):
        looks = set(zip(own["task"], own["width"], own["height"], own["fps"], strict=True))
        if own["variable_rate"].any():
            left_out.setdefault(VARIABLE, []).append(str(id_))
        elif len(looks) > 1:
            left_out.setdefault(UNLIKE, []).append(str(id_))
        else:
            ((task, width, height, fps),) = looks
            key = Format(str(task), tuple(own["camera"]), int(width), int(height), Fraction(fps))
            of_format.setdefault(key, []).append(str(id_))
    return dict(sorted(of_format.items())), left_out
