"""Finds many byte strings in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

LEAST_BYTES = 4
WORD_BYTES = 4
ALIGNED_BYTES = 2 * WORD_BYTES - 1
"""A string of so many bytes holds a whole word wherever it begins."""
LOWER_BITS = np.uint32(0x20202020)
"""Makes capitals small, and some other bytes others: a filter lets too much through, never too little."""
SLOT_BITS = 20
SPREAD, SHIFT = np.uint32(2654435761), np.uint32(32 - SLOT_BITS)
"""Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4): 2**32 over the golden ratio."""
BLOCK_WORDS = 1 << 16
"""So much stays in a core's own memory from one step of numpy to the next."""


class Scanner:
    """Finds many byte strings in one pass; 4 bytes at least, matched in any case of ASCII letters.

    Of a string of seven bytes or more only every fourth position is looked at, of a shorter one each. What passes a filter
    in numpy is compared.
    """

    def __init__(self, patterns: Iterable[bytes]) -> None:
        self.patterns = sorted({pattern.lower() for pattern in patterns})
        self.longest = max(map(len, self.patterns), default=0)
        if any(len(pattern) < LEAST_BYTES for pattern in self.patterns):
            raise ValueError(f"a pattern needs at least {LEAST_BYTES} bytes, but got {min(self.patterns, key=len)!r}")
        self._aligned = _Aligned([pattern for pattern in self.patterns if len(pattern) >= ALIGNED_BYTES])
        self._short = _Short([pattern for pattern in self.patterns if len(pattern) < ALIGNED_BYTES])

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield position and pattern of every hit."""
        yield from self._aligned.find(data)
        yield from self._short.find(data)


class _Aligned:
    """Strings of seven bytes or more: in one of four ways such a string lies on words of four bytes, and one of these is whole."""

    def __init__(self, patterns: Sequence[bytes]) -> None:
        # By where the word is in them and how long they are, so that a thousand names of one kind are one comparison.
        self._by_word: dict[int, dict[tuple[int, int], set[bytes]]] = {}
        for pattern in patterns:
            # The last of them, because names are alike where they begin.
            for place in range(len(pattern) - ALIGNED_BYTES, len(pattern) - WORD_BYTES + 1):
                word = int.from_bytes(pattern[place : place + WORD_BYTES], "little") | int(LOWER_BITS)
                self._by_word.setdefault(word, {}).setdefault((place, len(pattern)), set()).add(pattern)
        self._words = np.array(sorted(self._by_word), dtype=np.uint32)
        self._slots = np.zeros(1 << SLOT_BITS if patterns else 0, dtype=bool)
        self._slots[self._words * SPREAD >> SHIFT] = True

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        words = np.frombuffer(data, "<u4", count=len(data) // WORD_BYTES if self._by_word else 0)
        for first in range(0, len(words), BLOCK_WORDS):
            block = words[first : first + BLOCK_WORDS] | LOWER_BITS
            at = np.flatnonzero(self._slots.take(block * SPREAD >> SHIFT))
            for number, word in _known(first + at, block[at], self._words):
                for (place, length), alike in self._by_word[word].items():
                    start = number * WORD_BYTES - place
                    if start >= 0 and (there := data[start : start + length].lower()) in alike:
                        yield start, there


class _Short:
    """Strings of four to six bytes: every position passes two filters, by its first two and first four bytes."""

    def __init__(self, patterns: Sequence[bytes]) -> None:
        self._by_prefix: dict[int, dict[int, set[bytes]]] = {}
        for pattern in patterns:
            prefix = int.from_bytes(pattern[:LEAST_BYTES], "big")
            self._by_prefix.setdefault(prefix, {}).setdefault(len(pattern), set()).add(pattern)
        self._prefixes = np.array(sorted(self._by_prefix), dtype=np.uint32)
        self._pairs = np.zeros(1 << 16, dtype=bool)
        self._pairs[[int.from_bytes(pattern[:2], "little") for pattern in patterns]] = True

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        if not self._by_prefix:
            return
        lowered = data.lower()
        for position, prefix in self._candidates(np.frombuffer(lowered, np.uint8)):
            for length, alike in self._by_prefix[prefix].items():
                if (there := lowered[position : position + length]) in alike:
                    yield position, there

    def _candidates(self, data: np.ndarray) -> Iterator[tuple[int, int]]:
        for shift in (0, 1):
            count = (len(data) - shift) // 2
            if count <= 0:
                continue
            at = np.flatnonzero(self._pairs[np.frombuffer(data, "<u2", count=count, offset=shift)]) * 2 + shift
            at = at[at <= len(data) - LEAST_BYTES]
            prefix = np.zeros(len(at), np.uint32)
            for i in range(LEAST_BYTES):
                prefix = (prefix << np.uint32(8)) | data[at + i]
            yield from _known(at, prefix, self._prefixes)


def _known(at: np.ndarray, values: np.ndarray, known: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield place and value of those values that are among the known ones, which are sorted."""
    hit = known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values
    yield from zip(at[hit].tolist(), values[hit].tolist(), strict=True)
