"""Text with the name of a phase per source frame: Cholec80, the workflow challenge of M2CAI 2016.

Cholec80 has ``<recording>-phase.txt`` with ``<recording>-tool.txt``, rows by source frame. The phase file has one row per frame, from 0.
The tool file has a row every so many frames (25 in the published files), from 0, and says which of seven tools are present. Presence is an
instrument without verb, target or box: nothing of that is invented. The seventh tool, SpecimenBag, is a target in CholecT50's vocabulary,
where it is checked and not kept, and an instrument in Cholec80's own.

Files of M2CAI (``m2cai``) are those of Cholec80's phases, at 25 fps, but for their names, ``workflow_video_NN.txt``, and one phase more,
TrocarPlacement. Predictions of the challenge end in ``_pred.txt``; the videos of its test set begin with ``test_``. The recording is called
like the file; others than the challenge's without ``workflow_video_``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults, count_text
from scrubin.base.text import csv_text
from scrubin.base.vocabulary.vocabulary import Vocabulary, fold
from scrubin.labels import registry
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, instance_rows, phase_of, phase_rows
from scrubin.labels.parse import documents, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, label_format, writes

TOOLS = ("Grasper", "Bipolar", "Hook", "Scissors", "Clipper", "Irrigator", "SpecimenBag")
NO_INSTRUMENT = "SpecimenBag"
FPS = Fraction(25)
STEP = 25
PHASE_SUFFIX = "-phase.txt"
HERE_AND_BELOW = "correct it here and in the following lines"
WITHOUT_HEADER = "; phases without a header are the format phase-tables (--from, --predictions-from), with --vocabulary and --fps"
WITHOUT_ROW = "such a file is read with a warning, and refused by the stage annotations"
M2CAI_PREFIX = "workflow_video_"
M2CAI_NAME = re.compile(
    rf"(?:{M2CAI_PREFIX}(?![0-9]))?(?P<recording>(?:test_)?{M2CAI_PREFIX}[0-9]+|(?<={M2CAI_PREFIX})[^/0-9][^/]*?)(?:_pred)?\.txt"
)
Row = tuple[int, list[str]]  # line number from 1, fields


@label_format(
    "cholec80",
    pattern=r"(?P<recording>[^/]+)-(?:phase|tool)\.txt",
    expected="<recording>-phase.txt or <recording>-tool.txt",
    title="Cholec80 txt: a phase per frame at 25 fps, tools every 25 frames",
    by_hand=ByHand(vocabulary="cholec80", fps=FPS, evidence=registry.named),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of the one or two Cholec80 files of a recording.

    Raises
    ------
    AnnotationError
        With every fault of both files.
    """
    faults = Faults()
    phases, instances = None, None
    for file in sorted(source.files):
        if file.endswith(PHASE_SUFFIX):
            phases = phase_layer(Where(faults, file), source)
        else:
            instances = _tool_layer(Where(faults, file), source)
    AnnotationError.raise_any(faults)
    return Labels(source.recording, "cholec80", source.vocabulary, SOURCE_FRAMES, phases, instances, "instrument", faults=faults.all())


@writes(
    "cholec80",
    holds=("phases", "instances", "boxless", "partial", "empty frames"),
    fps=FPS,
    vocabulary="cholec80",
    every_frame=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>-phase.txt`` and ``<recording>-tool.txt``; a label between every 25th frame has no row for tools."""
    for labels in collection.recordings:
        if labels.phases is not None:
            out.files[f"{labels.recording}{PHASE_SUFFIX}"] = phase_text(labels, out).encode()
        if labels.instances is not None:
            out.files[f"{labels.recording}-tool.txt"] = _tool_text(labels, out).encode()


def _has_phases(path: Path) -> bool:
    return numbers_phases(registry.head(path))


@label_format(
    "m2cai",
    pattern=M2CAI_NAME.pattern,
    expected=f"{M2CAI_PREFIX}<number>.txt",
    title="M2CAI workflow txt: a phase per frame at 25 fps",
    by_hand=ByHand(vocabulary="m2cai", fps=FPS, evidence=_has_phases),
)
def read_m2cai(source: LabelFiles) -> Labels:
    """Return the phases of a recording.

    Raises
    ------
    AnnotationError
        With every fault of the file.
    """
    faults = Faults()
    phases = phase_layer(video_files.only(source, faults, "keep labels and predictions in folders of their own"), source)
    AnnotationError.raise_any(faults)
    return Labels(source.recording, "m2cai", source.vocabulary, SOURCE_FRAMES, phases, faults=faults.all())


@writes("m2cai", holds=("phases",), fps=FPS, vocabulary="m2cai", every_frame=True)
def write_m2cai(collection: Collection, out: Output) -> None:
    """Write ``workflow_video_NN.txt``, or ``workflow_video_<recording>.txt``.

    The challenge calls recordings like their files, so that ``07`` comes back as ``workflow_video_07``: this is noted.

    Raises
    ------
    AnnotationError
        For a name that no file of the format can have, or two that would have the same.
    """
    faults = Faults()
    for labels in collection.recordings:
        if labels.phases is None:
            continue
        name = _m2cai_name(labels.recording)
        if not name:
            what = f"no file of the format is read as '{labels.recording}': it calls files {M2CAI_PREFIX}<number>, or {M2CAI_PREFIX}<name>"
            faults.error(labels.recording, "file-name", what, "rename the recording, such as to a number")
        elif name in out.files:
            faults.error(labels.recording, "file-name", f"another recording is written as {name}, too", "rename one of them")
        else:
            out.files[name] = phase_text(labels, out).encode()
            match = M2CAI_NAME.fullmatch(name)
            if match is not None and match["recording"] != labels.recording:
                out.notes.append(f"m2cai: '{labels.recording}' is written as {name}, and is read back as '{match['recording']}'")
    AnnotationError.raise_any(faults)


def phase_layer(where: Where, source: LabelFiles) -> Layer:
    """Return the phases of one file with a row per source frame."""
    rows = rows_of(where, source.files[where.file], ("Phase",))
    frames = _sparse(where, rows, source) if source.sparse else _frame_numbers(where, rows, step=1)
    ids: dict[str, int] = {}
    for line, (_, name) in rows:
        if name not in ids:
            ids[name] = _phase_id(where, line, name, source.vocabulary)
    table = phase_rows(frames, [ids[name] for _, (_, name) in rows])
    return Layer(where.file, np.array(frames, np.int64), table, every_frame=True)


def _phase_id(where: Where, line: int, name: str, vocabulary: Vocabulary) -> int:
    number = documents.frame_number(name)
    if number is not None and number < len(vocabulary.phases) and vocabulary.find("phase", name) is None:
        # The published script of relaxed boundaries has them so.
        where.deviation("phase-id", "phases are ids instead of names", "write names")
        return number
    return where.at(f"line {line}").id_of(vocabulary, "phase", name, HERE_AND_BELOW) or 0


def rows_of(where: Where, data: bytes, columns: tuple[str, ...], without_header: str = WITHOUT_HEADER) -> list[Row]:
    """Return the rows of a file with the columns Frame and others, separated by tabs, each with a number of a frame.

    Parameters
    ----------
    without_header
        What is said, behind what is expected, of a file without a header.
    """
    text = documents.opened(documents.text, where.file, data, where.faults)
    if text is None:
        return []
    lines = text.splitlines()
    header = header_of(text)
    if sorted(header) != sorted(("Frame", *columns)) or header[0] != "Frame":
        expected = "<TAB>".join(("Frame", *columns))
        fix = f"expected {expected}, separated by tabs{without_header if documents.frame_number(''.join(header[:1])) is not None else ''}"
        where.at("line 1").error("header", f"the header is {documents.shown(header)}", fix)
        return []
    rows: list[Row] = []
    for number, line in enumerate(lines[1:], start=2):
        fields, at = [value.strip() for value in line.split("\t")], where.at(f"line {number}")
        if fields == [""]:
            continue
        if len(fields) != len(header):
            at.error("row-length", f"{len(fields)} values, expected {len(header)}", "separate them by tabs")
        elif documents.frame_number(fields[0]) is None:
            at.error("frame-key", f"frame '{fields[0]}' is no frame number", "frames are whole numbers from 0")
        else:
            rows.append((number, fields))
    if not rows and not where.faults.errors():
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    return rows


def header_of(text: str) -> list[str]:
    """Return the names of the columns."""
    lines = text.splitlines()
    return [name.strip() for name in lines[0].strip().split("\t")] if lines else []


def cells_of_first_line(text: str) -> list[str]:
    """Return the cells of the first line, whatever separates and quotes them: programs that save a table again choose themselves."""
    lines = csv_text.grid("", "".join(text.splitlines(keepends=True)[:1]).encode(), whitespace=True).lines
    return [cell.strip() for cell in lines[0].cells] if lines else []


def numbers_phases(text: str) -> bool:
    """Return whether a text begins with the columns of frames and phases; one that is not as it should be is refused when it is read."""
    return [fold(name) for name in cells_of_first_line(text)] == ["frame", "phase"]


def _tool_layer(where: Where, source: LabelFiles) -> Layer:
    data = source.files[where.file]
    rows = rows_of(where, data, TOOLS)
    frames = _sparse(where, rows, source) if source.sparse else _frame_numbers(where, rows, step=None)
    ids = _tool_ids(source.vocabulary)
    header = header_of(documents.text(where.file, data)) if rows else []
    instances: list[dict[str, Any]] = []
    for frame, (line, fields) in zip(frames, rows, strict=True):
        for tool, value in zip(header[1:], fields[1:], strict=True):
            if value not in ("0", "1"):
                where.at(f"line {line}").error("zero-or-one", f"{tool} is '{value}', expected 0 or 1", "1 means present")
            elif value == "1" and tool in ids:
                instances.append({"position": frame, "instrument_id": ids[tool]})
    return Layer(where.file, np.array(frames, np.int64), instance_rows(instances), every_frame=True)


def _frame_numbers(where: Where, rows: Sequence[Row], *, step: int | None) -> list[int]:
    frames = [int(fields[0]) for _, fields in rows]
    if frames and frames[0] != 0:
        fix = "frames are numbered from 0; these look numbered from 1" if frames[0] == 1 else "the first row is frame 0"
        where.at(f"line {rows[0][0]}").error("first-frame", f"the first frame is {frames[0]}", fix)
        return frames
    if step is None:
        step = frames[1] - frames[0] if len(frames) > 1 else 1
    for i in range(1, len(frames)):
        if step < 1 or frames[i] != frames[i - 1] + step:
            what = f"frame {frames[i]} follows frame {frames[i - 1]}, expected {frames[i - 1] + max(step, 1)}"
            fix = "rows are in steps of the same size, without gap or repetition"
            where.at(f"line {rows[i][0]}").error("frame-order", what, fix)
            break  # the rest would repeat it
    return frames


def _sparse(where: Where, rows: Sequence[Row], source: LabelFiles) -> list[int]:
    """Return the frames of a file that may lack some; they must increase, and 1 as the first one is a shift, unless it is meant."""
    frames = [int(fields[0]) for _, fields in rows]
    if frames and frames[0] == 1 and source.first == 0:
        fix = "frames are numbered from 0; these look numbered from 1"
        where.at(f"line {rows[0][0]}").error("first-frame", "the first frame is 1", fix)
    steps = [after - before for before, after in itertools.pairwise(frames)]
    for (line, _), step in zip(rows[1:], steps, strict=True):
        if step < 1:
            where.at(f"line {line}").error("frame-order", "the frame does not follow the one before", "sort the rows by frame, each once")
            return frames
    step_of_rows = min(steps, default=1)
    gaps = int(bool(frames) and frames[0] > source.first) + sum(step != step_of_rows for step in steps)
    if gaps:
        where.warning("frame-gap", f"{gaps} gaps between the rows, where every frame should be labelled", "label every frame")
    return frames


def _tool_ids(vocabulary: Vocabulary) -> dict[str, int]:
    """Return the instrument of each tool; in some vocabularies the bag is none."""
    ids = {tool: vocabulary.find("instrument", tool) for tool in TOOLS}
    named = {tool: id_ for tool, id_ in ids.items() if id_ is not None}
    for tool in TOOLS:
        if tool not in named and tool != NO_INSTRUMENT:
            raise AnnotationError([vocabulary.unknown("instrument", tool)])
    return named


def phase_text(labels: Labels, out: Output) -> str:
    """Return the phases as a row per frame; that some frames have none is noted.

    Raises
    ------
    AnnotationError
        Where frame 1 is the first: such a file is read as one whose frames are numbered from 1, and every label would be a frame early.
    """
    phases = sorted(phase_of(labels.phases).items())
    if phases and phases[0][0] == 1:
        what = "frame 0 has no phase and frame 1 has one: files of this format have a row for every frame from 0"
        fix = "label frame 0 as well; if the labels are numbered from 1, say --first-frame 1"
        raise AnnotationError([Fault(labels.recording, "first-frame", what, fix)])
    note_unlabelled(labels.recording, [frame for frame, _ in phases], out, WITHOUT_ROW)
    return "Frame\tPhase\n" + "".join(f"{frame}\t{labels.vocabulary.phases[phase]}\n" for frame, phase in phases)


def note_unlabelled(recording: str, frames: Sequence[int], out: Output, so: str) -> None:
    """Note how many frames before the last one have no phase, and what comes of it.

    Parameters
    ----------
    frames
        Those that have one, in order.
    so
        What comes of it.
    """
    if frames and (missing := frames[-1] + 1 - len(frames)):
        out.notes.append(f"{recording}: {count_text(missing, 'frame')} without a phase before the last one: {so}")


def _tool_text(labels: Labels, out: Output) -> str:
    ids = _tool_ids(labels.vocabulary)
    lines = ["\t".join(("Frame", *TOOLS))]
    for frame, rows in sorted(by_position(labels.instances).items()):
        if frame % STEP:
            out.lose(f"labelled frames between every {STEP}th frame")
            out.unwritten["instance"] += len(rows)
            continue
        cells = _presence_cells(rows, ids)
        out.unwritten["instance"] += len(rows) - cells.count("1")  # a tool that is there twice has one cell
        lines.append("\t".join([str(frame), *cells]))
    return "".join(f"{line}\n" for line in lines)


def _presence_cells(rows: Sequence[Mapping[str, Any]], ids: Mapping[str, int]) -> list[str]:
    present = {row["instrument_id"] for row in rows}
    return ["1" if ids[tool] in present else "0" for tool in TOOLS]


def _m2cai_name(recording: str) -> str:
    """Return the name of the file that is read as a recording; where there is none, of one that the challenge numbers alike."""
    names = [f"{prefix}{recording}.txt" for prefix in ("", M2CAI_PREFIX)]
    read_as = {name: match["recording"] for name in names if (match := M2CAI_NAME.fullmatch(name))}
    return next((name for name, one in read_as.items() if one == recording), names[1] if names[1] in read_as else "")
