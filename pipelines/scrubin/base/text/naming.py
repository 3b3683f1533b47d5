"""Names as people write them: which spellings are one name, which cells name nobody, and which several people.

A name is of a person, mostly: a participant or a rater. Whoever compares two names asks here, so that nobody is two people, in two
subsets, by a blank, a dash or a character that does not show.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from scrubin.base.text.csv_text import is_missing, shown

UNNAMED = frozenset(
    {
        "?",
        "??",
        "???",
        "anon",
        "anonym",
        "anonymous",
        "aucun",
        "desconocido",
        "inconnu",
        "missing",
        "nadie",
        "niemand",
        "no-one",
        "nobody",
        "noone",
        "personne",
        "tbd",
        "todo",
        "unbekannt",
        "unk",
        "unknown",
        "unnamed",
    }
)
"""What people write in place of a name that they do not know, in small letters: two rows of it may be of two people, and either of them
of one who stands elsewhere."""
_UNNAMED_SHORT = re.compile(r"[kn]\. ?a\.|k\. ?A\.|n\. ?n\.|n\.a")
"""The same as people shorten it; in capital letters these are initials of a name."""
_SPREADSHEETS = re.compile(
    r"=.*|#{3,}|#n/[abdtv]|#nv|#(null|zero|ref|num|spill|calc|div/0|value|name|bezug|zahl|wert|überlauf|nul|nombre|valeur|nom|champ|¡\w[^!]*|¿\w[^?]*)[!?]"
    r"|#¡?[^\W_]+/0!|#getting_data|err:[0-9]{3}",
    re.IGNORECASE | re.DOTALL,
)
"""An error as spreadsheets write it in any language, such as ``#REF!``, ``#¿NOMBRE?``, ``#NV`` and ``Err:502``; or a formula."""
SPELT = "case, spaces, dashes, forms of letters, zeros of numbers or what does not show"
"""In what two spellings of one name may differ, for messages."""
# A spreadsheet takes the zeros before a number; pandas writes 7.0 where a cell of the column is empty.
_ZEROS = re.compile(r"(?<![0-9.])0+(?=[0-9])")
_POINT_ZERO = re.compile(r"([0-9]+)\.0+")
_HIDDEN = (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE10), 0xFFA0, *range(0xE0000, 0xE1000))
"""What shows nothing by itself beside controls and marks of formats: joiners and fillers of letters, variation selectors, tags."""
_APOSTROPHES = "`\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201b\u2032\u2035\u055a\u05f3\uff07"
_DASHES = "\u02d7\u2043\u2212"
"""Those that Unicode does not call dashes."""
_CONTROLS = ("Cc", "Zl", "Zp")
_NAMED_CONTROLS = {**dict.fromkeys("\n\r\u2028\u2029", "a line break"), "\t": "a tab"}
_BETWEEN_NAMES = re.compile(r"\s*[;/+&,]\s*|\s+and\s+", re.IGNORECASE)
_BETWEEN_PEOPLE = re.compile(r"\s*[;+&]\s*|\s+and\s+", re.IGNORECASE)
"""Of them, those that stand inside of one name hardly ever: a comma does (``Doe, Jane``), and a stroke (``A/B team``)."""
LISTED = frozenset(";+")
"""What stands between people alone."""
ONE_PERSON = "write one person, whom subsets keep apart; if it is one name, write it without ; / + & , and the word 'and'"
"""The mend of a cell that names several people."""


@cache
def _one_look() -> dict[int, str | None]:
    """Return what stands for characters that nobody sees, or that nobody tells apart."""
    kinds = {code: unicodedata.category(chr(code)) for code in range(0x20000)}
    same: dict[int, str | None] = {code: "-" for code, kind in kinds.items() if kind == "Pd"}
    same |= {code: None for code, kind in kinds.items() if kind in ("Cc", "Cf") and not chr(code).isspace()}
    return {**same, **dict.fromkeys(_HIDDEN), **dict.fromkeys(map(ord, _DASHES), "-"), **dict.fromkeys(map(ord, _APOSTROPHES), "'")}


def seen(name: str) -> str:
    r"""Return a name as it is seen: without what does not show, and with one kind of dash, apostrophe and blank.

    Two names that are the same then are one: nobody would write two people so. What joins letters, as Persian and Hindi need it, is
    part of a name, but no two names differ in it alone.

    >>> seen("P01\N{ZERO WIDTH SPACE}"), seen("O\N{RIGHT SINGLE QUOTATION MARK}Hara\N{NO-BREAK SPACE}\N{EN DASH} 1")
    ('P01', "O'Hara - 1")
    """
    return " ".join(unicodedata.normalize("NFC", name.translate(_one_look())).split())


def look(name: str) -> str:
    """Return a name as it is `seen`; one of which nothing is seen as it is written, so that it is not the empty name of nobody."""
    return seen(name) or name


def spelling(name: str) -> str:
    r"""Return what two spellings of one name share: as it is `seen`, without case, forms of letters and zeros of numbers.

    >>> spelling("Ann\N{NO-BREAK SPACE}Lee") == spelling("ann  LEE"), spelling("P1") == spelling("P01"), spelling("10.0")
    (True, True, '10')
    """
    text = _ZEROS.sub("", " ".join(unicodedata.normalize("NFKC", seen(name)).casefold().split()))
    whole = _POINT_ZERO.fullmatch(text)
    return whole[1] if whole else text


def is_of_spreadsheet(cell: str) -> bool:
    """Return whether a cell is an error or a formula of a spreadsheet, and no value.

    >>> [is_of_spreadsheet(cell) for cell in ("#N/A", "#DIV/0!", "#¿NOMBRE?", "#NV", "Err:502", "####", "=B2", "#7", "#Anna")]
    [True, True, True, True, True, True, True, False, False]
    """
    return _SPREADSHEETS.fullmatch(seen(cell)) is not None


def nobody(cell: str) -> str:
    """Return why a cell of names, of people or of other groups, names nobody; "" when it names somebody.

    >>> nobody(""), nobody("n/a"), nobody("Unknown"), nobody("#REF!"), nobody("P01")
    ('is empty', "is empty: 'n/a' names nobody", "is 'Unknown', which names nobody", "is '#REF!', of a spreadsheet and no name", '')
    """
    text = seen(cell)
    if is_missing(text):
        return f"is empty: '{text}' names nobody" if text else "is empty"
    if is_of_spreadsheet(text):
        return f"is '{shown(text)}', of a spreadsheet and no name"
    is_short = _UNNAMED_SHORT.fullmatch(text) is not None
    return f"is '{text}', which names nobody" if is_short or not text.strip("-") or spelling(text) in UNNAMED else ""


def control(name: str) -> str:
    r"""Return what a cell holds that no name has, in words: a character of control, such as a line break in quotation marks; "" for none.

    What joins letters, as Persian and Hindi need it, is none.

    >>> control("op\n3"), control("a\tb"), control("a\x07"), control("op 3")
    ('a line break', 'a tab', 'the control character U+0007', '')
    """
    found = next((one for one in name if unicodedata.category(one) in _CONTROLS), "")
    if not found:
        return ""
    return _NAMED_CONTROLS.get(found, f"the control character U+{ord(found):04X}")


def parts_of(name: str) -> list[str]:
    """Return what would be several names in one cell; of one name that itself.

    >>> parts_of("P1; P2"), parts_of("Anderson")
    (['P1', 'P2'], ['Anderson'])
    """
    return [part for part in _BETWEEN_NAMES.split(name.strip()) if part]


def of_several(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return which cells of a column of people name several of them, as ``P1; P2``: taken for one name, either could be in two subsets.

    One does when a part of it is somebody's name in another cell, or, by what stands between names only, a part of another cell.
    All its parts must be such, unless a semicolon or a plus stands between them.

    Parameters
    ----------
    names
        The cells; one in which no part is known, such as ``A/B team``, is one name.

    Returns
    -------
    dict
        By cell, the part of it and the first other cell that names the same.

    >>> of_several(["P1; P2", "P2", "A/B team", "Doe, Jane", "Doe, John"]), of_several(["S0 + S3", "S1 + S3"])["S0 + S3"]
    ({'P1; P2': ('P2', 'P2')}, ('S3', 'S1 + S3'))
    """
    every = dict.fromkeys(names)
    alone = {spelling(name): name for name in reversed(every)}
    partly: dict[str, list[str]] = {}
    for name in every:
        for part in _surely_parts(name):
            with_it = partly.setdefault(spelling(part), [])
            if len(with_it) < 2 and name not in with_it:
                with_it.append(name)
    met: dict[str, tuple[str, str]] = {}
    for name in every:
        parts, surely = _several_parts(name), _surely_parts(name)
        places = [(part, alone[spelling(part)]) for part in parts if spelling(part) in alone]
        # What several names have at their end, as "Rio & Co", is a word and nobody; what lists people stands in no name.
        if not LISTED.isdisjoint(name) or all(spelling(part) in alone or len(partly[spelling(part)]) > 1 for part in surely):
            places += [(part, other) for part in surely for other in partly[spelling(part)]]
        for part, other in places:
            if other != name:
                met.setdefault(name, (part, other))
    return met


def _several_parts(name: str) -> list[str]:
    parts = parts_of(name)
    return parts if len(parts) > 1 else []


def _surely_parts(name: str) -> list[str]:
    parts = [part for part in _BETWEEN_PEOPLE.split(name.strip()) if part]
    return parts if len(parts) > 1 else []
