"""The one door to label files: a path in any format to labels and to everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Fault, Faults
from scrubin.labels import formats, suspicions
from scrubin.labels.batches import BOX_TOLERANCE, Options, batches
from scrubin.labels.detect import label_folder
from scrubin.labels.merges.triplet_merges import with_merges
from scrubin.labels.model import Collection, LabelFiles
from scrubin.labels.policy import enforce
from scrubin.labels.registry import AnyFormat, Content, DatasetFormat, format_of

__all__ = ["BOX_TOLERANCE", "Options", "Reading", "formats", "read", "read_contents", "read_path"]


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

    form: AnyFormat
    collection: Collection
    faults: tuple[Fault, ...]
    paths: tuple[Path, ...] = ()
    others: tuple[Path, ...] = ()


def read_path(path: Path, name: str | None, options: Options, wanted: Content | None = None, *, links_may_lead_out: bool = True) -> Reading:
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
    links_may_lead_out
        As of `label_folder`.

    Raises
    ------
    AnnotationError
        When nothing can be read at all: no such path, no format or several. All else is in ``faults``.
    """
    named = None if name is None else format_of(name)
    folder = label_folder(path, named, wanted, links_may_lead_out=links_may_lead_out)
    reading = read_contents(folder.contents, folder.form, options)
    return replace(reading, paths=folder.paths, others=folder.others)


def read_contents(contents: Mapping[str, bytes], form: AnyFormat, options: Options) -> Reading:
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
    faults = Faults()
    parts = [_read(files, form, faults) for files in batches(contents, form, options, faults)]
    recordings = [replace(labels, instant=options.instant) for part in parts for labels in part.recordings]
    recordings = [with_merges(labels, options.label_map) for labels in recordings]
    faults.extend(suspicions.of(recordings, options.first))
    return Reading(form, replace(parts[0] if parts else Collection(), recordings=tuple(recordings)), faults.all())


def read(contents: Mapping[str, bytes], form: AnyFormat, options: Options) -> Collection:
    """Return what files say when nothing is wrong with them.

    Raises
    ------
    AnnotationError
        With everything that is wrong in any file.
    """
    reading = read_contents(contents, form, options)
    enforce("convert", reading.faults)
    return reading.collection


def _read(files: LabelFiles, form: AnyFormat, faults: Faults) -> Collection:
    """Return what the files of a recording or of a data set say; nothing when any has an error, which is noted."""
    try:
        collection = form.read(files) if isinstance(form, DatasetFormat) else Collection((form.read(files),))
    except AnnotationError as error:
        faults.extend(error.faults)
        return Collection()
    faults.extend(collection.faults)
    for labels in collection.recordings:
        faults.extend(labels.faults)
    return collection
