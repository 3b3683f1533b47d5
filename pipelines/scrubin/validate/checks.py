"""Every rule asked of every table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import great_expectations.expectations as gxe
import pandas as pd

from scrubin.errors import StageError, TableError
from scrubin.validate import counts, declared_suite
from scrubin.validate.check import Check, Question
from scrubin.validate.judge import Judge
from scrubin.validate.offenders import first_by_key
from scrubin.validate.outcomes import FAILED, NOT_APPLICABLE, NOT_CHECKED, PASSED, Outcome, keys_of
from scrubin.validate.params import Severities
from scrubin.validate.rules import doubles, labels, leakage, phases, privacy, references, splits, videos, vocabulary
from scrubin.validate.rules.registry import RULES, Rule
from scrubin.validate.schema import schema_checks, schema_of
from scrubin.validate.study import NotApplicableError, NotCheckableError, Study

FAMILIES = (doubles, labels, leakage, phases, privacy, references, splits, videos, vocabulary)
"""The modules whose import registers the rules across tables."""
DECLARED_RULES = ("declared_columns", "declared_types", "no_private_column", "not_missing", "in_range", "allowed_value", "key_unique")
"""The rules that follow from the declarations; those across rows and tables are in ``RULES``, those that count in ``COUNTED_RULES``."""


def run(study: Study, severities: Severities) -> list[Outcome]:
    """Return the outcome of every rule for every table it is asked of, sorted by table, rule and columns."""
    judge = Judge()
    outcomes = [outcome for table in study.tables for outcome in of_table(judge, study, table, severities)]
    return sorted(outcomes, key=lambda outcome: (outcome.table, outcome.rule, outcome.columns))


def row_counts(study: Study) -> dict[str, int]:
    """Return the number of rows by table."""
    return {name: len(found.rows) for name, found in sorted(study.tables.items())}


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
        What is asked.
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
class Unasked:
    """A check that was not made.

    Parameters
    ----------
    rule, columns, says, things
        As in ``Outcome``.
    result
        Not checked or not applicable.
    why
        The reason.
    """

    rule: str
    columns: tuple[str, ...]
    says: str
    things: str
    result: str
    why: str


def of_table(judge: Judge, study: Study, table: str, severities: Severities) -> Iterator[Outcome]:
    """Yield the outcomes of one table."""
    asked, unasked = batches(study, table)
    for batch in asked:
        yield from answers(judge, table, batch, severities)
    for one in unasked:
        severity, rows = getattr(severities, one.rule), len(study.tables[table].rows) if one.things == "rows" else 0
        yield Outcome(one.rule, table, one.columns, severity, one.says, one.result, rows, None, (), one.why, one.things)


def batches(study: Study, table: str) -> tuple[list[Batch], list[Unasked]]:
    """Return what is asked of a table: its columns, its rows, and its rows against others; and what cannot be asked, with the reason."""
    found = study.tables[table]
    schema = schema_of(found)
    private = privacy.private_columns(frozenset(name for other in study.tables.values() for name in other.table.column_names))
    own, own_unasked = _asked(declared_suite.questions(study, table))
    across, across_unasked = _asked([_across(study, table, rule) for rule in RULES.values() if table in rule.columns])
    # Rules that span rows or tables are vectorised first; what is asserted is whether they hold for every row.
    holds = pd.DataFrame({check.rule: [not check.broken().any()] for check in across}, index=[0])
    names = [name for name in found.table.column_names if any(name in check.columns for check in own)]
    asked = [
        Batch(f"{table} columns", schema, schema, (), schema_checks(schema, private), "columns"),
        Batch(f"{table} rows", found.rows[names], found.rows, found.table.key, own),
        Batch(f"{table} across", holds, found.rows, found.table.key, across),
    ]
    counted, uncounted = _counted(study, table)
    return [*asked, *counted], [*own_unasked, *across_unasked, *uncounted]


def answers(judge: Judge, table: str, batch: Batch, severities: Severities) -> Iterator[Outcome]:
    """Yield the outcome of each check of a batch."""
    verdicts = judge.verdicts(batch.name, batch.judged, [check.expectation for check in batch.checks])
    for check, kept in zip(batch.checks, verdicts, strict=True):
        yield _outcome(table, check, batch, getattr(severities, check.rule), kept=kept)


def _asked(questions: Sequence[Question]) -> tuple[list[Check], list[Unasked]]:
    checks, unasked = [], []
    for question in questions:
        try:
            checks.append(question.check())
        except (NotApplicableError, NotCheckableError) as error:
            unasked.append(_unasked(question.rule, question.columns, question.says, "rows", error))
    return checks, unasked


def _counted(study: Study, table: str) -> tuple[list[Batch], list[Unasked]]:
    asked, unasked = [], []
    for counting in counts.countings(study, table):
        try:
            found = counting.count()
        except (NotApplicableError, NotCheckableError) as error:
            unasked.append(_unasked(counting.rule, counting.columns, counting.says, counting.things, error))
            continue
        named = found.drop(columns="kept", errors="ignore")
        name = f"{table} {counting.rule} {' '.join(counting.columns)}"
        asked.append(Batch(name, found, named, tuple(map(str, named.columns)), [counting.check(found)], counting.things))
    return asked, unasked


def _unasked(rule: str, columns: tuple[str, ...], says: str, things: str, error: TableError) -> Unasked:
    return Unasked(rule, columns, says, things, NOT_APPLICABLE if isinstance(error, NotApplicableError) else NOT_CHECKED, str(error))


def _across(study: Study, table: str, rule: Rule) -> Question:
    def check() -> Check:
        broken = rule.find(study, table).fillna(value=False).astype(bool)
        expectation = gxe.ExpectColumnValuesToBeInSet(column=rule.name, value_set=[True])
        details = partial(rule.details, study, table) if rule.details else None
        return Check(rule.name, rule.columns[table], rule.says, expectation, partial(_same, broken), details)

    return Question(rule.name, rule.columns[table], rule.says, check)


def _same(broken: pd.Series[bool]) -> pd.Series[bool]:
    return broken


def _outcome(table: str, check: Check, batch: Batch, severity: str, *, kept: bool) -> Outcome:
    rows = batch.named
    if kept:
        return Outcome(check.rule, table, check.columns, severity, check.says, PASSED, len(rows), 0, things=batch.things)
    offenders = rows[check.broken().to_numpy()]
    if offenders.empty:
        msg = f"table '{table}', rule {check.rule}: Great Expectations finds it broken, but no row breaks it; the two must mean the same"
        raise StageError(msg)
    first = first_by_key(offenders, batch.key) if batch.things == "rows" else offenders
    more = check.details().loc[first.index] if check.details else pd.DataFrame(index=first.index)
    keys = keys_of(first.join(more), (*batch.key, *check.columns, *more.columns))
    return Outcome(check.rule, table, check.columns, severity, check.says, FAILED, len(rows), len(offenders), keys, things=batch.things)
