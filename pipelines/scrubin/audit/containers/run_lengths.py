"""Masks as text: what covers its picture, written in the only way there is for its pixels, says nothing else and is no text to search.

A column of masks has so many letters and digits in any order that short names stand in it by chance. A text of which one character is
changed is none of these any more, so that nobody can hide a word in it without drawing it.
"""

from __future__ import annotations

import numpy as np

FIRST, GROUP, MORE, SIGN, LONGEST = 48, 31, 32, 16, 7
"""The character of 0; five bits of a number, whether more of them follow, the sign; so many characters a number has at most."""


def covers(text: object, width: object, height: object) -> bool:
    """Return whether a text is the compressed run lengths of a mask of this size, as COCO writes them, in their shortest form.

    >>> covers("132", 3, 2), covers("132", 4, 2), covers("P0P41", 3, 2), covers("Anna", 3, 2)
    (True, False, False, False)
    """
    return runs_of(text, width, height) is not None


def runs_of(text: object, width: object, height: object) -> np.ndarray | None:
    """Return the run lengths of a mask, (runs,), column after column, the first of background; None where the text is none, as `covers`.

    >>> runs_of("132", 3, 2).tolist()
    [1, 3, 2]
    """
    if not isinstance(text, str) or not text or not text.isascii() or not (_is_side(width) and _is_side(height)):
        return None
    codes = np.frombuffer(text.encode(), np.uint8).astype(np.int64) - FIRST
    if codes.min() < 0 or codes.max() >= 2 * MORE or codes[-1] >= MORE:
        return None
    lasts = np.flatnonzero(codes < MORE)
    firsts = np.concatenate([[0], lasts[:-1] + 1])
    lengths = lasts - firsts + 1
    if lengths.max() > LONGEST or not _is_shortest(codes, lasts, lengths):
        return None
    shifts = 5 * (np.arange(len(codes)) - np.repeat(firsts, lengths))
    runs = np.add.reduceat((codes & GROUP) << shifts, firsts) - np.where(codes[lasts] & SIGN, 1 << (5 * lengths), 0)
    # From the fourth run on, it is the difference to the one but last.
    runs[1::2], runs[2::2] = np.cumsum(runs[1::2]), np.cumsum(runs[2::2])
    is_whole = runs[0] >= 0 and (runs[1:] > 0).all() and runs.sum() == int(str(width)) * int(str(height))
    return runs if is_whole else None


def _is_side(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_shortest(codes: np.ndarray, lasts: np.ndarray, lengths: np.ndarray) -> bool:
    """Return whether no number ends with five bits that only repeat the sign of those before."""
    longer = lasts[lengths > 1]
    high, before = codes[longer] & GROUP, codes[longer - 1] & SIGN
    return not (((high == 0) & (before == 0)) | ((high == GROUP) & (before != 0))).any()
