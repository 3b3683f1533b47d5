"""Bytes in a slice that are none of a picture's, as far as they can be told from it without decoding it.

Where the picture in a slice ends only a decoder knows, and decoders pass over what stands behind. Three things tell it nevertheless:

- Coded data never holds certain bytes (ITU-T H.264, 7.4.1): behind two zeros stands a 3, and behind that a number up to 3.
- Coded data looks like drawn by chance, text does not: a run of bytes is text when it is so many times likelier to be that.
- Where no arithmetic coder is used, FFmpeg's decoder knows where it ended, see `scrubin.media.structure`.

Zeros behind a slice (trailing zeros, cabac_zero_words) say nothing. Other bytes that look like coded data cannot be told from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

IMPOSSIBLE = "its slices hold bytes that no picture can have"
TEXT = "its slices hold what looks like text"
# In bits: 2^44 bytes drawn by chance, some terabytes, hold one such text. What is taken for text is only encoded.
TEXT_BITS = 44.0
# Raw samples, of which lossless slices hold some, are nearly text; words are told from them by less than codes are.
UNLIKE_SAMPLES_BITS = (22.0, 40.0)
# What is appended reaches the end of a slice, where fewer bits are enough: a slice in millions ends so by chance.
TAIL_BYTES, TAIL_BITS = 256, 34.0
SHORTEST_TEXT, SHORTEST_TAIL = 12, 8
SHORTEST_PAIRS, SHORTEST_TRIPLES, MOST_ALIKE = 6, 6, 3
MOST_FIRSTS = {2: 2, 3: 14}
"""First bytes of letters that one script needs: Cyrillic, Greek and Arabic letters begin with one of two; samples do with any."""
_IMPOSSIBLE = re.compile(rb"\x00\x00(?:[\x00-\x02]|\x03[^\x00-\x03])")
# Two bytes a letter (UTF-16), either way round.
_WIDE = re.compile(rb"\x00(?:[ -~]\x00){5,}")
# A byte of ASCII text; the first of a letter of two or three bytes in UTF-8, and a further one of it.
_ASCII, _PAIR, _TRIPLE, _FURTHER = b"\1", b"\2", b"\3", b"\4"
_RANGES = (
    *((_ASCII, first, last) for first, last in ((0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x7E))),
    (_FURTHER, 0x80, 0xBF),
    (_PAIR, 0xC3, 0xDF),
    (_TRIPLE, 0xE0, 0xED),
)
_SORTS = bytes(next((sort[0] for sort, first, last in _RANGES if first <= byte <= last), 0) for byte in range(256))


def foreign(unit: bytes) -> str:
    """Return why a slice may not be copied, "" when nothing in it looks like anything but coded data.

    >>> coded = bytes([0x65, 0x88, 0x84, 0xF7, 0x80])
    >>> foreign(coded + bytes([0, 0, 3, 0, 0, 3]))
    ''
    >>> foreign(coded + b"Ottilie Quast 1957-03-14")
    'its slices hold what looks like text'
    >>> foreign(coded + bytes([0, 0, 3]) + b"Ottilie")
    'its slices hold bytes that no picture can have'
    """
    end = len(unit)
    while end and (unit[end - 1] == 0 or unit.startswith(b"\0\0\3", end - 3)):
        end -= 1 if unit[end - 1] == 0 else 3
    if _IMPOSSIBLE.search(unit, 0, end):
        return IMPOSSIBLE
    return TEXT if _holds_text(unit[:end]) else ""


def _holds_text(unit: bytes) -> bool:
    sorts = unit.translate(_SORTS)
    tail = max(0, len(unit) - TAIL_BYTES)
    return (
        any(is_text(unit[first:end]) for first, end in _runs(sorts, SHORTEST_TEXT, 0))
        or any(max(likelihoods_bits(unit[first:end]))[0] >= TAIL_BITS for first, end in _runs(sorts, SHORTEST_TAIL, tail))
        or _holds_letters(unit, sorts, _PAIR + _FURTHER, SHORTEST_PAIRS)
        or _holds_letters(unit, sorts, _TRIPLE + 2 * _FURTHER, SHORTEST_TRIPLES)
        or any(len(set(match[0]) - {0}) > MOST_ALIKE for match in _WIDE.finditer(unit))
    )


def _runs(sorts: bytes, shortest: int, start: int) -> Iterator[tuple[int, int]]:
    """Yield first and end of each run of ASCII text; `find` passes over the rest ten times faster than an expression."""
    while (start := sorts.find(_ASCII * shortest, start)) >= 0:
        end = start + shortest
        while sorts.startswith(_ASCII, end):
            end += 1
        yield start, end
        start = end


def _holds_letters(unit: bytes, sorts: bytes, letter: bytes, shortest: int) -> bool:
    """Whether so many letters of UTF-8 follow each other, of one script, and not the same few again and again."""
    size, start = len(letter), -1
    while (start := sorts.find(letter * shortest, start + 1)) >= 0:
        letters = {unit[k : k + size] for k in range(start, start + size * shortest, size)}
        if len(letters) > MOST_ALIKE and len({one[0] for one in letters}) <= MOST_FIRSTS[size]:
            return True
    return False


# How often letters stand in English and German names and words, in thousandths; what stands between words.
_OFTEN = (130, 90, 80, 80, 70, 70, 60, 50, 45, 45, 45, 35, 27, 27, 23, 20, 18, 16, 16, 12, 12, 10, 8, 4, 2, 2)
_LETTERS = dict(zip("eniartsohdlucmgfbwpkyvzjxq", _OFTEN, strict=True))
_BETWEEN = b'       ...,,,:::;---___///=""\'()\n\t'
# The next character is of the same sort three times in four, otherwise of one of the three others.
_SAME, _OTHER = 0.75, 0.25 / 3
# Identities, checksums, base64: any of so many characters.
_OF_CODES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
# Raw samples of a picture, of which a slice may hold some, differ little from their neighbours (Laplace).
_SMOOTHNESS = (1.5, 4.0, 10.0)
_BYTE_BITS = 8.0


def is_text(run: bytes) -> bool:
    """Whether printable characters are text, neither chance nor raw samples of a smooth picture.

    >>> is_text(b"Quast, Ottilie 1957-03-14"), is_text(b"ZZZZZZZZZZZZZZZZZZZZZZZZZZZ"), is_text(b"usrponlkrqqponlkpuqoonkktqroonl")
    (True, False, False)
    """
    return any(
        against_chance >= TEXT_BITS and against_samples >= least
        for (against_chance, against_samples), least in zip(likelihoods_bits(run), UNLIKE_SAMPLES_BITS, strict=True)
    )


def likelihoods_bits(run: bytes) -> tuple[tuple[float, float], ...]:
    """Return of words, then of codes, how many bits likelier than bytes drawn by chance, and than samples of a picture, they are in a run.

    What stands behind each other a second time counts nothing, because coded pictures repeat themselves where nothing changes.
    """
    pairs = [*dict.fromkeys(pairwise(b"\n" + run))]
    smooth_bits = [[_smooth_bits(after - before, scale) for before, after in pairs] for scale in _SMOOTHNESS]
    models = ([_word_bits(*pair) for pair in pairs], [_code_bits(after) for _, after in pairs])
    return tuple(
        (_best([_BYTE_BITS - bits for bits in model]), min(_best([a - b for a, b in zip(one, model, strict=True)]) for one in smooth_bits))
        for model in models
    )


def _best(gains: list[float]) -> float:
    """Return the highest sum of neighbours."""
    best = total = 0.0
    for gain in gains:
        total = max(0.0, total + gain)
        best = max(best, total)
    return best


def _sort_and_share(byte: int) -> tuple[int, float]:
    """Return of which sort a character is (between words, upper, lower, digit), and which share of them it is."""
    character = chr(byte)
    if character.lower() in _LETTERS:
        return 1 + character.islower(), _LETTERS[character.lower()] / 1000
    if 0x30 <= byte <= 0x39:
        return 3, 1 / 10
    return 0, 0.95 * _BETWEEN.count(byte) / len(_BETWEEN) + 0.05 / 36


_SHARES = [_sort_and_share(byte) for byte in range(256)]


def _word_bits(before: int, byte: int) -> float:
    (last_sort, _), (sort, share) = _SHARES[before], _SHARES[byte]
    return -math.log2(share * (_SAME if sort == last_sort else _OTHER))


def _code_bits(byte: int) -> float:
    return math.log2(len(_OF_CODES)) if byte in _OF_CODES else 2 * _BYTE_BITS


def _smooth_bits(step: int, scale: float) -> float:
    ratio = math.exp(-1 / scale)
    return -math.log2((1 - ratio) / (1 + ratio)) + abs(step) / scale * math.log2(math.e)
