"""Matplotlib figures to SVG that is the same bytes every time and needs nothing from outside."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
