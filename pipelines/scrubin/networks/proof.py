"""The proof, before a network's first use in a process, that this processor gives the scores that the others give.

Sums of products come out a little differently with SSE, AVX2 or AVX-512, so scores differ from the
seventh digit on; whoever uses a score rounds it coarsely. What would not be harmless, a fault of an
instruction set or another build of the library, is stopped here: the network judges a picture
drawn by arithmetic alone, and a summary of its output must be the one that stands in ``EXPECTED``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from scrubin.core.errors import StageError

SIZES_PX = {
    "text-detection": (64, 128),
    "text-recognition": (48, 96),
    "centerface": (64, 64),
    "blazeface-far": (192, 192),
    "blazeface-near": (256, 256),
}
"""Height and width of the picture that each network judges."""
PARTS = 8
TOLERANCE = 2e-3
"""SSE and AVX-512 differ by at most 1e-4 here; whoever rounds, rounds to hundredths or coarser."""
EXPECTED: dict[str, tuple[float, ...]] = {
    "text-detection": (0.0, 0.0002, 0.135, 0.2264, 0.71, 0.0852, 0.0001, 0.0),
    "text-recognition": (0.9994, 0.3118, 0.9896, 0.9951, 0.9958, 0.9862, 0.9835, 0.8527),
    "centerface": (0.0045, 0.006, 0.0098, 0.0109, 0.0049, 0.0076, 0.0079, 0.0059),
    "blazeface-far": (0.0114, 0.0143, 0.1148, 0.131, 0.0546, 0.0083, 0.0022, 0.003),
    "blazeface-near": (0.0265, 0.3162, 0.1391, 0.0402, 0.0465, 0.0392, 0.0237, 0.0289),
}


def picture(height: int, width: int) -> npt.NDArray[np.uint8]:
    """Return the picture to judge, shape (height, width, 3): bars like letters on a ramp, the same on every machine."""
    y, x = np.mgrid[0:height, 0:width]
    bars = ((x // 4 * 5 + y // 6 * 3 + x * y // 97) % 7 < 3) & (abs(2 * y - height) < height // 2)
    levels = np.where(bars, 240, 60 + x * 60 // width)
    return np.stack([levels, levels * 3 // 4 + 20, (levels + y) % 256], axis=2).astype(np.uint8)


def summary(output: npt.NDArray[np.float32]) -> tuple[float, ...]:
    """Return the highest score in each eighth of an output, four digits after the point."""
    parts = np.array_split(output.reshape(-1), PARTS)
    return tuple(round(float(part.max()), 4) for part in parts)


def proven(name: str, judge: Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.float32]]) -> None:
    """Let a network judge the picture, which it takes as it takes any: as blue, green and red.

    Raises
    ------
    StageError
        When its scores are others than on the processors it was tried on.
    """
    scores = summary(judge(picture(*SIZES_PX[name])))
    away = max(abs(score - expected) for score, expected in zip(scores, EXPECTED[name], strict=True))
    if not away <= TOLERANCE:  # so that NaN is refused as well
        what = f"the network '{name}' gives other scores on this processor: {away:.4f} away from those it was tried with"
        msg = f"{what}; install the versions of requirements.lock, and run it on another processor if they are installed"
        raise StageError(msg)
