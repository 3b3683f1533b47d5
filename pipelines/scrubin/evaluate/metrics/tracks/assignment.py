"""One to one assignment of the greatest sum of scores, by shortest augmenting paths.

Crouse, "On implementing 2D rectangular assignment algorithms", IEEE Transactions on Aerospace and Electronic Systems 52, 2016. Of
several best assignments it takes the one that SciPy's ``linear_sum_assignment`` takes, so that tracks of equal boxes get the numbers
of programs that use SciPy: rows take turns, free columns come before taken ones, and columns are looked at from the last to the first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Costs = Sequence[Sequence[float]]


def assigned(scores: Costs) -> list[tuple[int, int]]:
    """Return which row has which column, by row: as many pairs as the smaller side has.

    Parameters
    ----------
    scores
        (rows, columns), finite.

    >>> assigned([[3, 5, 0], [1, 4, 0]])
    [(0, 0), (1, 1)]
    """
    if not scores or not scores[0]:
        return []
    costs = [[-score for score in row] for row in scores]
    if len(costs) <= len(costs[0]):
        return list(enumerate(_columns(costs)))
    rows = _columns([list(column) for column in zip(*costs, strict=True)])
    return sorted((row, column) for column, row in enumerate(rows))


def _columns(costs: Costs) -> list[int]:
    """Return the column of each row, of no more rows than columns: one row more at a time is served, others may have to move for it."""
    row_prices, column_prices = [0.0] * len(costs), [0.0] * len(costs[0])
    row_of: list[int] = [-1] * len(costs[0])
    column_of: list[int] = [-1] * len(costs)
    for row in range(len(costs)):
        end, length, reached, before = _shortest_path(costs, row, row_prices, column_prices, row_of)
        row_prices[row] += length
        for column, distance in reached.items():
            if row_of[column] >= 0:
                row_prices[row_of[column]] += length - distance
            column_prices[column] -= length - distance
        column = end
        while column >= 0:
            mover = before[column]
            row_of[column] = mover
            column_of[mover], column = column, column_of[mover]
    return column_of


def _shortest_path(
    costs: Costs, start: int, row_prices: Sequence[float], column_prices: Sequence[float], row_of: Sequence[int]
) -> tuple[int, float, dict[int, float], list[int]]:
    """Return the free column that a row reaches at least cost, that cost, the columns reached before with theirs, and from which row.

    Parameters
    ----------
    start
        The row.
    row_prices, column_prices
        What was paid so far: reduced costs are never negative.
    row_of
        The row that has each column, -1 where it is free.
    """
    left = list(range(len(column_prices)))[::-1]
    distances, before = [math.inf] * len(left), [-1] * len(left)
    reached: dict[int, float] = {}
    row, length = start, 0.0
    while True:
        nearest, place = math.inf, -1
        for at, column in enumerate(left):
            distance = length + costs[row][column] - row_prices[row] - column_prices[column]
            if distance < distances[column]:
                distances[column], before[column] = distance, row
            if distances[column] < nearest or (distances[column] == nearest and row_of[column] < 0):
                nearest, place = distances[column], at
        length, column = nearest, left[place]
        reached[column] = length
        if row_of[column] < 0:
            return column, length, reached, before
        row = row_of[column]
        left[place] = left[-1]
        left.pop()
