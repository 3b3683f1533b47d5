"""The rules asked of what was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from scrubin.cli.validate.material import Material
from scrubin.core import params
from scrubin.core.faults import Fault
from scrubin.tables.catalogue import public_tables
from scrubin.validate import outcomes, suite
from scrubin.validate.duplicates.near import limits
from scrubin.validate.expected import ClassCounts, expected
from scrubin.validate.offending_rows import SHOWN
from scrubin.validate.outcomes import FAILED, PASSED, Outcome
from scrubin.validate.params import DEFAULTS, ValidateParams
from scrubin.validate.registry import row_rules
from scrubin.validate.rules import counts
from scrubin.validate.study import Study

FILES = "files"


@dataclass(frozen=True)
class Result:
    """What came of validating a path.

    Parameters
    ----------
    outcomes
        Of every rule that was asked.
    rows
        Number of rows by table.
    unasked
        Why rules were not asked at all, by rule.
    class_counts
        Number of rows by table, column and class: what a later version is compared with.
    """

    outcomes: list[Outcome]
    rows: Mapping[str, int]
    unasked: Mapping[str, str]
    class_counts: ClassCounts

    @property
    def passed(self) -> bool:
        """Whether nothing of severity error is broken."""
        return not outcomes.stopping(self.outcomes)


def ask(found: Material, given: Path | None) -> Result:
    """Return the outcome of every rule that applies.

    Raises
    ------
    ParamsError
        When the given parameters cannot be used.
    """
    p = params.load("validate", ValidateParams, given) if given else DEFAULTS
    declared = {**public_tables(()), **{name: of.table for name, of in found.tables.items()}}
    ids = found.tables["frames"].rows["id"].dropna().astype("str") if "id" in _columns(found, "frames") else None
    study = Study(
        tables=found.tables,
        recordings=None,
        linkage=None,
        vocabularies=found.vocabularies,
        # Without frames nothing can be compared, and nothing accepted.
        near_duplicate=limits(p.near_duplicate if ids is not None else DEFAULTS.near_duplicate, [] if ids is None else ids),
        expected=expected(p, found.vocabularies, declared.values()),
        period_s=found.period_s,
    )
    answers = suite.run(study, p.severity)
    unasked = _unasked(found)
    for total in p.totals:
        if total.table not in found.tables:
            unasked["declared_total"] = f"there is no table '{total.table}'"
    return Result([*_of_files(found), *answers], suite.row_counts(study), dict(sorted(unasked.items())), counts.class_counts(study))


def _columns(found: Material, table: str) -> list[str]:
    return list(found.tables[table].types) if table in found.tables else []


def _of_files(found: Material) -> list[Outcome]:
    """Return whether files are what their format says, file by file, and whether they label anything."""
    says = "the file is what its format says, and can be read"
    broken = []
    for _, of_file in groupby(sorted(found.faults, key=lambda fault: fault.file), key=lambda fault: fault.file):
        faults = list(of_file)
        keys = tuple(_key(fault) for fault in faults[:SHOWN])
        broken.append(Outcome("file_readable", FILES, ("file",), "error", says, FAILED, found.files, len(faults), keys, things=FILES))
    sound = Outcome("file_readable", FILES, ("file",), "error", says, PASSED, found.files, 0, things=FILES)
    empty = tuple({"file": file} for file in sorted(found.unlabelled)[:SHOWN])
    count, result = len(found.unlabelled), FAILED if found.unlabelled else PASSED
    labelled = Outcome(
        "file_labels", FILES, ("file",), "warning", "every recording labels a frame", result, found.files, count, empty, things=FILES
    )
    return [*(broken or [sound]), labelled]


def _key(fault: Fault) -> dict[str, str]:
    return {"file": fault.file, "fault": fault.sentence.removeprefix(f"{fault.file}: ").removeprefix(f"{fault.file}, ")}


def _unasked(found: Material) -> dict[str, str]:
    unasked = {}
    for rule in row_rules():
        if not set(rule.columns) & set(found.tables):
            tables = " or ".join(f"'{table}'" for table in rule.columns)
            unasked[rule.name] = f"there is no table {tables}"
    return unasked
