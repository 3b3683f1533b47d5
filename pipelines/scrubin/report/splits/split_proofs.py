"""What is proven about a split, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

RESOLUTION = 1e-4
"""A smaller gap, in imbalance, is no difference that anybody could see: the search resolves about a tenth of it."""
ENDED = {
    "work_limit": "search stopped at its limit: ",
    "sampled": "drawn, not searched: ",
}


def sentences(proofs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what is proven about the repetitions of a split; the first one is searched for, the others are drawn.

    >>> sentences([{"objective": 0.5, "bound": 0.5, "gap": 0.0, "status": "proven"}])
    ['proven best (gap below 0.0001)']
    >>> sentences([])
    ['not searched']
    """
    if not proofs:
        return ["not searched"]
    if len(proofs) == 1:
        return [_sentence(proofs[0])]
    others = proofs[1:]
    worst = max(others, key=_possible)
    return [f"repetition 1: {_sentence(proofs[0])}", f"{_repetitions(len(others))}: {_sentence(worst)}"]


def _sentence(proof: Mapping[str, Any]) -> str:
    if proof["gap"] < RESOLUTION:
        return f"proven best (gap below {RESOLUTION:.4f})"
    # Rounded up, because less than what is possible would be a false promise.
    percent = math.ceil(_possible(proof) * 1000 - 1e-9) / 10
    return f"{ENDED.get(proof['status'], '')}at most {percent:g} % better is possible (gap {proof['gap']:.4f})"


def _possible(proof: Mapping[str, Any]) -> float:
    return float(proof["gap"] / proof["objective"]) if proof["objective"] > 0 else 0.0


def _repetitions(others: int) -> str:
    return "repetition 2" if others == 1 else f"worst of repetitions 2 to {others + 1}"
