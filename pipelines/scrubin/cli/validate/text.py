"""The result for people and for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from scrubin.cli.validate.asking import FILES, Result
from scrubin.cli.validate.material import Material
from scrubin.validate import outcomes
from scrubin.validate.outcomes import HARMLESS, NOT_APPLICABLE, Outcome

RANK = {"error": 0, "warning": 1, "note": 2}


def tell(path: str, found: Material, result: Result) -> None:
    """Write what is broken, what could not be asked and why, and the verdict."""
    lines = [f"{path}: {_what(found, result)}", *(f"  {warning}" for warning in found.warnings)]
    broken = [outcome for outcome in result.outcomes if outcome.result not in HARMLESS]
    for outcome in sorted(broken, key=lambda outcome: RANK[outcome.severity]):
        lines += _broken(outcome, found)
    lines += _unasked(result)
    counts = outcomes.tally(result.outcomes)
    numbers = ", ".join(_number(counts[f"failed_{severity}"], severity) for severity in RANK)
    asked, verdict = counts["asked"] - counts["not_applicable"], "passed" if result.passed else "failed"
    checks = f"{counts['passed']} of {asked} checks passed"
    lines.append(f"{path}: {verdict}: {checks}, {numbers}, {_number_unasked(result)} not applicable")
    _write("".join(f"{line}\n" for line in lines))


def tell_json(path: str, found: Material, result: Result) -> None:
    """Write everything as one JSON value; ``tables`` are the counts of classes, so that the file can be named as the version before."""
    document = outcomes.document(result.outcomes, result.rows)
    for entry, outcome in zip(document["outcomes"], result.outcomes, strict=True):
        entry["files"] = _files(outcome, found)
    head = {"path": path, "format": found.form, "warnings": found.warnings, "unasked": dict(result.unasked), "tables": result.class_counts}
    _write(json.dumps({**head, **document}, indent=2, ensure_ascii=False) + "\n")


def _write(text: str) -> None:
    # The name of a file may be no UTF-8.
    sys.stdout.write(text.encode("utf-8", errors="backslashreplace").decode("utf-8"))


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _what(found: Material, result: Result) -> str:
    rows = ", ".join(f"{name} {count:,}" for name, count in result.rows.items()) or "none"
    return f"format {found.form}, {_number(found.files, 'file')}; rows: {rows}"


def _broken(outcome: Outcome, found: Material) -> list[str]:
    where = f"table {outcome.table}, column {', '.join(outcome.columns)}, rule {outcome.rule}"
    if outcome.table == FILES:
        where = f"file {outcome.keys[0]['file'] or '?'}, rule {outcome.rule}" if outcome.rule == "file_readable" else f"rule {outcome.rule}"
    files = ", ".join(_files(outcome, found))
    of = f"{files}: " if files and outcome.table != FILES else ""
    if outcome.count is None:
        return [f"{outcome.severity}: {of}{where}: not checked, because {outcome.why}"]
    if outcome.rule == "file_readable":
        head = f"{outcome.severity}: {where}: {_number(outcome.count, 'fault')}"
    else:
        head = f"{outcome.severity}: {of}{where}: {outcome.count} of {outcome.rows} {outcome.things} break it; expected: {outcome.says}"
    more = [f"  ... and {outcome.count - len(outcome.keys)} more"] if outcome.count > len(outcome.keys) else []
    return [head, *(f"  {_key(outcome, key)}" for key in outcome.keys), *more]


def _key(outcome: Outcome, key: Mapping[str, Any]) -> str:
    if outcome.rule == "file_readable":
        return str(key["fault"])
    return " ".join(f"{name}={'-' if value is None else value}" for name, value in key.items())


def _files(outcome: Outcome, found: Material) -> list[str]:
    """Return the files that hold the named rows."""
    if outcome.table == FILES:
        return sorted({str(key["file"]) for key in outcome.keys if key["file"]})
    whole = found.file_of.get((outcome.table, ""))
    if whole is not None:
        return [whole]
    return sorted({found.file_of.get((outcome.table, str(key.get("id"))), "") for key in outcome.keys} - {""})


def _reasons(result: Result) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for outcome in result.outcomes:
        if outcome.result == NOT_APPLICABLE:
            reasons.setdefault(outcome.why, []).append(f"{outcome.rule} ({outcome.table})")
    for rule, why in result.unasked.items():
        reasons.setdefault(why, []).append(rule)
    return reasons


def _unasked(result: Result) -> list[str]:
    return [f"not applicable: {', '.join(dict.fromkeys(rules))}: {why}" for why, rules in sorted(_reasons(result).items())]


def _number_unasked(result: Result) -> int:
    return outcomes.tally(result.outcomes)["not_applicable"] + len(result.unasked)
