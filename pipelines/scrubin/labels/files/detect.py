"""The label files at a path, with the one format that they are of: by the names of the files, by what is inside.

A path whose files fit no format, or several, is refused: a guess could shift labels.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError, FileError
from scrubin.base.faults import Fault, Faults, error, warning
from scrubin.base.file_lists import is_of_system
from scrubin.base.text import csv_text
from scrubin.labels.choices import DECLARATION
from scrubin.labels.files import beside
from scrubin.labels.formats.submission import documents as submitted
from scrubin.labels.parse import documents, workbook
from scrubin.labels.registry import (
    LISTS_CLASSES,
    AnyFormat,
    Content,
    contents_of,
    document,
    head,
    is_note,
    known_name,
    last_document_kept,
    name_pattern,
    only_names_classes,
    readable,
)

LOOKED_AT = 200
"""So many files of a folder are looked at when the first one is damaged."""
PLAIN = 2
"""The precedence of plain arrays and tables."""
UNKNOWN = "format-unknown"
"""The rule of files that look like no format."""
AMBIGUOUS = "format-ambiguous"
"""The rule of files that look like several."""
FROM, PREDICTIONS_FROM = "--from", "--predictions-from"
"""By what a user names the format, of labels and of predictions beside them."""
TABLES = (".csv", ".tsv", ".txt")
NO_LABELS = (".jpg", ".jpeg", ".mkv", ".mp4", ".tar", ".zip")
"""So ends no file of any format: a release may have hundreds of thousands of these, and each format would be asked about each."""
PICTURES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
"""What lies beside labels and is of no other format: frames may be so many that nobody asks."""
MASKS_OR_PACKED = frozenset({*PICTURES, ".tar", ".zip"} - {".jpg", ".jpeg"})
MAY_BE_LABELS = re.compile(
    r"(?!readme|licen[cs]e|copying|notice|changelog|requirements|sha256sums|md5sums|citation|.*timestamp).*"
    r"\.(?:csv|tsv|txt|jsonl?|ndjson|npz|npy|parquet|feather|arrow|xlsx?|ods|xml|eaf|boris|mat|pkl|pickle|h5|hdf5)(?:\.(?:gz|bz2|xz|zst))?",
    re.IGNORECASE,
)
OF_FRAMES: tuple[Content, ...] = ("phases", "segments", "instances", "spans", "marks", "recognition")
"""What is known to lie beside other labels: who scores one of these does not miss the others."""
MOVE_OUT = "move it out of the folder if it holds no labels"
UNREAD = "file-unread"
"""The rule of files beside labels that may be labels, too, and are not of their format."""
LABELS_UNREAD = "labels-unread"
"""The rule of those of them that look like what is wanted, or of which nobody can tell, as they are damaged or packed."""


@dataclass(frozen=True)
class LabelFolder:
    """The label files below a path.

    Parameters
    ----------
    form
        The format that they are of.
    contents
        Bytes by name; the name has the folders that a format can be known by.
    others
        Files below the path that are not of the format.
    paths
        Where the files are.
    unread
        Those of ``others`` that may hold what a command needs, and whether they look like it, or nobody can tell.
    unknown
        Names of those of ``contents`` that look like no format, and are named like no video.
    """

    form: AnyFormat
    contents: Mapping[str, bytes]
    others: tuple[Path, ...] = ()
    paths: tuple[Path, ...] = ()
    unread: Mapping[Path, bool] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()


def label_folder(
    path: Path, form: AnyFormat | None, wanted: Content | None = None, *, videos: Names[str] | None = None, option: str = FROM
) -> LabelFolder:
    """Return the label files at a path: the file itself, or all below a folder that are of the format.

    Parameters
    ----------
    form
        The format; None: by names and content of the files.
    wanted
        As of `detected`.
    videos
        Those of the ground truth, where somebody handed in the files, to be scored: then none may lie elsewhere, as it could be the
        ground truth. None: own files.
    option
        As of `detected`.

    Raises
    ------
    AnnotationError
        When nobody knows the format, there is no such path, or no file has a name of the format.
    """
    _refuse_unreadable(path)
    looked = _Looked(wanted, option)
    every = _every(path)
    names = _may_be_read(path, every)
    with last_document_kept(names):
        form = form or _detected(path, looked, names)
    of_format = _of_format(path, form, names)
    odd, videos_named = _odd(path, form, of_format, names, videos)
    left_out = {file for file in odd if beside.holds_no_labels(file, videos_named)}
    of_format = [file for file in of_format if file not in left_out]
    if not of_format:
        what = f"its name does not fit the format {form.name}" if path.is_file() else f"there is no file of the format {form.name} in it"
        seen = f" (there is {every[0].relative_to(path)})" if every and not path.is_file() else ""
        raise AnnotationError([Fault(str(path), "no-files", f"{what}{seen}", f"expected {form.expected}")])
    faults = Faults()
    contents: dict[str, bytes] = {}
    named: dict[str, Path] = {}
    for file in of_format:
        if (first := named.setdefault(name := _name(file), file)) != file:
            note_same_name(str(file), first.relative_to(path).as_posix() if first.is_relative_to(path) else str(first), faults)
        contents[name] = _bytes_of(file, None if videos is None else _folder_of(file, path), faults)
    AnnotationError.raise_any(faults)
    taken = set(of_format)
    others = tuple(file for file in every if file not in taken)
    unread = {**_unread(path, form, [file for file in others if file not in left_out], looked), **dict.fromkeys(sorted(left_out), True)}
    unknown = frozenset(_name(file) for file in odd if file not in left_out)
    return LabelFolder(form, contents, others, tuple(of_format), unread, unknown)


def _odd(
    path: Path, form: AnyFormat, of_format: Sequence[Path], names: Mapping[Path, str], videos: Names[str] | None
) -> tuple[frozenset[Path], Names[str]]:
    """Return the texts and JSON with a name of a format that look like none and are named like no video, beside others; and the videos."""
    if not path.is_dir() or form.by_hand.files is not None or form.by_hand.precedence == 0:
        return frozenset(), ()
    likely: set[str] = set()
    odd: dict[Path, str] = {}
    with last_document_kept(names):
        for file in of_format:
            letters = "".join(filter(str.isalpha, file.stem.casefold()))
            if letters in likely or file.suffix.lower() not in (*TABLES, ".json") or not shows_format(file):
                continue
            if file.suffix.lower() == ".csv" and beside.holds_no_labels(file, ()):
                # With two columns of numbers a log looks like a table of phases.
                odd[file] = letters
            elif look_like(file, [form]):
                likely.add(letters)
            elif not _is_own_name(form, names[file]) and not look_like(file, _named_as(names[file])):
                odd[file] = letters
    odd = {file: letters for file, letters in odd.items() if likely and letters not in likely}
    if videos is None:
        videos = _videos(path, form, [file for file in of_format if file not in odd], names) if odd else ()
    return frozenset(file for file in odd if not beside.is_of_video(file.relative_to(path), path, videos)), videos


def of_unknown(faults: Sequence[Fault], unknown: Names[str]) -> tuple[Fault, ...]:
    """Return faults, with one for each file that no format knows in the place of the errors of its reader, of which it says the first."""
    first = {fault.file: fault for fault in reversed(faults) if fault.severity == "error" and fault.file in unknown}
    said = [unknown_fault(file, f" ({fault.place}: {fault.what})" if fault.place else f" ({fault.what})") for file, fault in first.items()]
    return (*said, *(fault for fault in faults if fault.file not in first or fault.severity != "error"))


def unknown_fault(file: str, because: str = "") -> Fault:
    """Return the refusal of a file that no format knows."""
    what = f"no format knows what is in it{because}, and it is not known to be notes or settings"
    return error(file, UNKNOWN, what, MOVE_OUT)


def _is_own_name(form: AnyFormat, name: str) -> bool:
    """Return whether a format has a file of just this name beside its labels, or as these."""
    return name_pattern(form).fullmatch(PurePath(name).with_stem("0-0").as_posix()) is None


def note_same_name(file: str, first: str, faults: Faults) -> None:
    """Note a file whose name is that of another one, but for the case of its extension or for folders further up."""
    faults.error(file, "file-repeated", f"there is {first} as well, which is the same name", "keep one of them")


def detected(path: Path, wanted: Content | None = None, *, option: str = FROM) -> AnyFormat:
    """Return the only format that a path looks like.

    Parameters
    ----------
    wanted
        What a command needs, such as ``"phases"``: formats that hold it come before others.
    option
        By what a user can name the format, as a refusal says.

    Raises
    ------
    AnnotationError
        For a path that is not there, or one that looks like no format or like several.
    """
    _refuse_unreadable(path)
    names = _may_be_read(path, _every(path))
    with last_document_kept(names):
        return _detected(path, _Looked(wanted, option), names)


def are_empty(path: Path, form: AnyFormat) -> bool:
    """Return whether there are texts of a format at a path and all that may be labels is empty, so that nothing tells a format.

    Raises
    ------
    AnnotationError
        For a path that is not there, or cannot be read.
    """
    _refuse_unreadable(path)
    every = _every(path)
    texts = [file for file in _of_format(path, form, _may_be_read(path, every)) if file.suffix.lower() in TABLES]
    may_be = [file for file in every if file in texts or may_be_labels(file) or file.suffix.lower() in MASKS_OR_PACKED]
    return any(not only_names_classes(file) for file in texts) and not any(map(shows_format, may_be))


def _detected(path: Path, looked: _Looked, names: Mapping[Path, str]) -> AnyFormat:
    wanted = looked.wanted
    whole = next((form for form in readable().values() if form.by_hand.is_whole(path)), None)
    if whole is not None and wanted is None:
        return whole
    files = {name: of_format for name, form in readable().items() if (of_format := _of_format(path, form, names))}
    able = {name: files[name] for name in files if wanted is None or wanted in contents_of(readable()[name])}
    others = {name: files[name] for name in files if name not in able}
    likely = _likely(able, first_only=True) or _likely(able, first_only=False)
    if whole is not None and (not likely or likely[0].by_hand.precedence):
        # A release has tables and ground truth; what is scored is the ground truth.
        return whole
    first = _likely(others, first_only=True)
    if not likely or (first and _precedence(first) < _precedence(likely) and not _likely(able, first_only=True)):
        # A damaged file beside the first one can look like a plain matrix, which is what is wanted.
        likely = first or _likely(others, first_only=False)
    if len(likely) != 1:
        raise AnnotationError(_undecided(path, likely, looked.option))
    if likely[0].by_hand.precedence == PLAIN:
        _refuse_capitals(names, _of_format(path, likely[0], names), looked.option)
    if wanted is not None:
        _refuse_mixture(path, likely[0], names, looked)
    return likely[0]


def refuse_mixture(path: Path, form: AnyFormat, wanted: Content) -> None:
    """Raise `AnnotationError` when beside the files of a format lie those of another one that holds what is wanted, too.

    A ``.csv`` of phases beside files of instances is none where instances are wanted. Layouts of folders hold files of other formats.
    """
    names = _may_be_read(path, _every(path))
    with last_document_kept(names):
        _refuse_mixture(path, form, names, _Looked(wanted))


def _refuse_mixture(path: Path, form: AnyFormat, names: Mapping[Path, str], looked: _Looked) -> None:
    if form.by_hand.precedence == 0:
        return
    own = _of_format(path, form, names)
    taken, videos = set(own), _shapes(path, form, own, names)
    mixed: dict[str, Path] = {}
    for file in reversed(_some_of_each(file for file in names if file not in taken)):
        if not may_be_labels(file) or _is_beside(form, names[file]):
            continue
        for other in looked.like_wanted(file, names[file], plain=form.by_hand.precedence == PLAIN or _shape(file.stem) in videos):
            mixed[other.name] = file
    if mixed:
        others = " and ".join(f"{file.relative_to(path).as_posix()} looks like {name}" for name, file in mixed.items())
        what = f"files of several formats: {own[0].relative_to(path).as_posix()} looks like {form.name}, {others}"
        # Who names a format that has files of both names reads both.
        asked = [form.name, *(name for name in mixed if not any(name_pattern(readable()[name]).fullmatch(names[file]) for file in own))]
        named = f"name the one that counts ({' or '.join(asked)}) by {FROM}, of predictions by {PREDICTIONS_FROM}"
        fix = f"move those of one format out of the folder, or {named}"
        raise AnnotationError([Fault(str(path), AMBIGUOUS, what, fix)])


def _some_of_each(files: Iterable[Path]) -> list[Path]:
    """Return the first files with each suffix, but pictures and those that hold no labels."""
    kept: dict[str, list[Path]] = {}
    for file in files:
        suffix = file.suffix.lower()
        if suffix not in (*PICTURES, *NO_LABELS) and not is_note(file) and shows_format(file):
            kept.setdefault(suffix, []).append(file)
    return [file for alike in kept.values() for file in alike[:LOOKED_AT]]


def _shapes(path: Path, form: AnyFormat, own: Iterable[Path], names: Mapping[Path, str]) -> frozenset[str]:
    """Return the names of the videos of label files, with any number for each: what is named like one is no list beside them."""
    return frozenset(map(_shape, _videos(path, form, own, names)))


def _videos(path: Path, form: AnyFormat, own: Iterable[Path], names: Mapping[Path, str]) -> frozenset[str]:
    """Return what label files are named after: their videos, of formats of a file per frame also the frames."""
    videos: set[str] = set()
    for file in own:
        name = name_pattern(form).fullmatch(names.get(file, ""))
        if name is not None and "recording" in name.groupdict():
            videos.add(name["recording"] or "")
        elif not only_names_classes(file):
            # Formats of a file per frame have a folder per video.
            videos |= {file.stem} if file.parent == path else {file.stem, file.parent.name}
    return frozenset(videos) - {""}


def _shape(name: str) -> str:
    return re.sub(r"[0-9]+", "0", name.casefold())


@dataclass
class _Looked:
    """What was looked at for one command, so that no file is opened twice.

    Parameters
    ----------
    wanted
        What the command needs; None: any labels.
    option
        By what a user can name the format.
    """

    wanted: Content | None
    option: str = FROM
    _seen: dict[Path, _Look] = field(default_factory=dict)

    def like_wanted(self, file: Path, name: str, *, plain: bool) -> list[AnyFormat]:
        """Return the formats with what is wanted that a file looks like, unless it looks like one that comes before; no layout of folders.

        With ``plain`` False no plain table or array counts: it takes much for labels.
        """
        able = [form for form in _named_as(name) if self.wanted in contents_of(form) and (plain or form.by_hand.precedence < PLAIN)]
        return [form for form in self.at(file, name).like_wanted if form in able] if able else []

    def at(self, file: Path, name: str) -> _Look:
        """Return what a file looks like; everything at once, as a document is parsed but once."""
        if file not in self._seen:
            named = _named_as(name)
            able = [form for form in named if self.wanted in contents_of(form)]
            fits = [] if _is_one_word(file) else look_like(file, able)
            others = look_like(file, [form for form in named if form not in able])
            comes_first = any(form.by_hand.precedence < _precedence(fits) for form in others)
            like_wanted = [] if comes_first else [form for form in fits if form.by_hand.precedence == _precedence(fits)]
            is_other = not like_wanted and any(not contents_of(form).isdisjoint(OF_FRAMES) for form in others)
            self._seen[file] = _Look(like_wanted, is_other, not like_wanted and not is_other and _is_damaged(file))
        return self._seen[file]


@dataclass(frozen=True)
class _Look:
    """The formats with what is wanted that a file looks like, whether it holds other labels, and whether it is damaged."""

    like_wanted: list[AnyFormat]
    is_other: bool
    is_damaged: bool


def _is_one_word(file: Path) -> bool:
    """Return whether a text says but one thing, such as a rate: beside labels that is no table."""
    try:
        return file.suffix.lower() in TABLES and re.fullmatch(r"[^\s,;|]+", head(file).strip()) is not None
    except OSError:  # said when somebody reads it
        return False


def _is_damaged(file: Path) -> bool:
    return document(file) is None if file.suffix.lower() == ".json" else bool(_damaged([file]))


def _named_as(name: str) -> list[AnyFormat]:
    return [form for form in readable().values() if form.by_hand.files is None and name_pattern(form).fullmatch(name)]


def look_like(file: Path, forms: Iterable[AnyFormat]) -> list[AnyFormat]:
    """Return the formats of which a file looks like one, by what is in it; none for a file that cannot be read."""
    try:
        return [form for form in forms if form.by_hand.evidence(file)]
    except OSError:  # said when somebody reads it
        return []


def unread_of(path: Path, form: AnyFormat, others: Sequence[Path], wanted: Content) -> Mapping[Path, bool]:
    """Return which files beside those of a format may hold what is wanted, and whether they look like it, or nobody can tell."""
    return _unread(path, form, others, _Looked(wanted))


def _unread(path: Path, form: AnyFormat, others: Sequence[Path], looked: _Looked) -> Mapping[Path, bool]:
    """Return what `unread_of` does; what lies in a release or ground truth of ours is known, and of no wish only names are asked."""
    if form.by_hand.files is not None or form.by_hand.is_whole(path):
        return {}
    names = _names(file for file in _some_of_each(others) if may_be_labels(file))
    # Settings, and lists of classes, which are none of this format.
    found = {file: False for file in others if only_names_classes(file) and file.name != DECLARATION}
    with last_document_kept():
        for file, name in names.items():
            if _is_beside(form, name) or _is_known_by_name(name, looked.wanted):
                continue
            if looked.wanted is None or file.suffix.lower() not in (*TABLES, ".json"):
                found[file] = True  # of other files hardly more than the name tells what they are
            elif not (look := looked.at(file, name)).is_other:
                found[file] = bool(look.like_wanted) or look.is_damaged
    return found


def _is_beside(form: AnyFormat, name: str) -> bool:
    """Return whether a file is one that a data set has beside its labels, by what the format says."""
    return bool(form.by_hand.beside) and re.fullmatch(f"(?:.*/)?(?:{form.by_hand.beside})", name) is not None


def _is_known_by_name(name: str, wanted: Content | None) -> bool:
    """Return whether a name is one of a format that does not hold what is wanted, and would not fit it with any other stem."""
    any_name = PurePath(name).with_stem("0-0").as_posix()
    forms = _named_as(name) if wanted is not None else []
    return any(wanted not in contents_of(form) and not name_pattern(form).fullmatch(any_name) for form in forms)


def may_be_labels(file: Path) -> bool:
    """Return whether a file has a name that labels can have, in any format, also such as is never read."""
    return MAY_BE_LABELS.fullmatch(file.name) is not None and not is_note(file)


def unread_faults(kind: str, unread: Mapping[Path, bool]) -> tuple[Fault, ...]:
    """Return the warnings of files beside labels of a kind that may be labels, too: who takes them for read is wrong."""
    what, fix = f"is not of the format {kind}, so it was not read", MOVE_OUT
    of_classes = f"{what}: no names of classes are taken from it"
    return tuple(
        warning(str(file), LABELS_UNREAD if looks_like else UNREAD, of_classes if only_names_classes(file) else what, fix)
        for file, looks_like in unread.items()
    )


def _refuse_capitals(names: Mapping[Path, str], files: Sequence[Path], option: str) -> None:
    """Raise `AnnotationError` for plain tables with a name that is one of another format but for its capitals: they could be shifted."""
    for file in files[:LOOKED_AT]:
        for form in readable().values():
            fits = name_pattern(form)
            is_like = fits.fullmatch(names[file]) is None and re.fullmatch(fits.pattern, names[file], re.IGNORECASE) is not None
            if is_like and form.by_hand.precedence != PLAIN and form.by_hand.evidence(file):
                what = f"but for its capitals the name is one of the format {form.name}, and the file looks like it"
                raise AnnotationError([Fault(str(file), "file-name", what, f"rename it: expected {form.expected}; or say {option}")])


def files_of_format(path: Path, form: AnyFormat) -> list[Path]:
    """Return the files of a path, itself or all below a folder, whose names are those of one format."""
    return _of_format(path, form, _may_be_read(path, _every(path)))


def _refuse_unreadable(path: Path) -> None:
    """Raise `AnnotationError` when there is no such path, or it is no file and no folder."""
    fix = "name the file or folder with the labels"
    if not _exists(path):
        raise AnnotationError([Fault(str(path), "file-missing", "there is no such file or folder", fix)])
    if not path.is_file() and not path.is_dir():
        raise AnnotationError([Fault(str(path), "file-unreadable", "it is no plain file and no folder", fix)])


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, or a folder that must not be looked into
        return False


def _folder_of(file: Path, path: Path) -> Path | None:
    """Return the folder that a file has to be in: the one that was named, or its own, where a format takes what lies beside that, too."""
    if not path.is_dir():
        return None
    return path if file.is_relative_to(path) else file.parent


def _bytes_of(file: Path, inside: Path | None, faults: Faults) -> bytes:
    try:
        return strangers.read_bytes(file, inside=inside)
    except FileError as error:
        faults.error(str(file), "file-unreadable", error.strerror, "")
        return b""
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
        entries = [entry for entry in os.scandir(folder) if not is_of_system(entry.name)] if here not in above else []
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


def _of_format(path: Path, form: AnyFormat, every: Mapping[Path, str]) -> list[Path]:
    if form.by_hand.files is not None:
        return form.by_hand.files(path)
    fits = name_pattern(form)
    of_name = [file for file, name in every.items() if fits.fullmatch(name) and (file == path or not is_note(file))]
    # A list of classes is no video of a format whose labels may have any name.
    return [file for file in of_name if file == path or known_name(file) != LISTS_CLASSES or _is_own_name(form, every[file])]


def _may_be_read(path: Path, every: Iterable[Path]) -> dict[Path, str]:
    """Return the names of the files at a path that are no settings, unless somebody names one of them."""
    return _names(file for file in every if file == path or not beside.is_settings(file))


def _names(every: Iterable[Path]) -> dict[Path, str]:
    """Return what formats hold their patterns against."""
    return {file: name for file in every if not (name := _name(file)).endswith(NO_LABELS)}


def _name(file: Path) -> str:
    # The folder of a file can be a part of what it says.
    folder = file.parent if file.parent.name not in ("", ".") else Path(strangers.real(file).parent.name)
    return (folder / known_name(file)).as_posix()


def _likely(files: Mapping[str, Sequence[Path]], *, first_only: bool) -> list[AnyFormat]:
    """Return the formats whose files look like them, those of the first precedence that any has.

    The first file that tells anything decides, or any of the first ones. What only names classes tells nothing beside files of labels.
    """
    asked: dict[Path, list[AnyFormat]] = {}
    for name, form in readable().items():
        for file in _telling(files.get(name, ()), first_only=first_only):
            asked.setdefault(file, []).append(form)
    found: set[str] = set()
    for file, forms in asked.items():
        # All formats about one file, as a document is kept until the next one.
        found |= {form.name for form in forms if form.name not in found and _is_like(file, form)}
    fits = [form for name, form in readable().items() if name in found]
    fits = [form for form in fits if not all(map(only_names_classes, files[form.name]))] or fits
    return [form for form in fits if form.by_hand.precedence == _precedence(fits)]


def _precedence(forms: Sequence[AnyFormat]) -> int:
    return min((form.by_hand.precedence for form in forms), default=0)


def _telling(files: Sequence[Path], *, first_only: bool) -> Sequence[Path]:
    """Return the files that may tell whether they are of a format."""
    seen = [file for file in files[:LOOKED_AT] if not (first_only and only_names_classes(file))]
    telling = [file for file in seen if shows_format(file)] or [file for file in seen if only_names_classes(file)] or seen[:1]
    return telling[: 1 if first_only else LOOKED_AT]


def _is_like(file: Path, form: AnyFormat) -> bool:
    try:
        return form.by_hand.evidence(file)
    except OSError as error:
        raise AnnotationError(
            [Fault(str(error.filename), "file-unreadable", f"cannot be read: {error.strerror}", "make it readable")]
        ) from error


def shows_format(file: Path) -> bool:
    """Return whether a file can tell its format: an empty one cannot, nor one that only names classes."""
    return not only_names_classes(file) and _size(file) > 0


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # a link to nowhere, which is refused when it is read
        return 0


def _undecided(path: Path, likely: Sequence[AnyFormat], option: str) -> list[Fault]:
    files = _label_files(path)
    if not files and path.is_dir():
        return [Fault(str(path), "no-files", "there is no file in it", "name the folder with the labels")]
    if likely:
        names = " or ".join(form.name for form in likely)
        return [Fault(str(path), AMBIGUOUS, f"this could be {names}", f"name the format by {option}: {names}")]
    if damaged := _damaged(files):
        return damaged
    what = f"this looks like no format of labels{_first(path, files)}"
    return [Fault(str(path), UNKNOWN, what, f"name the format by {option}: {', '.join(readable())}")]


def _damaged(files: Sequence[Path]) -> list[Fault]:
    """Return why files are not the text that their names say: for that, no format knows them."""
    faults = Faults()
    for file in [one for one in files if one.suffix.lower() in (*TABLES, ".json") and shows_format(one)][:LOOKED_AT]:
        of_file = Faults()
        data = _bytes_of(file, None, of_file)
        if not of_file.errors() and file.suffix.lower() != ".json":
            of_file.extend(csv_text.text_of(str(file), data)[1])
        elif not of_file.errors() and submitted.text(str(file), data, of_file) is not None:
            documents.opened(documents.json_value, str(file), data, of_file)
        faults.extend(replace(one, rule=UNKNOWN) for one in of_file.errors())
    return list(faults.all())


def _label_files(path: Path) -> list[Path]:
    return [file for file in _every(path) if file.is_file() and not is_note(file)]


def _first(path: Path, files: Iterable[Path]) -> str:
    """Return in brackets which file was looked at, and what is wrong with it when it is JSON of another kind."""
    file = next(iter(files), None)
    if file is None:
        return ""
    name = file.name if path.is_file() else file.relative_to(path).as_posix()
    if file.suffix.lower() == ".json":
        try:
            documents.json_object(name, strangers.read_bytes(file))
        except (AnnotationError, OSError) as error:
            return f" ({error})"
    if not _size(file):
        return f" ({name} is empty)"
    if file.suffix.lower() == ".xlsx":
        return f" ({workbook.why_none(file, name)})"
    return f" (the first file is {name})" if path.is_dir() else ""
