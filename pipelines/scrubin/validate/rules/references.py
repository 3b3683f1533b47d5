"""Rules about what a row refers to: its recording and its frame."""

from __future__ import annotations

import pandas as pd

from scrubin.validate.registry import rule
from scrubin.validate.row_joins import among, looked_up
from scrubin.validate.study import Study


@rule(
    "error",
    "every id is a released recording (for frames and gaps: a released video of this camera)",
    gaps=("id", "camera"),
    frames=("id", "camera"),
    ratings=("id",),
    skill=("id",),
    errors=("id",),
    labelled=("id",),
    triplets=("id",),
    phases=("id",),
    spans=("id",),
    splits=("id",),
)
def known_id(study: Study, table: str) -> pd.Series[bool]:
    """Find rows whose recording was not released."""
    columns = ("id", "camera") if table in ("frames", "gaps") else ("id",)
    return ~among(study.columns(table, *columns), study.columns("videos", *columns))


@rule("error", "the task is the task of the recording's video", ratings=("task",), skill=("task",), errors=("task",))
def task_of_video(study: Study, table: str) -> pd.Series[bool]:
    """Find rows that name another task than the video of their recording."""
    rows = study.columns(table, "id", "task")
    task = looked_up(rows, study.columns("videos", "id", "task"), ["id"])["task"]
    return task.notna() & (task != rows["task"])


@rule("error", "every released video has extracted frames", videos=("id", "camera"))
def video_has_frames(study: Study, table: str) -> pd.Series[bool]:
    """Find videos without frames."""
    return ~among(study.columns(table, "id", "camera"), study.columns("frames", "id", "camera"))


@rule(
    "error",
    "every label lies on an extracted frame of its recording",
    labelled=("frame",),
    triplets=("frame",),
    phases=("frame",),
    spans=("start_frame", "end_frame"),
)
def label_has_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find labels, and labelled frames, without a frame; for spans, without their first or their last one."""
    known = labelled_frames(study)
    if table != "spans":
        return ~among(study.columns(table, "id", "frame"), known)
    spans = study.columns(table, "id", "start_frame", "end_frame")
    first = spans[["id", "start_frame"]].set_axis(["id", "frame"], axis=1)
    last = spans[["id"]].assign(frame=spans["end_frame"] - 1)
    return ~(among(first, known) & among(last, known))


@rule("note", "no label lies on a frame that is hidden", triplets=("frame",), phases=("frame",))
def label_in_redacted_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find labels of frames that are black in the release: they were made on the source, stay, are scored, and are marked as hidden."""
    frames = labelled_frames(study, "redacted")
    return among(study.columns(table, "id", "frame"), frames.loc[frames["redacted"], ["id", "frame"]])


@rule("note", "no label lies on a frame that was dropped as unusable", triplets=("frame",), phases=("frame",))
def label_in_dropped_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find labels of frames that have a number but no file: the ground truth leaves them out."""
    frames = labelled_frames(study, "dropped")
    return among(study.columns(table, "id", "frame"), frames.loc[frames["dropped"], ["id", "frame"]])


def labelled_frames(study: Study, *columns: str) -> pd.DataFrame:
    """Return id, frame and the named columns of the frames that labels refer to."""
    frames = study.columns("frames", "id", "frame", *columns)
    return frames if study.every_frame_labelled else frames[study.labelled]
