"""Ranks without one video: one cell per team and video, coloured where the rank is another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.evaluation.ranking.figures.grid import LABEL_PX, grid, px

CELL_PX, TOP_PX, LONGEST = 26, 96, 12
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
                    "y": px(TOP_PX + row * CELL_PX),
                    "kind": kind,
                    "rank": rank,
                    "said": f"{team['team']} without {one['video']}: rank {rank if rank is not None else '–'}, with it {team['rank']}",
                }
            )
    videos = [
        {"x": px(LABEL_PX + (at + 0.5) * CELL_PX), "name": _short(one["video"]), "video": one["video"]}
        for at, one in enumerate(document["leave_one_out"])
    ]
    of = grid(teams, len(videos), cell=CELL_PX, top=TOP_PX)
    return {**of, "width": of["width"] + SLANT_PX, "cells": cells, "videos": videos}


def _moved(rank: int, before: int) -> str:
    return "better" if rank < before else "worse"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
