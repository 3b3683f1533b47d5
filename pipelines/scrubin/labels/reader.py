"""A file or folder in some format to the canonical form."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.errors import AnnotationError
from scrubin.labels import formats, suspicions, triplet_merges
from scrubin.labels.collection import Collection
from scrubin.labels.label_map import LabelMap, check, within
from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.problems import AnnotationProblems, Problems
from scrubin.labels.registry import READ_AS, WRITERS, DatasetFormat, Format, readable
from scrubin.vocabulary import own, vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

__all__ = ["Given", "Options", "find", "format_of", "formats", "read"]

BOX_TOLERANCE = 0.02
NOTE = re.compile(r"\..*|manifest\.json|.*\.stamp\.json")
FILES_OWN = replace(own.vocabulary_of({}), name="")
"""Stands for the vocabulary that a reader takes from the files."""


@dataclass(frozen=True)
class Options:
    """How to read.

    Parameters
    ----------
    vocabulary
        Name of a vocabulary; None for that of the format or of the files.
    label_map
        Merges of triplets.
    box_tolerance
        A box may leave the image by this share of its side.
    first
        The number of the first frame, where a user says that frames are not numbered from 0.
    """

    vocabulary: str | None = None
    label_map: LabelMap | None = None
    box_tolerance: float = BOX_TOLERANCE
    first: int = 0


@dataclass(frozen=True)
class Given:
    """The files of a format below a path: contents by name, the others there, and where the files are."""

    files: Mapping[str, bytes]
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
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)}"
        msg = f"'{name}' is no format that can be read; {hint}" + ("; it can only be written" if name in WRITERS else "")
        raise AnnotationError(msg)
    return known[name]


def find(path: Path, form: Format | DatasetFormat) -> Given:
    """Return the files of a format: the file itself, or all that fit below a folder.

    Raises
    ------
    AnnotationError
        When there is no such path, or nothing in it has a name of the format.
    """
    if not _exists(path):
        msg = f"{path}: there is no such file or folder"
        raise AnnotationError(msg)
    if not path.is_file() and not path.is_dir():
        msg = f"{path}: it is no plain file and no folder; name the file or folder with the labels"
        raise AnnotationError(msg)
    every, wanted = _every(path), fitting(path, form)
    if not wanted:
        what = f"its name does not fit the format {form.name}" if path.is_file() else f"there is no file of the format {form.name} in it"
        seen = f" (there is {every[0].relative_to(path)})" if every and not path.is_file() else ""
        msg = f"{path}: {what}{seen}; expected {form.expected}"
        raise AnnotationError(msg)
    problems = Problems()
    contents = {_name(file): _bytes_of(file, problems) for file in wanted}
    problems.raise_any()
    taken = set(wanted)
    return Given(contents, tuple(file for file in every if file not in taken), tuple(wanted))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, or a folder that must not be looked into
        return False


def _bytes_of(file: Path, problems: Problems) -> bytes:
    try:
        # Only of plain files: reading a pipe or device may never end.
        if file.exists() and not file.is_file():
            problems.add(str(file), "", "it is no plain file", "remove it, or put the file itself there")
            return b""
        return file.read_bytes()
    except OSError as error:
        problems.add(str(file), "", f"cannot be read: {error.strerror}", "make it readable, or remove it")
        return b""


def fitting(path: Path, form: Format | DatasetFormat) -> list[Path]:
    """Return the files of a path, itself or all below a folder, whose names are those of a format."""
    fits = _fits(form)
    return [file for file in _every(path) if fits.fullmatch(_name(file)) and (file == path or not is_note(file))]


def is_note(file: Path) -> bool:
    """Return whether a file is none of labels: hidden, a manifest, or a stamp beside what we wrote."""
    return NOTE.fullmatch(file.name) is not None


def read(given: Mapping[str, bytes], form: Format | DatasetFormat, options: Options) -> Collection:
    """Return what files say.

    Raises
    ------
    AnnotationError
        With everything that is wrong in any file.
    """
    words = vocabulary.load(options.vocabulary) if options.vocabulary else None
    if words is not None and form.by_hand.brings_words:
        msg = f"the files of {form.name} name their own vocabulary, so '{options.vocabulary}' cannot be given; leave it out"
        raise AnnotationError(msg)
    if words is not None and options.label_map is not None:
        check(options.label_map, words)
    fits = _fits(form)
    given = {file: data for file, data in given.items() if fits.fullmatch(file)}
    if isinstance(form, DatasetFormat):
        default = words or (vocabulary.load(form.by_hand.vocabulary) if form.by_hand.vocabulary else FILES_OWN)
        return _looked_at(_merged(form.read(_files("", given, default, options)), options.label_map), options)
    problems = Problems()
    found: list[Labels] = []
    for recording, files in sorted(_by_recording(given, form, problems).items()):
        try:
            of_files = words or _vocabulary_of(form, files)
            merges = None if options.label_map is None else within(options.label_map, of_files)
            found.append(form.read(_files(recording, files, of_files, replace(options, label_map=merges))))
        except AnnotationError as error:
            problems.include(error)
    problems.raise_any()
    return _looked_at(_merged(Collection(tuple(found)), options.label_map), options)


def _looked_at(collection: Collection, options: Options) -> Collection:
    """Return the collection with warnings of what no single value shows: shifted frames, corners instead of sizes."""
    return replace(collection, warnings=(*collection.warnings, *suspicions.of(collection.recordings, options.first)))


def _merged(collection: Collection, merges: LabelMap | None) -> Collection:
    """Return the collection with merged triplets, of formats that name no triplets while they are read."""
    if merges is None:
        return collection
    return replace(collection, recordings=tuple(_merged_ids(labels, merges) for labels in collection.recordings))


def _merged_ids(labels: Labels, merges: LabelMap) -> Labels:
    if labels.instances is None:
        return labels
    rows, counts = triplet_merges.merged(labels, labels.instances.rows, merges)
    return replace(labels, instances=replace(labels.instances, rows=rows), merged=counts)


def _every(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(_below(path, frozenset()))


def _below(folder: Path, above: frozenset[tuple[int, int]]) -> list[Path]:
    """Return the files below a folder, through links too, but not into a folder that is also above."""
    found: list[Path] = []
    try:
        state = folder.stat()
        here = (state.st_dev, state.st_ino)
        # Hidden files are editors' and file managers' own.
        entries = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")] if here not in above else []
    except OSError as error:
        msg = f"{folder}: cannot be read: {error.strerror}; make it readable"
        raise AnnotationError(msg) from error
    for entry in entries:
        if _is_folder(entry):
            found += _below(Path(entry.path), above | {here})
        else:
            found.append(Path(entry.path))
    return found


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, which is refused when it is read
        return False


def _fits(form: Format | DatasetFormat) -> re.Pattern[str]:
    return re.compile(f"(?:.*/)?(?P<own>{form.pattern.pattern})")


def _name(file: Path) -> str:
    # The folder of a file can be a part of what it says.
    return (file if file.parent.name not in ("", ".") else Path(file.resolve().parent.name) / file.name).as_posix()


def _by_recording(given: Mapping[str, bytes], form: Format, problems: Problems) -> dict[str, dict[str, bytes]]:
    fits = _fits(form)
    grouped: dict[str, dict[str, bytes]] = {}
    first: dict[str, str] = {}
    for file, data in given.items():
        match = fits.fullmatch(file)
        if match is None:
            continue
        if match["own"] in first:
            problems.add(file, "", f"'{match['own']}' is also {first[match['own']]}", "convert the folders one by one")
            continue
        first[match["own"]] = file
        grouped.setdefault(match["recording"], {})[file] = data
    return grouped


def _vocabulary_of(form: Format, files: Mapping[str, bytes]) -> Vocabulary:
    if form.by_hand.vocabulary_of is not None:
        return form.by_hand.vocabulary_of(files)
    if not form.by_hand.vocabulary:
        raise AnnotationProblems([f"{min(files)}: the format {form.name} does not say its vocabulary; name one"])
    return vocabulary.load(form.by_hand.vocabulary)


def _files(recording: str, files: Mapping[str, bytes], words: Vocabulary, options: Options) -> LabelFiles:
    return LabelFiles(
        recording, files, words, options.box_tolerance, cut_boxes=False, label_map=options.label_map, sparse=True, first=options.first
    )
