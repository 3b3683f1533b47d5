"""The page of the report: one HTML file that loads nothing, so that it opens offline."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import jinja2
from matplotlib.figure import Figure

from scrubin.base import pages
from scrubin.stages.report import figures, split_figures, splits
from scrubin.stages.report.extracted_frames import visible
from scrubin.stages.report.pictures import pictured, released_uri
from scrubin.stages.report.reported_study import ReportedStudy, ReportParams

TEMPLATES = Path(__file__).with_name("templates")
UNDEFINED = "–"


def render(study: ReportedStudy, document: Mapping[str, Any], release: Path, p: ReportParams) -> str:
    """Return the page.

    Parameters
    ----------
    study
        The study, for the figures.
    document
        What the report says.
    release
        Folder that the paths of frames are relative to.
    p
        Size and number of thumbnails.
    """
    worst = [{**frame, "image": released_uri(release, frame["path"], p)} for frame in document["quality"]["worst"]]
    return _template().render(
        **document,
        figures=_images(study, document, p),
        worst=worst,
        pictured=pictured(study, document, p),
        top=p.top_triplets,
        shortcut_rho=splits.STRONG,
        shortcut_fewest=splits.FEWEST,
    )


@functools.cache
def _template() -> jinja2.Template:
    """Return the template of the page; to compile it takes longer than to fill it."""
    filters = {"number": _number, "share": share, "count": _count, "rate": _rate, "between": _between, "duration": _duration}
    return pages.environment(TEMPLATES, filters).get_template("page.html.j2")


def _images(study: ReportedStudy, document: Mapping[str, Any], p: ReportParams) -> dict[str, str]:
    """Return the figures by name, as data addresses."""
    with figures.style():
        return {name: figures.svg_uri(figure) for name, figure in _draw(study, document, p).items()}


def _draw(study: ReportedStudy, document: Mapping[str, Any], p: ReportParams) -> dict[str, Figure]:
    """Return the figures by name."""
    thresholds = {row["task"]: row["disagreement"]["threshold"] for row in document["skill"]["tasks"]}
    labels, splits = document["labels"], document["splits"]
    planned_shares = {
        row["subset"]: row["share"] for scheme in splits["schemes"] if scheme["scheme"] == splits["main"] for row in scheme["subsets"]
    }
    return {
        "quality": figures.quality(visible(study)),
        "grs": figures.grs(study.skill),
        "development": figures.development(document["skill"]["development"]),
        "disagreement": figures.disagreement(study.skill, thresholds),
        "subsets": split_figures.shares(splits["tasks"], planned_shares),
        "balance": split_figures.balance(splits["balance"]),
        "subset_grs": split_figures.grs(splits["tasks"]),
        "folds": split_figures.folds(splits["folds"]),
        "phases": figures.counts(labels["phases"], "phase", "frames", "frames", "no phase labels"),
        "triplets": figures.counts(labels["triplets"][: p.top_triplets], "triplet", "rows", "instances", "no triplet labels"),
    }


def _number(value: float | None, digits: int = 0) -> str:
    """Return a number with thousands separators and a real minus sign, which zero has not; a dash when it is undefined.

    >>> _number(12345.678, 1), _number(-0.5, 2), _number(-0.001, 2), _number(None)
    ('12,345.7', '−0.50', '0.00', '–')
    """
    return UNDEFINED if value is None else f"{value:z,.{digits}f}".replace("-", "−")


def share(value: float | None, digits: int = 0) -> str:
    """Return a share as a percentage.

    >>> share(0.256), share(None)
    ('26 %', '–')
    """
    return UNDEFINED if value is None else f"{_number(value * 100, digits)} %"


def _between(spread: Mapping[str, float | None], digits: int = 0) -> str:
    """Return the range of a number over folds.

    >>> _between({"lowest": 9, "highest": 10}), _between({"lowest": 9, "highest": 9})
    ('9 to 10', '9')
    """
    low, high = _number(spread["lowest"], digits), _number(spread["highest"], digits)
    return low if low == high else f"{low} to {high}"


def _count(value: int, noun: str) -> str:
    """Return a number with its noun.

    >>> _count(1, "error"), _count(0, "error")
    ('1 error', '0 errors')
    """
    return f"{_number(value)} {noun}" if value == 1 else f"{_number(value)} {noun}s"


def _duration(seconds: float) -> str:
    """Return a duration for reading.

    >>> _duration(41.6), _duration(3725)
    ('42 s', '1 h 2 min')
    """
    if seconds < 60:
        return f"{_number(seconds)} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{_number(hours)} h {minutes} min" if hours else f"{minutes} min"


def _rate(fraction: str) -> str:
    """Return an exact frame rate for reading.

    >>> _rate("30000/1001"), _rate("25")
    ('29.97', '25')
    """
    return f"{float(Fraction(fraction)):.2f}".removesuffix(".00")
