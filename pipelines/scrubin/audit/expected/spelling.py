"""Spellings of one text: case, accents, umlauts, words, numbers, what is written in another code."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
import urllib.parse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrubin.audit.expected import Text
from scrubin.base.text import naming

if TYPE_CHECKING:
    import numpy.typing as npt

_NO_DECOMPOSITION = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ı": "i", "ß": "ss"}
)
# Dashes, signs of minus and hyphens at which no line breaks.
_NO_DECOMPOSITION |= str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe63\uff0d", "-"))
_WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "å": "aa", "Å": "Aa", "ø": "oe", "Ø": "Oe"})
# Characters that show nothing: category Cf (soft hyphen, zero-width), variation selectors, grapheme joiner.
_INVISIBLE = {code: None for code in range(0x10000) if unicodedata.category(chr(code)) == "Cf"}
_INVISIBLE |= dict.fromkeys([0x034F, *range(0xFE00, 0xFE10), *range(0xE0000, 0xE0200)])
_HEX_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2}))")
# M{\"u}ller and M\"{u}ller of BibTeX; accents say nothing.
_TEX_ACCENT = re.compile(r"""\{?(?<!\\)\\+["'`^~]\{?([^\W\d_])\}{1,2}""")
_BACKSLASH = re.compile(r"\\(?=[\W_])")  # before another, and where it only guards a sign: pat\_0017
_COLOUR = re.compile(r"(?:\x1b|\\e|\\033)\[[\d;?]*[A-Za-z]")  # of a terminal
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
# The two to four bytes of a letter in UTF-8, each taken for a letter of Windows-1252.
_MOJIBAKE = re.compile(
    f"[\u00c2-\u00f4][\u0080-\u00bf{bytes(set(range(0x80, 0xA0)) - {0x81, 0x8D, 0x8F, 0x90, 0x9D}).decode('cp1252')}]{{1,3}}"
)
_NESTED = 4  # escapes within escapes, such as JSON in a JSON string in a link
# Eight bytes and more; shorter runs are words, and say a name of four letters at the most.
_HEX_RUN = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){8,}(?![0-9A-Za-z])")
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{12,}")
_BETWEEN = str.maketrans("_-+", "   ")
_SPACED = re.compile(r"(?<![^\W_])[^\W\d_](?:([ ._\-])[^\W\d_])(?:\1[^\W\d_]){2,}(?![^\W_])")
# As ranges of an expression, decomposed: the letters of Thai and Lao, Burmese and Korean, Khmer, Japanese and Chinese.
CLOSED_UP = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3100-\u312f\u31f0-\u31ff" + (
    "\u3400-\u9fff\ua9e0-\uaa7f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Letters that stand without a blank beside other words, and beside words and numbers in other letters."""
CLOSED_UP_LETTER = re.compile(f"[{CLOSED_UP}]")
# Of the letters above, vowel signs and marks, which Python counts among signs: from Thai to Khmer, of Burmese's neighbours, of Japanese.
_MARKS = "".join(
    chr(code)
    for code in (*range(0x0E00, 0x0F00), *range(0x1000, 0x10A0), *range(0x1780, 0x1800), *range(0xA9E0, 0xAA80), 0x3099, 0x309A)
    if unicodedata.category(chr(code))[0] == "M"
)
MARK = re.compile(f"[{_MARKS}]")
RUN = re.compile(rf"[^\W_]+(?:[{_MARKS}][^\W_]*)*")
"""Letters and digits side by side, with their vowel signs where no blanks part words."""
SYLLABLE = re.compile(rf"(?:[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|.)[{_MARKS}]*", re.DOTALL)
"""A letter with its signs; the two or three letters of Korean, decomposed, that are written as one."""
_LETTERS = re.compile(rf"[^\W\d_]+(?:[{_MARKS}][^\W\d_]*)*")
TELLING_BYTES = 6
"""Two letters of Chinese or Thai, of three bytes each, say as much as four of English."""
# With a blank in between, as headings and names of two letters are spaced.
_SPACED_OUT = re.compile(rf"[{CLOSED_UP}](?:([ ._\-\u3000])[{CLOSED_UP}])(?:\1[{CLOSED_UP}])*")
NOT_IN_A_WORD = (rf"(?<![^\W_{CLOSED_UP}])", rf"(?![^\W_{CLOSED_UP}])")
"""What stands before and behind a word in an expression, for texts without accents."""
NOT_CLOSED_UP = (f"(?<![{CLOSED_UP}])", f"(?![{CLOSED_UP}])")
"""The same for a word in letters that need no blanks, where it is none beside others of them."""
HUMP = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-Þ])|(?<=[A-ZÀ-Þ])(?=[A-ZÀ-Þ][a-zß-öø-ÿ])")
"""Where a word begins in camel case: before P of videoP and of MRPatient."""


def without_accents(text: str) -> str:
    """Return the text with base letters only, and nothing that does not show.

    >>> without_accents("Müller-Ångström")
    'Muller-Angstrom'
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_NO_DECOMPOSITION))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).translate(_INVISIBLE)


def is_closed_up(word: str) -> bool:
    """Whether a word of two or three letters says enough to be one wherever its letters stand, as writing that has no blanks needs it.

    >>> [is_closed_up(word) for word in ("王小明", "王明", "王", "김", "さとう", "Li", "P07")]
    [True, True, False, False, True, False, False]
    """
    plain = as_written(word)
    return len(plain) > 1 and len(plain.encode(errors="surrogatepass")) >= TELLING_BYTES and CLOSED_UP_LETTER.search(plain) is not None


def as_written(text: str) -> str:
    """Return the text without accents, a syllable of Korean one letter.

    >>> len(without_accents("김")), len(as_written("김"))
    (3, 1)
    """
    return unicodedata.normalize("NFC", without_accents(text))


def written_out(text: str) -> str:
    """Return the text with umlauts as two letters, as in file names and e-mail addresses.

    >>> written_out("Müller")
    'Mueller'
    """
    return without_accents(unicodedata.normalize("NFC", text).translate(_WRITTEN_OUT))


def fold(text: str) -> str:
    """Return the form in which texts are compared: no case, no accents, nothing that does not show."""
    if text.isascii():
        return text.lower()
    return without_accents(text).casefold()


def apart(text: str) -> str:
    """Return a text in which one blank stands wherever words stand apart: by blanks, ends of lines, ``_``, ``-`` or ``+``.

    >>> apart("van_der  Berg+2")
    'van der Berg 2'
    """
    return " ".join(text.translate(_BETWEEN).split())


def unescaped(text: str) -> str:
    r"""Return a text with the escapes of JSON, links, HTML, Markdown, BibTeX and terminals undone, also one inside the other.

    So is UTF-8 that was read as Latin letters. What may write the end of a line, such as ``\n``, stays.

    >>> unescaped(r"Gr\u00fcn Gr%C3%BCn Gr&uuml;n Gr%25C3%25BCn GrÃ¼n Gr\\\\u00fcn")
    'Grün Grün Grün Grün Grün Grün'
    >>> unescaped(r"pat\_0017 M{\"u}ller \x1b[1mP07")
    'pat_0017 Muller P07'
    """
    for _ in range(_NESTED):
        before = text
        if "\\" in text:
            text = _BACKSLASH.sub("", _TEX_ACCENT.sub(r"\1", text))
            text = _SURROGATES.sub(_joined, _HEX_ESCAPE.sub(_character, text))
        if "\\" in text or "\x1b" in text:
            text = _COLOUR.sub("", text)
        if "%" in text:
            text = _PERCENT.sub(_unquoted, text)
        if "&" in text:
            text = html.unescape(text)
        if not text.isascii():
            text = _MOJIBAKE.sub(_read_anew, text)
        if text == before:
            break
    return text


def decoded(text: str) -> Iterator[str]:
    """Yield what stands in a text in base64, in hexadecimal digits, or letter by letter.

    >>> list(decoded("R3LDvG53YWxkbmVy, 4772c3bc6e77616c646e6572 and G.r.ü.n"))
    ['Grünwaldner', 'Grünwaldner', 'Grün']
    """
    for run in _BASE64_RUN.findall(text):
        standard = run.replace("-", "+").replace("_", "/")
        left_over = len(standard) % 4
        # With what is left over of a last group that its padding fills; without it only where that says nothing: it would cut a word.
        whole = [*_readable(base64.b64decode(standard + "=" * (4 - left_over)))] if left_over > 1 else []
        yield from whole or _readable(binascii.a2b_base64(standard[: len(standard) - left_over]))
    for run in _HEX_RUN.findall(text):
        yield from _readable(bytes.fromhex(run))
    for pattern in (_SPACED,) if text.isascii() else (_SPACED, _SPACED_OUT):
        for spaced in pattern.finditer(text):
            yield spaced[0].replace(spaced[1], "")


def _readable(data: bytes) -> Iterator[str]:
    """Yield bytes as text, unless they are none."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    if text.replace("\n", " ").isprintable():
        yield text


def _character(escape: re.Match[str]) -> str:
    code = int(next(filter(None, escape.groups())), 16)
    return chr(code) if code < 0x110000 else escape[0]


def _read_anew(run: re.Match[str]) -> str:
    data = b"".join(letter.encode("latin-1" if letter < "\u0100" else "cp1252") for letter in run[0])
    for end in range(len(data), 1, -1):
        try:
            return data[:end].decode("utf-8") + run[0][end:]
        except UnicodeDecodeError:
            continue
    return run[0]


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _unquoted(run: re.Match[str]) -> str:
    data = urllib.parse.unquote_to_bytes(run[0])
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def smallest_words(text: str) -> tuple[str, ...]:
    """Return the words of a name in order: split at everything but letters, and at the humps of camel case.

    >>> smallest_words("dateOfBirth patient_id2")
    ('date', 'Of', 'Birth', 'patient', 'id')
    """
    return tuple(word for letters in _LETTERS.findall(text) for word in HUMP.split(letters))


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, as spelled, in order of appearance and each once.

    A word is a run of letters and digits, its runs of letters, and the humps of camel case.

    >>> words("2023-04-17_AnnaSchmidt2")
    ('2023', '04', '17', 'AnnaSchmidt2', 'AnnaSchmidt', 'Anna', 'Schmidt')
    """
    each_once: dict[str, None] = {}
    for run in RUN.findall(text):
        each_once[run] = None
        for letters in _LETTERS.findall(run):
            each_once[letters] = None
            each_once.update(dict.fromkeys(HUMP.split(letters)))
    return tuple(each_once)


def folded_words(texts: object) -> frozenset[str]:
    """Return the folded words of all texts in a nested value of lists, mappings and texts."""
    if isinstance(texts, str):
        return frozenset(fold(word) for word in words(texts))
    if isinstance(texts, dict):
        return folded_words([*texts, *texts.values()])
    if isinstance(texts, (list, tuple, set, frozenset)):
        return frozenset().union(*map(folded_words, texts))
    return frozenset()


PERSON_SPELT = "blanks, underscores, punctuation, accents or the order of words"
"""In what `person_forms` lets names of one person differ, besides `scrubin.base.text.naming.SPELT`; for messages."""
_BETWEEN_WORDS = re.compile(r"[\s_.,-]+")
_BESIDE_A_LETTER = re.compile(r" (?!\d)|(?<!\d) ")
"""Between two numbers a blank counts: ``1 1`` is not ``11``."""
_MOST_TURNED = 6
"""Words of a name, any of which may be the first."""


def person_forms(name: str) -> frozenset[str]:
    """Return forms of a person's name; two names that share one may well be one person, and need not be.

    Words count joined, and in any order, unless they are codes: of ``1-2`` and ``2-1``, or ``A B`` and ``B A``, each may be somebody.

    >>> [bool(person_forms("Søndergård_Eva") & person_forms(other)) for other in ("eva Sondergard", "Soendergaard, Eva", "Eva Berg")]
    [True, True, False]
    >>> bool(person_forms("A B") & person_forms("B_A")), bool(person_forms("O'Hara") & person_forms("OHara"))
    (False, True)
    >>> [bool(person_forms("P_1") & person_forms(other)) for other in ("P 01", "P1", "P11", "P 1 1")]
    [True, True, False, False]
    """
    forms = set()
    for form in (without_accents, written_out):
        plain = form(naming.spelling(name)).replace("'", "")
        parts = [naming.spelling(part) for part in _BETWEEN_WORDS.split(plain) if part]
        is_code = any(map(str.isdigit, plain)) or not any(map(_is_word, parts))
        if not is_code:
            forms.add(" ".join(sorted(parts)))
        # Joined, an initial could be any first letter: A. Berg is not Aberg.
        if is_code or all(map(_is_word, parts)):
            turns = 1 if is_code else min(len(parts), _MOST_TURNED)
            forms |= {_BESIDE_A_LETTER.sub("", " ".join(parts[at:] + parts[:at])) for at in range(turns)}
    return frozenset(forms or {name})


def _is_word(part: str) -> bool:
    """Return whether a part of a name is more than a letter: a single sign of Chinese, or a syllable of Korean, is a name."""
    return len(part) > 1 or unicodedata.east_asian_width(part) == "W"


SMALLEST = 10**6  # a date of 8 digits whose first is 0
SMALLEST_OF_A_DAY = 10**4  # the same with 6 digits
LARGEST = 10**17  # 8 digits of a date, 9 of a time


def text_of(place: str, values: npt.NDArray[Any] | Iterable[float], *, day: bool) -> list[Text]:
    """Return the whole numbers among values that can hold a date, as one text; none where there are none.

    Parameters
    ----------
    place
        Of the text.
    values
        Any numbers; NaN and fractions are passed over.
    day
        Whether the name of the column says that it holds days. Only then 6 digits count, because
        frame numbers and ids of annotations have as many.
    """
    import numpy as np  # lists of names are read without it

    array = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if array.dtype.kind not in "iuf" or (array.dtype.kind in "iu" and array.dtype.itemsize < 4 and not day):
        return []
    with np.errstate(invalid="ignore"):
        size = np.abs(array.astype(np.float64)).ravel()
    low = SMALLEST_OF_A_DAY if day else SMALLEST
    whole = np.unique(size[(size >= low) & (size < LARGEST) & (size == np.floor(size))])
    numbers = set(map(int, whole.tolist()))
    spelled = {str(number) for number in numbers}
    # A leading zero is lost in a number. Seven digits that count up are ids.
    spelled |= {f"{number:08d}" for number in numbers if number < 10**7 and not {number - 1, number + 1} & numbers}
    if day:
        spelled |= {f"{number:06d}" for number in numbers if number < 10**5}
    return [Text(place, "\n".join(sorted(spelled)), structured=not day)] if spelled else []


_SPECIAL_IN_BIBTEX = str.maketrans({letter: f"\\{letter}" for letter in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"})


def escaped_for_bibtex(text: str) -> str:
    """Return a text with the signs that LaTeX reads otherwise made harmless."""
    return text.translate(_SPECIAL_IN_BIBTEX)
