"""What label files say, whatever their format: labels of recordings in source time, scores of whole recordings.

Every reader makes these, every writer takes them: all pairs of formats meet here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.faults import Fault
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.choices import Instant, Task
from scrubin.labels.label_map import LabelMap
from scrubin.labels.points import POINTS

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Detail = Literal["triplet", "instrument"]
ClassesOf = Literal["ivt", "i"]
"""The classes that instances have of their own: triplets, or instruments where only these are labelled."""
IDS = ("instrument_id", "verb_id", "target_id", "triplet_id")
BOX = ("x", "y", "w", "h")
INSTANCE_COLUMNS = ("position", *IDS, *BOX, "score")
MASK = "mask"
"""A detail of instances: the compressed counts of `labels.masks`, of a picture of the ``width`` and ``height`` in `Labels.frames`;
null where an instance has none."""
IGNORED = "ignored"
"""A column of `Labels.frames`: pixels that count for nobody, as the compressed counts of one mask; null where all of a frame count."""
INSTANCE_DTYPES: Mapping[Any, Any] = {
    "position": "int64",
    **dict.fromkeys(IDS, "Int64"),
    **dict.fromkeys((*BOX, "score"), "float64"),
}
SEGMENT_COLUMNS = ("kind", "start", "end", "label_id")
MARK_COLUMNS = ("position", "mark", "rater", "value")
SPAN_COLUMNS = ("instrument_id", "instance", "start", "end", "verb_id", "target_id", "triplet_id")
RATING_COLUMNS = ("id", "task", "rater", "aspect", "score", "failed")
ERROR_COLUMNS = ("id", "task", "error", "occurred")


@dataclass(frozen=True)
class ClassList:
    """Instruments or triplets by number, as files list them: what a number means that stands without a name.

    Parameters
    ----------
    file
        Where the list stands, for messages; "" for the order of the vocabulary.
    ids
        The id in the vocabulary of each class, in the order of its numbers.
    first
        The number of the first class.
    triplets
        Whether the classes are triplets; otherwise they are instruments.
    recordings
        Those whose labels the list numbers; None: all.
    points
        How many points rows have that nothing else describes, and of how many numbers each; None where no file has such rows.
    """

    file: str
    ids: tuple[int, ...]
    first: int = 0
    triplets: bool = False
    recordings: tuple[str, ...] | None = None
    points: tuple[int, int] | None = None

    def is_of(self, names: Iterable[str]) -> bool:
        """Return whether the list numbers labels of any of some recordings."""
        return self.recordings is None or not set(names).isdisjoint(self.recordings)


@dataclass(frozen=True)
class LabelFiles:
    """The files of one recording in one format, and how to read them.

    Parameters
    ----------
    recording
        The curator's name of the recording.
    files
        Content by name, relative to the raw folder.
    vocabulary
        Names and ids.
    box_tolerance
        A box may leave the image by this share of its side. It stays as it was drawn, so that a file can be written back
        as it was; tables cut it to the image.
    label_map
        Merges of triplets that hold while names are read; None for none.
    sparse
        Whether a format that has a row for every frame may lack some: a warning instead of an error.
    first
        The number of the first frame, where a user says that frames are not numbered from 0.
    image_size
        Width and height in px of images whose size no file states, where a user says it.
    lists
        Those of the ground truth, for predictions that number classes and do not name them; none: the vocabulary numbers them.
    root
        The folder that was named, in which all files lie: the folders above it say nothing of labels.
    tasks
        Those that a user asks for, where files have several; none: all.
    labelled_videos
        Those of the ground truth, for predictions, whose phases in other videos do not count; None where all do.
    may_have_further
        Whether these may have phases beside the vocabulary, because it is no more than what the ground truth has.
    criteria
        Those of the ground truth, for predictions, whose tables may say more; None for labels.
    predicted
        Whether these are predictions: then a confidence of 0 says no more than that.
    """

    recording: str
    files: Mapping[str, bytes]
    vocabulary: Vocabulary
    box_tolerance: float
    label_map: LabelMap | None = None
    sparse: bool = False
    first: int = 0
    image_size: tuple[int, int] | None = None
    lists: tuple[ClassList, ...] = ()
    root: str = ""
    tasks: tuple[Task, ...] = ()
    labelled_videos: frozenset[str] | None = None
    may_have_further: bool = False
    criteria: frozenset[str] | None = None
    predicted: bool = False


@dataclass(frozen=True)
class Clock:
    """What a label's position counts: periods of source time, or source frames.

    Parameters
    ----------
    period_s
        Position k is source second ``k * period_s``; None: position k is source frame k. Both
        start at 0 with the first frame of the source.
    """

    period_s: Fraction | None


SOURCE_FRAMES = Clock(None)


@dataclass(frozen=True)
class Layer:
    """Labels of one kind.

    Parameters
    ----------
    file
        Where they stand, for messages.
    positions
        Every labelled position, increasing, shape (n,). It may have no row: labelled as "nothing there".
    rows
        A data frame with ``position`` and ids; undefined is null. Rows of a position keep the order of the file.
        Instances may have more columns than ours, such as masks, points or tracks; what does not know them leaves them out.
    every_frame
        Whether the format labels every frame of the source, so that the length must be that of the video.
    boxless
        Whether nobody looked for boxes, as in a matrix of classes: then a frame in which nothing is labelled does not say that
        nothing is to be detected.
    """

    file: str
    positions: IntArray
    rows: pd.DataFrame
    every_frame: bool = False
    boxless: bool = False


@dataclass(frozen=True, eq=False)
class Recognition:
    """Predicted scores of classes in frames.

    Parameters
    ----------
    file
        Where they stand, for messages.
    positions
        Increasing, shape (n,).
    scores
        Shape (n, classes), columns by id; a row of NaN where a frame has none.
    classes
        Whether they are triplets or instruments.
    beside_labels
        Whether the file has labels of its own beside them, as archives of both sides do.
    """

    file: str
    positions: IntArray
    scores: npt.NDArray[np.float64]
    classes: ClassesOf = "ivt"
    beside_labels: bool = False


@dataclass(frozen=True)
class Labels:
    """All that one format says about one recording.

    Parameters
    ----------
    recording, format, vocabulary
        Whose labels, read by which format, in which vocabulary.
    clock
        What a position counts.
    phases, instances
        The labels; None when the format, or the recording, has none of that kind.
    detail
        What is labelled of an instance: the whole triplet, or the instrument only.
    picture_files
        The file of each labelled picture by position, where every picture has its own.
    faults
        What a curator should know: deviations and warnings; labels with an error are not returned.
    segments
        Spans of time with a label, half open: ``kind`` (phase, step, gesture or mark), ``start``, ``end``,
        ``label_id``. They may overlap, and keep the order of the file.
    segments_clock
        What their instants count; None: the same as positions.
    instant
        Which instant of a frame's period decides its phase where segments become frames.
    counts_time
        Whether the files number labels by time, where their format leaves it open: then nobody has to say a rate.
    rounded_s
        The unit of the last decimal, where rows are numbered by times that may be rounded; None where positions are exact.
    frames
        What the format says of single positions beyond labels: ``position`` and any columns, such
        as ``file_name``, ``width`` and ``height`` in px.
    recognition
        Predicted scores of triplets or instruments, where the files are predictions.
    about
        What the format says of the whole file, to be written back: no label is only here.
    merged
        Instances that a label map changed, by ``(from, to)``.
    spans
        What one instance of an instrument does for how long, in units of the clock, half open: ``SPAN_COLUMNS``.
        A span without instrument says that nothing is in view. They are exact; ``instances`` is made of them
        for the frames that are wanted, by ``spans_expansion`` and ``spans_placing``.
    marks
        Whether something is so in a frame, such as a criterion of the critical view of safety: ``MARK_COLUMNS``, one row per frame,
        name of the mark and annotator, with 0 or 1. Where the annotator is "", it is a value in 0..1 of nobody by name: the mean of
        several, or a prediction. Positions are the frames that somebody judged.
    source_fps
        Frames per second of the source by whose frames positions are numbered, where the file states it. Who knows the source, as a
        stage does, needs it not: the frames of the source have their own times.
    program_fps
        Frames per second at which a program counted the time of the video, whatever rate that has, where the file states it: positions are
        times by it, not frames of the source, and count time.
    fitting_fps
        From which to which rate everything fits that the file states, where that is rounded: who says one of these does not contradict
        it, and it counts. Without a ``program_fps`` or ``source_fps`` one of them has to be said.
    file
        Where spans and segments of a data set stand; "" where the recording has a file of its own, or layers, which say it.
    """

    recording: str
    format: str
    vocabulary: Vocabulary
    clock: Clock
    phases: Layer | None = None
    instances: Layer | None = None
    detail: Detail = "triplet"
    picture_files: Mapping[int, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    segments: pd.DataFrame | None = None
    frames: pd.DataFrame | None = None
    recognition: Recognition | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    merged: Mapping[tuple[str, str], int] = field(default_factory=dict)
    spans: pd.DataFrame | None = None
    segments_clock: Clock | None = None
    instant: Instant = "start"
    counts_time: bool = False
    rounded_s: Fraction | None = None
    marks: Layer | None = None
    source_fps: Fraction | None = None
    program_fps: Fraction | None = None
    fitting_fps: tuple[tuple[float, float], ...] = ()
    file: str = ""


@dataclass(frozen=True)
class Scores:
    """Scores of whole recordings.

    Parameters
    ----------
    ratings
        The columns of the table ``ratings``; a null score is undefined.
    facts
        ``id``, ``task`` and whatever else a format says of a recording, such as level of skill,
        duration or subset: one row per recording, or per recording and rater (column ``rater``).
    errors
        The columns of the table ``errors``.
    skill
        ``id``, ``task`` and aggregated scores as published; empty where a format has none.
    """

    ratings: pd.DataFrame
    facts: pd.DataFrame
    errors: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(ERROR_COLUMNS)))
    skill: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=["id", "task"]))


@dataclass(frozen=True)
class Collection:
    """Everything that was read.

    Parameters
    ----------
    recordings
        Labels of frames, sorted by recording.
    scores
        Scores of recordings; None where there are none.
    faults
        What the user should know of files that are of several recordings.
    lists
        The lists of instruments or triplets that files number.
    """

    recordings: tuple[Labels, ...] = ()
    scores: Scores | None = None
    faults: tuple[Fault, ...] = ()
    lists: tuple[ClassList, ...] = ()


def instance_rows(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return instances as a data frame; missing ids and boxes are null."""
    frame = pd.DataFrame(list(rows), columns=list(INSTANCE_COLUMNS), dtype=object)
    return frame.astype(INSTANCE_DTYPES)


def detailed_rows(rows: Sequence[Mapping[str, Any]], details: Mapping[str, str]) -> pd.DataFrame:
    """Return instances with more columns, by name and dtype; a detail that no instance has is left out."""
    stated = [name for name in details if any(row.get(name) is not None for row in rows)]
    frame = pd.DataFrame(list(rows), columns=[*INSTANCE_COLUMNS, *stated], dtype=object)
    return frame.astype({**INSTANCE_DTYPES, **{name: details[name] for name in stated}})


def details_of(rows: pd.DataFrame) -> list[str]:
    """Return the columns of instances that are neither among ours nor their masks and points."""
    return [str(name) for name in rows.columns if name not in (*INSTANCE_COLUMNS, MASK, POINTS)]


def segment_rows(rows: Sequence[tuple[str, int, int, int]]) -> pd.DataFrame:
    """Return segments as a data frame, in the given order."""
    frame = pd.DataFrame(list(rows), columns=list(SEGMENT_COLUMNS))
    return frame.astype({"kind": "str", "start": "int64", "end": "int64", "label_id": "int64"})


def span_rows(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return spans of instances as a data frame, in the given order; missing ids are null."""
    frame = pd.DataFrame(list(rows), columns=list(SPAN_COLUMNS), dtype=object)
    return frame.astype({name: "int64" if name in ("start", "end") else "Int64" for name in SPAN_COLUMNS})


def mark_rows(rows: Sequence[tuple[int, str, str, float]]) -> pd.DataFrame:
    """Return marks as a data frame, in the given order: position, name, annotator, value in 0..1."""
    frame = pd.DataFrame(list(rows), columns=list(MARK_COLUMNS))
    return frame.astype({"position": "int64", "mark": "str", "rater": "str", "value": "float64"})


def phase_rows(positions: Sequence[int], phase_ids: Sequence[int]) -> pd.DataFrame:
    """Return phases as a data frame, one row per position."""
    return pd.DataFrame({"position": np.array(positions, np.int64), "phase_id": np.array(phase_ids, np.int64)})


def layer_of_phases(file: str, phases: Mapping[int, int], *, every_frame: bool = False) -> Layer:
    """Return the layer of phases that are known by position; parameters as of `Layer`."""
    positions = sorted(phases)
    return Layer(file, np.array(positions, np.int64), phase_rows(positions, [phases[position] for position in positions]), every_frame)


def rating_rows(rows: list[tuple[str, str, str, str, float | None, bool]]) -> pd.DataFrame:
    """Return ratings as a data frame: id, task, rater, aspect, score, failed."""
    frame = pd.DataFrame(rows, columns=list(RATING_COLUMNS))
    return frame.astype({"score": "float64", "failed": "bool", **dict.fromkeys(("id", "task", "rater", "aspect"), "str")})


def by_position(layer: Layer | None) -> dict[int, list[dict[str, Any]]]:
    """Return the rows of each labelled position, as plain values with None for undefined; a position without rows has none."""
    if layer is None:
        return {}
    rows_at: dict[int, list[dict[str, Any]]] = {position: [] for position in layer.positions.tolist()}
    columns = {str(name): layer.rows[name].astype(object).where(layer.rows[name].notna(), None).tolist() for name in layer.rows.columns}
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        rows_at[row["position"]].append(row)
    return rows_at


def phase_of(layer: Layer | None) -> dict[int, int]:
    """Return the phase id of each position that has one."""
    return {} if layer is None else dict(zip(layer.rows["position"].tolist(), layer.rows["phase_id"].tolist(), strict=True))
