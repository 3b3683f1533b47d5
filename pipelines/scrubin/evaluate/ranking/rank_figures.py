"""Figures of ranks with one row per team: where everything lies, in pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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


def short(name: str) -> str:
    """Return a name that fits beside a figure.

    >>> short("a" * 40)
    'aaaaaaaaaaaaaaaaaaaaa…'
    """
    return name if len(name) <= LONGEST_TEAM else f"{name[: LONGEST_TEAM - 1]}…"


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
        {"x": px(LABEL_PX + (at + 0.5) * CELL_PX), "name": _short(one["video"]), "video": one["video"]}
        for at, one in enumerate(document["leave_one_out"])
    ]
    of = grid(teams, len(videos), cell=CELL_PX, top=LEFT_OUT_TOP_PX)
    return {**of, "width": of["width"] + SLANT_PX, "cells": cells, "videos": videos}


def _moved(rank: int, before: int) -> str:
    return "better" if rank < before else "worse"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_VIDEO else f"{name[: LONGEST_VIDEO - 1]}…"


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
