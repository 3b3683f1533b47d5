"""Why a data set is empty: said once when it is made, because a loop over nothing says nothing."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

HINTS = {
    "hidden": "{n} have hidden frames: include_hidden=True keeps them",
    "unpaired": "{n} frames have no other camera: stereo pairs need a task with two",
    "uncalibrated": "{n} pairs are of recordings without calibration: rectified=None keeps them",
    "dropped": "{n} were dropped and have no file: source='videos' with include_dropped=True has their pictures",
    "unlabelled": "{n} have no such label: missing='mask' keeps them",
    "short": "{n} videos are shorter than a clip: ask for shorter ones",
}
"""What can be done, by the reason for which items are left out."""


class EmptyDatasetWarning(UserWarning):
    """Nothing fits what was asked for."""


def warn_if_empty(count: int, what: str, left_out: Mapping[str, int]) -> None:
    """Warn that nothing is left, and say why as far as it is known.

    Parameters
    ----------
    count
        How many items there are; with any, nothing is said.
    what
        Of which kind, of which subset, such as ``clips of 'balanced/test'``.
    left_out
        How much is left out, by reason, as `HINTS` names them.
    """
    if count:
        return
    reasons = [HINTS[reason].format(n=n) for reason, n in left_out.items() if n]
    why = "; ".join(reasons) or "the subset, task or camera has no extracted frames"
    warnings.warn(f"there are no {what}: {why}", EmptyDatasetWarning, stacklevel=3)
