"""The balance of a split as text for people."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from scrubin.splits.split import Split

SHOWN = 60
"""So many measures are printed; --json has all."""


def lines(value: dict[str, Any], split: Split) -> Iterator[str]:
    """Yield the lines: per measure what each subset has of what it should have, then the proof."""
    table = value["imbalance"]["measures"]
    folds = sorted({row["fold"] for row in table})
    yield from _subset_lines(table, split) if len(folds) == 1 else _fold_lines(table, len(folds))
    mean, worst = value["imbalance"]["mean"], value["imbalance"]["worst"]
    over = "" if len(folds) == 1 else f" over {len(folds)} folds"
    yield f"imbalance{over}: mean {mean:.2%}, worst {worst:.2%}"
    for proof in value["proofs"]:
        bound = f"no split has less than {proof['bound']:.6f}"
        yield f"objective {proof['objective']:.6f}, {bound}: proven gap {proof['gap']:.4%} ({proof['status']})"
    yield from (f"cannot be balanced: {one.sentence(named=True)}" for one in split.obstacles)
    yield from (f"note: {note}" for note in value["notes"])


def _subset_lines(table: list[dict[str, Any]], split: Split) -> Iterator[str]:
    fine = [cell["imbalance"] for row in table if row["fine"] for cell in row["subsets"].values()]
    table = [row for row in table if not row["fine"]]
    head = "".join(f"{subset:>26}" for subset in split.subsets)
    yield f"{'':32}{head}"
    for row in table[:SHOWN]:
        cells = "".join(f"{cell['value']:>9.4g} of {cell['wanted']:>6.1f} {cell['imbalance']:>6.1%}" for cell in row["subsets"].values())
        yield f"{_name(row):32}{cells}"
    yield from _more(table)
    if fine:
        yield f"finer parts of distributions, see --json: mean {math.fsum(fine) / len(fine):.1%}, worst {max(fine):.1%}"


def _fold_lines(table: list[dict[str, Any]], folds: int) -> Iterator[str]:
    of: dict[str, list[float]] = {}
    for row in (row for row in table if not row["fine"]):
        of.setdefault(_name(row), []).append(row["subsets"]["test"]["imbalance"])
    yield f"{'imbalance of the tested fold':40}{'mean':>9}{'worst':>9}"
    for name, values in list(of.items())[:SHOWN]:
        yield f"{name:40}{math.fsum(values) / folds:>9.1%}{max(values):>9.1%}"
    yield from _more(list(of))


def _more(rows: list[Any]) -> Iterator[str]:
    if len(rows) > SHOWN:
        yield f"... and {len(rows) - SHOWN} more, see --json"


def _name(row: dict[str, Any]) -> str:
    return " ".join(filter(None, (row["task"], row["measure"])))
