"""A path validated by hand: every rule that applies to what lies there, with what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubin.base import machine, params
from scrubin.base.faults import Fault
from scrubin.base.tables.public import public_tables
from scrubin.labels import policy
from scrubin.labels.files.reader import Options
from scrubin.labels.files.verdict import Counts
from scrubin.stages.validate import outcomes, rules, suite, tables_at_path
from scrubin.stages.validate.expected import DEFAULTS, ClassCounts, ValidateParams, expected
from scrubin.stages.validate.near_duplicates import limits
from scrubin.stages.validate.outcomes import Outcome
from scrubin.stages.validate.registry import row_rules
from scrubin.stages.validate.rules import counts, files
from scrubin.stages.validate.study_tables import Study
from scrubin.stages.validate.tables_at_path import TablesAtPath

JUDGE = "great_expectations"


@dataclass(frozen=True)
class Validation:
    """What came of validating a path.

    Parameters
    ----------
    path
        As the user wrote it.
    form
        Name of the format.
    line
        What was read, on one line.
    recordings
        Which frames count, by recording; nothing of our own tables.
    faults
        What is wrong with files, of all severities.
    outcomes
        Of every check, first those of files.
    rows
        Number of rows by table.
    inapplicable
        Why rules have no table to judge, by rule.
    class_counts
        Number of rows by table, column and class: what a later version is compared with.
    file_of
        File by table and recording, or by table and "" where one file has the whole table.
    """

    path: str
    form: str
    line: str
    recordings: Mapping[str, Counts]
    faults: tuple[Fault, ...]
    outcomes: tuple[Outcome, ...]
    rows: Mapping[str, int]
    inapplicable: Mapping[str, str]
    class_counts: ClassCounts
    file_of: Mapping[tuple[str, str], str]

    @property
    def passed(self) -> bool:
        """Whether nothing of severity error is broken."""
        return not outcomes.stopping(self.outcomes)


def validate(path: str, form: str | None, options: Options, params_file: Path | None) -> Validation:
    """Return what every rule that applies says of a path.

    Parameters
    ----------
    path
        File or folder.
    form
        Name of the format; None: by what the files look like.
    options
        How label files are read.
    params_file
        A ``params.yaml``; None: as the project comes with it.

    Raises
    ------
    AnnotationError
        When there is nothing to validate, or nobody knows what it is.
    ParamsError
        When the parameters cannot be used.
    """
    p = params.load("validate", ValidateParams, params_file) if params_file else DEFAULTS
    severities = rules.severities(p.severity, str(params_file or params.PARAMS_PATH))
    at_path = tables_at_path.read(Path(path), form, options)
    study = _study(at_path, p)
    errors = policy.stopping("validate", at_path.faults)
    of_files = files.outcomes_of(errors, at_path.unlabelled, at_path.files, severities)
    return Validation(
        path,
        at_path.form,
        at_path.line,
        at_path.recordings,
        at_path.faults,
        (*of_files, *suite.run(study, p.severity, judged=machine.is_installed(JUDGE))),
        suite.row_counts(study),
        _inapplicable(at_path, p),
        counts.class_counts(study),
        at_path.file_of,
    )


def _study(at_path: TablesAtPath, p: ValidateParams) -> Study:
    stored = at_path.tables
    declared = {**public_tables(()), **{name: one.table for name, one in stored.items()}}
    ids = stored["frames"].rows["id"].dropna().astype("str") if "frames" in stored and "id" in stored["frames"].types else None
    return Study(
        tables=stored,
        recordings=None,
        linkage=None,
        vocabularies=at_path.vocabularies,
        # Without frames nothing can be compared, and nothing accepted.
        near_duplicate=limits(p.near_duplicate if ids is not None else DEFAULTS.near_duplicate, [] if ids is None else ids),
        expected=expected(p, at_path.vocabularies, declared.values()),
        period_s=at_path.period_s,
        as_written=at_path.as_written,
    )


def _inapplicable(at_path: TablesAtPath, p: ValidateParams) -> dict[str, str]:
    reasons = {}
    for rule in row_rules():
        if not set(rule.columns) & set(at_path.tables):
            tables = " or ".join(f"'{table}'" for table in rule.columns)
            reasons[rule.name] = f"there is no table {tables}"
    for total in p.totals:
        if total.table not in at_path.tables:
            reasons["declared_total"] = f"there is no table '{total.table}'"
    return dict(sorted(reasons.items()))
