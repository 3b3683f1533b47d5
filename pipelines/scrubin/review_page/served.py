"""Which stills this server has sent, and when: only those can have been looked at, and not for longer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from scrubin.review.attention import LEAST_HEIGHT_PX, Clock

FileKey = tuple[int, str]
"""Number of the recording, and camera."""


@dataclass(frozen=True)
class _Sent:
    """The greatest height in which a frame was sent in a sheet, when it first was, and whether it was as large as it is."""

    height_px: int
    since_s: float
    full: bool


class Served:
    """Remembers of every frame in which size it was sent and when, and the time that its person has spent.

    Parameters
    ----------
    now_s
        A clock that nobody sets.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.clock = Clock(now_s)
        self._sent: dict[FileKey, dict[int, _Sent]] = {}
        self._lock = threading.Lock()

    def sprite(self, file: FileKey, frames: Sequence[int], height: int) -> None:
        """Note stills that were sent together, each ``height`` pixels high."""
        self._note(file, frames, height, full=False)

    def full(self, file: FileKey, frame: int) -> None:
        """Note a still that was sent as large as it is."""
        self._note(file, [frame], max(LEAST_HEIGHT_PX.values()), full=True)

    def never_sent(self, file: FileKey, view: str, frames: Sequence[int]) -> list[int]:
        """Return those of the frames that cannot have been seen in a view."""
        with self._lock:
            sent = self._sent.get(file, {})
            return [frame for frame in frames if frame not in sent or not _large_enough(sent[frame], view)]

    def since_s(self, file: FileKey, frames: Sequence[int]) -> float:
        """Return when the first of some frames was sent."""
        with self._lock:
            return min(self._sent[file][frame].since_s for frame in frames)

    def _note(self, file: FileKey, frames: Sequence[int], height_px: int, *, full: bool) -> None:
        now_s = self.clock.now_s()
        with self._lock:
            sent = self._sent.setdefault(file, {})
            for frame in frames:
                before = sent.get(frame, _Sent(0, now_s, full=False))
                sent[frame] = replace(before, height_px=max(height_px, before.height_px), full=full or before.full)


def _large_enough(sent: _Sent, view: str) -> bool:
    return sent.full if view == "full" else sent.height_px >= LEAST_HEIGHT_PX[view]
