"""The canonical form to a file or folder in some format: whole or not at all."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from scrubin.annotations.collection import Collection
from scrubin.annotations.registry import WRITERS, WRITTEN_AS, Output, Writer, readable
from scrubin.convert import formats
from scrubin.errors import AnnotationError

__all__ = ["formats", "render", "save", "writer_of"]


def writer_of(name: str) -> Writer:
    """Return the writer of a format by name.

    Raises
    ------
    AnnotationError
        For an unknown name, with the near miss, or a format that is only read.
    """
    name = WRITTEN_AS.get(name, name)
    if name in WRITERS:
        return WRITERS[name]
    near = difflib.get_close_matches(name, WRITERS, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"formats that can be written: {', '.join(sorted(WRITERS))}"
    what = "can only be read" if name in readable() else "is no format that can be written"
    msg = f"'{name}' {what}; {hint}"
    raise AnnotationError(msg)


def render(collection: Collection, writer: Writer) -> Output:
    """Return the files of a collection that fits.

    Raises
    ------
    AnnotationError
        When a file would be written outside its folder, as a recording's name says so.
    """
    out = Output()
    try:
        writer.write(collection, out)
    except ValueError as error:  # of json: infinity or NaN, which a file said of itself
        msg = f"{writer.name} cannot hold a number that is not finite: {error}; correct it in what is read"
        raise AnnotationError(msg) from error
    for name in out.files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\0" in name or "\\" in name:
            msg = f"'{name}': the name of the recording leads out of the folder; rename the recording"
            raise AnnotationError(msg)
    if not out.files:
        msg = f"nothing was written as {writer.name}; check what the files hold"
        raise AnnotationError(msg)
    return out


def save(contents: Mapping[str, bytes], out: Path) -> list[Path]:
    """Write all files or none; a single file goes to ``out`` itself when that has the same suffix.

    Raises
    ------
    AnnotationError
        When something is in the way.
    """
    names = list(contents)
    if len(names) == 1 and not out.is_dir() and out.suffix and out.suffix == PurePosixPath(names[0]).suffix:
        return _save(out.parent, {out.name: contents[names[0]]})
    if out.exists() and not out.is_dir():
        msg = f"{out}: it is a file, but {len(names)} files are written; name a folder"
        raise AnnotationError(msg)
    return _save(out, contents)


def _save(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in contents:
            if (folder / name).is_dir():
                msg = f"{folder / name}: there is a folder of this name; remove it or name another folder"
                raise AnnotationError(msg)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".part-", dir=folder) as temporary:
            parts = [(Path(temporary) / str(i), folder / name) for i, name in enumerate(contents)]
            for (part, _), data in zip(parts, contents.values(), strict=True):
                part.write_bytes(data)
            for part, path in parts:
                os.replace(part, path)  # noqa: PTH105 - the counterpart of the temporary folder's plain files
    except OSError as error:
        msg = f"{folder}: cannot be written: {error.strerror}; mend it or name another folder"
        raise AnnotationError(msg) from error
    return [path for _, path in parts]
