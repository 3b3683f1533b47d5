"""What any tool wrote, frame by frame: every stream of pictures, how much detail of a planted one it shows.

Detail is a picture without its local mean. In each tile the detail of the released picture is fitted by
least squares as ``share`` x planted detail + ``other`` x clean detail; ``likeness`` is the partial correlation
of released and planted detail with the clean one held fixed. A copy has share and likeness 1, a black tile 0,
a blurred one a small share. Contrast and brightness that a tool or an encoder changed matter little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base import strangers

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


Luma = npt.NDArray[np.float32]
"""Brightness 0 to 255, shape (height, width)."""


@dataclass(frozen=True)
class Limits:
    """From which likeness and which share of detail on a tile is shown; how they were chosen stands in docs/deid.md."""

    likeness: float
    share: float


PICTURE, LETTERS = Limits(0.5, 0.2), Limits(0.4, 0.06)
"""Letters are read as long as a faint trace of each stroke is left; what is seen in a picture is not."""
SMALLEST_DETAIL = 2.0
"""Standard deviation of detail, in levels of brightness, below which a tile has nothing to show."""


@dataclass(frozen=True)
class Tiles:
    """What each tile of a picture shows; arrays of shape (rows, columns).

    Parameters
    ----------
    counted
        Whether there is any planted detail.
    shown
        Whether it is still to be seen.
    """

    counted: npt.NDArray[np.bool_]
    shown: npt.NDArray[np.bool_]

    @property
    def share(self) -> float:
        """Share of the counted tiles that are shown; NaN when none counts."""
        total = int(self.counted.sum())
        return float(self.shown.sum()) / total if total else float("nan")


def luma(bgr: npt.NDArray[np.uint8]) -> Luma:
    """Return the brightness of a picture, blue first."""
    return cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY).astype(np.float32)


def detail(picture: Luma, side_px: int) -> Luma:
    """Return a picture without its mean over squares of so many pixels."""
    return np.asarray(picture - cv2.blur(picture, (side_px, side_px)), np.float32)


def tiles(
    released: Luma, planted: Luma, clean: Luma | None, row_edges: Sequence[int], column_edges: Sequence[int], limits: Limits = PICTURE
) -> Tiles:
    """Return which tiles of a picture still show what was planted.

    Parameters
    ----------
    released, planted, clean
        Details, as of `detail`, of one shape; ``clean`` is what is in the picture anyway, None: nothing.
    row_edges, column_edges
        Where tiles begin, from 0.
    """

    def summed(values: Luma) -> npt.NDArray[np.float64]:
        rows = np.add.reduceat(values.astype(np.float64), row_edges, axis=0)
        return np.asarray(np.add.reduceat(rows, column_edges, axis=1))

    size = summed(np.ones_like(planted))
    rr, pp, rp = summed(released * released), summed(planted * planted), summed(released * planted)
    if clean is not None:
        cc = summed(clean * clean) + 1e-6
        rc, pc = summed(released * clean), summed(planted * clean)
        rr, pp, rp = rr - rc * rc / cc, pp - pc * pc / cc, rp - rc * pc / cc
    counted = pp >= SMALLEST_DETAIL**2 * size
    safe = np.maximum(pp, 1e-6)
    likeness = rp / np.sqrt(np.maximum(rr, 1e-6) * safe)
    return Tiles(counted, counted & (likeness >= limits.likeness) & (rp / safe >= limits.share))


def edges(length: int, count: int) -> list[int]:
    """Return where ``count`` parts of about the same length begin.

    >>> edges(10, 3)
    [0, 3, 6]
    """
    return [length * part // count for part in range(count)]
