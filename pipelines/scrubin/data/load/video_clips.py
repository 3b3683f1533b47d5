"""Clips of released videos: windows of one length, at one rate, with the labels of the extracted frames inside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd

from scrubin.base.pixels import is_black
from scrubin.data.load.frames import IndexedDataset, Item, Several, Transform
from scrubin.data.load.labelling import MASK, Matrix, Phase
from scrubin.data.load.rows import FrameRows, IntArray
from scrubin.data.load.sources import ReleasedVideo

NO_FRAME = -1
CLOCK_S = Fraction(1, 1000)
"""Matroska rounds times to its clock."""


@dataclass(frozen=True)
class Window:
    """How long clips are, how far apart they start, and at which rate their frames are taken; exact."""

    length_s: Fraction
    stride_s: Fraction
    fps: Fraction

    @classmethod
    def of(cls, length_s: float | str | Fraction, stride_s: float | str | Fraction, fps: float | str | Fraction) -> Window:
        """Return a window of what somebody wrote; 0.1 is a tenth, and ``"30000/1001"`` is exact.

        Raises
        ------
        ValueError
            When a value is no positive number, or the length holds no whole number of frames.
        """
        values = {}
        for name, value in (("length_s", length_s), ("stride_s", stride_s), ("fps", fps)):
            try:
                values[name] = Fraction(str(value))
            except (ValueError, ZeroDivisionError) as error:
                raise ValueError(f"{name}={value!r} is no number; write 2.5, or '30000/1001'") from error
            if values[name] <= 0:
                raise ValueError(f"{name}={value!r} must be more than 0")
        window = cls(**values)
        if (window.length_s * window.fps).denominator != 1:
            raise ValueError(f"{window.length_s} s at {window.fps} frames per second are no whole number of frames")
        return window

    @property
    def frame_count(self) -> int:
        """Frames of a clip."""
        return int(self.length_s * self.fps)

    def count_in(self, duration_s: Fraction, last_s: Fraction) -> int:
        """Return how many whole windows a video has.

        Parameters
        ----------
        duration_s, last_s
            End of its last frame, and when that frame is shown, from the first frame.

        >>> Window.of(2, 1, 25).count_in(Fraction(5), Fraction("4.96"))
        4
        """
        last_wanted_s = self.length_s - 1 / self.fps
        room_s = min(duration_s - self.length_s, last_s - last_wanted_s)
        return int(room_s / self.stride_s) + 1 if room_s >= 0 else 0

    def count_of(self, video: ReleasedVideo, fps: str, duration_s: float, *, variable_rate: bool) -> int:
        """Return how many whole windows a released video has.

        The packets of the video are read only where the tables cannot tell: where its rate varies, or a window ends with it.
        """
        end_s = Fraction(duration_s).limit_denominator(1_000_000) + CLOCK_S
        last_s = end_s - CLOCK_S - 1 / Fraction(fps)
        sure, perhaps = (self.count_in(end_s, last_s + margin_s) for margin_s in (-2 * CLOCK_S, 2 * CLOCK_S))
        if sure == perhaps and not variable_rate:
            return sure
        clock = video.clock()
        return self.count_in(end_s, clock.since_first_s(len(clock.ticks) - 1))

    def start_s(self, number: int) -> Fraction:
        """Return where a window starts."""
        return number * self.stride_s

    def times_s(self, number: int) -> list[Fraction]:
        """Return the times that the frames of a window stand for."""
        return [self.start_s(number) + j / self.fps for j in range(self.frame_count)]


@dataclass(frozen=True, repr=False)
class ClipDataset(IndexedDataset):
    """Clips of some videos.

    Parameters
    ----------
    name
        What it is of.
    window
        Length, stride and rate.
    videos
        One per recording and camera.
    rows
        The extracted frames of these videos, also hidden ones.
    labels
        Labels of these rows.
    places
        Id, task and camera of each video.
    first, end
        (v,), which rows are of which video.
    video, number
        (n,), video and number of the window of each clip.
    label_count
        Places for extracted frames in each clip; where it has fewer, the last places are empty.
    left_out
        What is not in it, by reason: ``hidden`` clips, and videos too ``short`` for one.
    transform
        Called with the pictures of each clip; None leaves them as they are.
    """

    name: str
    window: Window
    videos: tuple[ReleasedVideo, ...]
    rows: FrameRows
    labels: tuple[Matrix | Phase, ...]
    places: tuple[tuple[str, str, str], ...]
    first: IntArray
    end: IntArray
    video: IntArray
    number: IntArray
    label_count: int
    left_out: Mapping[str, int]
    transform: Transform | None

    def __len__(self) -> int:
        """Return the number of clips."""
        return len(self.number)

    def item(self, index: int) -> Item:
        """Return a clip.

        ``images`` has shape (n, height, width, 3), ``time_s``, ``source_frame`` and ``hidden`` have shape (n,); labels of
        frames have one row per extracted frame inside, whose numbers stand in ``label_frame`` (-1: none); scores of a recording stand once.
        """
        place, number = int(self.video[index]), int(self.number[index])
        video, (id_, task, camera) = self.videos[place], self.places[place]
        numbers = video.numbers_at(self.window.times_s(number))
        images = video.pictures(numbers.tolist())
        clock = video.clock()
        item: Item = {
            "images": images if self.transform is None else self.transform(images),
            "id": id_,
            "task": task,
            "camera": camera,
            "start_s": float(self.window.start_s(number)),
            "time_s": np.array([clock.time_s(one) for one in numbers.tolist()]),
            "source_frame": numbers,
            "hidden": np.array([is_black(image) for image in images]),
        }
        return item | self._labels(place, number)

    def part(self, several: Several) -> ClipDataset:
        """Return some of the clips."""
        return replace(self, video=self.video[several], number=self.number[several])

    def __repr__(self) -> str:
        of = f"{float(self.window.length_s):g} s at {self.window.fps} frames per second"
        return f"ClipDataset({len(self)} clips of {of}, of {self.name}; {self._of_labels})"

    @property
    def table(self) -> pd.DataFrame:
        """Which clips these are, one row each. No video is read."""
        places = pd.DataFrame([self.places[place] for place in self.video], columns=["id", "task", "camera"], dtype="str")
        return places.assign(start_s=[float(self.window.start_s(int(number))) for number in self.number])

    def _labels(self, place: int, number: int) -> Item:
        """Return the labels of the extracted frames inside a window; empty places are masked."""
        own = slice(int(self.first[place]), int(self.end[place]))
        start_s, end_s = self.window.start_s(number), self.window.start_s(number) + self.window.length_s
        inside = own.start + np.arange(*np.searchsorted(self.rows.time_s[own], [float(start_s), float(end_s)]))
        empty = self.label_count - len(inside)
        item: Item = {"label_frame": np.append(self.rows.frame[inside], np.full(empty, NO_FRAME))}
        for label in self.labels:
            if isinstance(label, Matrix) and label.of_recordings:
                item |= label.of(own.start)
                continue
            values, mask = label.of_all(inside)
            item[label.name] = np.concatenate([values, np.full((empty, *values.shape[1:]), label.missing, values.dtype)])
            item[label.name + MASK] = np.concatenate([mask, np.zeros((empty, *mask.shape[1:]), np.bool_)])
        return item


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
