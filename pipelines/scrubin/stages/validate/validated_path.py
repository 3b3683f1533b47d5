"""A path validated by hand: every rule that applies to what lies there, with what came of it, for people or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scrubin.base import machine, params
from scrubin.base.faults import Fault, count_text, summary
from scrubin.base.tables.public import public_tables
from scrubin.labels import policy
from scrubin.labels.files.reader import Options
from scrubin.stages.validate import outcomes, rules, suite, tables_at_path
from scrubin.stages.validate.expected import DEFAULTS, ClassCounts, ValidateParams, expected
from scrubin.stages.validate.near_duplicates import limits
from scrubin.stages.validate.outcomes import HARMLESS, NOT_APPLICABLE, Outcome
from scrubin.stages.validate.registry import row_rules
from scrubin.stages.validate.rules import counts, files
from scrubin.stages.validate.rules.files import FILES, READABLE
from scrubin.stages.validate.study_tables import Study
from scrubin.stages.validate.tables_at_path import NOT_VALIDATED, TablesAtPath

JUDGE = "great_expectations"


@dataclass(frozen=True)
class Validation:
    """What came of validating a path.

    Parameters
    ----------
    path
        As the user wrote it.
    at_path
        What was read there.
    outcomes
        Of every check, first those of files.
    rows
        Number of rows by table.
    inapplicable
        Why rules have no table to judge, by rule.
    class_counts
        Number of rows by table, column and class: what a later version is compared with.
    """

    path: str
    at_path: TablesAtPath
    outcomes: tuple[Outcome, ...]
    rows: Mapping[str, int]
    inapplicable: Mapping[str, str]
    class_counts: ClassCounts

    @cached_property
    def tally(self) -> Mapping[str, int]:
        """How many checks there are by result; as `outcomes.tally`."""
        return outcomes.tally(self.outcomes)

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
    inapplicable = _inapplicable(at_path, p)
    study = _study(at_path, p, params_file)
    errors = policy.stopping("validate", at_path.faults)
    of_files = files.outcomes_of(errors, at_path.unlabelled, at_path.files, severities)
    of_tables = suite.run(study, p.severity, judged=machine.is_installed(JUDGE))
    return Validation(path, at_path, (*of_files, *of_tables), study.row_counts, inapplicable, counts.class_counts(study))


def _study(at_path: TablesAtPath, p: ValidateParams, params_file: Path | None) -> Study:
    stored = at_path.tables
    declared = {**public_tables(()), **{name: one.table for name, one in stored.items()}}
    with params.naming(params_file or params.PARAMS_PATH):
        known = expected(p, at_path.vocabularies, declared.values())
    ids = stored["frames"].rows["id"].dropna().astype("str") if "frames" in stored and "id" in stored["frames"].types else None
    return Study(
        tables=stored,
        recordings=None,
        linkage=None,
        vocabularies=at_path.vocabularies,
        # Without frames nothing can be compared, and nothing accepted.
        near_duplicate=limits(p.near_duplicate if ids is not None else DEFAULTS.near_duplicate, [] if ids is None else ids),
        expected=known,
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


FILES_NAMED = 3


def as_text(validation: Validation, *, everything: bool) -> str:
    """Return the verdict, what is wrong, and how much there is that is not listed.

    Errors, deviations and warnings are listed, faults of one cause on one line; of a rule that is an error also the offending
    rows. Notes, what is not applicable and what no rule looks at are only counted.

    Parameters
    ----------
    validation
        What came of a path.
    everything
        Whether every place of every fault is listed, and what is otherwise only counted.
    """
    faults = [fault for fault in validation.at_path.faults if fault.rule != NOT_VALIDATED]
    unvalidated = [fault for fault in validation.at_path.faults if fault.rule == NOT_VALIDATED]
    broken = [outcome for outcome in validation.outcomes if outcome.result not in HARMLESS and outcome.rule != READABLE.name]
    lines = [_verdict(validation)]
    for severity in ("error", "deviation", "warning", "note"):
        alike = [fault for fault in faults if fault.severity == severity]
        lines += [f"{severity}: {line}" for line in ([fault.sentence for fault in alike] if everything else summary(alike))]
        if severity != "note" or everything:
            with_keys = everything or severity == "error"
            lines += [line for one in broken if one.severity == severity for line in _outcome_lines(one, validation, keys=with_keys)]
    if outcomes.names_near_duplicates(outcomes.stopping(broken)):
        lines.append(f"near-duplicates: {outcomes.ALIKE_IN_PARAMS}")
    if everything:
        lines += [*(fault.sentence for fault in unvalidated), *_inapplicable_lines(validation)]
    numbers = _numbers(validation, faults, unvalidated, broken)
    lines += [numbers if everything else f"{numbers}: --all lists them"] if numbers else []
    return "".join(f"{line}\n" for line in lines)


def as_json(validation: Validation) -> dict[str, Any]:
    """Return everything as one JSON value; ``tables`` are the counts of classes, so that the file can be named as the version before."""
    files_of = [_files(outcome, validation) for outcome in validation.outcomes]
    document = outcomes.document(validation.outcomes, validation.rows)
    for entry, named in zip(document["outcomes"], files_of, strict=True):
        entry["files"] = named
    head = {
        "path": validation.path,
        "format": validation.at_path.form,
        "warnings": [fault.sentence for fault in validation.at_path.faults if fault.severity != "error"],
        "recordings": {name: vars(counts) for name, counts in sorted(validation.at_path.recordings.items())},
        "faults": [fault.as_json() for fault in validation.at_path.faults],
        "unasked": dict(validation.inapplicable),
        "tables": validation.class_counts,
    }
    return {**head, **document}


def _verdict(validation: Validation) -> str:
    tally = validation.tally
    verdict = "passed" if validation.passed else "failed"
    checks = f"{tally['passed']} of {tally['asked'] - tally['not_applicable']} checks passed"
    rows = ", ".join(f"{name} {count:,}" for name, count in validation.rows.items()) or "none"
    return f"{validation.path}: {verdict}: {checks}; {validation.at_path.line}; rows: {rows}"


def _outcome_lines(outcome: Outcome, validation: Validation, *, keys: bool) -> list[str]:
    """Return what is broken; ``keys`` adds the offending rows, one a line, otherwise the first one stands in the same line."""
    files = "" if outcome.table == FILES else _named_files(outcome, validation)
    of = f"{files}: " if files else ""
    table = "" if outcome.table == FILES else f"table {outcome.table}, column {', '.join(outcome.columns)}, "
    head = f"{outcome.severity}: {of}{table}rule {outcome.rule}"
    if outcome.count is None:
        return [f"{head}: not checked, because {outcome.why}"]
    head = f"{head}: {outcome.count} of {outcome.rows} {outcome.things} break it; expected: {outcome.says}"
    if not keys:
        return [f"{head}; first {_key(outcome.keys[0])}"]
    more = [f"  ... and {outcome.count - len(outcome.keys)} more"] if outcome.count > len(outcome.keys) else []
    return [head, *(f"  {_key(key)}" for key in outcome.keys), *more]


def _key(key: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={'-' if value is None else value}" for name, value in key.items())


def _files(outcome: Outcome, validation: Validation) -> list[str]:
    """Return the files that have the offending rows of which the key is known."""
    if outcome.table == FILES:
        return sorted({str(key["file"]) for key in outcome.keys if key["file"]})
    whole = validation.at_path.file_of.get((outcome.table, ""))
    if whole is not None:
        return [whole]
    return sorted({validation.at_path.file_of.get((outcome.table, str(key.get("id"))), "") for key in outcome.keys} - {""})


def _named_files(outcome: Outcome, validation: Validation) -> str:
    files = _files(outcome, validation)
    of_table = {file for (table, _), file in validation.at_path.file_of.items() if table == outcome.table}
    if len(files) < len(of_table) and (outcome.count or 0) > len(outcome.keys):
        return f"{', '.join(files[:FILES_NAMED])} and others"
    return ", ".join(files[:FILES_NAMED]) + (f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else "")


def _inapplicable_lines(validation: Validation) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for outcome in validation.outcomes:
        if outcome.result == NOT_APPLICABLE:
            reasons.setdefault(outcome.why, []).append(f"{outcome.rule} ({outcome.table})")
    for rule, why in validation.inapplicable.items():
        reasons.setdefault(why, []).append(rule)
    return [f"not applicable: {', '.join(dict.fromkeys(rules))}: {why}" for why, rules in sorted(reasons.items())]


def _numbers(validation: Validation, faults: Iterable[Fault], unvalidated: Iterable[Fault], broken: Sequence[Outcome]) -> str:
    """Return how much there is that is no error; "" for nothing."""
    severities = [*(fault.severity for fault in faults), *(outcome.severity for outcome in broken)]
    inapplicable = validation.tally["not_applicable"] + len(validation.inapplicable)
    numbers = [count_text(severities.count(severity), severity) for severity in ("deviation", "warning", "note") if severity in severities]
    # Only of a note no line above names the rule.
    notes = dict.fromkeys(outcome.rule for outcome in broken if outcome.severity == "note")
    if notes:
        numbers[-1] += f" ({', '.join(notes)})"
    numbers += [f"{inapplicable:,} not applicable"] if inapplicable else []
    values = sum(fault.count for fault in unvalidated)
    numbers += [f"{values:,} not validated"] if values else []
    return ", ".join(numbers)
