"""The bytes of a file as PyAV reads them, without copies; the error that they are no video.

FFmpeg's own reader takes a disk that fails for the end of the file, or for content that is damaged: a good recording would be blamed.
Here a read that fails is tried again, and one that goes on failing is an ``OSError`` of the disk, which nobody takes for content.
"""

from __future__ import annotations

import errno
import os
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from av.error import InvalidDataError

from scrubin.base import strangers

WAITS_S = (0.05, 0.5)
"""Before a read that failed is tried again: EIO, ESTALE and their kin often pass."""


@dataclass(frozen=True)
class Piece:
    """So many bytes of the file from an offset on."""

    offset: int
    size: int


class Pieces:
    """Pieces one after the other, read only; what PyAV needs of a file. Not for several threads at once.

    Parameters
    ----------
    path
        The file that the pieces lie in; it is opened once and closed with this object.
    pieces
        What follows each other: parts of the file, or bytes of memory. None: the whole file.

    Raises
    ------
    OSError
        When the file cannot be opened, here, or cannot be read, later; it names the file.
    """

    def __init__(self, path: Path, pieces: Sequence[Piece | bytes] | None = None) -> None:
        self._descriptor = -1
        self._path = path
        # FFmpeg looks at the suffix as well; `file:` keeps names such as "pipe:0", "-" or "concat:a" from being taken for a protocol.
        self.name = f"file:{path}"
        self._position = 0
        strangers.refuse_unless_plain(path)
        self._descriptor = os.open(path, strangers.OPEN)
        wanted = [Piece(0, os.fstat(self._descriptor).st_size)] if pieces is None else pieces
        self._pieces = [piece for piece in wanted if _size(piece)]
        self._starts = [0, *accumulate(_size(piece) for piece in self._pieces)]

    @property
    def size(self) -> int:
        """Number of bytes of all pieces."""
        return self._starts[-1]

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, up to ``size``; fewer only at the end of the last piece, or of a truncated file."""
        wanted = max(0, self.size - self._position)
        wanted = wanted if size < 0 else min(size, wanted)
        parts = []
        while wanted:
            data = self._of_one(wanted)
            if not data:
                break
            parts.append(data)
            self._position += len(data)
            wanted -= len(data)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _of_one(self, wanted: int) -> bytes:
        """Return what one piece has at the position."""
        number = bisect_right(self._starts, self._position) - 1
        piece, inside = self._pieces[number], self._position - self._starts[number]
        count = min(wanted, _size(piece) - inside)
        if isinstance(piece, bytes):
            return piece[inside : inside + count]
        return self._from_disk(piece.offset + inside, count)

    def _from_disk(self, offset: int, count: int) -> bytes:
        for wait_s in (*WAITS_S, None):
            try:
                # Not pread: whoever looks from outside sees by the place in the file how far it was read.
                os.lseek(self._descriptor, offset, os.SEEK_SET)
                return os.read(self._descriptor, count)
            except OSError as error:
                if wait_s is None or error.errno == errno.EISDIR:
                    raise OSError(error.errno, error.strerror, str(self._path)) from error
                time.sleep(wait_s)
        raise AssertionError

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Wind to a position, and return it."""
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[whence]
        if origin + offset < 0:
            raise ValueError(f"there is no position {origin + offset}")
        self._position = origin + offset
        return self._position

    def tell(self) -> int:
        """Return the position."""
        return self._position

    def chunks(self, size: int = 1 << 20) -> Iterator[bytes]:
        """Yield everything from the position on."""
        while data := self.read(size):
            yield data

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()  # PyAV lets go of it, and closes nothing


def _size(piece: Piece | bytes) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.size


INVALID_DATA = 0x41444E49  # AVERROR_INVALIDDATA, without its sign


class UnreadableError(InvalidDataError):
    """A file that is no usable video; says why, and the mend."""

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(INVALID_DATA, reason)
        self.reason = reason
        self.fix = fix

    def __reduce__(self) -> tuple[type[UnreadableError], tuple[str, str]]:
        return type(self), (self.reason, self.fix)


BUFFER_BYTES = 1 << 18
