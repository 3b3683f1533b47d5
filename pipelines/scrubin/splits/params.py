"""The section ``splits`` of params.yaml."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scrubin.core.params import ranged
from scrubin.errors import ParamsError


@dataclass(frozen=True)
class SplitsParams:
    """How recordings are divided.

    Parameters
    ----------
    subsets
        Share of each subset; the first is the one for training.
    seed
        Decides between equally good splits.
    gap
        Imbalance by which the split may miss the best possible one; 0 = the proven best.
    node_limit
        Search nodes after which the best split so far is taken, with its proven gap.
    time_limit_s
        Guard in seconds: reaching it is an error.
    """

    subsets: dict[str, float]
    seed: int = ranged(low=0)
    gap: float = ranged(low=0, high=1)
    node_limit: int = ranged(low=1)
    time_limit_s: float = ranged(low=1)

    def __post_init__(self) -> None:
        total = math.fsum(self.subsets.values())
        for name, share in self.subsets.items():
            if not 0 < share < 1:
                msg = f"params.yaml: 'splits.subsets.{name}' must be a share between 0 and 1, but is {share:g}"
                raise ParamsError(msg)
        if abs(total - 1) > 1e-9:
            msg = f"params.yaml: 'splits.subsets' must be shares that add up to 1, but they add up to {total:g}"
            raise ParamsError(msg)
