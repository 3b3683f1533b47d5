"""The registry of rules: name, severity, sentence, check of each, with what it calls a broken row, in batches for the judge.

To add a rule, write one function in a module of the folder ``rules`` and break it once on purpose in a test.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import ScrubinError, TableError
from scrubin.stages.validate.expected import Severity
from scrubin.stages.validate.study_tables import NotApplicableError, NotCheckableError, Study


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


@dataclass(frozen=True)
class Batch:
    """Checks of one data frame.

    Parameters
    ----------
    name
        Name of the data frame.
    judged
        What Great Expectations looks at.
    named
        The rows that keys are taken from, one for each truth value of a check.
    key
        Key of these rows.
    checks
        What is checked.
    things
        What its rows are, as in ``Outcome``.
    """

    name: str
    judged: pd.DataFrame
    named: pd.DataFrame
    key: tuple[str, ...]
    checks: list[Check]
    things: str = "rows"


@dataclass(frozen=True)
class SkippedCheck:
    """A check that cannot be run.

    Parameters
    ----------
    rule, columns, says, things
        As in ``Outcome``.
    error
        Why: `NotApplicableError`, or it is not checked.
    """

    rule: str
    columns: tuple[str, ...]
    says: str
    things: str
    error: TableError


Batches = tuple[list[Batch], list[SkippedCheck]]
"""What can be judged, and what cannot."""


def ready(planned: Sequence[PlannedCheck]) -> tuple[list[Check], list[SkippedCheck]]:
    """Return the checks of rows that are possible, and those that are not."""
    checks, skipped = [], []
    for one in planned:
        try:
            checks.append(one.check())
        except (NotApplicableError, NotCheckableError) as error:
            skipped.append(SkippedCheck(one.rule, one.columns, one.says, "rows", error))
    return checks, skipped


BrokenRows = Callable[[Study, str], "pd.Series[bool]"]
Details = Callable[[Study, str], pd.DataFrame]


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

    def of_rows(self, study: Study, table: str) -> Check:
        """Return the check of a table's rows.

        Raises
        ------
        NotApplicableError, NotCheckableError
            When it is impossible. A rule that fails by itself is not checked, and stops no other.
        """
        try:
            broken = self.broken(study, table).fillna(value=False).astype(bool)
        except ScrubinError:
            raise
        except Exception as failure:
            places = [frame for frame in traceback.extract_tb(failure.__traceback__) if "scrubin" in frame.filename]
            msg = f"the rule itself failed, {Path(places[-1].filename).name}, line {places[-1].lineno}: {type(failure).__name__}: {failure}"
            raise NotCheckableError(msg) from failure
        expectation = Expectation("ExpectColumnValuesToBeInSet", {"column": self.name, "value_set": [True]})
        details = partial(self.details, study, table) if self.details else None
        return Check(self.name, self.columns[table], self.says, expectation, lambda: broken, details)


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


def batch_of_rules(study: Study, table: str) -> Batches:
    """Return the checks of a table's rows against what else the study holds."""
    planned = [
        PlannedCheck(one.name, one.columns[table], one.says, partial(one.of_rows, study, table))
        for one in row_rules()
        if table in one.columns
    ]
    checks, skipped = ready(planned)
    # Rules that span rows or tables are vectorised first; what is asserted is whether they hold for every row.
    holds = pd.DataFrame({check.rule: [not check.broken().any()] for check in checks}, index=[0])
    stored = study.tables[table]
    return [Batch(f"{table} across", holds, stored.rows, stored.table.key, checks)], skipped


def _add(one: Rule) -> None:
    if one.name in RULES:
        raise ValueError(f"there are two rules '{one.name}'")
    RULES[one.name] = one
