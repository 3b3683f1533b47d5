"""Looks for a recording's planted pictures or letters wherever an output shows something that is not the recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from scrubin.base import pixels
from scrubin.evaluate.deid.key import Item, Key, RecordingKey
from scrubin.evaluate.deid.reading import Bgr, Luma, luma
from scrubin.evaluate.deid.undoing import (
    NEARBY,
    SAME_SHOT,
    Field,
    Planted,
    Sought,
    alike,
    different_shots,
    field,
    letters_nearby,
    shown_part,
)
from scrubin.media.frame_reader import FrameReader
from scrubin.media.networks.faces import faces
from scrubin.media.networks.misreadings import WordFinder
from scrubin.media.networks.reading import read
from scrubin.media.probe import probe

LOOKED_FOR_EVERY = 6
"""Of a span outside the body every so many frames are compared, and those that differ are looked for."""
SURE_FACE = 0.7
"""What the face detector is less sure of, in noise and mosaics, is nobody."""
FEWEST_LETTERS = 4


@dataclass(frozen=True)
class Find:
    """An item that something shows: its frame there, -1 where it has none, and how it is shown."""

    item: Item
    frame: int
    how: str


@dataclass(frozen=True)
class _Letters:
    item: Item
    frame: int
    picture: Luma


@dataclass(frozen=True)
class _Last:
    region: Field
    finds: tuple[Find, ...]


class Search:
    """What of one recording is looked for.

    Parameters
    ----------
    key, recording
        Where from.
    """

    def __init__(self, key: Key, recording: RecordingKey) -> None:
        planted, clean = (reader(key, name) for name in (recording.planted, recording.clean))
        pictures: list[Planted] = []
        beside: list[Planted] = []
        self._letters: list[_Letters] = []
        for item in key.items_of(recording.name):
            numbers = item.frame_numbers
            middle = numbers[len(numbers) // 2] if numbers else 0
            if item.kind == "outside":
                looked = sorted({*numbers[::LOOKED_FOR_EVERY], numbers[-1]})
                pictures += [Planted(item, number, own) for number, own in different_shots([(n, planted.picture(n)) for n in looked])]
            elif item.kind == "reflection":
                pictures.append(Planted(item, middle, cut(planted.picture(middle), item.box_at(middle))))
            elif item.kind == "text":
                both = [luma(cut(one.picture(middle), item.box_at(middle))) for one in (planted, clean)]
                self._letters.append(_Letters(item, middle, both[0] - both[1]))
            elif item.picture:
                picture = pixels.read_picture(key.folder / item.picture, inside=key.folder)
                beside.append(Planted(item, -1, np.asarray(picture, np.uint8)))
        planted.close()
        clean.close()
        # Apart: a camera of the room may show what is in a span outside the body as well.
        self._sought = Sought(pictures), Sought(beside)
        self._last: _Last | None = None

    def finds(self, region: Bgr, there: Sequence[Item]) -> tuple[Find, ...]:
        """Return what a part of a picture shows.

        Parameters
        ----------
        region
            A part of a picture, or a whole one, that does not show the recording.
        there
            The items that were planted at this time: what a recogniser sees is taken for one of them.
        """
        if shows_nothing(region):
            return ()
        own = field(region)
        if self._last is not None and alike(self._last.region, own) >= SAME_SHOT:
            return self._last.finds
        finds = tuple(self._new(region, own, there))
        self._last = _Last(own, finds)
        return finds

    def _new(self, region: Bgr, own: Field, there: Sequence[Item]) -> Iterable[Find]:
        part = shown_part(region)
        fields = [own, *([field(part)] if part.shape != region.shape else [])]
        matches = [match for sought in self._sought for match in (next(filter(None, map(sought.best, fields)), None),) if match]
        for match in matches:
            yield Find(match.item, match.frame, f"{match.orientation}, whatever its levels")
        bright = luma(region)
        for one in self._letters:
            if letters_nearby(bright, one.picture, max(3, one.picture.shape[0] // 2 | 1)) >= NEARBY:
                yield Find(one.item, one.frame, "at another place")
        rooms = [item for item in there if item.kind in ("outside", "reflection")]
        if not matches and rooms and a_face_is_seen(region):
            yield from (Find(item, -1, "a face is recognised") for item in rooms)


def reader(key: Key, name: str) -> FrameReader:
    """Return what reads single frames of a video of the key."""
    return FrameReader(key.folder / name, name, probe(key.folder / name, name))


def cut(bgr: Bgr, box: tuple[int, int, int, int] | None) -> Bgr:
    """Return the rectangle of a picture; None: the whole."""
    if box is None:
        return bgr
    x, y, w, h = box
    return bgr[max(y, 0) : y + h, max(x, 0) : x + w]


def shows_nothing(bgr: Bgr) -> bool:
    """Return whether a picture has one level in each plane, give or take one."""
    return min(bgr.shape[:2]) < 8 or all(int(bgr[..., plane].max()) - int(bgr[..., plane].min()) <= 2 for plane in range(3))


def stretched(bgr: Bgr) -> Bgr:
    """Return a picture with its levels stretched to 0 to 255."""
    low, high = (float(np.percentile(bgr, share)) for share in (1, 99))
    return np.asarray(np.clip((bgr.astype(np.float32) - low) * (255 / max(high - low, 1.0)), 0, 255), np.uint8)


def a_face_is_seen(bgr: Bgr) -> bool:
    """Return whether the face detector is sure of a face, in the stretched picture, its negative, or either upside down."""
    plain = stretched(bgr)
    return any(
        face.confidence >= SURE_FACE
        for one in (plain, 255 - plain)
        for turned in (one, np.ascontiguousarray(one[::-1, ::-1]))
        for face in faces(np.asarray(turned, np.uint8))
    )


def is_read(bgr: Bgr, text: str) -> bool:
    """Return whether the reader of text reads a word of a text in the stretched picture or its mirror image."""
    words = [word for word in text.replace(",", " ").split() if len(word) >= FEWEST_LETTERS]
    finder = WordFinder(words)
    plain = stretched(bgr)
    large = np.asarray(cv2.resize(plain, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
    return any(finder.hits(line.text) for one in (large, np.ascontiguousarray(large[:, ::-1])) for line in read(one))
