"""PitVis: ``annotations_NN.csv``, a row per second of a video with its step and up to two instruments.

The columns are ``int_video``, ``int_time``, ``int_step``, ``int_instrument1`` and ``int_instrument2``. ``int_time`` is seconds from 0.
Steps are numbered from 1; -1 is none, as the endoscope is outside the patient, and then ``int_instrument1`` is -1, too. Instruments are
numbered from 1; 0 is "none in view", -2 "no second one". The video is called like the file, ``NN``, and must be ``int_video``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error
from scrubin.base.text import csv_text
from scrubin.labels import registry
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, by_position, instance_rows
from scrubin.labels.parse import video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import SECONDS, covered, of_clock
from scrubin.labels.registry import ByHand, Output, label_format, writes
from scrubin.labels.timing import BETWEEN_FRAMES, EXACT_EDGES, of_phases

NAME = "pitvis"
COLUMNS = ("int_video", "int_time", "int_step", "int_instrument1", "int_instrument2")
OUTSIDE, NOTHING, NO_SECOND = -1, 0, -2
SECOND = Clock(Fraction(1))
MOST = 2
FROM_ONE = "they are numbered from 1"
LONGEST = 9


@label_format(
    NAME,
    pattern=r"annotations_(?P<recording>[^/]+)\.csv",
    expected="annotations_<video>.csv",
    title="PitVis: a step and up to two instruments per second",
    by_hand=ByHand(vocabulary=NAME, evidence=registry.has_columns("int_time", "int_step", "int_instrument1")),
)
def read(source: LabelFiles) -> Labels:
    """Return the steps of a video as spans of seconds, and the instruments in view by second.

    Raises
    ------
    AnnotationError
        With every fault of the file, each with its line.
    """
    ((file, data),) = source.files.items()
    faults = Faults()
    where = Where(faults, file)
    sheet = video_files.table(where, data, COLUMNS)
    seconds: list[int] = []
    steps: list[int] = []
    instances: list[dict[str, Any]] = []
    for row in sheet.rows:
        at = where.at(row.place)
        values = _values(at, row)
        if values is None:
            continue
        video, second, step, *tools = values
        if _is_of_video(at, video, source.recording) and _follows(at, second, seconds) and _are_known(at, step, tools, source):
            seconds.append(second)
            steps.append(step)
            instances += [{"position": second, "instrument_id": tool - 1} for tool in tools if tool > NOTHING]
    AnnotationError.raise_any(faults)
    positions, of_positions = np.array(seconds, np.int64), np.array(steps, np.int64)
    inside = of_positions != OUTSIDE
    return Labels(
        source.recording,
        NAME,
        source.vocabulary,
        SECOND,
        instances=Layer(file, positions, instance_rows(instances)),
        detail="instrument",
        segments=of_phases(positions[inside], of_positions[inside] - 1, "step"),
        faults=faults.all(),
    )


def _values(where: Where, row: csv_text.CsvRow) -> list[int] | None:
    """Return the numbers of a row; None after noting a cell that is none."""
    values = []
    for column in COLUMNS:
        cell = row.cells[column]
        if not cell.isascii() or not cell.removeprefix("-").isdigit() or len(cell) > LONGEST:
            what = f"{column} is '{csv_text.shown(cell)}', no whole number of at most {LONGEST} digits"
            where.error("value-type", what, "correct it")
            return None
        values.append(int(cell))
    return values


def _is_of_video(where: Where, video: int, recording: str) -> bool:
    if not recording.isdigit() or int(recording) == video:
        return True
    where.error("video-name", f"the row is of video {video}, but the file of {recording}", "keep a file per video, called after it")
    return False


def _follows(where: Where, second: int, before: list[int]) -> bool:
    if second >= 0 and (not before or second > before[-1]):
        return True
    where.error("frame-order", f"second {second} does not follow the one before", "sort the rows by int_time, from 0, each second once")
    return False


def _are_known(where: Where, step: int, tools: list[int], source: LabelFiles) -> bool:
    steps, instruments = len(source.vocabulary.steps), len(source.vocabulary.instruments)
    if step != OUTSIDE and not 1 <= step <= steps:
        where.error("id-range", f"step {step} is not in 1..{steps}, and not {OUTSIDE}", f"{FROM_ONE}; {OUTSIDE} is none")
        return False
    for tool in tools:
        if not NO_SECOND <= tool <= instruments:
            where.error("id-range", f"instrument {tool} is not in {NO_SECOND}..{instruments}", f"{FROM_ONE}; {NOTHING} is none in view")
            return False
    if (step == OUTSIDE) != (tools[0] == OUTSIDE) or (tools[0] <= NOTHING < tools[1]):
        what = f"step {step} does not go with the instruments {tools[0]} and {tools[1]}"
        where.warning("outside", what, f"{OUTSIDE} is outside the patient in both columns, and a second instrument needs a first")
    return True


@writes(NAME, holds=("segments", "instances", "boxless", "partial", "empty frames"), fps=Fraction(1), vocabulary=NAME)
def write(collection: Collection, out: Output) -> None:
    """Write ``annotations_<video>.csv``.

    Raises
    ------
    AnnotationError
        For a video whose name is no number, and for steps that overlap.
    """
    faults = Faults()
    for labels in collection.recordings:
        if labels.instances is None and labels.segments is None:
            continue
        if not labels.recording.isdigit():
            faults.extend([error(labels.recording, "video-name", "pitvis numbers its videos", "call the video by a number")])
            continue
        steps = _step_of(labels, out, faults)
        tools = {second: [row["instrument_id"] + 1 for row in rows] for second, rows in by_position(labels.instances).items()}
        lines = [",".join(COLUMNS)]
        for second in sorted({*steps, *tools}):
            step, of_second = steps.get(second, OUTSIDE), sorted(tools.get(second, []))
            out.lose("instruments beyond two in a second", max(len(of_second) - MOST, 0), rows_of="instance")
            first = of_second[0] if of_second else OUTSIDE if step == OUTSIDE else NOTHING
            lines.append(f"{int(labels.recording)},{second},{step},{first},{of_second[1] if len(of_second) > 1 else NO_SECOND}")
        out.files[f"annotations_{labels.recording}.csv"] = "".join(f"{line}\n" for line in lines).encode()
    AnnotationError.raise_any(faults)


def _step_of(labels: Labels, out: Output, faults: Faults) -> dict[int, int]:
    """Return the step of each second, from 1: the one that holds its instant. What no second has of spans is counted."""
    steps: dict[int, int] = {}
    of = of_clock(labels.segments_clock or labels.clock, None)
    for kind, start, end, id_ in () if labels.segments is None else labels.segments.itertuples(index=False):
        if kind != "step":
            out.lose(f"spans of another kind: {kind}", rows_of="span")
            continue
        seconds = range(*covered(start, end, of, SECONDS))
        out.lose(BETWEEN_FRAMES, int(not seconds), rows_of="span")
        out.lose(EXACT_EDGES, int(bool(seconds) and bool(start % of.per_second or end % of.per_second)))
        if any(second in steps for second in seconds):
            faults.extend([error(labels.recording, "span-overlap", "pitvis needs one step per second, but two overlap", "correct one")])
        else:
            steps.update(dict.fromkeys(seconds, id_ + 1))
    return steps
