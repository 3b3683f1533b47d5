"""Dates in names or texts, with the spellings in which the same date could turn up elsewhere."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
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
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe63\uff0d", "-") | dict.fromkeys("·•∙⋅‧・", "."))
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
_ADDRESS = re.compile(r"https?://\S+|(?<![^\W_])10\.\d{4,9}/\S+")
_SIX = re.compile(r"(?<!\d)\d{6}(?!\d)")
Reading = tuple[int, int, int]


def dates_in(text: str) -> frozenset[datetime.date]:
    """Return every date that a name can be read as; an ambiguous one gives all its readings.

    >>> sorted(map(str, dates_in("20230417T143205_left")))
    ['2023-04-17']
    >>> sorted(map(str, dates_in("04/05/2023")))
    ['2023-04-05', '2023-05-04']
    """
    return _dates_in_runs(text) | written_in(text)


def _dates_in_runs(text: str) -> frozenset[datetime.date]:
    """Return the dates that runs of 6, 8 or more digits can be read as."""
    readings: set[Reading] = set()
    for year, a, b in _LONG_RUN.findall(text):
        readings |= _both(year, a, b)
    for a, b, year in _LATE_RUN.findall(text):
        readings |= _both(year, a, b)
    for a, b, c in _SHORT_RUN.findall(text):
        readings |= {*_both(c, a, b), (_full(a), int(b), int(c))}
    return _valid(readings)


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
    text = _DIGEST.sub("-", fold(text)).translate(_DASHES)
    valid = _valid(_numeric(text) | _short(text) | _wordy_readings(text) | (set() if structured else _listed(text)))
    return valid | _a_century_before(valid) if known else valid


def stated_in(text: str) -> frozenset[datetime.date]:
    """Return the days that a sentence says beyond doubt: numbers with a year of four digits, or the name of a month.

    Addresses of pages and DOIs are passed over, and what may be a version or a ratio.

    >>> sorted(map(str, stated_in("made on 10.3.2023 with OpenCV 4.10.11, 50/10/20 in all, see https://example.org/2023/04/11")))
    ['2023-03-10', '2023-10-03']
    """
    text = _DIGEST.sub("-", fold(_ADDRESS.sub(" ", text))).translate(_DASHES)
    return _valid(_numeric(text) | _wordy_readings(text) | _listed(text))


def _a_century_before(days: Iterable[datetime.date]) -> frozenset[datetime.date]:
    """Return the days that two digits may mean as well."""
    return _valid((day.year - _CENTURY, day.month, day.day) for day in days if day.year >= 2000)


def standing_in(text: str, *, structured: bool = False) -> frozenset[datetime.date]:
    """Return the dates that may stand in a text, to be compared with known ones; in a table a run of 6 digits is a number.

    >>> sorted(map(str, standing_in("20230417, 990609"))), sorted(map(str, standing_in("20230417, 990609", structured=True)))
    (['1923-04-17', '1999-06-09', '2023-04-17'], ['1923-04-17', '2023-04-17'])
    """
    text = _DIGEST.sub("-", fold(text))
    runs = _dates_in_runs(_SIX.sub("-", text) if structured else text)
    return written_in(text, known=True, structured=structured) | runs | _a_century_before(runs)


def _numeric(text: str) -> set[Reading]:
    readings: set[Reading] = set()
    for year, _, a, b in _LONG.findall(text):
        readings |= _both(year, a, b)
    for a, _, b, year in _LATE.findall(text):
        readings |= _both(year, a, b)
    return readings | {(int(year), int(month), int(day)) for year, month, day in _EASTERN.findall(text)}


def _short(text: str) -> set[Reading]:
    readings: set[Reading] = set()
    for a, _, b, c in _SHORT.findall(text):
        if len(c) == 2:
            readings |= _both(c, a, b)
        if len(a) == 2:
            readings.add((_full(a), int(b), int(c)))
    return readings


def _listed(text: str) -> set[Reading]:
    readings: set[Reading] = set()
    for year, _, a, b in _LONG_LISTED.findall(text):
        readings |= _both(year, a, b)
    for a, _, b, year in _LATE_LISTED.findall(text):
        readings |= _both(year, a, b)
    return readings


def _wordy_readings(text: str) -> set[Reading]:
    readings = [(long or short, month, day) for day, month, long, short in _DAY_MONTH.findall(text)]
    readings += [(long or short, month, day) for month, day, long, short in _MONTH_DAY.findall(text)]
    readings += _YEAR_MONTH.findall(text)
    return {(_full(year), _MONTH_OF[month], int(day)) for year, month, day in readings}


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


def spellings(date: datetime.date) -> frozenset[str]:
    """Return the common spellings of a date, in lower case.

    The year alone and the month alone are no spelling: they stand in citations and licences.

    >>> {"2023-04-17", "20230417", "17.04.2023", "17/04/23", "230417", "17 april 2023"} <= spellings(datetime.date(2023, 4, 17))
    True
    """
    year, short = f"{date.year}", f"{date.year % 100:02d}"
    month, day = f"{date.month:02d}", f"{date.day:02d}"
    spelled = {
        year + month + day,
        day + month + year,
        month + day + year,
        short + month + day,
        day + month + short,
        f"{year}:{month}:{day}",
    }
    for gap in _SEPARATORS:
        spelled |= {gap.join(parts) for parts in ((year, month, day), (day, month, year), (month, day, year))}
        spelled |= {gap.join((f"{date.day}", f"{date.month}", year)), gap.join((f"{date.month}", f"{date.day}", year))}
        if gap not in ". ":  # "2023.04" is also a number
            spelled.add(year + gap + month)
        if gap != " ":
            spelled |= {gap.join(parts) for parts in ((short, month, day), (day, month, short), (month, day, short))}
    return frozenset(spelled | _wordy(date))


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
