"""Tables that are released, or that labels are converted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import pandas as pd

from scrubin.base.tables import Column, Table

ID = Column("id", "str", "", "released pseudo-English id of the recording")
TASK = Column("task", "str", "", "training task or kind of procedure")
CAMERA = Column("camera", "str", "", "left or right of a stereo pair, or mono", values=("left", "right", "mono"))
_FRAME = Column("frame", "int64", "", "number of the extracted frame, from 0", between=(0, None))
_VOCABULARY = Column("vocabulary", "str", "", "vocabulary of the names and ids")
_OF_FRAME = (ID, _FRAME)
_OF_INSTANCE = (*_OF_FRAME, Column("instance", "int64", "", "number of the instance in its frame, as in triplets", between=(0, None)))

VIDEOS = Table(
    "videos",
    "every released video file",
    private=False,
    key=("id", "camera"),
    columns=(
        ID,
        TASK,
        CAMERA,
        Column("path", "str", "", "file, relative to the release folder"),
        Column("width", "int64", "px", "width", between=(1, None)),
        Column("height", "int64", "px", "height", between=(1, None)),
        Column("fps", "str", "1/s", "frame rate as an exact fraction; the average where it varies"),
        Column("variable_rate", "bool", "", "whether the time between frames varies"),
        Column("frame_count", "int64", "frames", "number of frames", between=(1, None)),
        Column("duration_s", "float64", "s", "from the first frame to the end of the last", between=(0, None)),
        Column("sha256", "str", "", "SHA-256 of the file"),
    ),
)

GAPS = Table(
    "gaps",
    "times between two files of a recording of which no frame was recorded; what a file itself lacks is told by the times of its frames",
    private=False,
    key=("id", "camera", "last_frame"),
    columns=(
        ID,
        CAMERA,
        Column("last_frame", "int64", "frames", "frame of the released video after which it begins, from 0", between=(0, None)),
        Column("gap_s", "float64", "s", "time without a frame after this one has ended", between=(0, None)),
    ),
)

FRAMES = Table(
    "frames",
    "every extracted frame: frame k is the first frame of the released video at or after k / rate; "
    "its quality is measured in the video's full size, also where the file is smaller",
    private=False,
    key=("id", "camera", "frame"),
    columns=(
        ID,
        CAMERA,
        _FRAME,
        Column("source_frame", "int64", "frames", "its number in the released video, from 0", between=(0, None)),
        Column("time_s", "float64", "s", "its true time in the released video", between=(0, None)),
        Column(
            "path",
            "str",
            "",
            "file, relative to the release folder; <id>.tar/<number>.jpg is a member of that tar",
            null="dropped: the frame has no file",
        ),
        Column("width", "int64", "px", "of the extracted picture", between=(1, None)),
        Column("height", "int64", "px", "of the extracted picture", between=(1, None)),
        Column("redacted", "bool", "", "whether the whole frame is hidden (black)"),
        Column("dropped", "bool", "", "whether it is too poor to be used, or lies in a gap, and has no file; its number stays its own"),
        Column("dropped_why", "str", "", "the threshold that it is beyond, with its value; or the gap", null="kept"),
        Column("sharpness", "float64", "", "variance of the Laplacian of the grey image", between=(0, None)),
        Column("brightness", "float64", "", "mean of the grey image", between=(0, 255)),
        Column("contrast", "float64", "", "standard deviation of the grey image", between=(0, None)),
        Column("saturated_share", "float64", "", "share of pixels that are almost black or almost white", between=(0, 1)),
        Column(
            "difference", "float64", "", "mean absolute difference to the previous extracted frame", null="first frame", between=(0, 255)
        ),
        Column("perceptual_hash", "str", "", "64-bit difference hash of the grey image, 16 hex digits"),
    ),
)

REFERENCE_CAMERAS = ("left", "mono", "right")
"""The first of these that a recording has is the one that labels refer to."""


def of_reference_camera(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the camera that labels refer to.

    Parameters
    ----------
    rows
        With the columns ``id`` and ``camera``, as in the tables ``videos`` and ``frames``.

    >>> of_reference_camera(pd.DataFrame({"id": ["a", "a", "b"], "camera": ["right", "left", "mono"]}))["camera"].tolist()
    ['left', 'mono']
    """
    order = rows["camera"].map({camera: place for place, camera in enumerate(REFERENCE_CAMERAS)})
    return rows[order == order.groupby(rows["id"]).transform("min")]


RATINGS = Table(
    "ratings",
    "raw scores as the raters gave them",
    private=False,
    key=("task", "id", "rater", "aspect"),
    columns=(
        ID,
        TASK,
        Column("rater", "str", "", "which rater, a number without meaning"),
        Column("aspect", "str", "", "rated aspect; GRS is their sum"),
        Column("score", "float64", "points", "score as given", null="failed, or this aspect was not rated: then GRS, too"),
        Column("failed", "bool", "", "whether the rater marked the recording as failed"),
    ),
)


def skill_table(aspects: tuple[str, ...]) -> Table:
    """Return the declaration for a study that rates these aspects.

    The total ``GRS`` stands before the aspects, each an aggregated normalised score without
    unit; undefined means that fewer than the required number of raters have a defined score of it.
    """
    scores = tuple(
        Column(name, "float64", "sd", f"aggregated normalised score: {name}", null="too few ratings") for name in ("GRS", *aspects)
    )
    return Table(
        "skill",
        "skill per recording: z-score per rater, failed = a fixed low GRS, mean over raters",
        private=False,
        key=("task", "id"),
        columns=(
            ID,
            TASK,
            *scores,
            Column("n_ratings", "int64", "", "number of raters whose GRS entered the mean", between=(0, None)),
            Column(
                "disagreement",
                "float64",
                "sd",
                "mean absolute deviation of the raters from the GRS",
                null="too few ratings",
                between=(0, None),
            ),
            Column(
                "strong_disagreement", "bool", "", "whether the disagreement is beyond the percentile of the task", null="too few ratings"
            ),
        ),
    )


ERRORS = Table(
    "errors",
    "task-specific errors per recording, after harmonising the raters' marks",
    private=False,
    key=("task", "id", "error"),
    columns=(
        ID,
        TASK,
        Column("error", "str", "", "name of the error"),
        Column("occurred", "bool", "", "whether it occurred at least once"),
    ),
)

LayerName = Literal["instances", "phases", "marks"]

LABELLED = Table(
    "labelled",
    "frames that somebody labelled, by layer: one without a row in triplets shows no instrument; a frame that is not here is unknown",
    private=False,
    key=("id", "layer", "frame"),
    columns=(
        ID,
        Column(
            "layer",
            "str",
            "",
            "what was labelled: instances of instruments (rows of triplets), the phase (rows of phases), or marks of annotators "
            "(rows of marks)",
            values=get_args(LayerName),
        ),
        _FRAME,
        Column("vocabulary", "str", "", "vocabulary of the names and ids; one per recording and layer"),
        Column(
            "detail",
            "str",
            "",
            "what was labelled of each instance: the triplet, or the instrument only; one per recording",
            null="the layer is phases or marks",
            values=("triplet", "instrument"),
        ),
    ),
)

TRIPLETS = Table(
    "triplets",
    "instrument-verb-target labels, with the box of the instrument where there is one",
    private=False,
    key=("id", "frame", "instance"),
    columns=(
        *_OF_FRAME,
        Column("instance", "int64", "", "number of the instance in its frame, from 0", between=(0, None)),
        _VOCABULARY,
        Column("instrument", "str", "", "instrument", null="not labelled"),
        Column("verb", "str", "", "verb", null="not labelled"),
        Column("target", "str", "", "target", null="not labelled"),
        Column("triplet", "str", "", "instrument,verb,target", null="not a triplet of the vocabulary"),
        Column("instrument_id", "int64", "", "id in the vocabulary, from 0", null="not labelled", between=(0, None)),
        Column("verb_id", "int64", "", "id in the vocabulary, from 0", null="not labelled", between=(0, None)),
        Column("target_id", "int64", "", "id in the vocabulary, from 0", null="not labelled", between=(0, None)),
        Column("triplet_id", "int64", "", "id in the vocabulary, from 0", null="not a triplet of the vocabulary", between=(0, None)),
        Column("x", "float64", "image width", "left edge of the box", null="no box", between=(0, 1)),
        Column("y", "float64", "image height", "top edge of the box", null="no box", between=(0, 1)),
        Column("w", "float64", "image width", "width of the box", null="no box", between=(0, 1)),
        Column("h", "float64", "image height", "height of the box", null="no box", between=(0, 1)),
        Column("score", "float64", "", "confidence; 1 for ground truth", null="not stated", between=(0, 1)),
    ),
)

PHASES = Table(
    "phases",
    "one surgical phase per labelled frame",
    private=False,
    key=("id", "frame"),
    columns=(
        *_OF_FRAME,
        _VOCABULARY,
        Column("phase", "str", "", "phase"),
        Column("phase_id", "int64", "", "id in the vocabulary, from 0", between=(0, None)),
    ),
)

SPANS = Table(
    "spans",
    "runs of consecutive labelled frames with the same instrument instance, verb and target",
    private=False,
    key=("id", "instrument", "instance", "start_frame"),
    columns=(
        ID,
        Column("instance", "int64", "", "number of the instance of this instrument, from 0", between=(0, None)),
        Column("start_frame", "int64", "", "first frame of the span", between=(0, None)),
        Column("end_frame", "int64", "", "first frame after the span", between=(1, None)),
        Column("vocabulary", "str", "", "vocabulary of the names"),
        Column("instrument", "str", "", "instrument"),
        Column("verb", "str", "", "verb", null="not labelled"),
        Column("target", "str", "", "target", null="not labelled"),
    ),
)

MASKS = Table(
    "masks",
    "which pixels an instance covers, as it was labelled, in the size of the labelled picture, less what the released picture hides",
    private=False,
    key=("id", "frame", "instance"),
    columns=(
        *_OF_INSTANCE,
        Column("width", "int64", "px", "width of the labelled picture", between=(1, None)),
        Column("height", "int64", "px", "height of the labelled picture", between=(1, None)),
        Column("counts", "str", "", "run lengths of the pixels column by column, compressed as COCO writes them"),
    ),
)

TRACKS = Table(
    "tracks",
    "which instances of a video are the same, by kind of track",
    private=False,
    key=("id", "frame", "instance", "kind"),
    columns=(
        *_OF_INSTANCE,
        Column("kind", "str", "", "kind of track, such as track or intraoperative_track"),
        Column("track", "int64", "", "number of the track, the same in all of its frames"),
    ),
)

POINTS = Table(
    "points",
    "key points of instances, such as the tip of an instrument",
    private=False,
    key=("id", "frame", "instance", "point"),
    columns=(
        *_OF_INSTANCE,
        Column("point", "str", "", "name of the point"),
        Column("x", "float64", "image width", "where it is, from the left edge", null="the visibility is 0", between=(0, 1)),
        Column("y", "float64", "image height", "where it is, from the top edge", null="the visibility is 0", between=(0, 1)),
        Column(
            "visibility",
            "int64",
            "",
            "0: not labelled, or hidden in the released picture; 1: labelled where something covers it; 2: seen",
            between=(0, 2),
        ),
    ),
)

MARKS = Table(
    "marks",
    "whether something is so in a frame, such as a criterion of the critical view of safety, by annotator",
    private=False,
    key=("id", "frame", "mark", "rater"),
    columns=(
        *_OF_FRAME,
        Column("mark", "str", "", "name of the mark"),
        Column(
            "rater", "str", "", "which annotator, a number without meaning", null="a value of nobody by name, such as the mean of several"
        ),
        Column("value", "float64", "", "1 for yes, 0 for no, or a share between", between=(0, 1), yes_is_1=True),
    ),
)

SPLITS = Table(
    "splits",
    "subsets at participant level, per scheme and fold",
    private=False,
    key=("scheme", "fold", "id"),
    columns=(
        Column("scheme", "str", "", "name of the split"),
        Column("fold", "int64", "", "number of the fold, from 0", between=(0, None)),
        Column("subset", "str", "", "subset of the recording"),
        ID,
    ),
)

SCHEME, FOLDS, LASANA = "<scheme>.csv", "<scheme>.csv with folds", "<Task>_split.csv"
SPLIT_COLUMNS: Mapping[str, Sequence[str]] = {
    SCHEME: ("id", "task", "subset"),
    FOLDS: ("fold", "id", "task", "subset"),
    LASANA: ("id", "split"),
}
"""The table as CSV: of each kind of file its columns in their order."""
SPLIT_DELIMITERS = {SCHEME: ",", FOLDS: ",", LASANA: ";"}

SEGMENTS = Table(
    "segments",
    "spans of time with a phase, step, gesture or mark, as exact as they were labelled; phases by frame stand in the table phases",
    private=False,
    key=("id", "number"),
    columns=(
        Column("id", "str", "", "recording"),
        Column(
            "number",
            "int64",
            "",
            "place among the spans of the recording, from 0; of phases that overlap the later counts",
            between=(0, None),
        ),
        Column("kind", "str", "", "what is labelled", values=("phase", "step", "gesture", "mark")),
        Column("start", "int64", "", "first instant of the span; divided by per_second it is in seconds", between=(0, None)),
        Column("end", "int64", "", "first instant after the span", between=(1, None)),
        Column("per_second", "str", "1/s", "so many instants a second has, such as 1000 or 30000/1001"),
        _VOCABULARY,
        Column("label", "str", "", "name of the phase, step, gesture or mark"),
        Column("label_id", "int64", "", "id in the vocabulary, from 0", between=(0, None)),
    ),
)

FACTS = Table(
    "facts",
    "what a data set says of a recording beside its scores, such as level of skill, duration or subset",
    private=False,
    key=("task", "id", "rater", "fact"),
    columns=(
        Column("id", "str", "", "recording"),
        TASK,
        Column("rater", "str", "", "which rater says so", null="it is said of the recording, by no single rater"),
        Column("fact", "str", "", "what is said, such as skill_level"),
        Column("value", "str", "", "value as text"),
    ),
)

CONVERTED_TABLES = (SEGMENTS, FACTS)
"""Tables that label files of other data sets are converted to, and that no study has."""


def public_tables(aspects: tuple[str, ...]) -> Mapping[str, Table]:
    """Return the public tables of a study that rates these aspects, by name."""
    labels = (LABELLED, TRIPLETS, PHASES, SPANS, MASKS, TRACKS, POINTS, MARKS)
    tables = (VIDEOS, GAPS, FRAMES, RATINGS, skill_table(aspects), ERRORS, *labels, SPLITS)
    return {table.name: table for table in tables}
