"""What figures with one row per team have in common: its size, and where its labels stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LABEL_PX, TOP_PX = 210, 34
LONGEST = 22
# Ten colours that people with another colour vision can tell apart (after Okabe and Ito); who ranks behind them is grey.
COLOURS = ("#0b5a8a", "#d55e00", "#1b8a5f", "#b0578f", "#8a6d00", "#4fa3d1", "#7a4b2a", "#5b4fa0", "#a61b1b", "#2e4a3d")
GREY = "#aab4be"


def cell_px(rows: int) -> int:
    """Return how large a cell is: small enough that many teams fit on a page.

    >>> cell_px(5), cell_px(12), cell_px(30)
    (46, 34, 24)
    """
    return 46 if rows <= 8 else 34 if rows <= 16 else 24


def grid(teams: Sequence[Mapping[str, Any]], columns: int, *, cell: int, top: int = TOP_PX) -> dict[str, Any]:
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
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def px(value: float) -> float:
    """Return a length with the digits that can be seen."""
    return round(value, 2)
