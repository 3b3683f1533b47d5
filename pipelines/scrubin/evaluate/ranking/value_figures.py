"""Figures of teams' values by video: where everything lies, in pixels.

Every place has a step, and every team a position on each step. A dot is a video: on the step of the place that the team has in that
video, at the height of its value; lines join the dots of one video. Bars below count the videos. Teams that are equal in a video take
the places in their order by all videos.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrubin.evaluate.ranking.rank_figures import LABEL_PX, colour, px

TICKS = 5


@dataclass(frozen=True)
class Axis:
    """An axis.

    Parameters
    ----------
    ticks
        Round numbers, increasing; all values lie between the first and the last.
    start_px, stop_px
        Where these two lie.
    """

    ticks: tuple[float, ...]
    start_px: float
    stop_px: float

    def at(self, value: float) -> float:
        """Return where a value lies."""
        low, high = self.ticks[0], self.ticks[-1]
        return round(self.start_px + (value - low) / (high - low) * (self.stop_px - self.start_px), 2)


def axis(values: Sequence[float], start_px: float, stop_px: float) -> Axis:
    """Return an axis that holds all values.

    >>> axis([0.12, 0.48], 0, 100).ticks
    (0.1, 0.2, 0.3, 0.4, 0.5)
    """
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        low, high = low - (abs(low) or 1) * 0.1, high + (abs(high) or 1) * 0.1
    size = math.floor(math.log10((high - low) / TICKS))
    step = next(one * 10.0**size for one in (1, 2, 5, 10) if (high - low) / (one * 10.0**size) <= TICKS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Axis(tuple(round(at * step, max(0, 1 - size)) for at in range(first, last + 1)), start_px, stop_px)


Written = Callable[[float | None], str]
DOTS_WIDTH_PX, ROW_PX, DOTS_TOP_PX = 620, 30, 34
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
    of = axis(values, LABEL_PX + 10, LABEL_PX + DOTS_WIDTH_PX - 20)
    rows = []
    for place, team in enumerate(teams):
        y = DOTS_TOP_PX + (place + 0.5) * ROW_PX
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
        "width": LABEL_PX + DOTS_WIDTH_PX,
        "height": DOTS_TOP_PX + len(teams) * ROW_PX + 8,
        "left": LABEL_PX,
        "top": DOTS_TOP_PX,
        "box_px": px(0.72 * ROW_PX),
        "ticks": [{"x": of.at(tick), "text": ticked(tick)} for tick in of.ticks],
        "rows": rows,
    }


MOST_PLACES = 10
LEFT_PX, PODIUM_TOP_PX, DOTS_PX, BARS_PX, GAP_PX = 64, 18, 260, 90, 30
WIDEST_PX, SLIMMEST_PX, PODIUM_WIDTH_PX = 110, 60, 900
STEP_GAP_PX = 10


def podium(
    teams: Sequence[Mapping[str, Any]], videos: Sequence[str], written: Written, ticked: Written, *, lower_is_better: bool = False
) -> dict[str, Any]:
    """Return the figure."""
    places = min(len(teams), MOST_PLACES)
    step_px = max(SLIMMEST_PX, min(WIDEST_PX, PODIUM_WIDTH_PX / places))
    values = [value for team in teams for value in team["video_scores"] if value is not None]
    of = axis(values, PODIUM_TOP_PX + DOTS_PX, PODIUM_TOP_PX)
    bottom = PODIUM_TOP_PX + DOTS_PX + GAP_PX + BARS_PX

    def at(place: int, team: int) -> float:
        return px(LEFT_PX + place * step_px + STEP_GAP_PX / 2 + (team + 0.5) * (step_px - STEP_GAP_PX) / len(teams))

    lines, dots = [], []
    counts: dict[tuple[int, int], int] = {}
    for column, video in enumerate(videos):
        order = _order([team["video_scores"][column] for team in teams], lower_is_better)
        own = [
            {
                "x": at(place, team),
                "y": of.at(teams[team]["video_scores"][column]),
                "colour": colour(team),
                "said": f"{teams[team]['team']}: place {place + 1} in {video}, {written(teams[team]['video_scores'][column])}",
            }
            for place, team in enumerate(order[:places])
        ]
        for place, team in enumerate(order[:places]):
            counts[place, team] = counts.get((place, team), 0) + 1
        lines.append(" ".join(f"{dot['x']},{dot['y']}" for dot in own))
        dots += own
    highest = max(counts.values(), default=1)
    bar_px = (step_px - STEP_GAP_PX) / len(teams)
    bars = [
        {
            "x": px(at(place, team) - 0.45 * bar_px),
            "y": px(bottom - BARS_PX * count / highest),
            "width": px(0.9 * bar_px),
            "height": px(BARS_PX * count / highest),
            "colour": colour(team),
            "said": f"{teams[team]['team']}: place {place + 1} in {count} of {len(videos)} videos",
        }
        for (place, team), count in sorted(counts.items())
    ]
    return {
        "width": px(LEFT_PX + places * step_px + 6),
        "height": bottom + 8,
        "left": LEFT_PX,
        "right": px(LEFT_PX + places * step_px),
        "ticks": [{"y": of.at(tick), "text": ticked(tick)} for tick in of.ticks],
        "steps": [
            {"x": px(LEFT_PX + place * step_px), "width": px(step_px), "middle": px(LEFT_PX + (place + 0.5) * step_px), "place": place + 1}
            for place in range(places)
        ],
        "label_y": PODIUM_TOP_PX + DOTS_PX + 19,
        "top": PODIUM_TOP_PX,
        "bottom": bottom,
        "highest": highest,
        "bars_top": bottom - BARS_PX,
        "lines": lines,
        "dots": dots,
        "bars": bars,
        "key": [{"team": team["team"], "colour": colour(place)} for place, team in enumerate(teams[:MOST_PLACES])],
        "more": max(0, len(teams) - MOST_PLACES),
    }


def _order(values: Sequence[float | None], lower_is_better: bool) -> list[int]:
    """Return the teams that have a value, the best first."""
    sign = 1 if lower_is_better else -1
    return [team for _, team in sorted((sign * value, team) for team, value in enumerate(values) if value is not None)]
