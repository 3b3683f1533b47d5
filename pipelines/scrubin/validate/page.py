"""The page of the validation: one HTML file that needs nothing else and opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

import jinja2

from scrubin.validate.outcomes import PASSED, SHOWN, Outcome, stopping, tally

TEMPLATE = Path(__file__).with_name("page.html.j2")
RANK = {"error": 0, "warning": 1, "note": 2}


def render(outcomes: Sequence[Outcome], rows: Mapping[str, int]) -> str:
    """Return the page: the verdict, what is broken with its keys, and every rule that was asked."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    broken = sorted((outcome for outcome in outcomes if outcome.result != PASSED), key=lambda outcome: RANK[outcome.severity])
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        stopped=bool(stopping(outcomes)),
        counts=tally(outcomes),
        rows=rows,
        broken=broken,
        tables=[(name, list(group)) for name, group in groupby(outcomes, key=lambda outcome: outcome.table)],
        shown=SHOWN,
    )
