"""Masks as run lengths: as text and numbers, drawn as pictures, measured, joined, cut, compared; none decodes more than one picture.

A mask is its run lengths (runs,), pixels column by column, the first run counts background, as COCO has them. It is of a picture of a
height and width in px; pixel (x, y) has the number ``x * height + y``. A run of no length says nothing: masks may have some, none is made
here but the first.

The text is that of pycocotools. Run k is written as its difference to run k - 2 from the fourth run on, in groups of five bits, the lowest
first; a sixth bit says whether another group follows, and the highest bit of the last group is the sign. A group is the character 48 plus
its value.

Of a mask, the number of foreground pixels before pixel q is a line that rises within foreground and is level elsewhere. What two masks
share is the sum over the spans of one of the rise of that line of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, error

IntArray = npt.NDArray[np.int64]
FIRST_CHARACTER, GROUP_BITS, MORE_BIT, SIGN_BIT = 48, 0x1F, 0x20, 0x10
MOST_GROUPS = 7
"""Groups of a number: 35 bits, more than any picture needs."""
MOST_PIXELS = 2**31
ABSOLUTE_RUNS = 3
"""The first runs are written as they are, later ones as differences."""
BoolArray = npt.NDArray[np.bool_]
RUN_AS_PIXELS = 64
"""Filling one run takes as long as copying so many pixels."""
FloatArray = npt.NDArray[np.float64]
MOST_QUERIES = 2_000_000
"""Looked up at once: 16 MB an array."""


def runs_of_text(counts: str | bytes, height: int, width: int) -> IntArray:
    """Return the run lengths that a text holds, (runs,); they cover the picture.

    Parameters
    ----------
    counts
        Compressed counts.
    height, width
        Of the picture in px.

    Raises
    ------
    AnnotationError
        For text that is none, or runs that do not cover the picture; the fault names no file and no place.

    >>> runs_of_text("132", 2, 3).tolist()
    [1, 3, 2]
    """
    (runs,) = runs_of_texts([counts])
    return checked_runs(runs, height, width)


def runs_of_texts(texts: Sequence[str | bytes]) -> list[IntArray]:
    """Return the run lengths of many texts at once, whatever picture they cover; errors as `runs_of_text`.

    >>> [runs.tolist() for runs in runs_of_texts(["132", b"6"])]
    [[1, 3, 2], [6]]
    """
    data = [text.encode("ascii", "replace") if isinstance(text, str) else bytes(text) for text in texts]
    lengths = np.array([len(one) for one in data], np.int64)
    codes = np.frombuffer(b"".join(data), np.uint8).astype(np.int64) - FIRST_CHARACTER
    # 64 characters: five bits and the sixth. The question mark of what is no ASCII is one of them, so that is asked for by itself.
    if ((codes < 0) | (codes >= 2 * MORE_BIT)).any() or not all(text.isascii() for text in texts):
        raise AnnotationError([_foreign_character(texts)])
    is_last = (codes & MORE_BIT) == 0
    ends = np.cumsum(lengths)
    unfinished = ~is_last[ends[lengths > 0] - 1]
    if unfinished.any():
        raise AnnotationError([error("", "mask-form", "the counts of a mask end within a number", "give the whole text of the counts")])
    if not len(codes):
        return [np.zeros(0, np.int64) for _ in texts]
    lasts = np.flatnonzero(is_last)
    firsts = np.concatenate([[0], lasts[:-1] + 1])
    groups = lasts - firsts + 1
    if groups.max() > MOST_GROUPS:
        what = f"a number in the counts of a mask has {int(groups.max())} characters"
        raise AnnotationError([error("", "mask-form", what, "give counts as pycocotools writes them")])
    shifts = 5 * (np.arange(len(codes)) - np.repeat(firsts, groups))
    values = np.add.reduceat((codes & GROUP_BITS) << shifts, firsts)
    values -= np.where(codes[lasts] & SIGN_BIT, 1 << (5 * groups), 0)
    numbers = np.diff(np.searchsorted(lasts, np.concatenate([[0], ends])))
    return [_runs_of_differences(one) for one in np.split(values, np.cumsum(numbers)[:-1])]


def text_of_runs(runs: npt.ArrayLike) -> str:
    """Return run lengths as compressed counts.

    >>> text_of_runs([1, 3, 2])
    '132'
    """
    values = np.array(runs, np.int64)
    values[ABSOLUTE_RUNS:] -= np.array(runs, np.int64)[ABSOLUTE_RUNS - 2 : -2]
    columns, used = [], []
    goes_on = np.ones(len(values), np.bool_)
    while goes_on.any():
        used.append(goes_on)
        group = values & GROUP_BITS
        values >>= 5
        goes_on = goes_on & np.where(group & SIGN_BIT, values != -1, values != 0)
        columns.append(group + FIRST_CHARACTER + np.where(goes_on, MORE_BIT, 0))
    if not columns:
        return ""
    return np.stack(columns, axis=1)[np.stack(used, axis=1)].astype(np.uint8).tobytes().decode("ascii")


def checked_runs(runs: npt.ArrayLike, height: int, width: int) -> IntArray:
    """Return run lengths as an array of their own, (runs,).

    Parameters
    ----------
    runs
        Whole numbers of pixels, as JSON lists them; the first counts background.
    height, width
        Of the picture in px.

    Raises
    ------
    AnnotationError
        When one is negative or no whole number, or their sum is not that of the picture's pixels; the fault names no file and no place.
    """
    if height < 1 or width < 1 or height * width > MOST_PIXELS:
        what = f"a mask has the size {width} x {height} px"
        raise AnnotationError([error("", "mask-size", what, "give the height and width of the picture")])
    array = np.asarray(runs)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise AnnotationError([error("", "mask-form", "the counts of a mask are no list of whole numbers", "give lengths of runs in px")])
    whole = array.astype(np.int64)
    negative = np.flatnonzero((whole < 0) | (whole > MOST_PIXELS))
    if len(negative):
        what = f"run {int(negative[0])} of a mask is {int(whole[negative[0]])} px long"
        raise AnnotationError([error("", "mask-form", what, "give lengths of runs from 0 up to the pixels of the picture")])
    total = int(whole.sum())
    if total != height * width:
        what = f"the runs of a mask cover {total} px, its picture of {width} x {height} px has {height * width}"
        raise AnnotationError([error("", "mask-size", what, "give a mask of the size of the picture, columns first")])
    return whole


def picture(runs: IntArray, height: int, width: int) -> BoolArray:
    """Return a mask as pixels, (height, width), in the memory order of columns.

    >>> picture(np.array([1, 3, 2]), 2, 3).astype(int).tolist()
    [[0, 1, 0], [1, 1, 0]]
    """
    if len(runs) * RUN_AS_PIXELS < height * width:
        pixels = np.zeros(height * width, np.bool_)
        for start, end in zip(*(side.tolist() for side in spans(runs)), strict=True):
            pixels[start:end] = True
    else:
        pixels = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return pixels.reshape(width, height).T


def runs_of_picture(pixels: npt.ArrayLike) -> IntArray:
    """Return the run lengths of a mask of pixels, (height, width), all but 0 being foreground.

    >>> runs_of_picture([[0, 1, 0], [1, 1, 0]]).tolist()
    [1, 3, 2]
    """
    flat = np.asarray(pixels).astype(np.bool_, copy=False).ravel(order="F")
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    return _runs_of_changes(np.concatenate([[0] if flat[0] else [], changes]).astype(np.int64), len(flat))


def runs_of_part(pixels: BoolArray, left_top: tuple[int, int], height: int, width: int) -> IntArray:
    """Return the run lengths of a mask whose foreground is a part of its picture, without the whole picture.

    Parameters
    ----------
    pixels
        Of the part, (part's height, part's width); it lies inside of the picture.
    left_top
        Where its left top pixel is.
    height, width
        Of the picture.

    >>> runs_of_part(np.ones((2, 1), bool), (1, 0), 2, 3).tolist()
    [2, 2, 2]
    """
    left, top = left_top
    edges = np.diff(np.pad(pixels.T, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    starts, ends = (np.stack(np.nonzero(edges == kind)) for kind in (1, -1))
    bounds = np.stack([(column + left) * height + row + top for column, row in (starts, ends)], axis=1)
    # Spans that go over from one column to the next are one.
    return union([np.diff(np.concatenate([[0], bounds.ravel(), [height * width]]))], height * width)


def spans(runs: IntArray) -> tuple[IntArray, IntArray]:
    """Return where foreground begins and ends, half open, (spans,) each, in numbers of pixels; an empty span is left out."""
    ends = np.cumsum(runs)
    lengths = runs[1::2]
    kept = lengths > 0
    return (ends[1::2] - lengths)[kept], ends[1::2][kept]


def area(runs: IntArray) -> int:
    """Return the number of foreground pixels."""
    return int(runs[1::2].sum())


def areas(masks: Sequence[IntArray]) -> IntArray:
    """Return the number of foreground pixels of each mask, (masks,)."""
    return np.array([area(runs) for runs in masks], np.int64)


def box_xywh_px(runs: IntArray, height: int) -> tuple[int, int, int, int]:
    """Return left, top, width and height of the smallest box around the foreground in px; four times 0 where there is none.

    >>> box_xywh_px(np.array([3, 1, 2]), height=2)
    (1, 1, 1, 1)
    """
    starts, ends = spans(runs)
    if not len(starts):
        return 0, 0, 0, 0
    lasts = ends - 1
    left, right = int(starts[0]) // height, int(lasts[-1]) // height
    # Who goes over to the next column reaches its bottom and the next one's top.
    if (starts // height != lasts // height).any():
        return left, 0, right - left + 1, height
    top, bottom = int((starts % height).min()), int((lasts % height).max())
    return left, top, right - left + 1, bottom - top + 1


def union(masks: Sequence[IntArray], pixels: int) -> IntArray:
    """Return the mask of what is foreground in any of several masks of one picture.

    Parameters
    ----------
    masks
        Run lengths; none gives background.
    pixels
        Height times width.

    >>> union([np.array([1, 3, 2]), np.array([3, 2, 1])], 6).tolist()
    [1, 4, 1]
    """
    of_masks = [spans(runs) for runs in masks]
    starts = np.sort(np.concatenate([np.zeros(0, np.int64), *(first for first, _ in of_masks)]))
    ends = np.sort(np.concatenate([np.zeros(0, np.int64), *(last for _, last in of_masks)]))
    # Sorted each by itself: a gap is where as many have ended as have begun.
    is_gap = ends[:-1] < starts[1:]
    bounds = np.stack([starts[np.concatenate([[True], is_gap])], ends[np.concatenate([is_gap, [True]])]], axis=1) if len(starts) else starts
    return _runs_of_changes(bounds.ravel(), pixels)


def without(runs: IntArray, others: IntArray) -> IntArray:
    """Return the mask of what is foreground in one mask and not in another of the same picture.

    >>> without(np.array([1, 3, 2]), np.array([3, 2, 1])).tolist()
    [1, 2, 3]
    """
    # What is left is what is neither background of the one nor foreground of the other.
    return _turned(union([_turned(runs), others], int(runs.sum())))


def cut(runs: IntArray, height: int, width: int, box_xywh: tuple[int, int, int, int]) -> IntArray:
    """Return the mask of a part of the picture; what of the box is outside of the picture is background.

    Parameters
    ----------
    runs, height, width
        The mask and its picture.
    box_xywh
        Left, top, width and height of the part in px.
    """
    x, y, w, h = box_xywh
    part = np.zeros((h, w), np.bool_)
    left, top, right, bottom = max(x, 0), max(y, 0), min(x + w, width), min(y + h, height)
    if left < right and top < bottom:
        part[top - y : bottom - y, left - x : right - x] = picture(runs, height, width)[top:bottom, left:right]
    return runs_of_picture(part)


def scaled(runs: IntArray, height: int, width: int, to_height: int, to_width: int) -> IntArray:
    """Return the mask in another size: a pixel is what the one is in which its centre lies."""
    rows = (2 * np.arange(to_height) + 1) * height // (2 * to_height)
    columns = (2 * np.arange(to_width) + 1) * width // (2 * to_width)
    return runs_of_picture(picture(runs, height, width)[np.ix_(rows, columns)])


def intersections(ones: Sequence[IntArray], others: Sequence[IntArray]) -> IntArray:
    """Return how many pixels each of some masks shares with each of others of the same picture, (ones, others).

    >>> intersections([np.array([1, 3, 2])], [np.array([3, 2, 1]), np.array([6])]).tolist()
    [[1, 0]]
    """
    shared = np.zeros((len(ones), len(others)), np.int64)
    if not len(ones) or not len(others):
        return shared
    starts, ends, numbers = _all_spans(ones)
    kept = np.flatnonzero(numbers)
    if not len(kept):
        return shared
    firsts = np.concatenate([[0], np.cumsum(numbers[kept])[:-1]])
    bounds = np.concatenate([starts, ends])
    at_once = max(1, MOST_QUERIES // len(bounds))
    for first in range(0, len(others), at_once):
        some = others[first : first + at_once]
        covered = _covered(some, bounds)
        rises = covered[:, len(starts) :] - covered[:, : len(starts)]
        shared[kept, first : first + at_once] = np.add.reduceat(rises, firsts, axis=1).T
    return shared


def ious(found: Sequence[IntArray], truth: Sequence[IntArray], crowds: npt.ArrayLike | None = None) -> FloatArray:
    """Return the IoU of each detection with each annotated mask of the same picture, (detections, annotated).

    Parameters
    ----------
    found, truth
        Run lengths.
    crowds
        (annotated,), whether it is of many that nobody drew one by one: then the share of the detection that lies inside.
    """
    shared = intersections(found, truth)
    own, whole = areas(found)[:, None], areas(truth)[None, :]
    is_crowd = np.zeros(len(truth), np.bool_) if crowds is None else np.asarray(crowds, np.bool_)
    below = np.where(is_crowd[None, :], own, own + whole - shared)
    values: FloatArray = np.divide(shared, below, out=np.zeros(shared.shape), where=below > 0)
    return values


def _foreign_character(texts: Sequence[str | bytes]) -> Fault:
    """Return the fault of the first character that counts cannot have."""
    every = (text if isinstance(text, str) else text.decode("latin-1") for text in texts)
    at = next(place for text in every for place, one in enumerate(text) if not FIRST_CHARACTER <= ord(one) < FIRST_CHARACTER + 2 * MORE_BIT)
    what = f"character {at} of the counts of a mask is none of '0' to 'o'"
    return error("", "mask-form", what, "give counts as pycocotools writes them")


def _runs_of_differences(written: IntArray) -> IntArray:
    """Return runs of their differences."""
    runs = written.copy()
    runs[1::2] = np.cumsum(written[1::2])
    runs[2::2] = np.cumsum(written[2::2])
    return runs


def _turned(runs: IntArray) -> IntArray:
    """Return the mask of the background of another."""
    turned: IntArray = runs[1:] if len(runs) and not runs[0] else np.concatenate([[0], runs])
    return turned


def _runs_of_changes(changes: IntArray, pixels: int) -> IntArray:
    """Return runs of increasing numbers of pixels from which on it is the other; the last may be the end of the picture."""
    inside = changes[changes < pixels]
    return np.diff(np.concatenate([[0], inside, [pixels]])).astype(np.int64)


def _all_spans(masks: Sequence[IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """Return where foreground begins and ends, (spans of all masks,) each, and the number of spans of each mask, (masks,)."""
    runs, is_foreground, ends, lengths = _all_runs(masks)
    kept = is_foreground & (runs > 0)
    return ends[kept] - runs[kept], ends[kept], np.add.reduceat(kept, np.cumsum(lengths) - lengths, dtype=np.int64)


def _all_runs(masks: Sequence[IntArray]) -> tuple[IntArray, BoolArray, IntArray, IntArray]:
    """Return the runs of all masks, which of them are foreground, where each ends in its picture, and how many each mask has."""
    runs = np.concatenate(masks)
    lengths = np.array([len(one) for one in masks])
    firsts = np.cumsum(lengths) - lengths
    is_foreground = (np.arange(len(runs)) - np.repeat(firsts, lengths)) % 2 == 1
    total = np.cumsum(runs)
    ends = total - np.repeat(total[firsts] - runs[firsts], lengths)
    return runs, is_foreground, ends, lengths


def _covered(masks: Sequence[IntArray], bounds: IntArray) -> IntArray:
    """Return how many foreground pixels of each mask, and of those before, lie before each bound, (masks, bounds).

    The masks are laid one behind the other, with a pixel between them, so that all are looked up at once.
    """
    runs, is_foreground, ends, lengths = _all_runs(masks)
    places = np.arange(len(masks)) * (int(masks[0].sum()) + 1)
    ends = ends + np.repeat(places, lengths)
    # Foreground before a run, less its beginning where it is foreground itself; behind the last run nothing rises.
    slopes = np.zeros(len(runs) + 1, np.int64)
    slopes[:-1] = is_foreground
    levels = np.zeros(len(runs) + 1, np.int64)
    np.cumsum(runs * slopes[:-1], out=levels[1:])
    levels[:-1] -= slopes[:-1] * (ends - runs)
    queries = bounds[None, :] + places[:, None]
    at = np.searchsorted(ends, queries, side="right")
    covered: IntArray = levels[at] + slopes[at] * queries
    return covered
