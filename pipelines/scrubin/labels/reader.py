"""The one door to label files: a path in any format to labels and to everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.core.faults import Fault, Faults
from scrubin.errors import AnnotationError
from scrubin.labels import formats, suspicions, triplet_merges
from scrubin.labels.detect import format_of_path
from scrubin.labels.label_folder import by_recording, find, names_of_format
from scrubin.labels.label_map import LabelMap, check, within
from scrubin.labels.model import Collection, Instant, LabelFiles, Labels
from scrubin.labels.policy import enforce
from scrubin.labels.registry import Content, DatasetFormat, Format
from scrubin.vocabulary import own, vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

__all__ = ["Options", "Reading", "formats", "read", "read_contents", "read_path"]

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
    first
        The number of the first frame, where a user says that frames are not numbered from 0.
    classes
        The vocabulary of files that do not name their own, such as that of the ground truth for predictions.
    instant
        Which instant of a frame's period decides its phase where spans of time become frames.
    """

    vocabulary: str | None = None
    label_map: LabelMap | None = None
    box_tolerance: float = BOX_TOLERANCE
    first: int = 0
    classes: Vocabulary | None = None
    instant: Instant = "start"


@dataclass(frozen=True)
class Reading:
    """What lies at a path, as far as it can be read, and everything that is wrong with it.

    Parameters
    ----------
    form
        In which format it was read.
    collection
        The recordings without an error; of a data set that is read as a whole, nothing when any file has one.
    faults
        Of every file, of all severities. What follows from them is the policy of the command: ``labels.policy``.
    paths, others
        The files that were read, and those beside them that are of another format.
    """

    form: Format | DatasetFormat
    collection: Collection
    faults: tuple[Fault, ...]
    paths: tuple[Path, ...] = ()
    others: tuple[Path, ...] = ()


def read_path(path: Path, name: str | None, options: Options, wanted: Content | None = None) -> Reading:
    """Return what lies at a path: the one door for every command.

    Parameters
    ----------
    path
        A file or folder.
    name
        Of the format; None: by what the files look like.
    options
        What files do not say.
    wanted
        What a command needs, such as ``"phases"``: it decides where files could be of several formats.

    Raises
    ------
    AnnotationError
        When nothing can be read at all: no such path, no format or several. All else is in ``faults``.
    """
    form = format_of_path(path, name, wanted)
    folder = find(path, form)
    reading = read_contents(folder.contents, form, options)
    return replace(reading, paths=folder.paths, others=folder.others)


def read_contents(contents: Mapping[str, bytes], form: Format | DatasetFormat, options: Options) -> Reading:
    """Return what files of a format say; pure.

    Parameters
    ----------
    contents
        Bytes by name.

    Raises
    ------
    AnnotationError
        When the options do not fit the format.
    """
    chosen = vocabulary.load(options.vocabulary) if options.vocabulary else None
    if chosen is not None and form.by_hand.names_vocabulary:
        what = f"the files of {form.name} name their own vocabulary, so '{options.vocabulary}' cannot be chosen"
        raise AnnotationError([Fault("", "vocabulary-chosen", what, "leave it out")])
    if chosen is not None and options.label_map is not None:
        check(options.label_map, chosen)
    faults = Faults()
    if isinstance(form, DatasetFormat):
        collection = _read_dataset(names_of_format(contents, form), form, chosen, options, faults)
    else:
        collection = _read_recordings(contents, form, chosen, options, faults)
    recordings = tuple(replace(labels, instant=options.instant) for labels in collection.recordings)
    collection = _with_merges(replace(collection, recordings=recordings), options.label_map)
    faults.extend(suspicions.of(collection.recordings, options.first))
    return Reading(form, collection, faults.all())


def read(contents: Mapping[str, bytes], form: Format | DatasetFormat, options: Options) -> Collection:
    """Return what files say when nothing is wrong with them.

    Raises
    ------
    AnnotationError
        With everything that is wrong in any file.
    """
    reading = read_contents(contents, form, options)
    enforce("convert", reading.faults)
    return reading.collection


def _read_dataset(
    contents: Mapping[str, bytes], form: DatasetFormat, chosen: Vocabulary | None, options: Options, faults: Faults
) -> Collection:
    try:
        of_files = chosen or _vocabulary_of(form, contents, options.classes) or FILES_OWN
        collection = form.read(_files("", contents, of_files, options))
    except AnnotationError as error:
        faults.extend(error.faults)
        return Collection()
    faults.extend(collection.faults)
    for labels in collection.recordings:
        faults.extend(labels.faults)
    return collection


def _read_recordings(
    contents: Mapping[str, bytes], form: Format, chosen: Vocabulary | None, options: Options, faults: Faults
) -> Collection:
    recordings: list[Labels] = []
    for recording, files in sorted(by_recording(contents, form, faults).items()):
        try:
            of_files = chosen or _vocabulary_of(form, files, options.classes)
            if of_files is None:
                what = f"the format {form.name} does not say its vocabulary"
                raise AnnotationError([Fault(min(files), "vocabulary-unknown", what, "name one")])
            merges = None if options.label_map is None else within(options.label_map, of_files)
            labels = form.read(_files(recording, files, of_files, replace(options, label_map=merges)))
        except AnnotationError as error:
            faults.extend(error.faults)
            continue
        faults.extend(labels.faults)
        recordings.append(labels)
    return Collection(tuple(recordings))


def _with_merges(collection: Collection, merges: LabelMap | None) -> Collection:
    """Return the collection with merged triplets, of formats that name no triplets while they are read."""
    if merges is None:
        return collection
    return replace(collection, recordings=tuple(_with_merged_ids(labels, merges) for labels in collection.recordings))


def _with_merged_ids(labels: Labels, merges: LabelMap) -> Labels:
    if labels.instances is None:
        return labels
    rows, counts = triplet_merges.merged(labels, labels.instances.rows, merges)
    return replace(labels, instances=replace(labels.instances, rows=rows), merged=counts)


def _vocabulary_of(form: Format | DatasetFormat, files: Mapping[str, bytes], classes: Vocabulary | None) -> Vocabulary | None:
    """Return the vocabulary that files name, else that of the other files, of their folder or of their format; None where there is none."""
    by_hand = form.by_hand
    named = None if by_hand.vocabulary_of is None else by_hand.vocabulary_of(files)
    if named is not None or (classes is not None and not by_hand.names_vocabulary):
        return named or classes
    name = (vocabulary.named_by_folder(min(files)) if by_hand.named_by_folder and files else None) or by_hand.vocabulary
    return vocabulary.load(name) if name else None


def _files(recording: str, files: Mapping[str, bytes], of_files: Vocabulary, options: Options) -> LabelFiles:
    return LabelFiles(recording, files, of_files, options.box_tolerance, options.label_map, sparse=True, first=options.first)
