"""The files of a submission and the videos that they are meant for."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Fault, Faults
from scrubin.evaluation.series import note_extra_video

Kind = Literal["json", "csv"]
KINDS: dict[str, Kind] = {".json": "json", ".csv": "csv"}
LEFT_BY_SYSTEMS = {"__MACOSX", "Thumbs.db", "desktop.ini"}


@dataclass(frozen=True)
class SubmittedFiles:
    """The files of a submission.

    Parameters
    ----------
    files
        By kind and video, the file to be read for it.
    others
        Names of files that are no part of a submission, such as a description.
    """

    files: dict[tuple[Kind, str], Path]
    others: tuple[str, ...]


def folder_of(path: Path) -> Path:
    """Return a submission's folder.

    Raises
    ------
    AnnotationError
        When it is none: missing, an archive, a file.
    """
    if path.is_dir():
        return path
    what, fix = "is a file", "name the folder that holds one <video>.json per video"
    if not path.exists():
        what, fix = "there is no such folder", ""
    elif path.is_file() and zipfile.is_zipfile(path):
        what, fix = "is a zip archive", "unpack it and name the folder"
    raise AnnotationError([Fault(str(path), "folder", what, fix)])


def sort_files(folder: Path, videos: Iterable[str], faults: Faults) -> SubmittedFiles:
    """Return which file is for which video.

    Parameters
    ----------
    folder
        The submission.
    videos
        Names of the videos.
    faults
        Takes names that fit no video, folders within the folder, and a submission without files.

    Raises
    ------
    AnnotationError
        When the folder cannot be read.
    """
    names = sorted(videos)
    files: dict[tuple[Kind, str], Path] = {}
    odd: list[Path] = []
    below: list[Path] = []
    try:
        for path in sorted(folder.iterdir()):
            if path.name.startswith(".") or path.name in LEFT_BY_SYSTEMS:
                continue
            if path.is_dir():
                below += [path] if any(one.suffix.lower() in KINDS for one in path.rglob("*")) else []
            elif path.suffix in KINDS and path.stem in names and path.is_file():
                files[KINDS[path.suffix], path.stem] = path
            else:
                odd.append(path)
    except OSError as error:
        raise AnnotationError([Fault(str(folder), "file-unreadable", f"cannot be read: {error.strerror}", "make it readable")]) from error
    others = tuple(path.name for path in odd if not _place(path, names, files, faults))
    _note_nested_folders(below, bool(files), faults)
    if not files and not below:
        example = f"{names[0]}.json" if names else "<video>.json"
        faults.error("", "folder-empty", "the submission has no files that fit a video", f"name one per video, such as {example}")
    return SubmittedFiles(files, others)


def _note_nested_folders(below: list[Path], has_files: bool, faults: Faults) -> None:
    for path in below:
        fix = "move its files up" if has_files or len(below) > 1 else f"move its files up, or name this folder: .../{path.name}"
        faults.error(f"{path.name}/", "folder-nested", "there are files in a folder within the submission, which are not read", fix)


def _place(path: Path, names: list[str], files: dict[tuple[Kind, str], Path], faults: Faults) -> bool:
    """Tell what is wrong with an odd name; return False for a file that is no part of a submission."""
    kind = KINDS.get(path.suffix.lower())
    meant = _meant(path, names)
    if kind is None:
        if meant is not None and path.stem.split(".")[0].casefold() == meant.casefold():
            fault = f"its name is that of a video, but '{path.suffix}' is no suffix of a submitted file"
            faults.error(path.name, "name-suffix", fault, f"write it as {meant}.json, or phases as {meant}.csv")
            return True
        return False
    if not path.is_file():
        faults.error(path.name, "name-video", "is no regular file", "copy the file itself into the folder")
        return True
    if meant is None:
        if kind == "csv":
            return False
        example = f"; the videos are {', '.join(names[:3])}" + (" ..." if len(names) > 3 else "") if names else ""
        note_extra_video(path.name, faults, f"leave it out, or correct its name{example}")
        return True
    wanted = f"{meant}{path.suffix.lower()}"
    if (kind, meant) in files:
        note_extra_video(path.name, faults, f"leave it out, as there is {wanted} too")
        return True
    faults.error(path.name, "name-video", "fits no video of the ground truth", f"did you mean {wanted}?")
    files[kind, meant] = path
    return True


def _meant(path: Path, names: list[str]) -> str | None:
    """Return the only video that a name can mean: same but for case, or with the same number."""
    stem = path.stem.casefold().strip()
    same = [name for name in names if name.casefold() in (stem, path.name.casefold(), path.stem.split(".")[0].casefold())]
    within = [name for name in names if re.search(rf"(?<![a-z0-9]){re.escape(name.casefold())}(?![a-z0-9])", stem)]
    number = _number(stem)
    numbered = [name for name in names if number is not None and _number(name) == number]
    for candidates in (same, within, numbered):
        if len(candidates) == 1:
            return candidates[0]
    return None


def _number(name: str) -> int | None:
    digits = re.findall(r"[0-9]{1,15}", name)
    return int(digits[0]) if len(digits) == 1 else None
