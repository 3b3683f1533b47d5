"""Bytes in a slice that are none of a picture's, as far as they can be told from it without decoding it.

Where the picture in a slice ends only a decoder knows, and decoders pass over what stands behind. Three things tell it nevertheless:

- Coded data never holds certain bytes (ITU-T H.264, 7.4.1): behind two zeros stands a 3, and behind that a number up to 3.
- Coded data looks like drawn by chance, text does not: a run of bytes is text when it is so many times likelier to be that. Text is
  looked for in ASCII, UTF-8, UTF-16, UTF-32, and of the codes of one byte a letter in Windows-1252 (ISO 8859-1) and 1251. Zeros
  between letters are passed over: they fill up the fields of a record.
- Where no arithmetic coder is used, FFmpeg's decoder knows where it ended, see `scrubin.media.structure`.

Zeros behind a slice (trailing zeros, cabac_zero_words) say nothing. Other bytes that look like coded data cannot be told from it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

IMPOSSIBLE = "its slices hold bytes that no picture can have"
TEXT = "its slices hold what looks like text"
# In bits: 2^44 bytes drawn by chance, some terabytes, hold one such text. What is taken for text is only encoded.
TEXT_BITS = 44.0
# Raw samples, of which lossless slices hold some, are nearly text; words are told from them by less than codes are.
UNLIKE_SAMPLES_BITS = (22.0, 22.0, 40.0)
# What is appended reaches the end of a slice, where fewer bits are enough: a slice in millions ends so by chance.
TAIL_BYTES, TAIL_BITS, TAIL_UNLIKE_SAMPLES_BITS = 256, 34.0, 10.0
SHORTEST_TEXT, SHORTEST_TAIL, SHORTEST_WIDE = 12, 8, 5
# One of so many scripts and orders of bytes: where many are tried, one of them is met by chance so many times as often.
WIDE_BITS = 5.0
FEW_BYTES = 8192
"""Where so few are read, it costs more to prepare than to go through them."""
SLACK_BITS = 0.01
"""Of what is added up in single precision."""
_IMPOSSIBLE = re.compile(rb"\x00\x00(?:[\x00-\x02]|\x03[^\x00-\x03])")
# A byte of ASCII text; the first of a letter of two or three bytes in UTF-8, and a further one of it.
_ASCII, _PAIR, _TRIPLE, _FURTHER = b"\1", b"\2", b"\3", b"\4"
_RANGES = (
    *((_ASCII, first, last) for first, last in ((0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x7E))),
    (_FURTHER, 0x80, 0xBF),
    (_PAIR, 0xC2, 0xDF),
    (_TRIPLE, 0xE0, 0xEF),
)
# All that may be a letter where each is one byte.
_ONE_BYTE_LETTERS = bytes(byte in (9, 10, 13) or 0x20 <= byte <= 0x7E or byte >= 0xC0 for byte in range(256))
# Not repeated from its first byte on, so that it is looked for as fast as two zeros are.
_OF_FOUR = re.compile(rb"\0\0\0?[^\0]{1,2}(?:\0\0\0?[^\0]{1,2}){%d}" % (SHORTEST_WIDE - 2))
_BEYOND_ASCII = re.compile(rb"[\xc2-\xef][\x80-\xbf]{1,2}")
_MARKS = ("\u0300", "\u036f")
"""First and last accent that stands behind its letter, as macOS writes names of files."""
_NOT_COMPOSED = {"ł": b"l", "Ł": b"L", "đ": b"d", "Đ": b"D", "ı": b"i", "œ": b"o", "Œ": b"O"}
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
    # What is escaped in a slice: behind two zeros stands a 3 before a number up to 3.
    coded = unit.replace(b"\0\0\3", b"\0\0")
    letters = coded.replace(b"\0", b"")
    sorts = letters.translate(_SORTS)
    return (
        any(is_text(letters[first:end]) for first, end in _runs(sorts, SHORTEST_TEXT, 0))
        or any(
            max(likelihoods_bits(letters[first:end]))[0] >= TAIL_BITS
            for first, end in _runs(sorts, SHORTEST_TAIL, max(0, len(letters) - TAIL_BYTES))
        )
        or any(
            look(data[start:], least_bits, unlike_samples_bits)
            for data, looks in ((letters, (_holds_accented, _holds_utf_8)), (coded, (_holds_wide,)), (_wide_of_four(coded), (_holds_wide,)))
            for look in looks
            if data
            for start, least_bits, unlike_samples_bits in (
                (0, TEXT_BITS, UNLIKE_SAMPLES_BITS[0]),
                (max(0, len(data) - TAIL_BYTES), TAIL_BITS, TAIL_UNLIKE_SAMPLES_BITS),
            )
        )
    )


def _wide_of_four(coded: bytes) -> bytes:
    """Return units of two bytes where there may be any of four (UTF-32), of which two are zeros; nothing where there are none."""
    return coded.replace(b"\0\0", b"") if _OF_FOUR.search(coded) else b""


def _runs(sorts: bytes, shortest: int, start: int) -> Iterator[tuple[int, int]]:
    """Yield first and end of each run of ASCII text; `find` passes over the rest ten times faster than an expression."""
    while (start := sorts.find(_ASCII * shortest, start)) >= 0:
        end = start + shortest
        while sorts.startswith(_ASCII, end):
            end += 1
        yield start, end
        start = end


def _runs_of(members: npt.NDArray[np.bool_], shortest: int) -> Iterator[tuple[int, int]]:
    """Yield first and end of each run of so many members or more, shape (n,)."""
    if members.size < FEW_BYTES:
        yield from _runs(members.tobytes(), shortest, 0)
    else:
        yield from zip(*(places.tolist() for places in _long_runs(members, shortest)), strict=True)


def _long_runs(members: npt.NDArray[np.bool_], shortest: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return firsts and ends of the same, all at once: neighbours that hold are joined to runs of two, of four, up to the shortest."""
    together, reach = members, 1
    while reach < shortest and together.size:
        step = min(reach, shortest - reach)
        together, reach = together[:-step] & together[step:], reach + step
    starts = np.flatnonzero(together)
    if not starts.size:
        return starts, starts
    cuts = np.flatnonzero(starts[1:] - starts[:-1] > 1)
    return starts[np.append(0, cuts + 1)], starts[np.append(cuts, starts.size - 1)] + shortest


def _likely_runs(
    members: npt.NDArray[np.bool_], codes: npt.NDArray[np.integer], most: npt.NDArray[np.floating], shortest: int, least_bits: float
) -> Iterator[tuple[int, int]]:
    """Yield first and end of runs of letters that can gain so many bits, where each code gains ``most[code]`` at most."""
    if members.size < FEW_BYTES:
        yield from _runs_of(members, shortest)
        return
    firsts, ends = _long_runs(members, shortest)
    if not firsts.size:
        return
    lengths = ends - firsts
    begins = lengths.cumsum() - lengths
    gained = most[codes[np.arange(lengths.sum()) + np.repeat(firsts - begins, lengths)]]
    likely = np.add.reduceat(gained, begins) >= least_bits - SLACK_BITS
    yield from zip(firsts[likely].tolist(), ends[likely].tolist(), strict=True)


def _shortest(data: bytes) -> int:
    return SHORTEST_TAIL if len(data) <= TAIL_BYTES else SHORTEST_TEXT


def _holds_accented(data: bytes, least_bits: float, least_unlike_samples_bits: float) -> bool:
    """Whether words stand there whose letters beyond ASCII are one byte each, in one of the codes of `ACCENTED`."""
    codes = np.frombuffer(b"\n" + data, np.uint8)
    members = np.frombuffer(data.translate(_ONE_BYTE_LETTERS), np.bool_)
    for first, end in _likely_runs(members, codes[1:], _most_of_letter(), _shortest(data), least_bits):
        if _pair_gains(*ACCENTED)[codes[first:end], codes[first + 1 : end + 1]].sum() >= least_bits and any(
            _are_words(data[first:end], code, least_bits, least_unlike_samples_bits) for code in ACCENTED
        ):
            return True
    return False


def _are_words(run: bytes, code: str, least_bits: float, least_unlike_samples_bits: float) -> bool:
    return any(
        against_chance >= least_bits and against_samples >= least_unlike_samples_bits
        for against_chance, against_samples in likelihoods_bits(run, code)[:-1]
    )


def _holds_utf_8(data: bytes, least_bits: float, least_unlike_samples_bits: float) -> bool:
    """Whether words stand there whose letters beyond ASCII are two or three bytes each (UTF-8); Latin ones are read as Windows-1252."""
    sorts = np.frombuffer(data.translate(_SORTS) + b"\0\0", np.uint8)
    further = sorts == _FURTHER[0]
    members = sorts == _ASCII[0]
    begins = {2: (sorts[:-2] == _PAIR[0]) & further[1:-1], 3: (sorts[:-2] == _TRIPLE[0]) & further[1:-1] & further[2:]}
    for size, begin in begins.items():
        for place in range(size):
            members[place : len(data) + place] |= begin
    codes, most = np.frombuffer(data, np.uint8), _most_in_utf_8()
    for first, end in _likely_runs(members[: len(data)], codes, most, _shortest(data), least_bits):
        run = data[first:end]
        # ASCII alone is looked at elsewhere.
        if (
            not run.isascii()
            and most[codes[first:end]].sum() >= least_bits
            and (
                _are_latin_words(_BEYOND_ASCII.sub(_in_one_byte, run), least_bits, least_unlike_samples_bits)
                or _are_of_a_script(run.decode(errors="replace"), least_bits + WIDE_BITS, least_unlike_samples_bits)
            )
        ):
            return True
    return False


def _are_latin_words(run: bytes, least_bits: float, least_unlike_samples_bits: float) -> bool:
    codes = np.frombuffer(b"\n" + run, np.uint8)
    likely = _pair_gains("utf-8")[codes[:-1], codes[1:]].sum() >= least_bits
    return bool(likely) and _are_words(run, "utf-8", least_bits, least_unlike_samples_bits)


def _are_of_a_script(letters: str, least_bits: float, least_unlike_samples_bits: float) -> bool:
    """Whether letters in UTF-8 are likelier to be of one script than to be drawn by chance, or samples; see `likelihoods_bits`."""
    pairs = [*dict.fromkeys(pairwise(f"\n{letters}"))]
    gains = _script_gains()[:, [ord(after) for _, after in pairs]]
    likely = gains[np.maximum(gains, 0).sum(axis=1) >= least_bits]
    if not likely.size:
        return False
    coded = [(before.encode()[-1:] + after.encode()) for before, after in pairs]
    chance = np.array([_BYTE_BITS * (len(one) - 1) for one in coded])
    unlike = [np.array([math.fsum(_smooth_bits(b - a, scale) for a, b in pairwise(one)) for one in coded]) for scale in _SMOOTHNESS]
    return any(
        _most(gained) >= least_bits and min(_most(one - chance + gained) for one in unlike) >= least_unlike_samples_bits
        for gained in likely
    )


def _in_one_byte(letter: re.Match[bytes]) -> bytes:
    """Return a letter in Windows-1252, or where it has none what it is without its accent; others as no letter."""
    character = letter[0].decode(errors="replace")
    if _MARKS[0] <= character <= _MARKS[1]:
        return b""
    if "\xc0" <= character <= "\xff":
        return character.encode("latin-1")
    if not unicodedata.name(character[0], "").startswith("LATIN"):
        return b"\0" * len(character)
    plain = unicodedata.normalize("NFD", character)[0]
    return plain.encode() if plain.isascii() else _NOT_COMPOSED.get(character, b"?")


def _holds_wide(data: bytes, least_bits: float, least_unlike_samples_bits: float) -> bool:
    """Whether letters of one script stand there, two bytes each (UTF-16), either way round."""
    gains, most = _wide_gains()
    for start in (0, 1):
        count = (len(data) - start) // 2
        sorts = _wide_sorts().take(np.frombuffer(data, "<u2", count, start), mode="clip")
        for order, sort in (("<u2", 1), (">u2", 2)):
            units = np.frombuffer(data, order, count, start)
            for first, end in _likely_runs(sorts & sort > 0, units, most, SHORTEST_WIDE, least_bits + WIDE_BITS):
                if most[units[first:end]].sum() < least_bits + WIDE_BITS:
                    continue
                letters = np.array([after for _, after in dict.fromkeys(pairwise([0, *units[first:end].tolist()]))])
                steps = np.abs((letters >> 8) - (letters & 255))
                unlike_samples = [np.array([_smooth_bits(step, scale) for step in steps.tolist()]) for scale in _SMOOTHNESS]
                for script_bits in gains[:, letters]:
                    against_samples = min(_most(2 * one - 2 * _BYTE_BITS + script_bits) for one in unlike_samples)
                    if _most(script_bits) >= least_bits + WIDE_BITS and against_samples >= least_unlike_samples_bits:
                        return True
    return False


def _most(gained_bits: npt.NDArray[np.floating]) -> float:
    """Return the highest sum of neighbours, as `_best` does."""
    sums = gained_bits.cumsum(dtype=np.float64)
    return float((sums - np.minimum(np.minimum.accumulate(sums), 0)).max())


# By name: first and last letter; or an older code, and the first bytes of the letters that it calls the frequent ones.
_LETTERS_OF = (
    *(
        (0x0370, 0x03FF),
        (0x0400, 0x04FF),
        (0x0530, 0x058F),
        (0x0590, 0x05FF),
        (0x0600, 0x06FF),
    ),  # Greek, Cyrillic, Armenian, Hebrew, Arabic
    *((first, first + 0x7F) for first in range(0x0900, 0x1000, 0x80)),  # of India, Thai, Lao, Tibetan
    *((0x1000, 0x109F), (0x10A0, 0x10FF), (0x1780, 0x17FF)),  # Burmese, Georgian, Khmer
)
_FREQUENT_OF = (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("shift_jis", 0x88, 0x97), ("euc_kr", 0xB0, 0xC8))
_ASCII_CODES = (*b"\t\n\r", *range(0x20, 0x7F))
_LATIN_CODES = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
_EASTERN_CODES = (*range(0x3000, 0x3012), *range(0x3041, 0x3100), *range(0xFF00, 0xFF5F))
"""Signs and the two Japanese alphabets."""
_MOSTLY = 0.8
"""Four letters in five are of the script itself, the fifth is one of ASCII (of Latin, one with an accent)."""


def _scripts() -> list[tuple[int, ...]]:
    """Return the letters of each script but Latin, of the large ones the frequent letters."""
    scripts = [tuple(range(first, last + 1)) for first, last in _LETTERS_OF]
    for code, first, last in _FREQUENT_OF:
        written = (bytes([lead, trail]).decode(code, "ignore") for lead in range(first, last + 1) for trail in range(0x40, 0xFF))
        scripts.append((*{ord(letter) for letter in "".join(written) if letter >= "\u3400"}, *_EASTERN_CODES))
    return scripts


@cache
def _wide_gains() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return how many bits likelier each unit is in a text of a script than by chance, shape (scripts, 65536), and the most of them."""
    scripts = [(_ASCII_CODES, _LATIN_CODES), *((letters, _ASCII_CODES) for letters in _scripts())]
    gains = np.full((len(scripts), 1 << 16), -2 * _BYTE_BITS, dtype=np.float32)
    for row, (often, seldom) in zip(gains, scripts, strict=True):
        row[list(often)] = 2 * _BYTE_BITS + math.log2(_MOSTLY / len(often))
        row[list(seldom)] = 2 * _BYTE_BITS + math.log2((1 - _MOSTLY) / len(seldom))
    return gains, gains.max(axis=0)


# Signs that stand between letters of any script: from the no-break space to the raised point and quotes; dashes and curved quotes.
_SIGNS = (*range(0xA0, 0xC0), *range(0x200C, 0x2028))
_OF_SIGNS = 0.02
"""One letter in fifty, and as many of ASCII less."""
# Letters that names are mostly made of where a script has many more: of Russian and its neighbours; of Arabic, Persian and Urdu.
_MAIN_LETTERS = (
    "".join(map(chr, range(0x0400, 0x0460))) + "ҐґҒғҖҗҚқҢңҮүҰұҺһӘәӨө",
    "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژکگیٹڈڑںےہھۀۓ،؛؟ـ۰۱۲۳۴۵۶۷۸۹",
)
# Scripts and signs of UTF-8 alone: Syriac, Thaana and others of two bytes; Greek with all accents; Ethiopic, Cherokee; any of three bytes.
_FURTHER_IN_UTF_8 = (
    *(range(0x0700, 0x0800), (*range(0x0370, 0x0400), *range(0x1F00, 0x2000)), range(0x1200, 0x1400)),
    range(0x0800, 0xFFF0),
)


@cache
def _script_gains() -> npt.NDArray[np.float32]:
    """Return how many bits likelier each letter of UTF-8 is in a text of a script than by chance, shape (scripts, 65536)."""
    often = [*_scripts(), *(tuple(map(ord, letters)) for letters in _MAIN_LETTERS), *map(tuple, _FURTHER_IN_UTF_8)]
    bytes_of = np.repeat([1, 2, 3], [0x80, 0x800 - 0x80, 0x10000 - 0x800])
    gains = np.full((len(often), 1 << 16), -2 * _BYTE_BITS, dtype=np.float32)
    for row, letters in zip(gains, often, strict=True):
        for share, codes in ((1 - _MOSTLY - _OF_SIGNS, _ASCII_CODES), (_OF_SIGNS, _SIGNS), (_MOSTLY, letters)):
            row[list(codes)] = _BYTE_BITS * bytes_of[list(codes)] + math.log2(share / len(codes))
    return gains


@cache
def _most_in_utf_8() -> npt.NDArray[np.float64]:
    """Return how many bits a letter can gain at most by the byte that it begins with; shape (256,)."""
    most: npt.NDArray[np.float64] = _pair_gains("utf-8").max(axis=0)
    # All Latin letters but those of Windows-1252 count as what they are without their accents.
    most[0xC2:0xF0] = most.max()
    of_scripts = _script_gains().max(axis=0)
    for code, first in enumerate(chr(code).encode(errors="surrogatepass")[0] for code in range(1 << 16)):
        most[first] = max(most[first], of_scripts[code])
    return most


@cache
def _wide_sorts() -> npt.NDArray[np.uint8]:
    """Return of each unit whether it is a letter of any script: 1 as it stands, 2 with its bytes swapped, 3 both."""
    members = _wide_gains()[1] > 0
    return (members + 2 * members[np.arange(1 << 16, dtype=np.uint16).byteswap()]).astype(np.uint8)


# How often letters stand in English and German names and words, in thousandths; what stands between words.
_OFTEN = (130, 90, 80, 80, 70, 70, 60, 50, 45, 45, 45, 35, 27, 27, 23, 20, 18, 16, 16, 12, 12, 10, 8, 4, 2, 2)
_LETTERS = dict(zip("eniartsohdlucmgfbwpkyvzjxq", _OFTEN, strict=True))
# Letters with accents by code, in thousandths as well; those of Cyrillic by how often they stand in Russian.
_RUSSIAN = (110, 85, 80, 73, 67, 63, 55, 47, 45, 44, 35, 32, 30, 28, 26, 20, 19, 18, 17, 17, 16, 14, 12, 10, 9, 7, 6, 5, 4, 4, 3, 2)
ACCENTED = {
    "cp1252": _LETTERS | dict.fromkeys("àáâãåæçèêëìíîïðñòóôõøùúûýþÿ", 1) | dict.fromkeys("äöüßé", 5),
    "cp1251": dict(zip("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъ", _RUSSIAN, strict=True)),
}
_BETWEEN = b'          ....,,,,::::;;---___///==""\'()<>{}[]|^@\n\t'
# How often a character of each sort (between words, upper, lower, digit) stands behind one of each: names begin with a capital;
# in identities and words of one case it is of the same sort three times in four.
_NAMES = ((0.25, 0.25, 0.25, 0.25), (0.10, 0.45, 0.40, 0.05), (0.15, 0.03, 0.80, 0.02), (0.30, 0.03, 0.03, 0.64))
_SAME = tuple(tuple(0.75 if behind == sort else 0.25 / 3 for behind in range(4)) for sort in range(4))
_COSTS_BITS = (0.0, 1.0)
"""Of the second way, because either would do."""
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


def likelihoods_bits(run: bytes, code: str = "cp1252") -> tuple[tuple[float, float], ...]:
    """Return how many bits likelier than bytes drawn by chance, and than samples of a picture, words are in a run, and codes.

    First of names, then of words of one sort, last of codes. What stands behind each other a second time counts nothing, because coded
    pictures repeat themselves where nothing changes.
    """
    pairs = [*dict.fromkeys(pairwise(b"\n" + run))]
    smooth_bits = [[_smooth_bits(after - before, scale) for before, after in pairs] for scale in _SMOOTHNESS]
    models = (
        *(([table[before][after] for before, after in pairs], cost) for table, cost in zip(_word_bits(code), _COSTS_BITS, strict=True)),
        ([_code_bits(after) for _, after in pairs], 0.0),
    )
    return tuple(
        (
            _best([_BYTE_BITS - bits for bits in model]) - cost,
            min(_best([a - b for a, b in zip(one, model, strict=True)]) for one in smooth_bits) - cost,
        )
        for model, cost in models
    )


def _best(gains: list[float]) -> float:
    """Return the highest sum of neighbours."""
    best = total = 0.0
    for gain in gains:
        total = max(0.0, total + gain)
        best = max(best, total)
    return best


def _sort_and_share(byte: int, code: str) -> tuple[int, float]:
    """Return of which sort a character is (between words, upper, lower, digit), and which share of them it is."""
    character = bytes([byte]).decode(code, "replace")
    if character.lower() in ACCENTED[code]:
        return 1 + character.islower(), ACCENTED[code][character.lower()] / 1000
    if 0x30 <= byte <= 0x39:
        return 3, 1 / 10
    return 0, 0.95 * _BETWEEN.count(byte) / len(_BETWEEN) + 0.05 / 36


_SHARES = {code: [_sort_and_share(byte, code) for byte in range(256)] for code in ACCENTED}
# Letters with accents are two bytes: chance writes them so many times more seldom.
_SHARES["utf-8"] = [(sort, share * 256 if byte >= 0xC0 else share) for byte, (sort, share) in enumerate(_SHARES["cp1252"])]


@cache
def _word_bits(code: str) -> tuple[list[list[float]], ...]:
    """Return, in names and in words of one sort, how many bits each byte takes behind each other; by the byte before, then by the byte."""
    shares = _SHARES[code]
    return tuple(
        [[-math.log2(share * behind[last_sort][sort]) for sort, share in shares] for last_sort, _ in shares] for behind in (_NAMES, _SAME)
    )


@cache
def _pair_gains(*codes: str) -> npt.NDArray[np.float64]:
    """Return how many bits likelier a byte behind another one is in words of any of these codes than by chance, or 0; shape (256, 256)."""
    fewest: npt.NDArray[np.float64] = np.array([table for code in codes for table in _word_bits(code)]).min(axis=0)
    gains: npt.NDArray[np.float64] = np.maximum(_BYTE_BITS - fewest, 0)
    return gains


@cache
def _most_of_letter() -> npt.NDArray[np.float64]:
    """Return the same at most, whatever stands before it; shape (256,)."""
    most: npt.NDArray[np.float64] = _pair_gains(*ACCENTED).max(axis=0)
    return most


def _code_bits(byte: int) -> float:
    return math.log2(len(_OF_CODES)) if byte in _OF_CODES else 2 * _BYTE_BITS


@cache
def _smooth_bits(step: int, scale: float) -> float:
    ratio = math.exp(-1 / scale)
    return -math.log2((1 - ratio) / (1 + ratio)) + abs(step) / scale * math.log2(math.e)
