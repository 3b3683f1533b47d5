"""The leaderboard: one HTML file that loads nothing, so that it opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrubin.base import pages
from scrubin.base.errors import ScrubinError
from scrubin.evaluate.ranking.rank_figures import blobs, left_out, p_value, px, rank_lines, short, significance_map
from scrubin.evaluate.ranking.ranking_text import number_of, percent, rank_bound, units_text, verdict
from scrubin.evaluate.ranking.value_figures import dots, podium

TEMPLATES = Path(__file__).with_name("templates")


# The curator's report and the leaderboard look alike.


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

    filters = {"percent": percent, "p_value": p_value, "short": short, "number": number, "rank_bound": rank_bound}
    environment = pages.environment(TEMPLATES, filters)
    if not document["teams"]:
        msg = "a leaderboard needs at least one ranked team"
        raise ScrubinError(msg)
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
