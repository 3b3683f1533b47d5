"""A file that is read once, from its first byte to its last, whoever wants to know what of it."""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

CHUNK_BYTES = 1 << 22
CHUNKS_KEPT = 2


class OnePass(io.RawIOBase):
    """A file for readers that jump in it, while all of its bytes go by others once and in order.

    Chunks are read one after the other and the last two are kept, so that a reader which walks forward is served from
    what is read anyway, however large the file is. What lies behind, or far ahead, is read by itself.

    Parameters
    ----------
    path
        The file.
    watchers
        Each gets every chunk, once and in order, when ``finish`` has been called.
    """

    def __init__(self, path: Path, watchers: Sequence[Callable[[bytes], object]]) -> None:
        super().__init__()
        self._file = path.open("rb", buffering=0)
        self._watchers = watchers
        self.size = os.fstat(self._file.fileno()).st_size
        self._at = self._passed = 0
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=CHUNKS_KEPT)

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether a reader may jump in it."""
        return True

    def tell(self) -> int:
        """Return where the reader is."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Jump, as in any file."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        if start + offset < 0:
            msg = f"there is no byte {start + offset}"
            raise ValueError(msg)
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        """Return so many bytes, fewer only at the end; without a number all that are left."""
        end = self.size if size is None or size < 0 else min(self._at + size, self.size)
        data = self._between(self._at, end)
        self._at += len(data)
        return data

    def readall(self) -> bytes:
        """Return all that is left."""
        return self.read()

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Read into a buffer; return how many bytes."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def finish(self) -> None:
        """Let those bytes go by that no reader wanted."""
        while self._pull():
            pass

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def _between(self, start: int, end: int) -> bytes:
        parts = []
        while start < end:
            kept = next((one for one in self._kept if one[0] <= start < one[0] + len(one[1])), None)
            if kept is not None:
                part = kept[1][start - kept[0] : end - kept[0]]
            elif self._passed <= start < self._passed + CHUNKS_KEPT * CHUNK_BYTES:
                if not self._pull():
                    break
                continue
            else:
                part = os.pread(self._file.fileno(), min(end - start, CHUNK_BYTES), start)
                if not part:
                    break
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _pull(self) -> bool:
        self._file.seek(self._passed)
        chunk = self._file.read(CHUNK_BYTES)
        if not chunk:
            return False
        self._kept.append((self._passed, chunk))
        self._passed += len(chunk)
        for watch in self._watchers:
            watch(chunk)
        return True
