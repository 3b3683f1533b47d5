"""By how much frame numbers are shifted, told from the numbers alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
NEAR = 30
# Share of the frames that a shift must explain, so that a submission that also lacks some is still recognised.
EXPLAINED = 0.9


def shift(given: IntArray, expected: IntArray) -> int | None:
    """Return by how much more the given frames are than the expected ones, None when no shift explains the difference.

    Parameters
    ----------
    given, expected
        Frame numbers, increasing, each once.

    >>> shift(np.arange(1, 101), np.arange(100)), shift(np.arange(99), np.arange(100))
    (1, None)
    """
    if not len(given) or not len(expected) or not (set(given.tolist()) - set(expected.tolist())):
        return None
    steps = {*range(-NEAR, NEAR + 1), int(given[0] - expected[0]), int(given[-1] - expected[-1])} - {0}
    plain = _common(given, expected)
    best = min(steps, key=lambda step: (-_common(given - step, expected), abs(step), step))
    common = _common(given - best, expected)
    return best if common > plain and common >= EXPLAINED * max(1, min(len(given), len(expected))) else None


def stride(given: IntArray, expected: IntArray) -> int | None:
    """Return the number that all given frames are multiples of, when divided by it they are the expected ones; else None.

    >>> stride(np.arange(0, 250, 25), np.arange(10))
    25
    """
    step = int(np.gcd.reduce(given)) if len(given) > 1 else 0
    if step < 2 or _common(given, expected) >= EXPLAINED * len(expected):
        return None
    return step if _common(given // step, expected) >= EXPLAINED * len(expected) else None


def advice(given: IntArray, expected: IntArray) -> tuple[str, str] | None:
    """Return the likely cause of wrong frame numbers and the fix, None when there is none.

    >>> advice(np.arange(1, 101), np.arange(100))
    ('the numbers look shifted by +1, as if frames were counted from 1', 'subtract 1 from every frame number')
    """
    step = stride(given, expected)
    if step is not None:
        return f"the numbers look like frames of a {step} fps video", f"divide every frame number by {step}"
    found = shift(given, expected)
    if found is None:
        return None
    as_if = ", as if frames were counted from 1" if found == 1 else ""
    fix = f"subtract {found} from" if found > 0 else f"add {-found} to"
    return f"the numbers look shifted by {found:+d}{as_if}", f"{fix} every frame number"


def _common(one: IntArray, other: IntArray) -> int:
    return len(np.intersect1d(one, other, assume_unique=True))
