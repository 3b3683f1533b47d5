"""Search of many strings at once, in bytes or in text."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath

from scrubin.audit.expected import Text
from scrubin.audit.expected.dates import spelled_in, unlisted
from scrubin.audit.expected.private_strings import ANYWHERE_LENGTH, NAMED, REQUESTED, WITHDRAWN, Labelled, Needle, Private, is_common
from scrubin.audit.expected.scanner import LEAST_BYTES, Scanner
from scrubin.audit.expected.spelling import (
    CLOSED_UP,
    CLOSED_UP_LETTER,
    HUMP,
    MARK,
    NOT_CLOSED_UP,
    NOT_IN_A_WORD,
    RUN,
    apart,
    decoded,
    fold,
    unescaped,
    without_accents,
    written_out,
)
from scrubin.audit.expected.withdrawal_memory import beginning

_RUN = re.compile(rf"\w+(?:{MARK.pattern}\w*)*")
BROKEN_LETTERS = 7
"""A shorter name may be two words by chance: Anna in "an na"."""
_GAP = r"(?:[-_]\s{0,20}|\s{1,20})"
_BREAK = re.compile(rf"(?<=[^\W\d_]){_GAP}(?=[^\W\d_])")
# Letters that end a syllable of Korean, decomposed: a name that ends before one ends within what is written as one letter.
_FIRST_FINAL, _LAST_FINAL = "\u11a8".encode(), "\u11ff".encode()
_NO_FINAL = "(?![\u11a8-\u11ff])"
CONTEXT_BYTES = 160  # kept from the chunk before, to see the word around a hit
CHANCE_HITS = 0.001
"""Expected number of chance hits of the raw search over a whole release, for all needles together."""
SMALL_WORD = 2
LONE_DIGITS = 8  # shorter bare numbers say nothing among the numbers of a table
DIGEST_LENGTHS = (16, 32, 40, 64, 128)
TIME_OF_DAY_LENGTHS = (4, 6, 9)  # HHMM, HHMMSS, HHMMSSmmm written right after a date
_LINE_ESCAPE = re.compile(r"(-?)\\([abefnrtv0][^\W_]*)")
_FRAME_NAME = re.compile(r"frames/(?:(?!frames/)[^\n\"',;|])*?/\d+\.[a-z]{3,4}")
_LETTER_BYTES = b"abcdefghijklmnopqrstuvwxyz"
_LETTERS = frozenset(_LETTER_BYTES)
_DIGITS = frozenset(b"0123456789")
# Of 1E-10 and 1.5E10, with a blank where a sign was; 20230105E-10 is a day before a code.
_EXPONENT = re.compile(rb"E(?:[-+ ][0-9]|[1-9])[0-9]*")
_MANTISSA = re.compile(rb"(?:[0-9]\.[0-9]+|(?<![0-9A-Za-z_])[0-9]{1,5})\Z")
LONGEST_MANTISSA = 20
_HEX = _DIGITS | frozenset(b"abcdef")
_WORD = _LETTERS | _DIGITS | frozenset(_LETTER_BYTES.upper()) | frozenset(range(0x80, 0x100))
# As a word of these is searched as a whole word only, what begins or ends with one is, too, unless its number says enough.
_FEW_LETTERS = re.compile(rf"(?!.*\d{{5}})[^\W\d_]{{1,{ANYWHERE_LENGTH - 1}}}(?![^\W\d_])", re.DOTALL)
# Two letters of one word: not of two scripts, nor a digit before a capital, unless it is the number's, as in 3D and hexadecimal.
_LATIN = "0-9A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_ONE_WORD = re.compile(rf"(?![0-9][A-Z])(?:[{_LATIN}]{{2}}|[^\W_{_LATIN}{CLOSED_UP}]{{2}})")
_OF_A_NUMBER = re.compile(r"(?:[1-4]D|[2-8]K|(?:480|576|720|1080|1440|2160)[IP]|(?:0|[0-9A-F]*[0-9][A-F]+[0-9]+)[A-F])(?![^\W\d_])")


class Search:
    """The needles of ``Private``, ready for files and texts.

    Parameters
    ----------
    private
        What to look for.
    total_bytes
        Size of all raw bytes that will be searched; decides which needles can be searched there.
    frame_names
        Paths of the planned frames; their numbers are the plan's own, wherever they stand.
    """

    def __init__(self, private: Private, total_bytes: int, frame_names: frozenset[str] = frozenset()) -> None:
        self._public = private.public
        self._dates = private.dates
        self._public_days = private.public_days
        self._withdrawn = private.withdrawn
        self._frame_names = frame_names | {twin for name in frame_names for twin in _twins(name)}
        # In compressed bytes the path around a frame's number is not readable.
        counters = {called for name in frame_names for called in (PurePosixPath(name).stem, PurePosixPath(name).name)}
        self._text: dict[bytes, Needle] = {}
        self._apart: dict[bytes, Needle] = {}
        spelled: dict[bytes, Needle] = {}
        # Backwards, so that of equal strings the first kind stays: participant before path and recording.
        for needle in reversed(private.needles):
            if needle.rule in ("anywhere", "digits"):
                self._text.update({one: needle for one in map(_bytes, needle.folded) if len(one) >= LEAST_BYTES})
                if self._is_of_words(needle):
                    self._apart.update({one: needle for one in map(_bytes, map(apart, needle.folded)) if len(one) >= LEAST_BYTES})
                if needle.text not in counters:
                    spelled.update(dict.fromkeys(spellings(needle.text), needle))
        self._raw = {pattern: spelled[pattern] for pattern in affordable(spelled, total_bytes)}
        self._labelled = Labelled(needle for needle in private.needles if needle.rule == "labelled")
        tokens = [(spelling, one) for one in reversed(private.needles) if one.rule == "token" for spelling in _token_spellings(one)]
        self._tokens = dict(tokens)
        names = {fold(needle.text) for needle in private.needles if needle.discloses in NAMED}
        parts = "\n".join(names)
        # What folders, files and recordings alone are called stands in chapters and dates: 第1, 3月. Of whoever is called 王, 王1 is an id.
        self._named = {
            one
            for one, needle in tokens
            if needle.discloses in (*NAMED, REQUESTED) or fold(one) in parts or "".join(CLOSED_UP_LETTER.findall(fold(one))) in names
        }

    @cached_property
    def _long_names(self) -> dict[bytes, Needle]:
        """What may stand in two parts without being two common words: one word that names a person or a site."""
        named = (needle for needle in self._text.values() if needle.discloses in NAMED and needle.text.isalpha())
        return {folded.encode(): needle for needle in named for folded in needle.folded if len(folded) >= BROKEN_LETTERS}

    @cached_property
    def _name_scanner(self) -> Scanner:
        return Scanner(self._long_names)

    @cached_property
    def _text_scanner(self) -> Scanner:
        return Scanner(self._text)

    @cached_property
    def _apart_scanner(self) -> Scanner:
        return Scanner(self._apart)

    @cached_property
    def _raw_scanner(self) -> Scanner:
        return Scanner(self._raw)

    @cached_property
    def _token_pattern(self) -> re.Pattern[str] | None:
        kinds: dict[tuple[str, str, str], list[str]] = {}
        for word in sorted(self._tokens):
            kinds.setdefault((re.escape(word[0]), *_around(word, named=word in self._named)), []).append(re.escape(word[1:]))
        # Public words come first: what lies in one is passed over with it.
        folded = {fold(word) for word in self._tokens}
        closed_up = filter(CLOSED_UP_LETTER.search, sorted(self._public))
        public = [re.escape(word) for word in closed_up if word not in folded and any(one in word for one in folded)]
        # The first letter comes first: `re` skips to it.
        options = [f"{first}(?<={before}{first})(?:{'|'.join(rests)}){behind}" for (first, before, behind), rests in kinds.items()]
        passed_over = [rf"(?i:(?<![^\W_])(?<!{MARK.pattern})(?:{'|'.join(public)})(?![^\W_])(?!{MARK.pattern}))"] if public else []
        return re.compile("|".join(passed_over + options)) if options else None

    def is_public(self, word: str) -> bool:
        """Whether a word says nothing by itself."""
        return all(fold(run) in self._public for run in _RUN.findall(word))

    def _is_of_words(self, needle: Needle) -> bool:
        """Whether what parts the words of a text says nothing. Of a day's numbers it does, and task_1 of a folder is no "task 1"."""
        words, is_named = apart(needle.text).split(), needle.discloses in (*NAMED, REQUESTED)
        # Of a person or a site every day's words count, but for in, at and the like, which stand beside any number.
        every_day = [(not is_named or len(one) <= SMALL_WORD) and (self.is_public(one) or is_common(one)) for one in words]
        says = not all(one.isdecimal() or known for one, known in zip(words, every_day, strict=True))
        return len(words) > 1 and any(map(str.isalpha, needle.text)) and (says or len(words) > 2)

    def in_text(self, text: Text) -> set[Needle]:
        """Return the needles that stand in a text, as it is, with its escapes undone, or in another code."""
        shown = _FRAME_NAME.sub(self._without_number, text.text) if self._frame_names else text.text
        undone = unescaped(shown)
        # Also where the n of \n parts words: of D:\name it does not.
        read = list(dict.fromkeys((shown, undone, _LINE_ESCAPE.sub(self._at_line_end, undone))))
        hits = {hit for one in read for hit in self._in(one, text.structured)}
        # One line each, so that nothing is read across two of them.
        inside = "\n".join(sorted(set(decoded(shown))))
        # What has no escapes would stand there twice: only where it meets itself its second half says more.
        both = "\n".join(read if len(read) > 1 else (shown, beginning(shown)))
        hits |= self._of_withdrawn(both, structured=text.structured) | self._of_withdrawn(inside, structured=False)
        # Between the cells of a table every two words would meet.
        broken = set() if text.structured else {hit for one in {undone, read[-1]} for hit in self._broken(one)}
        return hits | broken | (self._in(inside, text.structured) if inside else set())

    def _at_line_end(self, escape: re.Match[str]) -> str:
        r"""Return what stands behind an escaped end of a line; a word that is known, as in data\train, is the name of a folder."""
        hyphen, word = escape.groups()
        is_folder = not hyphen and len(word) > 1 and word.islower() and (self.is_public(word) or is_common(word))
        return escape[0] if is_folder else f"{hyphen}\n{word[1:]}"

    def _of_withdrawn(self, text: str, *, structured: bool) -> set[Needle]:
        names = {name for name in self._withdrawn.told_in(text, structured=structured) if not self.is_public(name)}
        days = {spelled for _, spelled in unlisted(self._withdrawn.days_in(text, structured=structured), self._public_days)}
        return {Needle(one, WITHDRAWN, "token") for one in names | days}

    def _broken(self, text: str) -> set[Needle]:
        """Return the names that stand in a text in two parts, as where a line ends: Grünwald-ner."""
        if not self._long_names:
            return set()
        folded = fold(text)
        joined = _bytes(_BREAK.sub("", folded))
        met = {pattern for _, pattern in self._name_scanner.find(joined)}
        shown = text if len(text) == len(folded) else folded
        return {
            replace(self._long_names[name], text=shown[run.start() : run.end()])
            for name in met
            for run in _in_two(name.decode()).finditer(folded)
            if self._is_name(run[0])
        }

    def _is_name(self, run: str) -> bool:
        """Whether two words are the parts of a name, and not two words that say nothing each."""
        gaps = _BREAK.findall(run)
        if len(gaps) != 1 or self.is_public(_BREAK.sub(" ", run)):
            return False
        # A hyphen at the end of a line parts one word: good-\nman.
        return ("\n" in gaps[0] and not gaps[0].isspace()) or not all(map(is_common, _BREAK.split(run)))

    def _without_number(self, path: re.Match[str]) -> str:
        return path[0].rpartition("/")[0] if path[0] in self._frame_names else path[0]

    def _in(self, text: str, structured: bool) -> set[Needle]:
        plain = without_accents(text)
        hits = {self._text[pattern] for pattern in self._leaks(self._text, self._text_scanner, plain, structured)}
        told = {_bytes(apart(one)) for hit in hits for one in hit.folded}
        hits |= {self._apart[pattern] for pattern in self._leaks(self._apart, self._apart_scanner, apart(plain), structured) - told}
        hits |= self._labelled.in_folded(plain.casefold())
        if self._token_pattern is not None:
            hits |= {self._tokens[word] for word in self._tokens.keys() & self._token_pattern.findall(plain)}
        if self._dates:
            written = {one for one in spelled_in(text, known=True, structured=structured) if one[0] in self._dates}
            found = {fold(needle.text) for needle in hits}
            unlike = (spelled for _, spelled in unlisted(written, self._public_days) if fold(spelled) not in found)
            hits |= {Needle(spelled, "date", "anywhere") for spelled in unlike}
        return hits

    def _leaks(self, needles: Mapping[bytes, Needle], scanner: Scanner, plain: str, structured: bool) -> set[bytes]:
        data, spelled = _bytes(plain.casefold()), _bytes(plain)
        spelled = spelled if len(spelled) == len(data) else data
        found = ((needles[pattern], start, start + len(pattern), pattern) for start, pattern in scanner.find(data))
        return {pattern for needle, start, end, pattern in found if self.is_leak(needle, spelled, start, end, structured=structured)}

    def in_bytes(self, chunks: Iterable[bytes], *, structured: bool = False) -> set[Needle]:
        """Return the needles that stand in raw bytes, in UTF-8, Latin-1 or UTF-16."""
        passing = self.passing(structured=structured)
        for chunk in chunks:
            passing.see(chunk)
        return passing.hits()

    def passing(self, *, structured: bool = False, within: tuple[int, int] | None = None) -> Passing:
        """Return the same for bytes that come by in pieces; with ``within`` only hits that reach into these of them count."""
        return Passing(self, structured=structured, within=within)

    @property
    def reach(self) -> int:
        """How many bytes before and behind others decide what is a hit in them."""
        return self._raw_scanner.longest + CONTEXT_BYTES

    def raw_hits(self, data: bytes) -> Iterator[tuple[int, int, Needle]]:
        """Yield where a needle begins and ends, whether it is a leak there or not."""
        for start, pattern in self._raw_scanner.find(data):
            yield start, start + len(pattern), self._raw[pattern]

    def is_leak(self, needle: Needle, data: bytes, start: int, end: int, *, structured: bool) -> bool:
        """Whether a hit, in bytes as they are spelled, tells something where it stands."""
        if 0 in data[start:end]:  # UTF-16 has no words of bytes around it, and chance does not write it
            return True
        if _inside_a_number(data, start, end):
            return False
        if _FIRST_FINAL <= data[end : end + 3] <= _LAST_FINAL:
            return False
        left, right = _word_around(data, start, end)
        if needle.rule == "digits" and structured and end - start < LONE_DIGITS and _is_lone(data, left, right):
            return False
        before, hit, behind = (part.decode(errors="ignore") for part in (data[left:start], data[start:end], data[end:right]))
        if _cuts_a_word(before, hit, behind) or _is_counted(needle, hit):
            return False
        if (left, right) == (start, end):
            return True
        word = data[left:right].lower()
        if len(word) in DIGEST_LENGTHS and set(word) <= _HEX and end - start < DIGEST_LENGTHS[0]:
            return False
        # A hit may begin in one public word and end in another: "out l" in "without labels".
        around = RUN.findall(fold(word.decode(errors="replace")))
        return not around or any(one not in self._public for one in around)


class Passing:
    """A search in bytes that come by in pieces; see ``Search.passing``."""

    def __init__(self, search: Search, *, structured: bool, within: tuple[int, int] | None) -> None:
        self._search, self._structured = search, structured
        self._first: float
        self._end: float
        self._first, self._end = within or (0, math.inf)
        self._hits: set[Needle] = set()
        self._waiting: bytes | None = None
        self._kept = b""
        self._judged = self._passed = 0

    def see(self, chunk: bytes) -> None:
        """Take the next bytes."""
        # What comes last is judged in another way, and is known only afterwards.
        if self._waiting is not None:
            self._judge(self._waiting, last=False)
        self._waiting = chunk

    def hits(self) -> set[Needle]:
        """Return the needles in all bytes, when the last of them have come by."""
        self._judge(self._waiting or b"", last=True)
        return self._hits

    def _judge(self, chunk: bytes, *, last: bool) -> None:
        data = self._kept + chunk
        before = self._passed - len(self._kept)
        # A hit near the end is judged with the next chunk, when the word around it is there; once, with its word whole.
        end = len(data) if last else len(data) - CONTEXT_BYTES
        for start, stop, needle in self._search.raw_hits(data):
            inside = self._judged < stop <= end and before + stop > self._first and before + start < self._end
            if not inside or needle in self._hits:
                continue
            if self._search.is_leak(needle, data, start, stop, structured=self._structured):
                self._hits.add(needle)
        self._passed += len(chunk)
        self._kept = data[-(self._search.reach + CONTEXT_BYTES) :]
        self._judged = len(self._kept) - CONTEXT_BYTES


def spellings(text: str) -> frozenset[bytes]:
    """Return a string as the bytes it could have in a file, ASCII letters in lower case.

    UTF-8 (composed and decomposed), Latin-1 and UTF-16; accents as given, left out and written
    out; letters outside ASCII in both cases, because only ASCII is lowered in the file.
    """
    encoded = set()
    for base in {text, without_accents(text), written_out(text)}:
        for cased in {base, base.lower(), base.upper(), base.title()}:
            encoded |= {_bytes(cased), _bytes(unicodedata.normalize("NFD", cased)), _bytes(cased, "utf-16-le"), _bytes(cased, "utf-16-be")}
            if all(ord(letter) < 0x100 for letter in cased):
                encoded.add(cased.encode("latin-1"))
    return frozenset(spelled.lower() for spelled in encoded if len(spelled) >= LEAST_BYTES)


def _bytes(text: str, code: str = "utf-8") -> bytes:
    """Return a text in a code, also where half a letter of UTF-16 stands in it."""
    return text.encode(code, "surrogatepass")


def chance(pattern: bytes) -> float:
    """Return the probability that random bytes match at one position, in any case of letters."""
    # 2 of 256 bytes are a letter, 1 of 256 is any other byte.
    return math.ldexp(1.0, -7 * len(pattern) - len(pattern.translate(None, _LETTER_BYTES)))


def affordable(patterns: Iterable[bytes], total_bytes: int) -> list[bytes]:
    """Return the patterns that can be searched in compressed bytes, the rarest first.

    Their expected number of chance hits, for all together over ``total_bytes`` random bytes, is
    at most ``CHANCE_HITS``. For 100 MB and 1,000 names that is 7 letters or more, for 1 TB 9.
    """
    kept, expected = [], 0.0
    for one, pattern in sorted((chance(pattern), pattern) for pattern in patterns):
        expected += one * total_bytes
        if expected > CHANCE_HITS:
            break
        kept.append(pattern)
    return kept


def _in_two(name: str) -> re.Pattern[str]:
    """Return a pattern for a name, folded, of which two parts of two letters or more stand apart."""
    parts = (f"{re.escape(name[:at])}{_GAP}{re.escape(name[at:])}" for at in range(2, len(name) - 1))
    before, behind = NOT_IN_A_WORD
    return re.compile(f"{before}(?:{'|'.join(parts)}){behind}")


def _twins(frame: str) -> Iterator[str]:
    """Yield what else is numbered like a frame: its picture once unpacked, and the file of its labels beside it."""
    loose = frame.replace(".tar/", "/")
    yield loose
    yield str(PurePosixPath(loose).with_suffix(".txt"))


def _inside_a_number(data: bytes, start: int, end: int) -> bool:
    """Whether a hit that begins or ends with a digit, or is an exponent, is only a part of a longer or decimal number."""
    if _EXPONENT.fullmatch(data, start, end) and _MANTISSA.search(data, max(start - LONGEST_MANTISSA, 0), start):
        return True
    if data[start] in _DIGITS:
        before, hit = data[max(start - 2, 0) : start], data[start:end]
        # Behind a comma and in a cell of its own, 3B12 is none.
        if before and (before[-1] in _DIGITS or (before[:1].isdigit() and before[1:] in b".," and hit.lower() == hit.upper())):
            return True
    if data[end - 1] not in _DIGITS:
        return False
    run = end
    while run < len(data) and data[run] in _DIGITS:
        run += 1
    return run > end and run - end not in TIME_OF_DAY_LENGTHS


def _word_around(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the run of letters and digits that holds a hit."""
    left, right = start, end
    if data[start] in _WORD:
        while left > max(0, start - CONTEXT_BYTES) and data[left - 1] in _WORD:
            left -= 1
    if data[end - 1] in _WORD:
        while right < min(len(data), end + CONTEXT_BYTES) and data[right] in _WORD:
            right += 1
    return left, right


def _cuts_a_word(before: str, hit: str, behind: str) -> bool:
    """Whether a hit takes its few first or last letters out of a word: p_07 in step_07, and not in videoP_07."""
    begins = before and _FEW_LETTERS.match(hit) and (_goes_on(before[-1] + hit[:2]) or _OF_A_NUMBER.match(before + hit))
    ends = _FEW_LETTERS.match(hit[::-1]) and behind[:1].isalpha() and _goes_on(hit[-1:] + behind[:2])
    return bool(begins or ends)


def _goes_on(letters: str) -> bool:
    """Whether the second letter is of the word of the first; the third shows where an acronym ends."""
    return _ONE_WORD.match(letters) is not None and HUMP.match(letters, 1) is None


def _is_counted(needle: Needle, hit: str) -> bool:
    """Whether a hit is a small word of every day before a number, as in "1 or 2": the room OR 2 is there in capitals or as spelled."""
    first, _, number = hit.partition(" ")
    is_small = len(first) <= SMALL_WORD and is_common(first) and number.isdecimal()
    return is_small and hit not in (without_accents(needle.text), hit.upper())


def _is_lone(data: bytes, left: int, right: int) -> bool:
    """Whether a number is a whole value: between quotes, separators, brackets or line ends."""
    around: Sequence[bytes] = (data[max(left - 1, 0) : left], data[right : right + 1])
    return all(byte in b"\"';,:\t\r\n []{}" for byte in around)


def _around(word: str, *, named: bool) -> tuple[str, str]:
    """Return what stands before and behind a token in an expression: letters alone that need no blanks are no word beside others of them.

    In the name 王1 they need nothing before them, and a digit or a Latin letter at an end needs none of its sort beside it.
    """
    closed_up = [CLOSED_UP_LETTER.match(letter) is not None for letter in word]
    before, behind = NOT_IN_A_WORD
    if all(closed_up) or (closed_up[0] and not named):
        return NOT_CLOSED_UP[0], NOT_CLOSED_UP[1] + ("" if closed_up[-1] or not word[-1].isalnum() else behind)
    return "" if closed_up[0] else before, _NO_FINAL if closed_up[-1] and named else behind


def _token_spellings(needle: Needle) -> set[str]:
    text = without_accents(needle.text)
    # Initials in capitals, or as spelled: "ks" in lower case is a syllable of some language.
    return {text, text.upper(), text.lower(), text.title()} if any(map(str.isdecimal, text)) else {text, text.upper()}
