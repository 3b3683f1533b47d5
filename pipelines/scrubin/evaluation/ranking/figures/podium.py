"""The podium: which team has which place in how many videos, and with which values.

Every place has a step, and every team a position on each step. A dot is a video: on the step of the place that the team has in that
video, at the height of its value; lines join the dots of one video. Bars below count the videos. Teams that are equal in a video take
the places in their order by all videos.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scrubin.evaluation.ranking.figures.axis import axis
from scrubin.evaluation.ranking.figures.grid import colour, px

Written = Callable[[float | None], str]
MOST_PLACES = 10
LEFT_PX, TOP_PX, DOTS_PX, BARS_PX, GAP_PX = 64, 18, 260, 90, 30
WIDEST_PX, SLIMMEST_PX, WIDTH_PX = 110, 60, 900
STEP_GAP_PX = 10


def podium(
    teams: Sequence[Mapping[str, Any]], videos: Sequence[str], written: Written, ticked: Written, *, lower_is_better: bool = False
) -> dict[str, Any]:
    """Return the figure."""
    places = min(len(teams), MOST_PLACES)
    step_px = max(SLIMMEST_PX, min(WIDEST_PX, WIDTH_PX / places))
    values = [value for team in teams for value in team["video_scores"] if value is not None]
    of = axis(values, TOP_PX + DOTS_PX, TOP_PX)
    bottom = TOP_PX + DOTS_PX + GAP_PX + BARS_PX

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
        "label_y": TOP_PX + DOTS_PX + 19,
        "top": TOP_PX,
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
