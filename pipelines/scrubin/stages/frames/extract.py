"""The frames of one video, extracted while it is decoded once.

OpenCV counts and adds bytes exactly; its sum of squares of 16-bit values is not exact and not used.

A shard is an uncompressed tar as webdataset reads it: the members of a frame stand together and
share their name up to the dot, frames are in order. Beside each picture lies what the table
`frames` says of its place. Headers are POSIX ustar with fixed values, so equal frames give equal bytes.

What no other frame is predicted from need not be decoded unless it is wanted: in H.264 of the
usual kind that is half of all frames. The decoder skips them by itself, so the bytes of the
others are the same (ITU-T H.264, 7.4.1: nal_ref_idc 0).

While the video is decoded, a second thread measures and encodes what was wanted. It takes one
frame after the other, so results do not depend on who is faster, and few frames wait for it.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, overload

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base.errors import VideoError
from scrubin.base.files import FIXED_TIME_S
from scrubin.base.machine import decoder_threads
from scrubin.base.pixels import is_black, shrunk
from scrubin.media.damage import Marks, with_threads
from scrubin.media.decode import decoded
from scrubin.media.opening import open_video
from scrubin.media.probe import picture_stream
from scrubin.media.released.frame_files import source_frames
from scrubin.media.upright import Picture, upright
from scrubin.stages.frames.frame_params import SHARD_NAME, FramesParams

Grey = npt.NDArray[np.uint8]
ALMOST_BLACK = 5
ALMOST_WHITE = 250
HASH_ROWS, HASH_COLUMNS = 8, 9
# OpenCV's histogram counts in 32-bit floats, which are exact up to here.
EXACT_COUNT = 1 << 24
VALUES = np.arange(256, dtype=np.int64)


@dataclass(frozen=True)
class Quality:
    """Quality of one frame; see the table `frames` for meanings and units."""

    sharpness: float
    brightness: float
    contrast: float
    saturated_share: float
    difference: float | None
    perceptual_hash: str


def quality(grey: Grey, previous: Grey | None) -> Quality:
    """Return the quality of a grey image, shape (height, width), values 0 to 255.

    ``previous`` is the extracted frame before it, of the same shape, or None.
    """
    counts = histogram(grey)
    total, squares = int(counts @ VALUES), int(counts @ (VALUES * VALUES))
    edges = np.asarray(cv2.Laplacian(grey, cv2.CV_16S, ksize=1), np.int32)
    edge_squares = int(np.sum(edges * edges, dtype=np.int64))
    return Quality(
        sharpness=_variance(int(np.sum(edges, dtype=np.int64)), edge_squares, grey.size),
        brightness=total / grey.size,
        contrast=_variance(total, squares, grey.size) ** 0.5,
        saturated_share=int(counts[: ALMOST_BLACK + 1].sum() + counts[ALMOST_WHITE:].sum()) / grey.size,
        difference=None if previous is None else int(cv2.norm(grey, previous, cv2.NORM_L1)) / grey.size,
        perceptual_hash=perceptual_hash(grey),
    )


def histogram(grey: Grey) -> npt.NDArray[np.int64]:
    """Return how often each value occurs, shape (256,)."""
    counts = np.zeros(256, np.int64)
    for part in np.array_split(grey, 1 + grey.size // EXACT_COUNT):
        counts += cv2.calcHist([part], [0], None, [256], [0, 256]).ravel().astype(np.int64)
    return counts


def perceptual_hash(grey: Grey) -> str:
    """Return a difference hash: 64 bits, whether each cell of an 8x9 grid is darker than its right neighbour."""
    rows = np.arange(HASH_ROWS + 1) * grey.shape[0] // HASH_ROWS
    columns = np.arange(HASH_COLUMNS + 1) * grey.shape[1] // HASH_COLUMNS
    cells = [[grey[top:bottom, left:right] for left, right in _pairs(columns)] for top, bottom in _pairs(rows)]
    sums = np.array([[int(cv2.sumElems(cell)[0]) for cell in row] for row in cells], np.int64)
    widths = np.diff(columns)
    # Means compared as products of sums and widths, so that nothing is rounded.
    darker = sums[:, :-1] * widths[1:] < sums[:, 1:] * widths[:-1]
    return np.packbits(darker.ravel()).tobytes().hex()


def _pairs(edges: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _variance(total: int, squares: int, count: int) -> float:
    return (squares * count - total * total) / (count * count)


MODE = 0o644
SIDECAR_COLUMNS = ("frame", "source_frame", "time_s", "redacted")
"""Columns of the table `frames` in the JSON beside each picture of a shard."""


Add = Callable[[Mapping[str, Any], bytes], object]
"""Writes the picture of one frame, given its row; they come in order."""


def file_name(frame: int, suffix: str) -> str:
    """Return the name of a frame's file.

    >>> file_name(12, "jpg")
    '000012.jpg'
    """
    return f"{frame:06d}.{suffix}"


@contextmanager
def shard(path: Path, suffix: str) -> Iterator[Add]:
    """Yield what writes all frames of a video into one tar: each picture, and beside it its place."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:

        def add(row: Mapping[str, Any], data: bytes) -> None:
            sidecar = json.dumps({name: row[name] for name in SIDECAR_COLUMNS}, sort_keys=True, allow_nan=False).encode() + b"\n"
            members = {file_name(row["frame"], suffix): data, file_name(row["frame"], "json"): sidecar}
            for name in sorted(members):
                header = tarfile.TarInfo(name)
                header.size, header.mtime, header.mode = len(members[name]), FIXED_TIME_S, MODE
                tar.addfile(header, io.BytesIO(members[name]))

        yield add


def sink(folder: Path, suffix: str, shards: str) -> AbstractContextManager[Add]:
    """Return where the frames of one video go: one file per frame in a folder, or a shard."""
    if shards != "none":
        return shard(folder / SHARD_NAME, suffix)
    return nullcontext(lambda row, data: (folder / file_name(row["frame"], suffix)).write_bytes(data))


def without(whole: Path, frames: Iterable[int], target: Path) -> None:
    """Write a shard again without some of its frames; everything else keeps its bytes."""
    left_out = {f"{frame:06d}" for frame in frames}
    with tarfile.open(whole) as source, tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as kept:
        for member in source:
            if member.name.partition(".")[0] not in left_out:
                kept.addfile(member, source.extractfile(member))


FIX = "run 'dvc repro render' to make it again"
WAITING = 4
FrameRow = dict[str, Any]
Spans = Sequence[tuple[int, int]]


def extract(video: Path, folder: Path, params: FramesParams, name: str, hidden: Spans | None = None, fix: str = FIX) -> list[FrameRow]:
    """Write all frames into ``folder`` and return one row per extracted frame.

    Loose frames are ``%06d.jpg`` (or png), a shard is ``frames.tar``. A row holds frame,
    source_frame, time_s, width, height, redacted and the quality columns of the table `frames`,
    which are of the picture in its full size.

    Parameters
    ----------
    video
        The released video.
    folder
        An empty folder.
    params
        See there; nothing is dropped here.
    name, fix
        What the video is called in messages, and what to do about a bad one.
    hidden
        First and last frames (of the video) of the spans that are hidden. None when nobody says what
        is hidden: then every frame that is black as a whole counts as redacted.

    Raises
    ------
    VideoError
        When a wanted frame cannot be decoded or written.
    """
    clock = packet_clock(video, name, fix)
    expected = None if clock is None else len(source_frames(clock, params.fps))
    rows: list[FrameRow] = []
    # A decoder that misjudges how far frames are reordered may lose one; it does not when it sees all of them.
    # Then every file is written again.
    for skip in (True, False):
        with sink(folder, params.format, params.shards) as add:
            wanted = wanted_frames(video, params.fps, clock, name, fix, skip=skip)
            rows = [row for of_frame in _worked(wanted, _Worker(add, params, name, hidden, fix)) for row in of_frame]
        if len(rows) == expected or (expected is None and rows):
            return rows
    raise VideoError(name, f"only {len(rows)} of {expected or 'its'} frames could be decoded", fix)


class _Worker:
    """Measures, encodes and writes frames, one after the other."""

    def __init__(self, add: Add, params: FramesParams, name: str, hidden: Spans | None, fix: str) -> None:
        self._add, self._params, self._name, self._hidden, self._fix = add, params, name, hidden, fix
        self._previous: Grey | None = None

    def rows(self, wanted: WantedFrame) -> list[FrameRow]:
        """Write a decoded frame under every number that it stands for, and return its rows."""
        picture = upright(wanted.picture)
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        try:
            sized = shrunk(picture, self._params.height)
            data = file_bytes(sized, self._params)
        except ValueError as error:
            raise VideoError(self._name, f"frame {wanted.number}: {error}", self._fix) from error
        place = {"source_frame": wanted.number, "time_s": float(wanted.time_s), "width": sized.shape[1], "height": sized.shape[0]}
        rows = []
        for frame in wanted.frames:
            measured = asdict(quality(grey, self._previous))
            rows.append({"frame": frame, **place, "redacted": self._is_hidden(wanted.number, picture), **measured})
            self._add(rows[-1], data)
            self._previous = grey
        return rows

    def _is_hidden(self, number: int, picture: Picture) -> bool:
        if self._hidden is None:
            return is_black(picture)
        return any(first <= number <= last for first, last in self._hidden)


def _worked(wanted: Iterator[WantedFrame], worker: _Worker) -> Iterator[list[FrameRow]]:
    """Yield the rows of each frame, in order, while the next ones are decoded."""
    waiting: deque[Future[list[FrameRow]]] = deque()
    with ThreadPoolExecutor(max_workers=1) as thread:
        for item in wanted:
            waiting.append(thread.submit(worker.rows, item))
            if len(waiting) > WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


# Measured on noisy footage: level 6 takes 2.3 x the time for 5 % fewer bytes.
PNG_LEVEL = 3


def file_bytes(picture: Picture, params: FramesParams) -> bytes:
    """Return a picture as the bytes of its file.

    Raises
    ------
    ValueError
        When the format cannot hold it.
    """
    options = [cv2.IMWRITE_JPEG_QUALITY, params.quality] if params.format == "jpg" else [cv2.IMWRITE_PNG_COMPRESSION, PNG_LEVEL]
    done, data = cv2.imencode(f".{params.format}", picture, options)
    if not done:
        raise ValueError(f"a picture of shape {picture.shape} cannot be encoded as {params.format}")
    return data.tobytes()


SKIPPING_CODECS = ("h264",)
# Frames take unequally long, above all when some are skipped: with twice as many threads as cores none of them waits.
MOST_THREADS = 16
ALL: Final[Literal["DEFAULT"]] = "DEFAULT"
REFERENCES: Final[Literal["NONREF"]] = "NONREF"


@dataclass(frozen=True)
class WantedFrame:
    """A decoded frame that is extracted.

    Parameters
    ----------
    number
        Its number in the video, from 0.
    time_s
        Its exact time from the first frame.
    frames
        The numbers of the extracted frames that it stands for; several where the video pauses.
    picture
        As decoded.
    """

    number: int
    time_s: Fraction
    frames: range
    picture: av.VideoFrame


class FrameClock(Sequence[Fraction]):
    """The exact time of each frame in seconds from the first one, made when it is asked for: a day has two million.

    Parameters
    ----------
    ticks
        Presentation time of every frame in units of ``time_base`` seconds, increasing.
    """

    def __init__(self, ticks: Sequence[int], time_base: Fraction) -> None:
        self.ticks, self.time_base = ticks, time_base

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.ticks)

    @overload
    def __getitem__(self, number: int) -> Fraction: ...
    @overload
    def __getitem__(self, number: slice) -> list[Fraction]: ...
    def __getitem__(self, number: int | slice) -> Fraction | list[Fraction]:
        """Return the time of a frame, or of several."""
        if isinstance(number, slice):
            return [(tick - self.ticks[0]) * self.time_base for tick in self.ticks[number]]
        return (self.ticks[number] - self.ticks[0]) * self.time_base


def wanted_frames(path: Path, fps: Fraction, clock: FrameClock | None, name: str, fix: str, *, skip: bool = True) -> Iterator[WantedFrame]:
    """Yield the frames that the contract names, in order.

    Parameters
    ----------
    path, name, fix
        The file, the file as the curator knows it, and what to do about a bad one, for messages.
    fps
        Extracted frames per second.
    clock
        From ``packet_clock``. Without it every frame is decoded, and its own time counts.
    skip
        Whether to leave frames undecoded that nothing needs.

    Raises
    ------
    VideoError
        When a wanted frame is damaged or its size changes.
    """
    if clock is None:
        yield from _counted(path, fps, name)
        return
    frames: dict[int, range] = {}
    for k, number in enumerate(source_frames(clock, fps)):
        frames[number] = range(frames[number].start if number in frames else k, k + 1)
    at = {clock.ticks[number]: number for number in frames}
    done = -1
    for picture in _decoded_at(path, at, name, fix, skip=skip):
        number = at[int(picture.pts or 0)]
        if number <= done:
            raise VideoError(name, f"its decoder gives frame {number} after frame {done}", fix)
        done = number
        yield WantedFrame(number, clock[number], frames[number], picture)


def packet_clock(path: Path, name: str, fix: str) -> FrameClock | None:
    """Return when the frames are shown, read from the packets; None when only the decoder knows."""
    try:
        with open_video(path) as container:
            stream = picture_stream(container, name)
            shown = [packet.pts for packet in container.demux(stream) if packet.size and not packet.is_discard]
            time_base = Fraction(stream.time_base or 0)
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be read ({error.strerror})", fix) from error
    ticks = sorted(tick for tick in shown if tick is not None)
    if not time_base or len(set(ticks)) != len(shown):
        return None
    return FrameClock(ticks, time_base)


def _decoded_at(path: Path, at: dict[int, int], name: str, fix: str, *, skip: bool) -> Iterator[av.VideoFrame]:
    """Yield the frames whose tick is in ``at``."""
    size: tuple[int, int, int] | None = None
    marks = Marks(path, name)
    try:
        with (
            open_video(path) as container,
            with_threads(picture_stream(container, name), min(MOST_THREADS, 2 * decoder_threads())) as stream,
        ):
            codec = stream.codec_context
            skipping = skip and codec.name in SKIPPING_CODECS
            for packet in container.demux(stream):
                if skipping:
                    # Taken over by the decoder with each packet, also by its threads.
                    codec.skip_frame = ALL if packet.pts in at else REFERENCES
                for frame in packet.decode():
                    if frame.pts not in at:
                        continue
                    if frame.is_corrupt:
                        if skipping:
                            return  # what was skipped may be to blame: all are decoded then
                        marks.refuse(fix)
                    size = size or (frame.width, frame.height, frame.rotation)
                    if size != (frame.width, frame.height, frame.rotation):
                        raise VideoError(name, f"its picture changes size before frame {at[frame.pts]}", "export it with one size")
                    yield frame
    except FFmpegError as error:
        raise VideoError(name, f"it cannot be decoded ({error.strerror})", fix) from error


def _counted(path: Path, fps: Fraction, name: str) -> Iterator[WantedFrame]:
    """Yield the same from a video whose packets do not tell their times: every frame is decoded."""
    first: int | None = None
    k = 0
    for number, frame in enumerate(decoded(path, name)):
        tick, base = int(frame.pts or 0), Fraction(frame.time_base or 0)
        first = tick if first is None else first
        time_s = (tick - first) * base
        reached = int(time_s * fps) + 1
        if reached > k:
            yield WantedFrame(number, time_s, range(k, reached), frame)
            k = reached
