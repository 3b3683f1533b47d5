r"""A ranking as LaTeX tables (booktabs): the leaderboard, ranks by other ways, several metrics together.

Names are escaped, what is undefined is ``--``. Tables need ``\usepackage{booktabs}`` and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.base.faults import count_text
from scrubin.evaluate.ranking.ranking_text import UNDEFINED, number_of, percent, rank_bound, units_text, verdict

_SPECIAL = {
    **{one: f"\\{one}" for one in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def tables(document: Mapping[str, Any]) -> str:
    """Return all tables of a ranking that has teams."""
    parts = [_leaderboard(document), _methods(document)]
    parts += [_several(document)] if document["several"] else []
    return "\n".join(parts)


def escaped(text: str) -> str:
    r"""Return a name as LaTeX prints it.

    >>> escaped("R&D_50%"), escaped("a--b")
    ('R\\&D\\_50\\%', 'a-{}-b')
    """
    plain = "".join(_SPECIAL.get(one, one) for one in text)
    # Two of them in a row would become one other sign.
    return re.sub(r"([-'`,])(?=\1)", r"\1{}", plain)


def _leaderboard(document: Mapping[str, Any]) -> str:
    number, tests, stable = number_of(document), document["significance"], document["stability"]
    parts = list(document["teams"][0]["components"]) if len(document["teams"][0]["components"]) > 1 else []
    header = ["Rank", "Team", "Score", "95\\,\\% interval", *map(escaped, parts), "Ranks", "First", "Podium", "Groups"]
    rows = []
    for team in document["teams"]:
        interval = UNDEFINED if team["score_low"] is None else f"{number(team['score_low'])} to {number(team['score_high'])}"
        ranks = UNDEFINED if team["rank_low"] is None else _between(*map(rank_bound, (team["rank_low"], team["rank_high"])))
        rows.append(
            [
                _rank(team["rank"]),
                escaped(team["team"]),
                _cell(number(team["score"])),
                _cell(interval),
                *(_cell(number(team["components"][part])) for part in parts),
                _cell(ranks),
                *(_cell(percent(team[name], 0)) for name in ("share_first", "share_podium")),
                _cell(", ".join(team["groups"])),
            ]
        )
    truth = document["ground_truth"]
    caption = (
        f"{escaped(document['measure']['description'][:1].upper() + document['measure']['description'][1:])}; "
        f"{count_text(len(truth['videos']), 'video')}. Interval and ranks: {100 * stable['level']:g}\\,\\% of "
        f"{count_text(stable['resamples'], 'bootstrap resample')} of the videos; First and Podium: share of them (\\%) with rank 1, "
        f"and with rank 1 to {stable['podium']}. Teams that share a letter cannot be told apart: {escaped(tests['test'])}, over "
        f"{escaped(units_text(tests))}, $\\alpha = {tests['alpha']:g}$."
    )
    if never := verdict(tests):
        caption += f" {escaped(never[:1].upper() + never[1:])}."
    return _table(caption, "tab:ranking", header, "rl" + "r" * (len(header) - 3) + "l", rows)


def _methods(document: Mapping[str, Any]) -> str:
    ways = document["methods"]
    header = ["Team", "Score", *(escaped(name.replace("_", " ").capitalize()) for name in ways), "Leave one out"]
    rows = []
    for team in document["teams"]:
        span = team["leave_one_out"]
        low, high = _rank(span["rank_low"]), _rank(span["rank_high"])
        rows.append(
            [
                escaped(team["team"]),
                _rank(team["rank"]),
                *(_rank(team["methods"][name]["rank"]) for name in ways),
                _between(low, high),
            ]
        )
    caption = "Ranks by the score and by other ways of making one ranking of the values by video; least and largest rank without one video."
    return _table(caption, "tab:ranking-methods", header, "l" + "r" * (len(header) - 1), rows)


def _several(document: Mapping[str, Any]) -> str:
    both, number = document["several"], number_of(document)
    header = ["Team", *(f"Rank by {escaped(name)}" for name in both["components"]), "Mean score", "Rank", "Mean rank", "Rank"]
    rows = []
    for team in both["teams"]:
        mean_rank = UNDEFINED if team["mean_rank"] is None else f"{team['mean_rank']:.2f}"
        ranks = [_rank(team["ranks"][name]) for name in both["components"]]
        ends = [_cell(number(team["mean_score"])), _rank(team["rank_by_mean_score"]), _cell(mean_rank), _rank(team["rank_by_mean_rank"])]
        rows.append([escaped(team["team"]), *ranks, *ends])
    caption = "Several metrics: ranks by the mean of the scores, and by the mean of the ranks."
    return _table(caption, "tab:ranking-several", header, "l" + "r" * (len(header) - 1), rows)


def _table(caption: str, label: str, header: Sequence[str], columns: str, rows: Sequence[Sequence[str]]) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        f"{' & '.join(header)} \\\\",
        r"\midrule",
        *(f"{' & '.join(row)} \\\\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _rank(value: int | None) -> str:
    return "--" if value is None else str(value)


def _between(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _cell(text: str) -> str:
    """Return a number, with a true minus; what is undefined as two dashes."""
    if text in (UNDEFINED, ""):
        return "--"
    return text if not text.startswith("-") else f"${text}$"
