"""Released frames as small JPEG images inside the page."""

from __future__ import annotations

import base64
from pathlib import Path

import cv2
import numpy as np

from scrubin.core.errors import ReleaseError, StageError
from scrubin.frames import reading


def jpeg_uri(release: Path, path: str, width_px: int, quality: int) -> str:
    """Return a frame, made smaller, as a data address.

    Parameters
    ----------
    release
        The release folder.
    path
        Of the frame, as in the table ``frames``.

    Raises
    ------
    StageError
        When it is not there or no image.
    """
    try:
        picture = cv2.imdecode(np.frombuffer(reading.picture(release, path), np.uint8), cv2.IMREAD_COLOR)
    except (ReleaseError, cv2.error):  # missing, or an empty file
        picture = None
    if picture is None:
        msg = f"{path}: the frame cannot be read as an image; run 'dvc repro' to make it again"
        raise StageError(msg)
    height_px = max(1, round(picture.shape[0] * width_px / picture.shape[1]))
    small = cv2.resize(picture, (width_px, height_px), interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        msg = f"{path}: the thumbnail cannot be encoded as JPEG"
        raise StageError(msg)
    return "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode("ascii")
