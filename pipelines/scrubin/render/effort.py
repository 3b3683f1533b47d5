"""What rendering will cost, said before it starts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.render.estimate import estimate_s
from scrubin.render.params import RenderParams
from scrubin.render.preparation import FileToRender, prepare


@dataclass(frozen=True)
class Effort:
    """What rendering a file will cost; ``why``: why nothing of it can be copied."""

    copied_frames: int
    encoded_frames: int
    estimate_s: float
    why: str


def effort(raw: Path, file: FileToRender, params: RenderParams) -> Effort:
    """Return what rendering will cost, before anything is written.

    Raises
    ------
    VideoError
        When the file cannot be rendered.
    """
    known = prepare(raw, file, params)
    encoded = known.parts.encoded_count
    return Effort(known.plan.frame_count - encoded, encoded, estimate_s(known.plan, known.parts, params), known.parts.why)


def summary(efforts: Sequence[Effort]) -> list[str]:
    """Return in sentences what rendering all files will cost if none of them is kept from an earlier run."""
    copied, encoded = sum(item.copied_frames for item in efforts), sum(item.encoded_frames for item in efforts)
    seconds = math.fsum(item.estimate_s for item in efforts)
    lines = [f"{copied} frames can be copied bit for bit, {encoded} must be encoded: at most about {seconds:.0f} s on two cores"]
    # What stands in brackets differs from file to file.
    whys = Counter(item.why.partition(" (")[0] for item in efforts if item.why)
    return lines + [
        f"{count} videos are encoded as a whole: {why}" for why, count in sorted(whys.items(), key=lambda item: (-item[1], item[0]))
    ]
