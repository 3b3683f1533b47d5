"""Pieces of a file and of memory as one file that can be read and wound, without a copy of them."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from scrubin.core import strangers


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
        What follows each other: parts of the file, or bytes of memory.

    Raises
    ------
    OSError
        When the file cannot be opened.
    """

    def __init__(self, path: Path, pieces: Sequence[Piece | bytes]) -> None:
        self._descriptor = -1
        self._pieces = [piece for piece in pieces if _size(piece)]
        self._starts = [0, *accumulate(_size(piece) for piece in self._pieces)]
        self._position = 0
        self._descriptor = os.open(path, strangers.OPEN)

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
        return os.pread(self._descriptor, count, piece.offset + inside)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Wind to a position, and return it."""
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[whence]
        if origin + offset < 0:
            msg = f"there is no position {origin + offset}"
            raise ValueError(msg)
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
