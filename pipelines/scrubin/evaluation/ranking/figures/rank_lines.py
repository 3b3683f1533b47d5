"""Robustness of ranks: a line per team over several ways to rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.evaluation.ranking.figures.grid import LABEL_PX, colour, px

COLUMN_PX, NUMBER_PX, ROW_PX, TOP_PX, WORDS = 104, 56, 26, 46, 16

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
        "top": TOP_PX,
    }


def _y(place: int) -> float:
    return px(TOP_PX + (place + 0.5) * ROW_PX)


def _lines(name: str) -> list[str]:
    """Return a name on two lines that fit a column."""
    if len(name) <= WORDS:
        return ["", name]
    before, _, after = name.rpartition(" ")
    while before and len(before) > WORDS and " " in before:
        before, _, more = before.rpartition(" ")
        after = f"{more} {after}"
    return [before[: WORDS + 2], after[: WORDS + 2]]
