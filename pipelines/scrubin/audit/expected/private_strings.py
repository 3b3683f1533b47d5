"""What must not stand in a release, with how each string is searched.

The private tables name participants, trials, sites, recordings and files. Each value gives
*needles*: the value itself, its words, dates in all common spellings, and words joined. How a
needle is searched follows from how much it says:

====================  =========================================  ==================================================
needle                example                                    counts as a leak
====================  =========================================  ==================================================
``anywhere``          Schmidt, rec-07b, 17.04.2023; 4 or more    anywhere in names, tags, cells and raw bytes, in any
                      characters, not only digits; 王明, 2 or    case, with or without accents
                      more where no blanks part words, of a
                      path or recording alone 3 or more
``digits``            20230417, 143205; 6 or more digits         the same, as a whole number
``token``             KS, P07; 2 or 3 characters with a letter,  as a whole word in names, tags, cells and documents,
                      in file names not small letters alone      also beside Chinese; initials only in capitals or as
                                                                 spelled
``labelled``          trial 1, site A                            next to its label: trial 1, trial_01, site=A
====================  =========================================  ==================================================

Six rules keep false alarms out without hiding leaks:

- *Public words* are the words of table declarations, vocabularies, task names, released ids, the
  fixed texts of the release and ``release.public_words``. A value all of whose words are public
  cannot tell anything and is no needle by itself; it is counted in ``skipped``, and where it is the
  whole name of a participant or a site, the curator is told. A hit inside a longer public word
  (Mark in benchmark) is none; the curator is told of names and short ids in words without blanks.
- What begins or ends with fewer than 4 letters begins or ends a word where it counts: P_07 in videoP_07, not in step_07.
- The words of the documents about a release (``permitted``) are common words, and pass there alone.
- A hit that is part of a longer number, or lies in a hexadecimal digest, is none.
- What a detector read in a picture is private only when a person accepted that very text as text to
  hide. Of it count what can name somebody: words of 4 letters with a capital, or of a script that
  has none (of 2 where that has no blanks, either), signs such as P12345, numbers of 6 digits and
  dates. Common words of documents, marks and clocks that recorders write by themselves (REC,
  10:20:26) and what programs write in small letters (person(0)) do not.
- In compressed bytes every short string occurs by chance. There a needle is searched only when the
  expected number of chance hits over the whole release, for all such needles together, stays below
  ``CHANCE_HITS`` (see ``search.affordable``). The readers in ``containers`` take all readable text
  out of every file, and refuse what they do not know; there no needle is too short.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import PurePosixPath
from typing import Literal

import pandas as pd

from scrubin.audit.expected import dates
from scrubin.audit.expected.spelling import (
    CLOSED_UP_LETTER,
    NOT_IN_A_WORD,
    as_written,
    fold,
    folded_words,
    is_closed_up,
    without_accents,
    words,
    written_out,
)
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import PrivacyError

Rule = Literal["anywhere", "digits", "token", "labelled"]
ANYWHERE_LENGTH = 4
DIGITS_LENGTH = 6
JOINED_WORDS = 4
LABELS = {
    "participant": ("participant", "subject", "patient", "surgeon", "trainee", "expert", "proband", "person"),
    "trial": ("trial", "session", "attempt", "repetition", "try"),
    "site": ("site", "centre", "center", "hospital", "clinic", "location"),
    "recording": ("recording", "video", "case", "procedure", "operation"),
}
REQUESTED = "requested"
WITHDRAWN = "withdrawn"
COLUMNS = ("participant", "trial", "site", "recording", "rig", "path", "sha256", "text")
NAMED = ("participant", "site")
# Words of paths and recording names that say nothing about who, where or when.
GENERIC = """video videos recording recordings record raw data file files movie clip camera cam left right mono stereo trial
session attempt task site participant subject patient source original export exported edited final copy new old part full mp4 mkv
mov avi ts m4v links rechts aufnahme kopie neu teil surgery procedure operation case training course study box trainer expert"""

# Words that recorders write into pictures by themselves. Only where they were read: a person may be called White.
OVERLAY = """record recorded recording paused pause standby playback zoom gain white balance auto automatic manual date time name
light source flow pressure insufflator camera channel video input output image picture print printing saved memory battery sharpness
contrast brightness shutter select menu next stop start press hold ready full left right mode level stereo"""
# Of the words of every day those of which names are made, and that an initial and a name can make: B. Lack is no "black".
EVERYDAY = """a all and are as at back ball band bank bay be bell best bird black blue board body bone book box bread bridge bright brook
brown bush by call camp can cast child church clay clean clear close cloud cold cook cool corn court cover cow cross dark date
day deep door down dry each east end even ever eye fair fall far farm fast field file fine fire first fish flat fly foot for
ford fore form fox free fresh full gate gold good grand grass gray great green grey ground group hall ham hand hard hat head
heart heat high hill hold holy home hood horse house in iron is it just keep key kind king lake lamb lamp land large last law
lay lead led less life light like line link list little live lock log long loose love low made main make man many mark may
meadow men mid mile milk mill mine moon more most mount much mud name near neck need new next nor north not note now oak of
off old on one open or other our out over own page pack park part past path pen pick place plan play point pool port post pot
press rail rain raw red rest rich ride right ring river road rock rod room root rose round row run sad salt same sand sea seat
see set shade sharp sheep shell shepherd ship shoe shop short show side silver single sing sit sky slack sledge small smooth
snow so soft son song south space spring square stand star start stay steel step still stock stone strong sub summer sun sure
swan sweet tail take tall tell test that the then thick thin this time to top town tree true turn under up upper use view wall
warm wash watch water way weather well west wheel where white whole wide wild wind wine winter with wolf wood word work world
yard year yellow you young"""
READ_LENGTH = 4
_OVERLAY_WORDS = folded_words(OVERLAY)
_LABEL_WORDS = folded_words([list(labels) for labels in LABELS.values()])
_COMMON = folded_words([OVERLAY, EVERYDAY, GENERIC]) | _LABEL_WORDS


@dataclass(frozen=True, order=True)
class Needle:
    """One private string.

    Parameters
    ----------
    text
        As spelled in the private table, or as derived from it.
    discloses
        What it tells: participant, trial, site, recording, path, sha256, date or text (read in a picture);
        ``requested`` when somebody asks for it, ``withdrawn`` of those who are known by hashes only.
    rule
        How it is searched; see the module.
    """

    text: str
    discloses: str
    rule: Rule

    @property
    def message(self) -> str:
        """What a finding says."""
        if self.discloses == REQUESTED:
            return f"it holds {self.text!r}, which was asked for; take it out"
        if self.discloses == WITHDRAWN:
            fix = "where you wrote it, take it out, or list it in release.public_words if it is harmless; else run 'make repro' again"
            return f"it holds {self.text!r}, which tells of somebody who withdrew; {fix}"
        fix = "take it out, or list the whole words it stands in, as '3D 10', in release.public_words if they are harmless"
        return f"it holds {self.text!r}, which tells the {self.discloses}; {fix}"

    @property
    def shown(self) -> str:
        """What a finding in a picture says."""
        if self.discloses == REQUESTED:
            return f"it shows {self.text!r}, which was requested; hide it"
        whom = "of somebody who withdrew" if self.discloses == WITHDRAWN else f"the {self.discloses}"
        return f"it shows {self.text!r}, which tells {whom}; hide it, or list it in release.public_words if it is harmless"

    @property
    def folded(self) -> tuple[str, ...]:
        """The spellings to look for in a folded text."""
        return tuple(sorted({fold(self.text), fold(written_out(self.text))}))

    @property
    def labelled(self) -> re.Pattern[str]:
        """Pattern for a folded text: the value next to a label of what it tells."""
        return _beside_label(self.discloses, f"0*{int(self.text)}" if self.text.isdecimal() else re.escape(fold(self.text)))


# A dot before a blank ends a sentence; brackets behind a word and a blank are a remark or a reference, as those with several words, but
# behind ID, in the name of a file, such as case (7).mp4, and where patient (7) is numbered.
_TO_VALUE = r"(?:[\s\"'_:=#/+-]|\.(?!\s)|(?<![^\W_] )[(\[](?=[^\W_]+[)\]])|(?:no|nr|number|id)\.?(?: [(\[])?|ROUND){0,6}"
_OF_FILE, _OF_PERSON = r"\((?=[0-9]+\)\.[a-z0-9])", r"\((?=[0-9]+\))"


def _beside_label(discloses: str, value: str) -> re.Pattern[str]:
    before, behind = NOT_IN_A_WORD
    to_value = _TO_VALUE.replace("ROUND", _OF_PERSON if discloses == "participant" else _OF_FILE)
    return re.compile(f"{before}(?:{'|'.join(LABELS[discloses])}){to_value}{value}{behind}")


class Labelled:
    """Finds all needles that stand next to a label: of those that are numbers one pattern reads any, and a mapping says whose it is.

    Parameters
    ----------
    needles
        Those of the rule ``labelled``.
    """

    def __init__(self, needles: Iterable[Needle]) -> None:
        self._single: list[tuple[Needle, re.Pattern[str]]] = []
        self._numbers: dict[str, dict[str, set[Needle]]] = {}
        for needle in needles:
            if needle.text.isdecimal():
                self._numbers.setdefault(needle.discloses, {}).setdefault(str(int(needle.text)), set()).add(needle)
            else:
                self._single.append((needle, needle.labelled))
        # No match holds the start of another: a label is letters alone, and stands where no letter or digit is before it.
        self._any = {discloses: _beside_label(discloses, "([0-9]+)") for discloses in self._numbers}

    def in_folded(self, text: str) -> set[Needle]:
        """Return those whose pattern, see `Needle.labelled`, is found in a folded text."""
        hits = {needle for needle, pattern in self._single if pattern.search(text)}
        for discloses, pattern in self._any.items():
            # As text: a run of digits may be too long for a number.
            for value in {digits.lstrip("0") or "0" for digits in pattern.findall(text)}:
                hits |= self._numbers[discloses].get(value, set())
        return hits


@dataclass(frozen=True)
class Private:
    """Everything private, and the words that are known to be public.

    Parameters
    ----------
    needles
        Sorted.
    public
        Folded public words.
    skipped
        Number of private values that are made of public words only.
    unsearched
        What these tell and are, where they are the whole name of a participant or a site, sorted.
    dates
        All dates in private values, for texts in which a date is written in a way that is no needle.
    public_days
        Days that the curator calls harmless, folded, as written.
    withdrawn
        Whose names, ids and files must not be there, known by keyed hashes only.
    inside
        What names of participants and sites and short ids tell and are, and the longer public word without blanks around each, sorted.
    """

    needles: tuple[Needle, ...] = ()
    public: frozenset[str] = frozenset()
    skipped: int = 0
    unsearched: tuple[tuple[str, str], ...] = ()
    dates: frozenset[datetime.date] = frozenset()
    public_days: frozenset[str] = frozenset()
    withdrawn: Memory = field(default_factory=Memory)
    inside: tuple[tuple[str, str, str], ...] = ()


def accepted_texts(redactions: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the table ``redactions`` whose text a person accepted as text to hide: what else was read is nobody's word."""
    return redactions[(redactions["kind"] == "text") & (redactions["decision"] == "accepted")]


def of_tables(
    tables: Iterable[pd.DataFrame], ids: Iterable[str], public_words: object, common_words: object = (), listed: Iterable[str] = ()
) -> Private:
    """Return what is private in these tables, such as ``recordings`` and the ``quarantine`` tables.

    Parameters
    ----------
    tables
        Private tables; only the columns in ``COLUMNS`` count. Of ``redactions`` those rows that ``accepted_texts`` returns.
    ids
        The released ids, which are public.
    public_words
        Texts, or lists and mappings of texts, whose words are public.
    common_words
        Texts of documents, whose words name nobody where they were read in a picture.
    listed
        What the curator lists in ``release.public_words``: of it whole days are public, too.
    """
    values: dict[str, set[str]] = {}
    for table in tables:
        for column in COLUMNS:
            if column in table.columns:
                values.setdefault(column, set()).update(table[column].dropna().astype(str))
    public = folded_words([list(ids), public_words, GENERIC])
    return derive(values, public, folded_words(common_words), days_of(listed))


def days_of(public_words: Iterable[str]) -> frozenset[str]:
    """Return, folded, what is a day among the words that the curator calls harmless.

    >>> sorted(days_of(["Karl Storz", "2023-04-17", "6 March 2023"]))
    ['2023-04-17', '6 march 2023']
    """
    return frozenset(fold(word.strip()) for word in public_words if dates.dates_in(word))


def derive(
    values: Mapping[str, Iterable[str]],
    public: frozenset[str],
    common: frozenset[str] = frozenset(),
    public_days: frozenset[str] = frozenset(),
) -> Private:
    """Return the needles that follow from private values, by what they tell; see ``of_tables``."""
    needles: set[Needle] = set()
    skipped: set[tuple[str, str]] = set()
    unsearched: set[tuple[str, str]] = set()
    all_dates: set[datetime.date] = set()
    named: set[str] = set()
    names = [fold(name) for kind in NAMED for name in values.get(kind, ())]
    for discloses, texts in sorted(values.items()):
        wholes = sorted({value.strip() for value in texts})
        if discloses != "sha256":
            all_dates |= dates.of_names(wholes)
            named |= set(wholes)
        for whole in wholes:
            for text in _parts(discloses, whole):
                rule = _rule(discloses, text)
                if rule is None or (rule == "labelled" and text != whole):
                    continue
                if rule == "anywhere" and discloses not in (*NAMED, "text") and _is_of_two_letters(text):
                    rule = "anywhere" if any(fold(text) in name for name in names) else "token"
                if discloses == "text" and not _says_something(text, common):
                    continue
                is_public = fold(text) in public or (not _telling(text) and all(fold(word) in public for word in words(text)))
                if rule != "labelled" and is_public:
                    skipped.add((discloses, text))
                    if text == whole and discloses in NAMED:
                        unsearched.add((discloses, text))
                    continue
                needles.add(Needle(text, discloses, rule))
    numbers = dates.only_numbers(all_dates, named)
    spelled = {(date, text) for date in all_dates for text in dates.spellings(date, short=date not in numbers)}
    needles |= {_of_date(text, "date") for _, text in dates.unlisted(spelled, public_days)}
    return Private(
        needles=tuple(sorted(needles)),
        public=public,
        skipped=len(skipped),
        unsearched=tuple(sorted(unsearched)),
        dates=frozenset(all_dates),
        public_days=public_days,
        inside=_inside(needles, public),
    )


def _inside(needles: Iterable[Needle], public: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """Return the names and short ids that lie inside longer public words, where no blanks part words: there a hit is none."""
    closed_up = [word for word in public if CLOSED_UP_LETTER.search(word)]
    ids = (one for one in needles if one.rule == "token" and (one.discloses in NAMED or not CLOSED_UP_LETTER.search(one.text)))
    told = {*ids, *(one for one in needles if one.rule == "anywhere" and one.discloses in NAMED)} if closed_up else set()
    names = [(fold(one.text), one) for one in told if len(as_written(one.text)) > 1]  # one syllable of Korean is searched alone
    held = ((name, word) for folded, name in names for word in closed_up if folded in word and folded != word)
    return tuple(sorted((name.discloses, name.text, as_written(word)) for name, word in held))


def warnings(private: Private) -> list[str]:
    """Return, for the curator, a line for each participant and site whose name cannot be searched, there or anywhere, and one of words."""
    everywhere = [
        f"the {discloses} {text!r} is called by a word that stands in every release: the audit does not search it; whoever can be known by "
        "it needs another name in recordings.csv"
        for discloses, text in private.unsearched
    ]
    there = [
        f"the {discloses} {text!r} stands in {word!r}, which the release says of itself: the audit does not search it there; where it is "
        "the name, take it out of your own words, such as release.public_words and the names of tasks"
        for discloses, text, word in private.inside
    ]
    anywhere = {needle.text for needle in private.needles if needle.rule == "anywhere"}
    short = {one.text for one in private.needles if one.rule == "token" and _is_of_two_letters(one.text)} - anywhere
    between_blanks = (
        f"the audit finds {', '.join(map(repr, sorted(short)))} of folders, files and recordings between blanks and signs only; what of it "
        "names somebody, search with 'scrubin audit data/release --needle'"
    )
    return everywhere + there + ([between_blanks] if short else [])


def with_requested(private: Private, texts: Iterable[str]) -> Private:
    """Return what is private together with texts that somebody asks for, as they are and, where they are dates, in all spellings.

    Raises
    ------
    PrivacyError
        For a text so short that it occurs everywhere, and for what is none in UTF-8.
    """
    wanted = sorted({text.strip() for text in texts})
    rules = {text: _rule(REQUESTED, text) for text in wanted}
    broken = [text for text in wanted if any("\ud800" <= letter <= "\udfff" for letter in text)]
    if broken:
        raise PrivacyError(f"{broken[0]!r} is no text in UTF-8 and cannot be searched; set your terminal to UTF-8 and type it again")
    short = [text for text in wanted if rules[text] is None]
    if short:
        raise PrivacyError(f"{short[0]!r} occurs everywhere and cannot be searched; give at least 2 characters with a letter, or 6 digits")
    all_dates = dates.of_names(wanted)
    needles = {Needle(text, REQUESTED, rule) for text, rule in rules.items() if rule is not None}
    needles |= {_of_date(text, REQUESTED) for date in all_dates for text in dates.spellings(date)}
    requested = {fold(word) for text in wanted for word in (text, *words(text))}
    every = tuple(sorted({*private.needles, *needles}))
    public_days = private.public_days - {fold(text) for text in wanted} - {date.isoformat() for date in all_dates}
    spelled = [one for needle in needles for one in needle.folded]
    holding = {word for word in private.public if CLOSED_UP_LETTER.search(word) and any(one in word for one in spelled)}
    public = private.public - requested - holding
    return replace(private, needles=every, public=public, dates=private.dates | all_dates, public_days=public_days)


def _of_date(text: str, discloses: str) -> Needle:
    return Needle(text, discloses, "digits" if text.isdecimal() else "anywhere")


def folded_parts(values: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return, folded, every string that private values give away, by what they tell; see ``COLUMNS``."""
    return frozenset(fold(part) for kind, texts in values.items() for text in texts for part in _parts(kind, text))


def own_parts(theirs: Mapping[str, Iterable[str]], of_others: Collection[str]) -> frozenset[str]:
    """Return what private values give away and those of others do not, for a memory that knows whole words alone.

    Parameters
    ----------
    theirs
        Private values by what they tell, see ``COLUMNS``.
    of_others
        See `folded_parts`.

    >>> sorted(own_parts({"participant": ["Berg_Anna"]}, folded_parts({"participant": ["Anna Roth"]})))[:4]
    ['ABerg', 'Anna Berg', 'Anna-Berg', 'Anna.Berg']
    """
    told = set()
    for kind, values in theirs.items():
        least = 2 if kind in NAMED else ANYWHERE_LENGTH
        for value in values:
            for part in (*_parts(kind, value), *(_changed_names(value) if kind == "participant" else ())):
                own = (word for word in words(part) if len(word) >= least and fold(word) not in of_others)
                if fold(part) not in of_others and any(own):
                    told.add(part)
    return frozenset(told)


def _changed_names(value: str) -> set[str]:
    """Return the names of a person as they stand in sentences and in the names of accounts: Bergs, aberg; of the D of Surgeon D none."""
    names = [word for word in _single(value) if word.isalpha() and len(word) > 1 and fold(word) not in _LABEL_WORDS]
    accounts = {account for one, other in permutations(names, 2) for account in (f"{one[0]}{other}", f"{other}{one[0]}")}
    genitives = {f"{name}s" for name in names if len(name) + 1 >= ANYWHERE_LENGTH}
    return {changed for changed in genitives | accounts if not is_common(changed)}


def is_common(word: str) -> bool:
    """Whether a word is one of every day."""
    return fold(word) in _COMMON


def _parts(discloses: str, value: str) -> set[str]:
    """Return the strings that one value gives away: itself, names of files and folders, words, joined words."""
    parts = {value}
    if discloses == "path":
        path = PurePosixPath(value)
        parts |= {path.name, path.stem, *path.parent.parts}
        value = str(path.with_suffix("")) if path.name else value
    # Of a rig its whole name: such names are made of words for instruments.
    if discloses not in ("sha256", "rig"):
        parts.update(words(value))
    if discloses in NAMED:
        parts |= _joined(value)
    return {part for part in parts if part}


def _single(value: str) -> list[str]:
    return value.replace("_", " ").split()


def _joined(value: str) -> set[str]:
    """Return the words of a name in any order, those of a code in its own: of P_07, P07 and P 7 alike, the number with any zeros."""
    code = re.fullmatch(r"(.*[^\W\d_])[\s_.-]*([0-9]{1,4})", value)
    single = _single(code[1] if code else value)
    # Turned round, room B is the B room, and expert A an expert: a letter is no name, unless it is one of Chinese.
    is_name = all(len(as_written(one).encode(errors="surrogatepass")) > 1 for one in single) and not any(map(str.isdecimal, value))
    turned = permutations(single) if is_name and len(single) <= JOINED_WORDS else [single]
    orders = [(*single, code[2].lstrip("0").zfill(width)) for width in range(1, 5)] if code else turned
    return {gap.join(order) for order in orders if 1 < len(order) <= JOINED_WORDS for gap in ("", " ", "_", "-", ".")}


def _rule(discloses: str, text: str) -> Rule | None:
    length = len(without_accents(text))
    if not any(map(str.isalnum, without_accents(text))):
        return None
    if text.isdecimal():
        if length >= DIGITS_LENGTH:
            return "digits"
        return "labelled" if discloses in LABELS else None
    if length >= ANYWHERE_LENGTH:
        return "anywhere"
    if length == 1 or discloses == "trial":
        return "labelled" if discloses in LABELS else None
    if is_closed_up(text):
        return "anywhere"
    if discloses in ("path", "recording") and text.isalpha() and text.islower():
        return None  # "out" in "out 7.mkv" is a word; a short name of a person stands in their own column, too
    return "token"


def _is_of_two_letters(text: str) -> bool:
    """Whether a text is of two letters that need no blanks: surgery (手术) is, too, and stands in folders everywhere."""
    return is_closed_up(text) and len(as_written(text)) == 2


def _says_something(text: str, common: frozenset[str]) -> bool:
    """Whether text that was read in a picture can name anybody: a clock, a short mark, a common word or a recorder's own cannot."""
    if text.isdecimal():
        return True  # judged by its length, as any number
    known = _OVERLAY_WORDS | common
    telling = (word for word in words(text) if not word.isdecimal() and fold(word) not in known and _is_read(word))
    # P12345 and Schmidt2, not 1080p or 50Hz: a number's unit stands behind it. Nor what programs write upon what they see: person(0).
    return any(word[0].isalpha() and not (word.isalpha() and word.islower()) for word in telling)


def _is_read(word: str) -> bool:
    return len(word) >= READ_LENGTH or is_closed_up(word)


def _telling(text: str) -> bool:
    """Whether public words are told apart by a number between them, as in "PegTransfer 0417 left"."""
    return any(word.isdecimal() for word in words(text))
