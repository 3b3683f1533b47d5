"""The files of a format at a path: the file itself, or all below a folder whose names fit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubin.core import suggest
from scrubin.core.faults import Fault, Faults
from scrubin.errors import AnnotationError
from scrubin.labels.registry import READ_AS, WRITERS, DatasetFormat, Format, readable

NOTE = re.compile(r"\..*|manifest\.json|.*\.stamp\.json")


@dataclass(frozen=True)
class LabelFolder:
    """The files of a format below a path.

    Parameters
    ----------
    contents
        Bytes by name; the name has the folders that a format can be known by.
    others
        Files below the path that are not of the format.
    paths
        Where the files are.
    """

    contents: Mapping[str, bytes]
    others: tuple[Path, ...] = ()
    paths: tuple[Path, ...] = ()


def format_of(name: str) -> Format | DatasetFormat:
    """Return a readable format by name.

    Raises
    ------
    AnnotationError
        For an unknown name, with the near miss.
    """
    known = readable()
    name = READ_AS.get(name, name)
    if name not in known:
        what = f"'{name}' is no format that can be read" + (", only written" if name in WRITERS else "")
        raise AnnotationError([Fault("", "format-unknown", what, suggest.hint(name, known))])
    return known[name]


def find(path: Path, form: Format | DatasetFormat) -> LabelFolder:
    """Return the files of a format: the file itself, or all that fit below a folder.

    Raises
    ------
    AnnotationError
        When there is no such path, or nothing in it has a name of the format.
    """
    if not _exists(path):
        what = "there is no such file or folder"
        raise AnnotationError([Fault(str(path), "file-missing", what, "name the file or folder with the labels")])
    if not path.is_file() and not path.is_dir():
        what = "it is no plain file and no folder"
        raise AnnotationError([Fault(str(path), "file-unreadable", what, "name the file or folder with the labels")])
    every = _every(path)
    wanted = _of_format(path, form, every)
    if not wanted:
        what = f"its name does not fit the format {form.name}" if path.is_file() else f"there is no file of the format {form.name} in it"
        seen = f" (there is {every[0].relative_to(path)})" if every and not path.is_file() else ""
        raise AnnotationError([Fault(str(path), "no-files", f"{what}{seen}", f"expected {form.expected}")])
    faults = Faults()
    contents = {_name(file): _bytes_of(file, faults) for file in wanted}
    AnnotationError.raise_any(faults)
    taken = set(wanted)
    return LabelFolder(contents, tuple(file for file in every if file not in taken), tuple(wanted))


def files_by_format(path: Path) -> dict[str, list[Path]]:
    """Return the files of a path, itself or all below a folder, whose names are those of a format, by format."""
    every = _every(path)
    return {name: _of_format(path, form, every) for name, form in readable().items()}


def files_of_format(path: Path, form: Format | DatasetFormat) -> list[Path]:
    """Return the files of a path, itself or all below a folder, whose names are those of one format."""
    return _of_format(path, form, _every(path))


def is_note(file: Path) -> bool:
    """Return whether a file is none of labels: hidden, a manifest, or a stamp beside what we wrote."""
    return NOTE.fullmatch(file.name) is not None


def names_of_format(contents: Mapping[str, bytes], form: Format | DatasetFormat) -> dict[str, bytes]:
    """Return the files whose names are those of a format."""
    fits = _fits(form)
    return {file: data for file, data in contents.items() if fits.fullmatch(file)}


def by_recording(contents: Mapping[str, bytes], form: Format, faults: Faults) -> dict[str, dict[str, bytes]]:
    """Return the files of each recording, with those that belong to all; two files of one name are noted, and the second is left out."""
    fits = _fits(form)
    grouped: dict[str, dict[str, bytes]] = {}
    first: dict[str, str] = {}
    shared: dict[str, bytes] = {}
    for file, data in contents.items():
        match = fits.fullmatch(file)
        if match is None:
            continue
        if match["own"] in first:
            what = f"'{match['own']}' is also {first[match['own']]}"
            faults.error(file, "file-repeated", what, "convert the folders one by one")
            continue
        first[match["own"]] = file
        if match["recording"] is None:
            shared[file] = data
        else:
            grouped.setdefault(match["recording"], {})[file] = data
    return {recording: {**files, **shared} for recording, files in grouped.items()}


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, or a folder that must not be looked into
        return False


def _bytes_of(file: Path, faults: Faults) -> bytes:
    try:
        # Only of plain files: reading a pipe or device may never end.
        if file.exists() and not file.is_file():
            faults.error(str(file), "file-unreadable", "it is no plain file", "remove it, or put the file itself there")
            return b""
        return file.read_bytes()
    except OSError as error:
        faults.error(str(file), "file-unreadable", f"cannot be read: {error.strerror}", "make it readable, or remove it")
        return b""


def _every(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(_below(path, frozenset()))


def _below(folder: Path, above: frozenset[tuple[int, int]]) -> list[Path]:
    """Return the files below a folder, through links too, but not into a folder that is also above."""
    files: list[Path] = []
    try:
        state = folder.stat()
        here = (state.st_dev, state.st_ino)
        # Hidden files are editors' and file managers' own.
        entries = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")] if here not in above else []
    except OSError as error:
        raise AnnotationError([Fault(str(folder), "file-unreadable", f"cannot be read: {error.strerror}", "make it readable")]) from error
    for entry in entries:
        if _is_folder(entry):
            files += _below(Path(entry.path), above | {here})
        else:
            files.append(Path(entry.path))
    return files


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, which is refused when it is read
        return False


def _of_format(path: Path, form: Format | DatasetFormat, every: Iterable[Path]) -> list[Path]:
    if form.by_hand.files is not None:
        return form.by_hand.files(path)
    fits = _fits(form)
    return [file for file in every if fits.fullmatch(_name(file)) and (file == path or not is_note(file))]


def _fits(form: Format | DatasetFormat) -> re.Pattern[str]:
    return re.compile(f"(?:.*/)?(?P<own>{form.pattern.pattern})")


def _name(file: Path) -> str:
    # The folder of a file can be a part of what it says.
    return (file if file.parent.name not in ("", ".") else Path(file.resolve().parent.name) / file.name).as_posix()
