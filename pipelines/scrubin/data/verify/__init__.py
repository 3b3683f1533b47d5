"""What lies in a downloaded folder, looked at without opening it: what a release is known by, what systems leave there."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from scrubin.base import file_lists, strangers
from scrubin.base.faults import Fault, error, warning

SUMS = file_lists.CHECKSUMS
FILES = "metadata/files.csv"
CROISSANT = "croissant.json"
README = "README.md"
BIBTEX = "metadata/citation.bib"
DATACITE = "metadata/datacite.json"
FACTS = "metadata/facts.json"
WITHDRAWN = "metadata/withdrawn.json"
VIDEOS = "tables/videos.parquet"
FRAMES = "tables/frames.parquet"
SPLITS = "tables/splits.parquet"
PROJECT = ("dvc.lock", "dvc.yaml", "params.yaml")
OURS = (FILES, VIDEOS, FRAMES, "data_dictionary.md", "certificate.json")
"""What only a release has; videos, splits and a list of checksums may be anybody's."""
RELEASE = (CROISSANT, *OURS, "groundtruth", "splits", "videos", "frames")
MAY_BE_EMPTY = frozenset({"Annotation", "archives", "calibration", "frames", "groundtruth", "metadata", "splits", "tables", "videos"})
DEPTH = 3
"""So many folders deeper a release is looked for, to say where it is."""

_UNFINISHED = re.compile(
    r"(?P<name>.+?)\.(?:part|partial|crdownload|download|opdownload|aria2|filepart|tmp|temp|incomplete|unfinished|!ut|!qb|bc!|st)",
    re.IGNORECASE,
)
_HIDDEN_PART = re.compile(r"\.(?:part-)?(?P<name>.+?\.[A-Za-z0-9]{2,7})(?:\.[A-Za-z0-9]{6})?")


def is_release(folder: Path) -> bool:
    """Whether a folder is a release: it has the list of checksums, or is no project and has what only releases have."""
    if (folder / SUMS).exists():
        return True
    return not _has(folder, PROJECT) and _has(folder, RELEASE)


def finished_around(path: Path) -> Path | None:
    """Return the finished release that a path is or lies in, whatever links lead there; None when it lies elsewhere."""
    real = strangers.real(path)
    for folder in (real, *real.parents):
        with contextlib.suppress(OSError):  # above it a folder may be closed
            if (folder / SUMS).exists() and _has(folder, OURS) and not _has(folder, PROJECT):
                return folder
    return None


def _has(folder: Path, names: Iterable[str]) -> bool:
    return any((folder / name).exists() for name in names)


def inside(folder: Path) -> list[Path]:
    """Return the releases below a folder, so that a message can name them."""
    there = [path.parent for depth in range(1, DEPTH + 1) for path in sorted(folder.glob("*/" * depth + SUMS))]
    return [path for path in there if ".dvc" not in path.parts]


def unfinished(name: str) -> str | None:
    """Return the name of the file that an unfinished download wants to be; None when it is none by its name.

    >>> unfinished("videos/a.mkv.crdownload"), unfinished("videos/.a.mkv.Xy12ab"), unfinished("videos/a.mkv")
    ('videos/a.mkv', 'videos/a.mkv', None)
    """
    path = PurePosixPath(name)
    for pattern in (_UNFINISHED, _HIDDEN_PART):
        if match := pattern.fullmatch(path.name):
            return (path.parent / match["name"]).as_posix()
    return None


@dataclass(frozen=True)
class Entry:
    """A file as its folder tells of it: whoever changes it changes one of these."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass
class Folder:
    """A folder as it lies there; names are relative to it, with ``/``.

    Parameters
    ----------
    root
        The folder.
    files
        Files, and links to files, by name.
    empty
        Folders that hold nothing.
    closed
        Folders that may not be read: what is in them is unknown, not missing.
    links
        Links that lead somewhere, with where.
    faults
        What is neither file nor folder, or leads nowhere.
    """

    root: Path
    files: dict[str, Entry] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def is_hidden(self, name: str) -> bool:
        """Whether a name lies in a folder that may not be read, or stands among the faults already."""
        return any(name == closed or name.startswith(f"{closed}/") for closed in self.closed)


def look(root: Path) -> Folder:
    """Return what lies in a folder; links to folders are followed, but not in circles."""
    folder = Folder(root)
    waiting: list[tuple[str, tuple[str, ...]]] = [("", (os.path.realpath(root),))]
    while waiting:
        name, above = waiting.pop()
        waiting += _look_into(folder, name, above)
    folder.files = dict(sorted(folder.files.items()))
    folder.empty.sort()
    return folder


def links(folder: Folder) -> Iterator[Fault]:
    """Yield one note for all links: their bytes are checked where they lead to."""
    if folder.links:
        name, target = min(folder.links.items())
        what = f"it is a link to {target}" + (f", and {len(folder.links) - 1:,} more are links" if len(folder.links) > 1 else "")
        yield warning(name, "link", what, "what it leads to is checked; copy the files themselves before you move the folder or pass it on")


def _look_into(folder: Folder, name: str, above: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    try:
        with os.scandir(folder.root / name) as scan:
            entries = list(scan)
    except OSError as failure:
        folder.closed.append(name)
        folder.faults.append(
            error(name, "unreadable", f"the folder cannot be read ({failure.strerror})", "give yourself the right to read it")
        )
        return []
    if not entries and name:
        folder.empty.append(name)
    deeper = []
    for entry in entries:
        inner = f"{name}/{entry.name}" if name else entry.name
        if file_lists.is_litter(inner) and entry.is_dir(follow_symlinks=False):
            folder.files[inner] = Entry(0, 0, 0, 0)
        elif (below := _note(folder, inner, entry, above)) is not None:
            deeper.append((inner, below))
    return deeper


def _note(folder: Folder, name: str, entry: os.DirEntry[str], above: tuple[str, ...]) -> tuple[str, ...] | None:
    """Note one entry; return the real folders above and of it when it is a folder to look into."""
    is_link = entry.is_symlink()
    try:
        status = entry.stat()
    except OSError as failure:
        reason = f"the link leads nowhere ({Path(entry.path).readlink()})" if is_link else f"it cannot be looked at ({failure.strerror})"
        folder.faults.append(error(name, "link" if is_link else "unreadable", reason, "get that file again"))
        folder.closed.append(name)
        return None
    if is_link:
        folder.links[name] = str(Path(entry.path).readlink())
    if stat.S_ISREG(status.st_mode):
        folder.files[name] = Entry(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        return None
    if not stat.S_ISDIR(status.st_mode):
        folder.faults.append(
            error(name, "special", "it is neither a file nor a folder", "remove it; get the file again if one is missing there")
        )
        folder.closed.append(name)
        return None
    real = os.path.realpath(entry.path) if is_link else os.path.join(above[-1], entry.name)  # noqa: PTH118 names may be no UTF-8
    if real in above:
        folder.faults.append(error(name, "link", "the link leads back to a folder above it", "remove the link"))
        return None
    return (*above, real)
