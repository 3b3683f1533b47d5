"""What is remembered of those who withdrew: a name, an id or the hash of a file can be asked for, none can be read."""

from __future__ import annotations

import datetime
import hmac
import json
import re
import secrets
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from scrubin.audit.expected import dates
from scrubin.audit.expected.spelling import CLOSED_UP, MARK, NOT_IN_A_WORD, RUN, SYLLABLE, without_accents, words, written_out
from scrubin.base.errors import PrivacyError
from scrubin.base.files import whole
from scrubin.base.layout import PRIVATE
from scrubin.base.text.naming import look

PATH = PRIVATE / "withdrawn.json"
SALT_BYTES = 32
MOST_PARTS = 8
"""Of a name: what has more is searched by its first ones."""
LEAST_LETTERS = 4
"""Fewer occur by chance, but for those such as P07."""
LEAST_MIXED = 3
LEAST_NUMBER = 10**5
"""A smaller number counts frames and files."""
LONE_NUMBER = 10**7
"""A smaller number says nothing among the numbers of a table."""
TOLD = "told:"
"""Before the hash of what is no whole name, such as one word of it: an edition that does not know of them passes these over."""
REPEATED = 1 << 14
"""Runs of words of which a search keeps whether they name anybody."""
_CLOSED_UP = re.compile(rf"[{CLOSED_UP}]+|[^\W_{CLOSED_UP}]+")
"""What stands closed up in a part: letters that need no blanks, and what stands beside them."""
_UNIT = re.compile(rf"[^\W_{CLOSED_UP}]+|{SYLLABLE.pattern}", re.DOTALL)
"""What is counted in a run: a letter that needs no blanks, with its signs; a syllable of Korean; all that stands beside such letters."""
MOST_CLOSED_UP = 12
"""Units of a name among others of writing without blanks, where an earlier edition did not keep how many it has."""
LONGEST_CLOSED_UP = 100
"""The same where it is kept."""
_BEFORE, _BEHIND = NOT_IN_A_WORD
_NUMBER_CLOSED_UP = re.compile(rf"(?<!\d)(?:(?=[{CLOSED_UP}])\d+|(?<=[{CLOSED_UP}])\d+{_BEHIND}|{_BEFORE}\d+(?=[{CLOSED_UP}]))(?!\d)")
_SIX = re.compile(r"\d{6}")
_FRACTION_BEFORE, _FRACTION_BEHIND = re.compile(r"\d[.,]\Z"), re.compile(r"[.,]\d")
_POINT_BEFORE, _POINT_BEHIND = re.compile(r"\d\.\Z"), re.compile(r"\.\d")


@dataclass(frozen=True)
class Gone:
    """What is remembered of one recording: why it was withdrawn, and the hashes of all that could name it."""

    reason: str
    hashes: frozenset[str]


@dataclass(frozen=True)
class Memory(Container[str]):
    """Everybody who withdrew.

    Parameters
    ----------
    salt
        The key of the hashes, 64 hex digits; "" while nobody has withdrawn.
    participants
        Hashes of the participants who withdrew with all their recordings.
    recordings
        By the hash of their names.
    splits
        In which subset everybody else was when somebody withdrew, see `scrubin.stages.release.gates.placed`; empty for nobody.
    """

    salt: str = ""
    participants: frozenset[str] = frozenset()
    recordings: Mapping[str, Gone] = field(default_factory=dict)
    splits: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Return a hash, although mappings have none."""
        return hash((self.salt, self.participants, frozenset(self.recordings)))

    def __bool__(self) -> bool:
        """Whether anybody withdrew."""
        return bool(self.participants or self.recordings)

    @cached_property
    def hashes(self) -> frozenset[str]:
        """What could name any of the recordings."""
        return frozenset().union(*(gone.hashes for gone in self.recordings.values()))

    @cached_property
    def _is_in_pieces(self) -> bool:
        """Whether an earlier edition remembered any of them: it took vowel signs of Thai and others for what parts words."""
        return not all(TOLD + self._of("length", "") in gone.hashes for gone in self.recordings.values())

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        """How many units may be a name, see `_UNIT`."""
        kept = {length for length in range(1, LONGEST_CLOSED_UP + 1) if self._is_told("length", str(length))}
        return tuple(sorted(kept | set(range(1, MOST_CLOSED_UP + 1) if self._is_in_pieces else ())))

    def __contains__(self, name: object) -> bool:
        """Whether a text is the name of a withdrawn recording, or its released id."""
        return isinstance(name, str) and bool(self) and (self._recording(name) in self.recordings or self.has("id", name))

    def has(self, kind: str, value: str) -> bool:
        """Whether a withdrawn recording has this ``id``, raw ``path``, or file of this ``sha256``."""
        return bool(self) and self._of(kind, value) in self.hashes

    def has_participant(self, name: str) -> bool:
        """Whether a participant withdrew, however what does not show is written in the name."""
        return bool(self) and not self._participant(name).isdisjoint(self.participants)

    def reason(self, recording: str) -> str | None:
        """Return why a recording was withdrawn; None when it was not."""
        gone = self.recordings.get(self._recording(recording)) if self else None
        return gone.reason if gone else None

    def in_text(self, text: str) -> set[str]:
        """Return every name and id of those who withdrew that stands in a text as whole words, however they are joined."""
        return self._standing(text, self._names) if self else set()

    def told_in(self, text: str, *, structured: bool = False) -> set[str]:
        """Return whatever tells in a text of those who withdrew: names and ids, single words of them, names of files.

        Parameters
        ----------
        text
            Any text, in any case, with or without accents.
        structured
            Whether it holds many bare numbers, as tables do: there a short number says nothing.
        """
        if not self:
            return set()

        def tells(parts: tuple[str, ...]) -> bool:
            return self._tells(parts, structured=structured)

        found = self._standing(text, tells, structured=structured)
        plain = without_accents(text)
        if plain != text:
            found |= self._standing(plain, tells, structured=structured)
        for run in set(RUN.findall(plain)):
            # A run that is spelled in one case holds no other word.
            if not run.isalpha() or not (run.islower() or run.isupper() or run.istitle()):
                found |= {piece for piece in words(run)[1:] if tells((piece.casefold(),))}
            for piece in _closed_up(run, self._lengths):
                if self._is_told("token", piece) if 1 < len(piece) < LEAST_LETTERS else tells((piece.casefold(),)):
                    found.add(piece)
        numbers = (number for number in _NUMBER_CLOSED_UP.finditer(plain) if tells((number[0],)))
        return found | {number[0] for number in numbers if not _is_part_of_a_number(plain, number, structured=structured)}

    def days_in(self, text: str, *, structured: bool = False) -> set[dates.Spelled]:
        """Return the days of those who withdrew that stand in a text, see `told_in`, each with its spelling there."""
        found = dates.standing_in(text, structured=structured) if self else frozenset()
        told = {day for day in {day for day, _ in found} if self._is_told("day", day.isoformat())}
        numbers = {day for day in told if self._is_told("number", day.isoformat())}
        return {(day, spelled) for day, spelled in found if day in told and not (day in numbers and _SIX.fullmatch(spelled))}

    def _standing(self, text: str, tells: Callable[[tuple[str, ...]], bool], *, structured: bool = False) -> set[str]:
        # Of one text alone, and so many: a text may be as long as a file, and all its runs of words would not fit.
        known = lru_cache(REPEATED)(tells)
        found = set()
        parts = list(RUN.finditer(text))
        folded = tuple(part[0].casefold() for part in parts)
        for first, part in enumerate(parts):
            for last in range(first, min(first + MOST_PARTS, len(parts))):
                if known(folded[first : last + 1]) and not (first == last and _is_part_of_a_number(text, part, structured=structured)):
                    found.add(text[part.start() : parts[last].end()])
        return found

    def _names(self, parts: tuple[str, ...]) -> bool:
        return _says_something(parts) and any(self._of("words", one) in self.hashes for one in self._remembered(parts))

    def _tells(self, parts: tuple[str, ...], *, structured: bool) -> bool:
        number = parts[0] if len(parts) == 1 and parts[0].isdecimal() else ""
        if number:
            return int(number[:20]) >= (LONE_NUMBER if structured else LEAST_NUMBER) and self._is_told("words", number)
        kept = [self._of("words", one) for one in self._remembered(parts)] if _says_something(parts) else []
        return any(of in self.hashes or TOLD + of in self.hashes for of in kept)

    def _remembered(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Return as what words may be remembered."""
        joined = " ".join(parts)
        in_pieces = MARK.search(joined) and self._is_in_pieces
        return (joined, " ".join(MARK.sub(" ", joined).split()[:MOST_PARTS])) if in_pieces else (joined,)

    def _is_told(self, kind: str, value: str) -> bool:
        return TOLD + self._of(kind, value) in self.hashes

    def with_participants(self, names: Iterable[str]) -> Memory:
        """Return the memory with more participants."""
        keyed = self._keyed()
        return replace(keyed, participants=keyed.participants | {keyed._of("participant", look(name)) for name in names})

    def with_recording(
        self,
        name: str,
        reason: str,
        facts: Mapping[str, Iterable[str]],
        names: Iterable[str],
        told: Iterable[str] = (),
        days: Iterable[datetime.date] = (),
        numbers: Iterable[datetime.date] = (),
    ) -> Memory:
        """Return the memory with one recording more, or with more of one that it has; the first reason stays.

        Parameters
        ----------
        facts
            By kind (id, path, sha256), what only this recording has.
        names
            Whole names by which it must not be found in a release, such as those of its participant.
        told
            What else tells of it, such as single words of these names.
        days
            On which it was made.
        numbers
            Days that six digits do not mean, see `dates.only_numbers`.
        """
        keyed = self._keyed()
        of = keyed._recording(name)
        names, told = set(names), set(told)
        hashes = {keyed._of(kind, value) for kind, values in facts.items() for value in values}
        hashes |= {keyed._of("words", " ".join(parts)) for parts in _spelled(names) if _says_something(parts)}
        hashes |= {TOLD + keyed._of("words", " ".join(parts)) for parts in _spelled(told) if _says_something(parts) or _counts(parts)}
        hashes |= {TOLD + keyed._of("token", token) for one in told for token in _tokens(one)}
        hashes |= {TOLD + keyed._of("day", day.isoformat()) for day in days}
        hashes |= {TOLD + keyed._of("number", day.isoformat()) for day in numbers}
        hashes |= {
            TOLD + keyed._of("length", str(len(_UNIT.findall(run)))) for one in names | told for run in RUN.findall(without_accents(one))
        }
        before = keyed.recordings.get(of, Gone(reason, frozenset({TOLD + keyed._of("length", "")})))
        return replace(keyed, recordings={**keyed.recordings, of: Gone(before.reason, before.hashes | hashes)})

    def without(self, participants: Iterable[str], recordings: Iterable[str]) -> Memory:
        """Return the memory without somebody who never withdrew."""
        people = self.participants.difference(*map(self._participant, participants))
        names = set(map(self._recording, recordings))
        left = replace(self, participants=people, recordings={of: gone for of, gone in self.recordings.items() if of not in names})
        return left if left else Memory()

    def _keyed(self) -> Memory:
        return self if self.salt else replace(self, salt=secrets.token_hex(SALT_BYTES))

    def _participant(self, name: str) -> set[str]:
        """Return what may be remembered of a participant: an earlier edition kept the name as it was written."""
        return {self._of("participant", one) for one in (name, look(name))}

    def _recording(self, name: str) -> str:
        """Return what is remembered of the name of a recording, or will be: an earlier edition kept it as it was written."""
        written = self._of("recording", name)
        return written if written in self.recordings else self._of("recording", look(name))

    @cached_property
    def _key(self) -> bytes:
        return bytes.fromhex(self.salt)

    def _of(self, kind: str, value: str) -> str:
        return hmac.digest(self._key, f"{kind}\0{value}".encode(errors="surrogatepass"), "sha256").hex()


def load(folder: Path = Path()) -> Memory:
    """Return what a project remembers; nothing where there is no such file.

    Raises
    ------
    PrivacyError
        When the file cannot be read: without it, those who withdrew could come back.
    """
    path = folder / PATH
    if not path.is_file():
        return Memory()
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        recordings = {of: Gone(gone["reason"], frozenset(gone["hashes"])) for of, gone in said["recordings"].items()}
        memory = Memory(said["salt"], frozenset(said["participants"]), recordings, said["splits"])
        bytes.fromhex(memory.salt)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path}: it does not say who withdrew ({type(error).__name__}); restore it from your backup, without it they could come back"
        raise PrivacyError(msg) from error
    return memory


def write(memory: Memory, folder: Path = Path()) -> None:
    """Write what a project remembers, mode 0600, sorted, so that no order tells anything."""
    said = {
        "salt": memory.salt,
        "participants": sorted(memory.participants),
        "recordings": {of: {"reason": gone.reason, "hashes": sorted(gone.hashes)} for of, gone in sorted(memory.recordings.items())},
        "splits": memory.splits,
    }
    path = folder / PATH
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with whole(path) as part:
        part.touch(mode=0o600)
        part.write_text(json.dumps(said, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def beginning(text: str) -> str:
    """Return a text up to the end of as many words as can go on a name that began before it.

    >>> beginning("a b c d e f g h i")
    'a b c d e f g'
    """
    ends = [part.end() for part in islice(RUN.finditer(text), MOST_PARTS - 1)]
    return text[: ends[-1]] if ends else ""


def _is_part_of_a_number(text: str, part: re.Match[str], *, structured: bool) -> bool:
    """Whether digits stand behind a decimal point or comma, or are few and stand before one; in a table a comma stands between cells."""
    if not part[0].isdecimal():
        return False
    few = int(part[0][:20]) < LONE_NUMBER
    before, behind = (_POINT_BEFORE, _POINT_BEHIND) if structured else (_FRACTION_BEFORE, _FRACTION_BEHIND)
    return bool(before.search(text, max(part.start() - 2, 0), part.start()) or (few and behind.match(text, part.end())))


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in RUN.findall(name))[:MOST_PARTS]


def _spelled(names: Iterable[str]) -> set[tuple[str, ...]]:
    """Return the words of names in each way that their letters may be spelled: as they are, without accents, with umlauts written out."""
    return {_parts(form) for name in names for form in (name, without_accents(name), written_out(name))}


def _closed_up(run: str, lengths: Iterable[int]) -> set[str]:
    """Return what may be a name in a run of letters: the run, and where other words may be closed up with it all of such lengths in it.

    Numbers alone are none: each may be a part of another.

    >>> sorted(_closed_up("P07", [1])), sorted(_closed_up("王小明Li", [1, 2]))
    (['P07'], ['Li', '小明', '明Li', '王小', '王小明', '王小明Li'])
    """
    found = {run}
    if not run.isascii():
        found.update(_CLOSED_UP.findall(run))
        units = _UNIT.findall(run)
        for length in lengths:
            runs = ("".join(units[first : first + length]) for first in range(len(units) - length + 1))
            # One letter alone is in many words, unless it has a sign.
            found.update(one for one in runs if length > 1 or MARK.search(one))
    return {one for one in found if not one.isdecimal()}


def _counts(parts: tuple[str, ...]) -> bool:
    return len(parts) == 1 and parts[0].isdecimal() and int(parts[0][:20]) >= LEAST_NUMBER


def _tokens(text: str) -> set[str]:
    """Return the spellings of two or three letters that name somebody: capitals alone, or as given, because small ones are everywhere."""
    plain = without_accents(text)
    if not (1 < len(plain) < LEAST_LETTERS and RUN.fullmatch(plain)) or plain.isdecimal() or plain.islower():
        return set()
    return {plain, plain.upper()}


def _says_something(parts: tuple[str, ...]) -> bool:
    joined = "".join(parts)
    mixed = not MARK.sub("", joined).isalpha() and len(joined) >= LEAST_MIXED
    return (mixed or len(joined) >= LEAST_LETTERS) and not joined.isdecimal()
