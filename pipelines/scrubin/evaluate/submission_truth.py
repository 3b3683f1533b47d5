"""What a submission is held against: labels in any format, our own ground truth, images, or a list of frames."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error, summary
from scrubin.base.text import csv_text
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.evaluate import released_truth
from scrubin.evaluate.choices import DEFAULT_VOCABULARY, TRUTHS
from scrubin.evaluate.metrics.variants import ONLY_INSTRUMENTS
from scrubin.evaluate.released_truth import ReleasedTruth
from scrubin.evaluate.series import recognised, stated_sizes, unread_of
from scrubin.evaluate.side import true_rate
from scrubin.labels import policy, rows
from scrubin.labels.choices import TASKS, Task
from scrubin.labels.files import reader
from scrubin.labels.files.detect import detected, refuse_mixture, unread_faults
from scrubin.labels.files.detect import unread_of as files_unread
from scrubin.labels.files.reader import Options, Reading
from scrubin.labels.files.verdict import Verdict, verdict_of
from scrubin.labels.formats.plain import phase_spans
from scrubin.labels.formats.submission.content import BoolArray, FloatArray, IntArray
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.labels.formats.submission.documents import PLAIN
from scrubin.labels.model import BOX, Labels, Layer
from scrubin.labels.parse import columns
from scrubin.labels.rates import is_by_frame, numberings_of, of_clock
from scrubin.labels.registry import format_of


@dataclass(frozen=True, eq=False)
class TrueVideo:
    """The labels of one video; what is not labelled, or not known, is None.

    Parameters
    ----------
    name
        Its id: submitted files are named after it.
    frames
        Frames whose instances are labelled, increasing, or that are to be predicted where only frames are known; else None.
        Whether they count, `GroundTruth.frames_of` says.
    targets
        (frames, triplets), whether a triplet occurs.
    boxed_frames
        The frames that detection can be scored on, increasing.
    boxes
        Their boxes.
    boxed_px
        (boxed_frames, 2), width and height of their images in px; NaN where no file states them.
    phase_frames
        Frames whose phase is to be predicted, increasing.
    phases
        (phase_frames,), phase ids; None when only the frames are known.
    per_second
        How many frames a second has, where the labels or the custom of their format say it.
    only_instruments
        Whether instances are labelled, and not as whole triplets.
    """

    name: str
    frames: IntArray | None
    targets: BoolArray | None = None
    boxed_frames: IntArray | None = None
    boxes: Boxes | None = None
    boxed_px: FloatArray | None = None
    phase_frames: IntArray | None = None
    phases: IntArray | None = None
    per_second: Fraction | None = None
    only_instruments: bool = False


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """The videos of a challenge.

    Parameters
    ----------
    vocabulary
        Names and ids.
    videos
        By name, in order of names.
    verdict
        On the label files; None where frames are known from elsewhere.
    said
        Behind what was read: at which rate frames were made of spans, where nobody named one.
    only
        Names that somebody listed: no other video counts, whatever lies beside the labels; None: nobody did.
    labelled_phases
        Ids of the phases that take part where only names say which vocabulary they are of; None: all.
    release
        The one that they are of.
    films
        How many frames the released film of a video has, where a table of the release says it.
    """

    vocabulary: Vocabulary
    videos: Mapping[str, TrueVideo]
    verdict: Verdict | None = None
    said: str = ""
    only: Collection[str] | None = None
    labelled_phases: frozenset[int] | None = None
    release: ReleasedTruth | None = None
    films: Mapping[str, int] = field(default_factory=dict)

    def frames_of(self, task: Task) -> dict[str, IntArray]:
        """Return the frames that a task has, increasing, by the videos that it has: those on which `scrubin score` scores it.

        A video with labels that are no whole triplets has none beside videos that have them, nor one without boxes beside boxes.
        """
        if task == "phases":
            return {name: video.phase_frames for name, video in self.videos.items() if video.phase_frames is not None}
        boxed = {name: video.boxed_frames for name, video in self.videos.items() if video.boxed_frames is not None}
        if task == "detection" and boxed:
            return boxed
        labelled = {name: video.frames for name, video in self.videos.items() if video.frames is not None}
        _, names = recognised({name: self.videos[name].targets is not None for name in labelled})
        return {name: labelled[name] for name in names}

    def asked(self, tasks: Collection[Task]) -> GroundTruth:
        """Return what counts where somebody asks for tasks; without any, everything."""
        if not tasks:
            return self
        hidden: dict[str, Any] = {} if {"recognition", "detection"} & set(tasks) else {"frames": None, "boxed_frames": None}
        hidden |= {} if "phases" in tasks else {"phase_frames": None}
        return replace(self, videos={name: replace(video, **hidden) for name, video in self.videos.items()})

    @property
    def names(self) -> list[str]:
        """The videos that any task has."""
        counted = {name for task in TASKS for name in self.frames_of(task)}
        return [name for name in self.videos if name in counted]


_IMAGE = re.compile(r"[0-9]{1,15}\.(?:png|jpe?g)", re.IGNORECASE)
_VIDEO: tuple[columns.Meaning, ...] = ("video", "id")
FramesOf = dict[str, set[int]]
"""Numbers of frames by video."""
_HEAD_BYTES = 4096


def is_list(path: Path) -> bool:
    """Return whether a path is a CSV of frames and nothing else: what can be published without the labels."""
    if not path.is_file() or path.suffix.lower() != ".csv":
        return False
    with strangers.opened(path) as opened:
        # The header alone: what is wrong below it is said when the list is read.
        lines = csv_text.grid(path.name, next((line for line in opened.read(_HEAD_BYTES).splitlines() if line.strip()), b"")).lines
    header = [cell.strip() for cell in lines[0].cells] if lines else []
    return len(header) == 2 and None not in (columns.first_of(header, "frame"), columns.first_of(header, *_VIDEO))


def listed(path: Path) -> FramesOf:
    """Return the frames of each video in a CSV with ``video`` (or ``id``) and ``frame``, or other names of the same.

    Raises
    ------
    AnnotationError
        With every line that names no new frame.
    """
    sheet = csv_text.read_path(path, str(path))
    faults = Faults()
    faults.extend(sheet.faults)
    video, frame = columns.first_of(sheet.columns, *_VIDEO) or "", columns.first_of(sheet.columns, "frame") or ""
    frames: FramesOf = {}
    for row in sheet.rows:
        name, key = row.cells[video], row.cells[frame]
        if not name or not PLAIN.fullmatch(key) or int(key) in frames.get(name, set()):
            what = f"video '{name}', frame '{key}'"
            faults.error(str(path), "frame-key", what, "give a video and a whole number from 0, each pair once", place=row.place)
            continue
        frames.setdefault(name, set()).add(int(key))
    AnnotationError.raise_any(faults)
    return frames


def of_images(path: Path) -> FramesOf:
    """Return the frames of ``<video>/000000.png`` or ``videos/<video>/000000.png``; empty where there are no such images."""
    for folder in (path, path / "videos", path / "frames"):
        inside = sorted(one for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
        frames = {one.name: {int(image.stem) for image in one.iterdir() if _IMAGE.fullmatch(image.name)} for one in inside}
        if any(frames.values()):
            return {name: of for name, of in frames.items() if of}
    return {}


SHOWN = 10


def read(
    path: Path,
    *,
    form: str | None = None,
    vocabulary_name: str | None = None,
    only: Sequence[str] = (),
    fps: Fraction | None = None,
    tasks: Collection[Task] = (),
) -> GroundTruth:
    """Return a ground truth.

    Parameters
    ----------
    path
        Folder or file.
    form
        Format of labels, as `scrubin convert` names them; None: by what is there.
    vocabulary_name
        Name of the vocabulary; None: that of the labels, else CholecT50's.
    only
        Names of the videos that count; none: all.
    fps
        Frames per second by which the labels count where no file says it; None: the custom of the format.
    tasks
        Those that are asked for: their labels must be of one format. None: instances, or phases where there are no instances.

    Raises
    ------
    AnnotationError
        When it cannot be read, has no frames, or lacks one of the videos that count.
    """
    truth = _read(path, form, vocabulary_name, fps, tasks)
    unknown = sorted(set(only) - set(truth.videos))
    if unknown:
        names = sorted(truth.videos)
        there = f"there are {', '.join(names[:SHOWN])}{' ...' if len(names) > SHOWN else ''}"
        missing = error(str(path), "video-missing", f"there is no video {unknown[0]} in it", there)
        raise AnnotationError([missing, *unread_of(unknown, () if truth.verdict is None else truth.verdict.faults)])
    videos = {name: video for name, video in sorted(truth.videos.items()) if not only or name in only}
    if not any(len(frames) for video in videos.values() for frames in (video.frames, video.phase_frames) if frames is not None):
        no_frames = error(str(path), "no-labels", "the ground truth has no frames", f"name a folder or file with {TRUTHS}")
        raise AnnotationError([no_frames, *(() if truth.verdict is None else truth.verdict.faults)])
    return replace(truth, videos=videos, only=only or None, release=released_truth.look(path), films=released_truth.film_frames(path))


def _read(path: Path, form: str | None, vocabulary_name: str | None, fps: Fraction | None, tasks: Collection[Task]) -> GroundTruth:
    if form is None and is_list(path):
        return of_frames(listed(path), vocabulary_name)
    try:
        return _of_labels(path, form, vocabulary_name, fps, tasks)
    except AnnotationError as refused:
        # Only where nothing is a label file can images be what is meant.
        is_no_label = form is None and refused.faults[0].rule in ("format-unknown", "no-files")
        if is_no_label and (images := of_images(path)):
            return of_frames(images, vocabulary_name)
        raise


def sentences_on(path: str, truth: GroundTruth) -> list[str]:
    """Return as what the files at a path were read, what of them is not as it should be, and which changed since their release."""
    read = (
        []
        if truth.verdict is None
        else [f"{path}: {truth.verdict.line}{truth.said and f'{truth.said} (--fps)'}", *summary(truth.verdict.faults)]
    )
    alone = any(video.only_instruments for video in truth.videos.values()) and all(video.targets is None for video in truth.videos.values())
    read += [f"{path}: {ONLY_INSTRUMENTS}; triplets can be checked, and not scored"] * alone
    changed = released_truth.sentence_on_changed(Path(path), truth.release)
    return [*read, *([changed] if changed else [])]


def _of_labels(path: Path, form: str | None, vocabulary_name: str | None, fps: Fraction | None, tasks: Collection[Task]) -> GroundTruth:
    # Of a release that is its ground truth, not its tables.
    known = format_of(form) if form is not None else detected(path, "phases" if {*tasks} == {"phases"} else "instances")
    fps = true_rate(path, fps)
    names_its_own = known.by_hand.names_vocabulary or (known.by_hand.vocabulary_of is not None and not known.by_hand.vocabulary)
    # The vocabulary of labels is that of the file, unless another one is named.
    named = None if names_its_own or vocabulary_name is None else vocabulary.load(vocabulary_name)
    reading = reader.read_path(path, known, Options(named))
    policy.enforce("rank", reading.faults)
    has_instances = any(labels.instances is not None or labels.spans is not None for labels in reading.collection.recordings)
    of_phases = "phases" in tasks or not has_instances
    if form is None and of_phases:
        refuse_mixture(path, known, "phases")
    if known.by_hand.asks_fps and fps is None and any(map(is_by_frame, reading.collection.recordings)):
        what = f"no file of {known.name} states the rate of its frames"
        fix = "say it by --fps"
        raise AnnotationError([error(str(path), "rate-unknown", what, fix), *reading.faults])
    losses: Counter[str] = Counter()
    recordings = [reader.all_by_frame(labels, known, fps, losses) for labels in reading.collection.recordings]
    unread = unread_faults(known.name, files_unread(path, known, reading.others, "phases" if of_phases else "instances"))
    reading = replace(
        reading, faults=(*reading.faults, *reader.lost_between_frames(reading, losses), *reader.rates_kept(reading, fps), *unread)
    )
    # A rate that contradicts the files is refused as by a score.
    numberings = numberings_of(recordings, known, fps)
    vocabularies = {labels.vocabulary.name: labels.vocabulary for labels in recordings}
    if len(vocabularies) != 1:
        what = f"the labels must be of one vocabulary, but there are {', '.join(sorted(vocabularies)) or 'none'}"
        raise AnnotationError([error(str(path), "vocabulary-several", what, "name one folder per vocabulary"), *reading.faults])
    (used,) = vocabularies.values()
    # Where nobody says the rate, that is the custom of the format.
    rates = [one or of_clock(labels.clock, known.by_hand.fps) for labels, one in zip(recordings, numberings, strict=True)]
    videos = {labels.recording: _video(labels, rate.per_second) for labels, rate in zip(recordings, rates, strict=True)}
    said = reader.said_of_spans(reading.collection.recordings, fps)
    return GroundTruth(used, videos, verdict_of(reading), said, labelled_phases=_labelled_phases(reading, videos, vocabulary_name))


def _labelled_phases(reading: Reading, videos: Mapping[str, TrueVideo], vocabulary_name: str | None) -> frozenset[int] | None:
    if vocabulary_name is not None or not phase_spans.are_named_alone(reading.form.name, reading.paths):
        return None
    return frozenset(id_ for video in videos.values() if video.phases is not None for id_ in np.unique(video.phases).tolist())


def _video(labels: Labels, per_second: Fraction) -> TrueVideo:
    """Return what can be scored of a video; without the triplet of an instance neither triplets nor their boxes can."""
    layer = labels.instances
    frames = None if layer is None else layer.positions
    phase_frames, phases = (None, None) if labels.phases is None else rows.phase_vector(labels.phases)
    if layer is None or not rows.has_whole_triplets(labels):
        only = layer is not None and len(layer.rows) > 0
        own = (phase_frames, phases, per_second, only)
        return TrueVideo(labels.recording, frames, None, None, None, None, *own)
    targets = rows.class_occurrence(layer, labels.vocabulary, "ivt").astype(np.bool_)
    boxed_frames, boxes = _boxes(layer)
    boxed_px = None if boxed_frames is None else stated_sizes(boxed_frames, labels.frames)
    return TrueVideo(labels.recording, frames, targets, boxed_frames, boxes, boxed_px, phase_frames, phases, per_second)


def _boxes(layer: Layer) -> tuple[IntArray | None, Boxes | None]:
    if not rows.counts_for_detection(layer):
        return None, None
    boxed = rows.boxed_layer(layer, "ivt")
    of_frames, triplets, instruments = (boxed.rows[name].to_numpy(np.int64) for name in ("position", "triplet_id", "instrument_id"))
    boxes_xywh = boxed.rows[list(BOX)].to_numpy(np.float64)
    return boxed.positions, Boxes(of_frames, triplets, instruments, boxes_xywh, np.ones(len(boxes_xywh)))


def of_frames(frames: Mapping[str, Iterable[int]], vocabulary_name: str | None) -> GroundTruth:
    """Return what submissions are held against where only the frames are known, by video: the same in a check and on a platform."""
    arrays = {name: np.array(sorted(of), np.int64) for name, of in frames.items()}
    videos = {name: TrueVideo(name, of, phase_frames=of) for name, of in sorted(arrays.items())}
    return GroundTruth(vocabulary.load(vocabulary_name or DEFAULT_VOCABULARY), videos)
