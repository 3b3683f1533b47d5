"""Teams whose values by video are known: a CSV with the columns team, video, value, with metric where there are several.

A row that is not there and a cell without a value say the same: the team gave nothing for that video. What it gets for it is a rule of
the challenge. Ours, where nothing else is said: the worst value that any team has on any video, and the rank after all other teams
where teams are ranked by video. A video for which no team has a value does not count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.base.faults import Faults, count_text, error
from scrubin.base.text import csv_text, naming
from scrubin.evaluate.ranking.contest import Contest, TeamScores

LARGEST = 1e100
SHOWN = 10
TEAM, VIDEO, VALUE, METRIC = "team", "video", "value", "metric"
VERSIONS = ("version", "release")
"""Columns that say of which labels the values are: values of two versions are no ranking."""


@dataclass(frozen=True, eq=False)
class ScoreSheet:
    """Values of teams by video.

    Parameters
    ----------
    file
        For messages.
    teams, videos, metrics
        Names, each sorted.
    values
        By metric, team and video.
    unread
        Columns that say nothing to a ranking.
    """

    file: str
    teams: tuple[str, ...]
    videos: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Mapping[tuple[str, str, str], float]
    unread: tuple[str, ...] = ()


def read(path: Path) -> ScoreSheet:
    """Return the values of a file.

    Raises
    ------
    MetricsError
        With every fault: columns that lack, cells that are no number, a team that has a video twice, names spelt in two ways.
    """
    if not path.is_file():
        raise MetricsError([error(str(path), "file-missing", "there is no such file", f"give a CSV with {TEAM},{VIDEO},{VALUE}")])
    sheet = csv_text.read_path(path, str(path), (TEAM, VIDEO, VALUE))
    MetricsError.raise_any(sheet.faults)
    faults = Faults()
    values: dict[tuple[str, str, str], float] = {}
    lines: dict[tuple[str, str, str], int] = {}
    for row in sheet.rows:
        team, video, metric = row.cells[TEAM], row.cells[VIDEO], row.cells.get(METRIC, VALUE)
        for name, cell in ((TEAM, team), (VIDEO, video), (METRIC, metric)):
            if not cell or not cell.isprintable():
                faults.error(sheet.file, "cell-empty", f"the {name} is empty or cannot be printed", f"name the {name}", place=row.place)
            elif naming.is_of_spreadsheet(cell):
                what = f"the {name} is '{csv_text.shown(cell)}', an error or a formula of a spreadsheet"
                faults.error(sheet.file, "cell-error", what, f"write the name of the {name} itself", place=row.place)
        key = (metric, team, video)
        if key in lines:
            what = f"team '{csv_text.shown(team)}' has video '{csv_text.shown(video)}' twice, first in line {lines[key]}"
            faults.error(
                sheet.file,
                "row-repeated",
                what,
                "give one value per team and video, and name metrics in a column 'metric'",
                place=row.place,
            )
        lines.setdefault(key, row.line)
        values[key] = _value(sheet.file, row, faults)
    for part, name in enumerate((METRIC, TEAM, VIDEO)):
        _refuse_respelt(sheet.file, lines, part, name, faults)
    _refuse_mixed(sheet, faults)
    if not values:
        faults.error(sheet.file, "no-rows", "there is no row below the header", "give a row per team and video")
    MetricsError.raise_any(faults)
    metrics, teams, videos = (tuple(sorted({key[part] for key in values})) for part in range(3))
    unread = tuple(name for name in sheet.columns if name not in (TEAM, VIDEO, VALUE, METRIC, *VERSIONS))
    return ScoreSheet(sheet.file, teams, videos, metrics, values, unread)


def _refuse_mixed(sheet: csv_text.Sheet, faults: Faults) -> None:
    """Refuse values against several versions of the labels; a row that says none is another one, too."""
    for name in VERSIONS:
        if name not in sheet.columns:
            continue
        first = sheet.rows[0] if sheet.rows else None
        for row in sheet.rows:
            if first is not None and row.cells[name] != first.cells[name]:
                said = [f"'{csv_text.shown(one.cells[name])}'" if one.cells[name] else "nothing" for one in (row, first)]
                what = f"the {name} is {said[0]}, and {said[1]} in line {first.line}: values against other labels cannot be compared"
                faults.error(
                    sheet.file,
                    "versions-mixed",
                    what,
                    f"score all teams anew against one release; if the column says something else, do not call it {name}",
                    place=row.place,
                )
                break


def of_videos(sheet: ScoreSheet, names: Sequence[str]) -> ScoreSheet:
    """Return a sheet of some videos. Teams stay: who has a value for none of them gave nothing for any.

    Raises
    ------
    MetricsError
        When one of the names is no video of it.
    """
    if unknown := sorted(set(names) - set(sheet.videos)):
        there = f"there are {', '.join(sheet.videos[:SHOWN])}{' ...' if len(sheet.videos) > SHOWN else ''}"
        raise MetricsError([error(sheet.file, "video-missing", f"there is no video {csv_text.shown(unknown[0])} in it", there)])
    videos = tuple(name for name in sheet.videos if name in names)
    return replace(sheet, videos=videos, values={key: value for key, value in sheet.values.items() if key[2] in videos})


def _refuse_respelt(file: str, lines: Mapping[tuple[str, str, str], int], part: int, name: str, faults: Faults) -> None:
    """Refuse names that are spelt in two ways: taken for two videos, each team would have no value for those of the other."""
    spelt: dict[str, dict[str, int]] = {}
    owners: dict[str, set[tuple[str, ...]]] = {}
    for key, line in lines.items():
        owners.setdefault(key[part], set()).add(key[:part])
        spelt.setdefault(naming.spelling(key[part]), {}).setdefault(key[part], line)
    for spellings in spelt.values():
        # A team that has both means two videos; which of them a third spelling means, nobody can tell.
        has_both = name == VIDEO and all(owners[one] & owners[other] for one, other in combinations(spellings, 2))
        if len(spellings) < 2 or has_both:
            continue
        (first, before), *others = spellings.items()
        for other, line in others:
            # As ASCII, because two forms of a letter, or two kinds of space, look the same.
            what = f"{name} {other!a} differs from {first!a} in line {before} in {naming.SPELT} only"
            fix = "if they are one, write one name; if not, names that differ in more"
            faults.error(file, "name-spelt", what, fix, place=f"line {line}")


def is_usable(value: float) -> bool:
    """Return whether sums and squares of such values are numbers."""
    return abs(value) <= LARGEST


def _value(file: str, row: csv_text.CsvRow, faults: Faults) -> float:
    cell = row.cells[VALUE]
    if csv_text.is_missing(cell):
        return math.nan
    try:
        value = csv_text.number(cell)
    except ValueError:
        value = math.inf
    if not is_usable(value):
        fix = f"give a number within -{LARGEST:g} and {LARGEST:g}, with a decimal point, or leave the cell empty where there is none"
        faults.error(file, "cell-value", f"the value is '{csv_text.shown(cell)}'", fix, place=row.place)
    return value


def contest_of(
    sheet: ScoreSheet, components: Sequence[str], *, missing: float | None = None, lower_is_better: bool = False
) -> tuple[Contest, list[TeamScores]]:
    """Return what a sheet ranks, and its teams.

    Parameters
    ----------
    sheet
        The values.
    components
        Metrics that count, the one that decides first; none: the only one.
    missing
        What a team gets for a video that it gave nothing for; None: the worst value of any team on any video.
    lower_is_better
        Of all metrics.

    Raises
    ------
    MetricsError
        When a metric is not in the sheet, there are several and none is named, or it has no value at all.
    """
    unknown = [name for name in components if name not in sheet.metrics]
    if unknown or (not components and len(sheet.metrics) > 1):
        what = f"there is no metric '{unknown[0]}'" if unknown else "it has several metrics"
        fix = f"name those that count by --component, the one that decides first; there are {', '.join(sheet.metrics)}"
        raise MetricsError([error(sheet.file, "metric", what, fix)])
    counted = tuple(dict.fromkeys(components)) or sheet.metrics
    tables = {name: _table(sheet, name) for name in counted}
    for name, table in tables.items():
        if np.isnan(table).all():
            raise MetricsError([error(sheet.file, "no-values", f"the metric '{name}' has no value at all", "leave it out")])
    # Tests and resamples are over the videos of the metric that decides; of the others only the mean over their own counts.
    known = {name: np.asarray(~np.isnan(table).all(axis=0)) for name, table in tables.items()}
    first = counted[0]
    nothing = {name: [video for video, has in zip(sheet.videos, of.tolist(), strict=True) if not has] for name, of in known.items()}
    notes = [
        f"no team has a value of {name} for {', '.join(of)}, which therefore does not count" + ("" if name == first else f" for {name}")
        for name, of in nothing.items()
        if of
    ]
    not_given = {name: np.isnan(table)[:, known[name]] for name, table in tables.items()}
    filled = {name: _filled(table[:, known[name]], missing, lower_is_better) for name, table in tables.items()}
    teams = []
    for at, team in enumerate(sheet.teams):
        parts = {name: table[at][:, np.newaxis] for name, table in filled.items()}
        teams.append(TeamScores(team, parts[first], np.zeros(0), parts, by_class=False, missing=not_given[first][at]))
    gets = f"{missing:g}" if missing is not None else "the worst value of any team on any video"
    for name in counted:
        if lacking := int(np.count_nonzero(not_given[name])):
            # Teams are ranked by video in the metric that decides.
            last = " and ranks after all others on that video" if name == first else ""
            notes.append(f"{count_text(lacking, 'value')} of {name} missing: the team gets {gets}{last}")
    better = "lower is better" if lower_is_better else "higher is better"
    measure = {"task": "scores", "component": first, "description": f"mean {first} over videos as given, {better}"}
    videos = tuple(video for video in sheet.videos if video not in nothing[first])
    return Contest(measure, counted, videos, lower_is_better=lower_is_better, notes=tuple(notes)), teams


def _table(sheet: ScoreSheet, metric: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[sheet.values.get((metric, team, video), math.nan) for video in sheet.videos] for team in sheet.teams])


def _filled(
    table: np.ndarray[tuple[int, int], np.dtype[np.float64]], missing: float | None, lower_is_better: bool
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    worst = float(np.nanmax(table) if lower_is_better else np.nanmin(table))
    return np.where(np.isnan(table), worst if missing is None else missing, table)
