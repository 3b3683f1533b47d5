"""The page of the validation: one HTML file that needs nothing else, opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from scrubin.base import pages
from scrubin.stages.validate.outcomes import HARMLESS, NOT_APPLICABLE, SHOWN, Outcome, stopping, tally

TEMPLATE = Path(__file__).with_name("page.html.j2")
RANK = {"error": 0, "warning": 1, "note": 2}


def render(outcomes: Sequence[Outcome], rows: Mapping[str, int]) -> str:
    """Return the page: the verdict, what is broken with its keys, and every check."""
    broken = sorted((outcome for outcome in outcomes if outcome.result not in HARMLESS), key=lambda outcome: RANK[outcome.severity])
    return (
        pages.environment(TEMPLATE.parent, {"shown": _shown})
        .get_template(TEMPLATE.name)
        .render(
            stopped=bool(stopping(outcomes)),
            counts=tally(outcomes),
            rows=rows,
            broken=broken,
            tables=[(name, list(group)) for name, group in groupby(outcomes, key=lambda outcome: outcome.table)],
            shown=SHOWN,
            harmless=HARMLESS,
            skipped=_skipped(outcomes),
        )
    )


def _shown(value: Any) -> Any:
    """Return a value as a cell shows it: floats with six significant digits, which name a row but do not repeat it."""
    return "–" if value is None else f"{value:.6g}" if isinstance(value, float) else value


def _skipped(outcomes: Sequence[Outcome]) -> list[tuple[str, str, list[str]]]:
    """Return rule, reason and tables of what is not applicable."""
    tables: dict[tuple[str, str], dict[str, None]] = {}
    for outcome in outcomes:
        if outcome.result == NOT_APPLICABLE:
            tables.setdefault((outcome.rule, outcome.why), {})[outcome.table] = None
    return [(rule, why, list(names)) for (rule, why), names in sorted(tables.items())]
