"""Extract the frames of one released video, decoding it once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt

from scrubin.errors import VideoError
from scrubin.frames.contract import source_frames
from scrubin.frames.params import FramesParams
from scrubin.frames.quality import quality
from scrubin.video.decode import decoded

MEND = "run 'dvc repro render' to make it again"


def extract(video: Path, folder: Path, params: FramesParams, name: str) -> list[dict[str, Any]]:
    """Write ``%06d.jpg`` files into ``folder`` and return one row per extracted frame.

    A row holds frame, source_frame, time_s and the quality columns of the table `frames`.

    Raises
    ------
    VideoError
        When a frame cannot be decoded or written.
    """
    times_s = released_times_s(video, name)
    wanted = source_frames(times_s, params.fps)
    rows: list[dict[str, Any]] = []
    previous: npt.NDArray[np.uint8] | None = None
    k = 0
    for number, frame in enumerate(decoded(video, name)):
        while k < len(wanted) and wanted[k] == number:
            picture = np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8)
            _write(folder / f"{k:06d}.jpg", picture, params.quality, name)
            grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
            rows.append({"frame": k, "source_frame": number, "time_s": float(times_s[number]), **asdict(quality(grey, previous))})
            previous = grey
            k += 1
    if k != len(wanted):
        raise VideoError(name, f"only {k} of {len(wanted)} frames could be decoded", MEND)
    return rows


def released_times_s(video: Path, name: str) -> Sequence[Fraction]:
    """Return the exact presentation times of a released video, read from its packets."""
    try:
        with av.open(f"file:{video}") as container:
            stream = container.streams.video[0]
            ticks = sorted(packet.pts for packet in container.demux(stream) if packet.size and packet.pts is not None)
            time_base = Fraction(stream.time_base or 0)
    except (av.FFmpegError, IndexError) as error:
        raise VideoError(name, f"it cannot be read ({error})", MEND) from error
    return [tick * time_base for tick in ticks]


def _write(path: Path, picture: npt.NDArray[np.uint8], jpeg_quality: int, name: str) -> None:
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, jpeg_quality])
    if not done:
        raise VideoError(name, f"{path.name} cannot be encoded as JPEG", MEND)
    path.write_bytes(data.tobytes())
