"""The registry of rules: name, severity, sentence, check of each, with what it calls a broken row.

To add a rule, write one function in a module of the folder ``rules`` and break it once on purpose in a test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from scrubin.stages.validate.expected import Severity

if TYPE_CHECKING:
    from scrubin.stages.validate.study_tables import Study


@dataclass(frozen=True)
class Expectation:
    """An expectation as data: the judge alone imports Great Expectations, which takes five seconds.

    Parameters
    ----------
    name
        Class of ``great_expectations.expectations``.
    arguments
        Its arguments by name.
    """

    name: str
    arguments: Mapping[str, Any]


def expect(name: str, **arguments: Any) -> Expectation:
    """Return an expectation by its class and its arguments."""
    return Expectation(name, arguments)


@dataclass(frozen=True)
class Check:
    """What Great Expectations judges and, for naming keys, the same in vectorised form.

    Parameters
    ----------
    rule, columns, says
        As in ``Outcome``.
    expectation
        What Great Expectations judges.
    broken
        Returns for each row whether it breaks the rule; called only when the expectation failed, or where nobody judges it.
    details
        Returns more columns to be named beside the key of an offending row; None when there are none.
    """

    rule: str
    columns: tuple[str, ...]
    says: str
    expectation: Expectation
    broken: Callable[[], pd.Series[bool]]
    details: Callable[[], pd.DataFrame] | None = None


@dataclass(frozen=True)
class PlannedCheck:
    """A check that may turn out impossible: ``check`` can fail with ``NotCheckableError`` or ``NotApplicableError``."""

    rule: str
    columns: tuple[str, ...]
    says: str
    check: Callable[[], Check]


BrokenRows = Callable[["Study", str], "pd.Series[bool]"]
Details = Callable[["Study", str], pd.DataFrame]


@dataclass(frozen=True)
class Rule:
    """One rule.

    Parameters
    ----------
    name
        Its name in ``params.yaml`` and in reports.
    severity
        How much it weighs where ``params.yaml`` says nothing else.
    says
        What holds, as a sentence without a full stop.
    """

    name: str
    severity: Severity
    says: str


@dataclass(frozen=True)
class RowRule(Rule):
    """A rule that judges each row of a table by what else the study holds.

    Parameters
    ----------
    columns
        By table that it judges, the columns it speaks about.
    broken
        Takes the study and the name of such a table, and returns for each of its rows whether the rule is broken.
    details
        Returns more columns about the rows, with the index of the table, to be named beside the key; None when there are none.
    """

    columns: Mapping[str, tuple[str, ...]]
    broken: BrokenRows
    details: Details | None = None


RULES: dict[str, Rule] = {}
"""Every rule by name; complete once the package ``scrubin.stages.validate.rules`` is imported."""


def rule(
    severity: Severity, says: str, details: Details | None = None, /, **columns: tuple[str, ...]
) -> Callable[[BrokenRows], BrokenRows]:
    """Register the decorated function as a rule of its name; parameters as those of ``Rule`` and ``RowRule``."""

    def register(broken: BrokenRows) -> BrokenRows:
        _add(RowRule(broken.__name__, severity, says, columns, broken, details))
        return broken

    return register


def generated(name: str, severity: Severity, says: str) -> Rule:
    """Register a rule whose checks are generated, from declarations, counts or files, and return it."""
    one = Rule(name, severity, says)
    _add(one)
    return one


def row_rules() -> list[RowRule]:
    """Return the rules that judge rows, in the order of their registration."""
    return [one for one in RULES.values() if isinstance(one, RowRule)]


def _add(one: Rule) -> None:
    if one.name in RULES:
        msg = f"there are two rules '{one.name}'"
        raise ValueError(msg)
    RULES[one.name] = one
