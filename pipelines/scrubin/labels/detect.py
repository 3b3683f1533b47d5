"""The format of a file or folder by its signs, when nobody names it.

Only the content of one file is looked at; a path that fits no format, or several, is refused: a guess could shift labels.
"""

from __future__ import annotations

from pathlib import Path

from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence, reader
from scrubin.labels.formats.yolo import LISTS_CLASSES, NAMES_CLASSES
from scrubin.labels.registry import DatasetFormat, Format, readable


def format_of_path(path: Path, name: str | None) -> Format | DatasetFormat:
    """Return the format that is named, or the only one whose signs a path bears.

    Raises
    ------
    AnnotationError
        For an unknown name, a path that is not there, or one that bears the signs of no format or of several.
    """
    if name is not None:
        return reader.format_of(name)
    if not path.exists():
        msg = f"{path}: there is no such file or folder"
        raise AnnotationError(msg)
    found = [form for form in readable().values() if _bears(path, form)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(readable())
    several = " or ".join(form.name for form in found)
    if not found and path.is_dir() and not _files(path):
        msg = f"{path}: there is no file in it; name the folder with the labels"
        raise AnnotationError(msg)
    fault = f"this could be {several}" if found else f"this looks like no format of labels{_first(path)}"
    msg = f"{path}: {fault}; name the format: {several or known}"
    raise AnnotationError(msg)


def _files(path: Path) -> list[Path]:
    return [file for file in ([path] if path.is_file() else sorted(path.rglob("*"))) if file.is_file() and not reader.is_note(file)]


def _first(path: Path) -> str:
    """Return in brackets which file was looked at, and what is wrong with it when it is JSON that cannot be read."""
    file = next(iter(_files(path)), None)
    if file is None:
        return ""
    name = file.name if path.is_file() else file.relative_to(path).as_posix()
    if file.suffix.lower() == ".json" and evidence.document(file) is None:
        try:
            documents.json_object(name, file.read_bytes())
        except (AnnotationError, OSError) as error:
            return f" ({error})"
    return f" (the first file is {name})" if path.is_dir() else ""


def _bears(path: Path, form: Format | DatasetFormat) -> bool:
    files = reader.fitting(path, form)
    if not files:
        return False
    try:
        # An empty file, or one that only names classes, tells nothing.
        telling = (
            file for file in files if file.suffix.lower() not in NAMES_CLASSES and file.name != LISTS_CLASSES and file.stat().st_size
        )
        return form.by_hand.sign(next(telling, files[0]))
    except OSError as error:
        msg = f"{error.filename}: cannot be read: {error.strerror}; make it readable"
        raise AnnotationError(msg) from error
