"""The list ``recordings.csv`` as it is written: its columns, its rows, the files that a row names."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fnmatch import translate
from pathlib import Path, PurePath, PurePosixPath

from scrubin.base.errors import ManifestError
from scrubin.base.faults import natural
from scrubin.base.file_lists import is_of_system
from scrubin.base.text import csv_text
from scrubin.base.text.csv_text import CsvRow, Sheet

NAME = "recordings.csv"
COLUMNS = ("recording", "participant", "trial", "site", "task", "camera", "path", "start_s", "end_s", "exclude")
NEEDED = ("recording", "task", "camera", "path")
"""Without these, and a participant, a row says nothing."""
TIMES = ("start_s", "end_s")
OPTIONAL = ("part", "rig", "clock")
DRAFT = "confirm"
"""The column of a list that `scrubin new-study --from` drafted: what each row guesses."""
VIDEOS = "videos"
_SPECIAL = frozenset("*?[")


def read_rows(raw: Path, needed: Sequence[str]) -> tuple[CsvRow, ...]:
    """Return every row of the list in a raw folder, see `every_row`.

    Parameters
    ----------
    raw
        The raw folder.
    needed
        Columns without which the list says nothing to whoever asks.

    Raises
    ------
    ManifestError
        When the file cannot be read as such a list.
    """
    sheet = csv_text.read_path(raw / NAME, NAME, needed)
    ManifestError.raise_any(sheet.file_faults)
    return every_row(sheet)


def every_row(sheet: Sheet) -> tuple[CsvRow, ...]:
    """Return the rows of a list, then those with more or fewer cells than its header: they name a recording all the same."""
    return (*sheet.rows, *(misfit.row for misfit in sheet.misfits))


def files_below(raw: Path) -> list[str]:
    """Return every file below ``videos/``, relative to the raw folder, sorted; without those that systems hide or leave behind."""
    every = (path.relative_to(raw).as_posix() for path in (raw / VIDEOS).rglob("*") if path.is_file())
    return sorted(path for path in every if not is_of_system(path))


def shown(path: str | PurePath) -> str:
    r"""Return the name of a file as tables and messages hold it; bytes that are no UTF-8 stand as escapes.

    >>> print(shown("videos/caf\udce9.mkv"))
    videos/caf\xe9.mkv
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def several(path: str, files: Sequence[str]) -> list[str] | None:
    """Return the files that a path names, in the order of their names, numbers by their value; None when it names one file.

    A folder names the files in it, not those in folders below. A pattern has ``*``, ``?`` or ``[...]``, which match within one name.

    Parameters
    ----------
    path
        As the list has it.
    files
        Every file there is, sorted, as `files_below` returns them.

    >>> several("videos/case", ["videos/case/10.mp4", "videos/case/9.mp4", "videos/case/old/1.mp4"])
    ['videos/case/9.mp4', 'videos/case/10.mp4']
    >>> several("videos/case_*.mp4", ["videos/case_2.mp4", "videos/case_3/1.mp4"])
    ['videos/case_2.mp4']
    """
    plain = str(PurePosixPath(path))
    if next(_beginning_with(plain, files), None) == plain:
        return None
    inside = [file for file in _beginning_with("" if plain == "." else f"{plain}/", files) if str(PurePosixPath(file).parent) == plain]
    if not inside and _SPECIAL & set(plain):
        fixed = next(place for place, letter in enumerate(plain) if letter in _SPECIAL)
        inside = [file for file in _beginning_with(plain[:fixed], files) if _matches(plain, file)]
    elif not inside and not path.endswith("/"):
        return None
    return sorted(inside, key=natural)


def _beginning_with(start: str, files: Sequence[str]) -> Iterator[str]:
    """Yield those of sorted files that begin so; no other is looked at."""
    for place in range(bisect_left(files, start), len(files)):
        if not files[place].startswith(start):
            return
        yield files[place]


def files_named(path: str, files: Sequence[str]) -> list[str]:
    """Return the files that a path names, see `several`; where it names one file, or nothing that is there, the path itself."""
    return several(path, files) or [PurePosixPath(path).as_posix()]


def _matches(pattern: str, file: str) -> bool:
    wanted, parts = PurePosixPath(pattern).parts, PurePosixPath(file).parts
    return len(wanted) == len(parts) and all(re.match(translate(one), part) for one, part in zip(wanted, parts, strict=True))
