"""Pictures of a folder, frames of a video: small grey thumbnails, compared whatever their size or compression.

A mean over an area keeps what JPEG keeps and what resizing keeps; kept to 1/256 of a grey level,
even the noise of a still scene tells frames apart.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base import disks, pixels, strangers
from scrubin.base.errors import FileError, ReleaseError, VideoError
from scrubin.media.decode import decoded
from scrubin.media.probe import is_full_range
from scrubin.media.released import frame_files
from scrubin.media.upright import turned
from scrubin.stages.frames.conventions import IntArray, Timeline

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
    with disks.of_scratch(), tempfile.TemporaryFile() as file:
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
        grey = rows if is_full_range(frame) else np.asarray(cv2.LUT(np.ascontiguousarray(rows), _TO_FULL), dtype=np.uint8)
    return turned(grey, frame)


_TO_FULL = np.rint((np.arange(256) - BLACK) * 255 / (WHITE - BLACK)).clip(0, 255).astype(np.uint8)

SUFFIXES = (".jpg", ".jpeg", ".png")
NUMBER = re.compile(r"\d+(?=\D*$)")


@dataclass(frozen=True)
class Pictures:
    """The pictures of a folder or a shard, by number.

    Parameters
    ----------
    names, numbers
        Of the files, increasing by the last number in the name.
    thumbnails
        Shape (n, 576).
    width, height
        Of the first picture, in px.
    others
        How many files are no pictures.
    """

    names: list[str]
    numbers: list[int]
    thumbnails: Thumbnails
    width: int
    height: int
    others: int

    @property
    def step(self) -> int:
        """The distance of the numbers: 1, or for example 25 where files are named by frames of the video."""
        return math.gcd(*(number - self.numbers[0] for number in self.numbers)) or 1

    @property
    def places(self) -> list[int]:
        """The place of each picture in the numbering, from 0."""
        return [(number - self.numbers[0]) // self.step for number in self.numbers]


def read(folder: Path, name: str) -> Pictures:
    """Read a folder of JPEG or PNG files, or a tar of them.

    Raises
    ------
    ReleaseError
        When it has no pictures, or a picture cannot be read or has no number of its own.
    """
    files = _members(folder, name) if folder.is_file() else _loose(folder, name)
    kept = {file: load for file, load in files.items() if Path(file).suffix.lower() in SUFFIXES}
    if not kept:
        raise ReleaseError(f"{name}: it holds no .jpg or .png file; name the folder with the frames of one video")
    numbers: dict[int, str] = {}
    for file in sorted(kept):
        match = NUMBER.search(Path(file).stem)
        if match is None or int(match[0]) in numbers:
            fault = "no number" if match is None else f"the same number as {numbers[int(match[0])]}"
            raise ReleaseError(f"{name}/{file}: its name has {fault}; a folder must hold the frames of one video only")
        numbers[int(match[0])] = file
    ordered = [numbers[number] for number in sorted(numbers)]
    thumbnails, sizes = [], []
    for file in ordered:
        try:
            data = kept[file]()
            pixels.refuse_huge_picture(data, f"{name}/{file}")
        except OSError as error:
            msg = str(error) if isinstance(error, FileError) else f"{name}/{file}: it cannot be read ({error.strerror}); take it out"
            raise ReleaseError(msg) from error
        grey = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
        if grey is None:
            raise ReleaseError(f"{name}/{file}: it cannot be decoded; take it out, or make it again")
        thumbnails.append(thumbnail(grey.astype(np.uint8, copy=False)))
        sizes.append((grey.shape[1], grey.shape[0]))
    return Pictures(ordered, sorted(numbers), np.stack(thumbnails), *sizes[0], len(files) - len(kept))


def _loose(folder: Path, name: str) -> dict[str, Callable[[], bytes]]:
    if not folder.is_dir():
        raise ReleaseError(f"{name}: it is no folder; name the folder with the frames, or their tar")
    return {path.name: partial(strangers.read_bytes, path) for path in sorted(folder.iterdir()) if path.is_file()}


def _members(shard: Path, name: str) -> dict[str, Callable[[], bytes]]:
    try:
        members = frame_files.index(shard)
    except ValueError as error:
        raise ReleaseError(f"{name}: {error}; name a folder of frames, or their tar") from error
    return {member: partial(_slice, shard, start, size) for member, (start, size) in sorted(members.items())}


def _slice(shard: Path, start: int, size: int) -> bytes:
    with strangers.opened(shard) as file:
        file.seek(start)
        return file.read(size)


FloatArray = npt.NDArray[np.float64]
SUBSET = 64  # pictures that are searched in the whole video
CHUNK = 4096
# A compressed picture is never exactly its frame: this much of the noise lies in any one direction.
MARGIN = 25.0
LEAST_NOISE = 0.01  # grey levels squared: rounding, and small differences between colour conversions
ALIKE = 0.25  # share of the pictures' variance that frames may leave unexplained
FEWEST = 3


@dataclass(frozen=True)
class Line:
    """Where pictures lie in a video: place x of the numbering shows ``slope * x + start`` (seconds, or frames).

    ``share`` of the searched pictures lie on it.
    """

    slope: float
    start: float
    share: float


class ThumbnailComparison:
    """The pictures of a folder against the frames of a video.

    Parameters
    ----------
    pictures, frames
        Thumbnails, shapes (m, 576) and (n, 576).
    """

    def __init__(self, pictures: Thumbnails, frames: Thumbnails) -> None:
        self._pictures, self._frames = pictures, frames
        self._gain, self._offset = 1.0, 0.0

    def search(self) -> tuple[IntArray, IntArray, float]:
        """Look for some pictures in the whole video, and take over how grey levels differ.

        Returns
        -------
        Which pictures, the frame nearest to each, and the median share of the variance that stays unexplained.
        """
        which = np.unique(np.linspace(0, len(self._pictures) - 1, SUBSET).round().astype(np.int64))
        nearest, left = self._nearest(which)
        self._fit(which[left <= np.median(left)], nearest[left <= np.median(left)])
        nearest, left = self._nearest(which)
        # Of all pictures together, because a picture may be black.
        variance = max(LEAST_NOISE, float(self._levels(self._pictures[which]).var()))
        return which, nearest, float(np.median(left)) / (variance * PIXELS)

    def apart(self, pictures: IntArray, frames: IntArray) -> FloatArray:
        """Return the squared difference of each picture to its frame, in grey levels, summed over 576 cells."""
        result = np.empty(len(pictures))
        for start in range(0, len(pictures), CHUNK):
            part = slice(start, start + CHUNK)
            rows, where = np.unique(frames[part], return_inverse=True)
            shown = self._as_pictures(self._frames[rows])[where]
            difference = shown - self._levels(self._pictures[pictures[part]])
            result[part] = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
        return result

    def least(self, centres: IntArray, reach: int) -> FloatArray:
        """Return for each picture the least difference to a frame at most ``reach`` frames from its centre."""
        everyone = np.arange(len(self._pictures))
        best = np.full(len(everyone), np.inf)
        for offset in range(-reach, reach + 1):
            frames = np.clip(centres + offset, 0, len(self._frames) - 1)
            np.minimum(best, self.apart(everyone, frames), out=best)
        return best

    def _nearest(self, which: IntArray) -> tuple[IntArray, FloatArray]:
        wanted = self._levels(self._pictures[which])
        own = np.einsum("ij,ij->i", wanted, wanted, dtype=np.float64)
        best, nearest = np.full(len(which), np.inf), np.zeros(len(which), np.int64)
        for start in range(0, len(self._frames), CHUNK):
            shown = self._as_pictures(self._frames[start : start + CHUNK])
            apart = own[:, None] + np.einsum("ij,ij->i", shown, shown, dtype=np.float64)[None] - 2.0 * (wanted @ shown.T)
            here = apart.argmin(axis=1)
            less = apart[np.arange(len(which)), here]
            nearest = np.where(less < best, start + here, nearest)
            best = np.minimum(best, less)
        return nearest, self.apart(which, nearest)

    def _fit(self, pictures: IntArray, frames: IntArray) -> None:
        # Gain and offset: full or limited range, another matrix of colours.
        levels, shown = self._levels(self._pictures[pictures]).ravel(), self._levels(self._frames[frames]).ravel()
        variance = float(shown.var())
        if variance > LEAST_NOISE:
            self._gain = float(((shown - shown.mean()) * (levels - levels.mean())).mean()) / variance
        self._offset = float(levels.mean()) - self._gain * float(shown.mean())

    def _as_pictures(self, frames: Thumbnails) -> npt.NDArray[np.float32]:
        return self._levels(frames) * np.float32(self._gain) + np.float32(self._offset)

    @staticmethod
    def _levels(thumbnails: Thumbnails) -> npt.NDArray[np.float32]:
        return np.asarray(thumbnails, np.float32) / np.float32(LEVEL)


def margin(least: FloatArray) -> float:
    """Return by how much a picture may be nearer to another frame than to its own, from the least differences of all."""
    return MARGIN * max(LEAST_NOISE, float(np.median(least)) / PIXELS)


def line_through(places: IntArray, values: FloatArray, tolerance: float) -> Line:
    """Return the rising line that most points lie on; what is wrong with the others does not matter.

    Where the picture stands still, the nearest frame of a picture is anywhere.
    """
    best = Line(0.0, 0.0, 0.0)
    for a, b in combinations(range(len(places)), 2):
        slope = (values[b] - values[a]) / (places[b] - places[a])
        start = values[a] - slope * places[a]
        on = np.abs(values - slope * places - start) <= tolerance
        if slope > 0 and on.mean() > best.share and on.sum() >= min(FEWEST, len(places)):
            fitted = np.polyfit(places[on], values[on], 1)
            best = Line(float(fitted[0]), float(fitted[1]), float(on.mean()))
    return best
