"""Extract the frames of one video, decoding it once.

While the video is decoded, a second thread measures and encodes what was wanted. It takes one
frame after the other, so results do not depend on who is faster, and few frames wait for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from scrubin.core.errors import VideoError
from scrubin.frames.contract import source_frames
from scrubin.frames.decoding import WantedFrame, packet_clock, wanted_frames
from scrubin.frames.params import FramesParams
from scrubin.frames.picture import Picture, file_bytes, shrunk, upright
from scrubin.frames.quality import Grey, quality
from scrubin.frames.sinks import Sink, sink

FIX = "run 'dvc repro render' to make it again"
WAITING = 4
Row = dict[str, Any]
Spans = Sequence[tuple[int, int]]


def extract(video: Path, folder: Path, params: FramesParams, name: str, hidden: Spans | None = None, fix: str = FIX) -> list[Row]:
    """Write all frames into ``folder`` and return one row per extracted frame.

    Loose frames are ``%06d.jpg`` (or png), a shard is ``frames.tar``. A row holds frame,
    source_frame, time_s, width, height, redacted and the quality columns of the table `frames`,
    which are of the picture in its full size.

    Parameters
    ----------
    video
        The released video.
    folder
        An empty folder.
    params
        See there; nothing is dropped here.
    name, fix
        What the video is called in messages, and what to do about a bad one.
    hidden
        First and last frames (of the video) of the spans that are hidden. None when nobody says what
        is hidden: then every frame that is black as a whole counts as redacted.

    Raises
    ------
    VideoError
        When a wanted frame cannot be decoded or written.
    """
    clock = packet_clock(video, name, fix)
    expected = None if clock is None else len(source_frames(clock, params.fps))
    rows: list[Row] = []
    # A decoder that misjudges how far frames are reordered may lose one; it does not when it sees all of them.
    # Then every file is written again.
    for skip in (True, False):
        with sink(folder, params.format, params.shards) as files:
            wanted = wanted_frames(video, params.fps, clock, name, fix, skip=skip)
            rows = [row for of_frame in _worked(wanted, _Worker(files, params, name, hidden, fix)) for row in of_frame]
        if len(rows) == expected or (expected is None and rows):
            return rows
    raise VideoError(name, f"only {len(rows)} of {expected or 'its'} frames could be decoded", fix)


class _Worker:
    """Measures, encodes and writes frames, one after the other."""

    def __init__(self, files: Sink, params: FramesParams, name: str, hidden: Spans | None, fix: str) -> None:
        self._files, self._params, self._name, self._hidden, self._fix = files, params, name, hidden, fix
        self._previous: Grey | None = None

    def rows(self, wanted: WantedFrame) -> list[Row]:
        """Write a decoded frame under every number that it stands for, and return its rows."""
        picture = upright(wanted.picture)
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        try:
            sized = shrunk(picture, self._params.height)
            data = file_bytes(sized, self._params)
        except ValueError as error:
            raise VideoError(self._name, f"frame {wanted.number}: {error}", self._fix) from error
        place = {"source_frame": wanted.number, "time_s": float(wanted.time_s), "width": sized.shape[1], "height": sized.shape[0]}
        rows = []
        for frame in wanted.frames:
            measured = asdict(quality(grey, self._previous))
            rows.append({"frame": frame, **place, "redacted": self._is_hidden(wanted.number, picture), **measured})
            self._files.add(rows[-1], data)
            self._previous = grey
        return rows

    def _is_hidden(self, number: int, picture: Picture) -> bool:
        if self._hidden is None:
            return not picture.any()
        return any(first <= number <= last for first, last in self._hidden)


def _worked(wanted: Iterator[WantedFrame], worker: _Worker) -> Iterator[list[Row]]:
    """Yield the rows of each frame, in order, while the next ones are decoded."""
    waiting: deque[Future[list[Row]]] = deque()
    with ThreadPoolExecutor(max_workers=1) as thread:
        for item in wanted:
            waiting.append(thread.submit(worker.rows, item))
            if len(waiting) > WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
