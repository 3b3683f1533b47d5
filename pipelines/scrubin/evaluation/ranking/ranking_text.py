"""A ranking as a table for reading and as CSV."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.core.ranges import count_text

UNDEFINED = "-"
COLUMNS = ("rank", "team", "score", "score_low", "score_high", "rank_low", "rank_high", "mean_rank")


def lines(document: Mapping[str, Any]) -> list[str]:
    """Return a ranking for reading, scores in percent."""
    measure, teams = document["measure"], document["teams"]
    text_lines = [measure["description"], _size(document)]
    unscored = document["ground_truth"]["videos_not_scored"]
    if unscored:
        text_lines.append(f"warning: not scored, as the ground truth has no whole {measure['task']} labels of them: {', '.join(unscored)}")
    if teams:
        text_lines += ["", *_table(teams), "", *_worth(document)]
    for team in teams:
        text_lines += [f"warning: {team['team']}: {warning}" for warning in team["warnings"]]
    for one in document["not_ranked"]:
        text_lines.append(f"not ranked: {one['team']}: {count_text(one['problems'], 'error')}")
        text_lines += [f"  {reason}" for reason in one["reasons"]]
        more = one["problems"] - len(one["reasons"])
        text_lines += [f"  and {more} more; see 'scrubin submission check'"] if more > 0 else []
    return text_lines


def sheet(document: Mapping[str, Any]) -> str:
    """Return a ranking as CSV: one row per team, undefined values empty; teams that are not ranked last, with their first reason."""
    parts = list(document["teams"][0]["components"]) if document["teams"] else []
    columns = [*COLUMNS, *(f"component_{part}" for part in parts), "share_first", "better_than", "worse_than", "not_ranked_because"]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for team in document["teams"]:
        writer.writerow(
            {
                **{name: team[name] for name in COLUMNS},
                **{f"component_{part}": team["components"][part] for part in parts},
                "share_first": team["share_of_ranks"][0],
                "better_than": len(team["better_than"]),
                "worse_than": len(team["worse_than"]),
            }
        )
    for one in document["not_ranked"]:
        writer.writerow({"team": one["team"], "not_ranked_because": one["reasons"][0]})
    return buffer.getvalue()


def percent(value: float | None, digits: int = 1) -> str:
    """Return a share as a percentage without its sign.

    >>> percent(0.2981), percent(None)
    ('29.8', '-')
    """
    return UNDEFINED if value is None else f"{100 * value:.{digits}f}"


def _size(document: Mapping[str, Any]) -> str:
    truth = document["ground_truth"]
    ranked, refused = len(document["teams"]), len(document["not_ranked"])
    held = f"{count_text(len(truth['videos']), 'video')}, {count_text(truth['frames'], 'frame')}"
    return f"{held}; {count_text(ranked, 'team')} ranked, {refused} not ranked"


def _table(teams: Sequence[Mapping[str, Any]]) -> list[str]:
    parts = list(teams[0]["components"])
    rows = [["rank", "team", "score %", "95 % interval", *parts, "ranks", "better than"]]
    for team in teams:
        between = UNDEFINED if team["rank_low"] is None else _between(f"{team['rank_low']:g}", f"{team['rank_high']:g}")
        rows.append(
            [
                UNDEFINED if team["rank"] is None else str(team["rank"]),
                team["team"],
                percent(team["score"]),
                UNDEFINED if team["score_low"] is None else f"{percent(team['score_low'])} to {percent(team['score_high'])}",
                *(percent(team["components"][part]) for part in parts),
                between,
                f"{len(team['better_than'])} of {len(teams) - 1}",
            ]
        )
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(_padded(cell, width, left=at == 1) for at, (cell, width) in enumerate(zip(row, widths, strict=True))) for row in rows]


def _worth(document: Mapping[str, Any]) -> list[str]:
    tests, stable = document["significance"], document["stability"]
    tau = stable["kendall_tau"]
    clips = f"{tests['clips_drawn']} of {tests['clips_asked']} clips of {tests['clip_frames']} consecutive frames"
    text_lines = [
        f"better than: Wilcoxon signed-rank test over {clips} ({tests['clips_sharing_frames']} share frames), two-sided, "
        f"p <= {tests['alpha']:g}, not corrected for the number of comparisons",
        f"interval and ranks: {count_text(stable['resamples'], 'bootstrap resample')} of the videos, seed {stable['seed']}"
        + ("" if tau["mean"] is None else f"; Kendall's tau {tau['mean']:.3f} ({tau['low']:.3f} to {tau['high']:.3f})"),
    ]
    if not tests["clips_drawn"]:
        text_lines.append("warning: no video has so many scored frames in a row, so no test was made; give a smaller --clip-frames")
    if len(document["ground_truth"]["videos"]) == 1:
        text_lines.append("warning: with one video every resample is the same, so the intervals say nothing")
    return text_lines


def _between(low: str, high: str) -> str:
    return low if low == high else f"{low}-{high}"


def _width(text: str) -> int:
    wide = [one for one in text if unicodedata.east_asian_width(one) in "WF"]
    return len(text) + len(wide)


def _padded(cell: str, width: int, *, left: bool) -> str:
    space = " " * (width - _width(cell))
    return cell + space if left else space + cell
