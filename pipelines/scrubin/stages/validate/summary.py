"""The summary of a validation by hand: for people, the verdict first, faults of one cause on one line; for machines, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from scrubin.base.faults import Fault, summary
from scrubin.stages.validate import outcomes
from scrubin.stages.validate.outcomes import HARMLESS, NOT_APPLICABLE, Outcome
from scrubin.stages.validate.rules.files import FILES, READABLE
from scrubin.stages.validate.tables_at_path import NOT_VALIDATED
from scrubin.stages.validate.validation import Validation

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
    faults = [fault for fault in validation.faults if fault.rule != NOT_VALIDATED]
    unvalidated = [fault for fault in validation.faults if fault.rule == NOT_VALIDATED]
    broken = [outcome for outcome in validation.outcomes if outcome.result not in HARMLESS and outcome.rule != READABLE.name]
    lines = [_verdict(validation)]
    for severity in ("error", "deviation", "warning", "note"):
        alike = [fault for fault in faults if fault.severity == severity]
        lines += [f"{severity}: {line}" for line in ([fault.sentence for fault in alike] if everything else summary(alike))]
        if severity != "note" or everything:
            with_keys = everything or severity == "error"
            lines += [line for one in broken if one.severity == severity for line in _outcome_lines(one, validation, keys=with_keys)]
    if everything:
        lines += [*(fault.sentence for fault in unvalidated), *_inapplicable_lines(validation)]
    numbers = _numbers(validation, faults, unvalidated, broken)
    lines += [numbers if everything else f"{numbers}: --all lists them"] if numbers else []
    return "".join(f"{line}\n" for line in lines)


def as_json(validation: Validation) -> str:
    """Return everything as one JSON value; ``tables`` are the counts of classes, so that the file can be named as the version before."""
    document = outcomes.document(validation.outcomes, validation.rows)
    for entry, outcome in zip(document["outcomes"], validation.outcomes, strict=True):
        entry["files"] = _files(outcome, validation)
    head = {
        "path": validation.path,
        "format": validation.form,
        "warnings": [fault.sentence for fault in validation.faults if fault.severity != "error"],
        "recordings": {name: vars(counts) for name, counts in sorted(validation.recordings.items())},
        "faults": [fault.as_json() for fault in validation.faults],
        "unasked": dict(validation.inapplicable),
        "tables": validation.class_counts,
    }
    return json.dumps({**head, **document}, indent=2, ensure_ascii=False) + "\n"


def _verdict(validation: Validation) -> str:
    tally = outcomes.tally(validation.outcomes)
    verdict = "passed" if validation.passed else "failed"
    checks = f"{tally['passed']} of {tally['asked'] - tally['not_applicable']} checks passed"
    rows = ", ".join(f"{name} {count:,}" for name, count in validation.rows.items()) or "none"
    return f"{validation.path}: {verdict}: {checks}; {validation.line}; rows: {rows}"


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
    whole = validation.file_of.get((outcome.table, ""))
    if whole is not None:
        return [whole]
    return sorted({validation.file_of.get((outcome.table, str(key.get("id"))), "") for key in outcome.keys} - {""})


def _named_files(outcome: Outcome, validation: Validation) -> str:
    files = _files(outcome, validation)
    of_table = {file for (table, _), file in validation.file_of.items() if table == outcome.table}
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


def _numbers(validation: Validation, faults: Iterable[Fault], unvalidated: Iterable[Fault], broken: Iterable[Outcome]) -> str:
    """Return how much there is that is no error; "" for nothing."""
    severities = [*(fault.severity for fault in faults), *(outcome.severity for outcome in broken)]
    inapplicable = outcomes.tally(validation.outcomes)["not_applicable"] + len(validation.inapplicable)
    numbers = [_plural(severities.count(severity), severity) for severity in ("deviation", "warning", "note") if severity in severities]
    numbers += [f"{inapplicable} not applicable"] if inapplicable else []
    values = sum(fault.count for fault in unvalidated)
    numbers += [f"{values} not validated"] if values else []
    return ", ".join(numbers)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
