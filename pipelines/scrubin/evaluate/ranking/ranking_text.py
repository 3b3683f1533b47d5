r"""A ranking as a table for reading, as CSV or as LaTeX.

Names are escaped, what is undefined is ``--``. Tables need ``\usepackage{booktabs}`` and nothing else.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scrubin.base.faults import count_text, sheet_cell
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.evaluate.metrics.variants import ONE_VIDEO

UNDEFINED = "-"
COLUMNS = ("rank", "team", "score", "score_low", "score_high", "rank_low", "rank_high", "mean_rank")
SHOWN = 8


def lines(document: Mapping[str, Any]) -> list[str]:
    """Return a ranking for reading, scores in percent."""
    measure, teams = document["measure"], document["teams"]
    text_lines = [measure["description"], _size(document)]
    if release := _release(document):
        text_lines.append(f"ground truth: {release}")
    unscored = document["ground_truth"]["videos_not_scored"]
    if unscored:
        lacking = f"the ground truth has no whole labels of them for {measure['task']}"
        # Of a sheet of values.
        lacking = "no team has a value of them" if document["ground_truth"]["vocabulary"] is None else lacking
        text_lines.append(f"warning: not scored, as {lacking}: {', '.join(unscored)}")
    text_lines += [f"note: {note}" for note in document["notes"]]
    if teams:
        text_lines += ["", *_table(document), "", *_worth(document), "", *_groups(document), *_sensitivity(document)]
        text_lines += ["", *_several(document)] if document["several"] else []
    for team in teams:
        text_lines += [f"warning: {team['team']}: {warning}" for warning in team["warnings"]]
    for one in document["not_ranked"]:
        text_lines.append(f"not ranked: {one['team']}: {count_text(one['problems'], 'error')}")
        text_lines += [f"  {reason}" for reason in one["reasons"]]
        more = one["problems"] - len(one["reasons"])
        text_lines += [f"  and {more} more; see 'scrubin submission check'"] if more > 0 else []
    return text_lines


def _release(document: Mapping[str, Any]) -> str:
    """Return which release the labels are of; "" where they are of none, or nobody says it."""
    release = document["ground_truth"].get("release")
    if not release:
        return ""
    from scrubin.evaluate.released_truth import line_of  # help needs no ground truth

    return line_of(release)


def sheet(document: Mapping[str, Any]) -> str:
    """Return a ranking as CSV for people, in which no name is a formula.

    One row per team, undefined values empty; teams that are not ranked last, with their first reason.
    """
    parts = list(document["teams"][0]["components"]) if document["teams"] else []
    ways = list(document["teams"][0]["methods"]) if document["teams"] else []
    columns = [*COLUMNS, *(f"component_{part}" for part in parts), "share_first", "share_podium", "groups", "better_than", "worse_than"]
    columns += [*(f"rank_{way}" for way in ways), "not_ranked_because", "release"]
    of = sheet_cell(_release(document))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for team in document["teams"]:
        writer.writerow(
            {
                **{name: team[name] for name in COLUMNS},
                "team": sheet_cell(team["team"]),
                **{f"component_{part}": team["components"][part] for part in parts},
                "share_first": team["share_first"],
                "share_podium": team["share_podium"],
                "groups": " ".join(team["groups"]),
                **{f"rank_{way}": team["methods"][way]["rank"] for way in ways},
                "better_than": len(team["better_than"]),
                "worse_than": len(team["worse_than"]),
                "release": of,
            }
        )
    for one in document["not_ranked"]:
        writer.writerow({"team": sheet_cell(one["team"]), "not_ranked_because": sheet_cell(one["reasons"][0]), "release": of})
    return buffer.getvalue()


def percent(value: float | None, digits: int = 1) -> str:
    """Return a share as a percentage without its sign.

    >>> percent(0.2981), percent(None)
    ('29.8', '-')
    """
    return UNDEFINED if value is None else f"{100 * value:.{digits}f}"


def number_of(document: Mapping[str, Any]) -> Callable[[float | None], str]:
    """Return how scores of a ranking are written: percentages of our own metrics, which are shares, four digits of what others give."""
    return percent if document["measure"]["task"] in CONTESTS else plain


def plain(value: float | None) -> str:
    """Return a number of any size for reading.

    >>> plain(0.29812), plain(1234567.0), plain(-0.0000123), plain(None)
    ('0.2981', '1234567', '-1.23e-05', '-')
    """
    if value is None:
        return UNDEFINED
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e3 or not value else f"{value:.7g}" if abs(value) >= 1e3 else f"{value:.3g}"


def rank_bound(value: float) -> str:
    """Return an end of an interval of ranks: percentiles may lie between two ranks.

    >>> rank_bound(3.0), rank_bound(2.525)
    ('3', '2.5')
    """
    return f"{value:.1f}".removesuffix(".0")


def verdict(significance: Mapping[str, Any]) -> str | None:
    """Return what tests over so few videos or clips can never show; None where a difference could be significant."""
    if significance["can_be_significant"] is not False:
        return None
    unit, alpha, pairs = significance["unit"], significance["alpha"], significance["comparisons"]
    corrected = significance["correction"] != "none" and pairs > 1
    after = f" ({significance['smallest_p_adjusted']:.3g} after the correction for {pairs} comparisons)" if corrected else ""
    needed = significance["units_needed"]
    enough = "" if needed is None else f"; it takes at least {count_text(needed, unit)}"
    return (
        f"with {count_text(significance['units'], unit)} no p-value can be below {significance['smallest_p']:.3g}{after}, "
        f"so no difference can ever be significant at {alpha:g}{enough}"
    )


def _size(document: Mapping[str, Any]) -> str:
    truth = document["ground_truth"]
    ranked, refused = len(document["teams"]), len(document["not_ranked"])
    frames = "" if truth["frames"] is None else f", {count_text(truth['frames'], 'frame')}"
    return f"{count_text(len(truth['videos']), 'video')}{frames}; {count_text(ranked, 'team')} ranked, {refused} not ranked"


def _table(document: Mapping[str, Any]) -> list[str]:
    teams, number = document["teams"], number_of(document)
    parts, shares = _parts(document), " %" if number is percent else ""
    header = ["rank", "team", f"score{shares}", "95 % interval", *parts, "ranks", "first %", "podium %", "groups", "better than"]
    rows = zip(_cells(document, to="-", comma=","), teams, strict=True)
    return _aligned([header, *([*cells, f"{len(team['better_than'])} of {len(teams) - 1}"] for cells, team in rows)])


def _parts(document: Mapping[str, Any]) -> list[str]:
    """Return the components that have a column: none where there is only one, which is the score."""
    parts = list(document["teams"][0]["components"])
    return parts if len(parts) > 1 else []


def _cells(document: Mapping[str, Any], *, to: str, comma: str) -> list[list[str]]:
    """Return the cells of every team: rank, name, score, its interval, components, ranks, how often first and on the podium, groups."""
    number = number_of(document)
    return [
        [
            _rank(team["rank"]),
            team["team"],
            number(team["score"]),
            UNDEFINED if team["score_low"] is None else f"{number(team['score_low'])} to {number(team['score_high'])}",
            *(number(team["components"][part]) for part in _parts(document)),
            UNDEFINED if team["rank_low"] is None else _between(rank_bound(team["rank_low"]), to, rank_bound(team["rank_high"])),
            percent(team["share_first"], 0),
            percent(team["share_podium"], 0),
            comma.join(team["groups"]) or UNDEFINED,
        ]
        for team in document["teams"]
    ]


def _aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    cells = [[_padded(cell, width, left=at == left) for at, (cell, width) in enumerate(zip(row, widths, strict=True))] for row in rows]
    return ["  ".join(row) for row in cells]


def _worth(document: Mapping[str, Any]) -> list[str]:
    tests, stable = document["significance"], document["stability"]
    tau = stable["kendall_tau"]
    videos = len(document["ground_truth"]["videos"])
    text_lines = [f"better than: {tests['test']}; over {units_text(tests)}, p <= {tests['alpha']:g}"]
    if tests["unit"] == "clip":
        text_lines.append("warning: clips of one video are not independent of each other, so these p-values are too small")
    text_lines.append(
        f"interval, ranks, first, podium: {count_text(stable['resamples'], 'bootstrap resample')} of the videos, seed {stable['seed']}"
        + ("" if tau["mean"] is None else f"; Kendall's tau {tau['mean']:.3f} ({tau['low']:.3f} to {tau['high']:.3f})")
    )
    if never := verdict(tests):
        text_lines.append(f"warning: {never}")
    if tests["clips"] is not None and not tests["clips"]["drawn"]:
        text_lines.append("warning: no video has so many scored frames in a row, so no test was made; give a smaller --clip-frames")
    if videos == 1:
        text_lines.append(f"warning: {ONE_VIDEO}")
    return text_lines


def units_text(tests: Mapping[str, Any]) -> str:
    """Return what two teams were compared over."""
    clips = tests["clips"]
    if clips is None:
        return count_text(tests["units"], "video")
    return f"{clips['drawn']} of {clips['asked']} clips of {clips['frames']} consecutive frames ({clips['sharing_frames']} share frames)"


def _groups(document: Mapping[str, Any]) -> list[str]:
    text_lines = []
    for group in document["groups"]:
        apart = "" if group["neighbours"] else " (not neighbours by rank)"
        what = "cannot be told apart" if len(group["teams"]) > 1 else "differs from all others"
        text_lines.append(f"group {group['letter']}: {', '.join(group['teams'])}: {what}{apart}")
    return [*text_lines, *(f"tied: {', '.join(teams)}" for teams in document["ties"])]


def _sensitivity(document: Mapping[str, Any]) -> list[str]:
    teams = document["teams"]
    text_lines = []
    for name, meaning in document["methods"].items():
        both = [(team["team"], team["rank"], team["methods"][name]["rank"]) for team in teams]
        moved = [one for one in both if one[1] != one[2]]
        text_lines.append(f"by {meaning}: {moved_text(moved)}")
    for one in document["variants"] or ():
        text_lines.append(f"by variant {one['label']}: {moved_text([(move['team'], move['from'], move['to']) for move in one['moved']])}")
    for one in document["leave_one_out"]:
        if one["moved"]:
            text_lines.append(f"without {one['video']}: {moved_text([(move['team'], move['from'], move['to']) for move in one['moved']])}")
    still = sum(not one["moved"] for one in document["leave_one_out"])
    if still:
        which = "all" if still == len(document["leave_one_out"]) else "the other"
        text_lines.append(f"without any one of {which} {count_text(still, 'video')}: same ranks")
    return text_lines


def _several(document: Mapping[str, Any]) -> list[str]:
    both = document["several"]
    header = ["team", *(f"{name} rank" for name in both["components"]), "mean score", "rank by it", "mean rank", "rank by it"]
    agree = f"the two differ for {', '.join(both['differ'])}" if both["differ"] else "both give the same ranks"
    return [f"several metrics ({', '.join(both['components'])}): {agree}", *_aligned([header, *_cells_of_several(document)], left=0)]


def _cells_of_several(document: Mapping[str, Any]) -> list[list[str]]:
    """Return the cells of every team: name, rank by each metric, mean score and mean rank, each with the rank by it."""
    both, number = document["several"], number_of(document)
    return [
        [
            team["team"],
            *(_rank(team["ranks"][name]) for name in both["components"]),
            number(team["mean_score"]),
            _rank(team["rank_by_mean_score"]),
            UNDEFINED if team["mean_rank"] is None else f"{team['mean_rank']:.2f}",
            _rank(team["rank_by_mean_rank"]),
        ]
        for team in both["teams"]
    ]


def moved_text(moved: Sequence[tuple[str, int | None, int | None]]) -> str:
    """Return whose rank becomes which other one, the first of them by name."""
    shown = [f"{team} {_rank(before)} to {_rank(after)}" for team, before, after in moved[:SHOWN]]
    more = [f"and {len(moved) - SHOWN} more teams"] if len(moved) > SHOWN else []
    return ", ".join([*shown, *more]) or "same ranks"


def _rank(value: int | None) -> str:
    return UNDEFINED if value is None else str(value)


def _between(low: str, to: str, high: str) -> str:
    return low if low == high else f"{low}{to}{high}"


def _width(text: str) -> int:
    wide = [one for one in text if unicodedata.east_asian_width(one) in "WF"]
    return len(text) + len(wide)


def _padded(cell: str, width: int, *, left: bool) -> str:
    space = " " * (width - _width(cell))
    return cell + space if left else space + cell


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


def latex_tables(document: Mapping[str, Any]) -> str:
    """Return all tables of a ranking that has teams."""
    parts = [_leaderboard(document), _methods(document)]
    parts += [_several_in_latex(document)] if document["several"] else []
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
    tests, stable = document["significance"], document["stability"]
    header = ["Rank", "Team", "Score", "95\\,\\% interval", *map(escaped, _parts(document)), "Ranks", "First", "Podium", "Groups"]
    rows = [[_cell(rank), escaped(team), *map(_cell, cells)] for rank, team, *cells in _cells(document, to=" to ", comma=", ")]
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
    return _latex_table(caption, "tab:ranking", header, "rl" + "r" * (len(header) - 3) + "l", rows)


def _methods(document: Mapping[str, Any]) -> str:
    ways = document["methods"]
    header = ["Team", "Score", *(escaped(name.replace("_", " ").capitalize()) for name in ways), "Leave one out"]
    rows = []
    for team in document["teams"]:
        span = team["leave_one_out"]
        ranks = [team["rank"], *(team["methods"][name]["rank"] for name in ways), span["rank_low"], span["rank_high"]]
        *cells, low, high = (_cell(_rank(rank)) for rank in ranks)
        rows.append([escaped(team["team"]), *cells, _between(low, " to ", high)])
    caption = "Ranks by the score and by other ways of making one ranking of the values by video; least and largest rank without one video."
    return _latex_table(caption, "tab:ranking-methods", header, "l" + "r" * (len(header) - 1), rows)


def _several_in_latex(document: Mapping[str, Any]) -> str:
    components = map(escaped, document["several"]["components"])
    header = ["Team", *(f"Rank by {name}" for name in components), "Mean score", "Rank", "Mean rank", "Rank"]
    rows = [[escaped(team), *map(_cell, cells)] for team, *cells in _cells_of_several(document)]
    caption = "Several metrics: ranks by the mean of the scores, and by the mean of the ranks."
    return _latex_table(caption, "tab:ranking-several", header, "l" + "r" * (len(header) - 1), rows)


def _latex_table(caption: str, label: str, header: Sequence[str], columns: str, rows: Sequence[Sequence[str]]) -> str:
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


def _cell(text: str) -> str:
    """Return a number, with a true minus; what is undefined as two dashes."""
    if text in (UNDEFINED, ""):
        return "--"
    return text if not text.startswith("-") else f"${text}$"
