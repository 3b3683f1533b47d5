"""The section ``ingest`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged


@dataclass(frozen=True)
class TaskParams:
    """What holds for all recordings of one task.

    Parameters
    ----------
    cameras
        The cameras that each recording must have: left and right, or mono.
    time_limit_s
        Longest kept interval; None for no limit.
    over_limit
        What happens to a longer one: ``exclude`` it, or ``truncate`` it at the limit.
    """

    cameras: tuple[str, ...] = ranged(choices=("left", "right", "mono"))
    time_limit_s: float | None = ranged(low=0.001)
    over_limit: str = ranged(choices=("exclude", "truncate"))


@dataclass(frozen=True)
class IngestParams:
    """Tasks by name, and how much the cameras of a pair may differ in length."""

    tasks: dict[str, TaskParams]
    stereo_tolerance_s: float = ranged(low=0, high=10)
