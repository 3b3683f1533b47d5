"""Stage render: the released videos, made as the section `render` of params.yaml says."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.base.params import ranged

MODES = ("smart", "reencode")
PRESETS = ("ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow")


@dataclass(frozen=True)
class RenderParams:
    """What is encoded again, quality and speed of the x264 encoder, and how much is trimmed by chance.

    A lower ``crf`` is better and larger. ``duration_jitter_s`` trims 0 to so many seconds off the end of each recording.
    """

    mode: str = ranged(choices=MODES)
    crf: int = ranged(low=1, high=40)
    preset: str = ranged(choices=PRESETS)
    duration_jitter_s: float = ranged(low=0, high=3600)
