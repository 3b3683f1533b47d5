"""The section ``render`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged

MODES = ("smart", "reencode")
PRESETS = ("ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow")


@dataclass(frozen=True)
class RenderParams:
    """What is encoded again, and quality and speed of the x264 encoder; a lower ``crf`` is better and larger."""

    mode: str = ranged(choices=MODES)
    crf: int = ranged(low=1, high=40)
    preset: str = ranged(choices=PRESETS)
