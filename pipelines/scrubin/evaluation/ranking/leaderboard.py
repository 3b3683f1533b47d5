"""The leaderboard: one HTML file that loads nothing and opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from scrubin.core.errors import ScrubinError
from scrubin.evaluation.ranking.ranking_text import percent

TEMPLATES = Path(__file__).with_name("templates")
# The curator's report and the leaderboard look alike.
LOOK = Path(__file__).parents[2] / "report/templates"
CELL_PX, LABEL_PX, TOP_PX = 46, 210, 34
LONGEST = 22
SMALLEST_P = 0.001


def page(document: Mapping[str, Any]) -> str:
    """Return the page of a ranking that has teams.

    Parameters
    ----------
    document
        As `ranking.rank` returns it.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([TEMPLATES, LOOK]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "p_value": p_value, "short": short}
    if not document["teams"]:
        msg = "a leaderboard needs at least one ranked team"
        raise ScrubinError(msg)
    return environment.get_template("leaderboard.html.j2").render(
        **document, bars=bars(document["teams"]), blobs=blobs(document["teams"]), tests=tests(document)
    )


def bars(teams: Sequence[Mapping[str, Any]]) -> list[dict[str, float] | None]:
    """Return where the score and its interval lie on a bar from 0 to the best, in percent of its width; None where undefined."""
    defined = [value for team in teams for value in (team["score"], team["score_high"]) if value is not None]
    longest = max(defined, default=0.0) or 1.0
    return [
        None
        if team["score"] is None
        else {
            "score": _px(100 * team["score"] / longest),
            "low": _px(100 * (team["score"] if team["score_low"] is None else team["score_low"]) / longest),
            "high": _px(100 * (team["score"] if team["score_high"] is None else team["score_high"]) / longest),
        }
        for team in teams
    ]


def blobs(teams: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figure of rank stability: one circle per team and rank, its area the share of resamples."""
    n = len(teams)
    marks = [
        {
            "x": _px(LABEL_PX + (rank + 0.5) * CELL_PX),
            "y": _px(TOP_PX + (row + 0.5) * CELL_PX),
            "radius": _px((CELL_PX / 2 - 2) * share**0.5),
            "share": round(100 * share),
            "own": team["rank"] == rank + 1,
            "team": team["team"],
            "rank": rank + 1,
        }
        for row, team in enumerate(teams)
        for rank, share in enumerate(team["share_of_ranks"])
        if share
    ]
    return {**_grid(teams, n), "marks": marks, "ranks": list(range(1, n + 1))}


def tests(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figure of significance: one cell per pair of teams, the row's team against the column's."""
    teams, significance = document["teams"], document["significance"]
    cells = []
    for row, of in enumerate(teams):
        for column, against in enumerate(teams):
            p = significance["p"][row][column]
            kind = "self" if row == column else "none" if p is None else _verdict(significance["better"], row, column)
            cells.append(
                {
                    "x": _px(LABEL_PX + column * CELL_PX),
                    "y": _px(TOP_PX + row * CELL_PX),
                    "kind": kind,
                    "p": p,
                    "team": of["team"],
                    "against": against["team"],
                    "said": {"better": "better than", "worse": "worse than"}.get(kind, "no difference shown from"),
                }
            )
    return {**_grid(teams, len(teams)), "cells": cells}


def p_value(value: float | None) -> str:
    """Return a p-value for reading.

    >>> p_value(0.0123), p_value(0.0001), p_value(None)
    ('0.012', '<.001', '–')
    """
    if value is None:
        return "–"
    return f"<{SMALLEST_P:g}".replace("0.", ".") if value < SMALLEST_P else f"{value:.3f}"


def short(name: str) -> str:
    """Return a name that fits beside a figure.

    >>> short("a" * 40)
    'aaaaaaaaaaaaaaaaaaaaa…'
    """
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _grid(teams: Sequence[Mapping[str, Any]], columns: int) -> dict[str, Any]:
    """Return the size of a figure with one row per team, and where its labels stand."""
    return {
        "width": LABEL_PX + columns * CELL_PX + 4,
        "height": TOP_PX + len(teams) * CELL_PX + 4,
        "cell": CELL_PX,
        "left": LABEL_PX,
        "top": TOP_PX,
        "rows": [{"y": TOP_PX + (row + 0.5) * CELL_PX, "team": team["team"], "rank": team["rank"]} for row, team in enumerate(teams)],
    }


def _verdict(better: Sequence[Sequence[bool | None]], row: int, column: int) -> str:
    return "better" if better[row][column] else "worse" if better[column][row] else "equal"


def _px(value: float) -> float:
    return round(value, 2)
