"""Frames that must be encoded again: blackened where they are hidden, then through x264.

Its parameter sets have an id of their own, so that they stand beside those of the source in one header.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.codec.context import Flags
from av.filter import Graph
from av.video.frame import PictureType

from scrubin.render.params import RenderParams
from scrubin.render.plan import Hidden, Plan
from scrubin.video import nal, parameter_sets
from scrubin.video.ffmpeg import THREADS
from scrubin.video.probe import Probe
from scrubin.video.structure import COPYABLE_FORMATS

FLAGS = "bicubic+accurate_rnd+full_chroma_int+bitexact"
"""How ffmpeg converts pictures: to the bit, on every processor."""
GREY = 128
BLACK_TV, BLACK_FULL = 16, 0


class Encoder:
    """One run of frames that follow each other; a new run needs a new encoder."""

    def __init__(self, like: av.VideoStream, probed: Probe, set_id: int, params: RenderParams) -> None:
        source = like.codec_context
        context = av.CodecContext.create("libx264", "w")
        context.width, context.height = source.width, source.height
        context.pix_fmt = "yuv420p"
        context.time_base, context.framerate = probed.time_base, probed.fps
        if source.sample_aspect_ratio:
            context.sample_aspect_ratio = source.sample_aspect_ratio
        context.color_range = source.color_range
        context.color_primaries, context.color_trc, context.colorspace = source.color_primaries, source.color_trc, source.colorspace
        context.thread_count = THREADS
        context.flags |= Flags.global_header | Flags.bitexact
        # cpu-independent: otherwise x264 takes reciprocals from the processor.
        context.options = {
            "preset": params.preset,
            "crf": str(params.crf),
            "x264-params": f"cpu-independent=1:sps-id={set_id}:open-gop=0:fullrange={int(probed.full_range)}",
        }
        context.open()
        self._context = context
        self._black = BLACK_FULL if probed.full_range else BLACK_TV
        self.header = parameter_sets.header(bytes(context.extradata or b""))

    def encode(self, frame: av.VideoFrame, number: int, tick: int, plan: Plan) -> Iterator[av.Packet[Any]]:
        """Yield what is ready after this frame.

        Parameters
        ----------
        number, tick
            Number of the frame in the released video, and its time there.
        """
        here = [item for item in plan.hidden if item.first <= number <= item.last]
        fresh = _blackened(frame, here, self._black)
        fresh.pts, fresh.time_base = tick, self._context.time_base
        # A group starts where something is hidden or shown again: a black frame must not be predicted from a shown one.
        starts = any(number in (item.first, item.last + 1) for item in plan.hidden)
        fresh.pict_type = PictureType.I if starts else PictureType.NONE
        yield from self._context.encode(fresh)

    def end(self) -> Iterator[av.Packet[Any]]:
        """Yield the rest."""
        yield from self._context.encode(None)


class Plain:
    """Pictures of one file as 8-bit 4:2:0, in the range of those that are copied beside them.

    Parameters
    ----------
    full_range, wanted
        Whether its luma runs from 0 to 255 and not from 16 to 235, and whether that of the copied pictures does.
    """

    def __init__(self, *, full_range: bool, wanted: bool) -> None:
        self._same = full_range == wanted
        self._ranges = [("full" if full else "limited") for full in (full_range, wanted)]
        self._graph: Graph | None = None

    def picture(self, frame: av.VideoFrame) -> av.VideoFrame:
        """Return a frame with its time."""
        if self._same and frame.format.name in COPYABLE_FORMATS:
            return frame
        self._graph = self._graph or self._scaling(frame)
        self._graph.push(frame)
        scaled = self._graph.pull()
        if not isinstance(scaled, av.VideoFrame):
            msg = "a picture came out as none"
            raise TypeError(msg)
        return scaled

    def _scaling(self, frame: av.VideoFrame) -> Graph:
        graph = Graph()
        ranges = f"in_range={self._ranges[0]}:out_range={self._ranges[1]}"
        graph.link_nodes(
            graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=frame.time_base),
            graph.add("scale", f"{ranges}:flags={FLAGS}"),
            graph.add("format", "yuv420p"),
            graph.add("buffersink"),
        ).configure()
        return graph


def _blackened(frame: av.VideoFrame, hidden: list[Hidden], black: int) -> av.VideoFrame:
    """Return a frame of its own memory whose hidden rectangles are black, luma ``black`` and grey chroma."""
    planes: npt.NDArray[np.uint8] = frame.to_ndarray().astype(np.uint8, copy=True)
    height, width = frame.height, frame.width
    luma, chroma = planes[:height], planes[height:].reshape(2, height // 2, width // 2)
    for item in hidden:
        x, y, w, h = item.box_xywh or (0, 0, width, height)
        luma[y : y + h, x : x + w] = black
        chroma[:, y // 2 : (y + h) // 2, x // 2 : (x + w) // 2] = GREY
    return av.VideoFrame.from_ndarray(planes, format="yuv420p")


def bare(packet: bytes | memoryview, length_bytes: int) -> tuple[bytes, bool]:
    """Return the picture of a packet alone, its NAL units behind 4-byte lengths, and whether it is an IDR picture."""
    kept: list[bytes | memoryview] = []
    is_key = False
    for unit in nal.units(packet, length_bytes):
        unit_type = nal.unit_type(unit)
        if unit_type in (nal.SLICE, nal.IDR):
            kept += [len(unit).to_bytes(parameter_sets.LENGTH_BYTES, "big"), unit]
            is_key = is_key or unit_type == nal.IDR
    return b"".join(kept), is_key
