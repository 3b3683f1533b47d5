"""When each frame of a file is on screen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scrubin.video.probe import Probe


def boundaries_s(probed: Probe) -> npt.NDArray[np.float64]:
    """Return the presentation time of every frame in source seconds, then the end of the last; shape (n + 1,).

    These are the probe's times: a decoder's guesses for AVI are not even in order.
    """
    ticks = np.array(probed.pts, dtype=np.int64) - probed.pts[0]
    # One division of whole numbers: the same as the nearest float to the exact time.
    return np.append(ticks * probed.time_base.numerator / probed.time_base.denominator, float(probed.end_s))
