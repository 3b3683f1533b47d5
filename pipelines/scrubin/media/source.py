"""A camera's recording as one run of frames, whatever number of files the recorder cut it into, whatever part of a picture it is.

Frames are numbered through all parts, on one timeline: parts follow each other, what is missing between two of them stays missing. Nothing
is joined on disk: whoever reads goes from part to part.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import av
import numpy as np
from av.filter import Graph

from scrubin.base.errors import VideoError
from scrubin.media.decode import decoded
from scrubin.media.frame_reader import FrameReader
from scrubin.media.probe import SMALLEST_PX, Probe
from scrubin.media.raw_file import proven, stored_probe, stored_sha256, stored_structure
from scrubin.media.structure import Structure
from scrubin.media.upright import Picture

if TYPE_CHECKING:
    # A single video is rendered without tables, and pandas takes a third of its start.
    import pandas as pd

import math
from collections.abc import Sequence
from itertools import pairwise

FIX = "correct the rectangle in the column 'camera' of recordings.csv, such as left=crop(0 0 960 1080): x, y, width and height in pixels"


@dataclass(frozen=True)
class View:
    """A rectangle of the picture, in pixels from its top left corner; all numbers are even, because 4:2:0 video is."""

    x: int
    y: int
    w: int
    h: int

    def of_probe(self, probe: Probe, path: str) -> Probe:
        """Return what a file holds of this view.

        Raises
        ------
        VideoError
            When the rectangle does not lie in the picture, is too small, odd, or the picture is rotated by players.
        """
        if probe.rotation_deg:
            raise VideoError(path, f"players rotate it by {probe.rotation_deg} degrees, so no view can be cut out", "export it upright")
        if self.x + self.w > probe.width or self.y + self.h > probe.height:
            raise VideoError(path, f"its picture is {probe.width}x{probe.height}, the view {self} does not lie in it", FIX)
        if min(self.w, self.h) < SMALLEST_PX:
            raise VideoError(path, f"the view {self} is smaller than {SMALLEST_PX} px", FIX)
        if any(number % 2 for number in (self.x, self.y, self.w, self.h)):
            raise VideoError(path, f"the view {self} has odd numbers, colours are stored for 2 x 2 pixels", FIX)
        return replace(probe, width=self.w, height=self.h)

    def cut_out(self, frames: Iterable[av.VideoFrame]) -> Iterator[av.VideoFrame]:
        """Yield this view of every frame, with its time; no pixel is changed."""
        graph: Graph | None = None
        for frame in frames:
            graph = graph or self._graph(frame)
            graph.push(frame)
            cut = graph.pull()
            if isinstance(cut, av.VideoFrame):
                yield cut

    def _graph(self, frame: av.VideoFrame) -> Graph:
        graph = Graph()
        graph.link_nodes(
            graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=frame.time_base),
            graph.add("crop", f"{self.w}:{self.h}:{self.x}:{self.y}:exact=1"),
            graph.add("buffersink"),
        ).configure()
        return graph

    def __str__(self) -> str:
        return f"{self.w}x{self.h} at {self.x},{self.y}"


@dataclass(frozen=True)
class FilePart:
    """One file of a camera's recording.

    Parameters
    ----------
    path, sha256
        Relative to the raw folder, and the hash of its bytes when it was ingested.
    first
        Its frames before this one are those that end the part before: they are left out.
    gap_s
        How much is missing before it.
    """

    path: str
    sha256: str
    first: int = 0
    gap_s: Fraction = Fraction(0)


@dataclass(frozen=True)
class Source:
    """The files of one camera of a recording, in order; at least one.

    Parameters
    ----------
    parts
        The files.
    view
        The part of their pictures that is this camera's; None: all of it.
    """

    parts: tuple[FilePart, ...]
    view: View | None = None

    @classmethod
    def of_file(cls, path: str, sha256: str) -> Source:
        """Return a recording that is one file."""
        return cls((FilePart(path, sha256),))

    @property
    def path(self) -> str:
        """The first file, by which messages name the recording."""
        return self.parts[0].path

    @cached_property
    def sha256(self) -> str:
        """What stands for all bytes, how they are joined and what of them is seen; of one whole file, its own hash."""
        if len(self.parts) == 1 and self.view is None:
            return self.parts[0].sha256
        joint: list[Any] = [[part.sha256, part.first, str(part.gap_s)] for part in self.parts]
        if self.view is not None:
            joint.append(astuple(self.view))
        return hashlib.sha256(json.dumps(joint, separators=(",", ":")).encode()).hexdigest()

    @property
    def paths(self) -> tuple[str, ...]:
        """All files."""
        return tuple(part.path for part in self.parts)

    def probes(self, raw: Path) -> tuple[Probe, ...]:
        """Return what each part holds of this camera's view.

        Raises
        ------
        VideoError
            When one cannot be used.
        """
        probes = ((part.path, stored_probe(raw / part.path, part.path, part.sha256)) for part in self.parts)
        return tuple(probe if self.view is None else self.view.of_probe(probe, path) for path, probe in probes)

    def probe(self, raw: Path) -> Probe:
        """Return what all parts hold together.

        Raises
        ------
        VideoError
            When one cannot be used, or they do not belong together.
        """
        return joined_probe(self.joined_parts(raw))

    def joined_parts(self, raw: Path) -> list[JoinedPart]:
        """Return each part with what it holds."""
        return [JoinedPart(part.path, probe, part.first, part.gap_s) for part, probe in zip(self.parts, self.probes(raw), strict=True)]

    def structures(self, raw: Path) -> tuple[Structure, ...]:
        """Return the groups of pictures of each part."""
        return tuple(stored_structure(raw / part.path, part.path, part.sha256) for part in self.parts)

    @contextmanager
    def proven(self, raw: Path) -> Iterator[None]:
        """Prove before and after something is made of them that all files are those that were ingested."""
        with ExitStack() as stack:
            for part in self.parts:
                stack.enter_context(proven(raw / part.path, part.path, part.sha256))
            yield

    def changed(self, raw: Path) -> str | None:
        """Return the first file that is not the one that was ingested; None when all are.

        Raises
        ------
        VideoError, StageError
            When one is gone, or cannot be read now.
        """
        return next((part.path for part in self.parts if stored_sha256(raw / part.path, part.path) != part.sha256), None)

    def decoded(self, raw: Path) -> Iterator[av.VideoFrame]:
        """Yield every frame in order, without those that stand in two parts."""
        for part in self.parts:
            frames = islice(decoded(raw / part.path, part.path), part.first, None)
            yield from frames if self.view is None else self.view.cut_out(frames)

    def reader(self, raw: Path) -> SourceReader:
        """Return what reads any frame by its number."""
        return SourceReader(raw, self)


class SourceReader:
    """Reads frames by their number in the whole recording; one file is open at a time.

    Not for several threads at once.
    """

    def __init__(self, raw: Path, source: Source) -> None:
        self._raw, self._source = raw, source
        self._probes = source.probes(raw)
        counts = [probe.frame_count - part.first for probe, part in zip(self._probes, source.parts, strict=True)]
        self._ends = list(accumulate(counts))
        self._open: tuple[int, FrameReader] | None = None
        self._counting = False

    def picture(self, number: int) -> Picture:
        """Return a frame as it is displayed, see `FrameReader.picture`."""
        if not 0 <= number < self._ends[-1]:
            raise ValueError(f"{self._source.path} has frames 0 to {self._ends[-1] - 1}, not {number}")
        place = bisect_right(self._ends, number)
        before = self._ends[place - 1] if place else 0
        whole = self._reader(place).picture(number - before + self._source.parts[place].first)
        view = self._source.view
        return whole if view is None else np.ascontiguousarray(whole[view.y : view.y + view.h, view.x : view.x + view.w])

    def count_from_now_on(self) -> None:
        """Count every frame from the start of its file: for whoever has reason to doubt a picture."""
        self._counting = True
        if self._open is not None:
            self._open[1].count_from_now_on()

    def close(self) -> None:
        """Close the file that is open; the next picture opens it again."""
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def _reader(self, place: int) -> FrameReader:
        if self._open is None or self._open[0] != place:
            self.close()
            path = self._source.parts[place].path
            reader = FrameReader(self._raw / path, path, self._probes[place])
            if self._counting:
                reader.count_from_now_on()
            self._open = place, reader
        return self._open[1]


def sources(parts: pd.DataFrame) -> dict[tuple[str, str], Source]:
    """Return the files of every recording and camera.

    Parameters
    ----------
    parts
        The table `parts`.
    """
    files: dict[tuple[str, str], list[FilePart]] = {}
    views: dict[tuple[str, str], View] = {}
    for row in parts.assign(has_view=parts.x.notna()).sort_values(["recording", "camera", "part"]).to_dict("records"):
        file = FilePart(row["path"], row["sha256"], int(row["first_frame"]), Fraction(row["gap_s"]))
        key = row["recording"], row["camera"]
        files.setdefault(key, []).append(file)
        if row["has_view"]:
            views[key] = View(*(int(row[column]) for column in "xywh"))
    return {key: Source(tuple(members), views.get(key)) for key, members in files.items()}


FINEST = 2**31 - 1
"""FFmpeg's clocks have no more ticks per second."""
FIX_PARTS = "export all parts with the same settings, or name them as recordings of their own"


@dataclass(frozen=True)
class JoinedPart:
    """A part of a recording.

    Parameters
    ----------
    path
        Names it in messages.
    probe
        What it holds.
    first
        Its first frame that counts.
    gap_s
        How much is missing before it.
    """

    path: str
    probe: Probe
    first: int
    gap_s: Fraction

    @property
    def length_s(self) -> Fraction:
        """Return for how long its frames are shown."""
        if self.probe.variable_rate:
            return self.probe.end_s - (self.probe.pts[self.first] - self.probe.pts[0]) * self.probe.time_base
        # Counted, because Matroska rounds times: rounding must not add up from part to part.
        return (self.probe.frame_count - self.first) / self.probe.fps


def joined_probe(parts: Sequence[JoinedPart]) -> Probe:
    """Return what all parts hold together, on one clock that counts from the first frame.

    A constant rate stays one when all parts have it and nothing is missing between them.

    Raises
    ------
    VideoError
        When parts differ in size or rotation, have no frame left, or no common clock.
    """
    if len(parts) == 1:
        return parts[0].probe
    _refuse_different(parts)
    starts = start_times_s(parts)
    base = _common_tick([*(part.probe.time_base for part in parts), *starts])
    if base.denominator > FINEST:
        raise VideoError(parts[0].path, "its parts have clocks without a common tick", FIX_PARTS)
    pts: list[int] = []
    for part, start_s in zip(parts, starts, strict=True):
        own, step, begin = part.probe.pts, part.probe.time_base / base, start_s / base
        pts += [int(begin + (tick - own[part.first]) * step) for tick in own[part.first :]]
    if any(later <= earlier for earlier, later in pairwise(pts)):
        raise VideoError(parts[0].path, "the times of its parts overlap", FIX_PARTS)
    end_s = starts[-1] + parts[-1].length_s
    fps = {part.probe.fps for part in parts}
    variable = len(fps) > 1 or any(part.probe.variable_rate for part in parts) or any(part.gap_s for part in parts)
    average = Fraction(len(pts) - 1) / ((pts[-1] - pts[0]) * base) if len(pts) > 1 else next(iter(fps))
    return replace(
        parts[0].probe,
        fps=average.limit_denominator(1001) if variable else fps.pop(),
        variable_rate=variable,
        pts=tuple(pts),
        time_base=base,
        end_s=end_s,
        has_audio=any(part.probe.has_audio for part in parts),
    )


def start_times_s(parts: Sequence[JoinedPart]) -> list[Fraction]:
    """Return when the first frame that counts of each part is shown, from the first frame of the recording."""
    starts, end_s = [], Fraction(0)
    for part in parts:
        starts.append(end_s + part.gap_s)
        end_s = starts[-1] + part.length_s
    return starts


def _refuse_different(parts: Sequence[JoinedPart]) -> None:
    first = parts[0].probe
    for part in parts:
        probe = part.probe
        if part.first >= probe.frame_count:
            raise VideoError(part.path, "all of its frames stand in the part before as well", "remove its row from recordings.csv")
        if (probe.width, probe.height) != (first.width, first.height):
            reason = f"it is {probe.width}x{probe.height}, part 1 ({parts[0].path}) {first.width}x{first.height}"
            raise VideoError(part.path, reason, FIX_PARTS)
        if probe.rotation_deg != first.rotation_deg:
            raise VideoError(part.path, f"it is rotated by {probe.rotation_deg} degrees, part 1 by {first.rotation_deg}", FIX_PARTS)


def _common_tick(values: Sequence[Fraction]) -> Fraction:
    """Return the largest tick of which all values are whole multiples.

    >>> _common_tick([Fraction(1, 1000), Fraction(1, 90000), Fraction(0), Fraction(7, 30)])
    Fraction(1, 90000)
    """
    denominator = math.lcm(*(value.denominator for value in values))
    numerator = math.gcd(*(int(value * denominator) for value in values))
    return Fraction(numerator, denominator)
