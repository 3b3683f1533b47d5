"""The part of a picture that is one camera's: recorders of stereo rigs write both views side by side, or one above the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import av
from av.filter import Graph

from scrubin.core.errors import VideoError
from scrubin.video.probe import SMALLEST_PX, Probe

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
