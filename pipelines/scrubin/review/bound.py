"""What so many clips without a finding prove about all the others: exact bounds, in whole numbers, so the same on every machine.

Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413, https://doi.org/10.1093/biomet/26.4.404.
"""

from __future__ import annotations

from math import comb

_ONE_IN = 20  # what lies above a bound leaves so few findings only once in so many samples
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
    if findings == checked:
        return 1.0
    low, high = 0, _PARTS
    while high - low > 1:
        middle = (low + high) // 2
        few = sum(comb(checked, i) * middle**i * (_PARTS - middle) ** (checked - i) for i in range(findings + 1))
        low, high = (low, middle) if _ONE_IN * few <= _PARTS**checked else (middle, high)
    return high / _PARTS


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
