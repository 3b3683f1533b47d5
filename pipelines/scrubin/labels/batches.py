"""Label files as a reader takes them: those of one recording or of a data set, with the vocabulary that they are read in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Fault, Faults
from scrubin.labels.merges.label_map import LabelMap, within
from scrubin.labels.model import Instant, LabelFiles
from scrubin.labels.registry import AnyFormat, DatasetFormat, name_pattern
from scrubin.vocabulary import own_categories, vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

BOX_TOLERANCE = 0.02
FILES_OWN = replace(own_categories.vocabulary_of({}), name="")
"""Stands for the vocabulary that a reader takes from the files."""


@dataclass(frozen=True)
class Options:
    """How to read.

    Parameters
    ----------
    vocabulary
        The one that somebody chose; None for that of the format or of the files.
    label_map
        Merges of triplets.
    box_tolerance
        A box may leave the image by this share of its side.
    first
        The number of the first frame, where a user says that frames are not numbered from 0.
    classes
        The vocabulary of files that do not name their own, such as that of the ground truth for predictions.
    instant
        Which instant of a frame's period decides its phase where spans of time become frames.
    """

    vocabulary: Vocabulary | None = None
    label_map: LabelMap | None = None
    box_tolerance: float = BOX_TOLERANCE
    first: int = 0
    classes: Vocabulary | None = None
    instant: Instant = "start"


def batches(contents: Mapping[str, bytes], form: AnyFormat, options: Options, faults: Faults) -> list[LabelFiles]:
    """Return the files of each recording, by its name, or all files at once where they are of a data set.

    Parameters
    ----------
    contents
        Bytes by name.
    faults
        Takes what is wrong; a recording whose vocabulary is not known is left out.

    Raises
    ------
    AnnotationError
        When the options do not fit the format.
    """
    if options.vocabulary is not None and form.by_hand.names_vocabulary:
        what = f"the files of {form.name} name their own vocabulary, so '{options.vocabulary.name}' cannot be chosen"
        raise AnnotationError([Fault("", "vocabulary-chosen", what, "leave it out")])
    is_whole = isinstance(form, DatasetFormat)
    grouped = {"": _of_data_set(contents, form)} if is_whole else _by_recording(contents, form, faults)
    every: list[LabelFiles] = []
    for recording, files in sorted(grouped.items()):
        try:
            every.append(_label_files(recording, files, form, options))
        except AnnotationError as error:
            faults.extend(error.faults)
    return every


def _label_files(recording: str, files: Mapping[str, bytes], form: AnyFormat, options: Options) -> LabelFiles:
    of_files = options.vocabulary or _vocabulary_of(form, files, options.classes)
    is_whole = isinstance(form, DatasetFormat)
    if of_files is None and not is_whole:
        what = f"the format {form.name} does not say its vocabulary"
        raise AnnotationError([Fault(min(files), "vocabulary-unknown", what, "name one")])
    merges = options.label_map
    if merges is not None and of_files is not None and (of_files is options.vocabulary or not is_whole):
        merges = within(merges, of_files)
    return LabelFiles(recording, files, of_files or FILES_OWN, options.box_tolerance, merges, sparse=True, first=options.first)


def _of_data_set(contents: Mapping[str, bytes], form: AnyFormat) -> dict[str, bytes]:
    """Return the files whose names are those of a format."""
    fits = name_pattern(form)
    return {file: data for file, data in contents.items() if fits.fullmatch(file)}


def _by_recording(contents: Mapping[str, bytes], form: AnyFormat, faults: Faults) -> dict[str, dict[str, bytes]]:
    """Return the files of each recording, with those that belong to all; two files of one name are noted, and the second is left out."""
    fits = name_pattern(form)
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


def _vocabulary_of(form: AnyFormat, files: Mapping[str, bytes], classes: Vocabulary | None) -> Vocabulary | None:
    """Return the vocabulary that files name, else that of the other files, of their folder or of their format; None where there is none."""
    by_hand = form.by_hand
    named = None if by_hand.vocabulary_of is None else by_hand.vocabulary_of(files)
    if named is not None or (classes is not None and not by_hand.names_vocabulary):
        return named or classes
    name = (vocabulary.named_by_folder(min(files)) if by_hand.named_by_folder and files else None) or by_hand.vocabulary
    return vocabulary.load(name) if name else None
