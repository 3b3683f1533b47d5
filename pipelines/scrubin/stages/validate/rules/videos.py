"""Rules about recordings: videos, stereo pairs, extracted frames (contract 1 of the design), rows that refer to them."""

from __future__ import annotations

import pandas as pd

from scrubin.stages.validate.registry import rule
from scrubin.stages.validate.study_tables import Study, among, looked_up, sizes


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
    masks=("id",),
    tracks=("id",),
    points=("id",),
    marks=("id",),
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
    marks=("frame",),
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


@rule("error", "every frame lies inside its video: source_frame < frame_count and time_s < duration_s", frames=("source_frame", "time_s"))
def frame_in_video(study: Study, table: str) -> pd.Series[bool]:
    """Find frames at or after the end of their video."""
    rows = study.columns(table, "id", "camera", "source_frame", "time_s")
    videos = study.columns("videos", "id", "camera", "frame_count", "duration_s")
    end = looked_up(rows, videos, ["id", "camera"])
    return (rows["source_frame"] >= end["frame_count"]) | (rows["time_s"] >= end["duration_s"])


@rule("error", "every gap lies between two frames of its video, and takes time", gaps=("last_frame", "gap_s"))
def gap_in_video(study: Study, table: str) -> pd.Series[bool]:
    """Find gaps behind which no frame follows, and those without length."""
    rows = study.columns(table, "id", "camera", "last_frame", "gap_s")
    frame_count = looked_up(rows, study.columns("videos", "id", "camera", "frame_count"), ["id", "camera"])["frame_count"]
    return (rows["last_frame"] >= frame_count - 1) | ~(rows["gap_s"] > 0)


@rule("error", "the frames of a video are numbered 0, 1, 2 and so on, without a gap", frames=("frame",))
def frames_contiguous(study: Study, table: str) -> pd.Series[bool]:
    """Find frames whose number does not follow the one before."""
    rows = study.columns(table, "id", "camera", "frame").sort_values(["id", "camera", "frame"], kind="stable")
    before = rows.groupby(["id", "camera"], sort=False, dropna=False)["frame"].shift(fill_value=-1)
    return (rows["frame"] != before + 1).reindex(study.tables[table].rows.index)


@rule("error", "later frames of a video are never earlier in it; the same time is the same source frame", frames=("source_frame", "time_s"))
def frames_in_order(study: Study, table: str) -> pd.Series[bool]:
    """Find frames that come before the frame before them.

    Where a video of variable rate pauses for longer than the distance of extracted frames, one
    source frame is extracted several times: that is the frame contract, and allowed.
    """
    rows = study.columns(table, "id", "camera", "frame", "source_frame", "time_s").sort_values(["id", "camera", "frame"], kind="stable")
    steps = rows.groupby(["id", "camera"], sort=False, dropna=False)[["source_frame", "time_s"]].diff()
    broken = (steps < 0).any(axis=1) | ((steps["source_frame"] == 0) != (steps["time_s"] == 0))
    return broken.reindex(study.tables[table].rows.index)


@rule(
    "error", "a frame has a file, or was dropped and says why; a hidden frame is never dropped", frames=("path", "dropped", "dropped_why")
)
def dropped_without_file(study: Study, table: str) -> pd.Series[bool]:
    """Find frames that are neither: without file and reason, with both, or dropped although hidden."""
    rows = study.columns(table, "path", "dropped", "dropped_why", "redacted")
    dropped = rows["dropped"]
    return (rows["path"].isna() != dropped) | (rows["dropped_why"].notna() != dropped) | (dropped & rows["redacted"])


@rule("error", "the left and the right video of a recording have equally many frames", videos=("frame_count",))
def stereo_equal_length(study: Study, table: str) -> pd.Series[bool]:
    """Find the videos of stereo pairs that differ in length."""
    rows = study.columns(table, "id", "camera", "frame_count")
    stereo = rows["camera"].isin(("left", "right"))
    return stereo & (sizes(rows[stereo], ["id"], "frame_count").reindex(rows.index) > 1)


def _same_bytes(study: Study, table: str) -> pd.DataFrame:
    """Return for each video the next one with the same bytes, the last names the first; missing where there is none."""
    rows = study.columns(table, "id", "camera", "sha256")
    named = rows.rename(columns={"id": "same_as", "camera": "its_camera"})
    same = named.groupby("sha256", sort=False)
    following, first = same[["same_as", "its_camera"]].shift(-1), same[["same_as", "its_camera"]].transform("first")
    return following.fillna(first).where(rows["sha256"].duplicated(keep=False))


@rule("error", "no two released videos have the same bytes", _same_bytes, videos=("sha256",))
def video_bytes_unique(study: Study, table: str) -> pd.Series[bool]:
    """Find videos whose file is the same as another one: the same recording twice leaks between subsets.

    Of videos that are hidden as a whole, such as both cameras of a pair that nobody has reviewed, the black pictures are the same.
    """
    rows = study.columns(table, "id", "camera", "sha256")
    frames = study.columns("frames", "id", "camera", "redacted")
    seen = frames.loc[~frames["redacted"].astype(bool), ["id", "camera"]]
    return rows["sha256"].duplicated(keep=False) & among(rows[["id", "camera"]], seen)


@rule("error", "both cameras of a recording fit their calibration: size, rows, order, time", stereo=("rig", "error"))
def stereo_fits(study: Study, table: str) -> pd.Series[bool]:
    """Find the pairs that are not to be used as they are."""
    return study.columns(table, "error")["error"].notna()


@rule("warning", "nothing about a stereo pair looks odd", stereo=("rig", "warning"))
def stereo_odd(study: Study, table: str) -> pd.Series[bool]:
    """Find the pairs that somebody should look at."""
    return study.columns(table, "warning")["warning"].notna()


@rule("note", "there is enough to see in a stereo pair to check it", stereo=("rig", "undecided"))
def stereo_undecided(study: Study, table: str) -> pd.Series[bool]:
    """Find the pairs of which nothing could be said."""
    return study.columns(table, "undecided")["undecided"].notna()
