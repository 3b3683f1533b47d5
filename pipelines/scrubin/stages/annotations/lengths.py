"""Whether labels have the length of their video, with what explains it if not: labels of another cut belong nowhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from scrubin.base.faults import Faults, count_text
from scrubin.labels.model import BOX, IGNORED, MASK, SOURCE_FRAMES, Clock, IntArray, Labels, Layer
from scrubin.labels.points import POINTS
from scrubin.labels.rates import NS, first_of
from scrubin.media.probe import SQUARE_PIXEL

RATES = tuple(Fraction(*pair) for pair in ((1, 1), (24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (50, 1), (60, 1), (1000, 1)))
NS_DIGITS = len(str(NS)) - 1
FITS = 0.02  # of the length: frames of a second more or less are no other rate


def explained(first_s: float, end_s: float, source_s: float, tolerance_s: float, rate: float, source_fps: float) -> str:
    """Return what to do about labels that are longer or shorter than their video, with the likely offset.

    "Likely" is only said with its reason: the labels fit at another rate, or begin as late as they end too late.
    Otherwise both ends of the video may be missing, and nothing in the numbers says which.

    Parameters
    ----------
    first_s, end_s
        Start of the first label and end of the last one.
    source_s
        Length of the video.
    tolerance_s
        Differences up to this do not matter.
    rate
        Labels per second, as they are read.
    source_fps
        Frames per second of the video.
    """
    other = _other_rate(rate * end_s / source_s, source_fps)
    if other:
        way = "convert what they were made of with the right --fps, or name it as the source itself where it has times, such as elan"
        return f"{other}; number them by the rule of the format: {way}"
    longer_s = _difference_s(end_s, source_s)
    if longer_s < 0:
        cut = "the labels are of a copy that lacks"
        return f"if {cut} its beginning, the offset is {-longer_s:g} s: add it to the labels; if {cut} its end, it is 0 s: label the rest"
    if abs(first_s - longer_s) <= tolerance_s:
        run = f"they begin at {first_s:g} s and run about as long as the video"
        return f"{run}, so the likely offset is {longer_s:g} s: take it off the labels, or bring the whole video"
    if first_s > longer_s:
        fits = f"they begin at {first_s:g} s, so any offset from {longer_s:g} to {first_s:g} s makes them fit"
        return f"{fits}, the likely one is how much of its beginning the video lacks: take it off the labels, or bring the whole video"
    no_fit = f"they begin at {first_s:g} s, so no offset makes all of them fit"
    ends = f"if the video lacks its beginning, the offset is {longer_s:g} s; if it lacks its end, it is 0 s"
    return f"{no_fit}; {ends}: bring the whole video, or mend the labels"


def _difference_s(one_s: float, other_s: float) -> float:
    """Return how much later one is, to the nanosecond: no clock of labels is finer, and less is a residue of floating point."""
    return round(one_s - other_s, NS_DIGITS)


def _other_rate(likely_fps: float, source_fps: float) -> str:
    """Return at which other rate the labels are as long as the video; "" for none."""
    if abs(likely_fps - source_fps) <= FITS * source_fps:
        return f"they are as long as the video at its own {source_fps:g} frames per second: likely they are numbered by its frames"
    nearest = min(RATES, key=lambda rate: abs(float(rate) - likely_fps))
    if abs(float(nearest) - likely_fps) > FITS * nearest:
        return ""
    if nearest == 1000:
        return "they are as long as the video in milliseconds: likely they are counted in milliseconds"
    return f"they are as long as the video at {float(nearest):g} per second: likely they are numbered at this rate"


ASPECT_TOLERANCE = 0.01
SHOWN_TOLERANCE = 0.025
"""Tools take pixels of television to be of 704 or of 720 columns: 768x576 and 785x576 are both what they show of 720x576.

A film that is so nearly square has the same shape when it is turned, or when it is stretched to a square for a network."""
OF_SHARES = frozenset({"cholectrack20"})
"""Formats whose files give boxes as shares: the size that they state beside is used for nothing."""
HALF_FRAME = Fraction(1, 2)  # less is how recorders write times, and moves no label
Size = tuple[int, int]


@dataclass(frozen=True)
class _Extent:
    """From where to where labels go, in units of ``clock``.

    ``last`` is the start of the last label, or the end of the last span; ``end`` is what it covers at most.
    ``gapless`` says that there is a label at every number from ``first`` to ``last``.
    """

    file: str
    place: str
    first: int
    last: int
    end: int
    clock: Clock
    every_frame: bool = False
    gapless: bool = False


class _Picture(NamedTuple):
    """The first labelled picture of a size: the file of its labels, the place in it, width and height in px, and whether it has masks.

    A region that is not counted is one.

    What is hidden in the video would be elsewhere in masks of another shape. Boxes and points are shares of the picture: they are right
    in one that was stretched, as for a network, and nothing tells that from one that was cropped or has bars.
    """

    file: str
    place: str
    size: Size
    has_masks: bool


@dataclass(frozen=True)
class _Video:
    frames: int
    length_s: float


def check(
    labels: Labels,
    *,
    source_frames: int,
    source_s: float,
    source_size: tuple[int, int],
    tolerance_s: float,
    faults: Faults,
    first: int = 0,
    pixel_aspect: Callable[[], Fraction] = lambda: SQUARE_PIXEL,
) -> None:
    """Note labels beyond the end of the source, missing rows, and images that cannot be of it by their shape, or have another one.

    Parameters
    ----------
    labels
        Of one recording and format.
    source_frames, source_s
        Length of the source video, in frames and seconds.
    source_size
        Width and height of the source in px.
    tolerance_s
        Differences up to this are not an error.
    first
        The number of the first frame in the labels; instants in seconds or milliseconds start at 0.
    pixel_aspect
        Returns the width of a pixel of the source as a multiple of its height; it is asked where a picture has not the shape of the pixels.
    """
    extents = list(_extents(labels, first))
    if extents and (source_frames < 1 or source_s <= 0):
        faults.error(
            extents[0].file, "video-empty", f"the video has {source_frames} frames and {source_s:g} s", "bring the video that was labelled"
        )
        return
    for extent in extents:
        _check(extent, labels, _Video(source_frames, source_s), tolerance_s, faults)
    _note_unknown_sizes(labels, faults)
    _check_shapes(_pictures(labels), source_size, pixel_aspect, faults)


def check_times(
    labels: Labels, rate: Fraction, *, times_s: Sequence[Fraction], fps: Fraction, varies: bool, faults: Faults, first: int = 0
) -> None:
    """Note that frames of the source, by which labels are numbered, are not in the video where a rate has them.

    The stage asks no rate: it places labels by the times of the frames. Who converts files has a rate alone, and every label
    would be shifted where it is not that of the video.

    Parameters
    ----------
    labels
        Of one recording, numbered by frames of the source.
    rate
        Frames per second that the labels are converted by.
    times_s, fps, varies
        When each frame of the video is shown, its rate, and whether that varies.
    first
        As of `check`.
    """
    for file, numbers in _frames_of_source(labels, first):
        inside = numbers[(numbers >= 0) & (numbers < len(times_s))].tolist()
        off = next((n for n in inside if abs(times_s[n] - n / rate) * rate > HALF_FRAME), None)
        if off is None:
            continue
        times = f"frame {off} is at {float(off / rate):.4g} s by them, and at {float(times_s[off]):.4g} s in the video"
        if varies:
            own = f"the rate of the video varies, {float(fps):.4g} on average"
            fix = "no rate holds for it: label a copy of constant rate, or let the stage annotations place the labels by their frames"
        else:
            own, fix = f"the video has {fps}", f"if they are of its frames, say --fps {fps}; else bring the video that was labelled"
        faults.error(file, "rate-contradicted", f"the labels have {rate} frames per second, {own}: {times}", fix)
        return


def _frames_of_source(labels: Labels, first: int) -> Iterator[tuple[str, IntArray]]:
    """Yield the file of labels and the frames that they are at, from 0, the first and the last of each span for the others."""
    for layer in (labels.phases, labels.instances, labels.marks):
        if layer is not None:
            yield layer.file, layer.positions - first
    for rows in (labels.segments if labels.segments_clock is None else None, labels.spans):
        if rows is not None and labels.clock == SOURCE_FRAMES:
            yield labels.recording, np.unique(np.concatenate([rows["start"], rows["end"] - 1])).astype(np.int64) - first


def _note_unknown_sizes(labels: Labels, faults: Faults) -> None:
    """Note masks of pictures that nobody says the size of."""
    if labels.instances is not None and MASK in labels.instances.rows:
        rows, sizes = labels.instances.rows, picture_sizes(labels)
        unknown = sorted({*rows.loc[rows[MASK].notna(), "position"].tolist()} - sizes.keys())
        if unknown:
            what = "masks have no picture whose size is known"
            faults.error(labels.instances.file, "mask-size", what, "state width and height of the labelled pictures", frames=unknown)


def _check_shapes(pictures: Sequence[_Picture], source_size: Size, pixel_aspect: Callable[[], Fraction], faults: Faults) -> None:
    """Note pictures that are turned or of something else, those of masks that have not the shape of the video, and warn of other ones."""
    others = [one for one in pictures if not _is_of_shape(one.size, source_size)]
    aspect = pixel_aspect() if others else SQUARE_PIXEL
    shown = round(source_size[0] * aspect), source_size[1]
    taken: list[_Picture] = []
    for one in others:
        file, place, size, has_masks = one
        # Tools that know of such pixels show square ones: x and y are shares of the picture all the same.
        is_shown = aspect != SQUARE_PIXEL and _is_of_shape(size, shown, SHOWN_TOLERANCE)
        if not is_shown and (has_masks or any(_is_turned(size, own) or _is_of_two(size, own) for own in (source_size, shown))):
            stretched = "" if aspect == SQUARE_PIXEL else f", shown as {shown[0]}x{shown[1]}"
            fault = f"the labelled image is {size[0]}x{size[1]}, the video {source_size[0]}x{source_size[1]}{stretched}: another shape"
            faults.error(file, "image-shape", fault, "check that the labels are of this video and of whole frames", place=place)
        elif not is_shown:
            taken.append(one)
    for file, place, size, _ in taken[:1]:
        more = f" and of {count_text(len(taken) - 1, 'other size')}" if len(taken) > 1 else ""
        what = f"pictures of {size[0]}x{size[1]}{more} have another shape than the video: boxes and points are taken as shares of them"
        whole = f"check that they are whole frames of {source_size[0]}x{source_size[1]}, stretched, without bars and not cropped"
        faults.warning(file, "image-stretched", what, whole, place=place)


def _pictures(labels: Labels) -> list[_Picture]:
    """Return the first labelled picture of each known size in which anything has a place: the first with a mask where one has."""
    sizes = picture_sizes(labels)
    if labels.instances is None or labels.frames is None or not sizes or labels.format in OF_SHARES:
        return []
    rows = labels.instances.rows
    has_mask, has_place = (
        {*rows.loc[rows[[name for name in names if name in rows]].notna().any(axis=1), "position"].tolist()}
        for names in ((MASK,), (*BOX, MASK, POINTS))
    )
    if IGNORED in labels.frames:
        ignored = {*labels.frames.loc[labels.frames[IGNORED].notna(), "position"].tolist()}
        has_mask, has_place = has_mask | ignored, has_place | ignored
    first: dict[Size, int] = {}
    for position in sorted(has_place & sizes.keys(), key=lambda position: (position not in has_mask, position)):
        first.setdefault(sizes[position], position)
    at = {position: (file, "") for position, file in labels.picture_files.items()}
    return [
        _Picture(*at.get(position, (labels.instances.file, f"frame {position}")), size, position in has_mask)
        for size, position in sorted(first.items())
    ]


def _is_of_shape(size: Size, other: Size, tolerance: float = ASPECT_TOLERANCE) -> bool:
    return abs(math.log((size[0] * other[1]) / (size[1] * other[0]))) <= tolerance


def _is_turned(size: Size, video: Size) -> bool:
    """Return whether a picture has the shape of the video turned by 90 degrees."""
    return not _is_of_shape(video, (1, 1), SHOWN_TOLERANCE) and _is_of_shape(size, (video[1], video[0]), SHOWN_TOLERANCE)


def _is_of_two(size: Size, video: Size) -> bool:
    """Return whether a picture has room for two of the video side by side; one field of a film is as flat, but no wider."""
    return size[0] > video[0] >= video[1] and _is_of_shape(size, (2 * video[0], video[1]))


def picture_sizes(labels: Labels) -> dict[int, Size]:
    """Return width and height in px of the labelled picture by position, where the format states them."""
    if labels.frames is None or not {"position", "width", "height"} <= set(labels.frames.columns):
        return {}
    known = labels.frames[["position", "width", "height"]].dropna().astype(np.int64)
    return {position: (width, height) for position, width, height in known.itertuples(index=False)}


def _extents(labels: Labels, first: int) -> Iterator[_Extent]:
    for layer in (labels.phases, labels.instances, labels.marks):
        if layer is not None and len(layer.positions):
            low, high = (int(layer.positions[at]) - first for at in (0, -1))
            step = _step(layer) if layer.every_frame else 1
            gapless = len(layer.positions) == high - low + 1 > 1
            yield _Extent(layer.file, f"frame {high + first}", low, high, high + step, labels.clock, layer.every_frame, gapless)
    segments = "spans of phases, steps or gestures", labels.segments, labels.segments_clock or labels.clock
    for what, rows, clock in (segments, ("spans", labels.spans, labels.clock)):
        if rows is not None and len(rows):
            before = first if clock == SOURCE_FRAMES else 0
            start, end = int(rows["start"].min()) - before, int(rows["end"].max()) - before
            yield _Extent(labels.recording, f"last of the {what}", start, end, end, clock)


def _step(layer: Layer) -> int:
    # A label stands for the frames up to the next one, such as 25 of Cholec80's tools.
    return int(np.diff(layer.positions).min()) if len(layer.positions) > 1 else 1


def _check(extent: _Extent, labels: Labels, video: _Video, tolerance_s: float, faults: Faults) -> None:
    fps = video.frames / video.length_s
    period_s = None if extent.clock.period_s is None else float(extent.clock.period_s)
    unit_s = 1 / fps if period_s is None else period_s
    # The last label by time covers up to a period, of which the video may have any part; a frame is there or not.
    used = extent.last + 1 if period_s is None and extent.last < extent.end else extent.last
    if extent.gapless and extent.first == 1 and _is_behind(extent, unit_s, video):
        own = first_of(labels)
        begin, end = extent.first + (own or 0), extent.last + (own or 0)
        fault = f"the labels run from {begin} to {end} without a gap, and the last one is at the end of the video ({video.length_s:g} s)"
        from_0 = "number them from 0 (by hand, --first-frame 1)"
        fix = f"likely they are numbered from {begin}: {from_0 if own is None else f'{labels.format} numbers frames from {own}'}"
        faults.error(extent.file, "length", fault, fix, place=extent.place)
        return
    beyond_s, missing_s = _difference_s(used * unit_s, video.length_s), _difference_s(video.length_s, extent.end * unit_s)
    is_short = extent.every_frame and missing_s > tolerance_s
    # A label covers something behind its own time, a span nothing behind its end.
    covers_more = period_s is not None and extent.last < extent.end and beyond_s == tolerance_s
    if beyond_s <= tolerance_s and not covers_more and not is_short:
        return
    end = used if period_s is None else extent.end
    if period_s is None:
        fault = f"the labels have {used} frames, the video {video.frames} ({video.length_s:g} s)"
    else:
        fault = f"the labels end at {extent.end * unit_s:g} s, the video at {video.length_s:g} s"
    rate = _rate(labels, unit_s)
    fix = explained(extent.first * unit_s, end * unit_s, video.length_s, tolerance_s, rate, fps)
    if is_short:
        rows = f"{video.frames - used} frames ({missing_s:g} s)" if period_s is None else f"{missing_s:g} s"
        fix = f"{rows} are not labelled: {fix}"
    faults.error(extent.file, "length", fault, fix, place="" if is_short else extent.place)


def _is_behind(extent: _Extent, unit_s: float, video: _Video) -> bool:
    """Return whether the last label is behind the video, and would not be with a number less."""
    half_frame_s = video.length_s / video.frames / 2  # less is rounding
    return -half_frame_s <= extent.last * unit_s - video.length_s < unit_s


def _rate(labels: Labels, unit_s: float) -> float:
    """Return how many of its numbers a file has per second."""
    unit = labels.about.get("spans", {}).get("unit")
    return {"s": 1.0, "ms": 1000.0}.get(unit, 1 / unit_s) if unit_s == 1 / NS else 1 / unit_s
