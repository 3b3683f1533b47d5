"""The pictures of a review: many small ones in one JPEG, or one frame as large as it is; which of them were sent.

Small ones come from the reel that the stage screen keeps, or from the video itself where there is
none. A number always means the frame that decoding from the start gives; where that cannot be had,
a sentence comes instead of a picture.

What is proven of a large still where there is a reel: scaled down, it looks like the reel's picture
of its number, and no neighbour's looks clearly more like it; otherwise frames are counted from the
start of the file. What that cannot tell is which of several frames it is that look alike; for those
stands the way in which `FrameReader` reaches a frame. Without a reel only that stands for it.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base.errors import StageError, VideoError
from scrubin.media.decode import boundaries_s
from scrubin.media.frame_reader import FIX_CHANGED
from scrubin.media.probe import SQUARE_PIXEL, pixel_aspect_of
from scrubin.media.source import Source, SourceReader
from scrubin.stages.review.attention import LEAST_HEIGHT_PX, ROUNDING_S, Clock, needed_s
from scrubin.stages.screen import reel
from scrubin.stages.screen.pass_over_file import DecodedPicture, Observation, Observed, observe_stored
from scrubin.stages.screen.reel import Reel

FileKey = tuple[int, str]
"""Number of the recording, and camera."""


class Served:
    """Remembers for which views every frame was sent large enough and since when, and the time that its person has spent.

    Parameters
    ----------
    now_s
        A clock that nobody sets.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.clock = Clock(now_s)
        self._sent_s: dict[tuple[FileKey, str], dict[int, float]] = {}
        self._lock = threading.Lock()

    def sprite(self, file: FileKey, frames: Sequence[int], height: int) -> None:
        """Note stills that were sent together, each ``height`` pixels high."""
        self._note(file, frames, [view for view, least_px in LEAST_HEIGHT_PX.items() if view != "full" and height >= least_px])

    def full(self, file: FileKey, frame: int) -> None:
        """Note a still that was sent as large as it is."""
        self._note(file, [frame], LEAST_HEIGHT_PX)

    def unseeable(self, file: FileKey, view: str, frames: Sequence[int]) -> list[int]:
        """Return those of the frames that cannot have been seen in a view: never sent for it, or only now."""
        latest_s = self.clock.now_s() - needed_s(view, 1) + ROUNDING_S
        with self._lock:
            sent_s = self._sent_s.get((file, view), {})
            return [frame for frame in frames if sent_s.get(frame, math.inf) > latest_s]

    def since_s(self, file: FileKey, view: str, frames: Sequence[int]) -> float:
        """Return when the first of some frames was sent for a view."""
        with self._lock:
            return min(self._sent_s[file, view][frame] for frame in frames)

    def _note(self, file: FileKey, frames: Sequence[int], views: Iterable[str]) -> None:
        now_s = self.clock.now_s()
        with self._lock:
            for view in views:
                sent_s = self._sent_s.setdefault((file, view), {})
                for frame in frames:
                    sent_s.setdefault(frame, now_s)


Box = tuple[int, int, int, int]
Picture = npt.NDArray[np.uint8]
Drawing = Callable[[int, Picture], Picture]
# A reader of 1080p holds about 100 MB of decoded frames; a pair of cameras has two.
MOST_READERS = 2
CHANGED = "it is not the file that was screened", FIX_CHANGED
MOST_REELS = 8
MOST_STRETCHED = Fraction(4)
"""Pixels of films are hardly more than twice as wide as high, or as high as wide: what is far beyond is a slip of a program."""
SPRITE_QUALITY, FULL_QUALITY = 85, 92
# Mean distance in levels between a frame and its own picture in the reel: at most 9 on real and synthetic footage.
NOISE_LEVELS = 12.0
NEIGHBOURS = 4
# A neighbour's picture may be nearer by the loss of the reel's encoder, which differs from frame to frame.
NEARER_SHARE, NEARER_LEVELS = 0.25, 1.0


class Stills:
    """Pictures of the files of a study; for any number of threads.

    Parameters
    ----------
    raw
        Folder of the raw study.
    files
        Its files, by recording and camera.
    readers
        So many are open at a time.
    changed
        What to say of a file that is not the one of its hash, and the mend.
    """

    def __init__(self, raw: Path, files: Mapping[FileKey, Source], readers: int = MOST_READERS, changed: tuple[str, str] = CHANGED) -> None:
        self._raw, self._files, self._most_readers, self._changed = raw, dict(files), readers, changed
        self._readers: OrderedDict[FileKey, SourceReader] = OrderedDict()
        self._reels: OrderedDict[FileKey, Reel] = OrderedDict()
        self._aspects: dict[FileKey, Fraction] = {}
        self._verified: dict[FileKey, tuple[int, ...]] = {}
        # Readers work one after the other; whoever asks a reel does not wait for them.
        self._reading, self._opening = threading.Lock(), threading.Lock()
        self._preparation = _Preparation(raw, self._files)

    def sprite(self, file: FileKey, frames: Sequence[int], height: int, columns: int, drawn: Drawing = lambda _, picture: picture) -> bytes:
        """Return several frames in one JPEG, in rows of ``columns``, each ``height`` pixels high and as wide as its shape asks.

        Parameters
        ----------
        drawn
            Returns the picture of a frame as it is to be shown.

        Raises
        ------
        VideoError
            When one of the frames cannot be decoded, or the file is gone or not the one that was screened.
        ValueError
            When the file has no frame of such a number.
        """
        self._preparation.looked_at = file
        self._refuse_changed(file)
        prepared = self._reel(file)
        if prepared is not None:
            width = _width(prepared.displayed_px, height)
            cells = [_scaled(picture, width, height) for picture in prepared.pictures(frames)]
        else:
            cells = self._read(file, frames, height)
            self._refuse_changed(file)
        shown = [drawn(frame, cell) for frame, cell in zip(frames, cells, strict=True)]
        return _jpeg(_in_rows(shown, columns), SPRITE_QUALITY)

    def played(self, file: FileKey, frames: Sequence[int], height: int, columns: int) -> bytes:
        """Return several frames as `sprite` does, from the video itself also where there is a reel, whose pictures are small.

        They are as wide as players show them, also where pixels are no squares: what is drawn on them is in shares of width and height.

        Raises
        ------
        VideoError, ValueError
            As `sprite`.
        """
        self._refuse_changed(file)
        cells = self._read(file, frames, height, self._pixel_aspect(file))
        self._refuse_changed(file)
        return _jpeg(_in_rows(cells, columns), SPRITE_QUALITY)

    def full(self, file: FileKey, frame: int, boxes: Sequence[Box | None] = (), drawn: Drawing = lambda _, picture: picture) -> bytes:
        """Return one frame as a JPEG, as large as it is displayed.

        Parameters
        ----------
        boxes
            Rectangles x, y, width and height in pixels of the picture that are black; None: all of it is.
        drawn
            As in `sprite`.

        Raises
        ------
        VideoError, ValueError
            As `sprite`.
        """
        self._preparation.looked_at = file
        self._refuse_changed(file)
        prepared = self._reel(file)
        with self._reading:
            reader = self._reader(file)
            picture = reader.picture(frame)
            if prepared is not None and _doubtful(picture, frame, prepared):
                reader.count_from_now_on()
                picture = reader.picture(frame)
        self._refuse_changed(file)
        picture = drawn(frame, picture)
        for box in boxes:
            x, y, width, height = box or (0, 0, picture.shape[1], picture.shape[0])
            picture[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)] = 0
        return _jpeg(picture, FULL_QUALITY)

    def small(self, file: FileKey, frame: int) -> Picture | None:
        """Return the reel's picture of a frame; None where there is no reel."""
        prepared = self._reel(file)
        return None if prepared is None or frame >= prepared.frame_count else prepared.pictures([frame])[0]

    def prepared(self, file: FileKey) -> float:
        """Return how much of the reel of a file is there, 0 to 1."""
        return 1.0 if self._reel(file) is not None else self._preparation.share(file)

    def prepare_in_background(self) -> None:
        """Prepare the reels that are missing, one after the other, first that of the file whose pictures were asked for last."""
        self._preparation.start()

    def close(self) -> None:
        """Stop preparing, and close all files."""
        self._preparation.stop()
        with self._reading, self._opening:
            for reader in self._readers.values():
                reader.close()
            self._readers.clear()
            self._reels.clear()

    def _read(self, file: FileKey, frames: Sequence[int], height: int, aspect: Fraction = SQUARE_PIXEL) -> list[Picture]:
        """Return frames of the video itself, each ``height`` pixels high; ``aspect`` is how wide a pixel is to its height."""
        small: dict[int, Picture] = {}
        with self._reading:
            reader = self._reader(file)
            for frame in sorted(set(frames)):
                picture = reader.picture(frame)
                small[frame] = _scaled(picture, _width((picture.shape[1] * aspect, picture.shape[0]), height), height)
        return [small[frame] for frame in frames]

    def _pixel_aspect(self, file: FileKey) -> Fraction:
        """Return how wide a pixel of a file is to its height."""
        if file not in self._aspects:
            self._aspects[file] = _pixel_aspect(self._raw / self._files[file].path)
        return self._aspects[file]

    def _reader(self, file: FileKey) -> SourceReader:
        if file not in self._readers:
            self._readers[file] = self._files[file].reader(self._raw)
            if len(self._readers) > self._most_readers:
                self._readers.popitem(last=False)[1].close()
        self._readers.move_to_end(file)
        return self._readers[file]

    def _reel(self, file: FileKey) -> Reel | None:
        with self._opening:
            if file not in self._reels:
                opened = Reel.open(self._files[file].path, self._files[file].sha256)
                if opened is None:
                    return None
                self._reels[file] = opened
                if len(self._reels) > MOST_REELS:
                    self._reels.popitem(last=False)
            self._reels.move_to_end(file)
            return self._reels[file]

    def _refuse_changed(self, file: FileKey) -> None:
        """Refuse a file that is not the one of the table `recordings`: its decisions would hide something else."""
        source = self._files[file]
        paths = [self._raw / path for path in source.paths]
        with contextlib.suppress(OSError):
            if self._verified.get(file) == _identity(paths):
                return
        with self._reading:
            reader = self._readers.pop(file, None)
            if reader is not None:
                reader.close()
            if (changed := source.changed(self._raw)) is not None:
                raise VideoError(changed, *self._changed)
            self._verified[file] = _identity(paths)


class _StoppedError(Exception):
    """Preparing was stopped."""


class _Preparation:
    """Makes missing reels in a thread of its own."""

    def __init__(self, raw: Path, files: Mapping[FileKey, Source]) -> None:
        self._raw, self._files = raw, files
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._shares: dict[FileKey, float] = {}
        self.looked_at: FileKey | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._prepare_all, name="reels", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def share(self, file: FileKey) -> float:
        return self._shares.get(file, 0.0)

    def _prepare_all(self) -> None:
        left = sorted(self._files)
        while left and not self._stopping.is_set():
            file = self.looked_at if self.looked_at in left else left[0]
            left.remove(file)
            with contextlib.suppress(VideoError, StageError, OSError, _StoppedError):
                self._prepare(file)  # what cannot be decoded is said when its pictures are asked for
            self._shares.pop(file, None)

    def _prepare(self, file: FileKey) -> None:
        source = self._files[file]
        if Reel.open(source.path, source.sha256) is not None:
            return
        if source.changed(self._raw) is not None:
            return
        times_s = boundaries_s(source.probe(self._raw))[:-1]

        def note(number: int) -> None:
            self._shares[file] = number / len(times_s)
            if self._stopping.is_set():
                raise _StoppedError

        observer = replace(reel.OBSERVER, start=lambda times: _Noting(reel.OBSERVER.start(times), note))
        observe_stored(self._raw, source, [observer], times_s)


class _Noting:
    """An observation that says how far it is."""

    def __init__(self, observation: Observation, note: Callable[[int], None]) -> None:
        self._observation, self._note = observation, note

    def see(self, number: int, picture: DecodedPicture) -> None:
        self._note(number)
        self._observation.see(number, picture)

    def finish(self) -> Observed:
        return self._observation.finish()


def _identity(paths: Sequence[Path]) -> tuple[int, ...]:
    every = [path.stat() for path in paths]
    return tuple(number for one in every for number in (one.st_size, one.st_mtime_ns, one.st_ino, one.st_dev))


def _doubtful(picture: Picture, frame: int, prepared: Reel) -> bool:
    """Whether a picture looks unlike the reel's picture of its frame, or clearly more like that of a frame beside it."""
    small = cv2.resize(picture, prepared.size_px, interpolation=cv2.INTER_AREA).astype(np.int16)
    near = range(max(0, frame - NEIGHBOURS), min(prepared.frame_count, frame + NEIGHBOURS + 1))
    distances = [float(np.abs(small - one).mean()) for one in prepared.pictures(near)]
    own = distances[frame - near.start]
    return own > NOISE_LEVELS or own > min(distances) * (1 + NEARER_SHARE) + NEARER_LEVELS


def _pixel_aspect(path: Path) -> Fraction:
    """Return how wide a pixel is to its height as players take it; a square where nothing, or no shape of a film, is stated.

    Of a film that is not turned by its player, as a released one never is.
    """
    stated = pixel_aspect_of(path, path.name)
    return stated if 1 / MOST_STRETCHED <= stated <= MOST_STRETCHED else SQUARE_PIXEL


def _width(displayed_px: tuple[int | Fraction, int], height: int) -> int:
    return max(1, round(displayed_px[0] * height / displayed_px[1]))


def _scaled(picture: Picture, width: int, height: int) -> Picture:
    # Means of four pixels, then the rest by lines: a fifth of the time that means of any area take.
    while 2 * height <= picture.shape[0] and 2 * width <= picture.shape[1]:
        picture = cv2.resize(picture, (picture.shape[1] // 2, picture.shape[0] // 2), interpolation=cv2.INTER_AREA).astype(
            np.uint8, copy=False
        )
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.uint8, copy=False)


def _in_rows(cells: Sequence[Picture], columns: int) -> Picture:
    """Return cells of one size in rows, black where the last row has none."""
    height, width = cells[0].shape[:2]
    rows = -(-len(cells) // columns)
    sheet = np.zeros((rows * height, columns * width, 3), np.uint8)
    for place, cell in enumerate(cells):
        row, column = divmod(place, columns)
        sheet[row * height : (row + 1) * height, column * width : (column + 1) * width] = cell
    return sheet


def _jpeg(picture: Picture, quality: int) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
