"""Dates in names or texts, with the spellings in which the same date could turn up elsewhere."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import product

from scrubin.audit.expected.spelling import fold

_YEARS = range(1900, 2090)  # dates of birth, too
_FIRST_SHORT = 1990  # so that two digits stand for one year only
_CENTURY = 100
_MONTHS = (
    ("january", "januar"),
    ("february", "februar"),
    ("march", "märz", "maerz"),
    ("april",),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august",),
    ("september",),
    ("october", "oktober"),
    ("november",),
    ("december", "dezember"),
)
_MONTH_OF = {fold(short): number for number, names in enumerate(_MONTHS, start=1) for name in names for short in (name, name[:3])}
_MONTH_OF |= {"sept": 9, "mrz": 3}
# French, Spanish and Italian are read; no needle is made of them.
_MORE_MONTHS = (
    ("janvier", "janv", "enero", "ene", "gennaio"),
    ("février", "févr", "fév", "febrero", "febbraio"),
    ("mars", "marzo"),
    ("avril", "avr", "abril", "abr", "aprile"),
    ("mayo", "maggio"),
    ("juin", "junio", "giugno"),
    ("juillet", "juil", "julio", "luglio"),
    ("août", "agosto", "ago"),
    ("septembre", "septiembre", "settembre"),
    ("octobre", "octubre", "ottobre"),
    ("novembre", "noviembre"),
    ("décembre", "diciembre", "dic", "dicembre"),
)
_MONTH_OF |= {fold(name): number for number, names in enumerate(_MORE_MONTHS, start=1) for name in names}
LONGEST_MONTH = 31
_SEPARATORS = ("-", "_", ".", "/", " ")

# Runs of digits alone; a time may follow a year-first date.
_LONG_RUN = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6}|\d{9})?(?!\d)")
_LATE_RUN = re.compile(r"(?<!\d)(\d{2})(\d{2})(\d{4})(?!\d)")
_SHORT_RUN = re.compile(r"(?<!\d)(\d{2})(\d{2})(\d{2})(?!\d)")
# Numbers with the same separator twice; only in front of a whole year a colon (as cameras write) or bare blank is a separator.
_LONG = re.compile(r"(?<!\d)(\d{4})( ?[-_./:] ?| )(\d{1,2})\2(\d{1,2})(?!\d)")
_LATE = re.compile(r"(?<!\d)(\d{1,2})( ?[-_./] ?| )(\d{1,2})\2(\d{4})(?!\d)")
_SHORT = re.compile(r"(?<!\d)(\d{1,2})( ?[-_./] ?)(\d{1,2})\2(\d{1,2})(?!\d)")
# Commas and bars stand between any numbers: two digits, and nothing of the kind around.
_LONG_LISTED = re.compile(r"(?<![\d,|.])(\d{4})([,|])(\d{2})\2(\d{2})(?![\d,|]|\.\d)")
_LATE_LISTED = re.compile(r"(?<![\d,|.])(\d{2})([,|])(\d{2})\2(\d{4})(?![\d,|]|\.\d)")
_EASTERN = re.compile(rf"(?<!\d)(\d{{4}}) ?(?:年|{fold('년')}) ?(\d{{1,2}}) ?(?:月|{fold('월')}) ?(\d{{1,2}}) ?(?:日|{fold('일')})")
_DOTS = str.maketrans(dict.fromkeys("·•∙⋅‧・", "."))
# Names of months, in folded texts: 6th of March 2023, Mar. 6, 2023, Mon Mar  6 10:00:00 2023, 2023-Mar-06.
_MONTH = rf"(?<![^\W\d_])({'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})(?![^\W\d_])\.?"
_GAP = r"[-_./ ,']{0,3}"
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|o)?\.?"
_TIME = r"(?:[ ,]{1,3}\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: [a-z]{2,5})?)?"
_YEAR = rf"{_TIME}(?: del?)?(?:{_GAP}(\d{{4}})|[-_./ ,']{{1,3}}(\d{{2}}))(?![\d:])"
_DAY_MONTH = re.compile(rf"(?<!\d){_DAY}{_GAP}(?:of |de |di )?{_MONTH}{_YEAR}")
_MONTH_DAY = re.compile(rf"{_MONTH}{_GAP}{_DAY}(?=\D){_YEAR}")
_YEAR_MONTH = re.compile(rf"(?<!\d)(\d{{4}}){_GAP}{_MONTH}{_GAP}(\d{{1,2}})(?!\d)")
# Letters a to f and digits spell "17dec2023" by chance.
_DIGEST = re.compile(r"(?<![^\W_])[0-9a-f]{16,}(?![^\W_])")
_ADDRESS = re.compile(r"(?:https?://|\bwww\.)\S+|(?<![^\W_])10\.\d{4,9}/\S+", re.IGNORECASE)
_SIX = re.compile(r"(?<!\d)\d{6}(?!\d)")
# What of a run is only a part of a number: behind a decimal point or comma, and six digits before one.
_PART_OF_NUMBER = re.compile(r"(?<=\d[.,])\d+|(?<!\d)\d{6}(?=[.,]\d)")
_PART_OF_CELL = re.compile(r"(?<=\d\.)\d+|(?<!\d)\d{6}(?=\.\d)")  # a comma stands between cells
_LONE_SIX = re.compile(r"""(?<![^"';,:\t\r\n \[\]{}])\d{6}(?![^"';,:\t\r\n \[\]{}])""")
# Of a law, and of an issue as PubMed cites it.
_PUBLISHED = re.compile(r"(?<=\d/)\d{1,4} of \d{1,2} [^\W\d_]+ \d{4}|(?<!\d)\d{4} [^\W\d_]{3} \d{1,2}(?=; ?\d)")
_SEVERAL_DAYS = re.compile(rf"{_MONTH} ?(\d{{1,2}}) ?- ?\d{{1,2}},? (\d{{4}})(?!\d)")
# Two digits are a year beyond doubt where they stand as in 17-Apr-23 or behind an apostrophe.
_SHORT_YEAR = re.compile(r"\d{1,2}([-./])[^\W\d_]+\1\d{2}|.*'\d{2}", re.DOTALL)
Reading = tuple[int, int, int]
Found = tuple[Reading, tuple[int, int]]
"""How something can be read, and where it stands."""
Spelled = tuple[datetime.date, str]
"""A day, and how it is written."""


def dates_in(text: str) -> frozenset[datetime.date]:
    """Return every date that a name can be read as; an ambiguous one gives all its readings.

    >>> sorted(map(str, dates_in("20230417T143205_left")))
    ['2023-04-17']
    >>> sorted(map(str, dates_in("04/05/2023")))
    ['2023-04-05', '2023-05-04']
    """
    return _dates_in_runs(text) | written_in(text)


def _dates_in_runs(text: str) -> frozenset[datetime.date]:
    return _valid(reading for reading, _ in _in_runs(text))


def _in_runs(text: str) -> Iterator[Found]:
    """Yield how runs of 6, 8 or more digits can be read as dates."""
    for run in _LONG_RUN.finditer(text):
        yield from _each(_both(*run.groups()), run)
    for run in _LATE_RUN.finditer(text):
        a, b, year = run.groups()
        yield from _each(_both(year, a, b), run)
    for run in _SHORT_RUN.finditer(text):
        a, b, c = run.groups()
        yield from _each({*_both(c, a, b), (_full(a), int(b), int(c))}, run)


def _each(readings: Iterable[Reading], of: re.Match[str]) -> Iterator[Found]:
    return ((reading, of.span()) for reading in readings)


def written_in(text: str, *, known: bool = False, structured: bool = False) -> frozenset[datetime.date]:
    """Return the dates that are written with separators or with the name of a month.

    Bare runs of digits do not count: among the numbers of a table they are no dates.

    Parameters
    ----------
    text
        Any text.
    known
        Whether only dates that are known already are looked for among these: then two digits may stand for a year before 1990, too.
    structured
        Whether commas and bars stand between the numbers of a table.

    >>> sorted(map(str, written_in("Mon Mar  6 10:00:00 2023; 7th of April '23; 2023:05:08 10:11:12; 230609")))
    ['2023-03-06', '2023-04-07', '2023-05-08', '2023-08-05']
    >>> sorted(map(str, written_in("10 de marzo de 2023, 2023年4月11日, 3·5·1961")))
    ['1961-03-05', '1961-05-03', '2023-03-10', '2023-04-11']
    """
    return frozenset(day for day, _ in spelled_in(text, known=known, structured=structured))


def spelled_in(text: str, *, known: bool = False, structured: bool = False) -> frozenset[Spelled]:
    """Return the same, each with its spelling in the text.

    >>> sorted({spelled for _, spelled in spelled_in("On 6 MARCH 2023, and 17/4/23")})
    ['17/4/23', '6 MARCH 2023']
    """
    folded = _folded(text).translate(_DOTS)
    found = [*_numeric(folded), *_short(folded), *_wordy_readings(folded), *(() if structured else _listed(folded))]
    valid = _spelled(text, folded, found)
    return valid | _a_century_before(valid) if known else valid


def stated_in(text: str) -> frozenset[Spelled]:
    """Return the days that a sentence says beyond doubt, each with its spelling: with a year of four digits, or the name of a month.

    Addresses of pages and DOIs are passed over, the days of laws and issues of journals, and what may be a version or a ratio.

    >>> stated = stated_in("made on 10.3.2023 with OpenCV 4.10.11 and Conda 2023.10.1, 50/10/20 in all, see https://example.org/2023/04/11")
    >>> sorted((str(day), spelled) for day, spelled in stated)
    [('2023-03-10', '10.3.2023'), ('2023-10-03', '10.3.2023')]
    """
    text = _ADDRESS.sub(" ", text)
    folded = _PUBLISHED.sub(_struck, _folded(text).translate(_DOTS))
    numbers = [(reading, (start, end)) for reading, (start, end) in _numeric(folded) if _stands_alone(folded, start, end)]
    named = [
        (reading, (start, end))
        for reading, (start, end) in _wordy_readings(folded)
        if _ends_with_year(folded[start:end]) or _SHORT_YEAR.fullmatch(folded[start:end])
    ]
    several = [((int(one[3]), _MONTH_OF[one[1]], int(one[2])), one.span()) for one in _SEVERAL_DAYS.finditer(folded)]
    return _spelled(text, folded, [*numbers, *named, *several, *_listed(folded)])


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether numbers are a day, and no part of a longer sign, nor a version such as 2023.10.1, nor numbers in a row such as 10 20 2000."""
    spelled = text[start:end].replace(" ", "")
    separator = re.escape(next((letter for letter in spelled if not letter.isdecimal()), ""))
    whole = re.fullmatch(r"\d{4}\D\d{2}\D\d{2}", spelled) is not None
    if not separator or (separator in (r"\.", ":") and re.match(r"\d{4}", spelled) and not whole):
        return False
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    if re.search(rf"(?:[^\W_]|\d{separator})\Z", before) or (re.search(r"[^\W\d_]-\Z", before) and not whole):
        return False
    # A time may follow a whole one: 2023-04-17T10:11.
    return (whole and re.match(r"t\d", after) is not None) or not re.match(rf"[^\W_]|{separator}\d", after)


def _ends_with_year(spelled: str) -> bool:
    return re.search(r"(?<!\d)\d{4}(?!\d)", spelled) is not None


def unlisted(found: Iterable[Spelled], public: Collection[str]) -> frozenset[Spelled]:
    """Return the days that nobody listed as public, folded: neither as they are written nor as in 2023-04-17."""
    return frozenset((day, spelled) for day, spelled in found if day.isoformat() not in public and fold(spelled) not in public)


def _a_century_before(found: Iterable[Spelled]) -> frozenset[Spelled]:
    """Return the days that two digits may mean as well."""
    earlier = ((_valid([(day.year - _CENTURY, day.month, day.day)]), spelled) for day, spelled in found if day.year >= 2000)
    return frozenset((day, spelled) for days, spelled in earlier for day in days)


def standing_in(text: str, *, structured: bool = False) -> frozenset[Spelled]:
    """Return the dates that may stand in a text, to be compared with known ones, each with its spelling.

    In a table a run of 6 digits that is a whole value is a number. Part of a longer or decimal number is nowhere a date.

    >>> sorted({str(day) for day, _ in standing_in("20230417, 990609, 0.231221, 3.20220417")})
    ['1999-06-09', '2023-04-17']
    >>> sorted({str(day) for day, _ in standing_in("20230417, 990609, frame_990610", structured=True)})
    ['1999-06-10', '2023-04-17']
    """
    folded = (_PART_OF_CELL if structured else _PART_OF_NUMBER).sub(_struck, _folded(text))
    runs = _spelled(text, folded, _in_runs(_LONE_SIX.sub(_struck, folded) if structured else folded))
    earlier = _a_century_before((day, run) for day, run in runs if len(run) == len("990609"))
    return spelled_in(text, known=True, structured=structured) | runs | earlier


def _folded(text: str) -> str:
    return _DIGEST.sub(_struck, fold(text))


def _struck(match: re.Match[str]) -> str:
    """Return as many dashes, so that all else stays in its place."""
    return "-" * len(match[0])


def _spelled(text: str, folded: str, found: Iterable[Found]) -> frozenset[Spelled]:
    """Return the valid ones with what stands there: as in the text, where folding moved nothing."""
    shown = text if len(text) == len(folded) else folded
    return frozenset((day, shown[start:end].strip()) for reading, (start, end) in found for day in _valid([reading]))


def _whole_year(text: str, first: re.Pattern[str], last: re.Pattern[str]) -> Iterator[Found]:
    for one in first.finditer(text):
        yield from _each(_both(one[1], one[3], one[4]), one)
    for one in last.finditer(text):
        yield from _each(_both(one[4], one[1], one[3]), one)


def _numeric(text: str) -> Iterator[Found]:
    yield from _whole_year(text, _LONG, _LATE)
    for one in _EASTERN.finditer(text):
        yield (int(one[1]), int(one[2]), int(one[3])), one.span()


def _short(text: str) -> Iterator[Found]:
    for one in _SHORT.finditer(text):
        a, b, c = one[1], one[3], one[4]
        if len(c) == 2:
            yield from _each(_both(c, a, b), one)
        if len(a) == 2:
            yield (_full(a), int(b), int(c)), one.span()


def _listed(text: str) -> Iterator[Found]:
    return _whole_year(text, _LONG_LISTED, _LATE_LISTED)


def _wordy_readings(text: str) -> Iterator[Found]:
    for one in _DAY_MONTH.finditer(text):
        yield (_full(one[3] or one[4]), _MONTH_OF[one[2]], int(one[1])), one.span()
    for one in _MONTH_DAY.finditer(text):
        yield (_full(one[3] or one[4]), _MONTH_OF[one[1]], int(one[2])), one.span()
    for one in _YEAR_MONTH.finditer(text):
        yield (_full(one[1]), _MONTH_OF[one[2]], int(one[3])), one.span()


def of_names(names: Iterable[str]) -> frozenset[datetime.date]:
    """Return all dates in the names of files, recordings or people.

    Six digits can be a date or a number that counts up, as in ``000001.mp4``. Where names differ
    only in six digits, and most of these are no date or they count further than the days of a
    month, they give no dates.

    >>> len(of_names(["a 010203.mp4"])), len(of_names(["a 010203.mp4", "a 000199.mp4", "a 000200.mp4"]))
    (3, 0)
    """
    names = sorted(set(names))
    runs: dict[tuple[str, int], set[str]] = {}
    for name in names:
        for position, run in enumerate(_SIX.findall(name)):
            runs.setdefault((_SIX.sub("#", name), position), set()).add(run)
    counting = {key for key, numbers in runs.items() if _counts_up(numbers)}
    return frozenset().union(*(dates_in(_without(name, counting)) for name in names))


def only_numbers(days: Iterable[datetime.date], names: Iterable[str]) -> frozenset[datetime.date]:
    """Return those of the days before 1990 that stand in names only as eight digits with the year last, as in the number of a case.

    >>> days = of_names(["MRN 12051923", "geb 19610503"])
    >>> sorted(map(str, only_numbers(days, ["MRN 12051923", "geb 19610503"])))
    ['1923-05-12', '1923-12-05']
    """
    names = list(names)
    meant = {day for name in names for day in written_in(name)}
    meant |= _valid(reading for name in names for run in _LONG_RUN.finditer(name) for reading in _both(*run.groups()))
    return frozenset(day for day in days if day.year < _FIRST_SHORT) - meant


def _counts_up(runs: set[str]) -> bool:
    if 2 * sum(bool(_dates_in_runs(run)) for run in runs) < len(runs):
        return True
    numbers = sorted(map(int, runs))
    return any(numbers[i + LONGEST_MONTH] - numbers[i] == LONGEST_MONTH for i in range(len(numbers) - LONGEST_MONTH))


def _without(name: str, counting: set[tuple[str, int]]) -> str:
    """Return a name without the runs of six digits that count up."""
    shape = _SIX.sub("#", name)
    gaps, runs = _SIX.split(name), _SIX.findall(name)
    kept = ["#" if (shape, position) in counting else run for position, run in enumerate(runs)]
    return "".join(text for pair in zip(gaps, [*kept, ""], strict=True) for text in pair)


def spellings(date: datetime.date, *, short: bool = True) -> frozenset[str]:
    """Return the common spellings of a date, in lower case.

    The year alone and the month alone are no spelling: they stand in citations and licences.

    Parameters
    ----------
    date
        Any date.
    short
        Whether six digits mean it, too; see `only_numbers`.

    >>> {"2023-04-17", "20230417", "17.04.2023", "17/04/23", "230417", "17 april 2023"} <= spellings(datetime.date(2023, 4, 17))
    True
    """
    year, of_two = f"{date.year}", f"{date.year % 100:02d}"
    month, day = f"{date.month:02d}", f"{date.day:02d}"
    spelled = {
        year + month + day,
        day + month + year,
        month + day + year,
        f"{year}:{month}:{day}",
    }
    for gap in _SEPARATORS:
        spelled |= {gap.join(parts) for parts in ((year, month, day), (day, month, year), (month, day, year))}
        spelled |= {gap.join((f"{date.day}", f"{date.month}", year)), gap.join((f"{date.month}", f"{date.day}", year))}
        if gap != " ":
            spelled |= {gap.join(parts) for parts in ((of_two, month, day), (day, month, of_two), (month, day, of_two))}
    six = {of_two + month + day, day + month + of_two} if short else set()
    return frozenset(spelled | six | _wordy(date))


def _wordy(date: datetime.date) -> set[str]:
    names = {name for full in _MONTHS[date.month - 1] for name in (full, full[:3])}
    spelled = set()
    for name, day in product(names, {f"{date.day}", f"{date.day:02d}"}):
        for gap in ("", " ", "-", "_", ". "):
            spelled.add(f"{day}{gap}{name}{gap.strip('.')}{date.year}")
        spelled |= {f"{name} {day}, {date.year}", f"{name} {day} {date.year}"}
    return spelled


def _both(year: str, a: str, b: str) -> set[Reading]:
    """Return a date in the orders of Europe and of America."""
    return {(_full(year), int(a), int(b)), (_full(year), int(b), int(a))}


def _full(year: str) -> int:
    if len(year) > 2:
        return int(year)
    return next(full for full in (1900 + int(year), 2000 + int(year)) if full >= _FIRST_SHORT)


def _valid(readings: Iterable[Reading]) -> frozenset[datetime.date]:
    valid = set()
    for year, month, day in readings:
        if year in _YEARS and 1 <= month <= 12:
            try:
                valid.add(datetime.date(year, month, day))
            except ValueError:  # no such day
                continue
    return frozenset(valid)
