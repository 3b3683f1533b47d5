"""What rendering will cost, said before it starts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import store
from scrubin.core.ranges import count_text
from scrubin.render.estimate import estimate_s
from scrubin.render.params import RenderParams
from scrubin.render.preparation import FileToRender, Prepared, prepare
from scrubin.render.rendering import key_of

# Seen with crf 18 on films of operations, noisy ones included.
ENCODED_GROWTH, MOST_BYTES_PER_PIXEL = 1.5, 0.1


@dataclass(frozen=True)
class Effort:
    """What rendering a file will cost.

    Parameters
    ----------
    copied_frames, encoded_frames
        Number of frames.
    estimate_s
        Seconds on two cores.
    why
        Why nothing of it can be copied; empty when something can.
    new_bytes
        Size that the released video may have; 0 when it is kept from an earlier run.
    kept_bytes
        Size that it has when it is kept.
    """

    copied_frames: int
    encoded_frames: int
    estimate_s: float
    why: str
    new_bytes: int = 0
    kept_bytes: int = 0


def effort(raw: Path, file: FileToRender, params: RenderParams) -> Effort:
    """Return what rendering will cost, before anything is written.

    Raises
    ------
    VideoError
        When the file cannot be rendered.
    """
    known = prepare(raw, file, params)
    encoded = known.parts.encoded_count
    copied = known.plan.frame_count - encoded
    entry = store.lookup(key_of(file, known.plan, params))
    new_bytes = 0 if entry else _bytes(known, copied, encoded)
    kept_bytes = sum(entry.path(name).stat().st_size for name in entry.files) if entry else 0
    return Effort(copied, encoded, estimate_s(known.plan, known.parts, params), known.parts.why, new_bytes, kept_bytes)


def _bytes(known: Prepared, copied: int, encoded: int) -> int:
    """Return the size that a released video may have: of copied frames as in the source, of encoded ones somewhat more, up to a limit."""
    try:
        per_frame = sum(one.path.stat().st_size for one in known.files) / known.probe.frame_count
    except OSError:
        return 0  # rendering says what is wrong with it
    most = MOST_BYTES_PER_PIXEL * known.plan.width * known.plan.height
    return math.ceil(copied * per_frame + encoded * min(ENCODED_GROWTH * per_frame, most))


def summary(efforts: Sequence[Effort]) -> list[str]:
    """Return in sentences what rendering all files will cost if none of them is kept from an earlier run."""
    copied, encoded = sum(item.copied_frames for item in efforts), sum(item.encoded_frames for item in efforts)
    seconds = math.fsum(item.estimate_s for item in efforts)
    lines = [f"{copied} frames can be copied bit for bit, {encoded} must be encoded: at most about {seconds:.0f} s on two cores"]
    # What stands in brackets differs from file to file.
    whys = Counter(item.why.partition(" (")[0] for item in efforts if item.why)
    return lines + [
        f"{count_text(count, 'video')} encoded as a whole: {why}"
        for why, count in sorted(whys.items(), key=lambda item: (-item[1], item[0]))
    ]
