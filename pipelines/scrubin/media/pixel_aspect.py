"""How wide the pixels of a video are: of one that is anamorphic, players show a picture of another shape than its pixels have."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from av.error import FFmpegError

from scrubin.media.opening import open_video
from scrubin.media.probe import picture_stream, unreadable

SQUARE = Fraction(1)
QUARTER_TURN_DEG = 90


def of_released(folder: Path, path: str) -> Fraction:
    """Return the same as `of_video` of a released video in a folder; no player rotates it."""
    return of_video(folder / path, path)


def of_video(path: Path, name: str, rotation_deg: int = 0) -> Fraction:
    """Return the width of a pixel as a multiple of its height, in the picture as players show it; 1 where the file says nothing.

    Parameters
    ----------
    path, name
        The file, and what messages call it.
    rotation_deg
        By how much players rotate it.

    Raises
    ------
    VideoError
        When it cannot be read.
    """
    try:
        with open_video(path) as container:
            aspect = picture_stream(container, name).sample_aspect_ratio
    except FFmpegError as error:
        raise unreadable(path, name, error) from error
    upright = Fraction(aspect or SQUARE)
    return 1 / upright if rotation_deg % (2 * QUARTER_TURN_DEG) == QUARTER_TURN_DEG else upright
