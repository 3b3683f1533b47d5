"""Released videos by the numbers of their frames; a process keeps the decoders of its last videos open."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from scrubin.base import machine, strangers
from scrubin.base.errors import RecordingError, ReleaseError, ScrubinError
from scrubin.data.load import damaged
from scrubin.data.load.place import Place

if TYPE_CHECKING:
    from scrubin.media.released.clocked_reader import Clock, OpenVideo


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
            self._clocks[identity] = _reader().clock_of(video.folder / video.path, video.path)
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
            self._open[identity] = _reader().OpenVideo(video.folder / video.path, video.path, self.clock(video, identity))
            while len(self._open) > KEPT_OPEN:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(identity)
        return self._open[identity]

    def _before_fork(self) -> None:
        self.guard.acquire()
        while self._open:
            self._open.popitem()[1].close()


def _reader() -> ModuleType:
    machine.require_package("av", "reading videos")  # what reads tables only works without
    from scrubin.media.released import clocked_reader

    return clocked_reader


_DECODERS = _Decoders()
