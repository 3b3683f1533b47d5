"""Where the pictures of frames come from: files, loose or in shards, decoded quickly, or the released videos.

All three are libjpeg-turbo and give the same picture. None of them is imported before a picture is wanted.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from scrubin.base import machine, pixels
from scrubin.base.errors import FileError, ReleaseError
from scrubin.data.load import damaged
from scrubin.data.load.place import Place
from scrubin.data.load.rows import FrameRows
from scrubin.data.load.videos import ReleasedVideo
from scrubin.media.released import frame_files

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
