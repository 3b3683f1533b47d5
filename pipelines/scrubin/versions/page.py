"""A comparison as one HTML file that loads nothing and opens offline."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from scrubin.core import pages
from scrubin.versions.comparison import Comparison
from scrubin.versions.difference import KINDS
from scrubin.versions.lines import example

TEMPLATES = Path(__file__).with_name("templates")
# The curator's report and this page look alike.
MOST = 200
"""So many recordings and moves of one difference are listed; the JSON has all."""


def page(comparison: Comparison) -> str:
    """Return the page of a comparison."""
    environment = pages.environment(TEMPLATES, {"example": example})
    groups = [(kind, KINDS[kind], list(group)) for kind, group in groupby(comparison.differences, key=lambda one: one.kind)]
    document: dict[str, Any] = comparison.document()
    return environment.get_template("comparison.html.j2").render(**document, groups=groups, most=MOST)
