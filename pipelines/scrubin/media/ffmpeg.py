"""ffmpeg as a program: one encoder for every machine, whose name is in no file.

FFmpeg cannot be told to leave these out. RFC 8794 (EBML: element sizes, Void, CRC-32) and RFC 9559
(Matroska: Info, SeekHead, Tags). Nothing moves, so all positions in the file stay true.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import subprocess
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ffmpeg
import imageio_ffmpeg

from scrubin.base.disks import of_scratch
from scrubin.base.errors import StageError, VideoError
from scrubin.base.files import FULL

TOO_LARGE = getattr(signal, "SIGXFSZ", None)
"""How a program is ended that writes a file above its limit; Windows has no such limit."""
# libx264 gives other bytes for another number of threads, also for "as many as there are cores".
THREADS = 2
REBUILT = re.compile(r"\[fc#\d+ @ \w+\] Reconfiguring filter graph(?: because)?(.*)$", re.MULTILINE)
"""What ffmpeg says when pictures change on the way in what its filters are made for, also behind how far it came, in the same line."""
LONG = ("-filter_complex", "-force_key_frames")
SHOWN_LINES = 3
READING = re.compile(r"\[in#\d+/\S* @ \w+\] (?:Read error$|Error during demuxing: (.*)$)", re.MULTILINE)
"""What ffmpeg says when it cannot read on."""
ADDRESS = re.compile(r" @ 0x[0-9a-f]+(?=\])")
"""Where in its memory a part of ffmpeg is: another number in each run."""
PASSING = re.compile(r"(?:frame|size)=.* speed=|.*\] (?:Terminating thread|Task finished) with ")
"""How far ffmpeg came in which time, or in which order its threads ended: another one in each run."""
REMOTE = getattr(errno, "EREMOTEIO", errno.EIO)
"""Linux alone has it."""
FAILING = {os.strerror(number) for number in (errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENOLINK, REMOTE, errno.ENXIO)}


def run(stream: Any, name: str, timeout_s: float) -> tuple[str, ...]:
    """Run an ffmpeg-python graph to its end; the program ends when we do.

    Return why it built its filters anew on the way, in the order of the film: each trimmed, counted and timed from there on again.

    Raises
    ------
    VideoError
        When ffmpeg fails or does not finish in time, with what it said.
    StageError, OSError
        When the disk of a source fails, or that of the result.
    """
    arguments = ffmpeg.compile(stream, cmd=imageio_ffmpeg.get_ffmpeg_exe(), overwrite_output=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            command = [*_bound_to_us(), *_through_files(arguments, Path(folder))]
            done = subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout_s)
            said = done.stderr.decode(errors="replace")
            _refuse_failing_disk(said, name)
            if TOO_LARGE is not None and done.returncode == -TOO_LARGE:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
            done.check_returncode()
            return changes(done.stderr)
    except subprocess.TimeoutExpired as error:
        raise VideoError(name, f"ffmpeg did not finish within {timeout_s:.0f} s", "look at the file; it may be damaged") from error
    except subprocess.CalledProcessError as error:
        lines = [line for line in said.strip().splitlines() if not PASSING.match(line)]
        for number in FULL:
            if any(os.strerror(number) in line for line in lines):
                # The disk's fault, not the recording's.
                raise OSError(number, os.strerror(number)) from error
        said = ADDRESS.sub("", " / ".join(lines[-SHOWN_LINES:]))
        for argument in arguments:
            if argument.startswith("file:"):  # the curator's name for it, not where it lies on this machine
                said = said.replace(argument, name).replace(argument.removeprefix("file:"), name)
        raise VideoError(name, f"ffmpeg failed: {said}", "look at the file; it may be damaged") from error


def changes(said: bytes) -> tuple[str, ...]:
    """Return why ffmpeg built its filters anew, of all that it said."""
    return tuple(REBUILT.findall(said.decode(errors="replace")))


def _refuse_failing_disk(said: str, name: str) -> None:
    """Raise a `StageError` when a source could not be read: ffmpeg goes on with what it has, and its exit code is 0."""
    for match in READING.finditer(said):
        why = match[1] or os.strerror(errno.EIO)
        if why in FAILING:
            raise StageError(f"{name} cannot be read ({why}); check its disk, then run again")


def _through_files(arguments: Sequence[str], folder: Path) -> list[str]:
    """Return the arguments with the long ones in files: thousands of redactions do not fit on a command line."""
    passed = list(arguments)
    for option in LONG:
        if option in passed:
            place = passed.index(option)
            file = folder / f"{option[1:]}.txt"
            with of_scratch():
                file.write_text(passed[place + 1], encoding="utf-8")
            passed[place : place + 2] = [f"-/{option[1:]}", str(file)]
    return passed


def _bound_to_us() -> Sequence[str]:
    # util-linux's setpriv asks the kernel to end ffmpeg with the thread that waits for it.
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


SEGMENT, SEEK_HEAD, INFO, TAGS, CLUSTER = (bytes.fromhex(name) for name in ("18538067", "114D9B74", "1549A966", "1254C367", "1F43B675"))
SEEK, SEEK_ID, VOID, CRC = (bytes.fromhex(name) for name in ("4DBB", "53AB", "EC", "BF"))
PROGRAMS = (bytes.fromhex("4D80"), bytes.fromhex("5741"))  # MuxingApp and WritingApp, which must be there
TIMING = (bytes.fromhex("2AD7B1"), bytes.fromhex("4489"))  # TimestampScale and Duration
TRACKS, TRACK, VIDEO, COLOUR = (bytes.fromhex(name) for name in ("1654AE6B", "AE", "E0", "55B0"))
OF_TRACK = {CRC, VOID, VIDEO} | {
    bytes.fromhex(name)
    for name in ("D7", "73C5", "83", "B9", "88", "55AA", "9C", "6DE7", "23E383", "55EE", "22B59C", "22B59D", "86", "63A2")
}
"""What a track says to be played: number, identity, kind, flags, length of a frame, language, codec and its header (RFC 9559, 5.1.4.1)."""
DISPLAY = {bytes.fromhex(name) for name in ("54B0", "54BA", "54B2")}
STEREO = {bytes.fromhex(name) for name in ("53B8", "53B9")}
OF_VIDEO = {CRC, VOID, COLOUR, *DISPLAY} | {bytes.fromhex(name) for name in ("9A", "9D", "B0", "BA")}
"""Size, shape of a pixel, colours, and whether it is interlaced."""
OF_COLOUR = {CRC, VOID} | {bytes([0x55, number]) for number in range(0xB1, 0xBE)}
NOBODY = b"none"
HEAD_BYTES = 1 << 20


@dataclass(frozen=True)
class _Element:
    """One element: where it starts, where its content starts, and where it ends, in bytes of the head."""

    name: bytes
    start: int
    content: int
    end: int


def strip_head(path: Path) -> None:
    """Remove all tags, the names of the writing programs, and what a track says beyond its pictures, from a Matroska file.

    Of the latter FFmpeg takes over from a source for which screen it was made, and which views of cameras a picture holds.

    Raises
    ------
    ValueError
        When the head is not as FFmpeg writes it.
    """
    with path.open("r+b") as file:
        head = bytearray(file.read(HEAD_BYTES))
        for element in list(_head_elements(head)):
            if element.name == TAGS:
                _fill(head, element.start, element.end)
            elif element.name == INFO:
                _rename(head, element)
            elif element.name == SEEK_HEAD:
                _forget_tags(head, element)
            elif element.name == TRACKS:
                _keep_tracks_plain(head, element)
        file.seek(0)
        file.write(head)


def _head_elements(head: bytearray) -> Iterator[_Element]:
    """Yield the elements of the segment that come before its first cluster."""
    segment = next((element for element in _elements(head, 0, len(head)) if element.name == SEGMENT), None)
    if segment is None:
        raise ValueError("it has no segment")
    for element in _elements(head, segment.content, len(head)):
        if element.name == CLUSTER:
            return
        if element.end > len(head):
            break
        yield element
    raise ValueError("its head has no end")


def _elements(data: bytearray, position: int, end: int) -> Iterator[_Element]:
    while position < end:
        name_bytes = 9 - data[position].bit_length()
        size_at = position + name_bytes
        size_bytes = 9 - data[size_at].bit_length()
        content = size_at + size_bytes
        size = int.from_bytes(data[size_at:content], "big") & ((1 << 7 * size_bytes) - 1)
        yield _Element(bytes(data[position:size_at]), position, content, content + size)
        position = content + size


def _fill(data: bytearray, start: int, end: int) -> None:
    """Put a Void element of zeros over a piece of the file."""
    size_bytes = 1 if end - start < 10 else 8
    size = end - start - 1 - size_bytes
    data[start:end] = VOID + (size | 1 << 7 * size_bytes).to_bytes(size_bytes, "big") + bytes(size)


def _rename(data: bytearray, info: _Element) -> None:
    for element in list(_elements(data, info.content, info.end)):
        if element.name in PROGRAMS:
            size = element.end - element.content
            data[element.content : element.end] = NOBODY[:size].ljust(size, b"\0")
        elif element.name not in (*TIMING, CRC, VOID):
            _fill(data, element.start, element.end)  # a title, a date, a file name
    _renew_checksum(data, info.content, info.end)


def _keep_tracks_plain(data: bytearray, tracks: _Element) -> None:
    for track in list(_elements(data, tracks.content, tracks.end)):
        if track.name != TRACK:
            continue
        for video in _keep(data, track, OF_TRACK, VIDEO):
            views = STEREO & {element.name for element in _elements(data, video.content, video.end)}
            # The size beside a word about views is that of one view.
            for colour in _keep(data, video, OF_VIDEO - DISPLAY if views else OF_VIDEO, COLOUR):
                _keep(data, colour, OF_COLOUR, b"")
    _renew_checksum(data, tracks.content, tracks.end)


def _keep(data: bytearray, parent: _Element, kept: set[bytes], wanted: bytes) -> list[_Element]:
    """Put Void elements over all elements of a parent but those that are kept; return those of the wanted name."""
    elements = list(_elements(data, parent.content, parent.end))
    for element in elements:
        if element.name not in kept:
            _fill(data, element.start, element.end)
    return [element for element in elements if element.name == wanted]


def _forget_tags(data: bytearray, seek_head: _Element) -> None:
    """Take the entry of the tags out of the list of positions; a Void element takes up its room."""
    for entry in list(_elements(data, seek_head.content, seek_head.end)):
        if entry.name != SEEK:
            continue
        names = [bytes(data[item.content : item.end]) for item in _elements(data, entry.content, entry.end) if item.name == SEEK_ID]
        if names == [TAGS]:
            _fill(data, entry.start, entry.end)
    _renew_checksum(data, seek_head.content, seek_head.end)


def _renew_checksum(data: bytearray, start: int, end: int) -> None:
    """Renew the checksum of an element, which is its first child where there is one (RFC 8794, 11.3.1)."""
    first = next(_elements(data, start, end))
    if first.name == CRC:
        data[first.content : first.end] = zlib.crc32(data[first.end : end]).to_bytes(4, "little")
