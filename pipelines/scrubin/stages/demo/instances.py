"""Instruments of one training recording as COCO has them: the pixels that were painted, which is the same over time, its points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scrubin.stages.demo import canvas
from scrubin.stages.demo.box_trainer import Held, SutureScene
from scrubin.stages.demo.plan import MS, Recording

CAMERA = "left"
CLASSES = ("grasper", "clipper")
POINTS = ("tip", "joint", "entry")
SKELETON = ((1, 2), (2, 3))
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
        Of each of `POINTS` x and y in px of the pixel, and how it is seen, as COCO has it.
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


def labelled_frames(recording: Recording) -> list[int]:
    """Return the source frames that a second lies between, from the start of the work on: those that are released as pictures."""
    start_s = Fraction(recording.start_ms or 0, MS)
    last = int(recording.time_of(recording.frame_count - 1) - start_s)
    return [recording.first_frame_at(start_s + second) for second in range(last + 1)]


def instances(recording: Recording, frame: int) -> list[Instance]:
    """Return the instruments in a source frame of a suture, as the left camera sees them."""
    scene, time_s = SutureScene(recording), float(recording.time_of(frame))
    tools = scene.tools_at(time_s, CAMERA)
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
    for number, frame in enumerate(labelled_frames(recording), start=1):
        name = f"{recording.name}/{frame:06d}.jpg"
        images.append({"id": number, "file_name": name, "width": recording.width, "height": recording.height})
        for one in instances(recording, frame):
            annotations.append({"id": len(annotations) + 1, "image_id": number, **_annotation(one)})
    points = {"keypoints": list(POINTS), "skeleton": [list(pair) for pair in SKELETON]}
    categories = [{"id": number, "name": name, "supercategory": "instrument", **points} for number, name in enumerate(CLASSES, start=1)]
    info = {"description": "drawn instruments, for trying the pipeline; images are frames of the left camera"}
    return {"info": info, "images": images, "annotations": annotations, "categories": categories}


def _annotation(one: Instance) -> Mapping[str, Any]:
    # The middle of the pixel: a point on the edge between two would be of neither.
    keypoints = [value for x, y, seen in one.points for value in ((x + 0.5, y + 0.5, seen) if seen else (0, 0, seen))]
    return {
        "category_id": CLASSES.index(one.name) + 1,
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


def truth(recording: Recording) -> dict[str, Any]:
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
        for frame in labelled_frames(recording)
    }
