"""A file or folder in some format to the canonical form."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.annotations import merging
from scrubin.annotations.collection import Collection
from scrubin.annotations.label_map import LabelMap, check, within
from scrubin.annotations.labels import LabelFiles, Labels
from scrubin.annotations.problems import AnnotationProblems, Problems
from scrubin.annotations.registry import READ_AS, WRITERS, DatasetFormat, Format, readable
from scrubin.convert import formats
from scrubin.errors import AnnotationError
from scrubin.vocabulary import own, vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

__all__ = ["Given", "Options", "find", "format_of", "formats", "read"]

BOX_TOLERANCE = 0.02
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
    """

    vocabulary: str | None = None
    label_map: LabelMap | None = None
    box_tolerance: float = BOX_TOLERANCE


@dataclass(frozen=True)
class Given:
    """The files of a format below a path: contents by name, and how many others there are."""

    files: Mapping[str, bytes]
    others: int


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
    if not path.exists():
        msg = f"{path}: there is no such file or folder"
        raise AnnotationError(msg)
    fits = _fits(form)
    every = [path] if path.is_file() else sorted(_below(path))
    wanted = [file for file in every if fits.fullmatch(_name(file))]
    if not wanted:
        what = f"its name does not fit the format {form.name}" if path.is_file() else f"there is no file of the format {form.name} in it"
        seen = f" (there is {every[0].relative_to(path)})" if every and not path.is_file() else ""
        msg = f"{path}: {what}{seen}; expected {form.expected}"
        raise AnnotationError(msg)
    try:
        return Given({_name(file): file.read_bytes() for file in wanted}, len(every) - len(wanted))
    except OSError as error:
        msg = f"{error.filename}: cannot be read: {error.strerror}; make it readable"
        raise AnnotationError(msg) from error


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
        return _merged(form.read(_files("", given, default, options)), options.label_map)
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
    return _merged(Collection(tuple(found)), options.label_map)


def _merged(collection: Collection, merges: LabelMap | None) -> Collection:
    """Return the collection with merged triplets, of formats that name no triplets while they are read."""
    if merges is None:
        return collection
    return replace(collection, recordings=tuple(_merged_ids(labels, merges) for labels in collection.recordings))


def _merged_ids(labels: Labels, merges: LabelMap) -> Labels:
    if labels.instances is None:
        return labels
    rows, counts = merging.merged(labels, labels.instances.rows, merges)
    return replace(labels, instances=replace(labels.instances, rows=rows), merged=counts)


def _below(folder: Path) -> list[Path]:
    found = []
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        # Hidden files are editors' and file managers' own.
        found += [Path(root) / name for name in names if not name.startswith(".")]
    return found


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
    return LabelFiles(recording, files, words, options.box_tolerance, cut_boxes=False, label_map=options.label_map, sparse=True)
