"""Signs by which the format of a file or folder is recognised when nobody names it.

Only the content of one file is looked at; a path that fits no format, or several, is refused: a guess could shift labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scrubin.annotations import documents
from scrubin.annotations.registry import DatasetFormat, Format, readable
from scrubin.convert import reading
from scrubin.errors import AnnotationError

YOLO_COLUMNS = {"yolo": (5, 6), "yolo4": (8,)}
NAMES_CLASSES = (".yaml", ".yml")
LISTS_CLASSES = "classes.txt"
HEAD_BYTES = 4096


def format_of_path(path: Path, name: str | None) -> Format | DatasetFormat:
    """Return the format that is named, or the only one whose signs a path bears.

    Raises
    ------
    AnnotationError
        For an unknown name, a path that is not there, or one that bears the signs of no format or of several.
    """
    if name is not None:
        return reading.format_of(name)
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
    fault = f"this could be {several}" if found else "this looks like no format of labels"
    msg = f"{path}: {fault}; name the format: {several or known}{'' if found else _first(path)}"
    raise AnnotationError(msg)


def _files(path: Path) -> list[Path]:
    return [file for file in ([path] if path.is_file() else sorted(path.rglob("*"))) if file.is_file() and not reading.is_note(file)]


def _first(path: Path) -> str:
    """Return in brackets which file was looked at, and what is wrong with it when it is JSON that cannot be read."""
    file = next(iter(_files(path)), None)
    if file is None:
        return ""
    name = file.name if path.is_file() else file.relative_to(path).as_posix()
    if file.suffix.lower() == ".json" and _document(file) is None:
        try:
            documents.json_object(name, file.read_bytes())
        except (AnnotationError, OSError) as error:
            return f" ({error})"
    return f" (the first file is {name})" if path.is_dir() else ""


def _bears(path: Path, form: Format | DatasetFormat) -> bool:
    files = reading.fitting(path, form)
    if not files:
        return False
    try:
        # An empty file, or one that only names classes, tells nothing.
        telling = (
            file for file in files if file.suffix.lower() not in NAMES_CLASSES and file.name != LISTS_CLASSES and file.stat().st_size
        )
        return SIGNS[form.name](next(telling, files[0]))
    except OSError as error:
        msg = f"{error.filename}: cannot be read: {error.strerror}; make it readable"
        raise AnnotationError(msg) from error


def _document(path: Path) -> Any:
    if path.suffix.lower() != ".json":
        return None
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None


def _keys(*wanted: str, **kinds: type) -> Callable[[Path], bool]:
    """Return a sign: a JSON object with all these keys, some of a kind."""

    def sign(path: Path) -> bool:
        document = _document(path)
        return (
            isinstance(document, Mapping)
            and all(key in document for key in wanted)
            and all(isinstance(document.get(key), kind) for key, kind in kinds.items())
        )

    return sign


def _coco(path: Path) -> bool:
    document = _document(path)
    if isinstance(document, list):
        return bool(document) and isinstance(document[0], Mapping) and {"image_id", "category_id", "bbox"} <= set(document[0])
    return _keys(images=list, annotations=list, categories=list)(path) and not path.stem.endswith("_coco")


def _submission(path: Path) -> bool:
    document = _document(path)
    if not isinstance(document, Mapping) or not document:
        return False
    frames = [value for key, value in document.items() if documents.frame_number(key) is not None]
    return bool(frames) and all(isinstance(value, Mapping) and {"recognition", "detection"} & set(value) for value in frames)


def _tracks(path: Path) -> bool:
    document = _document(path)
    frames = document.get("annotations") if isinstance(document, Mapping) else None
    rows = [row for rows in frames.values() if isinstance(rows, list) for row in rows] if isinstance(frames, Mapping) else []
    # In videos without any tool only the other keys tell.
    empty = not rows and isinstance(frames, Mapping) and (isinstance(document.get("video"), Mapping) or "categories" not in document)
    return (bool(rows) and all(isinstance(row, Mapping) for row in rows)) or (empty and bool(frames))


def _vectors(path: Path) -> bool:
    return _keys("video", "categories", annotations=dict)(path) and not _tracks(path)


def _spans_of_time(path: Path) -> bool:
    return _keys(phases=list)(path) or _keys(steps=list)(path)


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES).decode("utf-8-sig", errors="replace")


def _yolo(name: str) -> Callable[[Path], bool]:
    def sign(path: Path) -> bool:
        if path.suffix.lower() in NAMES_CLASSES or path.name == LISTS_CLASSES:
            return name == "yolo"
        lines = [line.split() for line in _head(path).splitlines()[:-1] or [_head(path)] if line.strip()]
        return all(len(line) in YOLO_COLUMNS[name] for line in lines) and (bool(lines) or name == "yolo")

    return sign


def _whole_numbers(path: Path) -> bool:
    return re.match(r"\d+(?:,[01])+\s*(?:\n|$)", _head(path)) is not None


def _semicolons(path: Path) -> bool:
    header = _head(path).split("\n", 1)[0]
    return ";" in header and header.split(";", 1)[0].strip(' "') == "id"


def _instants(path: Path) -> bool:
    header = [cell.strip(' "').casefold() for cell in re.split("[,;\t]", _head(path).split("\n", 1)[0])]
    return "instrument" in header and any(cell.startswith("start_") for cell in header)


def _own_tables(path: Path) -> bool:
    """Return whether a file is a table of ours; labels.json is a name that other formats have, too."""
    return path.is_file() and (path.suffix.lower() != ".json" or _keys("recordings")(path))


def _by_name(path: Path) -> bool:
    return path.is_file()


SIGNS: Mapping[str, Callable[[Path], bool]] = {
    "aixsuture": _by_name,
    "cholec80": _by_name,
    "cholect45": _whole_numbers,
    "cholect50": _vectors,
    "cholectrack20": _tracks,
    "cholectriplet2022": _submission,
    "coco": _coco,
    "endoscapes": _by_name,
    "jigsaws": _by_name,
    "labelme": _keys(shapes=list),
    "lasana": _semicolons,
    "multibypass140": _spans_of_time,
    "multibypasst40": _keys(images=list, annotations=list, categories=dict),
    "spans": _instants,
    "tables": _own_tables,
    "yolo": _yolo("yolo"),
    "yolo4": _yolo("yolo4"),
}
"""Per format: whether the first file that has a name of the format looks like it."""
