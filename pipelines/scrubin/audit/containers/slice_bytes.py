"""What may be hidden in the coded data of a slice, where no player looks: text, and bytes that coded data cannot have.

Only a decoder knows where the picture in a slice ends, and it says nothing about what stands behind; where slices are coded by
lengths (CAVLC) FFmpeg's does, see `scrubin.audit.pictures.decoding`. So each run of characters is held against three ways in which it
could have come about: words or codes that somebody wrote, bytes drawn by chance, which arithmetic coding (CABAC) looks like, and raw
samples of a smooth picture, which a slice may hold as they are. Text is what is likelier by far to be written than to be both others.

Sources: ITU-T H.264, 7.3.1 and 7.4.1; ITU-T H.265, 7.3.1.1 and 7.4.2: emulation prevention.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterator

WRITTEN_BITS = 64.0
"""Against chance: of a million releases of a terabyte, less than one holds such a text by chance."""
SAMPLES_BITS = {"words": 40.0, "codes": 80.0}
END_BYTES, END_BITS, END_SAMPLES_BITS = 256, 44.0, 15.0
"""What is appended reaches the end of a slice; so near to it less is enough. All are more than a render needs in order not to copy."""
NEVER = re.compile(rb"\x00\x00(?:[\x00-\x02]|\x03[^\x00-\x03])")
SHORTEST = 10
# Letters of two and three bytes (UTF-8): how many in a row, how many different ones at least, and with how many first bytes at most.
SCRIPTS = (("23", 8, 6, 2), ("433", 8, 6, 14))
# Letters of two bytes of which one is zero.
UTF_16 = re.compile(rb"\x00(?:[ -~]\x00){7,}")
UTF_16_DIFFERENT = 6

_KINDS = bytearray(256)
for _kind, _bytes in (
    (b"1", [*b"\t\n\r", *range(0x20, 0x7F)]),
    (b"2", range(0xC3, 0xE0)),
    (b"3", range(0x80, 0xC0)),
    (b"4", range(0xE0, 0xEE)),
):
    for _byte in _bytes:
        _KINDS[_byte] = _kind[0]

# Letters of English and German by how often they stand in names and words, in thousandths.
FREQUENT = {130: "e", 90: "n", 80: "ia", 70: "rt", 60: "s", 50: "o", 45: "hdl", 35: "u", 27: "cm", 23: "g", 20: "f", 18: "b"}
RARE = {16: "wp", 12: "ky", 10: "v", 8: "z", 4: "j", 2: "xq"}
BLANKS = '       ...,,,:::;---___///=""\'()\n\t'
CODES = string.ascii_letters + string.digits + "+/-_="
SPREADS = (1.5, 4.0, 10.0)


def _written() -> tuple[bytes, list[float]]:
    """Return of each byte its sort (upper case, lower case, digit or another), and how many bits it takes among those of its sort."""
    sorts, bits = bytearray(256), [-math.log2(0.05 / 36)] * 256
    for thousandths, letters in (FREQUENT | RARE).items():
        for letter in letters:
            for sort, one in ((1, letter.upper()), (2, letter)):
                sorts[ord(one)], bits[ord(one)] = sort, -math.log2(thousandths / 1000)
    for digit in string.digits:
        sorts[ord(digit)], bits[ord(digit)] = 3, math.log2(10)
    for blank in set(BLANKS):
        bits[ord(blank)] = -math.log2(0.95 * BLANKS.count(blank) / len(BLANKS) + 0.05 / 36)
    return bytes(sorts), bits


_SORTS, _BITS = _written()
_STAYS_BITS, _CHANGES_BITS = -math.log2(0.75), -math.log2(0.25 / 3)


def faults(unit: bytes) -> Iterator[str]:
    """Yield what in a slice is no coded data of a picture."""
    body = _without_zeros(unit)
    never = NEVER.search(body)
    if never:
        yield f"its byte {never.start()} begins what coded data cannot have, so something is hidden behind a picture; render it again"
    for start, end in _texts(body):
        yield f"its bytes {start} to {end} of {len(unit)} look like text, hidden behind a picture; render it again"


def _without_zeros(unit: bytes) -> bytes:
    """Cut off zeros that may stand behind any slice (9.3.1.2, cabac_zero_words), however they are written."""
    while True:
        shorter = unit.rstrip(b"\0").removesuffix(b"\0\0\3")
        if len(shorter) == len(unit):
            return unit
        unit = shorter


def _texts(body: bytes) -> Iterator[tuple[int, int]]:
    kinds, near = body.translate(_KINDS), max(0, len(body) - END_BYTES)
    for start, end in _in_a_row(kinds, b"1", SHORTEST):
        clipped = max(start, near)
        if _is_written(body[start:end], WRITTEN_BITS, SAMPLES_BITS):
            yield start, end
        elif end - clipped >= SHORTEST and _is_written(body[clipped:end], END_BITS, dict.fromkeys(SAMPLES_BITS, END_SAMPLES_BITS)):
            yield clipped, end
    for pattern, least, different, firsts in SCRIPTS:
        size = len(pattern)
        for start, end in _in_a_row(kinds, pattern.encode(), least):
            letters = [body[k : k + size] for k in range(start, end, size)]
            windows = [set(letters[k : k + least]) for k in range(len(letters) - least + 1)]
            if any(len(window) >= different and len({letter[0] for letter in window}) <= firsts for window in windows):
                yield start, end
    for match in UTF_16.finditer(body):
        if len({*match[0]} - {0}) >= UTF_16_DIFFERENT:
            yield match.span()


def _in_a_row(kinds: bytes, pattern: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Yield where a pattern stands so many times in a row, or more often."""
    start = kinds.find(pattern * least)
    while start >= 0:
        end = start + len(pattern) * least
        while kinds[end : end + len(pattern)] == pattern:
            end += len(pattern)
        yield start, end
        start = kinds.find(pattern * least, end)


def _is_written(run: bytes, chance_bits: float, samples_bits: dict[str, float]) -> bool:
    """Whether words or codes are likelier than chance and than samples; what stands there a second time counts nothing."""
    before, steps = b"\n" + run, dict[tuple[int, int], None]()
    for pair in zip(before, run, strict=False):
        steps[pair] = None
    words = [_BITS[after] + (_STAYS_BITS if _SORTS[ahead] == _SORTS[after] else _CHANGES_BITS) for ahead, after in steps]
    codes = [math.log2(len(CODES)) if chr(after) in CODES else 16.0 for _, after in steps]
    for name, written in (("words", words), ("codes", codes)):
        if _most([8 - bits for bits in written]) >= chance_bits and all(
            _most([_sample_bits(after - ahead, spread) - bits for (ahead, after), bits in zip(steps, written, strict=True)])
            >= samples_bits[name]
            for spread in SPREADS
        ):
            return True
    return False


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
