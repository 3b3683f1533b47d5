"""The reel: a small picture of every frame of a recording, kept while it is screened, so that a person can look at all of it at once.

One packet holds one frame, none refers to a later one, and no container stands around them: packet
i is frame i, whatever the recording's own container says about times. The first frame of every
second refers to none before it, so that any frame is reached by decoding at most a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.video.frame import PictureType

from scrubin.base.errors import VideoError
from scrubin.stages.screen.pass_over_file import DecodedPicture, Observed, Observer, noted
from scrubin.stages.screen.proposals import Numbers

NAME = "reel"
CRF = 28
# One packet at once for every frame: no B-frames, no lookahead, one thread; key frames only where they are ordered.
X264 = {
    "preset": "ultrafast",
    "tune": "zerolatency",
    "crf": str(CRF),
    "g": "1000000",
    "forced-idr": "1",
    "x264-params": "scenecut=0:threads=1:sliced-threads=0:log=-1",
}
TICK = Fraction(1, 25)
Picture = npt.NDArray[np.uint8]


class Reel:
    """The small pictures of one file.

    Parameters
    ----------
    name
        The file as the curator knows it, for messages.
    observed
        What `OBSERVER` noted.
    """

    def __init__(self, name: str, observed: Observed) -> None:
        self._name = name
        self._packets, self._ends = observed.arrays["packets"], observed.arrays["ends"]
        self._key_numbers = np.flatnonzero(observed.arrays["keys"])
        self.size_px: tuple[int, int] = tuple(observed.value["size_px"])
        """Width and height of its pictures."""
        self.displayed_px: tuple[int, int] = tuple(observed.value["displayed_px"])
        """Width and height in which the file is displayed."""

    @classmethod
    def open(cls, name: str, sha256: str) -> Reel | None:
        """Return the reel of a raw file, named as the curator knows it; None when it is not prepared."""
        try:
            observed = noted(name, sha256, OBSERVER)
        except VideoError:
            return None  # the file cannot be decoded to its end
        return cls(name, observed) if observed is not None else None

    @property
    def frame_count(self) -> int:
        """Number of pictures, one for each frame of the file."""
        return len(self._ends)

    def pictures(self, numbers: Sequence[int]) -> list[Picture]:
        """Return the pictures of some frames, in the order of ``numbers``.

        Returns
        -------
        list
            Blue, green and red as displayed, each of shape (height, width, 3). What lies behind
            one key frame is decoded once.

        Raises
        ------
        ValueError
            When there is no frame of such a number.
        """
        wanted = set(numbers)
        if wanted and not 0 <= min(wanted) <= max(wanted) < self.frame_count:
            raise ValueError(f"{self._name} has frames 0 to {self.frame_count - 1}, not {min(wanted)} to {max(wanted)}")
        decoder = av.VideoCodecContext.create("h264", "r")
        decoder.thread_count = 1
        pictures: dict[int, Picture] = {}
        for first, last in self._stretches(sorted(wanted)):
            for number in range(first, last + 1):
                frame = self._decoded(decoder, number)
                if number in wanted:
                    pictures[number] = frame.to_ndarray(format="bgr24").astype(np.uint8, copy=False)
        return [pictures[number] for number in numbers]

    def _stretches(self, wanted: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield what must be decoded, first and last frame: from a key frame to the last one wanted behind it."""
        places = np.searchsorted(self._key_numbers, np.array(wanted, dtype=np.int64), side="right") - 1
        last_of = dict(zip(places.tolist(), wanted, strict=True))
        for place, last in last_of.items():
            yield int(self._key_numbers[place]), last

    def _decoded(self, decoder: av.VideoCodecContext, number: int) -> av.VideoFrame:
        start = int(self._ends[number - 1]) if number else 0
        packet = av.Packet(self._packets[start : int(self._ends[number])].tobytes())
        packet.pts = packet.dts = number
        frames = decoder.decode(packet)
        if len(frames) != 1 or frames[0].pts != number:
            raise RuntimeError(f"the reel of {self._name} gives {len(frames)} pictures for frame {number}")
        return frames[0]


class _Encoding:
    """Makes the reel while a file is decoded."""

    def __init__(self, times_s: Numbers) -> None:
        seconds = np.floor(times_s)
        self._keys = np.append(True, seconds[1:] > seconds[:-1])[: len(times_s)]
        self._packets = bytearray()
        self._ends = np.zeros(len(times_s), dtype=np.int64)
        self._encoder: av.VideoCodecContext | None = None
        self._displayed_px = self._size_px = (0, 0)

    def see(self, number: int, decoded: DecodedPicture) -> None:
        small = decoded.small
        self._displayed_px, self._size_px = decoded.displayed_px, (small.width, small.height)
        if self._encoder is None:
            self._encoder = _encoder(small)
        small.pts, small.time_base = number, TICK
        small.pict_type = PictureType.I if self._keys[number] else PictureType.NONE
        self._add(number, self._encoder.encode(small))

    def finish(self) -> Observed:
        arrays: dict[str, npt.NDArray[Any]] = {
            "packets": np.frombuffer(self._packets, dtype=np.uint8),
            "ends": self._ends,
            "keys": self._keys,
        }
        return Observed(arrays, {"displayed_px": self._displayed_px, "size_px": self._size_px})

    def _add(self, number: int, packets: list[av.Packet[Any]]) -> None:
        if len(packets) != 1 or packets[0].pts != number or packets[0].is_keyframe != self._keys[number]:
            raise RuntimeError(f"x264 gives {len(packets)} packets for frame {number}, not one of its kind")
        self._packets += memoryview(packets[0])
        self._ends[number] = len(self._packets)


def _encoder(small: av.VideoFrame) -> av.VideoCodecContext:
    encoder = av.VideoCodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt = small.width, small.height, small.format.name
    encoder.time_base, encoder.framerate = TICK, 1 / TICK
    encoder.thread_count = 1
    # The packets say by themselves how their colours are meant.
    encoder.colorspace, encoder.color_range = small.colorspace, small.color_range
    encoder.options = X264
    return encoder


OBSERVER = Observer(NAME, __name__, {}, _Encoding)
"""Makes the reel in the one decode of a file."""
