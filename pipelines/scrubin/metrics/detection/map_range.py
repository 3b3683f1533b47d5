"""Average precision over a range of IoUs: mAP 50:95.

ProstaTD, appendix D: IoU thresholds from 0.5 to 0.95 in steps of 0.05. The thresholds are exact, and detections are matched
anew at each; the published package does neither (see `quirks`).
"""

from __future__ import annotations

from scrubin.errors import MetricsError
from scrubin.metrics.detection.average_precision import Scope, of_thresholds
from scrubin.metrics.detection.matching import check_threshold
from scrubin.metrics.detection.precision_recall import Interpolation
from scrubin.metrics.detection.rows import Scene, Study
from scrubin.metrics.result import Result


def thresholds(low: int = 50, high: int = 95, step: int = 5) -> list[float]:
    """Return IoUs from ``low`` to ``high`` percent, both included.

    Raises
    ------
    MetricsError
        When they are not a rising range within 1 to 100 whole percent.

    >>> thresholds()[:4]
    [0.5, 0.55, 0.6, 0.65]
    """
    if any(isinstance(value, bool) or not isinstance(value, int) for value in (low, high, step)) or not 0 < low <= high <= 100 or step < 1:
        msg = f"the range of IoUs is {low}:{high} by {step}; give whole percent, rising, within 1 to 100, such as 50:95 by 5"
        raise MetricsError(msg)
    # Divided one by one: a running sum of 0.05 is slightly too large from the third on.
    return [check_threshold(percent / 100) for percent in range(low, high + 1, step)]


def average_precision_range(
    study: Study | Scene,
    component: str = "ivt",
    *,
    low: int = 50,
    high: int = 95,
    step: int = 5,
    interpolation: Interpolation = "step",
    scope: Scope = "video-wise",
) -> Result:
    """Return the mean over IoUs of the average precision.

    Parameters
    ----------
    study, component, interpolation, scope
        As for `average_precision.average_precision`.
    low, high, step
        Of the IoUs, in percent.

    Returns
    -------
    Result
        As for one IoU.

    Raises
    ------
    MetricsError
        As for one IoU; also when the range is none.
    """
    levels = thresholds(low, high, step)
    options = {"iou": f"{low / 100:g}:{high / 100:g}:{step / 100:g}", "interpolation": interpolation}
    return of_thresholds(study, component, levels, interpolation, scope, options)
