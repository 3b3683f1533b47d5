"""Outputs of invented tools whose leaks are known: pictures of a key, changed frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from scrubin.evaluate.deid.key import Item, Key, RecordingKey

Picture = np.ndarray
Edit = Callable[[int, Picture, Picture], Picture | None]
"""Frame number, planted and clean picture to what is released; None: the frame is left out."""
Box = tuple[int, int, int, int]
Change = Callable[[Picture, Box], Picture]
"""A planted picture and the place of an item in it, to what is shown there."""


def pictures(path: Path) -> list[Picture]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="bgr24") for frame in container.decode(video=0)]


def release(
    key: Key, recording: RecordingKey, path: Path, edit: Edit, *, fps: str | None = None, size: tuple[int, int] | None = None, crf: int = 18
) -> Path:
    """Write what a tool would have written: no sound, no tags."""
    path.parent.mkdir(parents=True, exist_ok=True)
    planted, clean = pictures(key.folder / recording.planted), pictures(key.folder / recording.clean)
    frames = [picture for n, pair in enumerate(zip(planted, clean, strict=True)) if (picture := edit(n, *pair)) is not None]
    with av.open(str(path), "w", options={"fflags": "+bitexact"}) as out:
        stream = out.add_stream("libx264", rate=Fraction(fps or recording.fps), options={"crf": str(crf), "preset": "veryfast", "g": "50"})
        stream.width, stream.height = size or (recording.width, recording.height)
        stream.pix_fmt = "yuv420p"
        for picture in frames:
            scaled = cv2.resize(picture, size, interpolation=cv2.INTER_AREA) if size else picture
            out.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(scaled), format="bgr24")))
        out.mux(stream.encode())
    return path


def showing(key: Key, recording: RecordingKey, ways: Sequence[tuple[Item, Change]]) -> Edit:
    """Make the edit of a perfect tool that shows these items all the same, each of them changed."""
    hide = hidden(key, recording)
    frames = {item.item: set(item.frame_numbers) for item, _ in ways}

    def edit(n: int, planted: Picture, clean: Picture) -> Picture:
        picture = hide(n, planted, clean)
        for item, change in ways:
            if n in frames[item.item]:
                x, y, w, h = item.box_at(n) or (0, 0, recording.width, recording.height)
                picture[y : y + h, x : x + w] = change(planted, (x, y, w, h))
        return picture

    return edit


def cut(planted: Picture, box: Box) -> Picture:
    x, y, w, h = box
    return np.ascontiguousarray(planted[y : y + h, x : x + w])


def hidden(key: Key, recording: RecordingKey, skip: Callable[[Item, int], bool] = lambda *_: False) -> Edit:
    """Make the edit of a perfect tool; what ``skip`` says of an item in a frame is left as it is."""
    items = [item for item in key.items_of(recording.name) if item.frames and item.kind != "face"]
    frames = {item.item: set(item.frame_numbers) for item in items}

    def edit(n: int, planted: Picture, clean: Picture) -> Picture:
        picture = planted.copy()
        for item in items:
            if n in frames[item.item] and not skip(item, n):
                box = item.box_at(n)
                if box is None:
                    picture[:] = 0
                else:
                    x, y, w, h = box
                    picture[y : y + h, x : x + w] = 0
        return picture

    return edit
