"""JPEG and PNG files as pictures, by the quickest decoder that is installed: TurboJPEG, OpenCV or Pillow.

All three are libjpeg-turbo and give the same picture. None of them is imported before a picture is wanted.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core import extras, unpacking
from scrubin.core.errors import FileError

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
            msg = f"the picture ends after {len(data)} bytes, in the middle"
            raise ValueError(msg)
        _refuse_huge(data)
        return _jpeg_decoder()(data)
    if not data.startswith(PNG):
        msg = "it is neither JPEG nor PNG"
        raise ValueError(msg)
    if not data.endswith(PNG_END):
        msg = f"the picture ends after {len(data)} bytes, in the middle"
        raise ValueError(msg)
    _refuse_huge(data)
    return _png_decoder()(data)


def _refuse_huge(data: bytes) -> None:
    try:
        unpacking.refuse_huge_picture(data, "")
    except FileError as error:
        raise ValueError(error.strerror) from error


@lru_cache(maxsize=1)
def _jpeg_decoder() -> Decoder:
    return _turbojpeg() or _png_decoder()


@lru_cache(maxsize=1)
def _png_decoder() -> Decoder:
    decoder = _opencv() or _pillow()
    if decoder is None:
        raise extras.missing(module="cv2", what="reading pictures")
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
            msg = "it cannot be decoded"
            raise ValueError(msg)
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
