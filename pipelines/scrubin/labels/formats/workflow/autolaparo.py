"""AutoLaparo task 1: ``label_NN.txt``, a phase by number per second; everything is numbered from 1.

The columns are Frame and Phase, separated by tabs; frame 1 is the first frame of the video, and phase 1 is Preparation.
The recording is called like its video, ``NN``.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.workflow.cholec80 import cells_of_first_line, numbers_phases, rows_of
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, phase_of, phase_rows
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, label_format, writes

PREFIX = "label_"
WITHOUT_HEADER = ": write that line above the first row"


def _has_phases(path: Path) -> bool:
    """Return whether a file of the name looks like it, also without its header: read as a plain table it would be a frame late."""
    start = registry.head(path)
    return numbers_phases(start) or (len(cells := cells_of_first_line(start)) == 2 and all(cell.isdigit() for cell in cells))


@label_format(
    "autolaparo",
    pattern=rf"{PREFIX}(?P<recording>[^/]+)\.txt",
    expected=f"{PREFIX}<number>.txt",
    title="AutoLaparo phases txt: a phase per second, frames and phases from 1",
    by_hand=ByHand(vocabulary="autolaparo", first=1, evidence=_has_phases, beside=r"laparoscope_motion_label\.(?:txt|csv)"),
)
def read(source: LabelFiles) -> Labels:
    """Return the phases of a recording; frame n of the file is position n - 1.

    Raises
    ------
    AnnotationError
        With every fault of the file.
    """
    ((file, data),) = source.files.items()
    faults = Faults()
    where = Where(faults, file)
    positions: list[int] = []
    phases: list[int] = []
    for line, (frame, cell) in rows_of(where, data, ("Phase",), WITHOUT_HEADER):
        phase = _phase(where.at(f"line {line}"), cell, source.vocabulary)
        if _follows(where.at(f"line {line}"), int(frame) - 1, positions):
            positions.append(int(frame) - 1)
            phases.append(phase)
    gaps = len(positions) and positions[-1] + 1 - len(positions)
    if gaps:
        where.warning("frame-gap", f"{gaps} seconds have no row, where every one should be labelled", "label every second")
    AnnotationError.raise_any(faults)
    layer = Layer(file, np.array(positions, np.int64), phase_rows(positions, phases), every_frame=not gaps)
    return Labels(source.recording, "autolaparo", source.vocabulary, Clock(Fraction(1)), layer, faults=faults.all())


def _phase(where: Where, cell: str, vocabulary: Vocabulary) -> int:
    number = int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 4 else -1
    if 1 <= number <= len(vocabulary.phases):
        return number - 1
    fix = "phases are numbered from 1; these look numbered from 0" if number == 0 else "correct it"
    where.error("id-range", f"phase '{cell}' is not in 1..{len(vocabulary.phases)}", fix)
    return 0


def _follows(where: Where, position: int, before: list[int]) -> bool:
    """Return whether a row is later than the one before it; frame 0 is none."""
    if position < 0:
        where.error("first-frame", "frame 0", "frames are numbered from 1; these look numbered from 0")
    elif before and position <= before[-1]:
        where.error("frame-order", "the frame does not follow the one before", "sort the rows by frame, each once")
    else:
        return True
    return False


@writes("autolaparo", holds=("phases",), fps=Fraction(1), vocabulary="autolaparo")
def write(collection: Collection, out: Output) -> None:
    """Write ``label_<recording>.txt``."""
    for labels in collection.recordings:
        rows = "".join(f"{position + 1}\t{phase + 1}\n" for position, phase in sorted(phase_of(labels.phases).items()))
        out.files[f"{PREFIX}{labels.recording}.txt"] = f"Frame\tPhase\n{rows}".encode()
