"""The critical view of safety of one procedure, as three annotators judge it: who is stricter sees each criterion later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrubin.stages.demo.operation import DISSECTION, Operation
from scrubin.stages.demo.plan import Recording
from scrubin.stages.demo.sheets import table

CRITERIA = ("c1", "c2", "c3")
MET_FROM = (30, 55, 80)
"""Percent of the dissection of Calot's triangle that are done when a criterion is met."""
STRICTNESS = (-15, 0, 15)
"""So many percent later each annotator sees it."""


def judged(recording: Recording) -> Iterator[tuple[int, list[list[int]]]]:
    """Yield each judged source frame, with what each annotator says of each criterion, criteria first: one a second of the dissection."""
    operation = Operation(recording)
    start_s, end_s = operation.span_of(DISSECTION)
    for frame in recording.frame_of_each_second():
        time_s = float(recording.time_of(frame))
        if start_s <= time_s < end_s:
            done = 100 * (time_s - start_s) / (end_s - start_s)
            yield frame, [[int(done >= met + later) for later in STRICTNESS] for met in MET_FROM]


def sheet(recording: Recording) -> str:
    """Return ``frame.csv`` of the CVS Challenge."""
    columns = ["frame_id", *(f"{name}_rater{k}" for name in CRITERIA for k in range(1, len(STRICTNESS) + 1))]
    return table(columns, ([frame, *(value for said in by_criterion for value in said)] for frame, by_criterion in judged(recording)))


def truth(recording: Recording) -> dict[str, Any]:
    """Return what is judged, by source frame: of each criterion the percent of annotators who see it as met, rounded down."""
    return {str(frame): [100 * sum(said) // len(said) for said in by_criterion] for frame, by_criterion in judged(recording)}
