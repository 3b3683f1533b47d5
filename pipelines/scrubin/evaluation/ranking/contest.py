"""What teams are ranked in: metric and videos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Contest:
    """What teams are ranked in.

    Parameters
    ----------
    measure
        ``task``, ``component`` and ``description`` of the metric that decides, as JSON values.
    components
        All metrics that count, the one that decides first.
    videos
        Names, in order.
    ground_truth
        What else there is to say of labels, as JSON values.
    clips
        Clips that teams are compared on, as JSON values.
    clips_sharing_frames
        How many of them share frames with another one.
    lower_is_better
        Of the metrics.
    notes
        What was done to the input, one sentence each.
    """

    measure: Mapping[str, Any]
    components: tuple[str, ...]
    videos: tuple[str, ...]
    ground_truth: Mapping[str, Any] = field(default_factory=dict)
    clips: tuple[Mapping[str, Any], ...] = ()
    clips_sharing_frames: int = 0
    lower_is_better: bool = False
    notes: tuple[str, ...] = ()

    @property
    def sign(self) -> float:
        """What values are multiplied by so that more is better."""
        return -1.0 if self.lower_is_better else 1.0
