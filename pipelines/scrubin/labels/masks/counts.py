"""Run lengths of a mask as text and as numbers, as COCO has them: pixels column by column, the first run counts background.

The text is that of pycocotools. Run k is written as its difference to run k - 2 from the fourth run on, in groups of five bits, the lowest
first; a sixth bit says whether another group follows, and the highest bit of the last group is the sign. A group is the character 48 plus
its value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, error

IntArray = npt.NDArray[np.int64]
FIRST, GROUP, MORE, SIGN = 48, 0x1F, 0x20, 0x10
LONGEST = 7
"""Groups of a number: 35 bits, more than any picture needs."""
MOST_PIXELS = 2**31
ABSOLUTE = 3
"""The first runs are written as they are, later ones as differences."""


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
    return checked(runs, height, width)


def runs_of_texts(texts: Sequence[str | bytes]) -> list[IntArray]:
    """Return the run lengths of many texts at once, whatever picture they cover; errors as `runs_of_text`.

    >>> [runs.tolist() for runs in runs_of_texts(["132", b"6"])]
    [[1, 3, 2], [6]]
    """
    data = [text.encode("ascii", "replace") if isinstance(text, str) else bytes(text) for text in texts]
    lengths = np.array([len(one) for one in data], np.int64)
    codes = np.frombuffer(b"".join(data), np.uint8).astype(np.int64) - FIRST
    # 64 characters: five bits and the sixth. The question mark of what is no ASCII is one of them, so that is asked for by itself.
    if ((codes < 0) | (codes >= 2 * MORE)).any() or not all(text.isascii() for text in texts):
        raise AnnotationError([_foreign(texts)])
    is_last = (codes & MORE) == 0
    ends = np.cumsum(lengths)
    unfinished = ~is_last[ends[lengths > 0] - 1]
    if unfinished.any():
        raise AnnotationError([error("", "mask-form", "the counts of a mask end within a number", "give the whole text of the counts")])
    if not len(codes):
        return [np.zeros(0, np.int64) for _ in texts]
    lasts = np.flatnonzero(is_last)
    firsts = np.concatenate([[0], lasts[:-1] + 1])
    groups = lasts - firsts + 1
    if groups.max() > LONGEST:
        what = f"a number in the counts of a mask has {int(groups.max())} characters"
        raise AnnotationError([error("", "mask-form", what, "give counts as pycocotools writes them")])
    shifts = 5 * (np.arange(len(codes)) - np.repeat(firsts, groups))
    values = np.add.reduceat((codes & GROUP) << shifts, firsts)
    values -= np.where(codes[lasts] & SIGN, 1 << (5 * groups), 0)
    numbers = np.diff(np.searchsorted(lasts, np.concatenate([[0], ends])))
    return [_undone(one) for one in np.split(values, np.cumsum(numbers)[:-1])]


def text_of_runs(runs: npt.ArrayLike) -> str:
    """Return run lengths as compressed counts.

    >>> text_of_runs([1, 3, 2])
    '132'
    """
    values = np.array(runs, np.int64)
    values[ABSOLUTE:] -= np.array(runs, np.int64)[ABSOLUTE - 2 : -2]
    columns, used = [], []
    goes_on = np.ones(len(values), np.bool_)
    while goes_on.any():
        used.append(goes_on)
        group = values & GROUP
        values >>= 5
        goes_on = goes_on & np.where(group & SIGN, values != -1, values != 0)
        columns.append(group + FIRST + np.where(goes_on, MORE, 0))
    if not columns:
        return ""
    return np.stack(columns, axis=1)[np.stack(used, axis=1)].astype(np.uint8).tobytes().decode("ascii")


def checked(runs: npt.ArrayLike, height: int, width: int) -> IntArray:
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


def _foreign(texts: Sequence[str | bytes]) -> Fault:
    """Return the fault of the first character that counts cannot have."""
    every = (text if isinstance(text, str) else text.decode("latin-1") for text in texts)
    at = next(place for text in every for place, one in enumerate(text) if not FIRST <= ord(one) < FIRST + 2 * MORE)
    what = f"character {at} of the counts of a mask is none of '0' to 'o'"
    return error("", "mask-form", what, "give counts as pycocotools writes them")


def _undone(written: IntArray) -> IntArray:
    """Return runs of their differences."""
    runs = written.copy()
    runs[1::2] = np.cumsum(written[1::2])
    runs[2::2] = np.cumsum(written[2::2])
    return runs
