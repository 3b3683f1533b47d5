"""CVAT for images 1.1: one XML file of images with their shapes, of one or several recordings.

An image belongs to the recording and frame that its name says (``VID01_000004.png``, ``VID01/000004.png``,
``VID01/frame_000004.png``). CVAT calls the frames of a video ``frame_000004``: these, and images whose names say nothing, are of the
recording that the file is called like, in an export of a project of the video (``source``) or the name of their task; ``id`` is the
frame of the source video, in a project behind those of the tasks before: see `cvat_meta.tasks_of`.
Every image is labelled; one without a shape has nothing in it. A ``tag`` is the phase of its image where the vocabulary has such a phase;
images that have tags alone say nothing of instances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows, layer_of_phases
from scrubin.labels.parse import cvat_meta, cvat_shapes, documents, fields, video_files
from scrubin.labels.parse.columns import one_vocabulary
from scrubin.labels.parse.cvat_shapes import DETAILS, OCCLUDED, Size
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.xml_documents import Node
from scrubin.labels.rates import LATEST_FRAME
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NAME = "cvat-images"
IMAGE = "image"
OF_VIDEO = "frame"
"""The first word of what CVAT calls the frames of a video: one of `fields.OF_FRAMES`, with ``id`` as the frame."""
FILE = "annotations.xml"
Frame = tuple[str, int]
"""A recording and a frame of it."""


@dataclass
class _Recording:
    """What was read of a recording so far; ``origin`` is that of a file after which it is called."""

    file: str
    origin: dict[str, str]
    frames: dict[int, dict[str, Any]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    phases: dict[int, int] = field(default_factory=dict)
    merged: Counter[tuple[str, str]] = field(default_factory=Counter)
    has_actions: bool = False


@dataset_format(
    NAME,
    pattern=r"[^/]+\.xml",
    expected="<any name>.xml of CVAT for images 1.1",
    title="CVAT for images 1.1: XML with the shapes of each image, boxes in px, outlines, masks, points",
    by_hand=ByHand(
        vocabulary_of=cvat_meta.vocabulary_of,
        fps=Fraction(1),
        fps_unstated=True,
        evidence=cvat_meta.evidence(IMAGE),
        holds=("phases",),
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the recordings in files without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    recordings: dict[str, _Recording] = {}
    faulty: set[str] = set()
    names = video_files.names_of(source.files, faults)
    for file, data in sorted(source.files.items()):
        of_file = Where(Faults(), file)
        root = cvat_meta.opened(of_file, data)
        if root is not None:
            read_now = _read_file(source, of_file, root, names[file], recordings)
            faulty |= read_now if of_file.faults.errors() else set()
        faults.extend(of_file.faults.all())
    labels = [_labels(name, one, source.vocabulary) for name, one in sorted(recordings.items()) if name not in faulty]
    return Collection(tuple(labels), faults=faults.all())


def _read_file(source: LabelFiles, where: Where, root: Node, name: str, recordings: dict[str, _Recording]) -> set[str]:
    """Add what a file says; return the recordings that it is of."""
    cvat_meta.refuse_other_vocabulary(where, root, source.vocabulary)
    if root.find("track") is not None:
        where.error("layout", "it has tracks", "read it as CVAT for video: --from cvat-video")
    reading = cvat_shapes.Reading(source.vocabulary, source.box_tolerance, source.label_map)
    of: set[str] = set()
    unnamed, has_actions, origin = 0, cvat_meta.has_actions(root), cvat_meta.origin_of(root)
    tasks, other = cvat_meta.tasks_of(root), cvat_meta.Task(name, 0, range(0) if cvat_meta.is_of_several(root) else cvat_meta.EVERY)
    for image in root.nodes(IMAGE):
        at = where.at(image.place)
        stated = fields.recording_and_frame(image.get("name", ""))
        is_named = stated is not None and stated[0] != OF_VIDEO
        number = documents.frame_number(image.get("id", ""))
        task = tasks.get(image.get("task_id", ""), other)
        own = None if number is None else task.frame(number)
        frame = stated if is_named else None if own is None else (task.name, own)
        unnamed += stated is None
        size = _size_of(at, image, source.image_size)
        if number is not None and frame is None:
            what = f"CVAT numbers frames on through the tasks of a project, and which one {number} is cannot be told"
            at.error("several-recordings", what, cvat_meta.ONE_BY_ONE)
        elif frame is None or frame[1] > LATEST_FRAME:
            at.error("image-name", f"id is {documents.shown(image.get('id'))}", "it is a whole number from 0")
        elif frame[1] in recordings.setdefault(frame[0], _Recording(where.file, {} if is_named else origin)).frames:
            at.error("frame-repeated", f"{frame[0]} frame {frame[1]} stands twice", "keep one of them, or name its recording")
        elif size is not None:
            one = recordings[frame[0]]
            one.has_actions |= has_actions
            one.frames[frame[1]] = {"width": size[0], "height": size[1], "file_name": image.get("name", "")}
            _read_image(reading, at, image, frame[1], size, one)
        of |= set() if frame is None else {frame[0]}
    reading.note(where)
    if unnamed:
        what = f"{unnamed} images have names that say no recording and frame: they are of '{name}', and 'id' is the frame"
        where.warning("image-name", what, "name them <recording>_<frame>.jpg")
    return of


def _size_of(where: Where, image: Node, said: Size | None) -> Size | None:
    if image.get("width") is None and said is not None:
        return said
    return cvat_meta.whole_size(where, image.get("width", ""), image.get("height", ""))


def _read_image(reading: cvat_shapes.Reading, where: Where, image: Node, frame: int, size: Size, one: _Recording) -> None:
    for shape in image.nodes(*cvat_meta.SHAPES):
        row = cvat_shapes.row_of(reading, where.at(shape.place), shape, shape.get("label", ""), size)
        one.rows += [] if row is None else [{"position": frame, **row}]
    one.merged.update(reading.merged)
    reading.merged.clear()
    for other in image.nodes(*cvat_meta.OTHER_SHAPES):
        reading.unkept[f"{other.tag} shapes"] += 1
    for tag in image.nodes("tag"):
        phase = reading.vocabulary.find("phase", tag.get("label", ""))
        if phase is None:
            reading.unkept[f"tag '{tag.get('label', '')}'"] += 1
        elif one.phases.setdefault(frame, phase) != phase:
            where.error("phases-differ", f"its tags are the phases {one.phases[frame]} and {phase}", "an image has one phase")


def _labels(name: str, one: _Recording, vocabulary: Vocabulary) -> Labels:
    positions = np.array(sorted(one.frames), np.int64)
    rows = sorted(one.rows, key=lambda row: int(row["position"]))
    only_tags = bool(one.phases) and not rows
    return Labels(
        name,
        NAME,
        vocabulary,
        SOURCE_FRAMES,
        phases=layer_of_phases(one.file, one.phases) if one.phases else None,
        instances=None if only_tags else Layer(one.file, positions, detailed_rows(rows, DETAILS)),
        detail="triplet" if one.has_actions else "instrument",
        frames=pd.DataFrame([{"position": frame, **one.frames[frame]} for frame in positions.tolist()]),
        about={"cvat": one.origin},
        merged=one.merged,
    )


@writes(
    NAME,
    holds=("instances", "actions", "boxes", "boxless", "masks", "points", "repeats", "partial", "details", "empty frames"),
    pixels=True,
    frames=("file_name",),
    needs=("instrument_id",),
    placed=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``annotations.xml`` of all recordings; an image keeps its name where that says of which recording and frame it is."""
    labelled = [labels for labels in collection.recordings if labels.instances is not None]
    vocabulary = one_vocabulary(labelled)
    has_actions = any(labels.detail == "triplet" for labels in labelled)
    lines: list[str] = []
    number = 0
    for labels in labelled:
        assert labels.instances is not None
        assert labels.frames is not None
        out.lose_details(labels.instances.rows, {OCCLUDED})
        of_frames = labels.frames.set_index("position").to_dict("index")
        for position, rows in by_position(labels.instances).items():
            cvat_shapes.lose_points(rows, out)
            has_actions |= any(row[id_] is not None for row in rows for id_ in ("verb_id", "target_id"))
            size = int(of_frames[position]["width"]), int(of_frames[position]["height"])
            name = _name(labels.recording, position, of_frames[position].get("file_name"), out)
            said: dict[str, str | int] = {"id": number, "name": name, "width": size[0], "height": size[1]}
            inside = [line for row in rows for line in _shape(row, size, vocabulary, out)]
            lines += cvat_meta.element(IMAGE, said, inside, "  ")
            number += 1
    task = {"name": FILE.removesuffix(".xml"), "size": str(number), "mode": "annotation"}
    head = cvat_meta.head(task, vocabulary, None, actions=has_actions)
    out.files[FILE] = cvat_meta.finished(FILE, [*head, *lines])


def _name(recording: str, position: int, stated: Any, out: Output) -> str:
    if isinstance(stated, str) and stated:
        if fields.recording_and_frame(stated) == (recording, position):
            return stated
        out.lose("'file_name' of frames that does not say of which recording and frame it is")
    return f"{recording}/{position:06d}.jpg"


def _shape(row: Mapping[str, Any], size: Size, vocabulary: Vocabulary, out: Output) -> list[str]:
    out.lose("boxes that are not those around the mask", int(cvat_shapes.differs_from_mask(row, size)))
    tag, where, inside = cvat_shapes.written(row, size)
    said = {"label": vocabulary.instruments[row["instrument_id"]], "source": "manual", OCCLUDED: int(row.get(OCCLUDED) or 0), **where}
    return cvat_meta.element(tag, {**said, "z_order": 0}, [*inside, *cvat_shapes.actions_of(row, vocabulary)], "")
