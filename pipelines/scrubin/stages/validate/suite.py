"""The suite: every check of every table, judged by Great Expectations, with its outcome.

Only verdicts come from it. Naming 20 keys through it takes a minute per rule when all of two
million rows are wrong (measured with 1.24); the rules themselves name them in a fraction of a second.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from scrubin.base.errors import StageError
from scrubin.stages.validate import rules
from scrubin.stages.validate.expected import Severity
from scrubin.stages.validate.outcomes import FAILED, NOT_APPLICABLE, NOT_CHECKED, PASSED, Outcome, first_by_key, keys_of
from scrubin.stages.validate.registry import Batch, Batches, Check, Expectation, batch_of_rules
from scrubin.stages.validate.rules import counts, declarations
from scrubin.stages.validate.study_tables import NotApplicableError, Study

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
                raise StageError(f"Great Expectations cannot evaluate {config} on '{name}': {result.exception_info}")
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


def of_table(judge: Judge | None, study: Study, table: str, severities: Mapping[str, Severity]) -> Iterator[Outcome]:
    """Yield the outcomes of one table."""
    ready, skipped = batches(study, table)
    for batch in ready:
        yield from outcomes_of(judge, table, batch, severities)
    for one in skipped:
        rows = len(study.tables[table].rows) if one.things == "rows" else 0
        result = NOT_APPLICABLE if isinstance(one.error, NotApplicableError) else NOT_CHECKED
        severity, why = severities[one.rule], str(one.error)
        yield Outcome(one.rule, table, one.columns, severity, one.says, result, rows, None, one.things, why=why)


def batches(study: Study, table: str) -> Batches:
    """Return the checks of a table: of its columns, its rows, its rows against others, their numbers; and those that cannot be run."""
    own, own_skipped = declarations.batches_of_declaration(study, table)
    across, across_skipped = batch_of_rules(study, table)
    counted, uncounted = counts.batches_of_counts(study, table)
    return [*own, *across, *counted], [*own_skipped, *across_skipped, *uncounted]


def outcomes_of(judge: Judge | None, table: str, batch: Batch, severities: Mapping[str, Severity]) -> Iterator[Outcome]:
    """Yield the outcome of each check of a batch."""
    if judge is None:
        verdicts = [not check.broken().any() for check in batch.checks]
    else:
        verdicts = judge.verdicts(batch.name, batch.judged, [check.expectation for check in batch.checks])
    for check, kept in zip(batch.checks, verdicts, strict=True):
        yield _outcome(table, check, batch, severities[check.rule], kept=kept)


def _outcome(table: str, check: Check, batch: Batch, severity: str, *, kept: bool) -> Outcome:
    rows = batch.named
    if kept:
        return Outcome(check.rule, table, check.columns, severity, check.says, PASSED, len(rows), 0, batch.things)
    offenders = rows[check.broken().to_numpy()]
    if offenders.empty:
        msg = f"table '{table}', rule {check.rule}: Great Expectations finds it broken, but no row breaks it; the two must mean the same"
        raise StageError(msg)
    first = first_by_key(offenders, batch.key) if batch.things == "rows" else offenders
    more = check.details().loc[first.index] if check.details else pd.DataFrame(index=first.index)
    keys = keys_of(first.join(more), (*batch.key, *check.columns, *more.columns))
    return Outcome(check.rule, table, check.columns, severity, check.says, FAILED, len(rows), len(offenders), batch.things, keys)
