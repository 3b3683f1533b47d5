"""Labels of the synthetic study in the field's formats, from what was drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scrubin.stages.demo import canvas
from scrubin.stages.demo.box_trainer import Held, SutureScene
from scrubin.stages.demo.footage import seen_tools
from scrubin.stages.demo.operation import (
    CHOLEC80_PHASES,
    CHOLEC80_TOOLS,
    CHOLECT50_PHASES,
    DISSECTION,
    PACKAGING,
    Operation,
    Tool,
    triplets,
)
from scrubin.stages.demo.plan import MS, Recording
from scrubin.stages.demo.sheets import table

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
        "categories": _cholect50_categories(),
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
                "shapes": [_labelme_shape(tool) for tool in seen_tools(recording, operation, frame)],
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


def _cholect50_categories() -> dict[str, dict[str, str]]:
    classes = triplets().values()
    return {
        "triplet": {str(one.triplet): one.name for one in classes},
        "instrument": dict(sorted({str(one.instrument): one.instrument_name for one in classes}.items())),
        "verb": dict(sorted({str(one.verb): one.verb_name for one in classes}.items())),
        "target": {str(number): name for number, name in sorted({one.target: one.target_name for one in classes}.items())},
        "phase": {str(number): name for number, name in enumerate(CHOLECT50_PHASES)},
    }


def _labelme_shape(tool: Tool) -> dict[str, Any]:
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


COCO_CAMERA = "left"
COCO_CLASSES = ("grasper", "clipper")
COCO_POINTS = ("tip", "joint", "entry")
COCO_SKELETON = ((1, 2), (2, 3))
UNLABELLED, COVERED, SEEN = 0, 1, 2
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Instance:
    """An instrument in a picture.

    Parameters
    ----------
    name, track
        Of the instrument, and its number, which it keeps.
    mask
        The pixels that it painted and nothing painted over, (height, width).
    points
        Of each of `COCO_POINTS` x and y in px of the pixel, and how it is seen, as COCO has it.
    """

    name: str
    track: int
    mask: Mask
    points: tuple[tuple[int, int, int], ...]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Return left, top, width and height in px."""
        x, y, width, height = cv2.boundingRect(self.mask.astype(np.uint8))
        return x, y, width, height


def instance_frames(recording: Recording) -> list[int]:
    """Return the source frames that a second lies between, from the start of the work on: those that are released as pictures."""
    start_s = Fraction(recording.start_ms or 0, MS)
    last = int(recording.time_of(recording.frame_count - 1) - start_s)
    return [recording.first_frame_at(start_s + second) for second in range(last + 1)]


def instances(recording: Recording, frame: int) -> list[Instance]:
    """Return the instruments in a source frame of a suture, as the left camera sees them."""
    scene, time_s = SutureScene(recording), float(recording.time_of(frame))
    tools = scene.tools_at(time_s, COCO_CAMERA)
    whole = [canvas.pixels_of(tool.pose, recording.width, recording.height, tool.shaft_px, tool.scale_percent) for tool in tools]
    painted = np.zeros((recording.height, recording.width, 3), np.uint8)
    scene.draw_needle(painted, time_s, tools[1])
    needle: Mask = np.asarray(painted.any(axis=2), np.bool_)
    over: list[Mask] = [whole[1] | needle, needle]
    seen = []
    for track, (tool, mask, above) in enumerate(zip(tools, whole, over, strict=True), start=1):
        seen.append(Instance(tool.pose.instrument, track, mask & ~above, _points(tool, above)))
    return seen


def _points(tool: Held, above: Mask) -> tuple[tuple[int, int, int], ...]:
    height, width = above.shape
    found = []
    for x, y in (tool.pose.tip, tool.pose.neck(tool.scale_percent), tool.pose.entry):
        inside = 0 <= x < width and 0 <= y < height
        found.append((x, y, COVERED if above[y, x] else SEEN) if inside else (0, 0, UNLABELLED))
    return tuple(found)


def coco(recording: Recording) -> dict[str, Any]:
    """Return COCO JSON, images by source frame: masks as run lengths, key points, and the number of the instrument as ``track_id``."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, frame in enumerate(instance_frames(recording), start=1):
        name = f"{recording.name}/{frame:06d}.jpg"
        images.append({"id": number, "file_name": name, "width": recording.width, "height": recording.height})
        for one in instances(recording, frame):
            annotations.append({"id": len(annotations) + 1, "image_id": number, **_coco_annotation(one)})
    points = {"keypoints": list(COCO_POINTS), "skeleton": [list(pair) for pair in COCO_SKELETON]}
    categories = [
        {"id": number, "name": name, "supercategory": "instrument", **points} for number, name in enumerate(COCO_CLASSES, start=1)
    ]
    info = {"description": "drawn instruments, for trying the pipeline; images are frames of the left camera"}
    return {"info": info, "images": images, "annotations": annotations, "categories": categories}


def _coco_annotation(one: Instance) -> Mapping[str, Any]:
    # The middle of the pixel: a point on the edge between two would be of neither.
    keypoints = [value for x, y, seen in one.points for value in ((x + 0.5, y + 0.5, seen) if seen else (0, 0, seen))]
    return {
        "category_id": COCO_CLASSES.index(one.name) + 1,
        "bbox": list(one.box),
        "area": int(one.mask.sum()),
        "iscrowd": 0,
        "segmentation": {"size": list(one.mask.shape), "counts": _runs(one.mask)},
        "keypoints": keypoints,
        "num_keypoints": sum(seen > UNLABELLED for _, _, seen in one.points),
        "track_id": one.track,
    }


def _runs(mask: Mask) -> list[int]:
    """Return lengths of runs column by column; the first is of background."""
    flat = mask.ravel(order="F")
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    starts = [0, *([0] if flat[0] else []), *changes.tolist(), len(flat)]
    return np.diff(starts).tolist()


def true_instances(recording: Recording) -> dict[str, Any]:
    """Return what is seen in each labelled source frame."""
    return {
        str(frame): [
            {
                "name": one.name,
                "track": one.track,
                "xywh": list(one.box),
                "runs": _runs(one.mask),
                "points": [list(at) for at in one.points],
            }
            for one in instances(recording, frame)
        ]
        for frame in instance_frames(recording)
    }


CRITERIA = ("c1", "c2", "c3")
MET_FROM = (30, 55, 80)
"""Percent of the dissection of Calot's triangle that are done when a criterion is met."""
STRICTNESS = (-15, 0, 15)
"""So many percent later each annotator sees it."""


def judged_criteria(recording: Recording) -> Iterator[tuple[int, list[list[int]]]]:
    """Yield each judged source frame, with what each annotator says of each criterion, criteria first: one a second of the dissection."""
    operation = Operation(recording)
    start_s, end_s = operation.span_of(DISSECTION)
    for frame in recording.frame_of_each_second():
        time_s = float(recording.time_of(frame))
        if start_s <= time_s < end_s:
            done = 100 * (time_s - start_s) / (end_s - start_s)
            yield frame, [[int(done >= met + later) for later in STRICTNESS] for met in MET_FROM]


def criteria_sheet(recording: Recording) -> str:
    """Return ``frame.csv`` of the CVS Challenge."""
    columns = ["frame_id", *(f"{name}_rater{k}" for name in CRITERIA for k in range(1, len(STRICTNESS) + 1))]
    return table(
        columns, ([frame, *(value for said in by_criterion for value in said)] for frame, by_criterion in judged_criteria(recording))
    )


def true_criteria(recording: Recording) -> dict[str, Any]:
    """Return what is judged, by source frame: of each criterion the percent of annotators who see it as met, rounded down."""
    return {str(frame): [100 * sum(said) // len(said) for said in by_criterion] for frame, by_criterion in judged_criteria(recording)}
