"""The rows that a data set has: the extracted frames of some recordings, as arrays that processes share cheaply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from scrubin.base.faults import hint
from scrubin.base.tables.public import REFERENCE_CAMERAS, of_reference_camera
from scrubin.data.load import ReleasedSplits, ReleasedTables, damaged

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
COLUMNS = ("id", "camera", "frame", "source_frame", "time_s", "path", "width", "height", "redacted", "dropped")
VIDEO_COLUMNS = ("id", "task", "camera", "path", "width", "height", "fps", "variable_rate", "frame_count", "duration_s")
REFERENCE, ALL = "reference", "all"
CAMERAS = (REFERENCE, *REFERENCE_CAMERAS, ALL)


@dataclass(frozen=True)
class FrameRows:
    """Extracted frames, one per row, sorted by recording, camera and frame.

    Text is kept as Arrow arrays: lists of Python strings would be copied into every worker as soon as it reads them.

    Parameters
    ----------
    ids, tasks
        Recordings, sorted, and the task of each.
    recording
        (n,), position of the row's recording in ``ids``.
    camera, path
        (n,), as in the table `frames`; a dropped frame has no path.
    frame, source_frame, width, height
        (n,), as there.
    time_s
        (n,), true time in the released video.
    hidden, dropped
        (n,), whether the frame is hidden as a whole, or dropped as too poor.
    is_reference
        (n,), whether labels refer to this camera of the recording.
    """

    ids: tuple[str, ...]
    tasks: tuple[str, ...]
    recording: IntArray
    camera: pa.Array
    path: pa.Array
    frame: IntArray
    source_frame: IntArray
    time_s: npt.NDArray[np.float64]
    width: IntArray
    height: IntArray
    hidden: BoolArray
    dropped: BoolArray
    is_reference: BoolArray

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.frame)

    def where(self, chosen: BoolArray) -> FrameRows:
        """Return some of the rows."""
        arrays: dict[str, Any] = {}
        for one in fields(self):
            values = getattr(self, one.name)
            if isinstance(values, np.ndarray):
                arrays[one.name] = values[chosen]
            elif isinstance(values, pa.Array):
                arrays[one.name] = values.filter(pa.array(chosen))
        return replace(self, **arrays)

    def by_recording(self) -> list[tuple[int, slice]]:
        """Return the rows of each recording that has some."""
        present, starts = np.unique(self.recording, return_index=True)
        ends = [*starts.tolist(), len(self)][1:]
        return [(int(code), slice(start, end)) for code, start, end in zip(present, starts.tolist(), ends, strict=True)]


@dataclass(frozen=True)
class Choice:
    """Which recordings and cameras a data set is to have.

    Parameters
    ----------
    split
        Name of a subset; None: all recordings.
    task
        Task; None: all.
    camera
        ``reference``: the one that labels refer to, which is left, else mono, else right; a camera; or ``all``.
    """

    split: str | None
    task: str | None
    camera: str = REFERENCE

    def videos(self, tables: ReleasedTables, splits: Callable[[], ReleasedSplits]) -> pd.DataFrame:
        """Return the rows of the table `videos` of the recordings, of all their cameras.

        Raises
        ------
        ValueError
            For a split, task or camera that there is not.
        """
        if self.camera not in CAMERAS:
            raise ValueError(f"there is no camera '{self.camera}': {hint(self.camera, CAMERAS)}")
        videos = tables.columns("videos", VIDEO_COLUMNS)
        if self.task is not None:
            known = sorted(set(videos["task"]))
            if self.task not in known:
                raise ValueError(f"there is no task '{self.task}': {hint(self.task, known)}")
            videos = videos[videos["task"] == self.task]
        if self.split is not None:
            videos = videos[videos["id"].isin(splits().ids(self.split))]
        return videos

    def frames(self, tables: ReleasedTables, splits: Callable[[], ReleasedSplits]) -> FrameRows:
        """Return the extracted frames, also hidden and dropped ones.

        Raises
        ------
        ReleaseError
            When the tables `frames` and `videos` are not of the same release.
        """
        videos = self.videos(tables, splits)
        task_of = dict(zip(videos["id"].tolist(), videos["task"].tolist(), strict=True))
        frames = tables.columns("frames", COLUMNS)
        ids = tuple(sorted(task_of))
        _refuse_strangers(tables, frames)
        frames = frames[frames["id"].isin(ids)].sort_values(["id", "camera", "frame"], ignore_index=True)
        is_reference = frames.index.isin(of_reference_camera(frames).index)
        chosen = is_reference if self.camera == REFERENCE else (frames["camera"] == self.camera).to_numpy() | (self.camera == ALL)
        rows = frames[chosen]
        number = {id_: place for place, id_ in enumerate(ids)}
        return FrameRows(
            ids=ids,
            tasks=tuple(task_of[id_] for id_ in ids),
            recording=rows["id"].map(number).to_numpy(np.int64),
            camera=pa.array(rows["camera"], pa.string()),
            path=pa.array(rows["path"], pa.string(), from_pandas=True),
            **{name: rows[name].to_numpy(np.int64) for name in ("frame", "source_frame", "width", "height")},
            time_s=rows["time_s"].to_numpy(np.float64),
            hidden=rows["redacted"].to_numpy(np.bool_),
            dropped=rows["dropped"].to_numpy(np.bool_) | rows["path"].isna().to_numpy(),
            is_reference=is_reference[chosen],
        )


def _refuse_strangers(tables: ReleasedTables, frames: pd.DataFrame) -> None:
    strange = sorted(set(frames["id"]) - set(tables.columns("videos", ["id"])["id"]))
    if strange:
        raise damaged(tables.folder, f"tables/frames.parquet has frames of '{strange[0]}', tables/videos.parquet has no video of it")
