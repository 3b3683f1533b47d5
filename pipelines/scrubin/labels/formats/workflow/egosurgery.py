"""EgoSurgery phases: ``<video>_<part>.csv``, a row ``Frame,Phase`` for each labelled picture, such as ``01_1_0001,disinfection``.

A recording is a part of a video, called like its file, ``01_1``. Pictures are numbered from 1, as no file has a number 0 and many begin
with 1; picture n is position n - 1. That there is one in two seconds no file says: those who have the data do. Many numbers are left out,
whose pictures nobody labelled. The boxes of tools and hands beside these files are COCO, whose reader takes the same numbers as they stand:
give ``--first-frame 1`` there. Source: 23 of the files, and what takuya3h/m2 says of them (0.5 per second; Fujii et al. 2024).
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.labels import registry
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, phase_of, phase_rows
from scrubin.labels.parse import documents, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "egosurgery"
FRAME, PHASE = "Frame", "Phase"
TWO_SECONDS = Clock(Fraction(2))
FIRST_LINES = re.compile(rf"\ufeff?{FRAME},{PHASE}\r?\n(?P<recording>[^,\r\n]+)_[0-9]{{3,6}},[^\r\n]*(?:\r?\n.*)?", re.DOTALL)


def _names_its_pictures(path: Path) -> bool:
    match = FIRST_LINES.fullmatch(registry.head(path))
    return match is not None and match["recording"] == path.stem


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)\.csv",
    expected="<video>_<part>.csv, with the columns Frame and Phase, a frame such as 01_1_0001",
    title="EgoSurgery phases: a row per labelled picture, one in two seconds, numbered from 1",
    by_hand=ByHand(vocabulary=NAME, first=1, evidence=_names_its_pictures),
)
def read(source: LabelFiles) -> Labels:
    """Return the phases of a part of a video; picture n is position n - 1.

    Raises
    ------
    AnnotationError
        With every fault of the file, each with its line.
    """
    faults = Faults()
    where = video_files.only(source, faults)
    sheet = video_files.table(where, source.files[where.file], (FRAME, PHASE))
    positions: list[int] = []
    phases: list[int] = []
    for row in sheet.rows:
        at = where.at(row.place)
        position = _position(at, row.cells[FRAME], source.recording, positions)
        phase = at.id_of(source.vocabulary, "phase", row.cells[PHASE], "choose another vocabulary")
        if position is not None and phase is not None:
            positions.append(position)
            phases.append(phase)
    AnnotationError.raise_any(faults)
    where.warning(
        "read-as", "picture 1 is taken as the first of the video, and each as two seconds", "no file says so, but the data set's users"
    )
    layer = Layer(where.file, np.array(positions, np.int64), phase_rows(positions, phases))
    return Labels(source.recording, NAME, source.vocabulary, TWO_SECONDS, layer, faults=faults.all())


def _position(where: Where, cell: str, recording: str, before: list[int]) -> int | None:
    """Return the position of a picture; None after noting why it has none."""
    name, _, digits = cell.rpartition("_")
    number = documents.frame_number(digits)
    if number is None or name != recording:
        where.error("frame-key", f"'{csv_text.shown(cell)}' is no picture of {recording}", f"name it such as {recording}_0001")
    elif number == 0:
        where.error("first-frame", "picture 0", "pictures are numbered from 1; these look numbered from 0")
    elif before and number - 1 <= before[-1]:
        where.error("frame-order", "the picture does not follow the one before", "sort the rows by picture, each once")
    else:
        return number - 1
    return None


@writes(NAME, holds=("phases",), fps=Fraction(1, 2), vocabulary=NAME)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.csv``."""
    for labels in collection.recordings:
        names = labels.vocabulary.phases
        rows = (f"{labels.recording}_{position + 1:04d},{names[phase]}\n" for position, phase in sorted(phase_of(labels.phases).items()))
        out.files[f"{labels.recording}.csv"] = f"{FRAME},{PHASE}\n{''.join(rows)}".encode()
