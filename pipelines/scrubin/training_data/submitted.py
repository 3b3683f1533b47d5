"""The declaration in the folder of a submission: what it says goes with the outcome of the check."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Fault, Faults
from scrubin.evaluation.submission.submission import Outcome
from scrubin.public_splits.overlaps.selection import select
from scrubin.training_data import declaration, overlap, words
from scrubin.training_data.template import NAME


def with_training_data(outcome: Outcome, folder: Path, test: str) -> Outcome:
    """Return the outcome of a check with what a submission's ``training_data.yaml`` says; without such a file as it is.

    An overlap is a deviation: the submission can be scored, and its organiser has to decide. What cannot be verified is a warning.
    A file that cannot be read is an error.

    Parameters
    ----------
    test
        What `scrubin splits leaks` calls the test set; "" when it is of no public data set: then only the form is checked.
    """
    path = folder / NAME
    if not path.is_file():
        return outcome
    notes = tuple(note for note in outcome.notes if not note.startswith(f"{NAME} "))
    try:
        declared = declaration.read(path)
        if not test:
            return replace(outcome, notes=(*notes, f"{NAME} is well formed; what it shares with the test set was not asked"))
        found = overlap.assess(declared, [select(test)], NAME)
    except AnnotationError as problem:
        return replace(outcome, faults=_sorted(outcome, problem.faults), notes=notes)
    return replace(outcome, faults=_sorted(outcome, _faults(found)), notes=notes)


def _faults(found: overlap.Assessment) -> tuple[Fault, ...]:
    faults = Faults()
    for one in found.sources:
        note = {"overlap": faults.deviation, "unverified": faults.warning}.get(one.verdict)
        if note is not None:
            fix = words.LEAVE_OUT if one.verdict == "overlap" else "say what is known of it"
            note(NAME, f"training-{one.verdict}", words.sentence(one), fix, place=f"line {one.line}")
    if not found.complete:
        faults.warning(NAME, "training-incomplete", "says that not everything is named", "name the rest, if you can")
    return faults.all()


def _sorted(outcome: Outcome, more: tuple[Fault, ...]) -> tuple[Fault, ...]:
    return tuple(sorted((*outcome.faults, *more), key=lambda fault: fault.file))
