"""Every rule asked of every table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import great_expectations.expectations as gxe
import pandas as pd

from scrubin.errors import StageError
from scrubin.validate import declared
from scrubin.validate.check import Check, Question
from scrubin.validate.judge import Judge
from scrubin.validate.outcomes import FAILED, NOT_CHECKED, PASSED, Outcome, keys_of
from scrubin.validate.params import Severities
from scrubin.validate.rules import labels, leakage, privacy, references, splits, videos, vocabulary
from scrubin.validate.rules.registry import RULES, Rule
from scrubin.validate.schema import schema_checks, schema_of
from scrubin.validate.study import NotCheckableError, Study

FAMILIES = (labels, leakage, privacy, references, splits, videos, vocabulary)
"""The modules whose import registers the rules across tables."""
DECLARED_RULES = ("declared_columns", "declared_types", "no_private_column", "not_missing", "in_range", "allowed_value", "key_unique")
"""The rules that follow from the declarations; the others are in ``RULES``."""


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
        The rows that keys are taken from, one for each row of ``judged``.
    key
        Key of these rows.
    checks
        What is asked.
    """

    name: str
    judged: pd.DataFrame
    named: pd.DataFrame
    key: tuple[str, ...]
    checks: list[Check]


def of_table(judge: Judge, study: Study, table: str, severities: Severities) -> Iterator[Outcome]:
    """Yield the outcomes of one table."""
    asked, unchecked = batches(study, table)
    for batch in asked:
        yield from answers(judge, table, batch, severities)
    for question, why in unchecked:
        severity, rows = getattr(severities, question.rule), len(study.tables[table].rows)
        yield Outcome(question.rule, table, question.columns, severity, question.says, NOT_CHECKED, rows, None, (), why)


def batches(study: Study, table: str) -> tuple[list[Batch], list[tuple[Question, str]]]:
    """Return what is asked of a table: its columns, its rows, and its rows against others; and what cannot be asked, with the reason."""
    found = study.tables[table]
    schema = schema_of(found)
    private = privacy.private_columns(frozenset(name for other in study.tables.values() for name in other.table.column_names))
    own, own_unchecked = _asked(declared.questions(study, table))
    across, across_unchecked = _asked([_across(study, table, rule) for rule in RULES.values() if table in rule.columns])
    # Rules that span rows or tables are vectorised first; what is asserted is a column of truth values.
    holds = pd.DataFrame({check.rule: ~check.broken() for check in across}, index=found.rows.index)
    asked = [
        Batch(f"{table} columns", schema, schema, (), schema_checks(schema, private)),
        Batch(f"{table} rows", found.rows, found.rows, found.table.key, own),
        Batch(f"{table} across", holds, found.rows, found.table.key, across),
    ]
    return asked, [*own_unchecked, *across_unchecked]


def answers(judge: Judge, table: str, batch: Batch, severities: Severities) -> Iterator[Outcome]:
    """Yield the outcome of each check of a batch."""
    verdicts = judge.verdicts(batch.name, batch.judged, [check.expectation for check in batch.checks])
    for check, kept in zip(batch.checks, verdicts, strict=True):
        yield _outcome(table, check, batch.named, batch.key, getattr(severities, check.rule), kept=kept)


def _asked(questions: Sequence[Question]) -> tuple[list[Check], list[tuple[Question, str]]]:
    checks, unchecked = [], []
    for question in questions:
        try:
            checks.append(question.check())
        except NotCheckableError as error:
            unchecked.append((question, str(error)))
    return checks, unchecked


def _across(study: Study, table: str, rule: Rule) -> Question:
    def check() -> Check:
        broken = rule.find(study, table).fillna(value=False).astype(bool)
        expectation = gxe.ExpectColumnValuesToBeInSet(column=rule.name, value_set=[True])
        details = partial(rule.details, study, table) if rule.details else None
        return Check(rule.name, rule.columns[table], rule.says, expectation, partial(_same, broken), details)

    return Question(rule.name, rule.columns[table], rule.says, check)


def _same(broken: pd.Series[bool]) -> pd.Series[bool]:
    return broken


def _outcome(table: str, check: Check, rows: pd.DataFrame, key: tuple[str, ...], severity: str, *, kept: bool) -> Outcome:
    if kept:
        return Outcome(check.rule, table, check.columns, severity, check.says, PASSED, len(rows), 0)
    offenders = rows[check.broken().to_numpy()]
    if offenders.empty:
        msg = f"table '{table}', rule {check.rule}: Great Expectations finds it broken, but no row breaks it; the two must mean the same"
        raise StageError(msg)
    more = check.details().loc[offenders.index] if check.details else pd.DataFrame(index=offenders.index)
    keys = keys_of(offenders.join(more), (*key, *check.columns, *more.columns))
    return Outcome(check.rule, table, check.columns, severity, check.says, FAILED, len(rows), len(offenders), keys)
