"""Who is significantly better than whom: one cell per pair of teams, the row's team against the column's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.evaluation.ranking.figures.grid import LABEL_PX, TOP_PX, cell_px, grid, px

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
                    "y": px(TOP_PX + row * cell),
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
