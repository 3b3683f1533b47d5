"""The one door to label files: a path in any format to labels, with everything that is wrong with it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path, PurePath

import pandas as pd

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults, warning
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.own_categories import FILES_OWN
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import formats, instance_spans
from scrubin.labels.choices import BOX_TOLERANCE, Instant, Task
from scrubin.labels.files import suspicions
from scrubin.labels.files.detect import FROM, LabelFolder, label_folder, of_unknown
from scrubin.labels.label_map import LabelMap, within
from scrubin.labels.model import IDS, SOURCE_FRAMES, ClassList, Clock, Collection, LabelFiles, Labels
from scrubin.labels.parse import fields
from scrubin.labels.policy import enforce
from scrubin.labels.rates import Numbering, kept_rates, numberings_of
from scrubin.labels.registry import NAMES_CLASSES, WRITERS, AnyFormat, Content, DatasetFormat, name_pattern, only_names_classes
from scrubin.labels.timing import BETWEEN_FRAMES, EXACT_EDGES, EXACT_TIMES, between_frames, retimed

__all__ = ["Options", "Reading", "formats", "read", "read_contents", "read_path"]


TASK_OF: Mapping[Content | None, Task] = {"instances": "recognition", "boxes": "detection"}
"""By what a command needs, the task of a submission that it is of; phases have files of their own."""
SPANS_FPS = Fraction(1)
"""Spans of time are taken at so many instants a second where nobody says another rate."""
LOST = "between-frames"
"""The rule of what spans of time have and frames have not."""


def with_merges(labels: Labels, label_map: LabelMap | None) -> Labels:
    """Return labels with merged triplets; what is merged is counted in ``merged``. None merges nothing; raises as `merged`."""
    if label_map is None or labels.instances is None:
        return labels
    rows, counts = merged(labels, labels.instances.rows, label_map)
    return replace(labels, instances=replace(labels.instances, rows=rows), merged=counts)


def merged(labels: Labels, rows: pd.DataFrame, label_map: LabelMap) -> tuple[pd.DataFrame, Counter[tuple[str, str]]]:
    """Return instances with merged triplets, and how many were merged, with those that were while the files were read.

    All merges happen at once: no instance is merged twice, and their number stays.

    Parameters
    ----------
    rows
        Of the labels' instances: ``IDS`` and any other columns, which are kept.

    Raises
    ------
    AnnotationError
        When the map merges a class of the vocabulary twice, or into something that it does not have.
    """
    vocabulary, counts = labels.vocabulary, Counter(labels.merged)
    targets = _targets(vocabulary, label_map)
    before = rows["triplet_id"]
    these = before.isin(list(targets))
    if not these.any():
        return rows, counts
    old = [int(triplet) for triplet in before[these]]
    for triplet in old:
        counts[vocabulary.triplet_name(triplet), vocabulary.triplet_name(targets[triplet])] += 1
    changed = rows.copy()
    ids = [(*vocabulary.triplets[targets[triplet]], targets[triplet]) for triplet in old]
    for place, column in enumerate(IDS):
        changed.loc[these, column] = pd.array([one[place] for one in ids], dtype="Int64")
    return changed, counts


def _targets(vocabulary: Vocabulary, label_map: LabelMap) -> dict[int, int]:
    """Return which triplet of a vocabulary becomes which."""
    targets: dict[int, int] = {}
    for of, to in label_map.merges.items():
        before = vocabulary.find_triplet(",".join(of))
        if before is None:
            continue  # nothing of these labels can be this triplet
        if before in targets:
            what = f"'{','.join(of)}' is merged twice, in another spelling"
            raise AnnotationError([Fault(label_map.file, "merge-repeated", what, "keep one of the rows")])
        targets[before] = vocabulary.triplet_of(",".join(to))
    chained = sorted(set(targets.values()) & set(targets))
    if chained:
        what = f"'{vocabulary.triplet_name(chained[0])}' is merged, and others are merged into it"
        raise AnnotationError([Fault(label_map.file, "merge-chain", what, "merge all into the last one")])
    return targets


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
    image_size
        Width and height in px of images whose size no file states.
    lists, root, labelled_videos, may_have_further, criteria, predicted
        As of `LabelFiles`.
    tasks
        Those that a command needs of files that have several; none: all.
    format_option
        By what a user can name the format of these files, as of `detected`.
    """

    vocabulary: Vocabulary | None = None
    label_map: LabelMap | None = None
    box_tolerance: float = BOX_TOLERANCE
    first: int = 0
    classes: Vocabulary | None = None
    instant: Instant = "start"
    image_size: tuple[int, int] | None = None
    lists: tuple[ClassList, ...] = ()
    root: str = ""
    tasks: tuple[Task, ...] = ()
    labelled_videos: frozenset[str] | None = None
    may_have_further: bool = False
    criteria: frozenset[str] | None = None
    predicted: bool = False
    format_option: str = FROM


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
    if options.first and form.by_hand.first is not None:
        what = f"--first-frame {options.first}: {form.name} numbers frames from {form.by_hand.first} itself, and they are read so already"
        raise AnnotationError([Fault("", "first-frame", what, "leave it out")])
    is_whole = isinstance(form, DatasetFormat)
    grouped = {"": _of_data_set(contents, form)} if is_whole else _by_recording(contents, form, options.root, faults)
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
        fix = "name one by --vocabulary, or 'vocabulary' of the source in params.yaml"
        raise AnnotationError([Fault(min(files), "vocabulary-unknown", what, fix)])
    merges = options.label_map
    if merges is not None and of_files is not None and (of_files is options.vocabulary or not is_whole):
        merges = within(merges, of_files)
    classes = of_files or FILES_OWN
    said = (options.first, options.image_size, options.lists, options.root, options.tasks)
    of_truth = (options.labelled_videos, options.may_have_further, options.criteria, options.predicted)
    return LabelFiles(recording, files, classes, options.box_tolerance, merges, True, *said, *of_truth)


def _of_data_set(contents: Mapping[str, bytes], form: AnyFormat) -> dict[str, bytes]:
    """Return the files whose names are those of a format."""
    fits = name_pattern(form)
    return {file: data for file, data in contents.items() if fits.fullmatch(file)}


def _by_recording(contents: Mapping[str, bytes], form: AnyFormat, root: str, faults: Faults) -> dict[str, dict[str, bytes]]:
    """Return the files of each recording, with those that belong to all; two files of one name are noted, and the second is left out."""
    fits = name_pattern(form)
    grouped: dict[str, dict[str, bytes]] = {}
    first: dict[str, str] = {}
    shared: dict[str, bytes] = {}
    for file, data in contents.items():
        match = fits.fullmatch(file)
        if match is None:
            continue
        own, recording = _named_by_folder(file, match, root)
        if own in first:
            faults.error(file, "file-repeated", f"'{own}' is also {first[own]}", "convert the folders one by one")
            continue
        first[own] = file
        if recording is None:
            shared[file] = data
        else:
            grouped.setdefault(recording, {})[file] = data
    return {recording: {**files, **shared} for recording, files in grouped.items()}


def _named_by_folder(file: str, match: re.Match[str], root: str) -> tuple[str, str | None]:
    """Return what the format knows of a name, and its recording: that of a frame called ``frame_000001`` is named by its folder."""
    own, recording = str(match["own"]), match["recording"]
    if recording is None or not match.groupdict().get("frame") or not fields.names_no_recording(recording):
        return own, recording
    stated = fields.recording_and_frame(file, root)
    return (own, recording) if stated is None or stated[0] == recording else (f"{stated[0]}/{own}", stated[0])


def _vocabulary_of(form: AnyFormat, files: Mapping[str, bytes], classes: Vocabulary | None) -> Vocabulary | None:
    """Return the vocabulary that files name, else that of the other files, of their folder or of their format; None where there is none."""
    by_hand = form.by_hand
    named = None if by_hand.vocabulary_of is None else by_hand.vocabulary_of(files)
    if named is not None or (classes is not None and not by_hand.names_vocabulary):
        return named or classes
    name = (vocabulary.named_by_folder(min(files)) if by_hand.named_by_folder and files else None) or by_hand.vocabulary
    return vocabulary.load(name) if name else None


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
    unread
        Those of ``others`` that may hold what a command needs, and whether they look like it, or nobody can tell.
    """

    form: AnyFormat
    collection: Collection
    faults: tuple[Fault, ...]
    paths: tuple[Path, ...] = ()
    others: tuple[Path, ...] = ()
    unread: Mapping[Path, bool] = field(default_factory=dict)


def read_path(
    path: Path, form: AnyFormat | None, options: Options, wanted: Content | None = None, *, videos: Names[str] | None = None
) -> Reading:
    """Return what lies at a path: the one door for every command.

    Parameters
    ----------
    path
        A file or folder.
    form
        The format; None: by what the files look like.
    options
        What files do not say.
    wanted
        What a command needs, such as ``"phases"``: it decides where files could be of several formats.
    videos
        As of `label_folder`.

    Raises
    ------
    AnnotationError
        When nothing can be read at all: no such path, no format or several. All else is in ``faults``.
    """
    folder = label_folder(path, form, wanted, videos=videos, option=options.format_option)
    if options.classes is None and options.vocabulary is None:
        _refuse_unnamed(folder)
    named = path if path.is_dir() else path.parent
    # Files of a folder without a name are named with that which it has.
    root = named.as_posix() if named.name else strangers.real(named).name
    tasks = options.tasks or ((TASK_OF[wanted],) if wanted in TASK_OF else ())
    reading = read_contents(folder.contents, folder.form, replace(options, root=root, tasks=tasks))
    # As they are called, where formats know them in small letters.
    shown = {name: PurePath(name).with_name(file.name).as_posix() for name, file in zip(folder.contents, folder.paths, strict=True)}
    faults = [replace(fault, file=shown.get(fault.file, fault.file)) for fault in of_unknown(reading.faults, folder.unknown)]
    return replace(reading, faults=tuple(faults), paths=folder.paths, others=folder.others, unread=folder.unread)


def _refuse_unnamed(folder: LabelFolder) -> None:
    """Raise `AnnotationError` where only YAML without names that were found could name the classes, which would be taken for others."""
    if not name_pattern(folder.form).fullmatch("data.yaml") or any(map(only_names_classes, folder.paths)):
        return
    what = "nothing names the classes that the labels number, and no names of classes were found in this file"
    fix = "give their names by id, from 0, as names: [...] in data.yaml, or one a line in classes.txt; or choose them by --vocabulary"
    settings = [file for file in folder.unread if file.suffix.lower() in NAMES_CLASSES]
    AnnotationError.raise_any([Fault(str(file), "classes-unnamed", what, fix) for file in settings])


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
    faults.extend(suspicions.of(recordings, options.first))
    lists = tuple(one for part in parts for one in part.lists)
    return Reading(form, replace(parts[0] if parts else Collection(), recordings=tuple(recordings), lists=lists), faults.all())


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
    recordings = tuple(_with_own_rate(with_merges(labels, files.label_map)) for labels in collection.recordings)
    return replace(collection, recordings=recordings)


def _with_own_rate(labels: Labels) -> Labels:
    """Return labels that know when their frames are, where their file states the rate: then nobody has to say it."""
    if labels.source_fps is None or labels.clock != SOURCE_FRAMES:
        return labels
    return replace(labels, clock=Clock(1 / labels.source_fps), counts_time=True)


@dataclass(frozen=True, eq=False)
class NumberedLabels:
    """Labels of a recording by frame, and how its frames are counted; None where no file and nobody says it."""

    labels: Labels
    numbering: Numbering | None

    @property
    def name(self) -> str:
        """Its name."""
        return self.labels.recording


@dataclass(frozen=True, eq=False)
class FrameReading:
    """What was read, as far as it has what is wanted.

    Parameters
    ----------
    reading
        Everything.
    found
        The recordings that have it, by frame or as spans of time.
    recordings
        The same by frame; without those whose spans of time hold none of it.
    lost
        What of the spans of time no frame has, and which rates are not the one that is said, as warnings.
    """

    reading: Reading
    found: tuple[Labels, ...]
    recordings: tuple[NumberedLabels, ...]
    lost: tuple[Fault, ...] = ()


def instances_by_frame(reading: Reading, fps: Fraction | None) -> FrameReading:
    """Return the instances, or predicted scores of classes, that a metric compares: from here on there are no spans and no clock.

    Parameters
    ----------
    fps
        Frames per second by which the files number frames where they do not say it; None: the custom of the format.

    Raises
    ------
    AnnotationError
        With all faults that stop `scrubin score`; or when files count otherwise than is said.
    """
    enforce("score", reading.faults)
    every = reading.collection.recordings
    found = tuple(one for one in every if one.instances is not None or one.spans is not None or one.recognition is not None)
    losses: Counter[str] = Counter()
    by_frame = [instance_spans.by_frame(labels, fps or reading.form.by_hand.fps, losses) for labels in found]
    numbered = _numbered(by_frame, reading, fps)
    return FrameReading(reading, found, numbered, (*lost_between_frames(reading, losses), *rates_kept(reading, fps)))


def phases_by_frame(reading: Reading, fps: Fraction | None, spans_fps: Fraction = SPANS_FPS) -> FrameReading:
    """Return the phases that a metric compares; parameters and errors as of `instances_by_frame` and `all_by_frame`."""
    enforce("score", reading.faults)
    found = tuple(one for one in reading.collection.recordings if one.phases is not None or one.segments is not None)
    losses: Counter[str] = Counter()
    every = [all_by_frame(labels, reading.form, fps, losses, spans_fps) for labels in found]
    kept = [labels for labels in every if labels.phases is not None]
    numbered = _numbered(kept, reading, fps)
    return FrameReading(reading, found, numbered, (*lost_between_frames(reading, losses), *rates_kept(reading, fps)))


def marks_by_frame(reading: Reading, fps: Fraction | None) -> FrameReading:
    """Return the marks that a metric compares; parameters and errors as of `instances_by_frame`."""
    enforce("score", reading.faults)
    found = tuple(one for one in reading.collection.recordings if one.marks is not None)
    return FrameReading(reading, found, _numbered(found, reading, fps), rates_kept(reading, fps))


def _numbered(recordings: Sequence[Labels], reading: Reading, fps: Fraction | None) -> tuple[NumberedLabels, ...]:
    return tuple(map(NumberedLabels, recordings, numberings_of(recordings, reading.form, fps)))


def rates_kept(reading: Reading, fps: Fraction | None) -> tuple[Fault, ...]:
    """Return as warnings which files state another rate than the one that somebody says for those that state none."""
    return tuple(
        warning("", "rate-kept", f"{one}; {fps} is for those that state none") for one in kept_rates(reading.collection.recordings, fps)
    )


def all_by_frame(labels: Labels, form: AnyFormat, fps: Fraction | None, losses: Counter[str], spans_fps: Fraction = SPANS_FPS) -> Labels:
    """Return labels with spans of instances and of phases by frame: the latter at the rate that is said, else at that of spans.

    Parameters
    ----------
    losses
        Takes what no frame has.
    spans_fps
        At how many instants a second spans of phases are taken where nobody says another rate.
    """
    labels = instance_spans.by_frame(labels, fps or form.by_hand.fps, losses)
    if labels.segments is None:
        return labels
    if has_phases_by_frame(labels):
        return replace(labels, segments=None)
    by_frame = retimed(labels, WRITERS["tables"], form.by_hand.fps, fps or spans_fps, losses)
    losses[BETWEEN_FRAMES] += between_frames(by_frame)
    return by_frame


def lost_between_frames(reading: Reading, losses: Mapping[str, int]) -> tuple[Fault, ...]:
    """Return as warnings what of spans of time no frame has; that edges lie between frames is usual, and not said."""
    folder, usual = os.path.commonpath(reading.paths) if reading.paths else "", (EXACT_EDGES, EXACT_TIMES)
    return tuple(warning(folder, LOST, f"{what}: {count}") for what, count in sorted(losses.items()) if count and what not in usual)


def said_of_spans(recordings: Iterable[Labels], fps: Fraction | None, spans_fps: Fraction = SPANS_FPS) -> str:
    """Return at which rate frames were made of spans of phases, to be said behind what was read; "" where somebody named it.

    Parameters
    ----------
    recordings
        As they were read.
    fps
        What somebody named.
    spans_fps
        As of `all_by_frame`.
    """
    spans = [one for one in recordings if one.segments is not None and (one.segments["kind"] == "phase").any()]
    if fps is not None or all(has_phases_by_frame(one) for one in spans):
        return ""
    rate = f"{spans_fps} frame{'' if spans_fps == 1 else 's'}"
    why = "as no rate is named" if spans_fps == SPANS_FPS else "as the other side has"
    return f"; spans of phases are taken at {rate} per second, {why}"


def has_phases_by_frame(labels: Labels) -> bool:
    """Return whether the phases are those of frames of the source, beside spans of other kinds: no rate is needed for them."""
    by_frame = labels.phases is not None and (labels.clock.period_s is None or labels.program_fps is not None)
    return by_frame and labels.segments is not None and not (labels.segments["kind"] == "phase").any()
