"""Which pictures of a video are looked at, what was seen in them.

Looking costs 30 ms for faces and 0.3 to 0.6 s for text, decoding 1 ms. So a purse is filled by every decoded picture and emptied by every
look, both in seconds of a usual processor that are reckoned from numbers of pixels, never measured: the same video is looked at in the
same places on every machine. A picture of a new scene, and one per so many seconds, are looked at even when the purse is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from scrubin.audit.pictures.eyes import faces, read
from scrubin.audit.pictures.signs import EVERY_S, Scenes, Standing
from scrubin.base.pixels import Box

RULE = (
    "each scene at its 1st picture, as far as there is time for it at its 3rd, 9th and 27th, and every 30 s; "
    "read as a whole at its 8th, 64th ..., as far as there is time for it, and every 2 min; "
    "parts where something like text stands still for half a second; extracted frames that differ from their video"
)
EVERY_FRAME_RULE = "every picture"


@dataclass(frozen=True, order=True)
class Sighting:
    """A line of text or a face, in one picture.

    Parameters
    ----------
    still
        Path of the extracted frame; "" in the video itself.
    frame, time_s
        Number of the picture in its video, and its time there.
    box_xywh
        In px of the picture.
    confidence
        0 to 1.
    text
        What was read; None for a face.
    """

    still: str
    frame: int
    time_s: float
    box_xywh: Box
    confidence: float
    text: str | None = None


@dataclass(frozen=True)
class Counts:
    """How much was looked at.

    Parameters
    ----------
    faces_looked_for
        Pictures that were looked at for faces.
    read, parts_read
        Pictures in all of which, and rectangles in which, text was looked for.
    stills_compared, stills_unlike
        Extracted frames that were compared with their picture of the video; those that differ were looked at by themselves.
    """

    faces_looked_for: int = 0
    read: int = 0
    parts_read: int = 0
    stills_compared: int = 0
    stills_unlike: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Return the sums."""
        return Counts(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Counts)))


@dataclass(frozen=True)
class Looked:
    """Sightings, in the order of the pictures, and what they were looked for in.

    Parameters
    ----------
    faces_at, read_at
        Numbers of the pictures of a video that were looked at for faces, and that were read as a whole; increasing.
    """

    sightings: tuple[Sighting, ...] = ()
    counts: Counts = Counts()
    faces_at: tuple[int, ...] = ()
    read_at: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        sightings = [asdict(one) for one in self.sightings]
        return {"sightings": sightings, "counts": asdict(self.counts), "faces_at": self.faces_at, "read_at": self.read_at}


def of_json(value: dict[str, Any]) -> Looked:
    """Return what ``Looked.as_json`` wrote."""
    seen = [{**one, "box_xywh": tuple(one["box_xywh"])} for one in value["sightings"]]
    at = (tuple(value[name]) for name in ("faces_at", "read_at"))
    return Looked(tuple(Sighting(**one) for one in seen), Counts(**value["counts"]), *at)


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sums over files."""
    return sum(counts, Counts())


Sampling = Literal["sampled", "every", "none"]
Picture = npt.NDArray[np.uint8]
Size = tuple[int, int]
"""Width and height, in px."""
TICK_S = 1e-6

# Seconds of a processor of 2020, as measured on H.264 of real operations (854x480 and 1920x1080).
# Decoding is what H.264 of a low rate takes; of a high rate it takes twice as long, and looking then costs half the share.
DECODE_S_PER_PX = 1.5e-9
FACES_S = 0.06
READ_S, READ_S_PER_PX = 0.02, 1.0e-6
SHARE, PARTS_SHARE = 0.15, 0.08
"""Of the time of decoding that is earned for looking at pictures, and for reading what stands; finding both takes 0.2 of it."""
CREDIT_S, MOST_S = 0.1, 3.0
"""With which a video begins, and which may be saved up."""
DEBT_S = 0.2
"""As much may be owed for the look at a scene that is due soon after its beginning."""
FACES_EVERY_S, READ_EVERY_S, READ_AGAIN_S = 30.0, 120.0, 15.0
FACES_BASE, READ_BASE = 3, 8
FACES_LAST = 27
"""After this picture of its scene, faces are only looked for every so many seconds."""
EARLY = (3, 8)
"""These pictures of a scene may be looked at on debt; its first one is looked at whatever is owed."""
JUST_READ_S = 0.5
READ_SIDE_PX = (512, 960)
READ_SCALE = 0.6
"""All of a picture is read at this part of its size, within READ_SIDE_PX; what stands still is read at its own size."""
MOST_PARTS, MUCH = 6, 0.4
"""More rectangles, or a larger share of the picture, are read as one picture, when there is time for it."""
LIKELY = 0.7
"""Rectangles in which this share of the edges stands are read on debt."""
TOUCHES_PX, FURTHER_PX = 4, 160
"""A line that comes so near to a side of its rectangle is read again with so much more on that side."""
YUV = ("yuv420p", "yuvj420p")


@dataclass
class Looks:
    """Looks at the pictures of one video, which are shown to it one after the other.

    Parameters
    ----------
    sampling
        ``sampled`` looks at those that are worth it, ``every`` at all of them, ``none`` at none.
    """

    sampling: Sampling = "sampled"
    counts: Counts = field(default_factory=Counts)
    sightings: list[Sighting] = field(default_factory=list)
    _faces_at: list[int] = field(default_factory=list)
    _read_at: list[int] = field(default_factory=list)
    _scenes: Scenes = field(default_factory=Scenes)
    _standing: Standing | None = None
    _purse_s: float = CREDIT_S
    _parts_purse_s: float = CREDIT_S
    _faces_at_s: float = -FACES_EVERY_S
    _read_at_s: float = -READ_EVERY_S
    _stands_at_s: float = -EVERY_S
    _reformatter: VideoReformatter = field(default_factory=VideoReformatter)

    def see(self, number: int, time_s: float, frame: av.VideoFrame) -> None:
        """Look at a decoded picture when it is worth it."""
        if self.sampling == "none":
            return
        whole_px = (frame.width, frame.height)
        if self.sampling == "every":
            self._look(number, time_s, frame, whole_px, [])
            return
        self._earn(DECODE_S_PER_PX * frame.width * frame.height)
        luma, blue, red = self._planes(frame)
        count = self._scenes.count(luma, blue, red)
        parts, for_faces = self._unread(luma, time_s), self._looks_for_faces(count, time_s)
        if _much(parts, whole_px) and self._purse_s >= _read_s(whole_px):
            self._look(number, time_s, frame, whole_px, parts)
        elif self._reads(count, time_s, whole_px):
            self._look(number, time_s, frame, _read_size(whole_px), parts[:MOST_PARTS])
        elif parts or for_faces:
            self._look(number, time_s, frame, None, parts[:MOST_PARTS], for_faces=for_faces)

    def see_still(self, path: str, number: int, time_s: float, picture: Picture, *, unlike: bool) -> None:
        """Look at an extracted frame when it is unlike its picture of the video, which is looked at there."""
        if self.sampling == "none":
            return
        self.counts += Counts(stills_compared=1, stills_unlike=int(unlike))
        if unlike or self.sampling == "every":
            self.sightings += look_at(picture, path, number, time_s)
            self.counts += Counts(faces_looked_for=1, read=1)

    def looked(self) -> Looked:
        """Return what was seen so far."""
        return Looked(tuple(self.sightings), self.counts, tuple(self._faces_at), tuple(self._read_at))

    def _earn(self, decoding_s: float) -> None:
        self._purse_s = min(self._purse_s + SHARE * decoding_s, MOST_S)
        self._parts_purse_s = min(self._parts_purse_s + PARTS_SHARE * decoding_s, MOST_S)

    def _planes(self, frame: av.VideoFrame) -> tuple[Picture, Picture, Picture]:
        planar = frame if frame.format.name in YUV else self._reformatter.reformat(frame, format="yuv420p")
        luma, blue, red = (_plane(plane) for plane in planar.planes)
        return luma, blue, red

    def _reads(self, count: int, time_s: float, size_px: Size) -> bool:
        """Whether all of a picture is read: as one of the first of its scene, now and then, or when there is time for it."""
        since_s = time_s - self._read_at_s
        if since_s >= READ_EVERY_S:
            return True
        due = is_power(count, READ_BASE) and since_s >= JUST_READ_S
        return (due or since_s >= READ_AGAIN_S) and self._can_pay(_read_s(_read_size(size_px)), count)

    def _looks_for_faces(self, count: int, time_s: float) -> bool:
        if count == 1 or time_s - self._faces_at_s >= FACES_EVERY_S:
            return True
        return is_power(count, FACES_BASE) and count <= FACES_LAST and self._can_pay(FACES_S, count)

    def _can_pay(self, price_s: float, count: int) -> bool:
        """Whether the purse holds the price of a look, or so much may be owed for this picture of its scene."""
        return self._purse_s + (DEBT_S if count in EARLY else 0.0) >= price_s

    def _unread(self, luma: Picture, time_s: float) -> list[Box]:
        """Return the rectangles of a picture that are read because something stands there."""
        if time_s - self._stands_at_s < EVERY_S - TICK_S:
            return []
        self._stands_at_s = time_s
        size_px = (luma.shape[1], luma.shape[0])
        if self._standing is None or self._standing.size_px != size_px:
            self._standing = Standing(*size_px)
        self._standing.see(luma)
        if self._parts_purse_s <= -DEBT_S:
            return []
        likely = LIKELY if self._parts_purse_s <= 0 else 0.0
        return [part.box_xywh for part in self._standing.unread() if part.standing >= likely]

    def _look(
        self, number: int, time_s: float, frame: av.VideoFrame, whole_px: Size | None, parts: list[Box], *, for_faces: bool = True
    ) -> None:
        """Look for faces, and for text in all of the picture, taken at a size, or in parts of it at its own."""
        picture = self._reformatter.reformat(frame, format="bgr24").to_ndarray().astype(np.uint8, copy=False)
        if for_faces:
            self.sightings += [Sighting("", number, time_s, face.box_xywh, face.confidence) for face in faces(picture)]
            self._faces_at_s = time_s
            self._faces_at.append(number)
            self._purse_s -= FACES_S
            self.counts += Counts(faces_looked_for=1)
        boxes = parts
        if whole_px is not None:
            self.sightings += _text_in(picture, number, time_s, whole_px)
            self._read_at_s = time_s
            self._read_at.append(number)
            self._purse_s -= _read_s(whole_px)
            self.counts += Counts(read=1)
            # At a smaller size small text may have been missed.
            boxes = [] if whole_px == (frame.width, frame.height) else parts
        for box in boxes:
            seen = self._read_part(picture, number, time_s, box)
            wider = _wider(box, seen, frame.width)
            self.sightings += seen if wider == box else self._read_part(picture, number, time_s, wider)
        for box in parts:
            self._mark_read(box)

    def _read_part(self, picture: Picture, number: int, time_s: float, box: Box) -> list[Sighting]:
        self._parts_purse_s -= _read_s(box[2:])
        self.counts += Counts(parts_read=1)
        return _text_of_part(picture, number, time_s, box)

    def _mark_read(self, box: Box) -> None:
        if self._standing is not None:
            self._standing.mark_read(box)


def look_at(picture: Picture, still: str, number: int = 0, time_s: float = 0.0) -> list[Sighting]:
    """Return all faces and text in one extracted frame, shape (height, width, 3), blue first."""
    size_px = (picture.shape[1], picture.shape[0])
    seen = [Sighting(still, number, time_s, face.box_xywh, face.confidence) for face in faces(picture)]
    return seen + [replace(one, still=still) for one in _text_in(picture, number, time_s, size_px)]


def is_power(number: int, base: int) -> bool:
    """Whether a number is 1 or a power of a base.

    >>> [number for number in range(1, 70) if is_power(number, 8)]
    [1, 8, 64]
    """
    while number > 1 and number % base == 0:
        number //= base
    return number == 1


def _text_in(picture: Picture, number: int, time_s: float, size_px: Size) -> list[Sighting]:
    height, width = picture.shape[:2]
    shown = picture
    if size_px != (width, height):
        shown = cv2.resize(picture, size_px, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
    across, down = width / size_px[0], height / size_px[1]
    seen = []
    for line in read(shown):
        x, y, w, h = line.box_xywh
        box = (round(x * across), round(y * down), max(1, round(w * across)), max(1, round(h * down)))
        seen.append(Sighting("", number, time_s, box, line.confidence, line.text))
    return seen


def _text_of_part(picture: Picture, number: int, time_s: float, box_xywh: Box) -> list[Sighting]:
    x, y, w, h = box_xywh
    seen = _text_in(np.ascontiguousarray(picture[y : y + h, x : x + w]), number, time_s, (w, h))
    return [replace(one, box_xywh=(one.box_xywh[0] + x, one.box_xywh[1] + y, *one.box_xywh[2:])) for one in seen]


def _wider(box_xywh: Box, seen: list[Sighting], width: int) -> Box:
    """Return a rectangle that reaches further where a line of text goes on beyond it; the same one when none does."""
    x, y, w, h = box_xywh
    left = x - FURTHER_PX if any(one.box_xywh[0] <= x + TOUCHES_PX for one in seen) else x
    right = x + w + FURTHER_PX if any(one.box_xywh[0] + one.box_xywh[2] >= x + w - TOUCHES_PX for one in seen) else x + w
    left, right = max(0, left), min(width, right)
    return left, y, right - left, h


def _plane(plane: av.video.plane.VideoPlane) -> Picture:
    """Return a plane as it lies in memory, shape (height, width), without a copy."""
    lines = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    return lines[: plane.height, : plane.width]


def _much(parts: list[Box], size_px: Size) -> bool:
    return len(parts) > MOST_PARTS or sum(w * h for _, _, w, h in parts) > MUCH * size_px[0] * size_px[1]


def _read_size(size_px: Size) -> Size:
    longer = max(size_px)
    side = min(longer, max(READ_SIDE_PX[0], min(READ_SIDE_PX[1], round(READ_SCALE * longer))))
    return max(1, round(size_px[0] * side / longer)), max(1, round(size_px[1] * side / longer))


def _read_s(size_px: Size) -> float:
    """Return what reading costs; the reader makes what is larger than it wants smaller."""
    scale = min(1.0, READ_SIDE_PX[1] / max(size_px))
    return READ_S + READ_S_PER_PX * size_px[0] * size_px[1] * scale**2
