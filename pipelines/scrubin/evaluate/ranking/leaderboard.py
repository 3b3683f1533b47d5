"""The leaderboard: one HTML file that loads nothing, with every figure placed in pixels.

Every place has a step, and every team a position on each step. A dot is a video: on the step of the place that the team has in that
video, at the height of its value; lines join the dots of one video. Bars below count the videos. Teams that are equal in a video take
the places in their order by all videos.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base import pages
from scrubin.base.errors import ScrubinError
from scrubin.evaluate.ranking.ranking_text import number_of, percent, rank_bound, units_text, verdict
from scrubin.evaluate.released_truth import line_of

LABEL_PX, GRID_TOP_PX = 210, 34
LONGEST_TEAM = 22
# Ten colours that people with another colour vision can tell apart (after Okabe and Ito); who ranks behind them is grey.
COLOURS = ("#0b5a8a", "#d55e00", "#1b8a5f", "#b0578f", "#8a6d00", "#4fa3d1", "#7a4b2a", "#5b4fa0", "#a61b1b", "#2e4a3d")
GREY = "#aab4be"


def cell_px(rows: int) -> int:
    """Return how large a cell is: small enough that many teams fit on a page.

    >>> cell_px(5), cell_px(12), cell_px(30)
    (46, 34, 24)
    """
    return 46 if rows <= 8 else 34 if rows <= 16 else 24


def grid(teams: Sequence[Mapping[str, Any]], columns: int, *, cell: int, top: int = GRID_TOP_PX) -> dict[str, Any]:
    """Return the size of a figure of square cells, and its rows."""
    return {
        "width": LABEL_PX + columns * cell + 4,
        "height": top + len(teams) * cell + 4,
        "cell": cell,
        "left": LABEL_PX,
        "top": top,
        "rows": [{"y": px(top + (row + 0.5) * cell), "team": team["team"], "rank": team["rank"]} for row, team in enumerate(teams)],
    }


def colour(place: int) -> str:
    """Return the colour of a team by its place in the ranking."""
    return COLOURS[place] if place < len(COLOURS) else GREY


def short(name: str, longest: int = LONGEST_TEAM) -> str:
    """Return a name that fits beside a figure.

    >>> short("a" * 40)
    'aaaaaaaaaaaaaaaaaaaaa…'
    """
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def px(value: float) -> float:
    """Return a length with the digits that can be seen."""
    return round(value, 2)


def blobs(teams: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figure."""
    n, cell = len(teams), cell_px(len(teams))
    marks = [
        {
            "x": px(LABEL_PX + (rank + 0.5) * cell),
            "y": px(GRID_TOP_PX + (row + 0.5) * cell),
            "radius": px((cell / 2 - 2) * share**0.5),
            "share": round(100 * share),
            "own": team["rank"] == rank + 1,
            "team": team["team"],
            "rank": rank + 1,
        }
        for row, team in enumerate(teams)
        for rank, share in enumerate(team["share_of_ranks"])
        if share
    ]
    return {**grid(teams, n, cell=cell), "marks": marks, "ranks": list(range(1, n + 1))}


CELL_PX, LEFT_OUT_TOP_PX, LONGEST_VIDEO = 26, 96, 12
# The name of the last video leans to the right.
SLANT_PX = 44


def left_out(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figure."""
    teams: Sequence[Mapping[str, Any]] = document["teams"]
    cells = []
    for column, one in enumerate(document["leave_one_out"]):
        for row, (team, rank) in enumerate(zip(teams, one["ranks"], strict=True)):
            kind = "equal" if rank == team["rank"] else "none" if rank is None or team["rank"] is None else _moved(rank, team["rank"])
            cells.append(
                {
                    "x": px(LABEL_PX + column * CELL_PX),
                    "y": px(LEFT_OUT_TOP_PX + row * CELL_PX),
                    "kind": kind,
                    "rank": rank,
                    "said": f"{team['team']} without {one['video']}: rank {rank if rank is not None else '–'}, with it {team['rank']}",
                }
            )
    videos = [
        {"x": px(LABEL_PX + (at + 0.5) * CELL_PX), "name": short(one["video"], LONGEST_VIDEO), "video": one["video"]}
        for at, one in enumerate(document["leave_one_out"])
    ]
    of = grid(teams, len(videos), cell=CELL_PX, top=LEFT_OUT_TOP_PX)
    return {**of, "width": of["width"] + SLANT_PX, "cells": cells, "videos": videos}


def _moved(rank: int, before: int) -> str:
    return "better" if rank < before else "worse"


COLUMN_PX, NUMBER_PX, ROW_PX, LINES_TOP_PX, WORDS = 104, 56, 26, 46, 16

# Columns of numbers alone are narrow.
SHORT = 6


def rank_lines(teams: Sequence[Mapping[str, Any]], columns: Sequence[tuple[str, Sequence[int | None]]]) -> dict[str, Any]:
    """Return the figure.

    Parameters
    ----------
    teams
        In order.
    columns
        Name of each way, with the rank of every team by it.
    """
    column_px = NUMBER_PX if all(len(name) <= SHORT for name, _ in columns) else COLUMN_PX
    xs = [px(LABEL_PX + (at + 0.5) * column_px) for at in range(len(columns))]
    lines = []
    for place, team in enumerate(teams):
        ranks = [of_column[place] for _, of_column in columns]
        points = [
            {"x": x, "y": _y(rank - 1), "rank": rank, "by": name}
            for x, rank, (name, _) in zip(xs, ranks, columns, strict=True)
            if rank is not None
        ]
        lines.append({"team": team["team"], "colour": colour(place), "y": _y(place), "points": points})
    return {
        "width": LABEL_PX + len(columns) * column_px + 30,
        "height": _y(len(teams)) + 4,
        "left": LABEL_PX,
        "columns": [{"x": x, "words": _lines(name)} for x, (name, _) in zip(xs, columns, strict=True)],
        "rows": [{"y": _y(place), "rank": place + 1} for place in range(len(teams))],
        "lines": lines,
        "bottom": _y(len(teams) - 1),
        "top": LINES_TOP_PX,
    }


def _y(place: int) -> float:
    return px(LINES_TOP_PX + (place + 0.5) * ROW_PX)


def _lines(name: str) -> list[str]:
    """Return a name on two lines that fit a column."""
    if len(name) <= WORDS:
        return ["", name]
    before, _, after = name.rpartition(" ")
    while before and len(before) > WORDS and " " in before:
        before, _, more = before.rpartition(" ")
        after = f"{more} {after}"
    return [before[: WORDS + 2], after[: WORDS + 2]]


SMALLEST_P = 0.001
WIDE_ENOUGH_PX = 40


def significance_map(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figure."""
    teams, significance = document["teams"], document["significance"]
    cell = cell_px(len(teams))
    cells = []
    for row, of in enumerate(teams):
        for column, against in enumerate(teams):
            p = significance["p_adjusted"][row][column]
            kind = "self" if row == column else "none" if p is None else _verdict(significance["better"], row, column)
            cells.append(
                {
                    "x": px(LABEL_PX + column * cell),
                    "y": px(GRID_TOP_PX + row * cell),
                    "kind": kind,
                    "p": p,
                    "team": of["team"],
                    "against": against["team"],
                    "said": {"better": "better than", "worse": "worse than"}.get(kind, "no difference shown from"),
                }
            )
    return {**grid(teams, len(teams), cell=cell), "cells": cells, "written": cell >= WIDE_ENOUGH_PX}


def p_value(value: float | None) -> str:
    """Return a p-value for reading.

    >>> p_value(0.0123), p_value(0.0001), p_value(None)
    ('0.012', '<.001', '–')
    """
    if value is None:
        return "–"
    return f"<{SMALLEST_P:g}".replace("0.", ".") if value < SMALLEST_P else f"{value:.3f}"


def _verdict(better: Sequence[Sequence[bool | None]], row: int, column: int) -> str:
    return "better" if better[row][column] else "worse" if better[column][row] else "equal"


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
DOTS_WIDTH_PX, BARS_ROW_PX, DOTS_TOP_PX = 620, 30, 34
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
        y = DOTS_TOP_PX + (place + 0.5) * BARS_ROW_PX
        marks = [
            {
                "x": of.at(value),
                "y": px(y + ((at + 1) * GOLDEN % 1 - 0.5) * 0.6 * BARS_ROW_PX),
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
        "height": DOTS_TOP_PX + len(teams) * BARS_ROW_PX + 8,
        "left": LABEL_PX,
        "top": DOTS_TOP_PX,
        "box_px": px(0.72 * BARS_ROW_PX),
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


TEMPLATES = Path(__file__).with_name("templates")


def page(document: Mapping[str, Any]) -> str:
    """Return the page of a ranking that has teams.

    Parameters
    ----------
    document
        As `ranking.rank` returns it.
    """
    number = number_of(document)
    scale = 100 if number is percent else 1

    def ticked(value: float | None) -> str:
        return "" if value is None else f"{scale * value:.6g}"

    filters = {"percent": percent, "p_value": p_value, "short": short, "number": number, "rank_bound": rank_bound, "release": line_of}
    environment = pages.environment(TEMPLATES, filters)
    if not document["teams"]:
        raise ScrubinError("a leaderboard needs at least one ranked team")
    teams, videos = document["teams"], document["ground_truth"]["videos"]
    return environment.get_template("leaderboard.html.j2").render(
        **document,
        bars=bars(teams),
        blobs=blobs(teams),
        map=significance_map(document),
        robustness=rank_lines(teams, robustness(document)),
        dots=dots(teams, videos, number, ticked),
        podium=podium(teams, videos, number, ticked, lower_is_better=document["measure"]["lower_is_better"]),
        left_out=left_out(document),
        by_variant=rank_lines(teams, _by_variant(document)),
        units=units_text(document["significance"]),
        never=verdict(document["significance"]),
        in_percent=number is percent,
    )


def robustness(document: Mapping[str, Any]) -> list[tuple[str, list[int | None]]]:
    """Return the ways to rank, with the rank of every team by each: the score first."""
    teams = document["teams"]
    ways = [(name.replace("_then_", ", then "), [team["methods"][name]["rank"] for team in teams]) for name in document["methods"]]
    return [("score", [team["rank"] for team in teams]), *ways]


def _by_variant(document: Mapping[str, Any]) -> list[tuple[str, list[int | None]]]:
    """Return the variants by number; their names are too long for a column."""
    ranked = [(str(number), one["ranks"]) for number, one in enumerate(document["variants"] or (), start=1)]
    return [("score", [team["rank"] for team in document["teams"]]), *ranked]


def bars(teams: Sequence[Mapping[str, Any]]) -> list[dict[str, float] | None]:
    """Return where score and interval lie on a bar from 0, in percent of its width; None where undefined or values are negative."""
    defined = [value for team in teams for value in (team["score"], team["score_low"], team["score_high"]) if value is not None]
    longest = max(defined, default=0.0) or 1.0
    if min(defined, default=0.0) < 0:
        return [None] * len(teams)
    return [
        None
        if team["score"] is None
        else {
            "score": px(100 * team["score"] / longest),
            "low": px(100 * (team["score"] if team["score_low"] is None else team["score_low"]) / longest),
            "high": px(100 * (team["score"] if team["score_high"] is None else team["score_high"]) / longest),
        }
        for team in teams
    ]
