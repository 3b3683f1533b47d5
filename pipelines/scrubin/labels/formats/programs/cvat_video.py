"""CVAT for video 1.1: ``<recording>.xml``, or ``<recording>/annotations.xml``: a track for each instance, a shape for each of its frames.

``frame`` numbers frames of the source video: a task of every 25th frame (``frame_filter`` ``step=25``) has 0, 25, 50, and ``start_frame``
and ``stop_frame`` are such numbers, too (``abs_frame_id`` in CVAT's ``dataset_manager/bindings.py``, da71018). All frames between them are
labelled. A shape with ``outside="1"`` says that the instance is not there from this frame on.

CVAT writes every frame, with ``keyframe="1"`` where a person set the shape; ``interpolated`` is 1 for the others. Other programs
write key frames alone. CVAT reads nothing but key frames, and draws the boxes between two of them on a line from the one to the other:
so are boxes that are missing here, and a warning counts them. Outlines and points between are not drawn, which is said, too. CVAT would
also hold the last shape of a track to the end of the video; here it ends where the file ends it, with a warning.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import tracks
from scrubin.labels.model import BOX, MASK, SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows
from scrubin.labels.parse import cvat_meta, cvat_shapes, documents
from scrubin.labels.parse.cvat_shapes import OCCLUDED, Size
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.xml_documents import Node
from scrubin.labels.points import POINTS
from scrubin.labels.rates import LATEST_FRAME
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "cvat-video"
TRACK = "track"
INTERPOLATED = "interpolated"
DETAILS = {**cvat_shapes.DETAILS, INTERPOLATED: "Int64"}
MOST_FRAMES = 2_000_000
"""Nine hours at 60 per second."""
MOST_DRAWN = 5_000_000
"""So many boxes are interpolated at most: a file of some lines could ask for any number."""
NO_TRACK = -1
AS_BEFORE = ("verb_id", "target_id", OCCLUDED)
"""What a shape that is no key frame has of the one before, in CVAT."""
AS_DRAWN_PX = 0.006
"""CVAT rounds to 0.01 px."""
NAMES = 3


@dataclass
class _Reading:
    """What was read of a file so far."""

    shapes: cvat_shapes.Reading
    size: Size
    step: int
    rows: list[dict[str, Any]] = field(default_factory=list)
    drawn: Counter[str] = field(default_factory=Counter)
    missing: int = 0
    open_ends: list[tuple[int, str]] = field(default_factory=list)


@label_format(
    NAME,
    pattern=r"(?P<recording>(?<!/)annotations|(?!annotations\.xml)[^/]+)(?:/annotations)?\.xml",
    expected="<recording>.xml or <recording>/annotations.xml, of CVAT for video 1.1",
    title="CVAT for video 1.1: XML with a track per instance; frames are those of the source, boxes in px, outlines, masks, points",
    by_hand=ByHand(
        vocabulary_of=cvat_meta.vocabulary_of,
        fps_unstated=True,
        first=0,
        evidence=cvat_meta.evidence(TRACK),
    ),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of a recording.

    Raises
    ------
    AnnotationError
        With every fault, each with its line.
    """
    ((file, data),) = source.files.items()
    where = Where(Faults(), file)
    root = cvat_meta.opened(where, data)
    AnnotationError.raise_any(where.faults)
    assert root is not None
    _refuse_others(where, root, source.vocabulary)
    size = cvat_meta.size_of(where, root, source.image_size)
    step, stated = _frames(where, root)
    AnnotationError.raise_any(where.faults)
    assert size is not None
    shapes = cvat_shapes.Reading(source.vocabulary, source.box_tolerance, source.label_map)
    reading = _Reading(shapes, size, step)
    for track in root.nodes(TRACK):
        _read_track(reading, where.at(track.place), track)
    shapes.note(where)
    _note_frames(reading, where, stated)
    rows = sorted(reading.rows, key=lambda row: int(row["position"]))
    instances = detailed_rows(rows, DETAILS)
    tracks.note(file, tracks.ONLY, instances, source.vocabulary, where.faults)
    AnnotationError.raise_any(where.faults)
    positions = np.array(sorted({*stated, *(int(row["position"]) for row in rows)}), np.int64)
    return Labels(
        source.recording,
        NAME,
        source.vocabulary,
        SOURCE_FRAMES,
        instances=Layer(file, positions, instances),
        detail="triplet" if cvat_meta.has_actions(root) else "instrument",
        faults=where.faults.all(),
        frames=pd.DataFrame({"position": positions, "width": size[0], "height": size[1]}),
        about={"cvat": cvat_meta.origin_of(root)},
        merged=shapes.merged,
    )


def _refuse_others(where: Where, root: Node, vocabulary: Vocabulary) -> None:
    if root.find("image") is not None:
        where.error("layout", "it has images, no tracks alone", "read it as CVAT for images: --from cvat-images")
    if cvat_meta.is_of_several(root) or len({track.get("task_id") for track in root.nodes(TRACK)}) > 1:
        what = "it is of several tasks of a project, through which CVAT numbers frames on"
        where.error("several-recordings", what, cvat_meta.ONE_BY_ONE)
    cvat_meta.refuse_other_vocabulary(where, root, vocabulary)


def _frames(where: Where, root: Node) -> tuple[int, range]:
    """Return the step from one labelled frame to the next, and all that the file says were labelled; none where it does not say it."""
    of = next((one for one in (root.find("meta/task"), root.find("meta/job")) if isinstance(one, Node)), None)
    if of is None:
        return 1, range(0)
    where = where.at(of.place)
    step = cvat_meta.step_of(of)
    if not step or step > MOST_FRAMES:
        where.error("frame-filter", f"frame_filter is {documents.shown(of.text_of('frame_filter'))}", "it is step=N, or nothing")
        return 1, range(0)
    texts = [of.text_of(name) for name in ("start_frame", "stop_frame")]
    if not all(texts):
        return step, range(0)
    start, stop = (documents.frame_number(text) for text in texts)
    if start is None or stop is None or start > stop or (stop - start) // step >= MOST_FRAMES or stop > LATEST_FRAME:
        where.error("frame-range", f"start_frame and stop_frame are {documents.shown(texts)}", "export the labels again")
        return step, range(0)
    return step, range(start, stop + 1, step)


def _read_track(reading: _Reading, where: Where, track: Node) -> None:
    label, text = track.get("label", ""), track.get("id", "")
    id_ = NO_TRACK if text == str(NO_TRACK) else documents.frame_number(text)
    if not label or id_ is None:
        where.error("track-form", f"label is {documents.shown(label)}, id {documents.shown(text)}", "name it, and number it from 0")
        return
    reading.shapes.unkept["group_id of tracks"] += track.get("group_id", "0") not in ("", "0")
    for other in track.nodes(*cvat_meta.OTHER_SHAPES):
        reading.shapes.unkept[f"{other.tag} shapes"] += other.get("outside") != "1"
    read: list[tuple[int, Node, dict[str, Any] | None]] = []
    for shape in track.nodes(*cvat_meta.SHAPES):
        at, frame = where.at(shape.place), documents.frame_number(shape.get("frame", ""))
        if frame is None or frame > LATEST_FRAME:
            at.error("frame-key", f"frame is {documents.shown(shape.get('frame'))}", "it is a whole number from 0")
            continue
        if _is_outside(shape):
            read.append((frame, shape, None))
            continue
        row = cvat_shapes.row_of(reading.shapes, at, shape, label, reading.size)
        if row is not None:
            # Files that others make say nothing of key frames: a person set what stands there.
            details = {INTERPOLATED: 1 if shape.get("keyframe") == "0" else None, tracks.ONLY: None if id_ == NO_TRACK else id_}
            read.append((frame, shape, {"position": frame, **row, **details}))
    read.sort(key=lambda one: one[0])
    for (frame, _, _), (after, shape, _) in itertools.pairwise(read):
        if frame == after:
            where.at(shape.place).error("track-repeated", f"the track {id_} stands twice in frame {frame}", tracks.ONE_BOX)
    reading.rows += [row for _, _, row in read if row is not None]
    for before, behind in itertools.pairwise(read):
        _fill(reading, where, before, behind)
    if read and read[-1][2] is not None:
        reading.open_ends.append((read[-1][0], text))


def _is_outside(shape: Node) -> bool:
    """Return whether an instance is not in view: of a skeleton, whether all its points are outside."""
    parts = [part for part in shape.nodes() if part.tag != "attribute"] if shape.tag == "skeleton" else []
    return shape.get("outside") == "1" or (bool(parts) and all(part.get("outside") == "1" for part in parts))


def _fill(reading: _Reading, where: Where, one: tuple[int, Node, Any], other: tuple[int, Node, Any]) -> None:
    """Add the boxes between two shapes of a track, where the file has none."""
    (first, shape, row), (last, after, _) = one, other
    between = range(first + reading.step, last, reading.step)
    if row is None or not between:
        return
    corners = [cvat_shapes.corners_of(where.at(at.place), at) for at in (shape, after)] if shape.tag == after.tag == "box" else [None, None]
    turned = cvat_shapes.is_turned(shape) or cvat_shapes.is_turned(after)
    if corners[0] is None or corners[1] is None or POINTS in row or turned:
        reading.missing += len(between)
        return
    reading.drawn[where.place] += len(between)
    if reading.drawn.total() > MOST_DRAWN:
        where.error("interpolated", f"more than {MOST_DRAWN} boxes would have to be interpolated", "export the labels with all frames")
        raise AnnotationError(where.faults.all())
    ends = np.array(corners)
    for frame in between:
        left, top, right, bottom = ends[0] + (ends[1] - ends[0]) * (frame - first) / (last - first)
        box = (left / reading.size[0], top / reading.size[1], (right - left) / reading.size[0], (bottom - top) / reading.size[1])
        reading.rows.append({**row, "position": frame, **dict(zip(BOX, map(float, box), strict=True)), INTERPOLATED: 1})


def _note_frames(reading: _Reading, where: Where, stated: range) -> None:
    """Note what was read otherwise than it stands, or not read."""
    if reading.drawn:
        count = f"{reading.drawn.total()} boxes of {len(reading.drawn)} tracks"
        what = f"{count} stand between key frames and not in the file: interpolated, as CVAT does"
        where.warning(INTERPOLATED, what)
    if reading.missing:
        what = f"{reading.missing} outlines, masks, points or turned boxes between key frames stand not in the file, and are not made up"
        where.warning("not-interpolated", what, "export the labels from CVAT, which writes every frame")
    last = max([*stated[-1:], *(int(row["position"]) for row in reading.rows)], default=-1)
    ends = [text for frame, text in reading.open_ends if frame + reading.step <= last]
    if ends:
        named = ", ".join(ends[:NAMES]) + (" ..." if len(ends) > NAMES else "")
        what = f"tracks do not say that they end ({named}): CVAT would hold their last shape up to the last frame; read as ended"
        where.warning("track-open", what, 'write the shape after the last one with outside="1"')
    beyond = sorted({int(row["position"]) for row in reading.rows} - set(stated)) if stated else []
    if beyond:
        what = f"they have shapes, and are none of the frames {stated[0]} to {stated[-1]} of the task, every {stated.step}"
        where.faults.deviation(where.file, "frame-range", what, "they are read as labelled", frames=beyond)


@writes(
    NAME,
    holds=("instances", "actions", "boxes", "boxless", "masks", "points", "repeats", "partial", "details", "empty frames"),
    pixels=True,
    needs=("instrument_id",),
    placed=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.xml``: a track per id, and one of a single shape for each instance without, whose id is -1.

    After its last frame a track is outside, so that CVAT holds nothing. A mask is a polygon along the edges of its pixels.

    Raises
    ------
    AnnotationError
        For a recording with pictures of several sizes.
    """
    for labels in collection.recordings:
        layer, frames = labels.instances, labels.frames
        if layer is None or frames is None:
            continue
        sizes = sorted(set(frames[["width", "height"]].astype(int).itertuples(index=False, name=None)))
        if len(sizes) != 1:
            what = f"{NAME} cannot hold pictures of {len(sizes)} sizes in a video"
            raise AnnotationError([error(labels.recording, "image-size", what, "write another format, such as cvat-images")])
        out.files[f"{labels.recording}.xml"] = _document(labels, layer, sizes[0], out)


def _document(labels: Labels, layer: Layer, size: Size, out: Output) -> bytes:
    per_frame = by_position(layer)
    cvat_shapes.lose_points((row for rows in per_frame.values() for row in rows), out)
    positions = list(per_frame)
    step = positions[1] - positions[0] if len(positions) > 1 else 1
    is_even = positions == list(range(positions[0], positions[-1] + 1, step))
    task = {"name": labels.recording, "size": str(len(positions)), "mode": "interpolation"}
    if is_even:
        task |= {
            "start_frame": str(positions[0]),
            "stop_frame": str(positions[-1]),
            "frame_filter": "" if step == 1 else f"{cvat_meta.STEP}{step}",
        }
    else:
        step = 1
        out.lose("frames labelled as empty", sum(not rows for rows in per_frame.values()))
    column = tracks.written_column(layer.rows)
    out.lose_details(layer.rows, {column, OCCLUDED, INTERPOLATED})
    by_track: dict[tuple[int, ...], list[dict[str, Any]]] = {}
    for at, row in enumerate(row for rows in per_frame.values() for row in rows):
        out.lose("boxes that are not those around the mask", int(cvat_shapes.differs_from_mask(row, size)))
        id_ = row.get(column)
        by_track.setdefault((at, NO_TRACK) if id_ is None or id_ < 0 else (int(id_), int(row["instrument_id"])), []).append(row)
    has_actions = labels.detail == "triplet" or any(layer.rows[name].notna().any() for name in ("verb_id", "target_id"))
    lines = cvat_meta.head(task, labels.vocabulary, size, actions=has_actions)
    for (at, instrument), rows in sorted(by_track.items(), key=lambda one: (one[0][1] == NO_TRACK, one[0])):
        said = {
            "id": NO_TRACK if instrument == NO_TRACK else at,
            "label": labels.vocabulary.instruments[rows[0]["instrument_id"]],
            "source": "manual",
        }
        inside = [line for run in _runs(rows, step) for line in _shapes(run, step, size, labels.vocabulary)]
        lines += cvat_meta.element(TRACK, said, inside, "  ")
    return cvat_meta.finished(labels.recording, lines)


def _runs(rows: Sequence[dict[str, Any]], step: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a track without a gap between them."""
    run: list[dict[str, Any]] = []
    for row in rows:
        if run and row["position"] > run[-1]["position"] + step:
            yield run
            run = []
        run.append(row)
    yield run


def _shapes(run: Sequence[dict[str, Any]], step: int, size: Size, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the lines of the shapes of a run, and of the one that ends it."""
    keys = _key_frames(run, size)
    ended = [(row, int(at in keys), 0) for at, row in enumerate(run)] + [({**run[-1], "position": run[-1]["position"] + step}, 1, 1)]
    for row, is_key, outside in ended:
        tag, where, inside = cvat_shapes.written(row, size)
        said: dict[str, str | int] = {
            "frame": row["position"],
            "keyframe": is_key,
            "outside": outside,
            "occluded": int(row.get(OCCLUDED) or 0),
        }
        yield from cvat_meta.element(tag, {**said, **where, "z_order": 0}, [*inside, *cvat_shapes.actions_of(row, vocabulary)], "")


def _key_frames(run: Sequence[Mapping[str, Any]], size: Size) -> set[int]:
    """Return the places of key frames: of what was interpolated all, too, where CVAT would draw other boxes between two others."""
    stated = sorted({0, len(run) - 1, *(at for at, row in enumerate(run) if row.get(INTERPOLATED) != 1)})
    keys = set(stated)
    for first, last in itertools.pairwise(stated):
        if not all(_is_drawn(run[first], run[at], run[last], size) for at in range(first + 1, last)):
            keys |= set(range(first, last))
    return keys


def _is_drawn(first: Mapping[str, Any], row: Mapping[str, Any], last: Mapping[str, Any], size: Size) -> bool:
    """Return whether CVAT draws a box between two others as it is."""
    if any(one.get(MASK) is not None or one["x"] is None for one in (first, row, last)):
        return False
    if any(row.get(key) != first.get(key) for key in AS_BEFORE):
        return False
    share = (row["position"] - first["position"]) / (last["position"] - first["position"])
    ends = [np.array([one["x"], one["y"], one["x"] + one["w"], one["y"] + one["h"]]) * (*size, *size) for one in (first, row, last)]
    return bool(np.abs(ends[0] + (ends[2] - ends[0]) * share - ends[1]).max() <= AS_DRAWN_PX)
