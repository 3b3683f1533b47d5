"""Frames into video files with the encoder that comes with imageio-ffmpeg.

Constant quantiser, one thread, no look-ahead by macroblock tree: what x264 decides then hangs
on whole numbers only, and the bytes are the same on every machine. Sound is PCM for the same reason.
"""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import ffmpeg
import imageio_ffmpeg

from scrubin.base.errors import StageError
from scrubin.base.files import whole
from scrubin.stages.demo.canvas import Frame

SOUND_HZ, SOUND_RATE_HZ = 440, 8000
BITEXACT: dict[str, Any] = {"fflags": "+bitexact", "flags:v": "+bitexact"}
SHOWN = 600


@dataclass(frozen=True)
class Encoding:
    """How a clip is encoded.

    Parameters
    ----------
    quantiser
        x264's constant quantiser, 0 to 51; larger is smaller.
    gop, b_frames
        Largest distance of key frames, and frames between references.
    sound_s
        Length of a sine beside the picture; None: no sound.
    tags
        Of the container.
    chapters
        Titles of chapters of equal length.
    ticks
        Expression for the time of frame N in 1/90000 s, for a variable rate.
    """

    quantiser: int = 30
    gop: int = 250
    b_frames: int = 0
    preset: str = "superfast"
    sound_s: float | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    chapters: tuple[tuple[str, float, float], ...] = ()
    ticks: str | None = None


def encode_clip(path: Path, frames: Iterable[Frame], fps: Fraction, encoding: Encoding | None = None) -> int:
    """Write frames as H.264 into .mkv or .mp4 (by the suffix), whole or not at all.

    Returns the number of frames. All frames have the same even width and height.

    Raises
    ------
    ValueError
        There is no frame.
    StageError
        The encoder failed; what it said first is in the message.
    """
    how = encoding or Encoding()
    source = iter(frames)
    first = next(source, None)
    if first is None:
        raise ValueError(f"{path.name}: a clip needs at least one frame")
    height, width = first.y.shape
    with tempfile.TemporaryDirectory() as scratch, whole(path) as part:
        command = _command(how, part, Path(scratch), width, height, fps)
        with (Path(scratch) / "log").open("w+", encoding="utf-8") as log:
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log) as process:
                count = _feed(process, first, source)
            _check(process.returncode, log, path)
    return count


def repeat_clip(path: Path, clip: Path, loops: int) -> None:
    """Write a clip several times over into one file, without encoding it again."""
    with whole(path) as part, tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        repeated = ffmpeg.input(str(clip), stream_loop=loops - 1).output(str(part), c="copy", **BITEXACT)
        done = subprocess.run(_compiled(repeated), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, check=False)
        _check(done.returncode, log, path)


def _command(how: Encoding, part: Path, scratch: Path, width: int, height: int, fps: Fraction) -> list[str]:
    rate = f"{fps.numerator}/{fps.denominator}"
    video = ffmpeg.input("pipe:", format="rawvideo", pix_fmt="yuv420p", s=f"{width}x{height}", framerate=rate)
    options: dict[str, Any] = {"vcodec": "libx264", "preset": how.preset, "qp": how.quantiser, "g": how.gop, "bf": how.b_frames}
    options |= {"threads": 1, "x264-params": "scenecut=0:mbtree=0", **BITEXACT}
    if how.ticks is None:
        options["r"] = rate  # also as the exact rate beside Matroska's times in ms
    else:
        video = video.filter("settb", "1/90000").filter("setpts", how.ticks)
        options |= {"fps_mode": "passthrough", "enc_time_base": "1/90000", "video_track_timescale": 90000}
    streams = [video]
    if how.sound_s is not None:
        streams.append(ffmpeg.input(f"sine=frequency={SOUND_HZ}:sample_rate={SOUND_RATE_HZ}:duration={how.sound_s}", format="lavfi"))
        options["acodec"] = "pcm_s16le"
    # One key per tag: ffmpeg-python turns a list of values into the text of the list.
    options |= {f"metadata:g:{i}": f"{name}={how.tags[name]}" for i, name in enumerate(sorted(how.tags))}
    if how.chapters:
        options["map_chapters"] = len(streams)
    command = _compiled(ffmpeg.output(*streams, str(part), **options))
    if how.chapters:
        # An input of chapters has no stream, and ffmpeg-python maps a stream of every input that it knows.
        after_inputs = len(command) - command[::-1].index("-i") + 1
        command[after_inputs:after_inputs] = ["-f", "ffmetadata", "-i", str(_chapter_file(scratch, how.chapters))]
    return command


def _compiled(stream: Any) -> list[str]:
    command: list[str] = ffmpeg.compile(
        stream.global_args("-hide_banner", "-loglevel", "error", "-nostdin"), cmd=imageio_ffmpeg.get_ffmpeg_exe(), overwrite_output=True
    )
    return command


def _chapter_file(scratch: Path, chapters: tuple[tuple[str, float, float], ...]) -> Path:
    lines = [";FFMETADATA1"]
    for title, start_s, end_s in chapters:
        lines += ["[CHAPTER]", "TIMEBASE=1/1000", f"START={int(start_s * 1000)}", f"END={int(end_s * 1000)}", f"title={title}"]
    path = scratch / "chapters"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _feed(process: subprocess.Popen[bytes], first: Frame, others: Iterable[Frame]) -> int:
    count = 1
    if process.stdin is None:
        raise StageError("the encoder has no input pipe")
    try:
        process.stdin.write(first.raw())
        for frame in others:
            process.stdin.write(frame.raw())
            count += 1
        process.stdin.close()
    except BrokenPipeError:
        # The encoder has given up: its exit code and its log tell why. Closing flushes, and fails again.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    return count


def _check(code: int, log: Any, path: Path) -> None:
    if code != 0:
        log.seek(0)
        raise StageError(f"{path.name}: the encoder failed with exit code {code}: {log.read().strip()[:SHOWN]}")
