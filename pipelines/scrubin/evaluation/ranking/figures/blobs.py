"""Stability of ranks: one circle per team and rank, its area the share of resamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.evaluation.ranking.figures.grid import LABEL_PX, TOP_PX, cell_px, grid, px


def blobs(teams: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figure."""
    n, cell = len(teams), cell_px(len(teams))
    marks = [
        {
            "x": px(LABEL_PX + (rank + 0.5) * cell),
            "y": px(TOP_PX + (row + 0.5) * cell),
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
