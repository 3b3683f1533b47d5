"""What says that a file is damaged: its packets, or whoever decodes it.

FFmpeg goes on where a stream is damaged and says so on its log. Its messages are counted in the whole process, because the threads
of a decoder are FFmpeg's own and nobody says for which file they speak. Where something was heard, the file is decoded again in one
thread: what that says is said of this file, at the packet that it has just been given.

A message is handed to Python, which waits for Python's lock. So whoever lets go of a decoder with threads flushes it first: then none
of them is at work, and none can wait for a lock that is held until it ends.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import TracebackType

import av
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.base.faults import count_text
from scrubin.media.opening import FIX_COPY, open_video

FIX_PARTS = "give each of these files its own row in recordings.csv, with its number in the column 'part'"
FIX_JOINED = "where each piece is whole, put them together as one: ffmpeg -i FILE -c copy a.mkv"
MOST_PLACES = 8
"""A message names no more of them."""
FIX_SIZES = "export it with one size, or name the files of each size as a recording of their own"
FIX_START = "export it again, from a key frame on"
HARMLESS = re.compile(
    r"""SEI\ type | buffering\ period | Overread\ VUI | unable\ to\ decode\ APP\ fields | mmco: | VPS\ \d+\ does\ not\ exist
      | number\ of\ reference\ frames .* exceeds\ max | non\ monotonically""",
    re.VERBOSE,
)
"""Errors that no picture suffers from: messages beside the pictures, and rules of bookkeeping that recorders are careless about."""
SKIPPED_PICTURE = re.compile(r"Skipping invalid undecodable NALU: (\d+)")
"""FFmpeg's warning about what is missing in HEVC: types up to 34 are pictures and their headers (ITU-T H.265, table 7-1)."""
LAST_PICTURE_TYPE = 34
_COVER = av.stream.Disposition.attached_pic
LOGGER = logging.getLogger("libav")


class _Listener(logging.Handler):
    """Counts what accuses a file, and notes it for the thread that speaks where somebody asked for that."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.of_thread: dict[int, list[tuple[str, str]]] = {}
        self._users, self._guard = 0, threading.Lock()
        LOGGER.addHandler(self)
        LOGGER.propagate = False  # nobody else has ever heard it
        av.logging.set_skip_repeated(False)

    def __enter__(self) -> None:
        """Begin to listen, or listen for one more."""
        with self._guard:
            self._users += 1
            av.logging.set_level(av.logging.WARNING)

    def __exit__(self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End it behind the last one."""
        with self._guard:
            self._users -= 1
            if not self._users:
                av.logging.set_level(None)

    def emit(self, record: logging.LogRecord) -> None:
        """Take a message of FFmpeg."""
        source, said = record.name.removeprefix("libav."), record.getMessage().strip()
        if not _accuses(record.levelno, source, said):
            return
        self.count += 1
        notes = self.of_thread.get(threading.get_ident())
        if notes is not None:
            notes.append((source, said))


@cache
def _listener() -> _Listener:
    """Return the one of this process: FFmpeg has one log."""
    return _Listener()


def _accuses(level: int, source: str, said: str) -> bool:
    skipped = SKIPPED_PICTURE.match(said)
    if skipped is not None:
        return int(skipped[1]) <= LAST_PICTURE_TYPE
    return level >= logging.ERROR and not HARMLESS.search(said) and _may_be_of_pictures(source)


@cache
def _may_be_of_pictures(source: str) -> bool:
    """Whether a message is of pictures or of a container: not of sound, subtitles or data."""
    try:
        return av.codec.Codec(source, "r").type == "video"
    except ValueError:
        return True


@contextmanager
def listening(path: Path, name: str, *, ignore_edit_list: bool = False) -> Iterator[None]:
    """Refuse what was made of a file when FFmpeg says that it is damaged.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it.

    Raises
    ------
    VideoError
        Names what was said first, and where.
    """
    listener = _listener()
    before = listener.count
    with listener:
        yield
        if listener.count != before:
            refuse_accused(path, name, ignore_edit_list=ignore_edit_list)


def refuse_accused(path: Path, name: str, *, ignore_edit_list: bool) -> int | None:
    """Decode a file in this thread alone, while somebody is `listening`; return the first frame that is marked as damaged.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it.
    ignore_edit_list
        Decode also what an mp4 edit list hides from players.

    Raises
    ------
    VideoError
        At the first thing that FFmpeg says against it.
    """
    listener = _listener()
    notes = listener.of_thread[threading.get_ident()] = []
    first, at_s, began = None, 0.0, False
    count, marked = 0, None
    try:
        # What cannot be opened at all is the business of whoever asked.
        with suppress(FFmpegError, IndexError, StopIteration), open_video(path, ignore_edit_list=ignore_edit_list) as container:
            stream = next(one for one in container.streams.video if one.codec_context and not one.disposition & _COVER)
            stream.codec_context.thread_count = 1
            for packet in container.demux(stream):
                if packet.pts is not None:
                    first = packet.pts if first is None else first
                    at_s = max(0.0, float((packet.pts - first) * Fraction(packet.time_base or 0)))
                began = began or packet.is_keyframe
                with suppress(FFmpegError):  # it was said as well
                    for frame in packet.decode():
                        marked = count if marked is None and frame.is_corrupt else marked
                        count += 1
                if notes:
                    break
    finally:
        del listener.of_thread[threading.get_ident()]
    if notes:
        source, said = notes[0]
        raise VideoError(name, f"it is damaged at {at_s:.2f} s: '{said}', says FFmpeg's {source}", FIX_COPY if began else FIX_START)
    return marked


class Marks:
    """Frames of a file that its decoder marks as damaged.

    Threads that share pictures mark whole ones, too, in one run and not in the next: those of two fields behind one of a single picture.
    What one thread says of the whole file holds; it is asked once.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it.
    ignore_edit_list
        Decode also what an mp4 edit list hides from players.
    """

    def __init__(self, path: Path, name: str, *, ignore_edit_list: bool = False) -> None:
        self._path, self._name, self._ignore_edit_list = path, name, ignore_edit_list
        self._whole = False

    def refuse(self, fix: str = FIX_COPY) -> None:
        """Refuse the file because of a frame that is marked, unless one thread marks none.

        Raises
        ------
        VideoError
            Names the first frame that one thread marks, or what FFmpeg says then.
        """
        if not self._whole:
            marked = refuse_accused(self._path, self._name, ignore_edit_list=self._ignore_edit_list)
            if marked is not None:
                raise VideoError(self._name, f"frame {marked} is damaged", fix)
            self._whole = True


@contextmanager
def with_threads(stream: av.VideoStream, count: int) -> Iterator[av.VideoStream]:
    """Yield a stream that is decoded by so many threads; whatever happens, none of them is at work afterwards."""
    stream.thread_type = "AUTO"
    stream.codec_context.thread_count = count
    try:
        yield stream
    finally:
        stream.codec_context.flush_buffers()


def damage(
    path: Path, name: str, count: int, at_s: float, *, times_restart: bool, times_go_on: bool, joined_at: Sequence[int]
) -> VideoError:
    """Return the error for a file that has damaged packets.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it.
    count, at_s
        How many packets, and where the first one is, in seconds from the first frame.
    times_restart
        Whether the times of its packets begin again somewhere.
    times_go_on
        Whether those of each other recording go on where the one before it ends.
    joined_at
        The bytes at which other recordings begin, where these are certain to be all that the packets show; () otherwise.
    """
    verb = "is" if count == 1 else "are"
    damaged = f"{count_text(count, 'packet')} {verb} damaged, the first at {at_s:.2f} s"
    also = f", and {damaged}" if count else ""
    found = _sizes(path)
    if len(found) > 1:
        return VideoError(name, f"its picture changes size, from {' to '.join(found)}{also}", FIX_SIZES)
    if times_restart:
        return VideoError(name, f"its times begin again, as where files were put behind each other{also}", parts_fix(joined_at))
    if joined_at:
        count_of = count_text(len(joined_at) + 1, "recording")
        reason = (
            f"it is {count_of} behind each other; the second begins behind {at_s:.2f} s, and nobody can tell whether the first is whole"
        )
        return VideoError(name, reason, "; ".join([parts_fix(joined_at), *([FIX_JOINED] if times_go_on else [])]))
    return VideoError(name, damaged, FIX_COPY)


def times_restart_error(name: str, frame: int, at_s: float) -> VideoError:
    """Return the error for a file whose times begin again at a frame, so many seconds behind the first one."""
    reason = f"its times begin again at frame {frame} ({at_s:.2f} s), as where files were put behind each other"
    return VideoError(name, reason, parts_fix(()))


def parts_fix(joined_at: Sequence[int]) -> str:
    """Return the mend for files behind each other; ``joined_at`` are the bytes at which the others begin, () where nobody knows."""
    if not joined_at:
        return FIX_PARTS
    places = ", ".join([*map(str, joined_at[:MOST_PLACES]), *(["and so on"] if len(joined_at) > MOST_PLACES else [])])
    commands = f"head -c {joined_at[0]} FILE > 1.ts; tail -c +{joined_at[0] + 1} FILE > 2.ts"
    return f"{FIX_PARTS}; where only the whole is left, cut it at byte {places}, as with: {commands}"


def _sizes(path: Path) -> list[str]:
    """Return the sizes of the key frames, in order, each once; as far as they can be decoded."""
    found: dict[str, None] = {}
    with suppress(FFmpegError, IndexError), open_video(path) as container:  # it is damaged
        stream = container.streams.video[0]
        stream.codec_context.skip_frame = "NONKEY"
        for frame in container.decode(stream):
            found[f"{frame.width}x{frame.height}"] = None
    return list(found)
