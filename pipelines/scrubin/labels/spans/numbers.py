"""Numbers of instances in spans: given ones are kept, missing ones are the lowest that are free; none does two things at once."""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Row:
    """One span of a file: its line, instants in units of the file's clock, and ids; without instrument nothing is in view."""

    line: int
    start: int
    end: int
    instrument: int | None
    instance: int | None
    ids: Mapping[str, Any]


def numbered(rows: Sequence[Row]) -> list[Row]:
    """Return rows with a number for every instance, in the same order.

    By start, each row without a number takes the lowest one of its instrument that does nothing else meanwhile.

    Parameters
    ----------
    rows
        Those with a number do not overlap.
    """
    taken: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        if row.instrument is not None and row.instance is not None:
            bisect.insort(taken[row.instrument, row.instance], (row.start, row.end))
    with_numbers = list(rows)
    for at in sorted(range(len(rows)), key=lambda i: (rows[i].start, i)):
        row = rows[at]
        if row.instrument is None or row.instance is not None:
            continue
        number = 0
        while not _is_free(taken[row.instrument, number], row.start, row.end):
            number += 1
        bisect.insort(taken[row.instrument, number], (row.start, row.end))
        with_numbers[at] = replace(row, instance=number)
    return with_numbers


def overlaps(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return the pairs of rows that contradict each other, by line: one instance twice, or an instrument where nothing is in view."""
    pairs = []
    groups: dict[tuple[int | None, int | None], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.instrument, row.instance].append(row)
    for group in groups.values():
        pairs += _overlaps(group, group)
    empty = [row for row in rows if row.instrument is None]
    pairs += _overlaps(empty, [row for row in rows if row.instrument is not None]) if empty else []
    by_line = {(min(a.line, b.line), max(a.line, b.line)): (a, b) if a.line < b.line else (b, a) for a, b in pairs}
    return [pair for _, pair in sorted(by_line.items())]


def _overlaps(these: Sequence[Row], others: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return each row with the first other one, by start, that it overlaps; of a group with itself, each pair of neighbours."""
    pairs: list[tuple[Row, Row]] = []
    furthest: dict[bool, Row] = {}
    same = these is others
    marked = [(row, True) for row in these] + ([] if same else [(row, False) for row in others])
    for row, ours in sorted(marked, key=lambda one: (one[0].start, one[0].line)):
        before = furthest.get(ours if same else not ours)
        if before is not None and before.end > row.start:
            pairs.append((before, row))
        if ours not in furthest or row.end > furthest[ours].end:
            furthest[ours] = row
    return pairs


def _is_free(taken: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    at = bisect.bisect_left(taken, (start, end))
    return (at == len(taken) or taken[at][0] >= end) and (at == 0 or taken[at - 1][1] <= start)
