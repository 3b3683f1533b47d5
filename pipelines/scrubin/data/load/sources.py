"""Where the pictures of frames come from: files, loose or in shards, decoded quickly, or the released videos.

All three decoders of files are libjpeg-turbo and give the same picture. None of them is imported before a picture is wanted. Of the videos,
a process keeps the decoders of the last ones open.
"""

from __future__ import annotations

import io
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from scrubin.base import machine, pixels, strangers
from scrubin.base.errors import FileError, RecordingError, ReleaseError, ScrubinError
from scrubin.data.load import damaged
from scrubin.data.load.place import Place
from scrubin.data.load.rows import FrameRows
from scrubin.media.released import frame_files

if TYPE_CHECKING:
    from scrubin.media.released.clocked_reader import Clock, OpenVideo


Picture = npt.NDArray[np.uint8]
Decoder = Callable[[bytes], Picture]
JPEG, JPEG_END = b"\xff\xd8", b"\xff\xd9"
PNG, PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"


def decoded(data: bytes) -> Picture:
    """Return the picture of a JPEG or PNG file: red, green, blue, shape (height, width, 3), for the caller to keep.

    Raises
    ------
    ValueError
        When it is neither, or not whole: decoders fill what is missing with grey, and say nothing.
    ImportError
        When no decoder is installed.
    """
    if data.startswith(JPEG):
        if not data.endswith(JPEG_END):
            raise ValueError(f"the picture ends after {len(data)} bytes, in the middle")
        _refuse_huge(data)
        return _jpeg_decoder()(data)
    if not data.startswith(PNG):
        raise ValueError("it is neither JPEG nor PNG")
    if not data.endswith(PNG_END):
        raise ValueError(f"the picture ends after {len(data)} bytes, in the middle")
    _refuse_huge(data)
    return _png_decoder()(data)


def _refuse_huge(data: bytes) -> None:
    try:
        pixels.refuse_huge_picture(data, "")
    except FileError as error:
        raise ValueError(error.strerror) from error


@lru_cache(maxsize=1)
def _jpeg_decoder() -> Decoder:
    return _turbojpeg() or _png_decoder()


@lru_cache(maxsize=1)
def _png_decoder() -> Decoder:
    decoder = _opencv() or _pillow()
    if decoder is None:
        raise machine.missing_package(module="cv2", what="reading pictures")
    return decoder


def _turbojpeg() -> Decoder | None:
    try:
        import turbojpeg  # type: ignore[import-not-found,unused-ignore]

        library: Any = turbojpeg.TurboJPEG()
    except (ImportError, OSError, RuntimeError):  # the package without the library
        return None

    def decode(data: bytes) -> Picture:
        try:
            picture: Picture = library.decode(data, pixel_format=turbojpeg.TJPF_RGB)
        except OSError as error:
            raise ValueError(str(error)) from error
        return picture

    return decode


def _opencv() -> Decoder | None:
    try:
        import cv2
    except ImportError:
        return None

    directly = getattr(cv2, "IMREAD_COLOR_RGB", None)  # since OpenCV 4.11

    def decode(data: bytes) -> Picture:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR if directly is None else directly)
        if picture is None:
            raise ValueError("it cannot be decoded")
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB) if directly is None else picture, dtype=np.uint8)

    return decode


def _pillow() -> Decoder | None:
    try:
        from PIL import Image
    except ImportError:
        return None

    def decode(data: bytes) -> Picture:
        try:
            with Image.open(io.BytesIO(data)) as image:
                return np.array(image.convert("RGB"), dtype=np.uint8)
        except OSError as error:
            raise ValueError(str(error)) from error

    return decode


class PictureSource(Protocol):
    """Gives the picture of a row."""

    def picture(self, row: int, rows: FrameRows) -> Picture:
        """Return it: red, green, blue, shape (height, width, 3)."""


@dataclass(frozen=True)
class FileSource:
    """Pictures from the files of the frames.

    Parameters
    ----------
    place
        Where the release lies.
    """

    place: Place

    def picture(self, row: int, rows: FrameRows) -> Picture:
        """Return the picture.

        Raises
        ------
        ReleaseError
            When the file is missing, not whole, or not of the size that the table `frames` says.
        """
        path, folder = rows.path[row].as_py(), self.place.folder
        shard, inside, _ = path.partition(frame_files.SHARD)
        self.place.hold(f"{shard}.tar" if inside else path)
        try:
            picture = decoded(frame_files.picture(folder, path))
        except ReleaseError as error:
            raise ReleaseError(f"{error}; 'scrubin verify {folder}' says what else is wrong") from error
        except ValueError as error:
            raise damaged(folder, f"{path}: {error}") from error
        height, width = int(rows.height[row]), int(rows.width[row])
        if picture.shape[:2] != (height, width):
            what = f"it is {picture.shape[1]}x{picture.shape[0]}, but the table 'frames' says {width}x{height}"
            raise damaged(folder, f"{path}: {what}")
        return picture


@dataclass(frozen=True)
class VideoSource:
    """Pictures from the released videos: those that the files were encoded from.

    Parameters
    ----------
    videos
        By id and camera.
    """

    videos: Mapping[tuple[str, str], ReleasedVideo]

    def picture(self, row: int, rows: FrameRows) -> Picture:
        """Return the picture, of the size of its file.

        Raises
        ------
        ReleaseError
            When the video is missing, damaged or another one.
        """
        video = self.videos[rows.ids[rows.recording[row]], rows.camera[row].as_py()]
        number, clock = int(rows.source_frame[row]), video.clock()
        if number >= len(clock.ticks) or clock.time_s(number) != rows.time_s[row]:
            what = f"its frame {number} is not shown at {rows.time_s[row]:.3f} s, as the table 'frames' says"
            raise damaged(video.folder, f"{video.path}: {what}")
        picture: Picture = video.pictures([number])[0]
        height = int(rows.height[row])
        return picture if picture.shape[0] == height else pixels.shrunk(picture, height)


KEPT_OPEN = 4
KEPT_TICKS = 20_000_000
"""About 160 MB: the times of 200 hours at 25 frames per second."""
Identity = tuple[str, int, int]
Result = TypeVar("Result")


@dataclass(frozen=True)
class ReleasedVideo:
    """One released video; it holds no open file.

    Parameters
    ----------
    place
        Where the release lies.
    path
        Relative to its folder.
    frame_count
        As the table `videos` says.
    """

    place: Place
    path: str
    frame_count: int

    @property
    def folder(self) -> Path:
        """The folder of the release."""
        return self.place.folder

    def clock(self) -> Clock:
        """Return when its frames are shown.

        Raises
        ------
        ReleaseError
            When the file is missing, damaged, or has another number of frames than the table says.
        """
        return self._guarded(lambda identity: _DECODERS.clock(self, identity))

    def numbers_at(self, times_s: Sequence[Fraction]) -> npt.NDArray[np.int64]:
        """Return the number of the first frame at or after each time, which is in seconds from the first frame.

        Raises
        ------
        ReleaseError
            As `clock`, or when the video ends before.
        """
        clock = self.clock()
        numbers = clock.numbers_at(times_s)
        if len(numbers) and numbers.max() >= self.frame_count:
            raise damaged(self.folder, f"{self.path}: it has no frame at {float(max(times_s)):.3f} s, where the tables have one")
        return numbers

    def pictures(self, numbers: Sequence[int]) -> npt.NDArray[np.uint8]:
        """Return frames by their numbers, which do not decrease: red, green, blue, shape (n, height, width, 3).

        Raises
        ------
        ReleaseError
            As `clock`, or when a frame cannot be decoded.
        """
        return self._guarded(lambda identity: _DECODERS.opened(self, identity).pictures(numbers))

    def _guarded(self, work: Callable[[Identity], Result]) -> Result:
        """Do some work, in one thread at a time, and tell what is wrong as a fault of the release."""
        self.place.hold(self.path)
        path = self.folder / self.path
        try:
            status = strangers.refuse_unless_plain(path, inside=self.folder).stat()
            with _DECODERS.guard:
                return work((str(path.absolute()), status.st_size, status.st_mtime_ns))
        except OSError as error:
            raise damaged(self.folder, f"{self.path}: it cannot be read ({error.strerror or error})") from error
        except ReleaseError:
            raise  # it says already where, and what to do
        except RecordingError as error:
            raise damaged(self.folder, f"{self.path}: {error.reason}") from error
        except ScrubinError as error:
            raise damaged(self.folder, f"{self.path}: {error}") from error


class _Decoders:
    """The clocks and open decoders of this process.

    Threads of a decoder do not survive a fork, and waiting for them would never end: all are closed before one.
    """

    def __init__(self) -> None:
        self.guard = threading.RLock()
        self._clocks: OrderedDict[Identity, Clock] = OrderedDict()
        self._open: OrderedDict[Identity, OpenVideo] = OrderedDict()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._before_fork, after_in_parent=self.guard.release, after_in_child=self.guard.release)

    def clock(self, video: ReleasedVideo, identity: Identity) -> Clock:
        """Return the clock of a video."""
        if identity not in self._clocks:
            self._clocks[identity] = _clocked_reader().clock_of(video.folder / video.path, video.path)
            while len(self._clocks) > 1 and sum(len(clock.ticks) for clock in self._clocks.values()) > KEPT_TICKS:
                self._clocks.popitem(last=False)
        self._clocks.move_to_end(identity)
        clock = self._clocks[identity]
        if len(clock.ticks) != video.frame_count:
            what = f"{video.path}: it has {len(clock.ticks)} frames, but the table 'videos' says {video.frame_count}"
            raise damaged(video.folder, what)
        return clock

    def opened(self, video: ReleasedVideo, identity: Identity) -> OpenVideo:
        """Return the open decoder of a video."""
        if identity not in self._open:
            self._open[identity] = _clocked_reader().OpenVideo(video.folder / video.path, video.path, self.clock(video, identity))
            while len(self._open) > KEPT_OPEN:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(identity)
        return self._open[identity]

    def _before_fork(self) -> None:
        self.guard.acquire()
        while self._open:
            self._open.popitem()[1].close()


def _clocked_reader() -> ModuleType:
    machine.require_package("av", "reading videos")  # what reads tables only works without
    from scrubin.media.released import clocked_reader

    return clocked_reader


_DECODERS = _Decoders()
