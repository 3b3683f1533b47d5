"""Frames as small JPEG images inside the page: released ones from their files, raw ones from the reels of the stage screen."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.core.errors import ReleaseError, StageError, VideoError
from scrubin.frames import reading
from scrubin.report.params import ReportParams
from scrubin.report.raw_files import FileKey
from scrubin.report.reported_study import ReportedStudy

Picture = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class RawFrame:
    """A frame of a raw file, the rectangle to draw around a place, and what to black out (None: all); in pixels of the source."""

    key: FileKey
    number: int
    outline_xywh: Box | None = None
    hidden_xywh: tuple[Box | None, ...] = ()


OUTLINE_BGR = (0, 220, 255)


def released_uri(release: Path, path: str, p: ReportParams) -> str:
    """Return a frame of the release, made smaller, as a data address.

    Parameters
    ----------
    release
        The release folder.
    path
        Of the frame, as in the table ``frames``.
    p
        Width and quality.

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
    return _jpeg_uri(_small(np.asarray(picture, dtype=np.uint8), p.thumbnail_width_px), p)


def raw_uris(study: ReportedStudy, wanted: Iterable[RawFrame], p: ReportParams) -> tuple[dict[RawFrame, str], dict[FileKey, str]]:
    """Return raw frames as data addresses, and of files that cannot be read the reason.

    Each file is opened once.
    """
    by_file: dict[FileKey, set[RawFrame]] = {}
    for one in wanted:
        by_file.setdefault(one.key, set()).add(one)
    uris: dict[RawFrame, str] = {}
    reasons: dict[FileKey, str] = {}
    names = ["recording", "camera", "width", "height"]
    sizes_px = {tuple(row[:2]): tuple(row[2:]) for row in study.recordings[names].dropna().to_numpy().tolist()}
    for key in sorted(by_file):
        numbers = sorted({one.number for one in by_file[key]})
        try:
            pictures = {
                number: _small(picture, p.thumbnail_width_px)
                for number, picture in zip(numbers, study.sources.pictures(key, numbers), strict=True)
            }
        except VideoError as error:
            reasons[key] = error.reason
            continue
        for one in by_file[key]:
            uris[one] = _jpeg_uri(_drawn(pictures[one.number], one, sizes_px[key]), p)
    return uris, reasons


def _drawn(picture: Picture, frame: RawFrame, size_px: tuple[int, int]) -> Picture:
    """Return a picture with what is hidden black and an outline drawn; ``size_px`` are width and height of the source."""
    drawn = picture.copy()
    for box in frame.hidden_xywh:
        cv2.rectangle(drawn, *_corners(drawn, box or (0, 0, *size_px), size_px), (0, 0, 0), cv2.FILLED)
    if frame.outline_xywh is not None:
        (left, top), corner = _corners(drawn, frame.outline_xywh, size_px)
        cv2.rectangle(drawn, (left - 1, top - 1), corner, OUTLINE_BGR, 1)
    return drawn


def _corners(picture: Picture, box_xywh: Box, size_px: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    across, down = picture.shape[1] / size_px[0], picture.shape[0] / size_px[1]
    x, y, w, h = box_xywh
    return (round(x * across), round(y * down)), (round((x + w) * across), round((y + h) * down))


def _small(picture: Picture, width_px: int) -> Picture:
    """Return a picture of at most this width, in its own shape."""
    width_px = min(width_px, picture.shape[1])
    height_px = max(1, round(picture.shape[0] * width_px / picture.shape[1]))
    small: Picture = np.ascontiguousarray(cv2.resize(picture, (width_px, height_px), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return small


def _jpeg_uri(picture: Picture, p: ReportParams) -> str:
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, p.thumbnail_quality])
    if not done:
        msg = "OpenCV was built without JPEG; install the locked version"
        raise StageError(msg)
    return "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode("ascii")
