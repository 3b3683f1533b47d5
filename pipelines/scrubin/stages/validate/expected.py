"""What a curator declares beyond the tables: totals, workflows, limits, severities, the version before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args

from scrubin.base import faults, strangers
from scrubin.base.errors import AnnotationError, ParamsError
from scrubin.base.files import sha256_of
from scrubin.base.params import ranged
from scrubin.base.tables import Column, Table
from scrubin.base.text.csv_text import number, shown
from scrubin.base.vocabulary.vocabulary import Transitions, Vocabulary, named, transitions

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""What a broken rule does: an ``error`` stops the release and fails a validation, a ``warning`` or ``note`` is only reported.

Not to be confused with the severity of a fault (``scrubin.base.faults``), which says what a reader can do with a value of a
file: not use it (``error``), take it although it is not as the format says (``deviation``), or take it with doubt
(``warning``). That follows from the file and cannot be set; how much a rule weighs is the curator's choice. For a verdict the
two meet in one way: an error of either sort fails, everything else is shown and passes.
"""


@dataclass(frozen=True)
class NearDuplicate:
    """When recordings count as showing the same: see ``near_duplicates.Limits``."""

    evidence_bits: int = ranged(low=1)
    min_frames: int = ranged(low=0)
    accepted: tuple[tuple[str, ...], ...] = ranged()


@dataclass(frozen=True)
class Total:
    """A declared total, such as the 4,612,532 rows of phases of Cholec80.

    Parameters
    ----------
    table
        The table.
    count
        What is counted: its rows, its different recordings, or its different frames of recordings.
    where
        Only rows with these values, written as text, by column; empty for all. A number is the same however it is written.
    total
        How many there must be.
    """

    table: str
    total: int = ranged(low=0)
    count: str = ranged(choices=("rows", "recordings", "frames"))
    where: Mapping[str, str] = ranged()


@dataclass(frozen=True)
class Previous:
    """Classes of the version before: the ``class_counts.json`` that validation wrote for it, and its SHA-256.

    The hash stands here so that DVC sees another file.
    """

    path: str
    sha256: str


@dataclass(frozen=True)
class ValidateParams:
    """The section ``validate`` of ``params.yaml``.

    Parameters
    ----------
    flicker_s
        A phase that lasts less than so many seconds, with another phase before and after it, flickers.
    transitions
        By vocabulary, pairs [phase, next phase] that are allowed, in the place of those that come with the library.
    totals
        Declared totals.
    previous
        The version before this one; None for a first release.
    drift_limit
        Largest total variation distance between the classes of this version and of the one before.
    near_duplicate
        When recordings count as showing the same.
    severity
        By rule, where it is not to be the rule's own; ``rules.severities`` refuses names that no rule has.
    """

    near_duplicate: NearDuplicate
    previous: Previous | None
    flicker_s: float = ranged(low=0)
    transitions: Mapping[str, tuple[tuple[str, ...], ...]] = ranged()
    totals: tuple[Total, ...] = ranged()
    drift_limit: float = ranged(low=0, high=1)
    severity: Mapping[str, str] = ranged(choices=SEVERITIES)


DEFAULTS = ValidateParams(
    near_duplicate=NearDuplicate(evidence_bits=20, min_frames=20, accepted=()),
    previous=None,
    flicker_s=2.0,
    transitions={},
    totals=(),
    drift_limit=0.1,
    severity={},
)
"""What holds where nobody names a ``params.yaml``: the section as the project comes with it."""

ClassCounts = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Number of rows by table, column and class."""
PAIR = 2
YES_OR_NO = {"true": True, "false": False}
INT64 = 2**63
"""From here on a whole number has no room in a column of them."""
_LONG_EXPONENT = re.compile(r"[eE][+-]?0*[1-9]\d{3}")
"""Computed exactly, a number with such an exponent takes seconds and gigabytes."""


@dataclass(frozen=True)
class Expected:
    """What is expected of a study.

    Parameters
    ----------
    flicker_s
        A phase that lasts less than so many seconds, between two others, flickers.
    drift_limit
        Largest total variation distance, 0 to 1, between the classes of this version and of the one before.
    totals
        Declared totals.
    transitions
        By vocabulary the pairs (phase, next phase) that are allowed.
    previous
        Number of rows by class in the version before; None for a first release.
    """

    flicker_s: float
    drift_limit: float
    totals: tuple[Total, ...] = ()
    transitions: Mapping[str, Transitions] = field(default_factory=dict)
    previous: ClassCounts | None = None


def expected(of: ValidateParams, vocabularies: Mapping[str, Vocabulary], tables: Iterable[Table]) -> Expected:
    """Return what the parameters declare, checked against tables and vocabularies.

    Raises
    ------
    ParamsError
        When a total names no table or column, or a value that its column cannot have, a transition no phase, or the counts of the
        version before cannot be used.
    """
    declared = {table.name: table for table in tables}
    for place, total in enumerate(of.totals):
        _check_total(f"params.yaml: 'validate.totals[{place}]'", total, declared)
    return Expected(
        of.flicker_s,
        of.drift_limit,
        of.totals,
        _transitions(of.transitions, vocabularies),
        None if of.previous is None else _counts(of.previous),
    )


def _check_total(where: str, total: Total, declared: Mapping[str, Table]) -> None:
    if total.table not in declared:
        _refuse(f"{where}: '{total.table}' is no public table", total.table, declared)
    columns = declared[total.table].column_names
    needed = {"rows": (), "recordings": ("id",), "frames": ("id", "frame")}[total.count]
    for name in (*needed, *total.where):
        if name not in columns:
            _refuse(f"{where}: '{name}' is no column of table '{total.table}'", name, columns)
    for column in declared[total.table].columns:
        try:
            value_of(column, total.where.get(column.name))
        except ValueError as error:
            msg = f"{where}: column '{column.name}' of table '{total.table}' holds {error}; correct it, or take it out of 'where'"
            raise ParamsError(msg) from error


def value_of(column: Column, text: str | None) -> str | float | bool | None:
    """Return the value of a column that a text stands for; None for None.

    Raises
    ------
    ValueError
        When no value of its type is written so.

    >>> [value_of(Column("n", "int64", "", ""), text) for text in ("3", "3.0", "03")]
    [3, 3, 3]
    """
    if text is None or column.dtype == "str":
        return text
    if column.dtype == "bool":
        if text.strip().lower() not in YES_OR_NO:
            raise ValueError(f"true or false, not '{shown(text)}'")
        return YES_OR_NO[text.strip().lower()]
    try:
        value = number(text)
    except ValueError as error:
        raise ValueError(f"numbers, and {error}") from error
    if column.dtype == "float64":
        return value
    if not value.is_integer() or abs(value) >= INT64 or _LONG_EXPONENT.search(text):
        raise ValueError(f"whole numbers, not '{shown(text)}'")
    return int(Fraction(text.strip()))


def _transitions(declared: Mapping[str, tuple[tuple[str, ...], ...]], vocabularies: Mapping[str, Vocabulary]) -> dict[str, Transitions]:
    shipped = {name: transitions(vocabulary) for name, vocabulary in vocabularies.items()}
    known = {name: pairs for name, pairs in shipped.items() if pairs is not None}
    for name, pairs in declared.items():
        where = f"params.yaml: 'validate.transitions.{name}'"
        if name not in vocabularies:
            _refuse(f"{where}: there is no such vocabulary", name, vocabularies)
        wrong = next((list(pair) for pair in pairs if len(pair) != PAIR), None)
        if wrong is not None:
            raise ParamsError(f"{where} must list pairs [phase, next phase], but has {wrong}")
        try:
            known[name] = named(vocabularies[name], [(pair[0], pair[1]) for pair in pairs])
        except AnnotationError as error:
            raise ParamsError(f"{where}: {error}") from error
    return known


def _counts(previous: Previous) -> ClassCounts:
    path, where = Path(previous.path), "params.yaml: 'validate.previous'"
    if not path.is_file():
        raise ParamsError(f"{where}: there is no file {path}; it is the class_counts.json that validation wrote for the version before")
    actual = sha256_of(path)
    if actual != previous.sha256.lower():
        raise ParamsError(f"{where}: {path} has the SHA-256 {actual}, not {previous.sha256}; correct one of them")
    return counts_of(path)


def counts_of(path: Path) -> ClassCounts:
    """Read a ``class_counts.json``.

    Raises
    ------
    ParamsError
        When it holds something else.
    """
    try:
        tables = strangers.read_json(path)["tables"]
        counts = {
            str(table): {str(column): {str(name): _whole(count) for name, count in of.items()} for column, of in columns.items()}
            for table, columns in tables.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path}: it has no counts of classes ({type(error).__name__}: {error}); name a class_counts.json that validation wrote"
        raise ParamsError(msg) from error
    return counts


def _whole(count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ValueError(f"{count!r} is no number of rows")
    return count


def _refuse(fault: str, name: str, known: Iterable[str]) -> None:
    raise ParamsError(f"{fault}; {faults.hint(name, sorted(known))}")
