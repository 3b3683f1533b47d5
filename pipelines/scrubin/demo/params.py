"""The section ``demo`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged


@dataclass(frozen=True)
class DemoParams:
    """How large the synthetic study is.

    Parameters
    ----------
    seed
        Of everything that is drawn at random.
    participants
        Of the training course, each recorded in three trials of two tasks.
    experts
        Recorded once per task.
    """

    seed: int = ranged(low=0)
    participants: int = ranged(low=2, high=30)
    experts: int = ranged(low=1, high=8)
