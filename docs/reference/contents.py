"""What labels can hold, by format and by command: who reads it, who writes it, what scores it, what submissions of it are ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from reference.markdown import code, table
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.labels import formats as every_format
from scrubin.labels.registry import WRITERS, Content, contents_of, readable

__all__ = ["every_format", "text"]

SCORED: Mapping[Content, tuple[tuple[str, str], ...]] = {
    "phases": (("phases", ""),),
    "segments": (("phases", ""),),
    "spans": (("recognition", ""),),
    "instances": (("recognition", ""),),
    "recognition": (("recognition", ""),),
    "boxes": (("detection", ""),),
    "masks": (("detection", "masks"), ("detection", "pixels")),
    "ignored": (("detection", "masks"), ("detection", "pixels")),
    "points": (("points", ""),),
    "details": (("tracks", ""),),
    "marks": (("criteria", ""),),
    "ratings": (("skill", ""),),
    "errors": (("errors", ""),),
}
"""The tasks of `scrubin score` that take a content, and their kind; of details these are the tracks. What is not here goes with another."""


def text() -> str:
    """Return a row for each content of the registry."""
    header = ("content", "only read", "read and written", "`scrubin score`", "`submission check`, `rank`")
    return table(header, map(_row, get_args(Content)))


def _row(content: Content) -> tuple[str, str, str, str, str]:
    holding = [name for name, form in readable().items() if content in contents_of(form)]
    written = [name for name in holding if name in WRITERS and content in WRITERS[name].holds]
    read = [name for name in holding if name not in written]
    tasks = SCORED.get(content, ())
    scored = [code(f"{metric} --variant kind={kind}" if kind else metric) for metric, kind in tasks]
    contests = dict.fromkeys(contest for metric, kind in tasks for contest in _contests(metric, kind))
    return code(content), _linked(read), _linked(written), ", ".join(scored), ", ".join(map(code, contests))


def _contests(metric: str, kind: str) -> Iterator[str]:
    """Yield the tasks that submissions compete in by a task of `scrubin score` and its kind."""
    wanted = (f"kind={kind}",) if kind else ()
    return (name for name, contest in CONTESTS.items() if contest.metric == metric and contest.choices == wanted)


def _linked(names: list[str]) -> str:
    return ", ".join(f"[`{name}`](#{name})" for name in names)
