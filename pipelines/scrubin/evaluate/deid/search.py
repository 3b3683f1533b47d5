"""Looks for a recording's planted pictures or letters wherever an output shows something that is not the recording.

*In its place*: the pixels of a rectangle, in each of their planes and in eight orientations, against what was planted there
(`best_likeness`). *Nearby*: letters are looked for at other sizes and places (`letters_nearby`). *Anywhere*: a picture is made a
field of the directions of its edges, doubled, so that a negative has the same field as the picture, and put over the fields of all
planted pictures, at every shift (`Sought`). None of them depends on levels. Source of the last: Haber and Modersitzki 2006,
"Intensity gradient based registration and fusion of multi-modal images", MICCAI, section 2: two pictures show the same thing where
their gradients are parallel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from scipy import fft

from scrubin.base import pixels
from scrubin.base.pixels import Box
from scrubin.evaluate.deid.key import Item, Key, RecordingKey
from scrubin.evaluate.deid.reading import Bgr, Luma, detail, luma
from scrubin.media.frame_reader import FrameReader
from scrubin.media.networks.faces import faces
from scrubin.media.networks.misreadings import WordFinder
from scrubin.media.networks.reading import read
from scrubin.media.probe import probe

FIELD = (64, 36)
Field = npt.NDArray[np.complex64]
"""Doubled directions of edges, shape (36, 64), of length 1; of length 0 when a picture shows nothing."""
FLAT = 0.05
"""Mean gradient of the small picture, in levels a pixel, below which it shows nothing: black has 0, also after encoding."""
ZOOMS = (1.0, 1.15, 1.3, 1.5)
"""A planted picture may have been enlarged so much; one that was made smaller is cut out of what surrounds it."""
ANYWHERE = 0.4
"""A picture shows a planted one from this likeness of their fields on."""
NEARBY = 0.7
"""Letters stand in another place from this correlation on."""
LEAST_LETTERS = 4.0
"""Standard deviation of detail, in levels, below which a place holds no letters."""
SMALLEST_LETTERS_PX = 10
"""Lower rectangles of letters are like anything by chance."""
SCALES = (0.6, 0.8, 1.0, 1.25)
SURROUNDING = 0.1
"""What differs from the border of a picture by less than this share of its range surrounds what is shown."""
SAME_SHOT = 0.9
OTHER_SHOT = 0.6
LEAST_RANGE = 0.5
"""Standard deviation of a plane of a rectangle, in levels, below which it shows nothing."""
TURNED = ("upright", "turned by 90°", "turned by 180°", "turned by 270°")
ORIENTATIONS = (*TURNED, "mirrored", *(f"mirrored and {name}" for name in TURNED[1:]))
PAIRS = ((0, 0), (1, 0), (2, 0), (1, 1), (2, 2))
"""Planes of released and planted pictures, of brightness and two of colour, that are compared."""


def oriented(picture: npt.NDArray[np.uint8] | Luma, orientation: int) -> npt.NDArray[np.float32]:
    """Return a picture in one of the eight orientations: 0 to 3 quarter turns, then the same of its mirror image."""
    return np.ascontiguousarray(np.rot90(picture if orientation < 4 else picture[:, ::-1], orientation % 4), np.float32)


def field(bgr: npt.NDArray[np.uint8] | npt.NDArray[np.float32], *, colour_alone: bool = False) -> Field:
    """Return the field of a picture, of all its planes together; so a picture that has one of them alone is found as well."""
    small = cv2.resize(bgr.astype(np.float32), FIELD, interpolation=cv2.INTER_AREA)
    planes = cv2.split(cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb))
    total = np.zeros(FIELD[::-1], np.complex64)
    for plane in planes[1:] if colour_alone else planes:
        x, y = (cv2.Sobel(plane, cv2.CV_32F, *order, ksize=3, scale=0.125) for order in ((1, 0), (0, 1)))
        total += (x + 1j * y) ** 2
    total[[0, -1]], total[:, [0, -1]] = 0, 0
    strength = np.sqrt(np.abs(total))
    usual = float(strength.mean())
    if usual < FLAT:
        return np.zeros_like(total)
    # An edge counts as an edge, however strong: half the usual gradient is already one.
    directions = total / (strength * strength + (usual / 2) ** 2)
    centred = directions - directions.mean()
    return np.asarray(centred / np.sqrt((np.abs(centred) ** 2).sum()), np.complex64)


def alike(a: Field, b: Field) -> float:
    """Return the likeness of two fields where they stand."""
    return float(np.real(np.vdot(a, b)))


def shown_part(bgr: Bgr) -> Bgr:
    """Return the part of a picture that is not like its border: what a smaller picture is shown on does not count."""
    grey = bgr.astype(np.float32).sum(axis=2)
    border = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    different = np.abs(grey - np.median(border)) > SURROUNDING * max(float(grey.max() - grey.min()), 1.0)
    rows, columns = (np.flatnonzero(different.mean(axis=axis) > 0.02) for axis in (1, 0))
    if len(rows) < FIELD[1] // 2 or len(columns) < FIELD[1] // 2:
        return bgr
    return bgr[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@dataclass(frozen=True)
class Planted:
    """A planted picture as it is looked for, and its frame; -1: it is no frame of a recording."""

    item: Item
    frame: int
    picture: Bgr


@dataclass(frozen=True)
class Match:
    """Which planted picture a picture shows, and how."""

    item: Item
    frame: int
    likeness: float
    orientation: str


class Sought:
    """Planted pictures in all orientations and several sizes, to be found in any picture.

    Parameters
    ----------
    planted
        What is looked for; pictures that show nothing are left out.
    """

    def __init__(self, planted: Iterable[Planted]) -> None:
        self._keys: list[tuple[Item, int, int]] = []
        spectra = []
        for one in planted:
            for zoom, colour_alone in (*((zoom, False) for zoom in ZOOMS), (1.0, True)):
                middle = _middle(one.picture, zoom)
                for orientation in range(len(ORIENTATIONS)):
                    own = field(oriented(middle, orientation), colour_alone=colour_alone)
                    if own.any():
                        self._keys.append((one.item, one.frame, orientation))
                        spectra.append(np.conj(fft.fft2(own)))
        self._spectra = np.stack(spectra) if spectra else np.zeros((0, *FIELD[::-1]), np.complex64)

    def best(self, seen: Field) -> Match | None:
        """Return the planted picture that a field is most like at any shift; None when it is like none."""
        if not self._keys or not seen.any():
            return None
        spectrum = fft.fft2(seen)
        likenesses = np.concatenate(
            [
                np.real(fft.ifft2(spectrum * self._spectra[start : start + BLOCK])).reshape(-1, FIELD[0] * FIELD[1]).max(axis=1)
                for start in range(0, len(self._keys), BLOCK)
            ]
        )
        place = int(likenesses.argmax())
        if likenesses[place] < ANYWHERE:
            return None
        item, frame, orientation = self._keys[place]
        return Match(item, frame, float(likenesses[place]), ORIENTATIONS[orientation])


BLOCK = 64


def _middle(bgr: Bgr, zoom: float) -> Bgr:
    height, width = bgr.shape[:2]
    top, left = round(height * (1 - 1 / zoom) / 2), round(width * (1 - 1 / zoom) / 2)
    return bgr[top : height - top, left : width - left]


def different_shots(pictures: Sequence[tuple[int, Bgr]]) -> list[tuple[int, Bgr]]:
    """Return frames that differ from the one before them that was taken; the first one always."""
    taken: list[tuple[int, Bgr]] = []
    last = np.zeros(FIELD[::-1], np.complex64)
    for number, picture in pictures:
        own = field(picture)
        if not taken or alike(last, own) < OTHER_SHOT:
            taken.append((number, picture))
            last = own
    return taken


def best_likeness(released: Bgr, planted: Bgr, below: Bgr | None, side_px: int, coarse_px: float) -> tuple[float, float, str]:
    """Return how alike a released rectangle is to a planted one, at its best over planes and orientations.

    Parameters
    ----------
    released, planted, below
        The rectangle of the output, as planted, and without what was planted; None: nothing is known to be below.
    side_px
        Detail is what a mean over squares of so many pixels leaves out.
    coarse_px
        Standard deviation of the blur behind which the range of levels is measured, so that blur does not change it.

    Returns
    -------
    likeness, share, orientation
        The absolute partial correlation, the share of planted detail that is shown after contrast is stretched to that of the
        source, and the name of the orientation.
    """
    of_released, of_planted = _planes(released), _planes(planted)
    of_below = [np.zeros_like(one) for one in of_planted] if below is None else _planes(below)
    best = (0.0, 0.0, ORIENTATIONS[0])
    shows = [float(plane.std()) >= LEAST_RANGE for plane in of_released]
    for mine, theirs in PAIRS:
        under = detail(of_below[theirs], side_px)
        wanted = detail(of_planted[theirs] - of_below[theirs], side_px)
        cc, pc = float((under * under).sum()) + 1e-6, float((wanted * under).sum())
        pp = float((wanted * wanted).sum()) - pc * pc / cc
        coarse = float(cv2.GaussianBlur(of_planted[theirs], (0, 0), coarse_px).std())
        if not shows[mine] or coarse == 0 or pp < LEAST_DETAIL**2 * wanted.size:
            continue
        gain = min(1.0, float(cv2.GaussianBlur(of_released[mine], (0, 0), coarse_px).std()) / coarse)
        for orientation, name in enumerate(ORIENTATIONS):
            turned = oriented(of_released[mine], orientation)
            if turned.shape != wanted.shape:
                turned = np.asarray(cv2.resize(turned, wanted.shape[::-1], interpolation=cv2.INTER_AREA), np.float32)
            seen = detail(turned, side_px)
            rc = float((seen * under).sum())
            rr, rp = float((seen * seen).sum()) - rc * rc / cc, float((seen * wanted).sum()) - rc * pc / cc
            likeness = abs(rp) / float(np.sqrt(max(rr, 1e-6) * pp))
            if likeness > best[0]:
                best = likeness, abs(rp) / pp / max(gain, 1e-6), name
    return best


LEAST_DETAIL = 2.0
"""Standard deviation of planted detail, in levels, below which a plane has nothing to show."""


def _planes(bgr: Bgr) -> list[Luma]:
    return [np.asarray(plane, np.float32) for plane in cv2.split(cv2.cvtColor(bgr.astype(np.float32), cv2.COLOR_BGR2YCrCb))]


def letters_nearby(released: Luma, letters: Luma, side_px: int) -> float:
    """Return the best correlation of letters with any place of a picture, at several sizes, turned and mirrored, light or dark.

    Parameters
    ----------
    released
        Brightness of the part of a picture in which they are looked for.
    letters
        Brightness of what was planted, without the picture below.
    side_px
        As of `best_likeness`.
    """
    best = 0.0
    image = detail(released, side_px)
    for scale in SCALES:
        size = round(letters.shape[1] * scale), round(letters.shape[0] * scale)
        if min(size) < SMALLEST_LETTERS_PX:
            continue
        sized = np.asarray(cv2.resize(letters, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR), np.float32)
        for orientation in range(len(ORIENTATIONS)):
            turned = oriented(detail(sized, side_px), orientation)
            if turned.shape[0] > image.shape[0] or turned.shape[1] > image.shape[1]:
                continue
            found = cv2.matchTemplate(image, turned, cv2.TM_CCOEFF_NORMED)
            # Where there is next to nothing, the correlation is that of rounding.
            height, width = turned.shape
            energy = cv2.boxFilter(image * image, -1, (width, height), anchor=(0, 0))[: found.shape[0], : found.shape[1]]
            best = max(best, float(np.abs(found[np.isfinite(found) & (energy >= LEAST_LETTERS**2)]).max(initial=0.0)))
    return best


def changed_part(released: Luma, planted: Luma, boxes: Iterable[Box], size: tuple[int, int]) -> Box | None:
    """Return the rectangle, in pixels of the source, of the largest part of a picture that is not the source's; None: there is none.

    Parameters
    ----------
    released, planted
        Small pictures of one shape.
    boxes
        What was planted, which counts as hidden and is judged by itself.
    size
        Width and height of the source in px.
    """
    height, width = planted.shape
    free = np.ones(planted.shape, np.uint8)
    for x, y, w, h in boxes:
        rows = slice(max(0, y * height // size[1] - 2), (y + h) * height // size[1] + 3)
        free[rows, max(0, x * width // size[0] - 2) : (x + w) * width // size[0] + 3] = 0
    inside = free.astype(bool)
    if not inside.any():
        return None
    difference = np.abs(released - planted)
    different = ((cv2.blur(difference, (3, 3)) > CHANGED_LEVELS) & inside).astype(np.uint8)
    if int(different.sum()) < CHANGED_PX:
        return None
    joined = cv2.morphologyEx(different, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined)
    x, y, w, h = max((row[:4].tolist() for row in stats[1:]), key=lambda box: (box[2] * box[3], box), default=[0, 0, 0, 0])
    left, top = x * size[0] // width, y * size[1] // height
    right, bottom = (x + w) * size[0] // width, (y + h) * size[1] // height
    return (left, top, right - left, bottom - top) if w * h >= CHANGED_PX else None


CHANGED_LEVELS, CHANGED_PX = 14, 60

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
