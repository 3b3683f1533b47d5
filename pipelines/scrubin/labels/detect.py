"""The one detection: which format a file or folder is of, by the names of its files and by what is inside.

A path that fits no format, or several, is refused: a guess could shift labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from scrubin.core.faults import Fault
from scrubin.errors import AnnotationError
from scrubin.labels import documents
from scrubin.labels.formats.yolo import LISTS_CLASSES, NAMES_CLASSES
from scrubin.labels.label_folder import files_by_format, format_of, is_note
from scrubin.labels.registry import Content, DatasetFormat, Format, contents_of, readable
from scrubin.tables.catalogue import CONVERTED_TABLES, PRIVATE_TABLES, public_tables

TABLES = (*public_tables(()), *(table.name for table in (*PRIVATE_TABLES, *CONVERTED_TABLES)))
LOOKED_AT = 200
"""So many files of a folder are looked at when the first one is damaged."""

AnyFormat = Format | DatasetFormat


def format_of_path(path: Path, name: str | None, wanted: Content | None = None) -> AnyFormat:
    """Return the format that is named, or the only one that a path looks like.

    Parameters
    ----------
    name
        Of the format; None: by names and content of the files.
    wanted
        What a command needs, such as ``"phases"``: formats that hold it come before others.

    Raises
    ------
    AnnotationError
        For an unknown name, a path that is not there, or one that looks like no format or like several.
    """
    if name is not None:
        return format_of(name)
    if not path.exists():
        what = "there is no such file or folder"
        raise AnnotationError([Fault(str(path), "file-missing", what, "name the file or folder with the labels")])
    is_tables = is_own_tables(path)
    if is_tables and wanted is None:
        return format_of("tables")
    files = {name: of_format for name, of_format in files_by_format(path).items() if of_format}
    able = [name for name in files if wanted is None or wanted in contents_of(readable()[name])]
    likely = _likely({name: files[name] for name in able})
    if is_tables and (not likely or likely[0].by_hand.precedence):
        # A release has tables and ground truth; what is scored is the ground truth.
        return format_of("tables")
    likely = likely or _likely({name: files[name] for name in files if name not in able})
    if len(likely) != 1:
        raise AnnotationError([_undecided(path, likely)])
    return likely[0]


def is_own_tables(path: Path) -> bool:
    """Return whether a path is a folder of our own tables, one of them, or a released dataset."""
    if path.is_file():
        return (path.suffix == ".parquet" and path.stem in TABLES) or _is_own_csv(path)
    return any(_is_own_table(file) for folder in (path, path / "tables") if folder.is_dir() for file in folder.iterdir())


def _likely(files: Mapping[str, Sequence[Path]]) -> list[AnyFormat]:
    """Return the formats whose files look like them, those of the first precedence that any has.

    The first file that tells anything decides; where it fits no format, any of the first ones.
    """
    for first_only in (True, False):
        fits = [form for name, form in readable().items() if name in files and _looks_like(form, files[name], first_only=first_only)]
        if fits:
            first = min(form.by_hand.precedence for form in fits)
            return [form for form in fits if form.by_hand.precedence == first]
    return []


def _looks_like(form: AnyFormat, files: Sequence[Path], *, first_only: bool) -> bool:
    telling = [file for file in files[:LOOKED_AT] if _tells(file)] or files[:1]
    try:
        return any(form.by_hand.evidence(file) for file in telling[: 1 if first_only else LOOKED_AT])
    except OSError as error:
        raise AnnotationError(
            [Fault(str(error.filename), "file-unreadable", f"cannot be read: {error.strerror}", "make it readable")]
        ) from error


def _tells(file: Path) -> bool:
    """Return whether a file can tell its format: an empty one cannot, nor one that only names classes."""
    return file.suffix.lower() not in NAMES_CLASSES and file.name != LISTS_CLASSES and _size(file) > 0


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # a link to nowhere, which is refused when it is read
        return 0


def _undecided(path: Path, likely: Sequence[AnyFormat]) -> Fault:
    files = _label_files(path)
    if not files and path.is_dir():
        return Fault(str(path), "no-files", "there is no file in it", "name the folder with the labels")
    if likely:
        names = " or ".join(form.name for form in likely)
        return Fault(str(path), "format-ambiguous", f"this could be {names}", f"name the format by --from: {names}")
    what = f"this looks like no format of labels{_first(path, files)}"
    return Fault(str(path), "format-unknown", what, f"name the format by --from: {', '.join(readable())}")


def _label_files(path: Path) -> list[Path]:
    return [file for file in ([path] if path.is_file() else sorted(path.rglob("*"))) if file.is_file() and not is_note(file)]


def _first(path: Path, files: Iterable[Path]) -> str:
    """Return in brackets which file was looked at, and what is wrong with it when it is JSON that cannot be read."""
    file = next(iter(files), None)
    if file is None:
        return ""
    name = file.name if path.is_file() else file.relative_to(path).as_posix()
    if file.suffix.lower() == ".json":
        try:
            documents.json_object(name, file.read_bytes())
        except (AnnotationError, OSError) as error:
            return f" ({error})"
    return f" (the first file is {name})" if path.is_dir() else ""


def _is_own_table(file: Path) -> bool:
    return file.stem in TABLES and (file.suffix == ".parquet" or _is_own_csv(file)) and file.is_file()


def _is_own_csv(file: Path) -> bool:
    if file.suffix != ".csv" or file.stem not in TABLES:
        return False
    # A raw manifest is also called recordings.csv, and has no ids; LASANA's sheets have semicolons.
    with file.open("rb") as opened:
        return b"id" in opened.readline().removeprefix(b"\xef\xbb\xbf").replace(b'"', b"").strip().split(b",")
