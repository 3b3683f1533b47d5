"""Values by video: a dot per video and a box of the quartiles, one row per team."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scrubin.evaluation.ranking.figures.axis import axis
from scrubin.evaluation.ranking.figures.grid import LABEL_PX, colour, px

Written = Callable[[float | None], str]
WIDTH_PX, ROW_PX, TOP_PX = 620, 30, 34
# Dots of a row are spread over its height, so that equal ones can be seen: multiples of the golden section never bunch.
GOLDEN = 0.6180339887498949


def dots(teams: Sequence[Mapping[str, Any]], videos: Sequence[str], written: Written, ticked: Written) -> dict[str, Any]:
    """Return the figure.

    Parameters
    ----------
    teams, videos
        Of the ranking.
    written, ticked
        How a value is written, and how a number of the axis.
    """
    values = [value for team in teams for value in team["video_scores"] if value is not None]
    of = axis(values, LABEL_PX + 10, LABEL_PX + WIDTH_PX - 20)
    rows = []
    for place, team in enumerate(teams):
        y = TOP_PX + (place + 0.5) * ROW_PX
        marks = [
            {
                "x": of.at(value),
                "y": px(y + ((at + 1) * GOLDEN % 1 - 0.5) * 0.6 * ROW_PX),
                "video": video,
                "value": written(value),
                "missing": video in team["videos_missing"],
            }
            for at, (video, value) in enumerate(zip(videos, team["video_scores"], strict=True))
            if value is not None
        ]
        own = [value for value in team["video_scores"] if value is not None]
        box = [of.at(float(bound)) for bound in np.quantile(own, (0.25, 0.5, 0.75))] if own else None
        rows.append({"team": team["team"], "y": px(y), "colour": colour(place), "marks": marks, "box": box})
    return {
        "width": LABEL_PX + WIDTH_PX,
        "height": TOP_PX + len(teams) * ROW_PX + 8,
        "left": LABEL_PX,
        "top": TOP_PX,
        "box_px": px(0.72 * ROW_PX),
        "ticks": [{"x": of.at(tick), "text": ticked(tick)} for tick in of.ticks],
        "rows": rows,
    }
