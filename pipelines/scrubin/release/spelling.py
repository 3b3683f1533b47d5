"""Spellings of one text: case, accents, umlauts, words."""

from __future__ import annotations

import re
import unicodedata

_NO_DECOMPOSITION = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ı": "i", "ß": "ss"}
)
_WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "å": "aa", "Å": "Aa", "ø": "oe", "Ø": "Oe"})
_RUN = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_HUMP = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-Þ])|(?<=[A-ZÀ-Þ])(?=[A-ZÀ-Þ][a-zß-öø-ÿ])")


def without_accents(text: str) -> str:
    """Return the text with base letters only.

    >>> without_accents("Müller-Ångström")
    'Muller-Angstrom'
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_NO_DECOMPOSITION))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def written_out(text: str) -> str:
    """Return the text with umlauts as two letters, as in file names and e-mail addresses.

    >>> written_out("Müller")
    'Mueller'
    """
    return without_accents(unicodedata.normalize("NFC", text).translate(_WRITTEN_OUT))


def fold(text: str) -> str:
    """Return the form in which texts are compared: no case, no accents."""
    if text.isascii():
        return text.lower()
    return without_accents(text).casefold()


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, as spelled, in order of appearance and each once.

    A word is a run of letters and digits, its runs of letters, and the humps of camel case.

    >>> words("2023-04-17_AnnaSchmidt2")
    ('2023', '04', '17', 'AnnaSchmidt2', 'AnnaSchmidt', 'Anna', 'Schmidt')
    """
    found: dict[str, None] = {}
    for run in _RUN.findall(text):
        found[run] = None
        for letters in _LETTERS.findall(run):
            found[letters] = None
            found.update(dict.fromkeys(_HUMP.split(letters)))
    return tuple(found)


def vocabulary(texts: object) -> frozenset[str]:
    """Return the folded words of all texts in a nested value of lists, mappings and texts."""
    if isinstance(texts, str):
        return frozenset(fold(word) for word in words(texts))
    if isinstance(texts, dict):
        return vocabulary([*texts, *texts.values()])
    if isinstance(texts, (list, tuple, set, frozenset)):
        return frozenset().union(*map(vocabulary, texts))
    return frozenset()
