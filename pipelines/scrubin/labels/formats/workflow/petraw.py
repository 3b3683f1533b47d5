"""PETRAW and MISAW: ``<video>.txt`` or ``<video>_annotation.txt``, a row per frame of a video with its phase and step, by name.

The columns are separated by tabs; what is read of them is ``Phase`` and ``Step``. There is a row for every frame, so that a row stands for
the frame of its place, from 0: a gap in the numbers of frames, or in times, is an error. No file says the rate: it is asked for
(``--fps``); where only times number the rows, the rate that they tell is said. The verbs, targets and tools of the left and the right hand
are in columns of their own and are not kept, which is said. Phases and steps are numbered by the alphabet of the names in all files.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from scrubin.base.text import csv_text
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary, alphabetical, fold
from scrubin.labels import registry
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, layer_of_phases
from scrubin.labels.parse import columns, documents, fields, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format
from scrubin.labels.timing import of_phases

NAME = "petraw"
PHASE, STEP = "Phase", "Step"
SUFFIX = "_annotation"
FEWEST_TIMES = 50
"""Of fewer, rounded times tell no rate."""


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the phases and steps that all files name, by the alphabet; None where they cannot be used, which the reader notes.

    Raises
    ------
    AnnotationError
        As of ``own_categories.one_each``.
    """
    rows = [(file, row.cells) for file, data in sorted(files.items()) for row in csv_text.read(file, data).rows]
    columns_of: dict[Naming, str] = {"phase": PHASE, "step": STEP}
    written = {kind: [(cells.get(column, ""), file) for file, cells in rows] for kind, column in columns_of.items()}
    if not rows or any(not name for of in written.values() for name, _ in of):
        return None
    for kind, of in written.items():
        own_categories.one_each(kind, of)
    # Of spellings that are one name the last stays, as it did from the beginning: the name of a vocabulary is of its spellings.
    last = {kind: {fold(name): name for name, _ in of} for kind, of in written.items()}
    names: dict[Naming | str, list[str]] = {kind: sorted(of.values(), key=alphabetical) for kind, of in last.items()}
    return own_categories.known_or_own(min(files), names)


@dataset_format(
    NAME,
    pattern=r"[^/]+\.txt",
    expected=f"<video>.txt or <video>{SUFFIX}.txt, with the columns {PHASE} and {STEP}",
    title="PETRAW and MISAW: a row per frame with phase and step; read only",
    by_hand=ByHand(
        vocabulary_of=vocabulary_of,
        fps_unstated=True,
        evidence=registry.has_columns(PHASE, STEP),
        holds=("phases", "segments"),
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the phases by frame and the steps as spans of the videos without an error; all faults are in ``Collection.faults``."""
    names = {file: PurePosixPath(file).stem.removesuffix(SUFFIX) for file in source.files}
    return video_files.collection_of(source, names, partial(_labels, source.vocabulary))


def _labels(names: Vocabulary, where: Where, recording: str, data: bytes) -> Labels | None:
    sheet = csv_text.read(where.file, data, (PHASE, STEP))
    where.faults.extend(sheet.faults)
    if sheet.columns and not sheet.rows and not sheet.faults:
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    if where.faults.errors():
        return None
    _check_numbers(where, sheet)
    where.faults.extend(fields.unkept(where.file, [name for name in sheet.columns if name not in (PHASE, STEP) and not _numbers(name)]))
    phases = [_id_of(where.at(row.place), names, "phase", row.cells[PHASE]) for row in sheet.rows]
    steps = [_id_of(where.at(row.place), names, "step", row.cells[STEP]) for row in sheet.rows]
    layer = layer_of_phases(where.file, dict(enumerate(phases)), every_frame=True)
    segments = of_phases(layer.positions, np.array(steps, np.int64), "step")
    return Labels(recording, NAME, names, SOURCE_FRAMES, phases=layer, segments=segments)


def _id_of(where: Where, names: Vocabulary, kind: str, name: str) -> int:
    if not name:
        where.error("name-unknown", f"there is no {kind}", "give every row a phase and a step")
        return 0
    return where.id_of(names, "phase" if kind == "phase" else "step", name, "choose another vocabulary") or 0


def _numbers(name: str) -> bool:
    """Return whether a column numbers the rows, or says their times."""
    return columns.first_of([name], "frame", "row", "seconds", "milliseconds") is not None


def _check_numbers(where: Where, sheet: csv_text.Sheet) -> None:
    """Note a column of frames that does not number every one, or of times that go back or jump: a row is not the frame of its place."""
    if not any(map(_numbers, sheet.columns)):
        columns.note_blank(where, sheet.blanks)
    for name in sheet.columns:
        if columns.first_of([name], "frame", "row") is not None:
            numbers = [documents.frame_number(row.cells[name]) for row in sheet.rows]
            wrong = next((i for i, number in enumerate(numbers) if number != i + int(numbers[0] == 1)), None)
        elif columns.first_of([name], "seconds", "milliseconds") is not None:
            times = [columns.nanoseconds(row.cells[name]) for row in sheet.rows]
            wrong = _uneven(times)
            if wrong is None and columns.first_of(sheet.columns, "frame", "row") is None:
                _tell_rate(where, name, [time for time in times if time is not None], sheet.rows[0].cells[name])
        else:
            continue
        if wrong is not None:
            what = f"{name} is '{csv_text.shown(sheet.rows[wrong].cells[name])}', so that this row is not the frame of its place"
            where.at(sheet.rows[wrong].place).error("frame-order", what, "give a row for every frame, in order")


def _tell_rate(where: Where, name: str, times_ns: Sequence[int], first: str) -> None:
    """Note what only times say: how many rows a second has, and that they begin late. Else rows that are left out evenly show nowhere."""
    if len(times_ns) < FEWEST_TIMES:
        return
    step_ns = (times_ns[-1] - times_ns[0]) / (len(times_ns) - 1)
    late = f", and the first row, at {csv_text.shown(first)}, is read as frame 0" if times_ns[0] >= 2 * step_ns else ""
    what = f"no column numbers the frames; by {name} there are {1e9 / step_ns:.4g} rows a second{late}"
    where.warning("rate-told", what, "if the video has other frames, give a row for every frame, from the first")


def _uneven(times: Sequence[int | None]) -> int | None:
    """Return the first row whose time does not follow the one before by a step like the others; None where all do.

    Times are rounded, so that steps differ, but by less than half a step: one more would be that of a row that is missing.
    """
    known = [time for time in times if time is not None]
    steps = [after - before for before, after in itertools.pairwise(known)]
    if len(known) < len(times) or any(step <= 0 for step in steps):
        pairs = enumerate(itertools.pairwise([-1, *times]))
        return next(i for i, (before, after) in pairs if before is None or after is None or after <= before)
    # The mean, as rounded steps may be 1, 2, 2, 1 ...; without those of gaps, which would raise it.
    usual = [step for step in steps if step <= 2 * statistics.median_low(steps)] if steps else []
    uneven = (i for i, step in enumerate(steps, start=1) if 2 * abs(step * len(usual) - sum(usual)) >= sum(usual))
    return next(uneven, None)
