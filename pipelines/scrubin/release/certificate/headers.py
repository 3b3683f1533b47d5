"""What stood in the DICOM headers of the released recordings, in numbers: all of it stays behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd


def counted(cuts: pd.DataFrame) -> dict[str, int]:
    """Return how many sources had a header, how many elements these had, and how many of them were private."""
    of_groups = by_group(cuts)
    private = [count for group, count in of_groups.items() if _is_private(group)]
    return {"headers": int(cuts["left_behind"].notna().sum()), "elements": of_groups.total(), "private_elements": sum(private)}


def groups(cuts: pd.DataFrame) -> list[dict[str, Any]]:
    """Return per group of elements how many there were."""
    return [{"group": group, "elements": count, "private": _is_private(group)} for group, count in sorted(by_group(cuts).items())]


def by_group(cuts: pd.DataFrame) -> Counter[str]:
    """Return the number of elements of all sources by group, such as ``0010``."""
    found: Counter[str] = Counter()
    for text in cuts["left_behind"].dropna():
        found.update(_of_text(text))
    return found


def _of_text(text: str) -> Mapping[str, int]:
    """Return counts from the words in which the table `cuts` has them."""
    return {group: int(count) for group, count in (word.split(":") for word in text.split())}


def _is_private(group: str) -> bool:
    return int(group, 16) % 2 == 1
