"""Frame-wise metrics: the frames of all videos counted as one, so that hardly anything is undefined.

Source: section 3.3.4.
"""

from __future__ import annotations

from scrubin.metrics.phases.confusion import Confusions


def pool(confusions: Confusions) -> Confusions:
    """Return the confusion matrices summed over the videos, run by run.

    >>> from scrubin.metrics.phases.confusion import of_videos
    >>> from scrubin.metrics.phases.videos import Video
    >>> pool(of_videos([Video("v", [0, 1], [0, 1]), Video("w", [0, 1], [0, 0])], 2)).counts[0, 0].tolist()
    [[2, 0], [1, 1]]
    """
    return Confusions(confusions.counts.sum(axis=1, keepdims=True), (), confusions.phases)
