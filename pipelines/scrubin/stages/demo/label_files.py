"""Annotations of the procedures in the field's formats, from what was drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrubin.stages.demo.footage import seen_tools
from scrubin.stages.demo.operation import CHOLEC80_PHASES, CHOLEC80_TOOLS, CHOLECT50_PHASES, PACKAGING, Operation, Tool, triplets
from scrubin.stages.demo.plan import Recording

TOOL_STEP = 25
ABSENT_ID, ABSENT = -1, -1.0


def cholect50(recording: Recording, number: int) -> dict[str, Any]:
    """Return CholecT50 JSON: key k holds what is in the first frame at or after second k of the source."""
    operation = Operation(recording)
    annotations = {str(second): _vectors(recording, operation, frame) for second, frame in enumerate(recording.frame_of_each_second())}
    return {
        "info": {
            "dataset": "synthetic study",
            "version": 1.0,
            "description": "drawn instruments and tissue, for trying the pipeline",
            "bbox format": "[x1,y1,bw,bh] == [top_left_x, top_left_y, box_width, box_height]",
        },
        "licenses": {"id": 1, "name": "Creative Commons license CC BY 4.0"},
        "categories": _categories(),
        "video": number,
        "fps": 1,
        "num_frames": len(annotations),
        "annotations": annotations,
    }


def cholec80_phases(recording: Recording) -> str:
    """Return Cholec80's phase rows, one per source frame, from 0."""
    operation = Operation(recording)
    rows = (f"{frame}\t{CHOLEC80_PHASES[_phase(recording, operation, frame)]}" for frame in range(recording.frame_count))
    return "\n".join(("Frame\tPhase", *rows)) + "\n"


def cholec80_tools(recording: Recording) -> str:
    """Return Cholec80's tool rows, one per 25 source frames; the specimen bag is there while packing."""
    operation = Operation(recording)
    lines = ["\t".join(("Frame", *CHOLEC80_TOOLS))]
    for frame in range(0, recording.frame_count, TOOL_STEP):
        tools = seen_tools(recording, operation, frame)
        names = {tool.triplet.instrument_name.capitalize() for tool in tools}
        if tools and _phase(recording, operation, frame) == PACKAGING:
            names.add("SpecimenBag")
        lines.append("\t".join((str(frame), *(str(int(name in names)) for name in CHOLEC80_TOOLS))))
    return "\n".join(lines) + "\n"


def _labelme_step(recording: Recording) -> int:
    """Return how many source frames lie between two labelled ones: about a second."""
    return round(recording.fps)


def labelme(recording: Recording) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield file name and LabelMe JSON of every labelled source frame; no shapes where nothing is seen."""
    operation = Operation(recording)
    for frame in range(0, recording.frame_count, _labelme_step(recording)):
        yield (
            f"{frame:06d}.json",
            {
                "version": "5.2.1",
                "flags": {},
                "shapes": [_shape(tool) for tool in seen_tools(recording, operation, frame)],
                "imagePath": f"{frame:06d}.jpg",
                "imageData": None,
                "imageHeight": recording.height,
                "imageWidth": recording.width,
            },
        )


def labelled_frames(recording: Recording) -> list[int]:
    """Return the source frames that carry instrument labels."""
    if recording.labels == "cholect50":
        return recording.frame_of_each_second()
    return list(range(0, recording.frame_count, _labelme_step(recording)))


def _phase(recording: Recording, operation: Operation, frame: int) -> int:
    return operation.phase_at(float(recording.time_of(frame)))


def _vectors(recording: Recording, operation: Operation, frame: int) -> list[list[int | float]]:
    phase = _phase(recording, operation, frame)
    nothing: list[int | float] = [ABSENT] * 5
    vectors: list[list[int | float]] = []
    for tool in seen_tools(recording, operation, frame):
        x, y, w, h = tool.box
        box = [x / recording.width, y / recording.height, w / recording.width, h / recording.height]
        one = tool.triplet
        vectors.append([one.triplet, one.instrument, 1.0, *box, one.verb, one.target, 1.0, *nothing[1:], phase])
    absent: list[int | float] = [ABSENT_ID, ABSENT_ID, *nothing, ABSENT_ID, ABSENT_ID, *nothing, phase]
    return vectors or [absent]


def _categories() -> dict[str, dict[str, str]]:
    classes = triplets().values()
    return {
        "triplet": {str(one.triplet): one.name for one in classes},
        "instrument": dict(sorted({str(one.instrument): one.instrument_name for one in classes}.items())),
        "verb": dict(sorted({str(one.verb): one.verb_name for one in classes}.items())),
        "target": {str(number): name for number, name in sorted({one.target: one.target_name for one in classes}.items())},
        "phase": {str(number): name for number, name in enumerate(CHOLECT50_PHASES)},
    }


def _shape(tool: Tool) -> dict[str, Any]:
    x, y, w, h = tool.box
    return {
        "label": tool.triplet.instrument_name,
        "points": [[float(x), float(y)], [float(x + w), float(y + h)]],
        "group_id": None,
        "description": "",
        "shape_type": "rectangle",
        "flags": {},
        "attributes": {"Action": tool.triplet.verb_name, "Target": tool.triplet.target_name},
    }
