"""The canonical form to a file or folder in some format: whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, meant
from scrubin.labels import formats
from scrubin.labels.choices import WRITTEN_AS
from scrubin.labels.files import detect
from scrubin.labels.model import Collection
from scrubin.labels.registry import WRITERS, DatasetFormat, Format, Output, Writer, readable

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
    what = "can only be read" if name in readable() else "is no format that can be written"
    fix = meant(name, WRITERS, f"formats that can be written: {', '.join(sorted(WRITERS))}")
    raise AnnotationError([Fault("", "format-unknown", f"'{name}' {what}", fix)])


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
    except UnicodeEncodeError as error:
        what = f"a name has half a character, {error.object[error.start : error.end]!a}"
        raise AnnotationError([Fault(writer.name, "encoding", what, "correct it in what is read")]) from error
    except ValueError as error:  # of json: infinity or NaN, which a file said of itself
        what = f"{writer.name} cannot hold a number that is not finite: {error}"
        raise AnnotationError([Fault("", "number-range", what, "correct it in what is read")]) from error
    for name in out.files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\0" in name or "\\" in name:
            what = f"'{name}': the name of the recording leads out of the folder"
            raise AnnotationError([Fault("", "file-name", what, "rename the recording")])
    if not out.files:
        lost = "; ".join(f"{what} ({count})" for what, count in sorted(out.losses.items()))
        what = f"nothing was written as {writer.name}" + (f", what it cannot hold: {lost}" if lost else "")
        raise AnnotationError([Fault("", "nothing-left", what, "check what the files hold")])
    return out


def save(contents: Mapping[str, bytes], out: Path, form: Format | DatasetFormat | None = None, sources: Iterable[Path] = ()) -> list[Path]:
    """Write all files or none; a single file goes to ``out`` itself when that has the same suffix.

    Parameters
    ----------
    form
        The format that the files have: others of it in ``out`` would be read with them later, and are refused.
    sources
        The files that were read: none of them is overwritten.

    Raises
    ------
    AnnotationError
        When something is in the way.
    """
    names = list(contents)
    if len(names) == 1 and not out.is_dir() and out.suffix and out.suffix == PurePosixPath(names[0]).suffix:
        _refuse_sources([out], sources)
        return _replace_files(out.parent, {out.name: contents[names[0]]})
    if out.exists() and not out.is_dir():
        raise AnnotationError([Fault(str(out), "path", f"it is a file, but {len(names)} files are written", "name a folder")])
    _refuse_sources([out / name for name in names], sources)
    if not out.exists() and not out.is_symlink():
        return _new_folder(out, contents)
    others = sorted({*detect.files_of_format(out, form)} - {out / name for name in names}) if form is not None else []
    if others:
        what = f"{len(others)} other files of the format are in {out}, and would be read with the new ones"
        raise AnnotationError([Fault(str(others[0]), "path", what, "name an empty folder")])
    return _replace_files(out, contents)


def _refuse_sources(paths: Sequence[Path], sources: Iterable[Path]) -> None:
    read = {strangers.real(source) for source in sources}
    for path in paths:
        if strangers.real(path) in read:
            raise AnnotationError([Fault(str(path), "path", "this is what is read, which is never overwritten", "name another path")])


def _new_folder(out: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write all files beside the folder and give it its name at last."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".part-", dir=out.parent) as temporary:
            complete = Path(temporary) / "complete"
            for name, data in contents.items():
                path = complete / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            complete.rename(out)
    except OSError as error:
        raise AnnotationError([_unwritable(out, error)]) from error
    return [out / name for name in contents]


def _replace_files(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write all files beside the others of a folder; what has their names is replaced when all are written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in contents:
            if (folder / name).is_dir():
                what = "there is a folder of this name"
                raise AnnotationError([Fault(str(folder / name), "path", what, "remove it or name another folder")])
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".part-", dir=folder) as temporary:
            parts = [(Path(temporary) / str(i), folder / name) for i, name in enumerate(contents)]
            for (part, _), data in zip(parts, contents.values(), strict=True):
                part.write_bytes(data)
            for part, path in parts:
                part.replace(path)
    except OSError as error:
        raise AnnotationError([_unwritable(folder, error)]) from error
    return [path for _, path in parts]


def _unwritable(path: Path, error: OSError) -> Fault:
    return Fault(str(path), "path", f"cannot be written: {error.strerror or error}", "make it writable, or name another folder")
