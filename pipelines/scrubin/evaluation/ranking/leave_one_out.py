"""Which ranks rest on one video: the ranking again without each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.evaluation.ranking import measures
from scrubin.evaluation.ranking.stability import ranks_of
from scrubin.labels.formats.submission.content import FloatArray


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The ranking without one video.

    Parameters
    ----------
    video
        Its place.
    scores, ranks
        (teams,); NaN where nothing else is defined.
    """

    video: int
    scores: FloatArray
    ranks: FloatArray


def each(values: Sequence[FloatArray], by_class: bool, *, lower_is_better: bool = False) -> list[LeftOut]:
    """Return the ranking without each video; none where there is only one.

    Parameters
    ----------
    values
        Per team (videos, classes).
    by_class, lower_is_better
        As of the measure.
    """
    videos = len(values[0])
    sign = -1.0 if lower_is_better else 1.0
    found = []
    for video in range(videos) if videos > 1 else ():
        scores = np.array([measures.score(np.delete(of_team, video, axis=0), by_class) for of_team in values])
        found.append(LeftOut(video, scores, ranks_of(sign * scores)))
    return found
