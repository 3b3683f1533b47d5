"""Whole numbers for reading: ranges of neighbours, and how many there are of something."""

from __future__ import annotations

from collections.abc import Iterable


def ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return increasing numbers as pairs of first and last.

    >>> ranges([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    pairs: list[tuple[int, int]] = []
    for number in numbers:
        if pairs and number == pairs[-1][1] + 1:
            pairs[-1] = (pairs[-1][0], number)
        else:
            pairs.append((number, number))
    return pairs


def ranges_text(numbers: Iterable[int], most: int | None = None) -> str:
    """Return increasing numbers for reading.

    Parameters
    ----------
    most
        How many ranges are shown; None: all of them.

    >>> ranges_text([3, 4, 5, 9]), ranges_text([0, 2, 4], most=2)
    ('3-5, 9', '0, 2 ...')
    """
    pairs = ranges(numbers)
    text = ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in pairs[:most])
    return f"{text} ..." if most is not None and len(pairs) > most else text


def count_text(number: int, noun: str) -> str:
    """Return a number of things for reading.

    >>> count_text(1, "frame"), count_text(1200, "frame")
    ('1 frame', '1,200 frames')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
