"""Pictures and video frames as small grey thumbnails, so that they can be compared whatever their size and compression.

A mean over an area keeps what JPEG keeps and what resizing keeps; kept to 1/256 of a grey level,
even the noise of a still scene tells frames apart.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt

from scrubin.core import strangers
from scrubin.core.errors import VideoError
from scrubin.frames.check.conventions import Timeline
from scrubin.video.decode import decoded
from scrubin.video.probe import FULL_RANGE

WIDTH, HEIGHT = 32, 18
PIXELS = WIDTH * HEIGHT
LEVEL = 256
BLACK, WHITE = 16, 235  # of luma in limited range
PLANAR = ("yuv420p", "yuv422p", "yuv444p", "yuvj420p", "yuvj422p", "yuvj444p", "gray")
FIX = "check that it is the video that the frames were made of"
Thumbnails = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class VideoThumbnails:
    """A video as thumbnails, shape (frames, 576) in 1/256 grey levels, and when its frames are shown."""

    thumbnails: Thumbnails
    timeline: Timeline
    width: int
    height: int


def thumbnail(grey: npt.NDArray[np.uint8]) -> Thumbnails:
    """Return a grey picture, values 0 to 255, as a thumbnail of shape (576,)."""
    small = cv2.resize(grey.astype(np.float32), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    return np.rint(np.asarray(small) * LEVEL).clip(0, 0xFFFF).astype(np.uint16).ravel()


def thumbnails_of(video: Path, name: str) -> VideoThumbnails:
    """Decode a video once; memory does not grow with its length.

    Raises
    ------
    VideoError
        When it cannot be decoded, or holds no frame.
    """
    ticks: list[int] = []
    durations: list[int] = []
    width = height = 0
    base = Fraction(0)
    with tempfile.TemporaryFile() as file:
        for frame in decoded(video, name):
            grey = _luma(frame)
            height, width = grey.shape
            file.write(thumbnail(grey).tobytes())
            ticks.append(int(frame.pts or 0))
            durations.append(int(frame.duration or 0))
            base = Fraction(frame.time_base or 0)
        if not ticks:
            raise VideoError(name, "it holds no frame", FIX)
        file.flush()
        thumbnails = np.memmap(file, dtype=np.uint16, mode="r", shape=(len(ticks), PIXELS))
    steps = np.diff(ticks) if len(ticks) > 1 else np.ones(1)
    # Where the file states no duration, a frame lasts as long as most.
    lasts = np.where(np.array(durations) > 0, durations, int(np.median(steps)))
    lead = max(0, ticks[0] - round(_start_s(video) / base))
    line = Timeline(np.array(ticks, np.int64) - ticks[0], lasts.astype(np.int64), base, lead)
    return VideoThumbnails(thumbnails, line, width, height)


def _start_s(video: Path) -> Fraction:
    """Return when the first of the file's streams starts, which is ffmpeg's time 0."""
    with strangers.opened_video(video) as container:
        return Fraction(container.start_time or 0, av.time_base)


def _luma(frame: av.VideoFrame) -> npt.NDArray[np.uint8]:
    """Return the grey picture of a frame as a JPEG file would have it: upright and of full range."""
    if frame.format.name not in PLANAR:
        grey = np.asarray(frame.to_ndarray(format="gray"), dtype=np.uint8)
    else:
        plane = frame.planes[0]
        rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)[: frame.height, : frame.width]
        full = frame.color_range == FULL_RANGE or frame.format.name.startswith("yuvj")
        grey = rows if full else np.asarray(cv2.LUT(np.ascontiguousarray(rows), _TO_FULL), dtype=np.uint8)
    return np.ascontiguousarray(np.rot90(grey, frame.rotation // 90)) if frame.rotation else grey


_TO_FULL = np.rint((np.arange(256) - BLACK) * 255 / (WHITE - BLACK)).clip(0, 255).astype(np.uint8)
