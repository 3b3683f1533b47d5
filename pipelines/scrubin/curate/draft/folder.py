"""What lies in a folder of recordings: videos or anything else, each file once."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from scrubin.base import strangers
from scrubin.base.errors import ManifestError, VideoError
from scrubin.base.file_lists import is_of_system
from scrubin.base.machine import cores
from scrubin.curate.draft import RecordedFile, Unusable, read_header
from scrubin.media.opening import is_object
from scrubin.stages.recordings_list import shown

# fmt: off
SUFFIXES = frozenset((
    ".3g2", ".3gp", ".asf", ".avi", ".dat", ".dcm", ".dicom", ".divx", ".dv", ".f4v", ".flv", ".h264", ".h265", ".hevc", ".ismv", ".m1v",
    ".m2p", ".m2t", ".m2ts", ".m2v", ".m4v", ".mj2", ".mjpeg", ".mjpg", ".mkv", ".mod", ".mov", ".mp4", ".mpe", ".mpeg", ".mpg", ".mpv",
    ".mts", ".mxf", ".ogm", ".ogv", ".qt", ".tod", ".trp", ".ts", ".vob", ".vro", ".webm", ".wmv", ".xvid", ".y4m",
))
# fmt: on
DVD_MENU = re.compile(r"VIDEO_TS\.VOB|VTS_[0-9]{2}_0\.VOB", re.I)
OF_DVD_MENU = Unusable("it is the menu of a DVD", "leave it out")
PROXY = ".lrv"
OF_PROXY = Unusable("it is a small copy that the recorder made of a recording", "leave it out")
HEAD_BYTES, SAMPLE_BYTES = 264, 1 << 16
TS_PACKET = 188
# A folder on a server answers slowly, so more files are asked for than there are cores.
THREADS_PER_CORE = 4
AMBIGUOUS = frozenset((".dat", ".ts", ".mod"))
"""Texts and programs have these names, too: their first bytes decide."""
MAYBE = Unusable("", "")
BROKEN_LINK = Unusable("it is a link that leads nowhere", "put the file there, or remove the link")
LINKED_FOLDER = "it is a link to a folder elsewhere; name that one"
COPY = "it seems to be a copy of"
NOT_UTF8 = Unusable("its name is not UTF-8", "rename it, then run again")
Progress = Callable[[Iterable[RecordedFile], int], Iterable[RecordedFile]]


@dataclass(frozen=True)
class Contents:
    """What a folder holds.

    Parameters
    ----------
    videos
        Every file that is, or may be, a recording.
    others
        Number of other files by suffix; lists, pictures, what a system leaves behind.
    folders_not_read
        Folders that could not be opened, with the reason.
    """

    videos: tuple[RecordedFile, ...]
    others: dict[str, int]
    folders_not_read: tuple[tuple[str, str], ...]


def look_through(folder: Path, skipped: Path, progress: Progress = lambda files, _: files) -> Contents:
    """Return what a folder holds; nothing in it is changed, and no video is read to its end.

    Parameters
    ----------
    folder
        Where recordings lie, in any folders below.
    skipped
        A folder that is passed over, when it lies inside: the new study.
    progress
        Shows how far it is; takes files as they are looked at, and their number.

    Raises
    ------
    ManifestError
        When it is no folder.
    """
    if not folder.is_dir():
        raise ManifestError(f"{folder}: there is no such folder; name the one with the recordings")
    paths, others, not_read = _walk(folder, skipped)
    sizes = Counter(size for _, size, _ in paths)

    def look(item: tuple[PurePosixPath, int, Unusable]) -> RecordedFile:
        return _look(folder, item, is_alone=sizes[item[1]] == 1)

    with ThreadPoolExecutor(THREADS_PER_CORE * cores()) as pool:
        videos = tuple(progress(pool.map(look, paths), len(paths)))
    return Contents(videos, others, not_read)


def _walk(folder: Path, skipped: Path) -> tuple[list[tuple[PurePosixPath, int, Unusable]], dict[str, int], tuple[tuple[str, str], ...]]:
    """Return path, size and first verdict of every file that may be a video, and how many others there are."""
    not_read: list[tuple[str, str]] = []
    others: Counter[str] = Counter()
    paths: list[tuple[PurePosixPath, int, Unusable]] = []

    def note(error: OSError) -> None:
        not_read.append((shown(Path(error.filename).relative_to(folder)), error.strerror or "unknown reason"))

    for at, folders, names in os.walk(folder, onerror=note):
        not_read += [(shown(Path(at, name).relative_to(folder)), LINKED_FOLDER) for name in folders if Path(at, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not is_of_system(name) and not is_same(Path(at, name), skipped))
        for name in sorted(names):
            path = Path(at, name)
            verdict = _may_be_video(path)
            if verdict is None:
                others["hidden" if name.startswith(".") else path.suffix.lower() or "without suffix"] += 1
            else:
                paths.append((PurePosixPath(path.relative_to(folder).as_posix()), _size(path), verdict))
    return paths, dict(sorted(others.items())), tuple(sorted(not_read))


def _look(folder: Path, item: tuple[PurePosixPath, int, Unusable], *, is_alone: bool) -> RecordedFile:
    path, size_bytes, verdict = item
    if verdict is not MAYBE:
        return RecordedFile(path, size_bytes, verdict)
    if not _is_utf8(path):
        return RecordedFile(path, size_bytes, NOT_UTF8)
    try:
        file = RecordedFile(path, size_bytes, read_header(folder / path, path.as_posix()))
    except VideoError as error:
        return RecordedFile(path, size_bytes, Unusable(error.reason, _fix(error)))
    return file if is_alone else replace(file, sample=_sample(folder / path, size_bytes))


def _fix(error: VideoError) -> str:
    """Return what can be done about a file that stands in no list yet."""
    fix = error.fix
    for listed in ("remove its rows from recordings.csv", "exclude the recording in recordings.csv"):
        fix = fix.replace(listed, "leave it out")
    return fix


def _may_be_video(path: Path) -> Unusable | None:
    """Return `MAYBE` for a file that may be a recording, why it is none when it looks like one, None for another file."""
    suffix = path.suffix.lower()
    if is_of_system(path.name):
        return None  # what systems leave behind, such as ._GX010123.MP4
    if DVD_MENU.fullmatch(path.name):
        return OF_DVD_MENU
    if suffix == PROXY:
        return OF_PROXY
    if not path.is_file():
        return BROKEN_LINK if suffix in SUFFIXES and path.is_symlink() else None
    if suffix in SUFFIXES - AMBIGUOUS:
        return MAYBE
    return MAYBE if _begins_like_video(path) else None


def _begins_like_video(path: Path) -> bool:
    try:
        with strangers.opened(path) as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return (
        head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide")
        or head.startswith((b"\x1a\x45\xdf\xa3", b"\x00\x00\x01\xba", b"\x30\x26\xb2\x75", b"\x06\x0e\x2b\x34", b"FLV\x01"))
        or (head.startswith(b"RIFF") and head[8:12] in (b"AVI ", b"CDXA"))
        or (head[:1] == b"G" and head[TS_PACKET : TS_PACKET + 1] == b"G")
        or (head[4:5] == b"G" and head[TS_PACKET + 8 : TS_PACKET + 9] == b"G")
        or is_object(head)
    )


def _sample(path: Path, size_bytes: int) -> str:
    digest = hashlib.sha256()
    with strangers.opened(path) as file:
        for at in (0, max(0, size_bytes // 2), max(0, size_bytes - SAMPLE_BYTES)):
            file.seek(at)
            digest.update(file.read(SAMPLE_BYTES))
    return digest.hexdigest()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_utf8(path: PurePosixPath) -> bool:
    try:
        path.as_posix().encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_same(path: Path, other: Path) -> bool:
    """Return whether two paths lead to one file or folder; what leads nowhere is none."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def without_doubles(videos: Iterable[RecordedFile], known: Container[PurePosixPath] = ()) -> Iterator[RecordedFile]:
    """Yield all files; of those that seem to have the same bytes only one stays usable: a known one, else the first by depth and name."""
    kept: dict[tuple[int, str], RecordedFile] = {}
    for file in sorted(videos, key=lambda file: (file.path not in known, len(file.path.parts), len(file.path.name), file.path.as_posix())):
        first = kept.setdefault((file.size_bytes, file.sample), file) if file.sample else file
        if first is file:
            yield file
        else:
            reason = f"{COPY} '{first.path}': same size, same bytes at the beginning, in the middle and at the end"
            yield replace(
                file,
                content=Unusable(reason, "compare both; when it is no copy, put it or a link to it below videos/ and write a row for it"),
            )
