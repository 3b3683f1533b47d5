"""Values of label files, checked for their type; a fault is noted under its file, place, frame."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from scrubin.base.faults import Fault, Faults, warning
from scrubin.base.vocabulary.vocabulary import PARTS, Naming, Vocabulary
from scrubin.labels import boxes
from scrubin.labels.parse import documents


@dataclass(frozen=True)
class Where:
    """A file, a place in it or a frame.

    Parameters
    ----------
    faults
        What is wrong so far; what is noted here is added.
    file, place, frames
        As of ``Fault``.
    """

    faults: Faults
    file: str
    place: str = ""
    frames: tuple[int, ...] = ()

    def at(self, place: str) -> Where:
        """Return a place of this file, or of this frame."""
        return replace(self, place=place)

    def at_frame(self, frame: int, place: str = "") -> Where:
        """Return a frame of this file, and a place in it."""
        return replace(self, frames=(frame,), place=place)

    def error(self, rule: str, what: str, fix: str) -> None:
        """Note what cannot be used here."""
        self.faults.error(self.file, rule, what, fix, place=self.place, frames=self.frames)

    def deviation(self, rule: str, what: str, fix: str) -> None:
        """Note what is not as the format says here, but clear."""
        self.faults.deviation(self.file, rule, what, fix, place=self.place, frames=self.frames)

    def warning(self, rule: str, what: str, fix: str = "") -> None:
        """Note what is possible here, but looks wrong or is not kept."""
        self.faults.warning(self.file, rule, what, fix, place=self.place, frames=self.frames)

    def id_of(self, vocabulary: Vocabulary, naming: Naming, name: str, otherwise: str = "") -> int | None:
        """Return the id of a name in any known spelling; None after noting a name that the vocabulary does not have.

        Parameters
        ----------
        otherwise
            What can be done when the name is meant as it stands, such as naming another vocabulary.
        """
        id_ = vocabulary.find(naming, name)
        if id_ is None:
            unknown = vocabulary.unknown(naming, name)
            self.error(unknown.rule, unknown.what, f"{unknown.fix} (or {otherwise})" if otherwise else unknown.fix)
        return id_

    def triplet_of(self, vocabulary: Vocabulary, name: str, otherwise: str = "") -> int | None:
        """Return the id of ``instrument,verb,target``; None after noting what is unknown."""
        triplet = vocabulary.find_triplet(name)
        if triplet is None:
            unknown = vocabulary.unknown_triplet(name)
            self.error(unknown.rule, unknown.what, f"{unknown.fix} (or {otherwise})" if otherwise else unknown.fix)
        return triplet

    def ids_of_names(self, vocabulary: Vocabulary, names: Sequence[str], otherwise: str = "") -> dict[str, int] | None:
        """Return the columns of an instance by the name of its instrument, or by those of instrument, verb and target.

        None after noting what the vocabulary does not have; ``otherwise`` is as of `id_of`.
        """
        ids = [self.id_of(vocabulary, part, name, otherwise) for part, name in zip(PARTS, names, strict=False)]
        known = [id_ for id_ in ids if id_ is not None]
        return self.instance_ids(vocabulary, names, known) if len(known) == len(names) else None

    def instance_ids(self, vocabulary: Vocabulary, names: Sequence[str], ids: Sequence[int]) -> dict[str, int] | None:
        """Return the columns of an instance; None after noting three names that are no triplet.

        Parameters
        ----------
        names, ids
            Of the instrument alone, or of instrument, verb and target.
        """
        if len(ids) == 1:
            return {"instrument_id": ids[0]}
        instrument, verb, target = ids
        triplet = vocabulary.triplet_id(instrument, verb, target)
        if triplet is None:
            self.error("triplet-unknown", f"'{','.join(names)}' is no triplet of '{vocabulary.name}'", "correct one of the three")
            return None
        return {"instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": triplet}


LARGEST = 10**documents.LONGEST_DIGITS
FASTEST_FPS = 1000
BROADCAST = (
    *(Fraction(24_000, 1001), Fraction(24), Fraction(25), Fraction(30_000, 1001), Fraction(30)),
    *(Fraction(50), Fraction(60_000, 1001), Fraction(60)),
)
"""Frames per second that films have."""
AS_ROUNDED = 2e-6
"""By this share 29.97, 23.976 and 59.94 may be beside the rates of NTSC."""
BESIDE = 2.0
"""By so many frames a whole count may be beside: its last one may be a part, and one more be counted."""
NARROW = 1.001
"""So little from end to end, a range of rates that are not usual is one rate."""
MS_DIGITS, EXACT_DIGITS = 3, 9
"""Decimals of a time in seconds that has whole milliseconds, and of one that was not rounded."""
RateRanges = tuple[tuple[float, float], ...]
FROM_ZERO = "ids are numbered from 0; these look numbered from 1"
OF_NO_RECORDING = (
    *("labels", "masks", "segmentation", "images", "img_dir", "frames", "left_frames", "right_frames", "rgb", "frame", "image", "img"),
    "mask",
)
"""Names of folders or beginnings of names that are those of no recording."""
OF_FRAMES = (*OF_NO_RECORDING, "imgs", "picture", "pictures", "pic", "photo", "snapshot", "still")
"""First words of names that say of a frame that it is one, and not of which recording."""
OF_SUBSETS = ("train", "training", "val", "valid", "validation", "test", "testing")
OF_NO_FOLDER = (*OF_FRAMES, "annotations", *OF_SUBSETS, *(f"obj_{subset}_data" for subset in OF_SUBSETS))
"""Names of folders that, above such a frame, are those of no recording either; the last ones are darknet's, as CVAT writes them."""
OF_ROBOFLOW = r"(?:_(?:jpe?g|png)\.rf\.[0-9A-Za-z]+)?"
"""What Roboflow puts behind the name of a picture."""
FRAME_OF_NAME = re.compile(rf"(?:.*/)?(?P<recording>[^/]+?)[_/](?P<frame>[0-9]{{1,15}}){OF_ROBOFLOW}(?:\.[A-Za-z0-9]+)?")
NAME_FOLDER = "put the labels of each video into a folder that is called like it"


def is_whole(value: Any) -> bool:
    """Return whether a JSON value is a whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def whole_of(value: Any) -> Any:
    """Return a JSON number that is whole as such, though it was written as 17.0; anything else as it is.

    >>> whole_of(17.0), whole_of(17.5), whole_of("17")
    (17, 17.5, '17')
    """
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a finite number; true and false are not."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 10**documents.LONGEST_INTEGER
    return isinstance(value, float) and math.isfinite(value)


def rate(value: Any) -> Fraction | None:
    """Return the frames per second that a file states; None where it states none. Rates of NTSC are exact, however they are rounded.

    >>> rate(29.97), rate(25.0), rate(0)
    (Fraction(30000, 1001), Fraction(25, 1), None)
    """
    if not is_number(value) or not 0 < value <= FASTEST_FPS:
        return None
    stated = Fraction(str(value))
    ntsc = Fraction(round(stated * 1001 / 1000) * 1000, 1001)
    return ntsc if stated.denominator > 1 and abs(stated - ntsc) < Fraction(1, 100) else stated


def rate_of_times(tracks: Sequence[Sequence[tuple[int, float]]], counts: Iterable[tuple[int, float]]) -> tuple[Fraction | None, RateRanges]:
    """Return at how many frames per second a program counted, by the times that it wrote beside its frames, and by its whole counts.

    A rate fits that has all of them within a millisecond. Of several those count that have each within its last decimal, the usual ones
    before whole ones and those of NTSC, and these before others; of these the one nearest to the count.

    Parameters
    ----------
    tracks
        By track: frames from 1, and their times above 0 in seconds: number / rate, or, with frame 1 at 0 s, (number - 1) / rate.
    counts
        How many frames were counted in a length in seconds, both above 0. The last one may be a part.

    Returns
    -------
    rate
        None where nothing is stated, nothing fits, or several rates fit and no count tells them apart.
    ranges
        From which to which rate all fits; none where nothing does.

    >>> rate_of_times([[(48, 2.0)]], [(96, 4.0)])[0], rate_of_times([[(51, 2.0)]], [(51, 2.04)])[0], rate_of_times([], [(97, 4.01)])[0]
    (Fraction(24, 1), Fraction(25, 1), Fraction(24, 1))
    >>> rate_of_times([[(3, 0.1)]], [])[0], rate_of_times([[(3, 0.1)]], [(17_982, 600.0)])[0]
    (None, Fraction(30000, 1001))
    """
    lengths = sorted(set(counts), key=lambda one: one[1])
    timed = [track for track in tracks if track]
    # First as counts that are whole but for the last frames, then as others, which a video may have that is longer than it says.
    for share in (0.0, 1 / 50) if timed or lengths else ():
        beside = [max(BESIDE, count * share) for count, _ in lengths]
        edges = [((count - by) / length_s, (count + by) / length_s) for (count, length_s), by in zip(lengths, beside, strict=True)]
        fitting = {digits: _fitting(edges, timed, digits) for digits in (EXACT_DIGITS, MS_DIGITS)}
        if ranges := fitting[MS_DIGITS]:
            told = fitting[EXACT_DIGITS] or ranges
            return _usual(told, lengths[-1][0] / lengths[-1][1] if lengths else None), ranges
    return None, ()


def _fitting(edges: Sequence[tuple[float, float]], tracks: Sequence[Sequence[tuple[int, float]]], digits: int) -> RateRanges:
    """Return the rates in all edges that have each time within its last decimal, of so many at most; tracks may begin at 0 s or not."""
    ranges: RateRanges = (_common(edges),)
    for track in tracks:
        of_track = [_common([_rates_at(number - first, at_s, digits) for number, at_s in track]) for first in (0, 1)]
        ranges = _joined(_common((one, other)) for one in ranges for other in of_track)
    return _joined(ranges)


def _joined(ranges: Iterable[tuple[float, float]]) -> RateRanges:
    """Return ranges that hold any rate, joined where they overlap."""
    joined: list[tuple[float, float]] = []
    for low, high in sorted(one for one in ranges if one[0] <= one[1] > 0):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return tuple(joined)


def _rates_at(number: int, at_s: float, digits: int) -> tuple[float, float]:
    """Return from which to which rate so many frames take a time; 29.97 is NTSC's, too, so that their unlikeness counts as rounding."""
    own = next((one for one in range(MS_DIGITS, digits) if round(at_s, one) == at_s), digits)
    beside = 10.0**-own + AS_ROUNDED * at_s
    return number / (at_s + beside), number / (at_s - beside) if at_s > beside else FASTEST_FPS


def _common(ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return max((low for low, _ in ranges), default=0.0), min((*(high for _, high in ranges), float(FASTEST_FPS)))


def _usual(ranges: RateRanges, counted: float | None) -> Fraction | None:
    """Return which rate of ranges is meant; None where that could be several."""
    wholes = {Fraction(one) for low, high in ranges for one in range(max(math.ceil(low), 1), math.floor(high) + 2)}
    found = [one for one in BROADCAST if _is_in(one, ranges)]
    is_narrow = found or (len(ranges) == 1 and ranges[0][1] <= ranges[0][0] * NARROW)
    found = found or [one for whole in sorted(wholes) for one in (whole, whole * Fraction(1000, 1001)) if _is_in(one, ranges)]
    if counted is not None and found:
        return min(found, key=lambda one: abs(one - counted))
    if len(found) > 1 or (counted is None and not is_narrow):
        return None
    exact = counted if counted is not None and _is_in(counted, ranges) else (ranges[0][0] + ranges[0][1]) / 2
    shorter = (Fraction(str(round(exact, digits))) for digits in range(2, 10))
    return found[0] if found else next((one for one in shorter if one and _is_in(one, ranges)), None)


def _is_in(rate_fps: Fraction | float, ranges: RateRanges) -> bool:
    return any(low <= rate_fps <= high for low, high in ranges)


def id_of(of: Mapping[str, Any], key: str) -> int:
    """Return a whole number, -1 for anything else: ids are looked up, and -1 is none."""
    value = of.get(key)
    return value if isinstance(value, int) and is_whole(value) else -1


def list_of_objects(where: Where, document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list; everything else is noted."""
    values = document.get(key)
    if not isinstance(values, list):
        where.at(key).error("value-type", f"expected a list, but got {documents.shown(values)}", "write [] for none")
        return []
    objects = []
    for i, value in enumerate(values):
        if isinstance(value, Mapping):
            objects.append(value)
        else:
            where.at(f"{key} {i}").error("value-type", f"expected an object, but got {documents.shown(value)}", "export the file again")
    return objects


def whole(where: Where, of: Mapping[str, Any], key: str, *, low: int = 0, high: int | None = None) -> int | None:
    """Return a whole number in ``low..high``."""
    value = whole_of(of.get(key))
    expected = f"a whole number from {low}" if high is None else f"a whole number in {low}..{high}"
    if not is_whole(value) or abs(value or 0) > LARGEST:
        where.error("value-type", f"'{key}' is {documents.shown(value)}, expected {expected}", "export the file again")
        return None
    number = int(value)
    if number < low or (high is not None and number > high):
        rule, fix = ("id-from-one", FROM_ZERO) if high is not None and number == high + 1 else ("id-range", "correct it")
        where.error(rule, f"'{key}' is {number}, expected {expected}", fix)
        return None
    return number


def pixel_box(where: Where, of: Mapping[str, Any], size: tuple[int, int], tolerance: float) -> boxes.XYWH | None:
    """Return the ``bbox`` of top-left corner and size in px as shares of the image.

    Two corners that happen to be a box, too, are known by ``area``, where it is theirs.

    Parameters
    ----------
    size
        Width and height of the image in px.
    tolerance
        A box may leave the image by this share of its side.
    """
    value = of.get("bbox")
    if not isinstance(value, list) or len(value) != 4 or not all(is_number(side) for side in value):
        where.error("box-form", f"'bbox' is {documents.shown(value)}", "give x, y, width and height in px")
        return None
    width, height = size
    x, y, w, h = (float(side) for side in value)
    if max(value) <= 1 and min(width, height) > boxes.SMALLEST_IMAGE:
        what = f"'bbox' {value} of an image of {width}x{height} is less than a pixel"
        where.error("box-form", what, "it looks like shares of the image; multiply by its size")
        return None
    if _is_area_of_corners(of.get("area"), (x, y, w, h)):
        what = f"'bbox' {value} has the area {of['area']} as two corners only"
        where.error("box-form", what, "give the width and height instead of the second")
        return None
    shares = (x / width, y / height, w / width, h / height)
    if boxes.check(shares, tolerance) is None:
        return shares
    rule, fix = "box-outside", "draw it inside the image"
    if w <= 0 or h <= 0:
        rule, fix = "box-form", "give a width and a height above 0, or remove the box"
    elif w > x >= 0 and h > y >= 0 and w <= width * (1 + tolerance) and h <= height * (1 + tolerance):
        rule, fix = "box-form", "it looks like two corners; give the width and height instead of the second corner"
    where.error(rule, f"'bbox' {value} is no box inside the image of {width}x{height}", fix)
    return None


def share_box(where: Where, value: Any, tolerance: float) -> boxes.XYWH | None:
    """Return a box of top-left corner and size as shares of the image."""
    if not isinstance(value, (list, tuple)) or len(value) != 4 or not all(is_number(side) for side in value):
        where.error("box-form", f"the box is {documents.shown(value)}", "give x, y, width and height in 0..1")
        return None
    x, y, w, h = (float(side) for side in value)
    wrong = boxes.check((x, y, w, h), tolerance)
    if wrong is not None:
        where.error(wrong.rule, wrong.what, wrong.fix)
        return None
    return x, y, w, h


AS_WRITTEN = ("instrument-of-triplet", "detection-instrument-of-triplet")
"""Rules of the deviations that an instance has other parts than its triplet, and both count as they are written."""


def parts_fault(triplets: Sequence[tuple[int, int, int]], before: int | None, parts: Sequence[int | None]) -> tuple[str, str]:
    """Return rule and fix of a triplet that does not have its parts: often all ids are numbered from 1.

    Parameters
    ----------
    before
        The triplet with the id before, None when there is none.
    parts
        Instrument, verb and target as the file has them, None for undefined.
    """
    if before is None or not 0 <= before < len(triplets):
        return "triplet-parts", "correct one of them"
    wanted = triplets[before]
    shifted = any(all(got is None or got - by == want for got, want in zip(parts, wanted, strict=True)) for by in (0, 1))
    return ("id-from-one", FROM_ZERO) if shifted else ("triplet-parts", "correct one of them")


def note_other_parts(where: Where, vocabulary: Vocabulary, named: tuple[str, int], what: str, parts: Sequence[int | None]) -> None:
    """Note that a triplet does not have its parts.

    Parameters
    ----------
    named
        The key that holds the triplet, with its id.
    what
        Whatever has the other parts, for the message.
    parts
        As of `parts_fault`.
    """
    key, triplet = named
    rule, fix = parts_fault(vocabulary.triplets, triplet - 1, parts)
    of = f"{key} {triplet} is {vocabulary.triplet_name(triplet)}, ids {vocabulary.triplets[triplet]}"
    where.error(rule, f"{of}, but {what} has {tuple(parts)}", fix)


def unkept(file: str, names: Iterable[str]) -> tuple[Fault, ...]:
    """Return the warning of keys or columns that are not kept, none when all are.

    >>> [fault.sentence for fault in unkept("a.json", ["track_id", "segmentation"])]
    ['a.json: not kept: segmentation, track_id']
    """
    listed = sorted(set(map(str, names)))
    return (warning(file, "not-kept", f"not kept: {', '.join(listed)}"),) if listed else ()


def keys_beyond(document: Mapping[str, Any], known: Collection[str], of_lists: Mapping[str, Collection[str]]) -> set[str]:
    """Return the keys of a file, and of the objects in its lists, that are not known, each with where it stands."""
    names = {f"'{key}' of the file" for key in document.keys() - set(known)}
    for key, known_of_list in of_lists.items():
        listed = document.get(key)
        for one in listed if isinstance(listed, list) else []:
            names |= {f"'{name}' of {key}" for name in one.keys() - set(known_of_list)} if isinstance(one, Mapping) else set()
    return names


def recording_and_frame(name: str, root: str = "", folder: str = "") -> tuple[str, int] | None:
    """Return what an image's name says: ``video_000012.jpg`` or ``video/000012.jpg``; None when it says nothing.

    In ``video/frame_000012.jpg`` and ``video/images/000012.jpg`` the folder names the recording; without one, the word does.

    Parameters
    ----------
    root
        The folder that was named, in which the file lies: it names no recording, nor do those above it.
    folder
        That of the file in which the name stands, and below which the picture is taken to lie; "" for the name of a file.

    >>> recording_and_frame("train/pwhv1_000012.jpg"), recording_and_frame("video/frame_000012.jpg"), recording_and_frame("frame_12.jpg")
    (('pwhv1', 12), ('video', 12), ('frame', 12))
    """
    match = FRAME_OF_NAME.fullmatch(name)
    if match is None:
        return None
    recording = match["recording"]
    if names_no_recording(recording):
        path = (f"{folder}/" if folder else "") + name[: match.start("recording")]
        above = path.removeprefix(f"{root}/" if root else "").split("/")
        recording = next((folder for folder in reversed(above) if folder not in ("", ".", "..") and not _is_no_folder(folder)), recording)
    return recording, int(match["frame"])


def names_no_recording(word: str) -> bool:
    """Return whether a first word says only that a name is one of a frame."""
    return word.casefold() in OF_FRAMES


def fix_of_two(recording: str) -> str:
    """Return what to do about two labels of one frame: they may be of two videos where the recording is a word of no recording."""
    return NAME_FOLDER if names_no_recording(recording) else "keep one of them"


def _is_no_folder(name: str) -> bool:
    return name.casefold() in OF_NO_FOLDER


def _is_area_of_corners(area: Any, box_xywh: boxes.XYWH) -> bool:
    x, y, w, h = box_xywh
    of_corners = (w - x) * (h - y) if w > x and h > y else -1.0
    stated = float(area) if is_number(area) else math.nan
    return math.isclose(stated, of_corners, rel_tol=1e-4) and not math.isclose(w * h, of_corners, rel_tol=0.01)
