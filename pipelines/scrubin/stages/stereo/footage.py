"""What both cameras of a rig recorded, frame by frame: which were taken at one instant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from scrubin.base import pixels
from scrubin.base.errors import CalibrationError, FileError, VideoError
from scrubin.base.faults import error
from scrubin.media.frame_reader import FrameReader
from scrubin.media.probe import Probe, probe
from scrubin.media.rigs.rig import opencv
from scrubin.media.source import Source, SourceReader

Picture = npt.NDArray[np.uint8]
SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff"}


class Footage(Protocol):
    """The frames of one camera."""

    @property
    def name(self) -> str:
        """The file or folder as the curator knows it."""

    @property
    def count(self) -> int:
        """Number of frames."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height as displayed, in pixels."""

    @property
    def fps(self) -> Fraction | None:
        """Frames per second; None for pictures."""

    @property
    def times_s(self) -> tuple[Fraction, ...]:
        """Time of each frame from the first one; empty for pictures."""

    @property
    def numbers(self) -> list[int]:
        """The number of each frame; of pictures their names, where these are numbers."""

    def picture(self, number: int) -> Picture:
        """Return a frame: blue, green, red, shape (height, width, 3)."""


@dataclass(frozen=True, eq=False)
class VideoFootage:
    """Frames of a video file, or of several that are one recording."""

    name: str
    probed: Probe
    reader: FrameReader | SourceReader

    @property
    def count(self) -> int:
        """Number of frames."""
        return self.probed.frame_count

    @property
    def size(self) -> tuple[int, int]:
        """Width and height as displayed."""
        return self.probed.width, self.probed.height

    @property
    def fps(self) -> Fraction | None:
        """Frames per second."""
        return self.probed.fps

    @property
    def times_s(self) -> tuple[Fraction, ...]:
        """Time of each frame from the first one."""
        return self.probed.times_s

    @property
    def numbers(self) -> list[int]:
        """The number of each frame."""
        return list(range(self.count))

    def picture(self, number: int) -> Picture:
        """Return a frame; `VideoError` when it cannot be decoded."""
        return self.reader.picture(number)


@dataclass(frozen=True, eq=False)
class PictureFootage:
    """Pictures of a folder, in the order of their names."""

    name: str
    paths: tuple[Path, ...]
    size: tuple[int, int]

    @property
    def count(self) -> int:
        """Number of pictures."""
        return len(self.paths)

    @property
    def fps(self) -> Fraction | None:
        """Pictures have no rate."""
        return None

    @property
    def times_s(self) -> tuple[Fraction, ...]:
        """Pictures have no times."""
        return ()

    @property
    def numbers(self) -> list[int]:
        """The names of the pictures, where these are numbers; else their places."""
        stems = [path.stem for path in self.paths]
        are_numbers = all(stem.isascii() and stem.isdecimal() for stem in stems)
        return [int(stem) for stem in stems] if are_numbers else list(range(self.count))

    def picture(self, number: int) -> Picture:
        """Return a picture; `CalibrationError` when it cannot be read, or is of another size than the first one."""
        picture = read_picture(self.paths[number])
        height, width = picture.shape[:2]
        if (width, height) != self.size:
            what = f"it is {width}x{height}, but the first picture is {self.size[0]}x{self.size[1]}"
            raise CalibrationError([error(str(self.paths[number]), "size", what, "use pictures of one size")])
        return picture


@contextmanager
def footage(path: Path, name: str) -> Iterator[Footage]:
    """Open the frames of one camera: a video, or a folder of pictures.

    Raises
    ------
    VideoError
        When the video is missing, empty or cannot be read.
    CalibrationError
        When the folder has no pictures.
    """
    if path.is_dir():
        paths = pictures_of(path, name)
        height, width = read_picture(paths[0]).shape[:2]
        yield PictureFootage(name, paths, (width, height))
        return
    if not path.is_file() or not path.stat().st_size:
        reason = "the file is empty (0 bytes)" if path.is_file() else "the file is missing"
        raise VideoError(name, reason, "name a video or a folder of pictures")
    probed = probe(path, name)
    reader = FrameReader(path, name, probed)
    try:
        yield VideoFootage(name, probed, reader)
    finally:
        reader.close()


@contextmanager
def source_footage(folder: Path, source: Source) -> Iterator[Footage]:
    """Open the frames of one camera whose recording is one file or several, relative to a folder.

    Raises
    ------
    VideoError
        When one of them cannot be read, or they do not belong together.
    """
    reader = source.reader(folder)
    try:
        yield VideoFootage(source.path, source.probe(folder), reader)
    finally:
        reader.close()


def pictures_of(folder: Path, name: str) -> tuple[Path, ...]:
    """Return the pictures of a folder by their names.

    Raises
    ------
    CalibrationError
        When there is none, or two differ in their ending only.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and not path.name.startswith("."))
    if not paths:
        raise CalibrationError([error(name, "pictures", f"it has no pictures ({', '.join(sorted(SUFFIXES))})", "name a folder that has")])
    if len({path.stem for path in paths}) < len(paths):
        raise CalibrationError([error(name, "pictures", "two of its pictures differ in their ending only", "keep one of them")])
    return tuple(paths)


def read_picture(path: Path) -> Picture:
    """Return the picture of a file: blue, green, red.

    Raises
    ------
    CalibrationError
        When it is none.
    """
    opencv()
    try:
        picture = pixels.read_picture(path)
    except FileError as refused:
        raise CalibrationError(refused.faults) from refused
    if picture is None:
        raise CalibrationError([error(str(path), "picture", "it cannot be read as a picture", "copy it again, or remove it")])
    return np.asarray(picture, dtype=np.uint8)


def refuse_other_size(rig_size: tuple[int, int], rig_name: str, of: Footage) -> None:
    """Refuse a calibration of another size than the pictures.

    Raises
    ------
    CalibrationError
        Says how the calibration is changed to fit, if it was the same picture.
    """
    if of.size == rig_size:
        return
    (width, height), (own_width, own_height) = of.size, rig_size
    what = f"the calibration is of pictures of {own_width}x{own_height} pixels, but {of.name} is {width}x{height}"
    fix = f"if the pictures were resized or cropped: scrubin stereo convert {rig_name} NEW --scale-to {width}x{height} (or --crop)"
    raise CalibrationError([error(rig_name, "size", what, fix)])


def every(left: Footage, right: Footage, every_s: Fraction) -> list[int]:
    """Return the numbers of the frames at every multiple of ``every_s``, as the frame contract has it; all pictures of folders.

    Raises
    ------
    CalibrationError
        When both are not alike: other names, or other numbers of frames.
    """
    refuse_unlike(left, right)
    if not left.times_s:
        return list(range(left.count))
    numbers, wanted = [], Fraction(0)
    for number, time_s in enumerate(left.times_s):
        if time_s >= wanted:
            numbers.append(number)
            wanted += every_s * max(1, int((time_s - wanted) / every_s) + 1)
    return numbers


def refuse_unlike(left: Footage, right: Footage) -> None:
    """Refuse two cameras whose frames cannot be of the same instants.

    Raises
    ------
    CalibrationError
        Names what differs.
    """
    if isinstance(left, PictureFootage) and isinstance(right, PictureFootage):
        names = [{path.stem for path in one.paths} for one in (left, right)]
        if names[0] != names[1]:
            alone = sorted(names[0] ^ names[1])
            raise _refused(right.name, f"pictures without partner: {', '.join(alone[:5])}", "give both pictures of a pair one name")
    elif left.fps is None or right.fps is None:
        raise _refused(right.name, "one camera is a video, the other a folder", "name two videos or two folders")
    elif left.count != right.count:
        what = f"it has {right.count} frames, but {left.name} has {left.count}"
        raise _refused(right.name, what, "cut both to the same frames first: frame k of both must be of one instant")


def _refused(name: str, what: str, fix: str) -> CalibrationError:
    return CalibrationError([error(name, "pairs", what, fix)])
