"""One decode of a file, with everything that is looked at while it lasts.

Decoding is what costs. Each *observer* sees every frame of the one pass and notes what it needs;
what it noted is kept in the store under a key of its own. Changing one observer's parameters
decodes again for that one only; changing a limit of a detector decodes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from scrubin.base.errors import VideoError
from scrubin.base.store import store
from scrubin.base.store.code_of import code_of
from scrubin.media.damage import FIX_START
from scrubin.media.decode import FIX_LEFT_OUT, decoded
from scrubin.media.source import Source
from scrubin.media.upright import turned
from scrubin.stages.screen.proposals import Numbers

HEIGHT_PX = 180
SMALLEST_PX = 16
GRID_STEP = 4


class DecodedPicture:
    """One frame of a pass over a file.

    Parameters
    ----------
    frame
        As decoded; its memory is used again for a later one.
    reformatter
        That of the file's frames.
    """

    def __init__(self, frame: av.VideoFrame, reformatter: VideoReformatter) -> None:
        self.frame = frame
        self._reformatter = reformatter

    @property
    def displayed_px(self) -> tuple[int, int]:
        """Width and height in which the frame is displayed."""
        return (self.frame.height, self.frame.width) if self._turned else (self.frame.width, self.frame.height)

    @cached_property
    def small(self) -> av.VideoFrame:
        """The frame as it is displayed, 180 px high, in 4:2:0 of limited range; its matrix stays."""
        frame, size = self.frame, small_size(*self.displayed_px)
        if frame.rotation or frame.format.is_rgb:
            shown = size[::-1] if self._turned else size
            bgr = self._reformatter.reformat(frame, *shown, "bgr24", interpolation="AREA").to_ndarray()
            frame = av.VideoFrame.from_ndarray(turned(bgr, frame), format="bgr24")
            return frame.reformat(*size, "yuv420p", dst_colorspace="ITU601", dst_color_range="MPEG")
        return self._reformatter.reformat(frame, *size, "yuv420p", interpolation="AREA", dst_color_range="MPEG")

    @cached_property
    def grid(self) -> npt.NDArray[np.int16]:
        """Luma of every fourth point of every fourth row of the small picture: enough to see that something has changed."""
        luma = self.small.planes[0]
        points = np.frombuffer(memoryview(luma), np.uint8).reshape(luma.height, luma.line_size)
        return points[::GRID_STEP, : luma.width : GRID_STEP].astype(np.int16)

    @property
    def _turned(self) -> bool:
        return self.frame.rotation % 180 != 0


def small_size(width: int, height: int) -> tuple[int, int]:
    """Return width and height of the small picture of one that is displayed in this size; both are even.

    >>> small_size(1920, 1080), small_size(720, 576), small_size(97, 65)
    ((320, 180), (224, 180), (96, 64))
    """
    small_height = max(SMALLEST_PX, min(HEIGHT_PX, height // 2 * 2))
    return max(SMALLEST_PX, 2 * round(Fraction(width * small_height, 2 * height))), small_height


@dataclass(frozen=True)
class Observed:
    """What an observer noted: arrays of integers, and a JSON value."""

    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    value: Any = None


class Observation(Protocol):
    """Sees the frames of one file, one after the other."""

    def see(self, number: int, decoded: DecodedPicture) -> None:
        """Look at frame ``number``, from 0. Its memory is used again after this call."""

    def finish(self) -> Observed:
        """Return what was noted, after the last frame."""


@dataclass(frozen=True)
class Observer:
    """Something that looks at every frame.

    Parameters
    ----------
    name
        Names its notes.
    module
        Full name of the module that looks: its notes depend on all that it imports, see `scrubin.base.store.code_of`.
    inputs
        Parameters that its notes depend on.
    start
        Begins a file, given the presentation time of each frame in seconds from the first, shape (n,).
    """

    name: str
    module: str
    inputs: Mapping[str, Any]
    start: Callable[[Numbers], Observation]


def observe(path: Path, name: str, observers: Sequence[Observer], times_s: Numbers) -> dict[str, Observed]:
    """Decode a file once and return what each observer noted, by its name.

    Raises
    ------
    VideoError
        When a frame cannot be decoded, or the file has another number of frames than times.
    """
    return _observed(decoded(path, name), name, observers, times_s)


def _observed(frames: Iterable[av.VideoFrame], name: str, observers: Sequence[Observer], times_s: Numbers) -> dict[str, Observed]:
    observations = {observer.name: observer.start(times_s) for observer in observers}
    count, reformatter = 0, VideoReformatter()
    for frame in frames:
        if count < len(times_s):
            picture = DecodedPicture(frame, reformatter)
            for one in observations.values():
                one.see(count, picture)
        count += 1
    if count != len(times_s):
        few, many = f"only {count} of its {len(times_s)} frames can be decoded", f"{count} frames come out of its {len(times_s)} packets"
        reason, fix = (few, FIX_LEFT_OUT) if count < len(times_s) else (many, FIX_START)
        raise VideoError(name, reason, fix)
    return {key: one.finish() for key, one in observations.items()}


def observe_stored(raw: Path, source: Source, observers: Sequence[Observer], times_s: Numbers) -> dict[str, Observed]:
    """Return the same as `observe` of a recording of the raw folder; what is in the store is not looked at again."""
    keys = {observer.name: _key(observer, source.sha256) for observer in observers}
    entries = {name: entry for name, key in keys.items() if (entry := store.lookup(key)) is not None}
    missing = [observer for observer in observers if observer.name not in entries]
    seen: dict[str, Observed] = {}
    refused: VideoError | None = None
    if missing:
        try:
            with source.proven(raw):
                seen = _observed(source.decoded(raw), source.path, missing, times_s)
        except VideoError as error:
            if error.is_for_lack_of_memory:
                raise
            refused = error
    for observer in missing:
        entries[observer.name], _ = store.make(keys[observer.name], partial(_save, seen=seen.get(observer.name), refused=refused))
    return {observer.name: _loaded(entries[observer.name], source.path) for observer in observers}


def noted(name: str, sha256: str, observer: Observer) -> Observed | None:
    """Return what an observer noted of a file before; None when it has not seen it.

    Raises
    ------
    VideoError
        When it saw that the file cannot be decoded.
    """
    entry = store.lookup(_key(observer, sha256))
    return _loaded(entry, name) if entry is not None else None


def _key(observer: Observer, sha256: str) -> store.Key:
    # Whoever looks may not import what decodes.
    code = code_of(__name__) + code_of(observer.module)
    return store.key_of("screen", code, {"sha256": sha256, "observer": observer.name, **observer.inputs}, f"screen/{observer.name}")


def _save(folder: Path, seen: Observed | None, refused: VideoError | None) -> dict[str, Any]:
    if refused is not None or seen is None:
        # Kept too: a broken file stays broken. Its name is not kept, because another file may have the same bytes.
        return {"reason": refused.reason, "fix": refused.fix} if refused else {}
    for name, array in seen.arrays.items():
        with (folder / f"{name}.npy").open("wb") as file:
            # Through Python: where numpy writes to a file itself, it says of a full disk how many bytes are missing, and nothing else.
            np.save(SimpleNamespace(write=file.write), array)
    return {"value": seen.value}


def _loaded(entry: store.Entry, name: str) -> Observed:
    if "reason" in entry.value:
        raise VideoError(name, entry.value["reason"], entry.value["fix"])
    # Mapped, not read: a reel holds hundreds of megabytes, and no detector looks at it.
    arrays = {Path(file).stem: np.load(entry.folder / file, mmap_mode="r") for file in sorted(entry.files)}
    return Observed(arrays, entry.value["value"])
