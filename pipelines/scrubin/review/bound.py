"""What so many clips or checks prove about all the others: exact bounds, in whole numbers, so the same on every machine.

Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413, https://doi.org/10.1093/biomet/26.4.404.
"""

from __future__ import annotations

from math import comb

_ONE_IN = 20  # what lies above a bound leaves so few findings only once in so many samples
_ONE_IN_AT_EACH_END = 2 * _ONE_IN
_PARTS = 10**6


def highest_share(checked: int, findings: int) -> float:
    """Return the one-sided 95 % upper bound of the share of clips with something in them.

    Clopper and Pearson's, rounded up to a millionth. Without a finding it is 1 - 0.05 ** (1 / n),
    about 3 / n. It holds for independent clips; of clips that are drawn without replacement from
    finitely many it promises less than is known, never more.

    Parameters
    ----------
    checked, findings
        How many clips somebody looked at, and in how many of them something was.

    Raises
    ------
    ValueError
        When there are more findings than clips, or no clip.

    >>> highest_share(59, 0), highest_share(300, 0), highest_share(300, 1), highest_share(1, 1)
    (0.049508, 0.009937, 0.015715, 1.0)
    """
    _refuse_impossible(checked, findings)
    return _upper_parts(checked, findings, _ONE_IN) / _PARTS


def interval(shown: int, noticed: int) -> tuple[float, float]:
    """Return the two-sided 95 % interval of the share of checks that are noticed: Clopper and Pearson's, rounded outwards to a millionth.

    Parameters
    ----------
    shown, noticed
        How many checks people were shown, and how many of them they noticed.

    Raises
    ------
    ValueError
        When more were noticed than shown, or none was shown.

    >>> interval(20, 18), interval(10, 10), interval(10, 0)
    ((0.683017, 0.987652), (0.691502, 1.0), (0.0, 0.308498))
    """
    _refuse_impossible(shown, noticed)
    low, high = (_upper_parts(shown, count, _ONE_IN_AT_EACH_END) for count in (shown - noticed, noticed))
    return (_PARTS - low) / _PARTS, high / _PARTS


def _upper_parts(checked: int, findings: int, one_in: int) -> int:
    """Return the upper bound in millionths: a share above it leaves so few findings only once in so many samples."""
    if findings == checked:
        return _PARTS
    low, high = 0, _PARTS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if one_in * _so_few(checked, findings, middle) <= _PARTS**checked else (middle, high)
    return high


def _so_few(checked: int, findings: int, parts: int) -> int:
    """Return the binomial probability of at most so many findings at a share in millionths, times a million to the power of ``checked``."""
    if 2 * findings > checked:
        every: int = _PARTS**checked
        return every - _so_few(checked, checked - findings - 1, _PARTS - parts)
    others = _PARTS - parts
    term: int = others**checked
    total = term
    for i in range(findings):
        term = term * ((checked - i) * parts) // ((i + 1) * others)  # divides without a rest
        total += term
    return total


def most_clips(population: int, checked: int, findings: int) -> int:
    """Return the one-sided 95 % upper bound of the number of clips with something in them, those that were seen among them.

    Exact for clips that were drawn without replacement (the hypergeometric distribution).

    Parameters
    ----------
    population
        How many clips there are in all.
    checked, findings
        As in `highest_share`.

    Raises
    ------
    ValueError
        As in `highest_share`, and when more clips were looked at than there are.

    >>> most_clips(1000, 59, 0), most_clips(60, 60, 0), most_clips(60, 60, 2)
    (48, 0, 2)
    """
    _refuse_impossible(checked, findings)
    if checked > population:
        msg = f"{checked} clips were looked at, but there are {population}"
        raise ValueError(msg)
    low, high = findings, population - (checked - findings) + 1
    while high - low > 1:
        middle = (low + high) // 2
        few = sum(comb(middle, i) * comb(population - middle, checked - i) for i in range(findings + 1))
        low, high = (middle, high) if _ONE_IN * few > comb(population, checked) else (low, middle)
    return low


def _refuse_impossible(checked: int, findings: int) -> None:
    if not 0 <= findings <= checked or not checked:
        msg = f"{findings} findings in {checked} clips: there is nothing to conclude"
        raise ValueError(msg)
