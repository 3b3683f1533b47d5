"""Rules about files as such, of a path that is validated by hand: they can be read, they label something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from scrubin.base.faults import Fault
from scrubin.stages.validate.expected import Severity
from scrubin.stages.validate.outcomes import FAILED, PASSED, SHOWN, Outcome
from scrubin.stages.validate.registry import Rule, generated

FILES = "files"
READABLE = Rule("file_readable", "error", "the file is what its format says, and can be read")
"""Not registered: which faults of a file are errors is the reader's to say, and no severity can be set for them."""
LABELS = generated("file_labels", "warning", "every recording labels a frame")


def outcomes_of(errors: Iterable[Fault], unlabelled: Sequence[str], files: int, severities: Mapping[str, Severity]) -> list[Outcome]:
    """Return whether files are what their format says, file by file, and whether they label anything.

    Parameters
    ----------
    errors
        The faults for which a file is not what its format says.
    unlabelled
        Files that label nothing.
    files
        How many files were looked at.
    severities
        By rule.
    """
    outcomes = []
    for _, alike in groupby(sorted(errors, key=lambda fault: fault.file), key=lambda fault: fault.file):
        outcomes.append(_outcome(READABLE, READABLE.severity, files, [{"file": one.file, "fault": _without_file(one)} for one in alike]))
    labels = _outcome(LABELS, severities[LABELS.name], files, [{"file": file} for file in sorted(unlabelled)])
    return [*(outcomes or [_outcome(READABLE, READABLE.severity, files, [])]), labels]


def _without_file(fault: Fault) -> str:
    return fault.sentence.removeprefix(f"{fault.file}: ").removeprefix(f"{fault.file}, ")


def _outcome(rule: Rule, severity: Severity, files: int, keys: Sequence[Mapping[str, str]]) -> Outcome:
    result, first = FAILED if keys else PASSED, tuple(keys[:SHOWN])
    return Outcome(rule.name, FILES, ("file",), severity, rule.says, result, files, len(keys), FILES, first)
