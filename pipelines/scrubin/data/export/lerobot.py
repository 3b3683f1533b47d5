"""LeRobot v3 data sets, one per task per format of its videos: an episode is a recording, with all its cameras.

Coded pictures are those of the release. A frame that is black in some camera is marked as hidden. Scores and errors stand with every
frame as numbers, NaN where they are missing, because tensors know no null; the table of episodes has them with null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base.errors import ReleaseError
from scrubin.base.files import write_json, write_text
from scrubin.data.export import Each, Summary
from scrubin.data.export.contents import Contents, Row
from scrubin.data.export.lerobot_videos import PictureStatistics, black_frames, is_even, of_scores, of_whole_numbers, write_mp4
from scrubin.labels.truth import split_columns

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


UNEVEN = "recordings whose frames are not evenly spaced: a LeRobot data set has one rate"
NOT_SCORES = ("n_ratings", "disagreement", "strong_disagreement")
Bools = npt.NDArray[np.bool_]


def write(contents: Contents, folder: Path, each: Each) -> Summary:
    """Write one data set per task and format."""
    of_format, unfit = formats(contents.videos)
    left_out = {reason: list(ids) for reason, ids in unfit.items()}
    passed = iter(each([id_ for ids in of_format.values() for id_ in ids]))
    frames = recordings = 0
    for form, ids in of_format.items():
        even = [id_ for id_ in ids if next(passed) == id_ and _is_even(contents, form, id_)]
        if len(even) < len(ids):
            left_out.setdefault(UNEVEN, []).extend(sorted(set(ids) - set(even)))
        if even:
            written = DataSet(contents, form, even, folder / form.folder).write()
            recordings, frames = recordings + len(even), frames + written
    return Summary(recordings, frames, {reason: len(ids) for reason, ids in left_out.items()})


@dataclass(frozen=True)
class Episode:
    """A recording: its number, first row, length in frames, which frames are hidden, and its scores."""

    number: int
    id: str
    first: int
    hidden: Bools
    scores: Row

    @property
    def length(self) -> int:
        """Number of frames that all its cameras have."""
        return len(self.hidden)


class DataSet:
    """One data set on its way to the disk."""

    def __init__(self, contents: Contents, form: Format, ids: Sequence[str], folder: Path) -> None:
        self._contents, self._form, self._folder = contents, form, folder
        self._scores = {row["id"]: row for row in contents.scores(ids)}
        self._splits = split_columns(contents.splits).reindex(sorted(ids))
        self._scheme = _only_fold(contents.splits)
        self._ids = sorted(ids, key=lambda id_: (self._subset(id_) is None, self._subset(id_) or "", id_))
        self._vectors = _vectors(list(self._scores.values()), list(contents.score_columns))
        self._pictures = {camera: PictureStatistics() for camera in form.cameras}

    def write(self) -> int:
        """Write it, and return the number of frames."""
        write_tasks(self._folder, self._form.task)
        episodes: list[Episode] = []
        first = 0
        for number, id_ in enumerate(self._ids):
            episodes.append(Episode(number, id_, first, self._videos(number, id_), self._scores[id_]))
            first += episodes[-1].length
        self._write_rows(episodes)
        self._write_episodes(episodes)
        write_json(self._folder / STATS, self._stats(episodes))
        totals = {"total_episodes": len(episodes), "total_frames": first}
        write_info(self._folder, self._form, self._vectors, totals, self._ranges())
        write_text(self._folder / "README.md", text(self._contents, self._form, self._scheme, totals))
        return first

    def _videos(self, number: int, id_: str) -> Bools:
        """Write the videos of an episode, and return which frames are hidden in one of them."""
        hidden = []
        for camera in self._form.cameras:
            path = self._contents.stated(_path(self._contents.videos, id_, camera))
            target = self._folder / VIDEO.format(video_key=camera_key(camera), **place(number))
            count = write_mp4(path, target, self._form.rate)
            shown = self._contents.source_frames(id_, camera)
            black: list[bool] = []
            for is_black, frame in black_frames(target, str(path)):
                if not is_black and len(black) in shown:
                    self._pictures[camera].add(np.asarray(frame.to_ndarray(format="rgb24"), np.uint8))
                black.append(is_black)
            if len(black) != count:
                raise ReleaseError(f"{path}: {count} coded pictures, but {len(black)} are decoded; check the release with its SHA256SUMS")
            hidden.append(np.array(black, np.bool_))
        length = min(map(len, hidden))
        return np.asarray(np.logical_or.reduce([of[:length] for of in hidden]))

    def _write_rows(self, episodes: Sequence[Episode]) -> None:
        schema = data_schema(self._vectors)
        path = self._folder / DATA.format(**place(0))
        path.parent.mkdir(parents=True)
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for episode in episodes:
                writer.write_table(self._rows(episode, schema))

    def _rows(self, episode: Episode, schema: pa.Schema) -> pa.Table:
        numbers = np.arange(episode.length)
        columns: dict[str, Any] = {
            HIDDEN: episode.hidden,
            "timestamp": [float(int(number) / self._form.rate) for number in numbers],
            "frame_index": numbers,
            "episode_index": np.full(episode.length, episode.number),
            "index": numbers + episode.first,
            "task_index": np.zeros(episode.length, np.int64),
        }
        for name, of in self._vectors.items():
            values = [np.nan if value is None else float(value) for value in _values(episode.scores, name, of)]
            columns[name] = [values if len(of) > 1 else values[0]] * episode.length
        return pa.table({field.name: pa.array(columns[field.name], field.type) for field in schema}, schema=schema)

    def _write_episodes(self, episodes: Sequence[Episode]) -> None:
        rows = [self._episode(episode) for episode in episodes]
        kinds = {name: pa.string() for name in ("recording", *self._splits.columns)} | dict(self._contents.score_columns)
        kinds |= {name: pa.bool_() for name in rows[0] if name.startswith("error_")} | {"tasks": pa.list_(pa.string())}
        schema = pa.schema([(name, kinds.get(name, pa.float64() if name.endswith("_timestamp") else pa.int64())) for name in rows[0]])
        path = self._folder / EPISODES.format(**place(0))
        path.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, compression="zstd")

    def _episode(self, episode: Episode) -> Row:
        row: Row = {"episode_index": episode.number, "tasks": [self._form.task], "length": episode.length}
        row |= {f"data/{name}": value for name, value in place(0).items()}
        row |= {"dataset_from_index": episode.first, "dataset_to_index": episode.first + episode.length}
        for camera in self._form.cameras:
            key = f"videos/{camera_key(camera)}"
            row |= {f"{key}/{name}": value for name, value in place(episode.number).items()}
            row |= {f"{key}/from_timestamp": 0.0, f"{key}/to_timestamp": float(episode.length / self._form.rate)}
        row |= {f"meta/episodes/{name}": value for name, value in place(0).items()}
        row |= {"recording": episode.id} | {name: _text(self._splits[name][episode.id]) for name in self._splits.columns}
        row |= {name: episode.scores[name] for name in self._contents.score_columns}
        marked = {one["error"]: one["occurred"] for one in episode.scores["errors"] or []}
        return row | {f"error_{name}": marked.get(name) for name in self._vectors.get(ERRORS, ())}

    def _stats(self, episodes: Sequence[Episode]) -> dict[str, Any]:
        lengths = [episode.length for episode in episodes]
        stats: dict[str, Any] = {camera_key(camera): of.stats for camera, of in self._pictures.items()}
        for name, of in self._vectors.items():
            stats[name] = of_scores([(episode.length, _values(episode.scores, name, of)) for episode in episodes])
        within = [(0, length) for length in lengths]
        stats["timestamp"] = of_whole_numbers(within, Fraction(1) / self._form.rate)
        stats["frame_index"] = of_whole_numbers(within)
        stats["index"] = of_whole_numbers((episode.first, episode.first + episode.length) for episode in episodes)
        stats["episode_index"] = of_scores([(episode.length, [float(episode.number)]) for episode in episodes])
        stats["task_index"] = of_scores([(episode.length, [0.0]) for episode in episodes])
        return {name: of for name, of in stats.items() if of is not None}

    def _ranges(self) -> dict[str, str]:
        """Return the episodes of each subset of the first scheme without folds, which stand together."""
        subsets = [self._subset(id_) for id_ in self._ids]
        named = sorted({subset for subset in subsets if subset is not None})
        if not named:
            return {"full": f"0:{len(subsets)}"}
        return {name: f"{subsets.index(name)}:{len(subsets) - subsets[::-1].index(name)}" for name in named}

    def _subset(self, id_: str) -> str | None:
        return _text(self._splits[f"split_{self._scheme}"][id_]) if self._scheme else None


def _only_fold(splits: pd.DataFrame) -> str | None:
    """Return the first scheme of a single fold; None when there is none."""
    folds = splits.groupby("scheme")["fold"].nunique()
    return next((str(scheme) for scheme in sorted(folds.index) if folds[scheme] == 1), None)


def _vectors(scores: Sequence[Row], columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the names of the scores and errors that some recording has."""
    aspects = [name for name in columns if name not in NOT_SCORES and any(row[name] is not None for row in scores)]
    errors = sorted({one["error"] for row in scores for one in row["errors"] or []})
    return {name: of for name, of in ((SKILL, aspects), (ERRORS, errors)) if of}


def _values(scores: Row, vector: str, names: Sequence[str]) -> list[float | None]:
    if vector == SKILL:
        return [scores[name] for name in names]
    marked: Mapping[str, bool] = {one["error"]: one["occurred"] for one in scores["errors"] or []}
    return [None if name not in marked else float(marked[name]) for name in names]


def _is_even(contents: Contents, form: Format, id_: str) -> bool:
    return all(is_even(contents.stated(_path(contents.videos, id_, camera)), form.rate) for camera in form.cameras)


def _path(videos: pd.DataFrame, id_: str, camera: str) -> str:
    return str(videos.loc[(videos["id"] == id_) & (videos["camera"] == camera), "path"].iloc[0])


def _text(value: Any) -> str | None:
    return None if pd.isna(value) else str(value)


def text(contents: Contents, form: Format, scheme: str | None, totals: Mapping[str, int]) -> str:
    """Return the document; its first lines are for Hugging Face."""
    about = contents.metadata
    title = f"{form.task}, {about.get('alternateName') or about.get('name', '')}"
    ordered = f"those of `{scheme}` stand in `meta/info.json` as ranges of episodes" if scheme else "`meta/info.json` has one range of all"
    lines = [
        "---",
        f"pretty_name: {json.dumps(title, ensure_ascii=False)}",
        "tags:",
        "- LeRobot",
        "configs:",
        "- config_name: default",
        "  data_files: data/*/*.parquet",
        "---",
        "",
        f"# {title}",
        "",
        f"Exported from {about.get('name', '')} {about.get('version', '')} for LeRobot v3: {totals['total_episodes']:,} episodes,",
        f"{totals['total_frames']:,} frames. An episode is a recording; `recording` in `meta/episodes` is its id in the release.",
        "",
        "- Videos hold the coded pictures of the release, not encoded again; frame k lies at k / rate.",
        "- `hidden`: the frame is black, because it was hidden. Do not train on it.",
        "- `skill` and `errors` belong to the recording and stand with every frame, NaN where they are missing. `meta/episodes` has them",
        "  as well, with null where they are missing.",
        f"- Splits: `meta/episodes` has a column for each; {ordered}.",
        "- There is no robot here: no `action` and no `observation.state`.",
    ]
    lines += ["", "Known errors:", "", *(f"- {error}" for error in contents.known_errors)] if contents.known_errors else []
    return "\n".join([*lines, *(["", f"    {about['citeAs']}"] if about.get("citeAs") else [])]) + "\n"
