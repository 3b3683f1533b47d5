"""What is to be changed so that a recording goes, or gets another name: planned first, then done whole or not at all."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrubin.core.errors import StageError
from scrubin.core.files import whole


@dataclass(frozen=True)
class Change:
    """One file that gets another text, or another place.

    Parameters
    ----------
    path
        The file.
    says
        What happens to it, in half a sentence.
    data
        Its new bytes; None: it is moved.
    to
        Where it is moved.
    rows
        Rows that are taken out or changed, as they were written, each with its line.
    """

    path: Path
    says: str
    data: bytes | None = None
    to: Path | None = None
    rows: Sequence[tuple[int, str]] = field(default=())

    def lines(self) -> Iterator[str]:
        """Yield what happens, for reading."""
        yield f"{self.path}: {self.says}"
        for number, row in self.rows:
            yield f"  line {number}: {row}"


def apply(changes: Sequence[Change]) -> None:
    """Make all changes in their order; when one fails, take back those that were made.

    Killed in the middle, the same plan made anew holds what is left to do, as long as the list that names the recording comes last.

    Raises
    ------
    StageError
        When a file cannot be written or moved; then all are as before.
    """
    before: list[tuple[Change, bytes | None]] = []
    try:
        for one in changes:
            before.append((one, one.path.read_bytes() if one.data is not None and one.path.exists() else None))
            _make(one)
    except OSError as error:
        for one, data in reversed(before):
            _take_back(one, data)
        msg = f"{before[-1][0].path}: it cannot be changed ({error.strerror}); all lists are as they were, mend this and do it again"
        raise StageError(msg) from error


def _make(one: Change) -> None:
    if one.data is not None:
        mode = one.path.stat().st_mode & 0o777 if one.path.exists() else 0o644
        with whole(one.path) as part:
            part.touch(mode=mode)
            part.write_bytes(one.data)
            part.chmod(mode)
    elif one.to is not None:
        if one.to.exists():
            raise FileExistsError(errno.EEXIST, f"{one.to} is there already", str(one.to))
        one.to.parent.mkdir(parents=True, exist_ok=True)
        one.path.rename(one.to)


def _take_back(one: Change, data: bytes | None) -> None:
    if one.to is not None and one.to.exists() and not one.path.exists():
        one.to.rename(one.path)
    if one.data is not None and data is not None and one.path.read_bytes() != data:
        with whole(one.path) as part:
            part.write_bytes(data)
            part.chmod(one.path.stat().st_mode & 0o777)
    elif one.data is not None and data is None:
        one.path.unlink(missing_ok=True)
