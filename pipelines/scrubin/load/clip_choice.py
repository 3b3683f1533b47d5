"""Which windows of which videos become clips."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pandas as pd

from scrubin.load.clips import ClipDataset, Window
from scrubin.load.rows import FrameRows
from scrubin.load.videos import ReleasedVideo


def of_rows(
    rows: FrameRows, table: pd.DataFrame, videos: Mapping[tuple[str, str], ReleasedVideo], window: Window, *, include_hidden: bool
) -> ClipDataset:
    """Return all whole windows of the videos of some rows, without name, labels and transform.

    Parameters
    ----------
    rows
        The extracted frames of the videos, also hidden and dropped ones.
    table
        The table `videos`.
    videos
        The same as files.
    include_hidden
        Whether to keep windows with a hidden extracted frame.
    """
    own, places = _by_video(rows)
    facts = {(row["id"], row["camera"]): row for row in table.to_dict("records")}
    chosen = tuple(videos[id_, camera] for id_, _, camera in places)
    video, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    hidden = label_count = short = 0
    for place, (id_, _, camera) in enumerate(places):
        row = facts[id_, camera]
        count = window.count_of(chosen[place], row["fps"], row["duration_s"], variable_rate=row["variable_rate"])
        starts = [window.start_s(k) for k in range(count)]
        times = rows.time_s[own[place]]
        first = np.searchsorted(times, [float(start) for start in starts])
        end = np.searchsorted(times, [float(start + window.length_s) for start in starts])
        hidden_before = np.concatenate([[0], np.cumsum(rows.hidden[own[place]])])
        touches = hidden_before[end] > hidden_before[first]
        kept = np.flatnonzero(~touches | include_hidden)
        hidden += count - len(kept)
        short += not count
        label_count = max(label_count, int((end - first)[kept].max(initial=0)))
        video.append(np.full(len(kept), place, np.int64))
        number.append(kept)
    return ClipDataset(
        name="",
        window=window,
        videos=chosen,
        rows=rows,
        labels=(),
        places=places,
        first=np.array([one.start for one in own], np.int64),
        end=np.array([one.stop for one in own], np.int64),
        video=np.concatenate(video),
        number=np.concatenate(number),
        label_count=label_count,
        left_out={"hidden": hidden, "short": short},
        transform=None,
    )


def _by_video(rows: FrameRows) -> tuple[list[slice], tuple[tuple[str, str, str], ...]]:
    """Return the rows of each video, and its id, task and camera."""
    cameras = rows.camera.dictionary_encode().indices.to_numpy()
    changes = np.flatnonzero(np.diff(rows.recording) | np.diff(cameras)) + 1
    edges = [0, *changes.tolist(), len(rows)] if len(rows) else [0]
    own = [slice(first, end) for first, end in pairwise(edges)]
    codes = [int(rows.recording[one.start]) for one in own]
    names = [rows.camera[one.start].as_py() for one in own]
    return own, tuple((rows.ids[code], rows.tasks[code], camera) for code, camera in zip(codes, names, strict=True))
