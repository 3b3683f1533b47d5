"""The section ``report`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged


@dataclass(frozen=True)
class ReportParams:
    """The section ``report`` of ``params.yaml``.

    Parameters
    ----------
    worst_frames
        So many frames are shown as thumbnails.
    thumbnail_width_px
        Width of a thumbnail.
    thumbnail_quality
        JPEG quality of a thumbnail.
    much_hidden_share
        A recording of which a larger share of frames is hidden needs a look.
    top_triplets
        So many of the most frequent triplets are listed.
    """

    worst_frames: int = ranged(low=0, high=12)
    thumbnail_width_px: int = ranged(low=32, high=640)
    thumbnail_quality: int = ranged(low=1, high=100)
    much_hidden_share: float = ranged(low=0, high=1)
    top_triplets: int = ranged(low=1, high=200)
