"""The report's figures, as SVG that is the same bytes every time. Each is defined for empty data: it then says what is missing."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scrubin.stages.report.extracted_frames import MEASURES

# Okabe and Ito's palette: told apart with any colour vision; line styles and labels say the same again.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", ":")
INK, SOFT, GRID = "#1d2733", "#556270", "#e3e8ed"
FONT = "DejaVu Sans of Matplotlib"
FONT_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
RC: dict[Any, Any] = {
    "svg.hashsalt": "scrubin",  # otherwise ids are random
    "svg.fonttype": "path",  # the reader may not have the font
    "font.family": FONT,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "font.size": 9,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "text.color": INK,
    "figure.constrained_layout.use": True,
}
WIDTH_IN = 9.6
"""Width of a figure; at 100 % it fills the text column of the page."""


@contextmanager
def style() -> Iterator[None]:
    """Draw in the report's style, and leave the process's settings as they were."""
    _add_font()
    with mpl.rc_context(RC):
        yield


@cache
def _add_font() -> None:
    """Make the font that comes with Matplotlib known under a name of its own.

    By its common name a machine's own DejaVu may be taken, of another version: the same letters have other numbers there, and the same
    study another page.
    """
    folder = Path(mpl.get_data_path(), "fonts", "ttf")
    for file in FONT_FILES:
        entry = font_manager.ttfFontProperty(font_manager.get_font(folder / file))
        font_manager.fontManager.ttflist.append(replace(entry, name=FONT))


def blank(message: str) -> Figure:
    """Return a figure that says why there is nothing to see."""
    figure = Figure(figsize=(WIDTH_IN, 1.2))
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.text(0.5, 0.5, message, ha="center", va="center", color=SOFT, fontsize=11, transform=axes.transAxes)
    return figure


def svg_uri(figure: Figure) -> str:
    """Return a figure as a data address. As an image, so that ids of several figures do not meet in one page."""
    data = io.BytesIO()
    figure.savefig(data, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return "data:image/svg+xml;base64," + base64.b64encode(data.getvalue()).decode("ascii")


def no_grid(axes: Axes, which: str) -> None:
    """Switch the grid lines of one axis off."""
    (axes.xaxis if which == "x" else axes.yaxis).grid(visible=False)


BINS = 30
GRS_STEP_SD = 0.5
MEASURE_LABELS = {
    "sharpness": "sharpness (variance of the Laplacian)",
    "brightness": "brightness (mean grey, 0 to 255)",
    "contrast": "contrast (standard deviation of grey)",
    "saturated_share": "saturated share of pixels (%)",
}


def quality(frames: pd.DataFrame) -> Figure:
    """Return how the quality of visible frames is distributed, per task; ``frames`` has a column ``task``."""
    if frames.empty:
        return blank("no visible frames")
    figure = Figure(figsize=(WIDTH_IN, 5.2))
    panels = figure.subplots(2, 2).ravel()
    tasks = sorted(frames["task"].unique())
    for axes, measure in zip(panels, MEASURES, strict=True):
        values = frames[measure] * (100 if measure == "saturated_share" else 1)
        edges = np.histogram_bin_edges(values, bins=BINS)
        for i, task in enumerate(tasks):
            of_task = values[frames["task"] == task]
            share = np.histogram(of_task, bins=edges)[0] / len(of_task) * 100
            axes.stairs(share, edges, color=COLOURS[i % len(COLOURS)], ls=STYLES[i % len(STYLES)], lw=1.6, label=task)
        axes.set_xlabel(MEASURE_LABELS[measure])
        axes.set_ylabel("frames (%)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=min(len(tasks), 5), frameon=False)
    return figure


def grs(skill: pd.DataFrame) -> Figure:
    """Return the distribution of the GRS per task."""
    defined = skill.dropna(subset="GRS")
    if defined.empty:
        return blank("no recording has a GRS")
    tasks = sorted(defined["task"].unique())
    low, high = (math.floor(defined["GRS"].min() / GRS_STEP_SD), math.ceil(defined["GRS"].max() / GRS_STEP_SD))
    edges = np.arange(low, max(high, low + 1) + 1) * GRS_STEP_SD
    return _small_multiples(
        [(task, defined.loc[defined["task"] == task, "GRS"], None) for task in tasks], edges, "GRS (standard deviations)"
    )


def development(tasks: Mapping[str, Sequence[Mapping[str, Any]]]) -> Figure:
    """Return how the GRS develops over trials, per task: mean, standard deviation and quartiles (LASANA, Figure 8)."""
    shown = {task: [row for row in rows if row["trial"] and row["mean"] is not None] for task, rows in sorted(tasks.items())}
    shown = {task: rows for task, rows in shown.items() if rows}
    if not shown:
        return blank("no recording with a GRS has a trial")
    figure, panels = _panels(len(shown), 2.5, "GRS (sd)")
    for axes, (task, rows) in zip(panels, shown.items(), strict=True):
        places = np.arange(len(rows))
        mean = np.array([row["mean"] for row in rows])
        sd = np.array([row["sd"] if row["sd"] is not None else math.nan for row in rows], dtype=float)
        axes.fill_between(places, mean - sd, mean + sd, color=COLOURS[4], alpha=0.25, lw=0)
        for place, row in zip(places, rows, strict=True):
            axes.plot(
                [place, place], [row["lower_quartile"], row["upper_quartile"]], color=COLOURS[0], lw=6, alpha=0.5, solid_capstyle="butt"
            )
            axes.plot(place, row["median"], marker="_", color=COLOURS[0], ms=12)
        axes.plot(places, mean, marker="o", color=COLOURS[1])
        axes.set_xticks(places, [f"{row['trial']}\nn = {row['n']}" for row in rows])
        axes.set_xlabel("trial")
        axes.set_title(task)
        no_grid(axes, "x")
    return figure


def disagreement(skill: pd.DataFrame, thresholds: Mapping[str, float | None]) -> Figure:
    """Return the distribution of the raters' disagreement per task, with the threshold beyond which it is strong."""
    defined = skill.dropna(subset="disagreement")
    if defined.empty:
        return blank("no recording has a disagreement")
    tasks = sorted(defined["task"].unique())
    edges = np.linspace(0, max(float(defined["disagreement"].max()), 0.1), BINS // 2)
    panels = [(task, defined.loc[defined["task"] == task, "disagreement"], thresholds.get(task)) for task in tasks]
    return _small_multiples(panels, edges, "disagreement (standard deviations)")


def _small_multiples(panels: Sequence[tuple[str, pd.Series[float], float | None]], edges: Any, label: str) -> Figure:
    figure, grid = _panels(len(panels), 2.3, "recordings", sharex=True)
    for axes, (title, values, threshold) in zip(grid, panels, strict=True):
        axes.hist(values, bins=edges, color=COLOURS[0], edgecolor="white")
        axes.set_title(f"{title} (n = {len(values)})")
        axes.set_xlabel(label)
        axes.yaxis.get_major_locator().set_params(integer=True)
        no_grid(axes, "x")
        if threshold is not None:
            axes.axvline(threshold, color=COLOURS[1], ls="--", lw=1.6)
            axes.annotate(
                "strong", (threshold, 1), xycoords=("data", "axes fraction"), xytext=(4, -10), textcoords="offset points", fontsize=8
            )
    return figure


def _panels(count: int, height_in: float, label: str, *, sharex: bool = False) -> tuple[Figure, list[Any]]:
    """Return a figure of so many panels, three in a row, the first of each row with the label of its y axis."""
    columns = min(3, count)
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(WIDTH_IN, height_in * rows))
    grid = figure.subplots(rows, columns, sharex=sharex, sharey=True, squeeze=False).ravel()
    for axes in grid[count:]:
        axes.set_axis_off()
    for axes in grid[::columns]:
        axes.set_ylabel(label)
    return figure, list(grid[:count])


def counts(rows: Sequence[Mapping[str, Any]], name: str, value: str, unit: str, nothing: str) -> Figure:
    """Return counts as horizontal bars, in the given order."""
    if not rows:
        return blank(nothing)
    figure = Figure(figsize=(WIDTH_IN, 0.8 + 0.27 * len(rows)))
    axes = figure.add_subplot()
    places = np.arange(len(rows))
    bars = axes.barh(places, [row[value] for row in rows], height=0.7, color=COLOURS[0])
    axes.set_yticks(places, [str(row[name]) for row in rows])
    axes.bar_label(bars, [f"{row[value]:,}" for row in rows], padding=3, fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.08, y=0.01)
    axes.set_xlabel(unit)
    no_grid(axes, "y")
    return figure
