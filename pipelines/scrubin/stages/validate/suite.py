"""The suite: every check of every table, judged by Great Expectations, with its outcome.

Only verdicts come from it. Naming 20 keys through it takes a minute per rule when all of two
million rows are wrong (measured with 1.24); the rules themselves name them in a fraction of a second.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from scrubin.base.errors import ScrubinError, StageError, TableError
from scrubin.stages.validate import rules
from scrubin.stages.validate.expected import Severity
from scrubin.stages.validate.outcomes import FAILED, NOT_APPLICABLE, NOT_CHECKED, PASSED, Outcome, first_by_key, keys_of
from scrubin.stages.validate.registry import Check, Expectation, PlannedCheck, RowRule, expect, row_rules
from scrubin.stages.validate.rules import counts, declarations
from scrubin.stages.validate.study_tables import NotApplicableError, NotCheckableError, Study

os.environ["GX_ANALYTICS_ENABLED"] = "false"  # read when the package is imported


class Judge:
    """A Great Expectations context in memory, without progress bars and without a word to the network."""

    def __init__(self) -> None:
        # Five seconds, and an extra: only for who judges by it.
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig

        # It would announce, with the path, a temporary folder that it makes for pages nobody needs.
        logging.getLogger("great_expectations.data_context.types.base").setLevel(logging.WARNING)
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        # One asset for all frames: each that is added or deleted rewrites the configuration of the whole context.
        asset = context.data_sources.add_pandas("study").add_dataframe_asset("frame")
        self._batch = asset.add_batch_definition_whole_dataframe("all")

    def verdicts(self, name: str, frame: pd.DataFrame, expectations: Sequence[Expectation]) -> list[bool]:
        """Return for each expectation whether the frame meets it.

        Raises
        ------
        StageError
            When Great Expectations cannot evaluate one: that is no verdict.
        """
        if not expectations:
            return []
        import great_expectations as gx
        import great_expectations.expectations as gxe

        numbered = [getattr(gxe, one.name)(**one.arguments, meta={"number": i}) for i, one in enumerate(expectations)]
        suite = gx.ExpectationSuite(name=name, expectations=numbered)
        results = self._batch.get_batch(batch_parameters={"dataframe": frame}).validate(suite, result_format="BOOLEAN_ONLY")
        verdicts: dict[int, bool] = {}
        for result in results.results:
            config = result.expectation_config
            if config is None or config.meta is None or (result.exception_info or {}).get("raised_exception", True):
                msg = f"Great Expectations cannot evaluate {config} on '{name}': {result.exception_info}"
                raise StageError(msg)
            verdicts[config.meta["number"]] = bool(result.success)
        return [verdicts[i] for i in range(len(expectations))]


def run(study: Study, overrides: Mapping[str, str], *, judged: bool = True) -> list[Outcome]:
    """Return the outcome of every check of every table, sorted by table, rule and columns.

    Parameters
    ----------
    study
        The tables, and what they are held to.
    overrides
        Severities by rule, where they differ from the rule's own.
    judged
        Whether Great Expectations judge. False, where they are not installed: a check is kept when no row breaks it, which means the same.

    Raises
    ------
    ParamsError
        When there is no rule of a name.
    """
    severities, judge = rules.severities(overrides), Judge() if judged else None
    outcomes = [outcome for table in study.tables for outcome in of_table(judge, study, table, severities)]
    return sorted(outcomes, key=lambda outcome: (outcome.table, outcome.rule, outcome.columns))


def row_counts(study: Study) -> dict[str, int]:
    """Return the number of rows by table."""
    return {name: len(stored.rows) for name, stored in sorted(study.tables.items())}


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


def of_table(judge: Judge | None, study: Study, table: str, severities: Mapping[str, Severity]) -> Iterator[Outcome]:
    """Yield the outcomes of one table."""
    ready, skipped = batches(study, table)
    for batch in ready:
        yield from outcomes_of(judge, table, batch, severities)
    for one in skipped:
        rows = len(study.tables[table].rows) if one.things == "rows" else 0
        yield Outcome(one.rule, table, one.columns, severities[one.rule], one.says, one.result, rows, None, (), one.why, one.things)


def batches(study: Study, table: str) -> tuple[list[Batch], list[SkippedCheck]]:
    """Return the checks of a table: of its columns, its rows, and its rows against others; and those that cannot be run."""
    stored = study.tables[table]
    schema = declarations.schema_of(stored)
    private = declarations.private_columns(frozenset(name for other in study.tables.values() for name in other.table.column_names))
    own, own_skipped = _ready(declarations.row_checks(study, table))
    across, across_skipped = _ready([_across(study, table, rule) for rule in row_rules() if table in rule.columns])
    # Rules that span rows or tables are vectorised first; what is asserted is whether they hold for every row.
    holds = pd.DataFrame({check.rule: [not check.broken().any()] for check in across}, index=[0])
    names = [name for name in stored.table.column_names if any(name in check.columns for check in own)]
    ready = [
        Batch(f"{table} columns", schema, schema, (), declarations.schema_checks(schema, private), "columns"),
        Batch(f"{table} rows", stored.rows[names], stored.rows, stored.table.key, own),
        Batch(f"{table} across", holds, stored.rows, stored.table.key, across),
    ]
    counted, uncounted = _counted(study, table)
    return [*ready, *counted], [*own_skipped, *across_skipped, *uncounted]


def outcomes_of(judge: Judge | None, table: str, batch: Batch, severities: Mapping[str, Severity]) -> Iterator[Outcome]:
    """Yield the outcome of each check of a batch."""
    if judge is None:
        verdicts = [not check.broken().any() for check in batch.checks]
    else:
        verdicts = judge.verdicts(batch.name, batch.judged, [check.expectation for check in batch.checks])
    for check, kept in zip(batch.checks, verdicts, strict=True):
        yield _outcome(table, check, batch, severities[check.rule], kept=kept)


def _ready(planned: Sequence[PlannedCheck]) -> tuple[list[Check], list[SkippedCheck]]:
    checks, skipped = [], []
    for one in planned:
        try:
            checks.append(one.check())
        except (NotApplicableError, NotCheckableError) as error:
            skipped.append(_skipped(one.rule, one.columns, one.says, "rows", error))
    return checks, skipped


def _counted(study: Study, table: str) -> tuple[list[Batch], list[SkippedCheck]]:
    ready, skipped = [], []
    for one in counts.count_checks(study, table):
        try:
            counted = one.count()
        except (NotApplicableError, NotCheckableError) as error:
            skipped.append(_skipped(one.rule, one.columns, one.says, one.things, error))
            continue
        named = counted.drop(columns="kept", errors="ignore")
        name = f"{table} {one.rule} {' '.join(one.columns)}"
        ready.append(Batch(name, counted, named, tuple(map(str, named.columns)), [one.check(counted)], one.things))
    return ready, skipped


def _skipped(rule: str, columns: tuple[str, ...], says: str, things: str, error: TableError) -> SkippedCheck:
    return SkippedCheck(rule, columns, says, things, NOT_APPLICABLE if isinstance(error, NotApplicableError) else NOT_CHECKED, str(error))


def _across(study: Study, table: str, rule: RowRule) -> PlannedCheck:
    def check() -> Check:
        broken = _broken_rows(study, table, rule)
        expectation = expect("ExpectColumnValuesToBeInSet", column=rule.name, value_set=[True])
        details = partial(rule.details, study, table) if rule.details else None
        return Check(rule.name, rule.columns[table], rule.says, expectation, lambda: broken, details)

    return PlannedCheck(rule.name, rule.columns[table], rule.says, check)


def _broken_rows(study: Study, table: str, rule: RowRule) -> pd.Series[bool]:
    """Return the truth of each row; a rule that fails by itself is not checked, and stops no other."""
    try:
        return rule.broken(study, table).fillna(value=False).astype(bool)
    except ScrubinError:
        raise
    except Exception as failure:
        places = [frame for frame in traceback.extract_tb(failure.__traceback__) if "scrubin" in frame.filename]
        msg = f"the rule itself failed, {Path(places[-1].filename).name}, line {places[-1].lineno}: {type(failure).__name__}: {failure}"
        raise NotCheckableError(msg) from failure


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
