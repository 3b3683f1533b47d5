"""Cholec80 TSV: ``<recording>-phase.txt`` and ``<recording>-tool.txt``, rows by source frame.

The phase file has one row per source frame, from 0. The tool file has a row every so many frames
(25 in the published files), from 0, and says which of seven tools are present. Presence is an
instrument without verb, target or box: nothing of that is invented. The seventh tool, SpecimenBag,
is a target in CholecT50's vocabulary, where it is checked and not kept, and an instrument in Cholec80's own.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from scrubin.core.faults import Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, instance_rows, phase_of, phase_rows
from scrubin.labels.registry import ByHand, Output, label_format, writes
from scrubin.vocabulary.vocabulary import Vocabulary, fold

TOOLS = ("Grasper", "Bipolar", "Hook", "Scissors", "Clipper", "Irrigator", "SpecimenBag")
NO_INSTRUMENT = "SpecimenBag"
FPS = Fraction(25)
STEP = 25
PHASE_SUFFIX = "-phase.txt"
Row = tuple[int, list[str]]  # line number from 1, fields


@label_format(
    "cholec80",
    pattern=r"(?P<recording>[^/]+)-(?:phase|tool)\.txt",
    expected="<recording>-phase.txt or <recording>-tool.txt",
    title="Cholec80 txt: a phase per frame at 25 fps, tools every 25 frames",
    by_hand=ByHand(vocabulary="cholec80", fps=FPS, evidence=evidence.named),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of the one or two Cholec80 files of a recording.

    Raises
    ------
    AnnotationError
        Names file, line and value of every fault.
    """
    faults = Faults()
    phases, instances = None, None
    gaps: list[int] = []
    for file in sorted(source.files):
        text = documents.opened(documents.text, file, source.files[file], faults)
        if text is None:
            continue
        lines = text.splitlines()
        if file.endswith(PHASE_SUFFIX):
            phases = _phases(file, lines, source, faults, gaps)
        else:
            instances = _presence(file, lines, source, faults, gaps)
    AnnotationError.raise_any(faults)
    what = f"{len(gaps)} gaps between the rows, where every frame should be labelled"
    missing = (warning(min(source.files), "frame-gap", what, "label every frame"),) if gaps else ()
    return Labels(source.recording, "cholec80", source.vocabulary, SOURCE_FRAMES, phases, instances, detail="instrument", faults=missing)


def _phases(file: str, lines: Sequence[str], source: LabelFiles, faults: Faults, gaps: list[int]) -> Layer:
    vocabulary = source.vocabulary
    rows = _rows(file, lines, faults, ("Phase",))
    frames = _sparse(file, rows, source, faults, gaps) if source.sparse else _frame_numbers(file, rows, faults, step=1)
    ids: dict[str, int] = {}
    for line, (_, name) in rows:
        if name not in ids:
            ids[name] = _phase_id(file, line, name, vocabulary, faults)
    table = phase_rows(frames, [ids[name] for _, (_, name) in rows])
    return Layer(file, np.array(frames, np.int64), table, every_frame=True)


def _phase_id(file: str, line: int, name: str, vocabulary: Vocabulary, faults: Faults) -> int:
    number = documents.frame_number(name)
    if number is not None and number < len(vocabulary.phases) and fold(name) not in vocabulary.spellings["phase"]:
        # The published script of relaxed boundaries has them so.
        faults.deviation(file, "phase-id", "phases are ids instead of names", "write names")
        return number
    try:
        return vocabulary.id_of("phase", name)
    except AnnotationError as error:
        faults.error(file, "format", str(error), "correct it here and in the following lines", place=f"line {line}")
        return 0


def _presence(file: str, lines: Sequence[str], source: LabelFiles, faults: Faults, gaps: list[int]) -> Layer:
    rows = _rows(file, lines, faults, TOOLS)
    frames = _sparse(file, rows, source, faults, gaps) if source.sparse else _frame_numbers(file, rows, faults, step=None)
    ids = _tool_ids(source.vocabulary)
    header = _header(lines)
    instances: list[dict[str, Any]] = []
    for frame, (line, fields) in zip(frames, rows, strict=True):
        for tool, value in zip(header[1:], fields[1:], strict=True):
            if value not in ("0", "1"):
                faults.error(file, "format", f"{tool} is '{value}', expected 0 or 1", "1 means present", place=f"line {line}")
            elif value == "1" and tool in ids:
                instances.append({"position": frame, "instrument_id": ids[tool]})
    return Layer(file, np.array(frames, np.int64), instance_rows(instances), every_frame=True)


def _rows(file: str, lines: Sequence[str], faults: Faults, columns: tuple[str, ...]) -> list[Row]:
    header = _header(lines)
    if sorted(header) != sorted(("Frame", *columns)) or header[0] != "Frame":
        expected = "<TAB>".join(("Frame", *columns))
        faults.error(file, "format", f"the header is {documents.shown(header)}", f"expected {expected}, separated by tabs", place="line 1")
        return []
    rows: list[Row] = []
    for number, line in enumerate(lines[1:], start=2):
        fields = [value.strip() for value in line.split("\t")]
        if fields == [""]:
            continue
        if len(fields) != len(header):
            faults.error(file, "format", f"{len(fields)} values, expected {len(header)}", "separate them by tabs", place=f"line {number}")
        elif documents.frame_number(fields[0]) is None:
            faults.error(
                file, "format", f"frame '{fields[0]}' is no frame number", "frames are whole numbers from 0", place=f"line {number}"
            )
        else:
            rows.append((number, fields))
    if not rows:
        faults.error(file, "format", "has no rows", "remove the file, or export it again")
    return rows


def _header(lines: Sequence[str]) -> list[str]:
    return [name.strip() for name in lines[0].strip().split("\t")] if lines else []


def _frame_numbers(file: str, rows: Sequence[Row], faults: Faults, *, step: int | None) -> list[int]:
    frames = [int(fields[0]) for _, fields in rows]
    if frames and frames[0] != 0:
        mend = "frames are numbered from 0; these look numbered from 1" if frames[0] == 1 else "the first row is frame 0"
        faults.error(file, "format", f"the first frame is {frames[0]}", mend, place=f"line {rows[0][0]}")
        return frames
    if step is None:
        step = frames[1] - frames[0] if len(frames) > 1 else 1
    for i in range(1, len(frames)):
        if step < 1 or frames[i] != frames[i - 1] + step:
            fault = f"frame {frames[i]} follows frame {frames[i - 1]}, expected {frames[i - 1] + max(step, 1)}"
            faults.error(file, "format", fault, "rows are in steps of the same size, without gap or repetition", place=f"line {rows[i][0]}")
            break  # the rest would repeat it
    return frames


def _tool_ids(vocabulary: Vocabulary) -> dict[str, int]:
    bag = (NO_INSTRUMENT,) if fold(NO_INSTRUMENT) not in vocabulary.spellings["instrument"] else ()
    return {tool: vocabulary.id_of("instrument", tool) for tool in TOOLS if tool not in bag}


def _sparse(file: str, rows: Sequence[Row], source: LabelFiles, faults: Faults, gaps: list[int]) -> list[int]:
    """Return the frames of a file that may lack some; they must increase, and 1 as the first one is a shift, unless it is meant."""
    frames = [int(fields[0]) for _, fields in rows]
    if frames and frames[0] == 1 and source.first == 0:
        faults.error(
            file, "format", "the first frame is 1", "frames are numbered from 0; these look numbered from 1", place=f"line {rows[0][0]}"
        )
    steps = [after - before for before, after in itertools.pairwise(frames)]
    for (line, _), step in zip(rows[1:], steps, strict=True):
        if step < 1:
            faults.error(
                file, "format", "the frame does not follow the one before", "sort the rows by frame, each once", place=f"line {line}"
            )
            return frames
    usual = min(steps, default=1)
    if frames and frames[0] > source.first:
        gaps.append(0)
    gaps += [frame for frame, step in zip(frames, steps, strict=False) if step != usual]
    return frames


@writes(
    "cholec80",
    holds=("phases", "instances", "boxless", "partial", "empty frames"),
    fps=FPS,
    vocabulary="cholec80",
    takes=lambda words: False,
    every_frame=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>-phase.txt`` and ``<recording>-tool.txt``; a label between every 25th frame has no row for tools."""
    for labels in collection.recordings:
        if labels.phases is not None:
            out.files[f"{labels.recording}{PHASE_SUFFIX}"] = _phase_text(labels).encode()
        if labels.instances is not None:
            out.files[f"{labels.recording}-tool.txt"] = _tool_text(labels, out).encode()


def _phase_text(labels: Labels) -> str:
    rows = (f"{frame}\t{labels.vocabulary.phases[phase]}\n" for frame, phase in sorted(phase_of(labels.phases).items()))
    return "Frame\tPhase\n" + "".join(rows)


def _tool_text(labels: Labels, out: Output) -> str:
    ids = _tool_ids(labels.vocabulary)
    lines = ["\t".join(("Frame", *TOOLS))]
    for frame, rows in sorted(by_position(labels.instances).items()):
        if frame % STEP:
            out.lose(f"labelled frames between every {STEP}th frame")
            continue
        lines.append("\t".join([str(frame), *_presence_cells(rows, ids)]))
    return "".join(f"{line}\n" for line in lines)


def _presence_cells(rows: Sequence[Mapping[str, Any]], ids: Mapping[str, int]) -> list[str]:
    present = {row["instrument_id"] for row in rows}
    return ["1" if ids[tool] in present else "0" for tool in TOOLS]
