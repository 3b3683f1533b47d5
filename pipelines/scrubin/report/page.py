"""The page of the report: one HTML file that loads nothing and opens offline."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import jinja2
from matplotlib.figure import Figure

from scrubin.report import drawing, figures
from scrubin.report.params import ReportParams
from scrubin.report.quality import visible
from scrubin.report.splits import split_figures, split_shortcut
from scrubin.report.study import Study
from scrubin.report.thumbnails import jpeg_uri

TEMPLATES = Path(__file__).with_name("templates")
UNDEFINED = "–"


def render(study: Study, document: Mapping[str, Any], release: Path, p: ReportParams) -> str:
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
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "share": share, "count": count, "rate": rate, "between": between}
    with drawing.style():
        drawn = {name: drawing.svg_uri(figure) for name, figure in draw(study, document, p).items()}
    worst = [
        {**frame, "image": jpeg_uri(release, frame["path"], p.thumbnail_width_px, p.thumbnail_quality)}
        for frame in document["quality"]["worst"]
    ]
    return environment.get_template("page.html.j2").render(
        **document,
        figures=drawn,
        worst=worst,
        top=p.top_triplets,
        shortcut_rho=split_shortcut.STRONG,
        shortcut_fewest=split_shortcut.FEWEST,
    )


def draw(study: Study, document: Mapping[str, Any], p: ReportParams) -> dict[str, Figure]:
    """Return the figures by name."""
    thresholds = {row["task"]: row["disagreement"]["threshold"] for row in document["skill"]["tasks"]}
    labels, splits = document["labels"], document["splits"]
    asked = {row["subset"]: row["share"] for scheme in splits["schemes"] if scheme["scheme"] == splits["main"] for row in scheme["subsets"]}
    return {
        "quality": figures.quality(visible(study)),
        "grs": figures.grs(study.skill),
        "development": figures.development(document["skill"]["development"]),
        "disagreement": figures.disagreement(study.skill, thresholds),
        "subsets": split_figures.shares(splits["tasks"], asked),
        "balance": split_figures.balance(splits["balance"]),
        "subset_grs": split_figures.grs(splits["tasks"]),
        "folds": split_figures.folds(splits["folds"]),
        "phases": figures.counts(labels["phases"], "phase", "frames", "frames", "no phase labels"),
        "triplets": figures.counts(labels["triplets"][: p.top_triplets], "triplet", "rows", "instances", "no triplet labels"),
    }


def number(value: float | None, digits: int = 0) -> str:
    """Return a number with thousands separators and a real minus sign, which zero has not; a dash when it is undefined.

    >>> number(12345.678, 1), number(-0.5, 2), number(-0.001, 2), number(None)
    ('12,345.7', '−0.50', '0.00', '–')
    """
    return UNDEFINED if value is None else f"{value:z,.{digits}f}".replace("-", "−")


def share(value: float | None, digits: int = 0) -> str:
    """Return a share as a percentage.

    >>> share(0.256), share(None)
    ('26 %', '–')
    """
    return UNDEFINED if value is None else f"{number(value * 100, digits)} %"


def between(spread: Mapping[str, float | None], digits: int = 0) -> str:
    """Return the range of a number over folds.

    >>> between({"lowest": 9, "highest": 10}), between({"lowest": 9, "highest": 9})
    ('9 to 10', '9')
    """
    low, high = number(spread["lowest"], digits), number(spread["highest"], digits)
    return low if low == high else f"{low} to {high}"


def count(value: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "error"), count(0, "error")
    ('1 error', '0 errors')
    """
    return f"{number(value)} {noun}" if value == 1 else f"{number(value)} {noun}s"


def rate(fraction: str) -> str:
    """Return an exact frame rate for reading.

    >>> rate("30000/1001"), rate("25")
    ('29.97', '25')
    """
    return f"{float(Fraction(fraction)):.2f}".removesuffix(".00")
