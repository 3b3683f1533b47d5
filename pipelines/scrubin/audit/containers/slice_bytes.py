"""What may be hidden in the coded data of a slice, where no player looks: text, and bytes that coded data cannot have.

Only a decoder knows where the picture in a slice ends, and it says nothing about what stands behind; where slices are coded by
lengths (CAVLC) FFmpeg's does, see `scrubin.audit.pictures.decoding`. So each run of characters is held against three ways in which it
could have come about: words or codes that somebody wrote, bytes drawn by chance, which arithmetic coding (CABAC) looks like, and raw
samples of a smooth picture, which a slice may hold as they are. Text is what is likelier by far to be written than to be both others.
It is read as if zeros between its letters were not there, because records are filled up with them; UTF-16 alone with them.

Sources: ITU-T H.264, 7.3.1 and 7.4.1; ITU-T H.265, 7.3.1.1 and 7.4.2: emulation prevention.
"""

from __future__ import annotations

import itertools
import math
import re
import string
import unicodedata
from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

WRITTEN_BITS = 64.0
"""Against chance: of a million releases of a terabyte, less than one holds such a text by chance."""
SAMPLES_BITS = {"words": 40.0, "codes": 80.0}
SLACK_BITS = 1e-6
"""By which sums differ when they are added in another order."""
END_BYTES, END_BITS, END_SAMPLES_BITS = 256, 44.0, 15.0
"""What is appended reaches the end of a slice; so near to it less is enough. All are more than a render needs in order not to copy."""
NEVER = re.compile(rb"\x00\x00(?:[\x00-\x02]|\x03[^\x00-\x03])")
SHORTEST = 10
# Letters of scripts, as ranges of an expression; of the large ones those that an older code has behind these of its first bytes.
ASCII_UNITS, LATIN_UNITS = "\t\n\r -~", "\u00c0-\u024f\u1e00-\u1eff"
EASTERN_UNITS = "\u3000-\u3011\u3041-\u30ff\uff00-\uff5e"
SMALL_SCRIPTS = (
    *(
        "\u0370-\u03ff",
        "\u0400-\u04ff",
        "\u0530-\u058f",
        "\u0590-\u05ff",
        "\u0600-\u06ff",
        "\u1000-\u109f",
        "\u10a0-\u10ff",
        "\u1780-\u17ff",
    ),
    *(f"{chr(first)}-{chr(first + 0x7F)}" for first in range(0x900, 0x1000, 0x80)),
)
LARGE_SCRIPTS = {"gb2312": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "shift_jis": (0x88, 0x97), "euc_kr": (0xB0, 0xC8)}
# In UTF-8 also signs between words; Syriac to NKo, Greek with all accents, Ethiopic and Cherokee, whatever has three bytes; and what
# Russian and its neighbours, and Arabic, Persian and Urdu, mostly are made of.
SIGNS = "\u00a0-\u00bf\u200c-\u2027"
UTF_8_SCRIPTS = (
    *("\u0700-\u07ff", "\u0370-\u03ff\u1f00-\u1fff", "\u1200-\u13ff", "\u0800-\ud7ff\ue000-\uffef"),
    "\u0400-\u045fҐґҒғҖҗҚқҢңҮүҰұҺһӘәӨө",
    "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژکگیٹڈڑںےہھۀۓ،؛؟ـ۰-۹",
)
WIDE_BITS, OFTEN_BITS, SELDOM_BITS, SIGN_BITS = 6.0, 1.0, 3.0, 6.0
"""What it costs that any of so many scripts would do, a letter of the script, one of ASCII beside it, and a sign beside it."""
SHORTEST_WIDE = 6
LONG_BYTES = 8192
"""From so many on, all rows of a slice are weighed at once."""
ESCAPED, UNESCAPED = b"\0\0\3", b"\0\0"
# Letters of four bytes, two of them zeros (UTF-32); it begins as no repetition does, because that is looked for faster.
WIDER = re.compile(rb"\0\0\0?[^\0]{1,2}(?:\0\0\0?[^\0]{1,2}){4}")

_KINDS = bytearray(256)
for _kind, _bytes in (
    (b"1", [*b"\t\n\r", *range(0x20, 0x7F)]),
    (b"2", range(0xC2, 0xE0)),
    (b"3", range(0x80, 0xC0)),
    (b"4", range(0xE0, 0xF0)),
):
    for _byte in _bytes:
        _KINDS[_byte] = _kind[0]

BARRED = dict(zip("łŁđĐıœŒ", "lLdDioO", strict=True))

# Letters of English and German by how often they stand in names and words, in thousandths.
FREQUENT = {130: "e", 90: "n", 80: "ia", 70: "rt", 60: "s", 50: "o", 45: "hdl", 35: "u", 27: "cm", 23: "g", 20: "f", 18: "b"}
RARE = {16: "wp", 12: "ky", 10: "v", 8: "z", 4: "j", 2: "xq"}
BLANKS = '          ....,,,,::::;;---___///==""\'()<>{}[]|^@\n\t'
CODES = string.ascii_letters + string.digits + "+/-_="
SPREADS = (1.5, 4.0, 10.0)


RUSSIAN = dict(
    zip((100, 70, 60, 45, 35, 25, 17, 12, 8, 3), ("о", "еаи", "нт", "срвл", "кмдп", "уяыь", "гзбч", "йхж", "шюц", "щэфъ"), strict=True)
)
ONE_BYTE = {
    "cp1252": FREQUENT | RARE | {1: "xqàáâãåæçèêëìíîïðñòóôõøùúûýþ", 5: "äöüé"},
    "cp1251": RUSSIAN,
}
"""Letters of codes in which each is one byte, by how often they stand in words."""


def _written(code: str, frequencies: dict[int, str]) -> tuple[bytes, list[float]]:
    """Return of each byte its sort (upper case, lower case, digit or another), and how many bits it takes among those of its sort."""
    sorts, bits = bytearray(256), [-math.log2(0.05 / 36)] * 256
    for thousandths, letters in frequencies.items():
        for letter in letters:
            for sort, one in ((1, letter.upper().encode(code)), (2, letter.encode(code))):
                sorts[one[0]], bits[one[0]] = sort, -math.log2(thousandths / 1000)
    for digit in string.digits:
        sorts[ord(digit)], bits[ord(digit)] = 3, math.log2(10)
    for blank in set(BLANKS):
        bits[ord(blank)] = -math.log2(0.95 * BLANKS.count(blank) / len(BLANKS) + 0.05 / 36)
    return bytes(sorts), bits


_WORDS = {code: _written(code, frequencies) for code, frequencies in ONE_BYTE.items()}
# With two bytes a letter beyond ASCII, which chance writes so much more seldom.
_WORDS["utf-8"] = (_WORDS["cp1252"][0], [one - 8 if byte >= 0xC0 else one for byte, one in enumerate(_WORDS["cp1252"][1])])
# Behind another, upper case, lower case and a digit: how many bits another, upper case, lower case and a digit take in names; and in
# identities and in words of one case, where the same comes again. There the last costs a bit, because either would do.
_NAMES_BITS = [
    [-math.log2(hundredths / 100) for hundredths in behind]
    for behind in ((25, 25, 25, 25), (10, 45, 40, 5), (15, 3, 80, 2), (30, 3, 3, 64))
]
_STAYS_BITS, _CHANGES_BITS, EITHER_BITS = -math.log2(0.75), -math.log2(0.25 / 3), 1.0
_ONE_SORT_BITS = [[_STAYS_BITS if sort == last else _CHANGES_BITS for sort in range(4)] for last in range(4)]
_LEAST_NEXT_BITS = [min(column) for column in zip(*_NAMES_BITS, *_ONE_SORT_BITS, strict=True)]


def _most_in_words(code: str) -> list[float]:
    """Return how many bits each byte gains at most in words."""
    return [max(0.0, 8 - _LEAST_NEXT_BITS[sort] - bits) for sort, bits in zip(*_WORDS[code], strict=True)]


_ONE_BYTE_KINDS = bytes(byte in b"\t\n\r" or 0x20 <= byte < 0x7F or byte >= 0xC0 for byte in range(256))
_MOST_OF_BYTE = [*map(max, *map(_most_in_words, ONE_BYTE))]


def faults(unit: bytes) -> Iterator[str]:
    """Yield what in a slice is no coded data of a picture."""
    body = _without_zeros(unit)
    never = NEVER.search(body)
    if never:
        yield f"its byte {never.start()} begins what coded data cannot have, so something is hidden behind a picture; render it again"
    told = bytearray(len(body))  # the same bytes are read in several ways
    for start, end in _texts(body):
        if 1 in told[start:end]:
            continue
        told[start:end] = b"\1" * (end - start)
        yield f"its bytes {start} to {end} of {len(unit)} look like text, hidden behind a picture; render it again"


def _without_zeros(unit: bytes) -> bytes:
    """Cut off zeros that may stand behind any slice (9.3.1.2, cabac_zero_words), however they are written."""
    while True:
        shorter = unit.rstrip(b"\0").removesuffix(b"\0\0\3")
        if len(shorter) == len(unit):
            return unit
        unit = shorter


def _texts(body: bytes) -> Iterator[tuple[int, int]]:
    coded = body.replace(ESCAPED, UNESCAPED)
    for zeros, readings in (
        (b"\0", (_in_ascii, _in_one_byte_codes, _in_utf_8)),
        (b"", (_in_utf_16,)),
        (b"\0\0", (_in_utf_16,) if WIDER.search(coded) else ()),
    ):
        data = coded.replace(zeros, b"") if zeros else coded
        found = [place for reading in readings if data for place in reading(data, max(0, len(data) - END_BYTES))]
        if found:
            places = _places(body, coded, zeros)
            yield from ((int(places[start]), int(places[end - 1]) + 1) for start, end in found)


def _places(body: bytes, coded: bytes, zeros: bytes) -> npt.NDArray[np.intp]:
    """Return where in a slice those bytes stand that are left without what escapes, and without such zeros."""
    codes = np.frombuffer(b"\1\1" + body, np.uint8)
    left = (codes[2:] != ESCAPED[2]) | (codes[1:-1] != 0) | (codes[:-2] != 0)
    kept = np.ones(len(coded), np.bool_)
    for gap in re.finditer(re.escape(zeros), coded) if zeros else ():
        kept[gap.start() : gap.end()] = False
    return np.flatnonzero(left)[kept]


def _in_ascii(letters: bytes, near: int) -> Iterator[tuple[int, int]]:
    for start, end in _in_a_row(letters.translate(_KINDS), b"1", SHORTEST):
        clipped = max(start, near)
        if _is_written(letters[start:end], WRITTEN_BITS, SAMPLES_BITS):
            yield start, end
        elif end - clipped >= SHORTEST and _is_written(letters[clipped:end], END_BITS, dict.fromkeys(SAMPLES_BITS, END_SAMPLES_BITS)):
            yield clipped, end


def _in_utf_8(letters: bytes, near: int) -> Iterator[tuple[int, int]]:
    """Yield where words stand letters of which take two or three bytes: Latin ones with accents, or those of one other script."""
    kinds = np.frombuffer(letters.translate(_KINDS) + b"00", np.uint8) - ord("0")
    parts, further = kinds == 1, kinds == 3
    two = np.flatnonzero((kinds[:-1] == 2) & further[1:])
    three = np.flatnonzero((kinds[:-2] == 4) & further[1:-1] & further[2:])
    for places in (two, two + 1, three, three + 1, three + 2):
        parts[places] = True
    codes, most = np.frombuffer(letters, np.uint8), _most_of_first_byte()
    for start, end in _gaining(parts[: len(letters)].tobytes(), SHORTEST, most, codes, END_BITS):
        for first, chance_bits, samples_bits in (
            (start, WRITTEN_BITS, SAMPLES_BITS["words"]),
            (max(start, near), END_BITS, END_SAMPLES_BITS),
        ):
            run = letters[first:end]
            if (
                not run.isascii()
                and most[codes[first:end]].sum() >= chance_bits
                and (
                    _is_written(_without_accents(run), chance_bits, {"words": samples_bits}, "utf-8")
                    or _is_of_a_script_in_utf_8(run.decode(errors="replace"), chance_bits + WIDE_BITS, samples_bits)
                )
            ):
                yield first, end
                break


def _without_accents(run: bytes) -> bytes:
    """Return UTF-8 with one byte a letter; those that Windows-1252 does not have lose their accents, or become a question mark."""
    letters = (one if one <= "\xff" else BARRED.get(one) or unicodedata.normalize("NFD", one)[0] for one in run.decode(errors="replace"))
    return re.sub("[\u0300-\u036f]", "", "".join(letters)).encode("latin-1", "replace")


def _is_of_a_script_in_utf_8(letters: str, chance_bits: float, samples_bits: float) -> bool:
    steps = [*dict.fromkeys(zip("\n" + letters, letters, strict=False))]
    written = [ahead.encode()[-1:] + letter.encode() for ahead, letter in steps]
    for gains in _scripts_in_utf_8():
        gained = [gains.get(letter, -16.0) for _, letter in steps]
        if _most(gained) >= chance_bits and all(
            _most(
                [
                    math.fsum(_sample_bits(after - before, spread) - 8 for before, after in itertools.pairwise(one)) + bits
                    for one, bits in zip(written, gained, strict=True)
                ]
            )
            >= samples_bits
            for spread in SPREADS
        ):
            return True
    return False


def _in_one_byte_codes(body: bytes, near: int) -> Iterator[tuple[int, int]]:
    """Yield where words stand whose letters beyond ASCII are one byte each."""
    codes = np.frombuffer(body, np.uint8)
    least_bits = min(WRITTEN_BITS, END_BITS)
    for start, end in _gaining(body.translate(_ONE_BYTE_KINDS), SHORTEST, _most_of_byte(), codes, least_bits):
        for first, chance_bits, samples_bits in (
            (start, WRITTEN_BITS, SAMPLES_BITS["words"]),
            (max(start, near), END_BITS, END_SAMPLES_BITS),
        ):
            run = body[first:end]
            if math.fsum(map(_MOST_OF_BYTE.__getitem__, run)) >= chance_bits and any(
                _is_written(run, chance_bits, {"words": samples_bits}, code) for code in ONE_BYTE
            ):
                yield first, end
                break


@cache
def _scripts() -> list[dict[str, float]]:
    """Return of each script how many bits a unit of UTF-16 gains on one drawn by chance."""
    ascii_letters, latin = _members(ASCII_UNITS), _members(LATIN_UNITS)
    scripts = [(ascii_letters, latin), *((_members(small), ascii_letters) for small in SMALL_SCRIPTS)]
    scripts += [(_frequent(code), ascii_letters) for code in LARGE_SCRIPTS]
    return [
        dict.fromkeys(seldom, 16 - math.log2(len(seldom)) - SELDOM_BITS) | dict.fromkeys(often, 16 - math.log2(len(often)) - OFTEN_BITS)
        for often, seldom in scripts
    ]


@cache
def _scripts_in_utf_8() -> list[dict[str, float]]:
    """Return of each script how many bits a letter of UTF-8 gains on bytes drawn by chance."""
    often = [_members(ranges) for ranges in (*SMALL_SCRIPTS, *UTF_8_SCRIPTS)] + [_frequent(code) for code in LARGE_SCRIPTS]
    beside = ((_members(ASCII_UNITS), SELDOM_BITS), (_members(SIGNS), SIGN_BITS))
    return [
        {letter: 8 * len(letter.encode()) - math.log2(len(of)) - bits for of, bits in (*beside, (letters, OFTEN_BITS)) for letter in of}
        for letters in often
    ]


@cache
def _most_of_first_byte() -> npt.NDArray[np.float64]:
    """Return how many bits a letter of UTF-8 gains at most, by its first byte."""
    most = np.array(_most_in_words("utf-8"))
    most[0xC2:0xF0] = most.max()
    for gains in _scripts_in_utf_8():
        for letter, bits in gains.items():
            first = letter.encode()[0]
            most[first] = max(most[first], bits)
    return most


def _frequent(code: str) -> set[str]:
    """Return the letters that an older code calls the frequent ones, with the signs and alphabets beside them."""
    first, last = LARGE_SCRIPTS[code]
    pairs = itertools.product(range(first, last + 1), range(0x40, 0xFF))
    return {letter for pair in pairs for letter in bytes(pair).decode(code, "ignore") if letter >= "\u3400"} | _members(EASTERN_UNITS)


_UNITS = "".join(map(chr, range(1 << 16)))


def _members(ranges: str) -> set[str]:
    return {*re.findall(f"[{ranges}]", _UNITS)}


@cache
def _most_of_unit() -> npt.NDArray[np.float64]:
    """Return how many bits each unit gains at most in any script, 0 when it is of none."""
    most = np.zeros(1 << 16)
    for gains in _scripts():
        codes = np.array([ord(letter) for letter in gains])
        most[codes] = np.maximum(most[codes], [*gains.values()])
    return most


@cache
def _of_any_script() -> npt.NDArray[np.uint8]:
    """Return of each unit whether any script has it: bit 0 as it stands, bit 1 the other way round."""
    has = _most_of_unit() > 0
    return (has + 2 * has[np.arange(1 << 16, dtype=np.uint16).byteswap()]).astype(np.uint8)


@cache
def _most_of_byte() -> npt.NDArray[np.float64]:
    return np.array(_MOST_OF_BYTE)


def _in_utf_16(body: bytes, near: int) -> Iterator[tuple[int, int]]:
    """Yield where letters of one script stand, two bytes each, the higher or the lower one first."""
    most = _most_of_unit()
    both_ways = [_of_any_script()[np.frombuffer(body, "<u2", (len(body) - shift) // 2, shift)] for shift in (0, 1)]
    for order, shift in itertools.product("<>", (0, 1)):
        units = np.frombuffer(body, f"{order}u2", (len(body) - shift) // 2, shift)
        kinds = (both_ways[shift] & (1 if order == "<" else 2)).astype(np.bool_).tobytes()
        for first, last in _gaining(kinds, SHORTEST_WIDE, most, units, END_BITS + WIDE_BITS):
            if most[units[first:last]].sum() < END_BITS + WIDE_BITS:
                continue
            letters, start, end = "".join(map(chr, units[first:last])), shift + 2 * first, shift + 2 * last
            skipped = max(0, near - start + 1) // 2
            if _is_of_a_script(letters, body[start:end], WRITTEN_BITS, SAMPLES_BITS["words"]):
                yield start, end
            elif _is_of_a_script(letters[skipped:], body[start + 2 * skipped : end], END_BITS, END_SAMPLES_BITS):
                yield start + 2 * skipped, end


def _is_of_a_script(letters: str, run: bytes, chance_bits: float, samples_bits: float) -> bool:
    steps = dict.fromkeys(zip("\0" + letters, letters, zip(run[::2], run[1::2], strict=True), strict=False))
    for gains in _scripts():
        gained = [gains.get(letter, -16.0) for _, letter, _ in steps]
        if _most(gained) >= chance_bits + WIDE_BITS and all(
            _most(
                [2 * _sample_bits(abs(one - other), spread) - 16 + bits for (_, _, (one, other)), bits in zip(steps, gained, strict=True)]
            )
            >= samples_bits
            for spread in SPREADS
        ):
            return True
    return False


def _in_a_row(kinds: bytes, pattern: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Yield where a pattern stands so many times in a row, or more often."""
    start = kinds.find(pattern * least)
    while start >= 0:
        end = start + len(pattern) * least
        while kinds[end : end + len(pattern)] == pattern:
            end += len(pattern)
        yield start, end
        start = kinds.find(pattern * least, end)


def _gaining(
    kinds: bytes, least: int, most: npt.NDArray[np.float64], units: npt.NDArray[np.unsignedinteger], bits: float
) -> Iterator[tuple[int, int]]:
    """Yield where so many 1 stand in a row, or more, that may gain so many bits together, each unit at most ``most[unit]``: of few, all."""
    if len(kinds) < LONG_BYTES:
        yield from _in_a_row(kinds, b"\1", least)
        return
    ones = np.frombuffer(kinds, np.bool_)
    many, so_far = ones, 1  # whether so many stand from here on
    while so_far < least:
        ahead = min(so_far, least - so_far)
        many, so_far = many[:-ahead] & many[ahead:], so_far + ahead
    places = np.flatnonzero(many)
    if not places.size:
        return
    parted = places[1:] - places[:-1] > 1
    starts, ends = places[np.concatenate(([True], parted))], places[np.concatenate((parted, [True]))] + least
    behind = (ends - starts).cumsum()
    before = behind - (ends - starts)
    gained = np.add.reduceat(most[units[np.arange(behind[-1]) + np.repeat(starts - before, ends - starts)]], before)
    for row in np.flatnonzero(gained >= bits - SLACK_BITS).tolist():
        yield int(starts[row]), int(ends[row])


def _is_written(run: bytes, chance_bits: float, samples_bits: dict[str, float], code: str = "cp1252") -> bool:
    """Whether words or codes are likelier than chance and than samples; what stands there a second time counts nothing."""
    before, steps = b"\n" + run, dict[tuple[int, int], None]()
    for pair in zip(before, run, strict=False):
        steps[pair] = None
    names, words = ([table[ahead][after] for ahead, after in steps] for table in _steps_bits(code))
    codes = [math.log2(len(CODES)) if chr(after) in CODES else 16.0 for _, after in steps]
    samples: list[list[float]] = []
    for name, written, cost in (("words", names, 0.0), ("words", words, EITHER_BITS), ("codes", codes, 0.0)):
        if name in samples_bits and _most([8 - one for one in written]) >= chance_bits + cost:
            samples = samples or [[_sample_bits(after - ahead, spread) for ahead, after in steps] for spread in SPREADS]
            if all(_most([a - b for a, b in zip(one, written, strict=True)]) >= samples_bits[name] + cost for one in samples):
                return True
    return False


@cache
def _steps_bits(code: str) -> list[list[list[float]]]:
    """Return, in names and in words of one sort, how many bits each byte takes behind each other; by the byte before, then by the byte."""
    sorts, bits = _WORDS[code]
    return [
        [[one + behind[last][sort] for sort, one in zip(sorts, bits, strict=True)] for last in sorts]
        for behind in (_NAMES_BITS, _ONE_SORT_BITS)
    ]


@cache
def _sample_bits(difference: int, spread: float) -> float:
    """Return how many bits a sample takes that differs so much from the one before (Laplace)."""
    return (abs(difference) / spread - math.log(math.tanh(1 / (2 * spread)))) / math.log(2)


def _most(gains: list[float]) -> float:
    """Return the most that neighbours gain together."""
    most = here = 0.0
    for gain in gains:
        here = max(here + gain, 0.0)
        most = max(most, here)
    return most
