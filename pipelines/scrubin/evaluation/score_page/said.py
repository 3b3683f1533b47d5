"""What a page says beside the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """What was chosen and is to be said beside the numbers.

    Parameters
    ----------
    semantics, variant
        The definition, and the value of every choice.
    read
        As what each path was read.
    runs
        How many repeated runs; 1 for one, or for an ensemble.
    aids
        Sentences on numbers that look odd.
    """

    semantics: str
    variant: Mapping[str, str]
    read: Sequence[str] = ()
    runs: int = 1
    aids: Sequence[str] = ()
