"""The figures of splits. Each is defined for empty data: it then says what is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scrubin.stages.report.figures import COLOURS, INK, SOFT, WIDTH_IN, blank, no_grid

MARKERS = ("o", "s", "D", "^", "v", "P")
TERCILES = {"low": COLOURS[4], "middle": "#d3dae0", "high": COLOURS[5]}
MOST_ROWS = 24
"""More measures of a task are not drawn: those out of balance most are."""
LONGEST_LABEL = 46
ROW_IN = 0.24
CHARACTER_PERCENT = 1.0
"""So much of a bar's axis a character of its label takes."""
FigureRow = Mapping[str, Any]


def shares(rows: Sequence[FigureRow], planned_shares: Mapping[str, float | None]) -> Figure:
    """Return the share of each task's recordings per subset, with the shares asked for, if any, as dashed lines."""
    if not rows:
        return blank("no recording is in a subset")
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    figure = Figure(figsize=(WIDTH_IN, 0.9 + 0.42 * len(tasks)))
    axes = figure.add_subplot()
    left = np.zeros(len(tasks))
    for i, subset in enumerate(planned_shares):
        of_subset = {row["task"]: row for row in rows if row["subset"] == subset}
        widths = np.array([of_subset[task]["share"] * 100 for task in tasks])
        bars = axes.barh(tasks, widths, left=left, height=0.62, color=COLOURS[i % len(COLOURS)], edgecolor="white", label=subset)
        counts = [_between(of_subset[task]["recordings"]) for task in tasks]
        bar_texts = [text if width > len(text) * CHARACTER_PERCENT else "" for text, width in zip(counts, widths, strict=True)]
        axes.bar_label(bars, bar_texts, label_type="center", color="white", fontsize=8, fontweight="bold")
        left += widths
    wanted = [share for share in planned_shares.values() if share is not None]
    for edge in np.cumsum(wanted)[:-1]:
        axes.axvline(edge * 100 / math.fsum(wanted), color=INK, ls="--", lw=1)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("recordings (%); the number is the count" + ("; dashed: as asked for" if wanted else ""))
    no_grid(axes, "y")
    figure.legend(loc="outside upper center", ncols=max(1, len(planned_shares)), frameon=False)
    return figure


def balance(rows: Sequence[FigureRow]) -> Figure:
    """Return per task and measure how far each subset is from what is wanted; with several folds their range and median.

    Fine parts of distributions are left out.
    """
    rows = [row for row in rows if not row["fine"]]
    if not rows:
        return blank("nothing was balanced")
    panels = {task: _least_balanced([row for row in rows if row["task"] == task]) for task in dict.fromkeys(row["task"] for row in rows)}
    names = list(rows[0]["subsets"])
    figure, grid = _stacked({task: len(shown) for task, shown in panels.items()})
    for axes, (task, shown) in zip(grid, panels.items(), strict=True):
        count = len([row for row in rows if row["task"] == task])
        axes.set_title(
            (task or "all tasks") + (f" (the {len(shown)} of {count} measures that are out of balance most)" if len(shown) < count else "")
        )
        axes.axvline(0, color=INK, lw=1)
        for i, subset in enumerate(names):
            deviations = [row["subsets"][subset]["deviation"] for row in shown]
            places = np.arange(len(shown)) + (i - (len(names) - 1) / 2) * 0.6 / max(3, len(names))
            colour, percent = (
                COLOURS[i % len(COLOURS)],
                {name: [one[name] * 100 for one in deviations] for name in ("lowest", "median", "highest")},
            )
            axes.hlines(places, percent["lowest"], percent["highest"], color=colour, lw=1.4)
            axes.plot(
                percent["median"], places, ls="", marker=MARKERS[i % len(MARKERS)], ms=5, color=colour, markeredgecolor="white",
                markeredgewidth=0.5, label=subset,
            )  # fmt: skip
        _label(axes, [_shortened(row["measure"]) for row in shown])
    several = any(cell["deviation"]["n"] > 1 for row in rows for cell in row["subsets"].values())
    grid[-1].set_xlabel(
        "deviation from what is wanted (%; of a mean: 100 % is one standard deviation)"
        + ("; median and range over folds" if several else "")
    )
    reach = 1.06 * max(10.0, *(_farthest(row) * 100 for row in rows))
    grid[-1].set_xlim(-reach, reach)
    _legend(figure, grid[0], len(names))
    return figure


def grs(rows: Sequence[FigureRow]) -> Figure:
    """Return how the GRS is distributed in each subset: terciles of the task; with several folds the mean of each."""
    scored = [row for row in rows if row["GRS_n"]["highest"]]
    if not scored:
        return blank("no recording of the split has a GRS")
    panels = {task: [row for row in rows if row["task"] == task] for task in dict.fromkeys(row["task"] for row in scored)}
    figure, grid = _stacked({task: len(shown) for task, shown in panels.items()})
    folded = any(row["GRS_terciles"] is None for row in scored)
    for axes, (task, shown) in zip(grid, panels.items(), strict=True):
        axes.set_title(task)
        (_means if folded else _terciles)(axes, shown)
        _label(axes, [_subset(row, means=not folded) for row in shown])
    grid[-1].set_xlabel(
        "mean GRS of each fold (standard deviations)" if folded else "recordings per tercile of the task's GRS (%); the number is the count"
    )
    if not folded:
        grid[-1].set_xlim(0, 100)
        _legend(figure, grid[0], len(TERCILES))
    return figure


def folds(rows: Sequence[FigureRow]) -> Figure:
    """Return per fold how many recordings it tests and how well it is balanced, a pair of panels per split."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    if not names:
        return blank("no split has several folds")
    figure = Figure(figsize=(WIDTH_IN, 0.5 + 1.9 * len(names)))
    grid = figure.subplots(len(names), 2, squeeze=False)
    for (sizes, imbalances), name in zip(grid, names, strict=True):
        of_name = [row for row in rows if row["name"] == name]
        numbers = [row["fold"] for row in of_name]
        sizes.bar(numbers, [row["tested"] or 0 for row in of_name], color=COLOURS[0])
        sizes.set_title(f"{name}: recordings tested")
        for i, what in enumerate(("mean", "worst")):
            values = [math.nan if row[f"{what}_imbalance"] is None else row[f"{what}_imbalance"] * 100 for row in of_name]
            imbalances.plot(numbers, values, ls="", marker=MARKERS[i], ms=5, color=COLOURS[i], label=what)
        imbalances.set_title(f"{name}: imbalance (%)")
        imbalances.set_ylim(bottom=0)
        for axes in (sizes, imbalances):
            axes.set_xlim(numbers[0] - 0.6, numbers[-1] + 0.6)
            axes.xaxis.get_major_locator().set_params(integer=True)
            no_grid(axes, "x")
        sizes.yaxis.get_major_locator().set_params(integer=True)
    for axes in grid[-1]:
        axes.set_xlabel("fold")
    figure.legend(*grid[0][1].get_legend_handles_labels(), loc="outside upper right", ncols=2, frameon=False)
    return figure


def _least_balanced(rows: Sequence[FigureRow]) -> list[FigureRow]:
    """Return rows in their order, but only those farthest from what is wanted when there are many."""
    ranked = sorted(range(len(rows)), key=lambda i: (-_farthest(rows[i]), i))
    return [rows[i] for i in sorted(ranked[:MOST_ROWS])]


def _farthest(row: FigureRow) -> float:
    return max(abs(float(cell["deviation"][end])) for cell in row["subsets"].values() for end in ("lowest", "highest"))


def _terciles(axes: Axes, rows: Sequence[FigureRow]) -> None:
    counts = [row["GRS_terciles"] or dict.fromkeys(TERCILES, 0) for row in rows]
    totals = np.array([max(1, math.fsum(count.values())) for count in counts])
    left, places = np.zeros(len(rows)), np.arange(len(rows))
    for tercile, colour in TERCILES.items():
        numbers = np.array([count[tercile] for count in counts])
        widths = numbers / totals * 100
        bars = axes.barh(places, widths, left=left, height=0.66, color=colour, edgecolor="white", label=tercile)
        axes.bar_label(bars, [str(number) if number else "" for number in numbers], label_type="center", fontsize=8)
        left += widths
    for edge in (100 / 3, 200 / 3):
        axes.axvline(edge, color=SOFT, ls="--", lw=1)


def _means(axes: Axes, rows: Sequence[FigureRow]) -> None:
    for i, row in enumerate(rows):
        means = [mean for mean in row["GRS_means"] if mean is not None]
        axes.plot(means, [i] * len(means), ls="", marker=MARKERS[i % len(MARKERS)], ms=5, color=COLOURS[i % len(COLOURS)], alpha=0.6)
    axes.margins(x=0.04)


def _subset(row: FigureRow, *, means: bool) -> str:
    mean = f", mean {row['GRS_mean']['median']:z.2f}".replace("-", "−") if means and row["GRS_mean"]["n"] else ""
    return f"{row['subset']} (n = {_between(row['GRS_n'])}{mean})"


def _stacked(rows: Mapping[str, int]) -> tuple[Figure, list[Axes]]:
    """Return panels one below the other, each as high as its number of rows needs, on a common x axis."""
    figure = Figure(figsize=(WIDTH_IN, 0.9 + math.fsum(0.42 + ROW_IN * count for count in rows.values())))
    grid = figure.subplots(
        len(rows), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": [count + 0.6 for count in rows.values()]}
    )
    return figure, list(grid[:, 0])


def _label(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(np.arange(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    no_grid(axes, "y")


def _legend(figure: Figure, axes: Axes, count: int) -> None:
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=count, frameon=False)


def _shortened(measure: str) -> str:
    text = measure.replace("_", " ")
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def _between(spread: Mapping[str, float | None]) -> str:
    """Return a whole number, or the range over folds."""
    low, high = spread["lowest"], spread["highest"]
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
