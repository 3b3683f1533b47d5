"""Private words in text that was read in a picture, however badly it was read.

Both sides are brought to a *skeleton*: lower case, no accents, no spaces or punctuation, letters that
readers take for one another as one (O and 0, I and l and 1, S and 5, B and 8, rn and m). A word is hit

- when its skeleton is a part of the text's, from six characters on wherever it stands, shorter ones as
  whole tokens ("Mark" is none in "benchmark");
- when whole tokens of the text, taken together ("Bren ner"), are at most ``edits`` letters away from it;
- when the text begins or ends in the middle of it: at least two thirds, and six characters.

At least half of its characters must have been read as what they are: 5011 is no "soll". Digits are never
taken for other digits: another number is another number. What stands in ``COMMON`` is a word of recorders.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

SHORTEST = 3
SHORTEST_NUMBER = 6
ANYWHERE = 6
CUT_SHARE = 2 / 3
MOST_EDITS = 4
_ALIKE = {"0": "o", "1": "i", "l": "i", "|": "i", "!": "i", "5": "s", "$": "s", "8": "b", "2": "z", "9": "g", "q": "g", "v": "u"}
_PAIRS = {"rn": "m", "uu": "w", "ci": "d"}
"""Two letters that are read as one, in the skeleton's own letters: vv is uu, cl is ci."""
_PAIR = re.compile("|".join(_PAIRS))
_TOKEN = re.compile(r"(?:[^\W_]|[|!$])+")
# A small letter before a capital one ends a token, and letters beside a long number do.
_SWITCH = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[^\W\d_]{2})(?=\d{4})|(?<=\d{4})(?=[^\W\d_]{2})")
_SPELLED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"})
_WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})

_RECORDERS = """\
auto automatic balance battery brightness camera case channel clamp contrast copy date digital display endo error filter flow focus
forceps frame gain high hospital image input iris left level light live memory menu mode monitor name normal online output patient
pause paused picture play playback power press pressure print printing ready record recorded recorder recording reset right room save
saved scope select sharpness shutter signal single snapshot sound source standard standby start status stereo stop store surgeon
surgery system temp time title total trial usb version video view volume white zoom
aufnahme bild datum eingang gerät helligkeit kamera klinik licht links monat quelle rechts saal uhr zeit
"""
COMMON = frozenset(_RECORDERS.split())
"""What recorders write by themselves: read like this it is no misreading of a name that looks similar."""


def edits(characters: int) -> int:
    """Return how many letters a reading may differ from a word of so many characters.

    >>> [edits(characters) for characters in (5, 6, 8, 12, 40)]
    [0, 1, 2, 3, 4]
    """
    return 0 if characters < ANYWHERE else min(MOST_EDITS, 1 if characters < 8 else 2 if characters < 11 else characters // 4)


def fold(text: str) -> str:
    """Return a text in lower case and without accents; ß is ss.

    >>> fold("Krämer Straße")
    'kramer strasse'
    """
    # A letter may decompose into one and a mark of its own, such as ŀ into l and a dot: the mark is no punctuation.
    parts = ((whole, part) for whole in text.casefold().translate(_SPELLED) for part in unicodedata.normalize("NFKD", whole))
    return "".join(part for whole, part in parts if not unicodedata.combining(part) and (part.isalnum() or not whole.isalnum()))


@dataclass(frozen=True)
class _Spelling:
    """One way to spell a word of the list."""

    word: str
    folded: str
    skeleton: str

    @property
    def numeric(self) -> bool:
        return self.folded.isdecimal()


class WordFinder:
    """Finds the words of a list in what a reader made of a picture.

    Parameters
    ----------
    words
        Names, places, ids, dates: each is looked for as a whole, so give the parts of a name, too.

    Attributes
    ----------
    too_short
        Words that are never looked for: of fewer than 3 letters and digits, or of digits alone and fewer than 6.
    """

    def __init__(self, words: Iterable[str]) -> None:
        listed = self._listed = sorted(set(words))
        searched = [word for word in listed if _long_enough(_bare(word))]
        self.too_short = tuple(word for word in listed if not _long_enough(_bare(word)))
        self._spellings = sorted(
            {(word, _bare(text)) for word in searched for text in (word, word.casefold().translate(_WRITTEN_OUT))},
        )
        self._all = [_Spelling(word, folded, _skeleton(folded)) for word, folded in self._spellings]
        self._letters = sorted(set("".join(one.skeleton for one in self._all)))
        self._counts = np.array([self._count(one.skeleton) for one in self._all], np.int16).reshape(len(self._all), len(self._letters))
        self._edits = np.array([0 if one.numeric else edits(len(one.skeleton)) for one in self._all], np.int64)
        self._hits = lru_cache(maxsize=4096)(self._search)

    def __reduce__(self) -> tuple[Any, ...]:
        # Sent with every piece of work, but made once in each process.
        return _finder, (tuple(self._listed),)

    def hits(self, text: str) -> list[str]:
        """Return the words of the list that stand in a text, as they were listed, sorted.

        >>> WordFinder(["Brenner", "Nordstadt", "P12345"]).hits("8RENMER  Nord stadt  Pl2345")
        ['Brenner', 'Nordstadt', 'P12345']
        """
        return list(self._hits(text))

    def _search(self, text: str) -> tuple[str, ...]:
        tokens = _tokens(text)
        if not tokens or not self._all:
            return ()
        found = {one.word for one in self._inside(tokens)}
        for window in _windows(tokens, max(len(one.folded) for one in self._all) + MOST_EDITS):
            found |= {one.word for one in self._like(window)}
        found |= {one.word for one in self._cut(tokens)}
        return tuple(sorted(found))

    def _inside(self, tokens: list[str]) -> Iterator[_Spelling]:
        """Yield what stands in the text without any edit, wherever."""
        folded = "".join(tokens)
        skeleton, runs = _skeleton(folded), [_skeleton(token) for token in tokens]
        for one in self._all:
            if len(one.folded) < ANYWHERE or not (one.folded in folded or one.skeleton in skeleton):
                continue
            # Part of a longer number it is none.
            fits = any(run == one.skeleton for run in runs) if one.numeric else _half_as_it_is(one.folded, folded)
            if fits and not (one.folded != folded and folded in COMMON):
                yield one

    def _like(self, window: str) -> Iterator[_Spelling]:
        """Yield what whole tokens, taken together, may be a misreading of."""
        skeleton = _skeleton(window)
        missing = np.maximum(self._counts - np.array(self._count(skeleton), np.int16), 0).sum(axis=1)
        for place in np.flatnonzero(missing <= self._edits).tolist():
            one, most = self._all[place], int(self._edits[place])
            if abs(len(one.skeleton) - len(skeleton)) > most or (window in COMMON and window != one.folded):
                continue
            if len(one.folded) <= SHORTEST and window != one.folded:
                continue
            if _digits_agree(one.folded, window) and _half_as_it_is(one.folded, window) and _distance(one.skeleton, skeleton) <= most:
                yield one

    def _cut(self, tokens: list[str]) -> Iterator[_Spelling]:
        """Yield what the text begins or ends in the middle of."""
        first, last = tokens[0], tokens[-1]
        for one in self._all:
            least = max(ANYWHERE, int(np.ceil(len(one.skeleton) * CUT_SHARE)))
            for token, whole in ((last, one.skeleton.startswith), (first, one.skeleton.endswith)):
                skeleton = _skeleton(token)
                if least <= len(skeleton) < len(one.skeleton) and not one.numeric and token not in COMMON and whole(skeleton):
                    yield one

    def _count(self, skeleton: str) -> list[int]:
        counted = Counter(skeleton)
        return [counted[letter] for letter in self._letters]


@lru_cache(maxsize=2)
def _finder(listed: tuple[str, ...]) -> WordFinder:
    return WordFinder(listed)


def _bare(text: str) -> str:
    return "".join(_TOKEN.findall(fold(text)))


def _long_enough(folded: str) -> bool:
    return len(folded) >= (SHORTEST_NUMBER if folded.isdecimal() else SHORTEST)


def _skeleton(folded: str) -> str:
    return _PAIR.sub(lambda pair: _PAIRS[pair[0]], "".join(_ALIKE.get(letter, letter) for letter in folded))


def _tokens(text: str) -> list[str]:
    """Return the runs of letters and digits, folded."""
    return [_bare(run) for run in _TOKEN.findall(_SWITCH.sub(" ", unicodedata.normalize("NFC", text)))]


def _windows(tokens: list[str], longest: int) -> set[str]:
    """Return neighbouring tokens taken together, up to a length."""
    windows = set()
    for first in range(len(tokens)):
        joined = ""
        for token in tokens[first:]:
            joined += token
            if len(joined) > longest:
                break
            windows.add(joined)
    return windows


def _digits_agree(word: str, read: str) -> bool:
    """Whether the numbers are the same, where both were read as numbers."""
    if not any(letter.isdigit() for letter in word):
        return True
    return [letter for letter in _skeleton(word) if letter in _DIGITS] == [letter for letter in _skeleton(read) if letter in _DIGITS]


_DIGITS = frozenset({_ALIKE.get(str(digit), str(digit)) for digit in range(10)})


def _half_as_it_is(word: str, read: str) -> bool:
    return 2 * (Counter(word) & Counter(read)).total() >= len(word)


def _distance(a: str, b: str) -> int:
    """Return how many letters must be put in, taken out or exchanged (Levenshtein 1966)."""
    before = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        now = [i]
        for j, other in enumerate(b, 1):
            now.append(min(before[j] + 1, now[-1] + 1, before[j - 1] + (letter != other)))
        before = now
    return before[-1]
