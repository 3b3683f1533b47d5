"""Pseudo-English words from gibberish's parts, drawn by number, without offensive ones."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from gibberish import Gibberish

# Shorter entries of the lists ("am", "kk") occur in almost every word.
SHORTEST_OFFENSIVE = 3


@dataclass(frozen=True)
class Parts:
    """What words are made of. Sorted, because gibberish keeps its parts in sets."""

    initials: tuple[str, ...]
    vowels: tuple[str, ...]
    finals: tuple[str, ...]

    def count(self, syllables: int) -> int:
        """Return how many words of this many syllables can be spelled."""
        per_syllable: int = (len(self.vowels) * len(self.finals)) ** syllables
        return len(self.initials) * per_syllable

    def spell(self, number: int, syllables: int) -> str:
        """Return the word with this number, from 0 to ``count(syllables)`` - 1."""
        letters = []
        for choices in (self.initials, *(self.vowels, self.finals) * syllables):
            number, place = divmod(number, len(choices))
            letters.append(choices[place])
        return "".join(letters)


@cache
def parts() -> Parts:
    """Return gibberish's parts in alphabetical order."""
    source = Gibberish()
    return Parts(tuple(sorted(source.initial_consonants)), tuple(sorted(source.vowels)), tuple(sorted(source.final_consonants)))


@cache
def offensive() -> frozenset[str]:
    """Return the words that no id may contain: glin-profanity's lists in all its languages with Latin letters."""
    words = set()
    for file in files("glin_profanity.data.dictionaries").iterdir():
        if file.name.endswith(".json"):
            for entry in json.loads(file.read_text(encoding="utf-8")).get("words", ()):
                word = _plain(str(entry))
                if word.isascii() and word.isalpha() and len(word) >= SHORTEST_OFFENSIVE:
                    words.add(word)
    return frozenset(words)


def is_offensive(word: str) -> bool:
    """Return whether a word contains one of the offensive ones, forwards."""
    lengths = range(SHORTEST_OFFENSIVE, len(word) + 1)
    return any(word[i : i + length] in offensive() for length in lengths for i in range(len(word) - length + 1))


def _plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
