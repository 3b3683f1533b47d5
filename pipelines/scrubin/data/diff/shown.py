"""A comparison for people: lines for a terminal, or one HTML file that opens offline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from scrubin.data.diff.comparison import Comparison
from scrubin.data.diff.difference import KINDS, Difference

SHOWN = 5
LONGEST = 60


def lines(comparison: Comparison) -> Iterator[str]:
    """Yield what differs, by kind, and the verdict."""
    old, new = comparison.old, comparison.new
    yield f"{old.name} {old.version} -> {new.name} {new.version}"
    yield "videos and pictures are compared by the hashes in SHA256SUMS; whether a copy has these bytes, 'scrubin verify' says"
    for kind, group in groupby(comparison.differences, key=lambda one: one.kind):
        yield f"{kind}:"
        for difference in group:
            yield f"  {sentence(difference)}"
            yield from (f"    {example(one)}" for one in difference.examples[:SHOWN])
            if difference.count > len(difference.examples[:SHOWN]) and difference.examples:
                yield f"    and {difference.count - len(difference.examples[:SHOWN]):,} more"
    yield comparison.verdict.sentence


def sentence(one: Difference) -> str:
    """Return one difference in a line, without its examples."""
    unit = one.unit[:-1] if one.count == 1 and one.unit.endswith("s") else one.unit
    what = "" if one.what == one.kind else f"{one.what}: "
    where = f" in {len(one.recordings):,} recordings" if len(one.recordings) > 1 and one.unit != "recordings" else ""
    columns = ", ".join(f"{column} {count:,}" for column, count in one.columns.items())
    return f"{what}{one.count:,} {unit} {one.change}{where}{f' ({columns})' if columns else ''} [{one.step.word}]"


def example(one: Mapping[str, Any], arrow: str = "->") -> str:
    """Return an example in a line; the arrow stands between old and new.

    >>> example({"id": "abelo", "frame": 3, "changed": {"phase": ["packaging", None]}})
    'abelo, frame 3: phase packaging -> missing'
    """
    keys = ", ".join(str(value) if name in ("id", "file") else f"{name} {_cell(value)}" for name, value in one.items() if name != "changed")
    changes = ", ".join(f"{column} {_cell(old)} {arrow} {_cell(new)}" for column, (old, new) in one.get("changed", {}).items())
    return ": ".join(part for part in (keys, changes) if part)


def _cell(value: Any) -> str:
    text = "missing" if value is None else " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


TEMPLATES = Path(__file__).with_name("templates")
# The curator's report and this page look alike.
MOST = 200
"""So many recordings and moves of one difference are listed; the JSON has all."""


def page(comparison: Comparison) -> str:
    """Return the page of a comparison."""
    from scrubin.base import pages

    environment = pages.environment(TEMPLATES, {"example": example})
    groups = [(kind, KINDS[kind], list(group)) for kind, group in groupby(comparison.differences, key=lambda one: one.kind)]
    document: dict[str, Any] = comparison.document()
    return environment.get_template("comparison.html.j2").render(**document, groups=groups, most=MOST)
