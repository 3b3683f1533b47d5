"""What lies in a release folder: its files, folders, names, times, against the plan."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scrubin.audit.expected import Fault, Finding, Text, media_types
from scrubin.audit.expected.plan import Plan
from scrubin.audit.expected.private_strings import Needle
from scrubin.audit.expected.search import Search
from scrubin.base.files import FIXED_TIME_S

MEDIA_FOLDERS = ("videos", "frames")
# Outputs of the pipeline, which DVC expects also when they stay empty.
MAY_BE_EMPTY = frozenset({"Annotation", "archives", "calibration", "frames", "groundtruth", "splits", "tables", "videos"})


@dataclass(frozen=True)
class Folder:
    """A folder as it lies there; names are relative to it and sorted.

    Parameters
    ----------
    files
        Regular files, by name.
    odd
        Names of links and special files.
    empty
        Names of folders that hold nothing.
    """

    files: Mapping[str, Path]
    odd: tuple[str, ...]
    empty: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The names of everything; a folder that holds something stands in the names of what it holds."""
        return sorted([*self.files, *self.odd, *self.empty])


def look(folder: Path) -> Folder:
    """Return what lies in a folder."""
    files, odd, empty = {}, [], []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            odd.append(name)
        elif path.is_file():
            files[name] = path
        elif next(path.iterdir(), None) is None:
            empty.append(name)
    return Folder(files, tuple(odd), tuple(empty))


def oddities(folder: Folder) -> Iterator[Finding]:
    """Yield links, special files, extended attributes and empty folders."""
    for name in folder.odd:
        yield Finding(name, "", "layout", "links and special files may not be in a release; put the file itself there")
    for name, path in folder.files.items():
        attributes = _attributes(path)
        if attributes:
            message = f"the attributes {attributes} stay with the file in some copies and can tell where it is from; remove them"
            yield Finding(name, "", "layout", message)
    for name in folder.empty:
        if name not in MAY_BE_EMPTY:
            yield Finding(name, "", "layout", "an empty folder tells nothing but its name; remove it")


def _attributes(path: Path) -> list[str]:
    """Return the extended attributes that people or programs gave a file; browsers note there what they loaded it from."""
    if not hasattr(os, "listxattr"):
        return []
    try:
        return sorted(name for name in os.listxattr(path) if name.startswith("user."))
    except OSError:  # the file system has none
        return []


def private_names(folder: Folder, plan: Plan, search: Search) -> Iterator[tuple[str, Needle]]:
    """Yield every name of a file or folder that tells something; the numbers of planned frames are the plan's own."""
    texts: dict[str, str] = {}
    for name in folder.names:
        texts[PurePosixPath(name).parent.as_posix() if name in plan.frame_names else name] = name
    if not search.in_text(Text("", "\n".join(texts))):
        return
    for text, name in texts.items():
        for needle in sorted(search.in_text(Text("", text))):
            yield name, needle


def media_findings(folder: Folder, sha256: Mapping[str, str], plan: Plan) -> Iterator[Finding]:
    """Compare the pictures and videos that are there, in any folder, with those that must be, and with their checksums."""
    planned = plan.files
    for name in sorted(planned.keys() - folder.files.keys()):
        yield Finding(name, "", "layout", "the file is missing; run 'dvc repro' again")
    for name, path in folder.files.items():
        if name in planned:
            if planned[name] and sha256[name] != planned[name]:
                yield Finding(name, "", "checksum", "its SHA-256 is not the one in the table 'videos'; run 'dvc repro render' again")
        elif name.split("/")[0] in MEDIA_FOLDERS or media_types.is_media(name, media_types.head_of(path)):
            yield Finding(name, "", "layout", "no table names this file; take it out")


def file_time(path: Path) -> Iterator[Fault]:
    """Yield a fault for a picture, a video or a shard of pictures whose time is not the fixed one."""
    if (
        path.suffix.lower() in media_types.VIDEO_SUFFIXES | media_types.IMAGE_SUFFIXES | {".tar"}
        and int(path.stat().st_mtime) != FIXED_TIME_S
    ):
        yield Fault("file-time", "", "its time is not 2000-01-01 and can tell when it was made; run the release stage again")
