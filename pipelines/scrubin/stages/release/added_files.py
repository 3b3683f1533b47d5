"""Files that the release stage itself adds: archives, lists, checksums.

Equal files give equal bytes: nothing is compressed (videos are already), members are sorted, and
every header that could tell who packed it when has a fixed value.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Container, Iterable, Mapping
from pathlib import Path, PurePosixPath

from scrubin.base import file_lists
from scrubin.base.file_lists import CHECKSUMS
from scrubin.base.files import CHUNK_BYTES, FIXED_TIME_S, set_fixed_time, sha256_of, sha256_of_all, whole
from scrubin.base.store.renewal import keep_only

ARCHIVES = "archives"
ADDED_NAMES = (
    "Annotation",
    "CERTIFICATE.md",
    "README.md",
    "SHA256SUMS",
    ARCHIVES,
    "certificate.json",
    "croissant.json",
    "data_dictionary.md",
    "metadata",
    "tables",
)


def discard(folder: Path, but: Container[str] = ()) -> None:
    """Remove what the stage has written, but for archives of these names: a refused release must not look finished."""
    for name in ADDED_NAMES:
        path = folder / name
        if name == ARCHIVES:
            keep_only(path, {archive for archive in path.glob("*") if f"{name}/{archive.name}" in but})
            if not any(path.iterdir()):
                path.rmdir()
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def fix_times(folder: Path, sha256: Mapping[str, str]) -> None:
    """Give every file of a release the fixed time, also those that DVC or a copy has made anew."""
    for name, value in sha256.items():
        if not _has_fixed_time(folder / name):
            set_fixed_time(folder / name, value)


def fix_times_again(folder: Path, *, made_now: bool) -> list[str]:
    """Give the files that a finished release lists the fixed time once more, whoever has moved or copied them since.

    A list without its files, or a file that is not listed, is the audit's business.

    Parameters
    ----------
    folder
        The release.
    made_now
        Whether the run that has just ended made it, and has read every byte. Else a file of another time was brought by somebody, such as
        by ``dvc pull``, which reads nothing of it: it is read first, because what has the time of its content is not read again.

    Returns
    -------
    names
        The files with other bytes than are listed, sorted. They keep their time, so that the next release replaces them.
    """
    listed = folder / file_lists.CHECKSUMS
    if not listed.is_file():
        return []
    sha256, _ = file_lists.read_checksums(listed.read_text(encoding="utf-8", errors="replace"))
    there = {name: value for name, value in sha256.items() if (folder / name).is_file()}
    brought = {} if made_now else {name: folder / name for name in there if not _has_fixed_time(folder / name)}
    damaged = sorted(name for name, value in sha256_of_all(brought).items() if value != there[name])
    for name in damaged:
        del there[name]
    fix_times(folder, there | {file_lists.CHECKSUMS: sha256_of(listed)})
    return damaged


def _has_fixed_time(path: Path) -> bool:
    return int(path.stat().st_mtime) == FIXED_TIME_S


def sizes_of_files(folder: Path, sha256: Mapping[str, str]) -> dict[str, int]:
    """Return the bytes of every file, by relative name."""
    return {name: (folder / name).stat().st_size for name in sorted(sha256)}


ANNOTATION = "Annotation"
VIDEOS, VIDEO_DEPTH = "videos", 3
"""``videos/<task>/<camera>/<id>.mkv`` is ``<task>/<camera>/<id>.mkv`` in ``<task>_<camera>.zip``."""
FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold
UNIX = 3
FILE_MODE = 0o100644 << 16


def archive_contents(folder: Path) -> dict[str, dict[str, Path]]:
    """Return the archives of a release: file name to member name to file."""
    videos = archives_of_videos(path.relative_to(folder).as_posix() for path in (folder / VIDEOS).glob("*/*/*"))
    archives = {name: {member: folder / video for member, video in members.items()} for name, members in videos.items()}
    annotation = {path.relative_to(folder).as_posix(): path for path in sorted((folder / ANNOTATION).glob("*"))}
    return archives | ({f"{ANNOTATION}.zip": annotation} if annotation else {})


def archives_of_videos(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the archives of those released files that are videos: file name to member name to released name.

    >>> archives_of_videos(["videos/Peg/left/abelo.mkv", "frames/Peg/left/abelo/000001.jpg"])
    {'Peg_left.zip': {'Peg/left/abelo.mkv': 'videos/Peg/left/abelo.mkv'}}
    """
    archives: dict[str, dict[str, str]] = {}
    for name in sorted(names):
        first, *place = PurePosixPath(name).parts
        if first == VIDEOS and len(place) == VIDEO_DEPTH:
            archives.setdefault(f"{place[0]}_{place[1]}.zip", {})["/".join(place)] = name
    return archives


def name_of_member(member: str) -> str:
    """Return the released name of a member of an archive of videos."""
    return f"{VIDEOS}/{member}"


def write_archive(path: Path, members: Mapping[str, Path]) -> None:
    """Write one archive, whole or not at all."""
    with whole(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, FIXED_DATE)
            entry.create_system = UNIX
            entry.external_attr = FILE_MODE
            entry.file_size = members[name].stat().st_size  # decides on large-file headers
            with members[name].open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, CHUNK_BYTES)


def hashes(folder: Path, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder but the list itself, by relative name, sorted.

    Parameters
    ----------
    folder
        The release.
    known
        Hashes that others state, by name: these files are not read.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    stated = dict(known or {})
    sha256 = stated | sha256_of_all({name: path for name, path in files.items() if name not in stated and name != CHECKSUMS})
    return {name: sha256[name] for name in sorted(files) if name != CHECKSUMS}
