"""What benchmark of de-identification is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BenchmarkRequest:
    """What benchmark is wanted; without folders the synthetic study's operation and rooms are drawn."""

    recordings: int = 6
    seed: int = 0
    height: int = 360
    length_s: int = 40
    footage: Path | None = None
    outside: Path | None = None

    @property
    def width(self) -> int:
        """Of the picture in px: 16 to 9, even."""
        return self.height * 16 // 9 // 2 * 2


SMALLEST_HEIGHT_PX = 180
SHORTEST_S = 8
