"""Names, columns, types of LeRobot v3, as its reader has them (codebase version v3.0): one rate, one size per data set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base.files import write_json

VARIABLE = "recordings whose frame rate varies: a LeRobot data set has one rate"
UNLIKE = "recordings whose cameras differ in size or rate"


@dataclass(frozen=True, order=True)
class Format:
    """What the videos of one data set have in common; ``rate`` is the exact number of frames per second."""

    task: str
    cameras: tuple[str, ...]
    width: int
    height: int
    rate: Fraction

    @property
    def folder(self) -> str:
        """Its folder.

        >>> Format("PegTransfer", ("left", "right"), 960, 540, Fraction(30000, 1001)).folder
        'PegTransfer_left-right_960x540_30000-1001fps'
        """
        rate = str(self.rate).replace("/", "-")
        return f"{self.task}_{'-'.join(self.cameras)}_{self.width}x{self.height}_{rate}fps"


def formats(videos: pd.DataFrame) -> tuple[dict[Format, list[str]], Mapping[str, list[str]]]:
    """Return the recordings of each format, sorted, and those that fit none, by reason.

    Parameters
    ----------
    videos
        The table ``videos``.
    """
    of_format: dict[Format, list[str]] = {}
    left_out: dict[str, list[str]] = {}
    for id_, own in videos.sort_values(["id", "camera"]).groupby("id", sort=True):
        looks = set(zip(own["task"], own["width"], own["height"], own["fps"], strict=True))
        if own["variable_rate"].any():
            left_out.setdefault(VARIABLE, []).append(str(id_))
        elif len(looks) > 1:
            left_out.setdefault(UNLIKE, []).append(str(id_))
        else:
            ((task, width, height, fps),) = looks
            key = Format(str(task), tuple(own["camera"]), int(width), int(height), Fraction(fps))
            of_format.setdefault(key, []).append(str(id_))
    return dict(sorted(of_format.items())), left_out


VERSION = "v3.0"
CHUNK = 1000
"""Most files of a folder."""
DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
INFO, STATS, TASKS = "meta/info.json", "meta/stats.json", "meta/tasks.parquet"
SKILL, ERRORS, HIDDEN = "skill", "errors", "hidden"
WHOLE = ("frame_index", "episode_index", "index", "task_index")


def camera_key(camera: str) -> str:
    """Return the name of a camera's feature.

    >>> camera_key("left")
    'observation.images.left'
    """
    return f"observation.images.{camera}"


def features(form: Format, vectors: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what a frame has: cameras, whether it is hidden, scores and errors by name, and its place."""
    rate = rate_number(form)
    video = {"video.height": form.height, "video.width": form.width, "video.codec": "h264", "video.pix_fmt": "yuv420p"}
    video |= {"video.is_depth_map": False, "video.fps": rate, "video.channels": 3, "has_audio": False}
    shape = {"dtype": "video", "shape": [form.height, form.width, 3], "names": ["height", "width", "channels"], "info": video}
    named: dict[str, Any] = {camera_key(camera): shape for camera in form.cameras}
    named[HIDDEN] = {"dtype": "bool", "shape": [1], "names": None}
    named |= {name: {"dtype": "float32", "shape": [len(of)], "names": list(of)} for name, of in vectors.items()}
    named["timestamp"] = {"dtype": "float32", "shape": [1], "names": None}
    return named | {name: {"dtype": "int64", "shape": [1], "names": None} for name in WHOLE}


def rate_number(form: Format) -> int | float:
    """Return the frames per second, whole where they are."""
    return form.rate.numerator if form.rate.denominator == 1 else float(form.rate)


def data_schema(vectors: Mapping[str, Sequence[str]]) -> pa.Schema:
    """Return the columns of the rows of frames; one score alone is no list."""
    scores = [(name, pa.float32() if len(of) == 1 else pa.list_(pa.float32(), len(of))) for name, of in vectors.items()]
    return pa.schema([(HIDDEN, pa.bool_()), *scores, ("timestamp", pa.float32()), *((name, pa.int64()) for name in WHOLE)])


def place(number: int) -> dict[str, int]:
    """Return chunk and file of the file of a number."""
    return {"chunk_index": number // CHUNK, "file_index": number % CHUNK}


def write_tasks(folder: Path, task: str) -> None:
    """Write the only task, as the index of a data frame: the reader takes it from there."""
    about = {"field_name": "task_index", "name": "task_index", "numpy_type": "int64", "pandas_type": "int64", "metadata": None}
    of_index = {"field_name": "task", "name": "task", "numpy_type": "object", "pandas_type": "unicode", "metadata": None}
    says = {"index_columns": ["task"], "column_indexes": [], "columns": [about, of_index], "pandas_version": "2.0.0"}
    columns = pa.schema([("task_index", pa.int64()), ("task", pa.string())], metadata={"pandas": json.dumps(says)})
    (folder / TASKS).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"task_index": [0], "task": [task]}, schema=columns), folder / TASKS)


def write_info(
    folder: Path, form: Format, vectors: Mapping[str, Sequence[str]], totals: Mapping[str, int], splits: Mapping[str, str]
) -> None:
    """Write what the reader looks at first."""
    sizes = {"chunks_size": CHUNK, "data_files_size_in_mb": 100, "video_files_size_in_mb": 200}
    paths = {"data_path": DATA, "video_path": VIDEO}
    info = {"codebase_version": VERSION, "robot_type": None, "fps": rate_number(form), "splits": dict(splits), "total_tasks": 1}
    write_json(folder / INFO, info | sizes | paths | dict(totals) | {"features": features(form, vectors)})
