"""Which stills this server has sent: only those can have been seen."""

from __future__ import annotations

import threading
from collections.abc import Sequence

FileKey = tuple[int, str]
"""Number of the recording, and camera."""
# Below this height a still on the sheet shows no face: it counts as seen in the sheet, but not in the lens.
CLOSE_HEIGHT_PX = 64
SHEET, CLOSE, FULL = 1, 2, 4
NEEDED = {"sheet": SHEET, "lens": CLOSE, "full": FULL}
"""What must have been sent of a frame before it can be seen in a view."""


class Served:
    """Remembers for every frame in which sizes it was sent; one byte a frame."""

    def __init__(self) -> None:
        self._sizes: dict[FileKey, bytearray] = {}
        self._lock = threading.Lock()

    def sprite(self, file: FileKey, frames: Sequence[int], height: int) -> None:
        """Note stills that were sent together, each ``height`` pixels high."""
        self._note(file, frames, SHEET | CLOSE if height >= CLOSE_HEIGHT_PX else SHEET)

    def full(self, file: FileKey, frame: int) -> None:
        """Note a still that was sent as large as it is."""
        self._note(file, [frame], SHEET | CLOSE | FULL)

    def never_sent(self, file: FileKey, view: str, frames: Sequence[int]) -> list[int]:
        """Return those of the frames that cannot have been seen in a view."""
        with self._lock:
            sizes = self._sizes.get(file, b"")
            return [frame for frame in frames if not (frame < len(sizes) and sizes[frame] & NEEDED[view])]

    def _note(self, file: FileKey, frames: Sequence[int], size: int) -> None:
        with self._lock:
            sizes = self._sizes.setdefault(file, bytearray())
            sizes.extend(bytes(max(0, max(frames) + 1 - len(sizes))))
            for frame in frames:
                sizes[frame] |= size
