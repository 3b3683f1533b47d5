"""Reading what any tool wrote: every stream of pictures, frame by frame, as far as it can be decoded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.core import strangers
from scrubin.deid.scoring.detail import luma

Bgr = npt.NDArray[np.uint8]
FINGERPRINT = (64, 36)
FINGERPRINT_DETAIL_PX = 7
MOST_DETAIL = 4.0
"""Stronger detail counts as this: the edges of a black rectangle must not outweigh the whole operation around it."""
FLAT = 1.0
"""A fingerprint with less detail than this many levels is that of a picture that shows nothing."""
QUIET = 1.5e-5
"""Half a step of 16 bits, -96 dB of full scale: anybody can make loud again what is louder. Silence that is decoded is below."""


@dataclass(frozen=True)
class PictureStream:
    """A stream of pictures in a file; a cover is a single picture."""

    index: int
    is_cover: bool


def picture_streams(path: Path) -> list[PictureStream]:
    """Return the streams of pictures; none for what is no video or no picture."""
    try:
        with _opened(path) as container:
            return [
                PictureStream(stream.index, bool(stream.disposition & av.stream.Disposition.attached_pic))
                for stream in container.streams.video
            ]
    except (FFmpegError, IndexError, OSError, ValueError):
        return []


def pictures(path: Path, stream: int, *, ignore_edit_list: bool = False) -> Iterator[tuple[float, Bgr]]:
    """Yield every picture of a stream with its time in s from the first one; ends where nothing more can be decoded.

    Parameters
    ----------
    ignore_edit_list
        Yield also what an mp4 edit list hides from players.
    """
    first: float | None = None
    count = 0
    with suppress(FFmpegError, IndexError, OSError, ValueError), _opened(path, ignore_edit_list=ignore_edit_list) as container:
        chosen: Any = container.streams[stream]
        chosen.thread_type = "AUTO"
        for frame in container.decode(chosen):
            time_s = frame.time if frame.time is not None else count / float(chosen.average_rate or 25)
            first = time_s if first is None else first
            bgr = np.rot90(frame.to_ndarray(format="bgr24"), round(frame.rotation / 90))
            yield time_s - first, np.ascontiguousarray(bgr)
            count += 1


def fingerprint(bgr: Bgr) -> npt.NDArray[np.float32]:
    """Return the detail of a small copy of a picture as a vector of length 1; of length 0 when it shows nothing."""
    small = luma(np.asarray(cv2.resize(bgr, FINGERPRINT, interpolation=cv2.INTER_AREA), np.uint8))
    fine = small - cv2.blur(small, (FINGERPRINT_DETAIL_PX, FINGERPRINT_DETAIL_PX))
    flat = np.clip(fine, -MOST_DETAIL, MOST_DETAIL).reshape(-1)
    norm = float(np.sqrt((flat * flat).sum()))
    return np.asarray(flat / norm if norm >= FLAT * np.sqrt(flat.size) else np.zeros_like(flat), np.float32)


def is_heard(path: Path) -> bool:
    """Return whether a file has sound louder than -96 dB of full scale; sound that cannot be decoded counts as heard."""
    try:
        with _opened(path) as container:
            count = len(container.streams.audio)
        return any(_loud(path, number) for number in range(count))
    except (FFmpegError, IndexError, OSError, ValueError):
        return bool(picture_streams(path))


def _loud(path: Path, number: int) -> bool:
    with _opened(path) as container:
        resampler = av.AudioResampler(format="flt", layout="mono")
        for frame in container.decode(audio=number):
            for part in resampler.resample(frame):
                if float(np.abs(part.to_ndarray()).max(initial=0.0)) > QUIET:
                    return True
    return False


def tags(path: Path) -> list[tuple[str, str]]:
    """Return every tag that a reader shows, of file, streams and chapters, as name and value."""
    try:
        with _opened(path) as container:
            pairs = list(container.metadata.items())
            for stream in container.streams:
                pairs += list(stream.metadata.items())
            for chapter in container.chapters():
                pairs += list(dict(chapter.get("metadata", {})).items())
            return [(str(name), str(value)) for name, value in pairs]
    except (FFmpegError, IndexError, OSError, ValueError):
        return []


def _opened(path: Path, *, ignore_edit_list: bool = False) -> av.container.InputContainer:
    options = {"ignore_editlist": "1"} if ignore_edit_list else {}
    return strangers.opened_video(path, options)
